/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the debugfs file `latency`, how long reads take and what breaks add to them. */
#pragma once

#include "util.h"

#define LATENCY_LENGTHS 8
#define LATENCY_SUMS 10

/**
 * struct latency_sum - timed reads
 * @reads: how many have succeeded
 * @waits: how many of these were waited for
 * @waited: how long, in nanoseconds
 */
struct latency_sum {
	uint64_t reads;
	uint64_t waits;
	uint64_t waited;
};

/**
 * struct latency_times - timed reads of similar length
 * @whole: in one piece
 * @split: in several
 */
struct latency_times {
	struct latency_sum whole;
	struct latency_sum split;
};

/**
 * struct latency_volume - a volume
 * @major: device number
 * @minor: device number
 * @lost: reads that could not be timed
 * @failed: timed reads that failed
 * @times: by length
 * @fits: sums to fit a line to, by length, as the file has them
 */
struct latency_volume {
	unsigned int major;
	unsigned int minor;
	uint64_t lost;
	uint64_t failed;
	struct latency_times times[LATENCY_LENGTHS];
	uint64_t fits[LATENCY_LENGTHS][LATENCY_SUMS];
};

/**
 * struct latency_counts - what was read
 * @cut: requests that are no breaks
 * @timed_split: reads in several pieces that were timed
 * @waited_split: nanoseconds that these were waited for
 * @reads: by length
 * @extra: requests that breaks have added, by length
 */
struct latency_counts {
	uint64_t cut;
	uint64_t timed_split;
	uint64_t waited_split;
	uint64_t reads[LATENCY_LENGTHS];
	uint64_t extra[LATENCY_LENGTHS];
};

/**
 * struct latency_file - a file, or the rest of a volume
 * @major: device number
 * @minor: device number
 * @path: its path; "*" for the rest
 * @ext: its extension, see struct file
 * @is_deleted: it has no name any more
 * @counts: what was read of it
 */
struct latency_file {
	unsigned int major;
	unsigned int minor;
	const char *path;
	const char *ext;
	bool is_deleted;
	struct latency_counts counts;
};

/**
 * struct latency - the content of `latency`
 * @blk_bytes: size of a block
 * @is_torn: files were removed meanwhile, so that some counts are there twice, or not at all
 * @volumes: all volumes
 * @n_volumes: how many
 * @files: all files, and the rest of each volume
 * @n_files: how many
 */
struct latency {
	uint32_t blk_bytes;
	bool is_torn;
	struct latency_volume *volumes;
	size_t n_volumes;
	struct latency_file *files;
	size_t n_files;
	/* private: */
	size_t caps[2];
	struct text text;
};

void latency_read(struct latency *latency, const char *name);
double latency_waited(const struct latency_volume *volume, const struct latency_counts *counts);
void latency_free(struct latency *latency);
