/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: why files are fragmented, in sentences. */
#pragma once

#include "input/f2fs_state.h"
#include "input/pairs.h"
#include "input/table.h"
#include "output/sheet.h"

void why_all(FILE *out, const struct table *table, const char *only, const struct pairs *pairs, enum sheet_form form);
void why_block(FILE *out, const struct table *table, const struct f2fs_state *states, uint64_t lba);
void why_file(FILE *out, const struct table *table, const char *name, const char *path, enum sheet_form form);
void why_one(FILE *out, const struct table *table, const char *name, uint32_t file);
