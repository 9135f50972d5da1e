/* SPDX-License-Identifier: GPL-2.0-only */
/* Last step of reading a table, if it is asked for: keep one volume of it. */
#pragma once

#include "input/table.h"

void volume_keep(struct table *table, const char *name, const char *wanted);
