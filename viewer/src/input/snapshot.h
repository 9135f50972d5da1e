/* SPDX-License-Identifier: GPL-2.0-only */
/* Used instead of table.c for a binary snapshot: the debugfs file `snapshot` -> extents. */
#pragma once

#include "input/table.h"
#include "util.h"

/* The index of a file that the table does not have. */
#define NO_FILE UINT32_MAX

/**
 * struct listed_file - a file of a snapshot
 * @path: its path, unescaped; if @file is NO_FILE, with the mark of a deleted file
 * @ino: inode number
 * @volume: index into table.volumes; not of a file of another volume that is left out
 * @file: index into table.files, or NO_FILE if the table has no extent of it
 * @is_stale: its blocks may have moved
 * @is_omitted: it was left out because memory was short, or is on a volume that the table does not have
 */
struct listed_file {
	const char *path;
	uint32_t ino;
	uint32_t volume;
	uint32_t file;
	bool is_stale;
	bool is_omitted;
};

/**
 * struct listed_extent - an extent of a snapshot, written or not
 * @file: index into listing.files
 * @offset: first block in the file
 * @blks: length, at least 1
 * @lba: first block address, if @is_written
 * @cause: why its fragment begins there; 0 if not known
 * @is_written: it has blocks on the volume
 * @is_encoded: it holds blocks of a compressed cluster
 */
struct listed_extent {
	uint32_t file;
	uint32_t offset;
	uint32_t blks;
	uint32_t lba;
	uint32_t cause;
	bool is_written;
	bool is_encoded;
};

/**
 * struct listing - all files and extents of a snapshot
 * @files: by volume and inode number
 * @n_files: number of @files
 * @extents: by file and offset
 * @n_extents: number of @extents
 */
struct listing {
	struct listed_file *files;
	size_t n_files;
	struct listed_extent *extents;
	size_t n_extents;
};

bool snapshot_is(const struct text *text);
void snapshot_check_begin(const struct text *text, const char *name, uint64_t *checked);
void snapshot_parse(struct table *table, const char *name, struct text *text);
void snapshot_list(struct listing *list, const struct table *table, const char *name);
void snapshot_list_file(struct listing *list, const struct table *table, const char *name, uint32_t file);
void listing_free(struct listing *list);
