/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the breaks of a snapshot in sums. */
#pragma once

#include "input/snapshot.h"
#include "output/sheet.h"

extern const char *const sums_causes_columns[];
extern const char *const sums_processes_columns[];

void sums_put_causes(struct sheet *sheet, const struct table *table, const struct listing *list);
void sums_put_processes(struct sheet *sheet, const struct table *table, const struct listing *list);
