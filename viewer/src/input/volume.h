/* SPDX-License-Identifier: GPL-2.0-only */
/* A table of some files of another one. Last step of reading a table, if it is asked for: keep one volume of it. */
#pragma once

#include "input/table.h"

void table_pick(struct table *table, const struct table *whole, const bool *is_picked);
void table_unpick(struct table *table);
void volume_only(struct table *table, size_t volume);
void volume_keep(struct table *table, const char *name, const char *wanted);
