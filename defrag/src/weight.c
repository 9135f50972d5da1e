// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: what a break weighs, from the module's file heat.
 * What a break costs is the second request for two neighbouring blocks. The module counts the reads of a window, and the
 * requests that they took: what is more of these, its breaks have cost. Reads that end at a break, as those of a
 * database often do, and random reads of single blocks cost nothing: no rewrite makes them faster.
 *
 * A move may make a break, where the blocks that it moves end. How many reads go on from one window of the module to
 * the next is counted. Inside of a window, where none is yet, only the mean is known of how often two neighbouring
 * blocks are read together: a read of n blocks has n - 1 pairs of neighbours, and the window has one less than its
 * blocks.
 *
 * Of writes only the blocks are counted. They are taken for writes of all of the window.
 */

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

static uint64_t counted(const struct heat_window *w)
{
	return w->blks + w->overwrites;
}

static int fewer_blks(const void *a, const void *b)
{
	return ORDER(*(const uint64_t *)b, *(const uint64_t *)a);
}

/**
 * weights_choose() - only the windows that make up a part of all that is read and overwritten are hot
 * @weights: as left by weights_init()
 * @table: the table
 * @meant: by index into @table->files: count the reads of this file
 * @percent: the part
 *
 * Windows with as many blocks as the last one of them are hot, too.
 */
void weights_choose(struct weights *weights, const struct table *table, const bool *meant, double percent)
{
	const struct heat *heat = &weights->heat;
	AUTO_FREE uint64_t *blks = xcalloc(heat->n, sizeof(*blks));
	const struct heat_window *w;
	double left = 0.0;
	size_t n = 0;

	for (uint32_t file = 0; file < table->n_files; file++) {
		for (w = meant[file] ? heat_find(heat, table, file, 0) : NULL; w; w = heat_next(heat, w)) {
			blks[n] = counted(w);
			left += (double)blks[n++];
		}
	}
	qsort(blks, n, sizeof(*blks), fewer_blks);
	left *= percent / 100.0;
	for (size_t i = 0; i < n && left > 0.0; i++) {
		weights->least_blks = blks[i];
		left -= (double)blks[i];
	}
}

/* The window of a block, or NULL if it has no counts. */
static const struct heat_window *find_window(const struct weights *weights, const struct table *table, uint32_t file,
					     uint64_t blk)
{
	uint64_t number = blk / weights->heat.window_blks;
	const struct heat_window *w = heat_find(&weights->heat, table, file, number);

	return w && w->number == number ? w : NULL;
}

/* The blocks of a window before the end of the file. */
static uint64_t length(const struct weights *weights, const struct heat_window *w, uint64_t file_end)
{
	uint64_t begin = w->number * weights->heat.window_blks, len = weights->heat.window_blks;

	return begin + len < file_end ? len : file_end - begin;
}

/* How often two neighbours in a window were read together, the mean over all of them. */
static double read_together(const struct heat_window *w, uint64_t len)
{
	return w->blks > w->reads && len > 1 ? (double)(w->blks - w->reads) / (double)(len - 1) : 0.0;
}

/*
 * How many requests each of so many breaks in a window has cost, the mean over them. Requests of which no reader asked
 * count, too, such as those to collect a segment: so it is never more than the reads of the window can have met.
 */
static double read_across(const struct heat_window *w, uint64_t breaks)
{
	uint64_t more = w->requests > w->reads ? w->requests - w->reads : 0;
	uint64_t pairs = w->blks > w->reads ? w->blks - w->reads : 0;

	return (double)min_of(min_of(more, pairs), w->reads * breaks) / (double)breaks;
}

/*
 * How often a block was read together with the one before it, also if its window is not hot. @breaks: those inside of its
 * window of the module, if one of them is before the block.
 */
static double read_on(const struct weights *weights, const struct table *table, uint32_t file, uint64_t blk,
		      uint64_t file_end, uint64_t breaks)
{
	const struct heat_window *w = find_window(weights, table, file, blk);

	if (!w)
		return 0.0;
	if (blk % weights->heat.window_blks == 0)
		return (double)w->continued;
	return breaks ? read_across(w, breaks) : read_together(w, length(weights, w, file_end));
}

/**
 * weight_of_break() - how often a break costs a request
 * @weights: the counts
 * @table: the table
 * @file: index into table.files
 * @blk: the block after the break, not the first one of the file
 * @file_end: end of the file's last block (exclusive)
 * @breaks: those inside of the module's window of the block
 * @in_place: whether F2FS writes the blocks of the range in place
 *
 * Return: the requests that it has cost, the mean over these breaks; 1 if nothing is known of readers.
 */
double weight_of_break(const struct weights *weights, const struct table *table, uint32_t file, uint64_t blk,
		       uint64_t file_end, uint64_t breaks, bool in_place)
{
	const struct heat_window *w;
	double weight;

	if (!weights->known)
		return 1.0;
	w = find_window(weights, table, file, blk);
	if (!w || counted(w) < weights->least_blks)
		return 0.0;
	weight = read_on(weights, table, file, blk, file_end, breaks);
	return in_place ? weight + (double)w->overwrites / (double)length(weights, w, file_end) : weight;
}

/**
 * weight_of_edge() - how often a break at the edge of a request would cost one, if it came
 * @weights: the counts
 * @table: the table
 * @file: index into table.files
 * @blk: the block after it, not the first one of the file
 * @file_end: end of the file's last block (exclusive)
 *
 * Return: how often the blocks around it are read together by readers that are not aligned; 0 if nothing is known.
 */
double weight_of_edge(const struct weights *weights, const struct table *table, uint32_t file, uint64_t blk,
		      uint64_t file_end)
{
	return weights->known && !weights->by_bytes ? read_on(weights, table, file, blk, file_end, 0) : 0.0;
}

/**
 * weight_of_fragmented_edge() - how often a break at the edge of a request costs one
 * @weights: the counts
 * @table: the table
 * @file: index into table.files
 * @blk: the block after the break, not the first one of the file
 * @file_end: end of the file's last block (exclusive)
 * @breaks: those inside of the module's window of the block
 *
 * Return: as weight_of_edge(); 0 also if its window is not hot.
 */
double weight_of_fragmented_edge(const struct weights *weights, const struct table *table, uint32_t file, uint64_t blk,
			     uint64_t file_end, uint64_t breaks)
{
	return weights->known && !weights->by_bytes ?
	       weight_of_break(weights, table, file, blk, file_end, breaks, false) : 0.0;
}

/**
 * weight_of_bytes() - the weight of all breaks of a range, as FragPicker has it
 * @weights: the counts
 * @table: the table
 * @file: index into table.files
 * @first_blk: its first block in the file (inclusive)
 * @end_blk: its end (exclusive)
 * @file_end: end of the file's last block (exclusive)
 *
 * Return: how often the range is read and overwritten, the mean over its blocks.
 */
double weight_of_bytes(const struct weights *weights, const struct table *table, uint32_t file, uint64_t first_blk,
		       uint64_t end_blk, uint64_t file_end)
{
	const struct heat *heat = &weights->heat;
	const struct heat_window *w;
	double sum = 0.0;

	for (w = heat_find(heat, table, file, first_blk / heat->window_blks); w; w = heat_next(heat, w)) {
		uint64_t begin = w->number * heat->window_blks, end = begin + heat->window_blks;
		uint64_t from = begin > first_blk ? begin : first_blk, to = end < end_blk ? end : end_blk;

		if (begin >= end_blk)
			break;
		if (counted(w) >= weights->least_blks)
			sum += (double)(to - from) * (double)counted(w) / (double)length(weights, w, file_end);
	}
	return sum / (double)(end_blk - first_blk);
}
