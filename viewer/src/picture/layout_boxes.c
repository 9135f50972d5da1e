// SPDX-License-Identifier: GPL-2.0-only
/*
 * The layout of FragTracer: one box per block, row by row, long runs folded.
 *
 * A folded fragment takes as many boxes as the limit, and its mark after them: a large fragment is never
 * drawn smaller than a small one. Folded free space takes a few boxes only. A run is folded if that hides
 * more blocks than an eighth of its limit, and more than two: folding has to gain boxes.
 *
 * A picture that would be too high, or have too many pixels, is made smaller in these steps, each only
 * as far as necessary: boxes shrink, but keep their borders; shorter runs are folded; boxes lose their
 * borders and shrink to a pixel; a box stands for several blocks. If no run is to be folded (limit 0),
 * boxes shrink to a pixel before any is.
 */

#include "picture/axis.h"
#include "picture/layout.h"
#include "picture/legend.h"

/* Limits: not below the first one while boxes have borders, never below the second one. */
#define LEAST_BORDERED_LIMIT 16
#define LEAST_LIMIT 4

/* What folding has to hide: more than this share of the limit, and more than so many blocks. */
#define HIDDEN_SHARE 8
#define LEAST_HIDDEN 2

/* Free space is folded at this share of the limit, but not below so many boxes. */
#define FREE_SHARE 8
#define LEAST_FREE_LIMIT 32

/* Smaller boxes have no room for a border, pixels of a screen. */
#define LEAST_BORDERED 3

/* Height of the strip to scale, with the space below it, pixels of a screen. */
#define STRIP 20

/* Runs are counted by two classes for each power of two: those up to it, and those that are not folded with it as their limit. */
#define N_CLASSES (2 * 34)

/**
 * struct lengths - the lengths of all runs of a kind
 * @n: by class, number of runs
 * @blks: by class, blocks of these runs
 */
struct lengths {
	uint64_t n[N_CLASSES];
	uint64_t blks[N_CLASSES];
};

/**
 * struct tally - the figures of a volume that give its number of boxes
 * @is_exact: @drawn, @folds and @folded_blks are those of the limits of the layout
 * @drawn: blocks that are drawn
 * @folded_blks: blocks of files that are folded
 * @folds: folded runs, by the number of digits of the folded blocks
 * @used: the fragments
 * @free: the gaps between them
 */
struct tally {
	bool is_exact;
	uint64_t drawn;
	uint64_t folded_blks;
	uint64_t folds[MAX_DIGITS + 1];
	struct lengths used;
	struct lengths free;
};

/* === Folding === */

/* A run that is folded to its limit hides more blocks than this. */
static uint64_t spared(uint64_t limit)
{
	return limit / HIDDEN_SHARE > LEAST_HIDDEN ? limit / HIDDEN_SHARE : LEAST_HIDDEN;
}

static void set_limit(struct layout *l, uint64_t limit)
{
	uint64_t free_limit = limit;

	if (limit / FREE_SHARE > LEAST_FREE_LIMIT)
		free_limit = limit / FREE_SHARE;
	else if (limit > LEAST_FREE_LIMIT)
		free_limit = LEAST_FREE_LIMIT;
	l->limit = limit;
	l->fold_over = limit + spared(limit);
	l->stub = l->img->stub < free_limit ? l->img->stub : free_limit;
	l->free_fold_over = free_limit + (l->stub + spared(free_limit) > free_limit ? spared(free_limit) : 0);
}

/* Files that are left out are no more of interest than free space. */
static bool is_background(const struct run *run)
{
	return run->shade == SHADE_FREE || run->shade == SHADE_LEFT_OUT;
}

static uint64_t drawn_of(const struct layout *l, const struct run *run)
{
	if (is_background(run))
		return !l->limit || run->blks <= l->free_fold_over ? run->blks : l->stub;
	return !l->limit || run->blks <= l->fold_over ? run->blks : l->limit;
}

/* The greatest length of a class. */
static uint64_t class_end(size_t class)
{
	uint64_t power = UINT64_C(1) << class / 2;

	return class % 2 ? power + spared(power) : power;
}

static size_t class_of(uint64_t blks)
{
	size_t class = 0;

	while (class_end(class) < blks)
		class++;
	return class;
}

static size_t digits_of(uint64_t value)
{
	size_t n = 1;

	while (value /= 10)
		n++;
	return n;
}

/* The mark has room for the number of folded blocks if letters are not higher than a box. */
static void set_label(struct layout *l, double label)
{
	l->label = label;
	for (size_t digits = 1; digits <= MAX_DIGITS; digits++)
		l->mark[digits] = 1 + (label > 0 ? (fold_label_width(label, digits) + l->pitch_x - 1) / l->pitch_x : 0);
}

/* Boxes of a mark at a unit. The number is not split: if the rest of the row is too short for it, it is in the next row. */
static uint64_t fold_boxes(const struct layout *l, uint64_t at, uint64_t blks)
{
	uint64_t boxes = l->mark[digits_of(blks)], columns = l->grids->columns;
	uint64_t here = columns - 1 - at % columns;

	return boxes - 1 <= here ? boxes : here + boxes;
}

static uint64_t put_fold(const struct layout *l, const struct table *table, const struct run *run, uint64_t drawn,
			 uint64_t at, piece_fn fn, void *arg)
{
	struct piece fold = {
		.at = at, .extent = run->first, .lba = run->lba + drawn, .blks = run->blks - drawn, .shade = run->shade,
		.folded = true,
	};

	if (run->first != NO_EXTENT)
		while (table->extents[fold.extent].lba + (uint64_t)table->extents[fold.extent].blks <= fold.lba)
			fold.extent++;
	fold.len = fold_boxes(l, at, fold.blks);
	fn(arg, &fold);
	return at + fold.len;
}

static uint64_t put_run(const struct layout *l, const struct table *table, const struct run *run,
			uint64_t at, piece_fn fn, void *arg)
{
	uint64_t drawn = drawn_of(l, run);

	at = layout_put_extents(l, table, run, at, drawn, fn, arg);
	return drawn == run->blks ? at : put_fold(l, table, run, drawn, at, fn, arg);
}

/* === How many boxes === */

static void add_length(struct lengths *lengths, uint64_t blks)
{
	size_t class = class_of(blks);

	lengths->n[class]++;
	lengths->blks[class] += blks;
}

/* The exact number of boxes takes a walk through all runs; their lengths are counted on the way. */
static void count_runs(const struct layout *l, const struct runs *runs, struct tally *tallies)
{
	struct run run;

	memset(tallies, 0, l->n_grids * sizeof(*tallies));
	for (size_t v = 0; v < l->n_grids; v++) {
		struct run_walk walk = runs_walk(runs, v);
		struct tally *tally = &tallies[v];

		tally->is_exact = true;
		while (runs_next(&walk, &run)) {
			uint64_t drawn = drawn_of(l, &run);

			tally->drawn += drawn;
			if (drawn < run.blks)
				tally->folds[digits_of(run.blks - drawn)]++;
			if (run.first != NO_EXTENT)
				tally->folded_blks += run.blks - drawn;
			add_length(is_background(&run) ? &tally->free : &tally->used, run.blks);
		}
	}
}

/* The number of boxes with marks of one box each. The limits are powers of two then: classes are folded as a whole or not. */
static uint64_t boxes_of(const struct lengths *lengths, uint64_t fold_over, uint64_t drawn)
{
	uint64_t boxes = 0;

	for (size_t i = 0; i < N_CLASSES; i++)
		boxes += class_end(i) <= fold_over ? lengths->blks[i] : lengths->n[i] * (drawn + 1);
	return boxes;
}

static uint64_t count_boxes(const struct layout *l, const struct tally *tally)
{
	uint64_t boxes = tally->drawn;

	if (!tally->is_exact)
		return boxes_of(&tally->used, l->fold_over, l->limit) +
		       boxes_of(&tally->free, l->free_fold_over, l->stub);
	for (size_t digits = 1; digits <= MAX_DIGITS; digits++)
		boxes += tally->folds[digits] * l->mark[digits];
	return boxes;
}

/* The same with the boxes at the ends of rows that have no room for a number; takes a walk through all runs. */
static uint64_t walk_boxes(const struct layout *l, const struct runs *runs, size_t volume)
{
	struct run_walk walk = runs_walk(runs, volume);
	struct run run;
	uint64_t at = 0;

	while (runs_next(&walk, &run)) {
		uint64_t drawn = drawn_of(l, &run);

		at += drawn;
		if (drawn < run.blks)
			at += fold_boxes(l, at, run.blks - drawn);
	}
	return at;
}

/* Blocks of files that are folded. */
static uint64_t count_folded(const struct layout *l, const struct tally *tally)
{
	uint64_t blks = 0;

	if (tally->is_exact)
		return tally->folded_blks;
	for (size_t i = 0; i < N_CLASSES; i++)
		if (class_end(i) > l->fold_over)
			blks += tally->used.blks[i] - tally->used.n[i] * l->limit;
	return blks;
}

/* If nothing is folded, rows of a round number of boxes make addresses easier to read. */
static size_t boxes_in_row(const struct layout *l)
{
	size_t n = (l->width - 2 * l->margin - l->axis - l->axis_end) / l->pitch_x;

	if (n > 32)
		n -= n % 8;
	return n ? n : 1;
}

/* === How big === */

/**
 * struct fitting - the search for a picture that is not too big
 * @l: the layout; its cells and grids are set to what is tried
 * @runs: what is drawn
 * @tallies: by volume
 * @height: of the picture at most, pixels; 0: no limit
 */
struct fitting {
	struct layout *l;
	const struct runs *runs;
	struct tally *tallies;
	size_t height;
};

static bool is_any_folded(const struct fitting *f)
{
	for (size_t v = 0; v < f->l->n_grids; v++) {
		const struct tally *tally = &f->tallies[v];

		for (size_t i = 0; i <= MAX_DIGITS; i++)
			if (tally->is_exact && tally->folds[i])
				return true;
		for (size_t i = 0; i < N_CLASSES; i++)
			if (!tally->is_exact && ((tally->used.n[i] && class_end(i) > f->l->fold_over) ||
						 (tally->free.n[i] && class_end(i) > f->l->free_fold_over)))
				return true;
	}
	return false;
}

static bool fits_with(const struct fitting *f, bool walks)
{
	struct layout *l = f->l;

	for (size_t v = 0; v < l->n_grids; v++) {
		struct grid *grid = &l->grids[v];
		uint64_t boxes;

		grid->columns = boxes_in_row(l);
		boxes = walks ? walk_boxes(l, f->runs, v) : count_boxes(l, &f->tallies[v]);
		grid->n_cells = (boxes + l->units_per_cell - 1) / l->units_per_cell;
		grid->rows = (size_t)((grid->n_cells + grid->columns - 1) / grid->columns);
	}
	return layout_fits(l) && (!f->height || l->height <= f->height);
}

/* Where numbers are, the boxes at the ends of rows are counted for what fits without them. */
static bool fits(const struct fitting *f)
{
	bool has_numbers = f->l->label > 0 && f->l->n_grids && f->tallies[0].is_exact && is_any_folded(f);

	return fits_with(f, false) && (!has_numbers || fits_with(f, true));
}

/* Whether anything is folded is known when all measures are: then the room for the strip is given back. */
static void note_folded(const struct fitting *f)
{
	uint64_t folded = 0, used = f->runs->drawn_total.blks[0] + f->runs->drawn_total.blks[1];
	struct layout *l = f->l;

	for (size_t v = 0; v < l->n_grids; v++)
		folded += count_folded(l, &f->tallies[v]);
	l->folded_share = used ? (double)folded / (double)used : 0;
	if (l->limit && is_any_folded(f))
		return;
	l->heading -= l->strip;
	l->strip = 0;
	fits(f);
}

static void set_box(struct layout *l, size_t box)
{
	bool has_border = box >= layout_px(l->img, LEAST_BORDERED);

	l->cell_w = l->cell_h = box;
	l->pitch_x = l->pitch_y = box + (has_border ? layout_px(l->img, l->img->border) : 0);
	set_label(l, fold_label_scale(l, box));
	/* a number is in one row */
	if (l->mark[MAX_DIGITS] > boxes_in_row(l))
		set_label(l, 0);
}

/* Find the largest box, from one size down to another, that fits. */
static bool fit_box(const struct fitting *f, size_t most, size_t least)
{
	for (size_t box = most; box && box >= least; box--) {
		set_box(f->l, box);
		if (fits(f))
			return true;
	}
	return false;
}

/* The largest power of two below a limit. A run of more than all pixels never fits into the picture. */
static uint64_t lower_limit(const struct layout *l)
{
	uint64_t limit = l->limit, power = LEAST_LIMIT;

	if (!limit || limit > l->max_pixels)
		limit = l->max_pixels;
	while (power * 2 < limit)
		power *= 2;
	return power;
}

static void set_exact(const struct fitting *f, bool is_exact)
{
	for (size_t v = 0; v < f->l->n_grids; v++)
		f->tallies[v].is_exact = is_exact;
}

/* Lower the limit to powers of two. The tallies do not tell the lengths of numbers in marks then. */
static bool fit_limit(const struct fitting *f, uint64_t least_limit, size_t most, size_t least)
{
	set_exact(f, false);
	while (!f->l->limit || f->l->limit > least_limit) {
		set_limit(f->l, lower_limit(f->l));
		if (fit_box(f, most, least))
			return true;
	}
	return false;
}

/* Once the limit is known, marks get numbers if there is room for these. */
static void add_numbers(const struct fitting *f)
{
	if (!f->l->n_grids || f->tallies[0].is_exact || f->l->label <= 0)
		return;
	count_runs(f->l, f->runs, f->tallies);
	if (fits(f))
		return;
	set_label(f->l, 0);
	fits(f);
}

static void share_boxes(struct fitting *f)
{
	struct layout *l = f->l;

	for (; !fits(f); l->units_per_cell *= 2) {
		if (l->units_per_cell <= UINT32_MAX)
			continue;
		if (!f->height)
			die("%zu volumes do not fit into one picture of %ju pixels", l->n_grids,
			    (uintmax_t)l->max_pixels);
		/* headings and legend are higher than that */
		f->height = 0;
		l->units_per_cell = 1;
	}
}

static bool fit(const struct fitting *f, size_t most)
{
	size_t bordered = layout_px(f->l->img, LEAST_BORDERED), small;

	if (bordered > most)
		bordered = most;
	small = bordered > 1 ? bordered - 1 : 1;
	if (fit_box(f, most, bordered))
		return true;
	if (f->l->limit && fit_limit(f, LEAST_BORDERED_LIMIT, most, bordered))
		return true;
	set_limit(f->l, f->l->img->max_length);
	set_exact(f, true);
	return fit_box(f, small, 1) ||
	       fit_limit(f, LEAST_LIMIT, f->l->img->max_length ? small : most, 1);
}

static void plan(struct layout *l, const struct runs *runs)
{
	struct fitting f = { .l = l, .runs = runs, .height = layout_px(l->img, l->img->height) };

	set_limit(l, l->img->max_length);
	l->strip = layout_px(l->img, STRIP);
	l->heading += l->strip;
	l->axis = axis_lba_width(l, runs);
	l->axis_end = 0;
	f.tallies = xcalloc(l->n_grids, sizeof(*f.tallies));
	count_runs(l, runs, f.tallies);
	if (fit(&f, layout_px(l->img, l->img->cell))) {
		add_numbers(&f);
	} else {
		set_box(l, 1);
		share_boxes(&f);
	}
	note_folded(&f);
	free(f.tallies);
}

/* === Labels === */

/* Rows that begin in a piece. A mark stands for many blocks: use the address of its first block. */
static void note(struct rows *rows, const struct piece *piece)
{
	uint64_t at;

	for (; rows->next < rows->n && (at = rows->next * rows->units) < piece->at + piece->len; rows->next++)
		rows->all[rows->next].blk = piece->lba - rows->volume->first_blk + (piece->folded ? 0 : at - piece->at);
}

static void draw_axes(const struct layout *l, struct canvas *canvas, const struct runs *runs,
		      size_t volume, const struct rows *rows)
{
	size_t every = axis_every(l, 0.5), row;
	char text[GROUPED_MAX];

	for (row = 0; row < rows->next; row += every) {
		snprintf(text, sizeof(text), "%ju", (uintmax_t)(rows->volume->first_blk + rows->all[row].blk));
		axis_put(l, canvas, &l->grids[volume], row, text);
	}
}

static char *describe(const struct layout *l, const struct table *table)
{
	uint32_t kib = table_blk_bytes(table) / 1024;

	if (l->units_per_cell == 1)
		return xasprintf("1 box = one %u KiB block; left to right, then down, by block address "
				 "(LBA)", kib);
	return xasprintf("1 box = %s blocks (%s KiB), their colours mixed; left to right, then down, "
			 "by LBA", GROUPED(l->units_per_cell),
			 GROUPED(l->units_per_cell * kib));
}

const struct layout_ops layout_boxes = {
	.name = "boxes",
	.plan = plan,
	.put_run = put_run,
	.note = note,
	.draw_axes = draw_axes,
	.describe = describe,
};
