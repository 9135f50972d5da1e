/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types and functions that the parts of fiemap-check share. Data flows through the files in this
 * order: truth.c (FIEMAP) and text.c (fragtrace's files) produce file lists, figures.c computes the
 * figures of the `files` text naively, main.c compares.
 */
#ifndef FIEMAP_CHECK_H
#define FIEMAP_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* F2FS's blocks are pages of this kernel. */
#define BLOCK_BYTES ((unsigned long long)sysconf(_SC_PAGESIZE))

/**
 * struct run - blocks that are contiguous both in the file and on the volume
 * @lblk: first block in the file
 * @pblk: first block on the volume; 0 when @unwritten
 * @len: number of blocks
 * @unwritten: reserved, never written
 * @encoded: a cluster that F2FS has compressed; F2FS keeps the addresses of its blocks from @lblk on
 */
struct run {
	uint64_t lblk;
	uint64_t pblk;
	uint64_t len;
	bool unwritten;
	bool encoded;
};

/**
 * struct runs - a growing list of runs
 * @v: the runs
 * @n: number of runs
 * @cap: number of runs that there is room for
 */
struct runs {
	struct run *v;
	size_t n;
	size_t cap;
};

/**
 * struct figures - the figures of one file in the text `files`
 * @blocks: written blocks
 * @extents: runs contiguous both in the file and on the volume
 * @fragments: runs contiguous on the volume, holes skipped
 * @mean_fragment: blocks per fragment, in tenths
 * @mean_distance: mean distance from a fragment to the next, in tenths of a block
 * @requests: requests of 128 KiB that a sequential read needs
 * @ideal: windows of 128 KiB that hold a written block
 */
struct figures {
	uint64_t blocks;
	uint64_t extents;
	uint64_t fragments;
	uint64_t mean_fragment;
	uint64_t mean_distance;
	uint64_t requests;
	uint64_t ideal;
};

/**
 * struct file - one inode, from FIEMAP and from fragtrace
 * @major: device
 * @minor: device
 * @ino: inode number
 * @path: one of its paths, unescaped; NULL for a file known to fragtrace only
 * @listed_path: the path in the texts that was last found to be one of it, unescaped; NULL if none was
 * @truth: written and unwritten runs, from FIEMAP, merged, in logical order
 * @table: written runs, from the text `table`
 * @extents: runs, from the text `extents`
 * @state_contiguous: number of lines of `table` with the state contiguous
 * @state_fragmented: number of lines of `table` with the state fragmented
 * @listed: number of lines of `files` about it
 * @stale: its line in `files` is stale
 * @reported: figures from `files`
 */
struct file {
	unsigned int major;
	unsigned int minor;
	uint64_t ino;
	char *path;
	const char *listed_path;
	struct runs truth;
	struct runs table;
	struct runs extents;
	unsigned int state_contiguous;
	unsigned int state_fragmented;
	unsigned int listed;
	bool stale;
	struct figures reported;
};

/**
 * struct files - files sorted by device and inode number
 * @v: the files
 * @n: number of files
 * @cap: number of files that there is room for
 */
struct files {
	struct file *v;
	size_t n;
	size_t cap;
};

/**
 * struct options - the parsed command line
 * @unwritten: compare unwritten runs, too
 * @partial: lines about files outside the given folders are not an error
 * @claims: compare only files that are exact in `files`; the volume is frozen, and other files may be stale
 * @no_paths: do not resolve paths (for tests with invented files)
 * @truth_file: read the true extents from this text instead of FIEMAP (for tests of this program)
 * @dirs: the folders
 * @nr_dirs: number of folders
 */
struct options {
	bool unwritten;
	bool partial;
	bool claims;
	bool no_paths;
	const char *truth_file;
	char **dirs;
	int nr_dirs;
};

/* main.c */
void __attribute__((format(printf, 1, 2), noreturn)) die(const char *fmt, ...);
void __attribute__((format(printf, 1, 2))) problem(const char *fmt, ...);
void *grow(void *v, size_t n, size_t *cap, size_t size);
void add_run(struct runs *runs, struct run run);

/* truth.c */
void truth_walk(struct files *files, const char *dir);
void truth_load(struct files *files, const char *path);
void truth_sort(struct files *files);
struct file *truth_find(struct files *files, unsigned int major, unsigned int minor, uint64_t ino);

/* text.c */
char *text_read(const char *dir, const char *name);
void text_table(struct files *files, char *text, const struct options *opt);
void text_extents(struct files *files, char *text, const struct options *opt);
void text_files(struct files *files, char *text, const struct options *opt);

/* figures.c */
void figures_compute(const struct runs *truth, struct figures *out);

#endif
