/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: parse the command line. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * enum way - how the blocks of a range are made to move
 * @WAY_AUTO: by the ioctl, or through a mapping where the kernel may hang in the ioctl
 * @WAY_IOCTL: F2FS_IOC_DEFRAGMENT
 * @WAY_MAPPING: make the pages dirty through a shared mapping, and write them
 */
enum way {
	WAY_AUTO,
	WAY_IOCTL,
	WAY_MAPPING,
};

/**
 * enum reading - how a sequential reader reads
 * @READING_NONE: there is none
 * @READING_DIRECT: past the page cache
 * @READING_BUFFERED: through it, with readahead
 */
enum reading {
	READING_NONE,
	READING_DIRECT,
	READING_BUFFERED,
};

/**
 * struct options - the command line
 * @table: what to read
 * @paths: files, directories and globs
 * @n_paths: number of @paths; 0: all files
 * @budget_bytes: write at most this much; 0: no limit
 * @rate_bytes: write at most this much per second; 0: no limit
 * @share_percent: how much of the time to work while others use the disk
 * @request_bytes: size of a request; 0: the device's own
 * @spare_hopeless: leave files alone that are expected to break again
 * @recent_s: a file that was fragmented by rewriting within so many seconds is left alone
 * @min_gain: requests that a range has to save per MiB written; less than 0: the default, by the size of a request
 * @way: how to move blocks
 * @is_live: @table is the module's own snapshot
 * @apply: do it
 * @json: print JSON
 * @heat: the counts of reads; NULL: all ranges alike
 * @hot_percent: only ranges among those that make up so much of all that is read
 * @reader: how the reader reads whose requests are foreseen
 * @reader_bytes: how much it asks for at once
 * @like_fragpicker: weigh by bytes read and overwritten, and take what will break again, too
 */
struct options {
	const char *table;
	char **paths;
	size_t n_paths;
	uint64_t budget_bytes;
	uint64_t rate_bytes;
	double share_percent;
	uint64_t request_bytes;
	bool spare_hopeless;
	uint64_t recent_s;
	double min_gain;
	enum way way;
	bool is_live;
	bool apply;
	bool json;
	const char *heat;
	double hot_percent;
	enum reading reader;
	uint64_t reader_bytes;
	bool like_fragpicker;
};

void options_read(struct options *options, int argc, char **argv);

#endif
