/* SPDX-License-Identifier: GPL-2.0-only */
/* Used instead of table.c for a binary snapshot: the debugfs file `snapshot` -> extents. */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include <stdbool.h>

#include "input/table.h"
#include "util.h"

bool snapshot_is(const struct text *text);
void snapshot_parse(struct table *table, const char *name, struct text *text);

#endif
