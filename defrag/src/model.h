/* SPDX-License-Identifier: GPL-2.0-only */
/* Second step of the pipeline: the extents of one file -> the requests that a reader needs. */
#pragma once

#include "input/table.h"

/**
 * struct file_extent - written blocks that are contiguous in the file and on the volume
 * @offset: first block in the file
 * @lba: its block address
 * @blks: length, at least 1
 * @extent: index into table.extents, if it is from a table
 */
struct file_extent {
	uint64_t offset;
	uint64_t lba;
	uint64_t blks;
	size_t extent;
};

/**
 * struct window - a request, and what the device makes of it
 * @first_blk: its first written block in the file (inclusive)
 * @end_blk: end of its last written block (exclusive)
 * @blks: written blocks
 * @requests: runs of these blocks whose block addresses go up by one: the device needs one request for each
 * @first: its first extent (inclusive)
 * @end: end of its extents (exclusive); the last one may go on in the next window
 */
struct window {
	uint64_t first_blk;
	uint64_t end_blk;
	uint64_t blks;
	uint64_t requests;
	size_t first;
	size_t end;
};

/**
 * struct model - the state of a walk over the windows of a file
 * @extents: the extents of the file, in file order
 * @n: number of @extents
 * @request_blks: size of a request
 */
struct model {
	const struct file_extent *extents;
	size_t n;
	uint64_t request_blks;
	/* private: the next block is block @done of extent @next */
	size_t next;
	uint64_t done;
};

/**
 * struct requests - a file in numbers
 * @blks: written blocks
 * @breaks: fragments but the first
 * @requests: requests of a sequential read
 * @ideal: the same if the file were contiguous
 */
struct requests {
	uint64_t blks;
	uint64_t breaks;
	uint64_t requests;
	uint64_t ideal;
};

bool model_next(struct model *model, struct window *window);
void model_sum(struct requests *sum, const struct file_extent *extents, size_t n, uint64_t request_blks);
