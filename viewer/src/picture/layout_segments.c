// SPDX-License-Identifier: GPL-2.0-only
/*
 * A row for each segment of F2FS, or for several segments if the volume is large; all to scale.
 * Labels of each row: the number of its first segment, its valid blocks of watched files, also as a
 * bar, and its first address. A line separates sections.
 */
#include <stdio.h>
#include <stdlib.h>

#include "picture/axis.h"
#include "picture/font.h"
#include "picture/layout.h"
#include "picture/legend.h"
#include "util.h"

/* Rows below this height have no border between them. */
#define LEAST_PITCH 3

/* Columns beside the grid, in letters: segment, valid blocks, bar. */
#define SEGMENT_COLS 8
#define VALID_COLS 9
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
	l->cell_w = l->pitch_x > LEAST_PITCH && l->pitch_x > border ? l->pitch_x - border : l->pitch_x;
}

static void set_rows(struct layout *l, const struct table *table, size_t pitch)
{
	size_t border = layout_px(l->img, l->img->border), v;

	l->pitch_y = pitch;
	l->cell_h = pitch >= LEAST_PITCH && pitch > border ? pitch - border : pitch;
	for (v = 0; v < l->n_grids; v++) {
		struct grid *grid = &l->grids[v];
		uint64_t blks = table->volumes[v].end_blk - table->volumes[v].first_blk;
		uint64_t units = blks * l->units_per_blk;

		grid->columns = (size_t)(l->row_blks * l->units_per_blk / l->units_per_cell);
		grid->n_cells = (units + l->units_per_cell - 1) / l->units_per_cell;
		grid->rows = (size_t)((grid->n_cells + grid->columns - 1) / grid->columns);
	}
}

/* Choose the largest row height for which the picture is not higher than requested. */
static bool fit_rows(struct layout *l, const struct table *table, size_t most)
{
	size_t pitch = layout_px(l->img, l->img->cell) + layout_px(l->img, l->img->border);

	set_columns(l);
	for (; pitch >= LEAST_PITCH; pitch--) {
		set_rows(l, table, pitch);
		if (layout_fits(l) && (!most || l->height <= most))
			return true;
	}
	return false;
}

static void plan(struct layout *l, const struct runs *runs)
{
	const struct table *table = runs->table;
	size_t most = layout_px(l->img, l->img->height);

	l->axis = (SEGMENT_COLS + VALID_COLS + BAR_COLS + 1) * FONT_CELL_W * l->axis_scale;
	l->axis_end = axis_lba_width(l, table);
	l->heading += FONT_CELL_H * l->axis_scale;
	l->row_blks = table->n_volumes ? table->volumes[0].segment_blks : 1;
	while (!fit_rows(l, table, most)) {
		/* each volume takes at least one row: if that is too high, ignore the requested height */
		if (l->row_blks > BLK_MAX && !most)
			die("%zu volumes do not fit into one picture of %d pixels", l->n_grids,
			    MAX_PIXELS);
		if (l->row_blks > BLK_MAX)
			most = 0;
		else
			l->row_blks *= 2;
	}
}

static uint64_t put_run(const struct layout *l, const struct table *table, const struct run *run,
			uint64_t at, piece_fn fn, void *arg)
{
	return layout_put_extents(l, table, run, at, run->blks, fn, arg);
}

/* === Labels === */

/* Blocks of watched files, by row. To be freed. */
static uint64_t *valid_blks(const struct layout *l, const struct table *table, size_t volume)
{
	const struct volume *v = &table->volumes[volume];
	uint64_t *valid = xcalloc(l->grids[volume].rows, sizeof(*valid));
	size_t i;

	for (i = v->first; i < v->end; i++) {
		uint64_t at = table->extents[i].lba - v->first_blk, left = table->extents[i].blks;

		while (left) {
			uint64_t room = l->row_blks - at % l->row_blks;
			uint64_t take = left < room ? left : room;

			valid[at / l->row_blks] += take;
			at += take;
			left -= take;
		}
	}
	return valid;
}

static size_t letters(const struct layout *l, size_t n)
{
	return n * FONT_CELL_W * l->axis_scale;
}

/* The right end of the addresses on the right of the rows. */
static size_t lba_end(const struct layout *l, const struct grid *grid)
{
	return grid->x + grid->columns * l->pitch_x + l->axis_end;
}

static void draw_bar(const struct layout *l, struct canvas *canvas, const struct grid *grid,
		     size_t row, uint64_t valid)
{
	size_t most = letters(l, BAR_COLS - 1), x = grid->x - letters(l, 1) - most;
	size_t y = grid->y + row * l->pitch_y;
	size_t w = (size_t)((double)valid / (double)l->row_blks * (double)most + 0.5);

	canvas_fill(canvas, x, y, most, l->cell_h, RGB_RULE);
	/* a row with valid blocks has a visible bar */
	canvas_fill(canvas, x, y, valid && !w ? 1 : w, l->cell_h, RGB_FAINT);
}

static void draw_row(const struct layout *l, struct canvas *canvas, const struct volume *v,
		     const struct grid *grid, size_t row, uint64_t valid)
{
	size_t x = grid->x - letters(l, BAR_COLS + 1);
	uint64_t at = row * l->row_blks;
	char text[GROUPED_MAX];

	draw_bar(l, canvas, grid, row, valid);
	if (row % axis_every(l))
		return;
	snprintf(text, sizeof(text), "%ju", (uintmax_t)(at / v->segment_blks));
	axis_put_at(l, canvas, grid, row, x - letters(l, VALID_COLS), RGB_FAINT, text);
	snprintf(text, sizeof(text), valid ? "%ju" : "-", (uintmax_t)valid);
	axis_put_at(l, canvas, grid, row, x, valid ? RGB_INK : RGB_FAINT, text);
	snprintf(text, sizeof(text), "%ju", (uintmax_t)(v->first_blk + at));
	axis_put_at(l, canvas, grid, row, lba_end(l, grid), RGB_FAINT, text);
}

/* Draw a line above each row that begins a section, unless each row is a section. */
static void rule_off(const struct layout *l, struct canvas *canvas, const struct volume *v,
		     const struct grid *grid)
{
	uint64_t section = l->img->section * v->segment_blks;
	size_t gap = l->pitch_y - l->cell_h, row;

	if (section <= l->row_blks)
		return;
	for (row = 0; row < grid->rows; row++) {
		uint64_t into = row * l->row_blks % section;
		size_t y = grid->y + row * l->pitch_y - gap;

		if (into < l->row_blks)
			canvas_fill(canvas, l->margin, y, grid->x + grid->columns * l->pitch_x - l->margin,
				    gap ? gap : 1, RGB_INK);
	}
}

static void draw_axes(const struct layout *l, struct canvas *canvas, const struct runs *runs,
		      size_t volume)
{
	const struct volume *v = &runs->table->volumes[volume];
	const struct grid *grid = &l->grids[volume];
	uint64_t *valid = valid_blks(l, runs->table, volume);
	size_t y = grid->y - FONT_CELL_H * l->axis_scale, x = grid->x - letters(l, BAR_COLS + 1), row;

	canvas_text_right(canvas, x - letters(l, VALID_COLS), y, l->axis_scale, RGB_FAINT, "segment");
	canvas_text_right(canvas, grid->x - letters(l, 1), y, l->axis_scale, RGB_FAINT, "valid blocks");
	canvas_text_right(canvas, lba_end(l, grid), y, l->axis_scale, RGB_FAINT, "LBA");
	for (row = 0; row < grid->rows; row++)
		draw_row(l, canvas, v, grid, row, valid[row]);
	rule_off(l, canvas, v, grid);
	free(valid);
}

static char *describe(const struct layout *l, const struct table *table)
{
	uint64_t segment = table->n_volumes ? table->volumes[0].segment_blks : 1;
	char n[GROUPED_MAX], *cell = layout_cell_size(l), *text, size[BYTES_MAX];
	uint64_t segments = l->row_blks / segment;

	format_bytes(size, (double)l->row_blks);
	text = xasprintf("1 row = %s segment%s (%s), %s; valid = in watched files", grouped(n, segments),
			 segments == 1 ? "" : "s", size, cell);
	free(cell);
	return text;
}

const struct layout_ops layout_segments = {
	.name = "segments",
	.plan = plan,
	.put_run = put_run,
	.draw_axes = draw_axes,
	.describe = describe,
};
