/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: one file of a table, in its own order, with what has no blocks. */
#pragma once

#include "input/table.h"

/* file_part.extent of blocks that are allocated, but not written */
#define NOT_WRITTEN SIZE_MAX

/**
 * struct file_part - neighbouring blocks of the file
 * @offset: first block in the file
 * @blks: length, at least 1
 * @extent: index into one_file.table.extents, or NOT_WRITTEN
 */
struct file_part {
	uint64_t offset;
	uint64_t blks;
	size_t extent;
};

/**
 * struct file_jump - a break of the file
 * @extent: the extent after it: index into one_file.table.extents
 * @from: end of the blocks before it, a block address (exclusive)
 * @to: first block after it
 * @blks: blocks of the fragment after it
 */
struct file_jump {
	size_t extent;
	uint64_t from;
	uint64_t to;
	uint64_t blks;
};

/**
 * struct one_file - one file of a table
 * @table: a table of this file and its volume; shares memory with the whole table
 * @parts: by offset; what is between them is a hole, or not known
 * @n_parts: number of @parts, at least 1
 * @jumps: its breaks, by offset
 * @n_jumps: number of @jumps
 * @end: end of the last one, blocks (exclusive)
 * @unwritten_blks: blocks that are not written, if @is_complete
 * @hole_blks: blocks before @end that are in no part
 * @is_complete: the table tells holes and blocks that are not written apart
 * @is_stale: the table tells which files are stale, and this is one
 */
struct one_file {
	struct table table;
	struct file_part *parts;
	size_t n_parts;
	struct file_jump *jumps;
	size_t n_jumps;
	uint64_t end;
	uint64_t unwritten_blks;
	uint64_t hole_blks;
	bool is_complete;
	bool is_stale;
};

char *one_file_without_blocks(const struct table *table, const char *name, const char *path);
bool one_file_by_inode(const struct table *table, const char *path, uint32_t *file);
char *one_file_find(const struct table *table, const char *name, const char *path, uint32_t *file);
void one_file_make(struct one_file *one, const struct table *whole, const char *name, uint32_t file);
uint64_t file_jump_distance(const struct file_jump *jump);
void one_file_free(struct one_file *one);
