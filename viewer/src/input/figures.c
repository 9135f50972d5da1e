// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the figures of each file, and the order of files by them.
 * The figures are the same as in `files` of debugfs, but computed from the given table, which may be
 * live or recorded.
 */

#include "input/figures.h"

/* === Figures === */

static uint64_t first_window(const struct extent *e, uint64_t request_blks)
{
	return e->offset / request_blks;
}

static uint64_t last_window(const struct extent *e, uint64_t request_blks)
{
	return (e->offset + (uint64_t)e->blks - 1) / request_blks;
}

/* A window shared with the previous extent was counted there, unless this extent begins a fragment. */
static void add_windows(struct figures *f, uint64_t request_blks, const struct extent *prev, const struct extent *e, bool joined)
{
	uint64_t first = first_window(e, request_blks), windows = last_window(e, request_blks) - first + 1;
	bool shared = prev && last_window(prev, request_blks) == first;

	f->ideal += windows - shared;
	f->requests += windows - (shared && joined);
}

/**
 * figures_add() - add the next extent of a file
 * @f: the figures of the extents before it
 * @request_blks: blocks of a request
 * @prev: the one before it, in file order; NULL: there is none
 * @e: the extent
 *
 * Return: where it is in its file.
 */
enum start figures_add(struct figures *f, uint64_t request_blks, const struct extent *prev, const struct extent *e)
{
	uint64_t end = prev ? prev->lba + (uint64_t)prev->blks : 0;
	bool joined = prev && e->lba == end;

	if (prev)
		f->distance += e->lba > end ? e->lba - end : end - e->lba;
	f->blks += e->blks;
	f->extents++;
	f->fragments += !joined;
	add_windows(f, request_blks, prev, e, joined);
	return joined ? START_NONE : prev ? START_FRAGMENT : START_FILE;
}

static void add_in_order(struct figures *figures, const struct table *table, uint8_t *starts, bool *cuts)
{
	uint64_t request_blks = REQUEST_BYTES / table_blk_bytes(table);
	/* by file: index of its last extent up to now, plus one */
	AUTO_FREE uint32_t *last = xcalloc(table->n_files, sizeof(*last));

	for (size_t i = 0; i < table->n_extents; i++) {
		const struct extent *e = &table->extents[i];
		uint32_t prev = last[e->file];

		if (!table->files[e->file].in_order)
			continue;
		starts[i] = figures_add(&figures[e->file], request_blks, prev ? &table->extents[prev - 1] : NULL, e);
		if (cuts && starts[i] == START_FRAGMENT)
			cuts[prev - 1] = true;
		last[e->file] = (uint32_t)i + 1;
	}
}

static void add_others(struct figures *figures, const struct table *table, uint8_t *starts, bool *cuts)
{
	uint64_t request_blks = REQUEST_BYTES / table_blk_bytes(table);
	const struct extent *prev = NULL;

	for (size_t i = 0; i < table->n_order; i++) {
		const struct extent *e = &table->extents[table->order[i]];

		if (prev && prev->file != e->file)
			prev = NULL;
		starts[table->order[i]] = figures_add(&figures[e->file], request_blks, prev, e);
		if (cuts && starts[table->order[i]] == START_FRAGMENT)
			cuts[table->order[i - 1]] = true;
		prev = e;
	}
}

/**
 * figures_of() - the figures of all files
 * @table: the table
 * @starts: by extent; set to its enum start; may be NULL
 * @cuts: by extent, all false; set where a break follows; may be NULL
 *
 * Return: by index into table.files; to be freed.
 */
struct figures *figures_of(const struct table *table, uint8_t *starts, bool *cuts)
{
	struct figures *figures = xcalloc(table->n_files, sizeof(*figures));
	AUTO_FREE uint8_t *unasked = starts ? NULL : xcalloc(table->n_extents, sizeof(*unasked));

	add_in_order(figures, table, starts ? starts : unasked, cuts);
	add_others(figures, table, starts ? starts : unasked, cuts);
	return figures;
}

/**
 * figures_sum() - the figures of all files together
 * @figures: as figures_of() returns them
 * @n: number of files
 *
 * Return: the sums.
 */
struct figures figures_sum(const struct figures *figures, size_t n)
{
	struct figures sum = { 0 };

	for (size_t i = 0; i < n; i++) {
		sum.blks += figures[i].blks;
		sum.extents += figures[i].extents;
		sum.fragments += figures[i].fragments;
		sum.distance += figures[i].distance;
		sum.requests += figures[i].requests;
		sum.ideal += figures[i].ideal;
	}
	return sum;
}

/* === Order === */

/**
 * figures_compare() - which of two files is worse
 * @figures: as figures_of() returns them
 * @i: index of a file
 * @j: index of another
 *
 * The worst file is the one that takes the most extra requests to read it as a whole.
 *
 * Return: below 0 if it is @i, above 0 if it is @j; never 0 for different files.
 */
int figures_compare(const struct figures *figures, uint32_t i, uint32_t j)
{
	const struct figures *x = &figures[i], *y = &figures[j];
	uint64_t x_extra = x->requests - x->ideal, y_extra = y->requests - y->ideal;

	return FIRST(ORDER(y_extra, x_extra), FIRST(ORDER(y->fragments, x->fragments), ORDER(i, j)));
}

static int by_badness(const void *a, const void *b, void *priv)
{
	return figures_compare(priv, *(const uint32_t *)a, *(const uint32_t *)b);
}

/**
 * figures_worst() - all files, the worst first
 * @figures: as figures_of() returns them
 * @n: number of files
 *
 * Return: indices into table.files; to be freed.
 */
uint32_t *figures_worst(const struct figures *figures, size_t n)
{
	uint32_t *order = xcalloc(n, sizeof(*order));

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, n, sizeof(*order), by_badness, (void *)(uintptr_t)figures);
	return order;
}

/**
 * figures_split() - the split factor of a file, or of many
 * @figures: of the file, or their sum
 *
 * Return: the requests of a sequential read, divided by those of a contiguous file; 1 for no blocks.
 */
double figures_split(const struct figures *figures)
{
	return figures->ideal ? (double)figures->requests / (double)figures->ideal : 1.0;
}
