/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: which blocks and which files of a table are drawn. */
#pragma once

#include "input/table.h"

/**
 * struct lens - what was asked for
 * @range: the argument of --lba, or NULL: all blocks
 * @first: first block address of @range
 * @last: last block address of @range (inclusive)
 * @has_first: @range has a first address; otherwise @first is 0
 * @has_last: @range has a last address; otherwise @last is UINT64_MAX
 * @only: the argument of --only, or NULL: all files
 */
struct lens {
	const char *range;
	uint64_t first;
	uint64_t last;
	bool has_first;
	bool has_last;
	const char *only;
};

/**
 * struct part - the blocks of a volume that are drawn
 * @volume: index into table.volumes
 * @first_blk: first block address (inclusive)
 * @end_blk: end of the block addresses (exclusive)
 */
struct part {
	size_t volume;
	uint64_t first_blk;
	uint64_t end_blk;
};

/**
 * struct stretch - blocks that follow each other, all of files that are left out
 * @lba: first block address
 * @end: end of the block addresses (exclusive)
 */
struct stretch {
	uint64_t lba;
	uint64_t end;
};

/**
 * struct selection - the files of a table that match, and where the others are
 * @table: a table of the files that match, with all volumes; shares memory with the whole table
 * @others: blocks of the files that do not match, by volume and address
 * @begins: by volume, where its @others begin; one more for the end
 * @n_all_files: files of the whole table
 */
struct selection {
	struct table table;
	struct stretch *others;
	size_t *begins;
	size_t n_all_files;
};

bool lens_read_range(struct lens *lens, const char *arg);
struct part *lens_parts(const struct lens *lens, const struct table *table, const char *name, size_t *n);

void selection_make(struct selection *selection, const struct table *table, const char *only);
void selection_free(struct selection *selection);
