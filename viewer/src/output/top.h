/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the worst files as lines of text, and how fast they change. */
#pragma once

#include "input/figures.h"
#include "input/inodes.h"
#include "input/table.h"

/**
 * enum top_key - the sort key of files: the highest value first, names from a to z
 * @TOP_EXTRA: requests of 128 KiB that a contiguous file would not need
 * @TOP_FRAGMENTS: fragments
 * @TOP_RATE: new fragments per second
 * @TOP_BLOCKS: written blocks
 * @TOP_SPLIT: split factor
 * @TOP_NAME: path
 * @N_TOP_KEYS: number of keys
 */
enum top_key {
	TOP_EXTRA,
	TOP_FRAGMENTS,
	TOP_RATE,
	TOP_BLOCKS,
	TOP_SPLIT,
	TOP_NAME,
	N_TOP_KEYS,
};

/* Columns of top_columns() that all fit. */
#define ANY_WIDTH SIZE_MAX

/**
 * struct rate - how fast a file changes
 * @fragments: per second
 * @blks: per second
 */
struct rate {
	double fragments;
	double blks;
};

/* The values of a file that are kept until the next reading. */
struct past_file {
	uint64_t fragments;
	uint64_t blks;
};

/**
 * struct top - the last reading, compared with the one before
 * @table: the table; empty before the first reading
 * @figures: by file
 * @causes: by file, the cause of most of its breaks; NULL if the table has no causes
 * @rates: by file; NULL after the first reading
 * @order: the files that @filter shows, in the requested order
 * @n_shown: number of @order
 * @filter: shows only files whose path has this text, or matches this glob; NULL: all files
 * @total: sum over all files
 * @total_rate: sum of @rates
 * @n_fragmented: fragmented files
 * @key: the sort key
 * @reverse: reverse order
 */
struct top {
	struct table table;
	struct figures *figures;
	uint32_t *causes;
	struct rate *rates;
	uint32_t *order;
	size_t n_shown;
	char *filter;
	struct figures total;
	struct rate total_rate;
	size_t n_fragmented;
	enum top_key key;
	bool reverse;
	/* private: */
	struct inodes past_index;
	struct past_file *past;
	int64_t read_ns;
};

bool top_read_key(enum top_key *key, const char *word);
void top_add(struct top *top, struct table *table);
void top_sort(struct top *top, enum top_key key, bool reverse);
void top_filter(struct top *top, const char *filter);
char *top_summary(const struct top *top, size_t line);
unsigned int top_columns(const struct top *top, size_t width);
char *top_heading(const struct top *top, unsigned int columns);
char *top_row(const struct top *top, unsigned int columns, size_t row);
void top_free(struct top *top);
