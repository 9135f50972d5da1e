/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: a file that is packed with zstd while it is written. */
#pragma once

#include <zstd.h>

#include "outfile.h"

/**
 * struct packed - a file that is packed while it is written
 * @out: the file, which is opened and closed by the caller
 * @bytes: how many it has
 */
struct packed {
	struct outfile out;
	uint64_t bytes;
	/* private: */
	ZSTD_CCtx *zstd;
};

void packed_begin(struct packed *packed, int level);
void packed_put(struct packed *packed, const void *data, size_t size, ZSTD_EndDirective mode);
void packed_end(struct packed *packed);
