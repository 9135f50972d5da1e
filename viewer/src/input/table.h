/* SPDX-License-Identifier: GPL-2.0-only */
/* First step of the pipeline: the text of the debugfs file `table`, version 1 -> extents. */
#pragma once

#include "util.h"

#define TABLE_VERSION 1
#define TIME_MARK "# time "
#define BLK_BYTES_MARK "# block_bytes "

/* The end of the path of a file without a name. */
#define DELETED_MARK " (deleted)"
/* That of a file below a mount point, to which no path leads. */
#define HIDDEN_MARK " (hidden)"

/* F2FS uses 32 bits for block addresses, file offsets, lengths and inode numbers. */
#define BLK_MAX UINT32_MAX

/* The size of the blocks of a volume, where an input does not say it, and those that F2FS may have. */
#define DEFAULT_BLK_BYTES 4096
#define MIN_BLK_BYTES 4096
#define MAX_BLK_BYTES 65536
#define BLK_BYTES_FORM "a power of two from 4096 to 65536"

/* Blocks of a volume as a text in bytes. */
#define BLKS(volume, blks) BYTES((double)(blks) * (volume)->blk_bytes)

#define INO_MAX UINT32_MAX

/**
 * struct volume - one F2FS volume
 * @major: device number
 * @minor: device number
 * @first_blk: first block address that can hold data (inclusive)
 * @end_blk: end of the block addresses (exclusive)
 * @blk_bytes: size of a block: that of the pages of the kernel that has it mounted
 * @segment_blks: blocks in a segment, at least 1
 * @path: mount point, unescaped
 * @stopped: F2FS has stopped there after an error or a shutdown
 * @is_lfs: F2FS never rewrites in place there: mode=lfs, which zoned devices have; false where that is not known
 * @left_out: files and folders that are missing, because fragtrace's memory was short
 * @stale: files that fragtrace has marked as stale; only a snapshot tells them by volume
 * @first: its first extent in table.extents (inclusive)
 * @end: end of its extents in table.extents (exclusive)
 */
struct volume {
	unsigned int major;
	unsigned int minor;
	uint64_t first_blk;
	uint64_t end_blk;
	uint32_t blk_bytes;
	uint64_t segment_blks;
	const char *path;
	bool stopped;
	bool is_lfs;
	uint64_t left_out;
	uint64_t stale;
	size_t first;
	size_t end;
};

/* Its device number, as a key of struct inodes. */
static inline uint32_t volume_dev(const struct volume *volume)
{
	return volume->major << 20 | volume->minor;
}

/**
 * struct file - one watched file
 * @ino: inode number, unique within @volume
 * @blks: written blocks, over all its extents
 * @end_offset: end of the last extent counted (exclusive)
 * @in_order: its extents have rising offsets when sorted by LBA
 * @path: its path, unescaped, without the mark of a deleted file
 * @ext: extension with its dot, or "" where the name has none; the end of @path
 * @record: where it was first seen: the line of the text, or the index of the file in the snapshot
 * @volume: index into table.volumes
 * @fragmented: its state
 * @deleted: it has no name any more, but is still open
 * @is_compressed: it has compressed clusters; only a snapshot tells that
 */
struct file {
	uint64_t ino;
	uint64_t blks;
	uint64_t end_offset;
	const char *path;
	const char *ext;
	size_t record;
	uint32_t volume;
	bool fragmented;
	bool deleted;
	bool is_compressed;
	bool in_order;
};

/**
 * struct extent - written blocks that are contiguous in the file and on the volume
 * @lba: first block address
 * @offset: first block in the file
 * @blks: length, at least 1
 * @file: index into table.files
 */
struct extent {
	uint32_t lba;
	uint32_t offset;
	uint32_t blks;
	uint32_t file;
};

/* Room for the name of a thread, see /proc/PID/comm. */
#define COMM_SIZE 17

/**
 * struct writer - a process that wrote data
 * @comm: the name of the thread that wrote
 * @cgroup: path of its cgroup, or NULL
 * @first_s: when it was first seen to write, in seconds since 1970
 * @last_s: when the last block was allocated for it
 * @pid: its process ID
 * @same_as: the first writer that is this process: index into table.writers
 */
struct writer {
	char comm[COMM_SIZE];
	const char *cgroup;
	uint64_t first_s;
	uint64_t last_s;
	uint32_t pid;
	uint32_t same_as;
};

/**
 * struct table - the content of one table
 * @volumes: in the order of their first lines
 * @n_volumes: number of @volumes
 * @first_volume: the index of the first of them in the input, of which volume_keep() has kept one
 * @files: in the order of their first extents
 * @n_files: number of @files
 * @extents: by volume, then by LBA; no two of a volume overlap
 * @n_extents: number of @extents
 * @order: the extents of files that are not in order: indices into @extents, by file and offset
 * @n_order: number of @order
 * @causes: by extent, why its fragment begins where it does, see module/format/cause.h; NULL where the table
 *	has no causes
 * @writers: the writers that @causes refer to
 * @n_writers: number of @writers
 * @n_left_out: the sum of those that are left out on its volumes
 * @n_stale: files that fragtrace has marked as stale: their blocks may have moved
 * @text: the input: a text that was to be kept, or a binary snapshot; otherwise only the time is set
 * @names: blocks of memory with the paths of @volumes and @files
 * @n_names: number of @names
 */
struct table {
	struct volume *volumes;
	size_t n_volumes;
	size_t first_volume;
	struct file *files;
	size_t n_files;
	struct extent *extents;
	size_t n_extents;
	uint32_t *order;
	size_t n_order;
	uint32_t *causes;
	struct writer *writers;
	size_t n_writers;
	uint64_t n_left_out;
	uint64_t n_stale;
	struct text text;
	char **names;
	size_t n_names;
};

void file_set_path(struct file *file, char *path);
void file_add(struct file *file, const struct extent *e);

struct table_reader *table_begin(struct table *table, const char *name, const struct text *text);
void table_feed(struct table_reader *reader, const char *text, size_t len);
void table_end(struct table_reader *reader);
void table_parse(struct table *table, const char *name, struct text *text, bool keep);
void table_free(struct table *table);

size_t table_extent_after(const struct table *table, const struct volume *volume, uint64_t lba);
uint32_t table_volume_at(const struct table *table, uint64_t major, uint64_t minor);
uint32_t table_blk_bytes(const struct table *table);
bool blk_bytes_are_valid(uint64_t bytes);
uint32_t table_file_at(const struct table *table, uint64_t major, uint64_t minor, uint64_t ino);
