/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the figures of each file, and the order of files by them. */
#pragma once

#include "input/table.h"

/* The requests that the split factor is computed with. */
#define REQUEST_BYTES 131072

/**
 * enum start - where an extent is in its file
 * @START_FRAGMENT: it begins a fragment, and is not the first of its file
 * @START_FILE: it is the first of its file
 * @START_NONE: it continues the fragment of the previous extent of the file, which is also the previous
 *	one in the table
 */
enum start {
	START_FRAGMENT,
	START_FILE,
	START_NONE,
};

/**
 * struct figures - one file in numbers, as `files` in debugfs has them
 * @blks: written blocks
 * @extents: written extents
 * @fragments: runs of written blocks in file order whose block addresses go up by one
 * @distance: sum of the distances between a fragment and the next, in blocks
 * @requests: requests that a sequential read needs, each of REQUEST_BYTES
 * @ideal: the same if the file were contiguous
 */
struct figures {
	uint64_t blks;
	uint64_t extents;
	uint64_t fragments;
	uint64_t distance;
	uint64_t requests;
	uint64_t ideal;
};

enum start figures_add(struct figures *f, uint64_t request_blks, const struct extent *prev, const struct extent *e);
struct figures *figures_of(const struct table *table, uint8_t *starts, bool *cuts);
struct figures figures_sum(const struct figures *figures, size_t n);
int figures_compare(const struct figures *figures, uint32_t i, uint32_t j);
uint32_t *figures_worst(const struct figures *figures, size_t n);
double figures_split(const struct figures *figures);
