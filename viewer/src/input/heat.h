/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the debugfs file `heat`, how much ranges of files are read. */
#pragma once

#include "input/table.h"

/* The end of the name of a recorded copy. */
#define HEAT_SUFFIX ".heat.zst"

/**
 * struct heat_window - the counts of a window of a file
 * @major: device number
 * @minor: device number
 * @ino: inode number
 * @number: its first block, divided by the length of a window
 * @reads: reads that touched it, after the page cache
 * @blks: blocks that they asked for
 * @requests: requests to the device that touched it
 * @overwrites: blocks that were written and were on the volume before
 * @continued: those of the @reads that had begun in the window before
 */
struct heat_window {
	unsigned int major;
	unsigned int minor;
	uint64_t ino;
	uint64_t number;
	uint64_t reads;
	uint64_t blks;
	uint64_t requests;
	uint64_t overwrites;
	uint64_t continued;
};

/**
 * struct heat - what is known of readers
 * @window_blks: length of a window
 * @period_s: after so many seconds all counts lose half of their value
 * @windows: those that have counts, by device, inode number and offset
 * @n: number of @windows
 */
struct heat {
	uint64_t window_blks;
	uint64_t period_s;
	struct heat_window *windows;
	size_t n;
	/* private: */
	size_t cap;
};

char *heat_read(struct heat *heat, const char *path);
void heat_free(struct heat *heat);
const struct heat_window *heat_find(const struct heat *heat, const struct table *table, uint32_t file, uint64_t number);
const struct heat_window *heat_next(const struct heat *heat, const struct heat_window *window);
