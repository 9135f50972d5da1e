/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the extents of each file of a table, in file order. */
#pragma once

#include "input/table.h"
#include "model.h"

/**
 * struct by_file - the extents of all files
 * @table: the table
 * @begins: by file: its first entry in @extents; one more entry ends the last file
 * @extents: indices into table.extents, by file and offset
 */
struct by_file {
	const struct table *table;
	size_t *begins;
	uint32_t *extents;
	/* private: */
	struct file_extent *file;
	size_t cap_file;
};

void by_file_init(struct by_file *all, const struct table *table);
void by_file_free(struct by_file *all);
const struct file_extent *by_file_extents(struct by_file *all, uint32_t file, size_t *n);
