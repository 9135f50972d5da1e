/* SPDX-License-Identifier: GPL-2.0-only */
/* Last part of reading a table: the extents of each file in the order of the file. */
#pragma once

#include "input/table.h"

void order_build(struct table *table, const char *name);
