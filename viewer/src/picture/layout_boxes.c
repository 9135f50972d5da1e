// SPDX-License-Identifier: GPL-2.0-only
/*
 * The layout of FragTracer: one box per block, row by row, long runs folded.
 *
 * Boxes shrink a little if the picture would be higher than requested. A picture of more than
 * MAX_PIXELS is made smaller in three steps, each only as far as necessary. First, boxes shrink down to
 * one pixel. Second, shorter runs are folded, too, which may make room for larger boxes again. Third, a
 * box stands for several blocks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture/axis.h"
#include "picture/font.h"
#include "picture/layout.h"
#include "picture/legend.h"
#include "util.h"

/* Shorter runs are not folded: that would save no boxes. */
#define LEAST_LIMIT 4

/* Smaller boxes have no room for a border. They are used only if the picture is too large. */
#define LEAST_BORDERED 3

/* Maximum digits of the number of a folded run. */
#define MAX_DIGITS 20

/* Runs are counted by the smallest power of two that is not below their length. */
#define N_POWERS 34

/**
 * struct tally - the figures of a volume that give its number of boxes
 * @drawn: blocks that are drawn if runs are folded at the requested limit
 * @folds: folded runs, by the number of digits of the folded blocks
 * @n: by power of two, number of runs
 * @blks: by power of two, blocks of these runs
 */
struct tally {
	uint64_t drawn;
	uint64_t folds[MAX_DIGITS + 1];
	uint64_t n[N_POWERS];
	uint64_t blks[N_POWERS];
};

/* === Folding === */

static uint64_t drawn_of(const struct layout *l, uint64_t blks)
{
	if (!l->limit || blks <= l->limit)
		return blks;
	return l->stub < l->limit ? l->stub : l->limit;
}

static size_t power_of(uint64_t value)
{
	size_t power = 0;

	while (UINT64_C(1) << power < value)
		power++;
	return power;
}

static size_t digits_of(uint64_t value)
{
	size_t n = 1;

	while (value /= 10)
		n++;
	return n;
}

/* The mark has room for the number of folded blocks if letters are not higher than a box. */
static uint64_t mark_boxes(const struct layout *l, size_t digits)
{
	if (!l->label)
		return 1;
	return 1 + (fold_label_width(l->label, digits) + l->pitch_x - 1) / l->pitch_x;
}

static uint64_t put_run(const struct layout *l, const struct table *table, const struct run *run,
			uint64_t at, piece_fn fn, void *arg)
{
	uint64_t drawn = drawn_of(l, run->blks), left = drawn;
	struct piece fold = { .extent = run->first, .shade = run->shade, .folded = true };

	at = layout_put_extents(l, table, run, at, drawn, fn, arg);
	if (drawn == run->blks)
		return at;
	if (run->first != NO_EXTENT)
		while (left >= table->extents[fold.extent].blks)
			left -= table->extents[fold.extent++].blks;
	fold.at = at;
	fold.lba = run->lba + drawn;
	fold.blks = run->blks - drawn;
	fold.len = mark_boxes(l, digits_of(fold.blks));
	fn(arg, &fold);
	return at + fold.len;
}

/* === How big === */

static struct tally *take_tallies(const struct layout *l, const struct runs *runs)
{
	struct tally *tallies = xcalloc(l->n_grids, sizeof(*tallies));
	struct run run;
	size_t v;

	for (v = 0; v < l->n_grids; v++) {
		struct run_walk walk = runs_walk(runs, v);

		while (runs_next(&walk, &run)) {
			uint64_t drawn = drawn_of(l, run.blks);
			size_t power = power_of(run.blks);

			tallies[v].drawn += drawn;
			if (drawn < run.blks)
				tallies[v].folds[digits_of(run.blks - drawn)]++;
			tallies[v].n[power]++;
			tallies[v].blks[power] += run.blks;
		}
	}
	return tallies;
}

/* If nothing is folded, rows of a round number of boxes make addresses easier to read. */
static size_t boxes_in_row(const struct layout *l)
{
	size_t n = (l->width - 2 * l->margin - l->axis - l->axis_end) / l->pitch_x;

	if (n > 32)
		n -= n % 8;
	return n ? n : 1;
}

static void set_grids(struct layout *l, const struct tally *tallies)
{
	size_t v, digits;

	for (v = 0; v < l->n_grids; v++) {
		struct grid *grid = &l->grids[v];
		uint64_t boxes = tallies[v].drawn;

		for (digits = 1; digits <= MAX_DIGITS; digits++)
			boxes += tallies[v].folds[digits] * mark_boxes(l, digits);
		grid->columns = boxes_in_row(l);
		grid->n_cells = (boxes + l->units_per_cell - 1) / l->units_per_cell;
		grid->rows = (size_t)((grid->n_cells + grid->columns - 1) / grid->columns);
	}
}

static bool fits(struct layout *l, const struct tally *tallies)
{
	set_grids(l, tallies);
	return layout_fits(l);
}

static void set_box(struct layout *l, size_t box)
{
	l->cell_w = l->cell_h = box;
	l->pitch_x = box + (box < LEAST_BORDERED ? 0 : layout_px(l->img, l->img->border));
	l->pitch_y = l->pitch_x;
	l->label = fold_label_scale(box);
}

static void shrink_boxes(struct layout *l, const struct tally *tallies)
{
	size_t most = layout_px(l->img, l->img->height);

	while (most && l->cell_h > LEAST_BORDERED && (!fits(l, tallies) || l->height > most))
		set_box(l, l->cell_h - 1);
	while (!fits(l, tallies) && l->cell_h > 1)
		set_box(l, l->cell_h - 1);
}

/* The largest power of two below a limit. */
static uint64_t harder(uint64_t limit)
{
	uint64_t power = LEAST_LIMIT;

	/* a longer run never fits into the picture */
	if (!limit || limit > MAX_PIXELS)
		limit = MAX_PIXELS;
	while (power * 2 < limit)
		power *= 2;
	return power;
}

/* If the limit is a power of two, the counts by power are sufficient. Marks have no numbers then. */
static void retally(const struct layout *l, struct tally *tally)
{
	size_t power;

	tally->drawn = 0;
	memset(tally->folds, 0, sizeof(tally->folds));
	for (power = 0; power < N_POWERS; power++) {
		if (UINT64_C(1) << power <= l->limit) {
			tally->drawn += tally->blks[power];
			continue;
		}
		tally->drawn += tally->n[power] * drawn_of(l, l->limit + 1);
		tally->folds[1] += tally->n[power];
	}
}

/* Folding may have made more room than necessary. Marks still have no numbers, see retally(). */
static void grow_boxes(struct layout *l, const struct tally *tallies)
{
	size_t wanted = layout_px(l->img, l->img->cell), most = layout_px(l->img, l->img->height);
	size_t box;

	for (box = l->cell_h + 1; box <= wanted && !fold_label_scale(box); box++) {
		set_box(l, box);
		if (fits(l, tallies) && (!most || l->height <= most))
			continue;
		set_box(l, box - 1);
		break;
	}
}

static void fold_harder(struct layout *l, struct tally *tallies)
{
	size_t v;

	if (fits(l, tallies))
		return;

	while (!fits(l, tallies) && (!l->limit || l->limit > LEAST_LIMIT)) {
		l->limit = harder(l->limit);
		for (v = 0; v < l->n_grids; v++)
			retally(l, &tallies[v]);
	}
	if (fits(l, tallies))
		grow_boxes(l, tallies);
}

static void share_boxes(struct layout *l, const struct tally *tallies)
{
	while (!fits(l, tallies)) {
		if (l->units_per_cell > UINT32_MAX)
			die("%zu volumes do not fit into one picture of %d pixels", l->n_grids,
			    MAX_PIXELS);
		l->units_per_cell *= 2;
	}
}

static void plan(struct layout *l, const struct runs *runs)
{
	struct tally *tallies;

	l->limit = l->img->max_length;
	l->stub = l->img->stub;
	l->axis = axis_lba_width(l, runs->table);
	l->axis_end = 0;
	set_box(l, layout_px(l->img, l->img->cell));
	tallies = take_tallies(l, runs);
	shrink_boxes(l, tallies);
	fold_harder(l, tallies);
	share_boxes(l, tallies);
	free(tallies);
}

/* === Labels === */

/* The addresses of the first boxes of rows. They depend on the lengths of runs only. */
static void draw_axes(const struct layout *l, struct canvas *canvas, const struct runs *runs,
		      size_t volume)
{
	const struct grid *grid = &l->grids[volume];
	uint64_t row_units = grid->columns * l->units_per_cell, at = 0, end, drawn, label = 0;
	struct run_walk walk = runs_walk(runs, volume);
	size_t every = axis_every(l);
	char text[GROUPED_MAX];
	struct run run;

	for (; runs_next(&walk, &run); at = end) {
		drawn = drawn_of(l, run.blks);
		end = at + drawn;
		if (drawn < run.blks)
			end += mark_boxes(l, digits_of(run.blks - drawn));
		for (; label < end; label += every * row_units) {
			/* a mark stands for many blocks; use the address of its first block */
			snprintf(text, sizeof(text), "%ju",
				 (uintmax_t)(run.lba + (label - at < drawn ? label - at : drawn)));
			axis_put(l, canvas, grid, (size_t)(label / row_units), text);
		}
	}
}

static char *describe(const struct layout *l, const struct table *table)
{
	char n[2][GROUPED_MAX];

	(void)table;
	if (l->units_per_cell == 1)
		return xasprintf("1 box = one 4 KiB block; left to right, then down, by block address "
				 "(LBA)");
	return xasprintf("1 box = %s blocks (%s KiB), their colours mixed; left to right, then down, "
			 "by LBA", grouped(n[0], l->units_per_cell),
			 grouped(n[1], l->units_per_cell * 4));
}

const struct layout_ops layout_boxes = {
	.name = "boxes",
	.plan = plan,
	.put_run = put_run,
	.draw_axes = draw_axes,
	.describe = describe,
};
