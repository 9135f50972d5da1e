// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: what the requests of a range weigh, from the module's file heat.
 * What a break costs is the second request for two neighbouring blocks. So the weight of a range is how often
 * two neighbours in it were read together. A read of n blocks of a window has n - 1 pairs of neighbours, and
 * the window has one less than its blocks: the counts of reads and blocks are all that is needed. Random reads
 * of single blocks weigh nothing: no rewrite makes them faster.
 */
#include <stdlib.h>

#include "util.h"
#include "weight.h"

/**
 * weights_init() - read the counts of the module
 * @weights: the result; to be freed with weights_free()
 * @options: the command line
 *
 * Ends the program if they are asked for and cannot be read.
 */
void weights_init(struct weights *weights, const struct options *options)
{
	char *trouble;

	*weights = (struct weights){ .known = options->heat != NULL, .by_bytes = options->like_fragpicker };
	trouble = weights->known ? heat_read(&weights->heat, options->heat) : NULL;
	if (trouble)
		die("%s; say --all to plan for all ranges alike", trouble);
}

/**
 * weights_free() - release the counts
 * @weights: as left by weights_init()
 */
void weights_free(struct weights *weights)
{
	heat_free(&weights->heat);
	*weights = (struct weights){ 0 };
}

/* What counts of a window: FragPicker traces writes, too. */
static uint64_t counted(const struct weights *weights, const struct heat_window *w)
{
	return weights->by_bytes ? w->blks + w->overwrites : w->blks;
}

static int fewer_blks(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/**
 * weights_choose() - only the windows that make up a part of all that is read are hot
 * @weights: as left by weights_init()
 * @table: the table
 * @meant: by index into @table->files: count the reads of this file
 * @percent: the part
 *
 * Windows that are read as much as the last one of them are hot, too.
 */
void weights_choose(struct weights *weights, const struct table *table, const bool *meant, double percent)
{
	const struct heat *heat = &weights->heat;
	uint64_t *blks = xcalloc(heat->n, sizeof(*blks));
	const struct heat_window *w;
	double left = 0.0;
	size_t n = 0, i;
	uint32_t file;

	for (file = 0; file < table->n_files; file++) {
		for (w = meant[file] ? heat_find(heat, table, file, 0) : NULL; w; w = heat_next(heat, w)) {
			blks[n] = counted(weights, w);
			left += (double)blks[n++];
		}
	}
	qsort(blks, n, sizeof(*blks), fewer_blks);
	left *= percent / 100.0;
	for (i = 0; i < n && left > 0.0; i++) {
		weights->least_blks = blks[i];
		left -= (double)blks[i];
	}
	free(blks);
}

/* How often the blocks of a window were read, or two neighbours together; @len: its blocks before the end of the file. */
static double weight(const struct weights *weights, const struct heat_window *w, uint64_t len)
{
	if (counted(weights, w) < weights->least_blks)
		return 0.0;
	if (weights->by_bytes)
		return (double)counted(weights, w) / (double)len;
	return w->blks > w->reads && len > 1 ? (double)(w->blks - w->reads) / (double)(len - 1) : 0.0;
}

/**
 * weight_of() - the weight of the requests of a range
 * @weights: as left by weights_init()
 * @table: the table
 * @file: index into table.files
 * @first_blk: its first block in the file (inclusive)
 * @end_blk: its end (exclusive)
 * @file_end: end of the file's last block (exclusive)
 *
 * Return: how often the range is read, the mean over its blocks; 1 if nothing is known of readers.
 */
double weight_of(const struct weights *weights, const struct table *table, uint32_t file, uint64_t first_blk,
		 uint64_t end_blk, uint64_t file_end)
{
	const struct heat *heat = &weights->heat;
	const struct heat_window *w;
	double sum = 0.0;

	if (!weights->known)
		return 1.0;
	for (w = heat_find(heat, table, file, first_blk / heat->window_blks); w; w = heat_next(heat, w)) {
		uint64_t begin = w->number * heat->window_blks, end = begin + heat->window_blks;
		uint64_t from = begin > first_blk ? begin : first_blk, to = end < end_blk ? end : end_blk;

		if (begin >= end_blk)
			break;
		sum += (double)(to - from) * weight(weights, w, (end < file_end ? end : file_end) - begin);
	}
	return sum / (double)(end_blk - first_blk);
}
