// SPDX-License-Identifier: GPL-2.0-only
/*
 * A row for each segment of F2FS, or for each zone of a zoned device, or for several of them if the volume is large; all to
 * scale. Labels of each row: the number of its first segment or zone, its blocks of watched files, also as a
 * bar, and its first address. A line separates sections. Empty rows that follow each other are folded.
 * Of a zone, its condition is beside the row; the write pointer, and what is beyond its capacity, are in it.
 */

#include "picture/axis.h"
#include "picture/layout.h"
#include "picture/layout_zones.h"
#include "picture/legend.h"

/* The least height of a row, pixels of a screen. */
#define LEAST_PITCH 3

/* Cells of less than so many borders have none: it would make their colours paler. */
#define LEAST_BORDERS 6

/* Gaps of so many empty rows are counted together. */
#define MAX_GAP 64

/* Columns beside the grid, in letters: segment or zone, condition of a zone, valid blocks, bar. */
#define SEGMENT_COLS 8
#define CONDITION_COLS 15
#define VALID_COLS 9
/* Valid blocks of a row of many zones have more digits. */
#define ZONED_VALID_COLS 11
#define BAR_COLS 7

/* === How big === */

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Use as many cells in a row as there is room for. Each has a whole number of blocks if possible. */
static size_t cells_in_row(const struct layout *l, size_t room)
{
	uint64_t blks = l->row_blks, n = blks;

	while (n > room && n % 2 == 0)
		n /= 2;
	return (size_t)(n > room || n < room / 2 ? (blks < room ? blks : room) : n);
}

static size_t without_border(const struct layout *l, size_t pitch)
{
	size_t border = layout_px(l->img, l->img->border);

	return pitch >= LEAST_BORDERS * border ? pitch - border : pitch;
}

static void set_columns(struct layout *l)
{
	size_t room = l->width - 2 * l->margin - l->axis - l->axis_end, columns, most;
	size_t border = layout_px(l->img, l->img->border);
	uint64_t common;

	columns = cells_in_row(l, room);
	common = gcd(columns, l->row_blks);
	l->units_per_blk = columns / common;
	l->units_per_cell = l->row_blks / common;
	most = layout_px(l->img, l->img->cell) + border;
	l->pitch_x = room / columns < most ? room / columns : most;
	l->cell_w = without_border(l, l->pitch_x);
}

/* === Empty rows === */

/**
 * struct gaps - the empty rows of a volume
 * @rows: number of all rows
 * @n: by number of empty rows that follow each other, how often; the last one is for longer gaps
 * @long_rows: empty rows of the latter
 */
struct gaps {
	uint64_t rows;
	uint64_t n[MAX_GAP];
	uint64_t long_rows;
};

/* Add the whole rows between two blocks, counted from the beginning of the volume. */
static void add_gap(struct gaps *gaps, uint64_t from, uint64_t to, uint64_t row_blks)
{
	uint64_t first = (from + row_blks - 1) / row_blks, end = to / row_blks;

	if (end <= first)
		return;
	if (end - first < MAX_GAP) {
		gaps->n[end - first]++;
	} else {
		gaps->n[0]++;
		gaps->long_rows += end - first;
	}
}

static void find_gaps(struct gaps *gaps, const struct layout *l, const struct runs *runs, size_t volume)
{
	const struct volume *v = runs_volume(runs, volume);
	const struct part *part = &runs->parts[volume];
	uint64_t end = part->end_blk - v->first_blk, at;

	*gaps = (struct gaps){
		.rows = (end + l->row_blks - 1) / l->row_blks - (part->first_blk - v->first_blk) / l->row_blks,
	};
	for (size_t i = 0; i < runs->n_gaps; i++) {
		at = runs->gaps[i].lba - v->first_blk;
		if (runs->gaps[i].part == volume)
			add_gap(gaps, at, at + runs->gaps[i].blks, l->row_blks);
	}
}

/* Gaps are folded if they have more rows than what is drawn instead of them. */
static bool is_folded(const struct layout *l, uint64_t rows)
{
	return l->fold_rows && rows > l->fold_rows;
}

static uint64_t drawn_rows(const struct layout *l, const struct gaps *gaps)
{
	uint64_t rows = gaps->rows;

	if (!l->fold_rows)
		return rows;
	for (uint64_t i = l->fold_rows + 1; i < MAX_GAP; i++)
		rows -= gaps->n[i] * (i - l->fold_rows);
	return rows - (gaps->long_rows - gaps->n[0] * l->fold_rows);
}

static uint64_t put_run(const struct layout *l, const struct table *table, const struct run *run,
			uint64_t at, piece_fn fn, void *arg)
{
	struct piece fold = { .extent = NO_EXTENT, .shade = SHADE_FREE, .folded = true };
	uint64_t row_units = l->row_blks * l->units_per_blk, before;
	struct run part = *run;

	if (run->shade != SHADE_FREE || run->blks <= l->fold_rows * l->row_blks)
		return layout_put_extents(l, table, run, at, run->blks, fn, arg);
	before = (row_units - at % row_units) / l->units_per_blk % l->row_blks;
	if (run->blks < before || !is_folded(l, (run->blks - before) / l->row_blks))
		return layout_put_extents(l, table, run, at, run->blks, fn, arg);
	at = layout_put_extents(l, table, run, at, before, fn, arg);
	fold.at = at;
	fold.lba = run->lba + before;
	fold.blks = (run->blks - before) / l->row_blks * l->row_blks;
	fold.len = l->fold_rows * row_units;
	fn(arg, &fold);
	part.lba = fold.lba + fold.blks;
	part.blks = run->blks - before - fold.blks;
	return layout_put_extents(l, table, &part, at + fold.len, part.blks, fn, arg);
}

/* === How many rows === */

static void set_rows(struct layout *l, const struct runs *runs, const struct gaps *gaps, size_t pitch)
{
	double label = (LETTER_H - 1) * l->axis_scale;

	l->pitch_y = pitch;
	l->cell_h = without_border(l, pitch);
	l->fold_rows = l->img->max_length ? ((uint64_t)label + pitch - 1) / pitch : 0;
	for (size_t v = 0; v < l->n_grids; v++) {
		struct grid *grid = &l->grids[v];
		const struct part *part = &runs->parts[v];
		uint64_t lead = (part->first_blk - runs_volume(runs, v)->first_blk) % l->row_blks;
		uint64_t missing = gaps[v].rows * l->row_blks - lead - (part->end_blk - part->first_blk);

		grid->columns = (size_t)(l->row_blks * l->units_per_blk / l->units_per_cell);
		grid->rows = (size_t)drawn_rows(l, &gaps[v]);
		/* rows begin where those of the whole volume do */
		grid->lead = lead * l->units_per_blk;
		/* the last row may be incomplete */
		grid->n_cells = (uint64_t)grid->rows * grid->columns -
				missing * l->units_per_blk / l->units_per_cell;
	}
}

/* Rows that hold blocks are never folded: there are at least so many. */
static bool is_too_high(const struct layout *l, const struct runs *runs, size_t least, size_t most)
{
	uint64_t room = l->max_pixels / l->width, blks = runs->drawn_total.blks[0] + runs->drawn_total.blks[1];

	if (most && most < room)
		room = most;
	return blks / l->row_blks * least > room;
}

/* Choose the largest row height for which the picture is not higher than requested. */
static bool fit_rows(struct layout *l, const struct runs *runs, struct gaps *gaps, size_t most)
{
	size_t pitch = layout_px(l->img, l->img->cell) + layout_px(l->img, l->img->border), v;
	size_t least = layout_px(l->img, LEAST_PITCH);

	if (pitch < least)
		pitch = least;
	set_columns(l);
	if (is_too_high(l, runs, least, most))
		return false;
	for (v = 0; v < l->n_grids; v++)
		find_gaps(&gaps[v], l, runs, v);
	for (; pitch >= least; pitch--) {
		set_rows(l, runs, gaps, pitch);
		if (layout_fits(l) && (!most || l->height <= most))
			return true;
	}
	return false;
}

static void plan(struct layout *l, const struct runs *runs)
{
	const struct table *table = runs->table;
	size_t most = layout_px(l->img, l->img->height), columns = SEGMENT_COLS + VALID_COLS + BAR_COLS + 1;
	uint64_t least = l->zone_blks ? l->zone_blks : table->n_volumes ? table->volumes[0].segment_blks : 1;
	AUTO_FREE struct gaps *gaps = xcalloc(l->n_grids, sizeof(*gaps));

	if (l->zone_blks)
		columns += CONDITION_COLS;
	l->axis = (size_t)((double)(columns * LETTER_W) * l->axis_scale);
	/* digits are a little wider than most letters, and rows are not to hide them */
	l->axis_end = axis_lba_width(l, runs) * 9 / 8;
	l->heading += (size_t)(LETTER_H * l->axis_scale);
	l->row_blks = least;
	while (!fit_rows(l, runs, gaps, most)) {
		l->row_blks *= 2;
		if (l->row_blks <= 2 * (uint64_t)BLK_MAX)
			continue;
		/* each volume takes at least one row: if that is too high, ignore the requested height */
		if (!most)
			die("%zu volumes do not fit into one picture of %ju pixels", l->n_grids, (uintmax_t)l->max_pixels);
		most = 0;
		l->row_blks = least;
	}
}

/* === Labels === */

static void note(struct rows *rows, const struct piece *piece)
{
	const struct layout *l = rows->layout;
	uint64_t at = piece->at / l->units_per_blk, left = piece->blks;
	uint64_t blk = piece->lba - rows->volume->first_blk;

	if (piece->folded) {
		rows->all[at / l->row_blks] = (struct row){ .blk = blk, .folded = left };
		return;
	}
	while (left) {
		struct row *row = &rows->all[at / l->row_blks];
		uint64_t into = at % l->row_blks, room = l->row_blks - into;
		uint64_t take = left < room ? left : room;

		/* the first row of a part may begin before it */
		row->blk = blk - into;
		if (piece->shade != SHADE_FREE)
			row->valid += take;
		at += take;
		blk += take;
		left -= take;
	}
}

static double letters(const struct layout *l, size_t n)
{
	return (double)(n * LETTER_W) * l->axis_scale;
}

static double grid_end(const struct layout *l, const struct grid *grid)
{
	return (double)(grid->x + grid->columns * l->pitch_x);
}

/* The right end of the addresses on the right of the rows. */
static double lba_end(const struct layout *l, const struct grid *grid)
{
	return grid_end(l, grid) + (double)l->axis_end;
}

static void draw_bar(const struct layout *l, struct canvas *canvas, const struct grid *grid,
		     size_t row, uint64_t valid)
{
	double most = letters(l, BAR_COLS - 1), x = (double)grid->x - letters(l, 1) - most;
	double y = (double)(grid->y + row * l->pitch_y), h = (double)l->cell_h;
	double w = (double)(uint64_t)((double)valid / (double)l->row_blks * most + 0.5);

	canvas_fill(canvas, x, y, most, h, RGB_RULE);
	/* a row with valid blocks has a visible bar */
	canvas_fill(canvas, x, y, valid && w < 1 ? 1 : w, h, RGB_FAINT);
}

/* The right end of the numbers of segments or zones. */
static double numbers_end(const struct layout *l, const struct grid *grid)
{
	return (double)grid->x - (double)l->axis + letters(l, SEGMENT_COLS);
}

static void draw_row(const struct layout *l, struct canvas *canvas, const struct volume *v, const struct zones *zones,
		     const struct grid *grid, size_t row, const struct row *content)
{
	double x = (double)grid->x - letters(l, BAR_COLS + 1);
	uint64_t lba = v->first_blk + content->blk;
	char text[ZONE_NAME_MAX];

	if (zones) {
		layout_zone_condition(text, l, zones, lba);
		axis_put_at(l, canvas, grid, row, x - letters(l, ZONED_VALID_COLS), RGB_LABEL, text);
		layout_zone_number(text, zones, lba);
	} else {
		snprintf(text, sizeof(text), "%ju", (uintmax_t)(content->blk / v->segment_blks));
	}
	axis_put_at(l, canvas, grid, row, numbers_end(l, grid), RGB_LABEL, text);
	snprintf(text, sizeof(text), content->valid ? "%ju" : "-", (uintmax_t)content->valid);
	axis_put_at(l, canvas, grid, row, x, content->valid ? RGB_INK : RGB_LABEL, text);
	snprintf(text, sizeof(text), "%ju", (uintmax_t)lba);
	axis_put_at(l, canvas, grid, row, lba_end(l, grid), RGB_LABEL, text);
}

/* Without F2FS's state and its bits, only watched blocks are known. */
static bool knows_valid(const struct runs *runs, size_t volume)
{
	return runs->states && runs->states[runs->parts[volume].volume].segments.map;
}

/* Draw a line, and the number of segments or zones in it. A zone without a valid block may have been written: it is not called empty. */
static void draw_folded(const struct layout *l, struct canvas *canvas, const struct runs *runs, size_t volume,
			const struct grid *grid, size_t row, const struct row *content)
{
	uint64_t unit = l->zone_blks ? l->zone_blks : runs_volume(runs, volume)->segment_blks, n = (content->folded + unit - 1) / unit;
	double x = (double)grid->x + letters(l, 3), end = grid_end(l, grid), pen = l->axis_scale, w;
	double top = (double)(grid->y + row * l->pitch_y), h = (double)(l->fold_rows * l->pitch_y);
	double line = (double)(uint64_t)(top + h / 2 - pen / 2);
	char text[GROUPED_MAX + 64];

	if (knows_valid(runs, volume) && !l->zone_blks)
		snprintf(text, sizeof(text), "%s empty segment%s", GROUPED(n), plural(n));
	else
		snprintf(text, sizeof(text), "%s %s%s without a %s block", GROUPED(n), l->zone_blks ? "zone" : "segment", plural(n),
			 knows_valid(runs, volume) ? "valid" : "watched");
	/* letters that go below the line stay inside, too */
	w = canvas_text_fit(canvas, x, top + (h - (LETTER_H - 0.4) * l->axis_scale) / 2, end - x,
			    l->axis_scale, RGB_LABEL, text);
	canvas_fill(canvas, (double)grid->x, line, letters(l, 2), pen, RGB_FAINT);
	if (x + w + letters(l, 1) < end)
		canvas_fill(canvas, x + w + letters(l, 1), line, end - x - w - letters(l, 1), pen, RGB_FAINT);
}

/* Draw a line above a row that begins a section, unless each row is a section. */
static void rule_off(const struct layout *l, struct canvas *canvas, const struct volume *v,
		     const struct grid *grid, size_t row, uint64_t at)
{
	uint64_t section = l->img->section * v->segment_blks;
	double gap = (double)(l->pitch_y - l->cell_h), x = (double)grid->x - letters(l, BAR_COLS);

	if (section > l->row_blks && at % section < l->row_blks)
		canvas_fill(canvas, x, (double)(grid->y + row * l->pitch_y) - gap, grid_end(l, grid) - x,
			    gap > 0 ? gap : l->axis_scale, RGB_INK);
}

static void draw_rows(const struct layout *l, struct canvas *canvas, const struct runs *runs, size_t volume,
		      const struct grid *grid, const struct row *rows)
{
	const struct zones *zones = l->zone_blks ? &runs->zones[runs->parts[volume].volume] : NULL;
	const struct volume *v = runs_volume(runs, volume);
	/* each zone has a condition of its own */
	size_t every = axis_every(l, zones ? 0.14 : 0.5), next = 0, row;

	for (row = 0; row < grid->rows; row++) {
		if (rows[row].folded) {
			draw_folded(l, canvas, runs, volume, grid, row, &rows[row]);
			row += (size_t)l->fold_rows - 1;
			continue;
		}
		draw_bar(l, canvas, grid, row, rows[row].valid);
		rule_off(l, canvas, v, grid, row, rows[row].blk);
		if (zones)
			layout_zones_draw(l, canvas, zones, grid, row, v->first_blk + rows[row].blk);
		if (row < next)
			continue;
		draw_row(l, canvas, v, zones, grid, row, &rows[row]);
		next = row + every;
	}
}

static void draw_axes(const struct layout *l, struct canvas *canvas, const struct runs *runs,
		      size_t volume, const struct rows *rows)
{
	const struct grid *grid = &l->grids[volume];
	double y = (double)grid->y - LETTER_H * l->axis_scale, x = (double)grid->x - letters(l, BAR_COLS + 1);

	canvas_text_right(canvas, numbers_end(l, grid), y, l->axis_letters, RGB_LABEL, l->zone_blks ? "zone" : "segment");
	if (l->zone_blks)
		canvas_text_right(canvas, x - letters(l, ZONED_VALID_COLS), y, l->axis_letters, RGB_LABEL,
				  l->row_blks > l->zone_blks ? "written" : "condition");
	canvas_text_right(canvas, (double)grid->x - letters(l, 1), y, l->axis_letters, RGB_LABEL,
			  knows_valid(runs, volume) ? "valid blocks" : "watched blocks");
	canvas_text_right(canvas, lba_end(l, grid), y, l->axis_letters, RGB_LABEL, "LBA");
	draw_rows(l, canvas, runs, volume, grid, rows->all);
}

static void plan_zones(struct layout *l, const struct runs *runs)
{
	l->zone_blks = layout_zone_size(runs);
	plan(l, runs);
}

static char *describe(const struct layout *l, const struct table *table)
{
	uint64_t segment = table->n_volumes ? table->volumes[0].segment_blks : 1;
	uint64_t n = l->row_blks / (l->zone_blks ? l->zone_blks : segment);
	char *cell = layout_cell_size(l, table), *text;
	const char *zones = "";

	if (l->zone_blks && n == 1)
		zones = "; it ends at the capacity; thin line: write pointer";
	else if (l->zone_blks && layout_zones_are_wide(l))
		zones = "; zones end at the capacity; thin lines: write pointers";
	else if (l->zone_blks)
		zones = "; too narrow for capacities and write pointers: see written";
	text = xasprintf("1 row = %s %s%s (%s), %s%s", GROUPED(n), l->zone_blks ? "zone" : "segment", plural(n), BYTES(l->row_blks * table_blk_bytes(table)),
			 cell, zones);
	free(cell);
	return text;
}

const struct layout_ops layout_segments = {
	.name = "segments",
	.plan = plan,
	.put_run = put_run,
	.note = note,
	.draw_axes = draw_axes,
	.describe = describe,
};

const struct layout_ops layout_zones = {
	.name = "zones",
	.plan = plan_zones,
	.put_run = put_run,
	.note = note,
	.draw_axes = draw_axes,
	.describe = describe,
};
