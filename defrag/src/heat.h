/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: how much a range is read. */
#ifndef HEAT_H
#define HEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/table.h"
#include "options.h"

/**
 * struct heat_window - the counts of a window of a file
 * @major: device number
 * @minor: device number
 * @ino: inode number
 * @number: its first block, divided by the length of a window
 * @reads: reads that touched it, after the page cache
 * @blks: blocks that they asked for
 */
struct heat_window {
	unsigned int major;
	unsigned int minor;
	uint64_t ino;
	uint64_t number;
	uint64_t reads;
	uint64_t blks;
};

/**
 * struct heat - what is known of readers
 * @known: false if every range counts alike
 * @by_bytes: whether the weight is that of FragPicker
 * @window_blks: length of a window
 * @windows: those that were read, by device, inode number and offset
 * @n: number of @windows
 * @least_blks: windows with fewer blocks read are not hot
 */
struct heat {
	bool known;
	bool by_bytes;
	uint64_t window_blks;
	struct heat_window *windows;
	size_t n;
	uint64_t least_blks;
	/* private: */
	size_t cap;
};

void heat_init(struct heat *heat, const struct options *options);
void heat_choose(struct heat *heat, const struct table *table, const bool *meant, double percent);
double heat_of(const struct heat *heat, const struct table *table, uint32_t file, uint64_t first_blk, uint64_t end_blk,
	       uint64_t file_end);
void heat_free(struct heat *heat);

#endif
