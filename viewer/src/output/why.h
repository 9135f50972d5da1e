/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: why files are fragmented, in sentences. */
#ifndef WHY_H
#define WHY_H

#include "input/f2fs_state.h"
#include "input/pairs.h"
#include "input/table.h"

void why_all(const struct table *table, const struct pairs *pairs);
void why_block(const struct table *table, const struct f2fs_state *states, uint64_t lba);
void why_file(const struct table *table, const char *name, const char *path);

#endif
