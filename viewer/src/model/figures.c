// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: what the extents of each file amount to; the worst file first.
 * The same figures as those of `files` in debugfs, of the very table at hand, be it live or
 * recorded.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "model/figures.h"
#include "model/runs.h"
#include "util.h"

/* === By file and offset === */

/* Where an extent is, in the order in which its file is read. */
struct place {
	uint64_t offset;
	uint64_t lba;
	uint64_t blks;
};

static int by_offset(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/*
 * The extents, file by file. To be freed.
 * first: by file, index of its first place; one more entry ends the last file
 */
static struct place *places_of(const struct table *table, size_t *first)
{
	struct place *places = xcalloc(table->n_extents, sizeof(*places));
	size_t i;

	for (i = 0; i < table->n_extents; i++)
		first[table->extents[i].file + 1]++;
	for (i = 0; i < table->n_files; i++)
		first[i + 1] += first[i];
	/* first[i] moves from the begin of file i to its end, which is the begin of the next */
	for (i = 0; i < table->n_extents; i++) {
		const struct extent *e = &table->extents[i];

		places[first[e->file]++] = (struct place){ e->offset, e->lba, e->blks };
	}
	for (i = table->n_files; i > 0; i--)
		first[i] = first[i - 1];
	first[0] = 0;
	for (i = 0; i < table->n_files; i++)
		qsort(places + first[i], first[i + 1] - first[i], sizeof(*places), by_offset);
	return places;
}

/* === Figures === */

/* A window shared with the place before was counted there, unless another fragment begins. */
static void add_windows(struct figures *f, const struct place *prev, const struct place *place,
			bool new_fragment)
{
	uint64_t window = place->offset / REQUEST_BLKS;
	uint64_t windows = (place->offset + place->blks - 1) / REQUEST_BLKS - window + 1;
	bool shared = prev && (prev->offset + prev->blks - 1) / REQUEST_BLKS == window;

	f->ideal += windows - shared;
	f->requests += windows - (shared && !new_fragment);
}

static void add_place(struct figures *f, const struct place *prev, const struct place *place)
{
	bool new_fragment = true;

	if (prev) {
		uint64_t end = prev->lba + prev->blks;

		new_fragment = place->lba != end;
		f->distance += place->lba > end ? place->lba - end : end - place->lba;
	}
	f->blks += place->blks;
	f->extents++;
	f->fragments += new_fragment;
	add_windows(f, prev, place, new_fragment);
}

/**
 * figures_of() - the figures of all files
 * @table: the table
 *
 * Return: by index into table.files; to be freed.
 */
struct figures *figures_of(const struct table *table)
{
	struct figures *figures = xcalloc(table->n_files, sizeof(*figures));
	size_t *first = xcalloc(table->n_files + 1, sizeof(*first));
	struct place *places = places_of(table, first);
	size_t file, i;

	for (file = 0; file < table->n_files; file++)
		for (i = first[file]; i < first[file + 1]; i++)
			add_place(&figures[file], i > first[file] ? &places[i - 1] : NULL,
				  &places[i]);
	free(places);
	free(first);
	return figures;
}

/* === Order === */

/**
 * figures_compare() - which of two files is worse
 * @figures: as figures_of() returns them
 * @i: index of a file
 * @j: index of another
 *
 * Worst is what costs a reader of the whole file most requests too many.
 *
 * Return: below 0 if it is @i, above 0 if it is @j; never 0 for two files.
 */
int figures_compare(const struct figures *figures, uint32_t i, uint32_t j)
{
	const struct figures *x = &figures[i], *y = &figures[j];
	uint64_t x_extra = x->requests - x->ideal, y_extra = y->requests - y->ideal;

	if (x_extra != y_extra)
		return x_extra > y_extra ? -1 : 1;
	if (x->fragments != y->fragments)
		return x->fragments > y->fragments ? -1 : 1;
	return i < j ? -1 : i > j;
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
	size_t i;

	for (i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, n, sizeof(*order), by_badness, (void *)(uintptr_t)figures);
	return order;
}

/**
 * figures_split() - the split factor of a file
 * @figures: of the file
 *
 * Return: how many times as many requests as needed a sequential read takes; 1 for no blocks.
 */
double figures_split(const struct figures *figures)
{
	return figures->ideal ? (double)figures->requests / (double)figures->ideal : 1.0;
}
