/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: ask F2FS itself where the blocks of a file are. */
#pragma once

#include "model.h"

/**
 * struct fiemap_pieces - written blocks of a part of a file
 * @blk_bytes: size of a block; set by the caller
 * @extents: in file order, without blocks that hold no data yet
 * @n: number of @extents
 * @encoded: some are of a compressed cluster
 */
struct fiemap_pieces {
	uint64_t blk_bytes;
	struct file_extent *extents;
	size_t n;
	bool encoded;
	/* private: */
	size_t cap;
};

int fiemap_read(struct fiemap_pieces *map, int fd, uint64_t first_blk, uint64_t end_blk);
void fiemap_free(struct fiemap_pieces *map);
