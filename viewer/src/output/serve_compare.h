/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: what has changed from one moment of a recording to another. */
#pragma once

#include "output/serve_view.h"

typedef void (*changed_fn)(void *arg, uint64_t lba, uint64_t blks);

int64_t serve_extra(const struct serve_view *view, size_t file);
int64_t *serve_compare_files(const struct serve_view *view, const struct serve_view *before, uint32_t **gone, size_t *n_gone);
void serve_compare_blocks(const struct serve_view *view, const struct serve_view *before, size_t part, uint64_t first, uint64_t end,
			  changed_fn fn, void *arg);
