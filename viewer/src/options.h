/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: all options of all commands. */
#pragma once

#include "conf.h"
#include "input/moment.h"
#include "model/color.h"
#include "model/lens.h"
#include "output/export.h"
#include "output/serve_address.h"
#include "output/top.h"

#define DEFAULT_PNG "fragImg.png"
#define MAX_COLOR_CONFS 16

/**
 * enum option_id - the index of an option in option_defs
 * @OPT_END: after the last option of a command
 * @N_OPTIONS: number of options
 *
 * The names are those of the options. Those that set a key of img.cnf stand together.
 */
enum option_id {
	OPT_END, OPT_TABLE, OPT_SNAPSHOT, OPT_LATENCY, OPT_LEDGER, OPT_GC_RUNS, OPT_WHAT_IF, OPT_DISCARDS, OPT_AT, OPT_MAX_INPUT, OPT_VOLUME, OPT_F2FS_STATE, OPT_INTERVAL,
	OPT_COUNT, OPT_SORT,
	OPT_PICTURE, OPT_LBA, OPT_ONLY, OPT_COLORS, OPT_COLOR_BY, OPT_COLOR_FILE_BY, OPT_HEAT, OPT_IMAGE,
	OPT_LAYOUT, OPT_CELL, OPT_DPI, OPT_THEME, OPT_SECTION,
	OPT_OUTPUT, OPT_JSON, OPT_CSV, OPT_COLUMNS, OPT_REQUESTS, OPT_WITH_READS, OPT_EVENTS, OPT_KEEP, OPT_LISTEN,
	OPT_ALL, OPT_READS, OPT_HOT, OPT_LIKE, OPT_REQUEST, OPT_READER, OPT_BUDGET, OPT_MIN_GAIN, OPT_RECENT, OPT_APPLY,
	OPT_RATE, OPT_SHARE, OPT_WAY, OPT_HELP,
	N_OPTIONS
};

#define N_IMG_OPTIONS (OPT_SECTION - OPT_LAYOUT + 1)

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
 * struct options - a command line
 * @operands: the arguments that are no options, without the table
 * @n_operands: number of @operands
 * @table: what to read, "-" is standard input; NULL: the running module
 * @what_if: how garbage collection chooses in a model; NULL: there is none
 * @at: the moment of a recording; its end by default
 * @has_at: @at was given
 * @volume: the only volume that is shown: its mount point or device number; NULL: all
 * @f2fs_state: folder with F2FS's own state, or NULL
 * @interval_ns: from one reading to the next; 0: read once only
 * @count: number of readings if there is an interval; 0: no end
 * @sort: the sort key of files
 * @lens: which blocks and files are drawn
 * @color_by: name of the colour source
 * @heat: file with the counts of reads, or NULL
 * @color_conf: arguments of -c
 * @n_color_confs: number of @color_conf
 * @img_conf: argument of -i, or NULL
 * @img_keys: values of options that are also keys of img.cnf, or NULL
 * @output: the file that is written; "-" is standard output
 * @form: the form of what is exported
 * @requests: standard input names what to read
 * @with_reads: export what is read, too
 * @events: keep the events between snapshots, too
 * @keep_bytes: the oldest of a recording goes when the folder is larger than this; 0: no limit
 * @keep_ms: what is older than this goes; 0: no limit
 * @listen: where a server listens
 * @all: plan for all ranges alike, however often they are read
 * @hot_percent: only ranges among those that make up so much of all that is read
 * @like_fragpicker: weigh by bytes read and overwritten, and take what will break again, too
 * @request_bytes: size of a request; 0: the device's own
 * @reader: how the reader reads whose requests are foreseen
 * @reader_bytes: how much it asks for at once
 * @budget_bytes: write at most this much; 0: no limit
 * @min_gain: requests that a range has to save per MiB written; less than 0: the default, by the size of a request
 * @spare_hopeless: leave files alone that are expected to break again
 * @recent_s: a file that was fragmented by rewriting within so many seconds is left alone
 * @apply: move blocks
 * @rate_bytes: write at most this much per second; 0: no limit
 * @share_percent: how much of the time to work while others use the disk
 * @way: how to move blocks
 */
struct options {
	char **operands;
	size_t n_operands;
	const char *table;
	const char *what_if;
	struct moment at;
	bool has_at;
	const char *volume;
	const char *f2fs_state;
	int64_t interval_ns;
	unsigned long count;
	enum top_key sort;
	struct lens lens;
	const char *color_by;
	const char *heat;
	const char *color_conf[MAX_COLOR_CONFS];
	size_t n_color_confs;
	const char *img_conf;
	const char *img_keys[N_IMG_OPTIONS];
	const char *output;
	enum sheet_form form;
	bool requests;
	bool with_reads;
	bool events;
	uint64_t keep_bytes;
	int64_t keep_ms;
	struct serve_address listen;
	bool all;
	double hot_percent;
	bool like_fragpicker;
	uint64_t request_bytes;
	enum reading reader;
	uint64_t reader_bytes;
	uint64_t budget_bytes;
	double min_gain;
	bool spare_hopeless;
	uint64_t recent_s;
	bool apply;
	uint64_t rate_bytes;
	double share_percent;
	enum way way;
};

void options_set_defaults(struct options *options);
