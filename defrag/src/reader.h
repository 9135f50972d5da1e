/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: which blocks a sequential reader has read at once. */
#pragma once

#include "util.h"

/**
 * struct reader - one that reads a file from its first block to its last one
 * @is_direct: it reads past the page cache (O_DIRECT)
 * @read_blks: blocks that it asks for at once
 * @ahead_blks: read_ahead_kb of the device
 * @device_blks: max_sectors_kb of the device; 0: not known
 */
struct reader {
	bool is_direct;
	uint64_t read_blks;
	uint64_t ahead_blks;
	uint64_t device_blks;
	/* private: the last window, and the block whose reader has the next one read */
	uint64_t start;
	uint64_t size;
	uint64_t mark;
};

bool reader_next(struct reader *reader, uint64_t file_blks, uint64_t *first_blk, uint64_t *end_blk);
