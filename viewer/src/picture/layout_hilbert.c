// SPDX-License-Identifier: GPL-2.0-only
/*
 * The whole volume as one square, along a Hilbert curve. Blocks that are near each other on the volume
 * are near each other in the picture, and keep their relative place in a picture of another size.
 *
 * The volume fills the square whatever its size is: a cell may stand for a fraction of a block. Only
 * if one block per cell fills at least half of the square, the rest stays blank.
 */
#include <stdio.h>
#include <stdlib.h>

#include "picture/axis.h"
#include "picture/font.h"
#include "picture/layout.h"
#include "picture/legend.h"
#include "util.h"

/* Smaller cells have no room for a border. */
#define LEAST_BORDERED 3

/* Room for an address and its place in bytes, in letters. */
#define LABEL_COLS 11

/* The small curve of the legend that explains the order: its cells, and pixels between them. */
#define KEY_SIDE 8
#define KEY_PITCH 10

/* === How big === */

static uint64_t volume_blks(const struct table *table, size_t volume)
{
	return table->volumes[volume].end_blk - table->volumes[volume].first_blk;
}

static uint64_t biggest_volume(const struct table *table)
{
	uint64_t most = 1;
	size_t v;

	for (v = 0; v < table->n_volumes; v++)
		if (volume_blks(table, v) > most)
			most = volume_blks(table, v);
	return most;
}

/* The side of the smallest square that has room for so many cells. It is a power of two. */
static size_t side_for(uint64_t cells)
{
	uint64_t side = 1;

	while (side * side < cells)
		side *= 2;
	return (size_t)side;
}

/* All volumes have one scale. The largest one gets a square of at most this side. */
static void set_scale(struct layout *l, uint64_t blks, size_t side)
{
	size_t exact = side_for(blks);

	l->units_per_blk = l->units_per_cell = 1;
	if (exact <= side && blks * 2 >= (uint64_t)exact * exact)
		return;
	if (exact <= side)
		side = exact / 2;
	l->units_per_blk = (uint64_t)side * side;
	l->units_per_cell = blks;
}

static void set_grids(struct layout *l, const struct table *table, size_t room)
{
	size_t border = layout_px(l->img, l->img->border), most = 1, v;
	size_t cell = layout_px(l->img, l->img->cell) + border;

	for (v = 0; v < l->n_grids; v++) {
		struct grid *grid = &l->grids[v];
		uint64_t units = volume_blks(table, v) * l->units_per_blk;

		grid->n_cells = (units + l->units_per_cell - 1) / l->units_per_cell;
		grid->columns = grid->rows = side_for(grid->n_cells);
		if (grid->columns > most)
			most = grid->columns;
	}
	l->pitch_x = room / most < cell ? room / most : cell;
	if (!l->pitch_x)
		l->pitch_x = 1;
	l->cell_w = l->pitch_x > LEAST_BORDERED && l->pitch_x > border ? l->pitch_x - border : l->pitch_x;
	l->pitch_y = l->pitch_x;
	l->cell_h = l->cell_w;
}

static void plan(struct layout *l, const struct runs *runs)
{
	uint64_t blks = biggest_volume(runs->table);
	size_t room, side;

	l->order = ORDER_HILBERT;
	l->axis = l->axis_end = (LABEL_COLS + 1) * FONT_CELL_W * l->axis_scale;
	l->footing = FONT_CELL_H * l->axis_scale;
	room = l->width - 2 * l->margin - l->axis - l->axis_end;
	for (side = 1; side * 2 <= room; )
		side *= 2;
	for (; side; side /= 2) {
		set_scale(l, blks, side);
		set_grids(l, runs->table, room);
		if (layout_fits(l))
			return;
	}
	die("%zu volumes do not fit into one picture of %d pixels", l->n_grids, MAX_PIXELS);
}

static uint64_t put_run(const struct layout *l, const struct table *table, const struct run *run,
			uint64_t at, piece_fn fn, void *arg)
{
	return layout_put_extents(l, table, run, at, run->blks, fn, arg);
}

/* === Labels === */

/* Draw a label at a corner of each quarter of the curve: down on the left, up on the right. */
static void draw_quarter(const struct layout *l, struct canvas *canvas, const struct grid *grid,
			 const struct volume *v, int quarter)
{
	size_t line = FONT_CELL_H * l->axis_scale, side = grid->columns * l->pitch_x;
	size_t x = quarter < 2 ? grid->x - FONT_CELL_W * l->axis_scale : l->width;
	size_t y = grid->y + (quarter == 1 || quarter == 2 ? side / 2 : 0);
	uint64_t cells = (uint64_t)grid->columns * grid->columns / 4 * (uint64_t)quarter;
	uint64_t at = (cells * l->units_per_cell + l->units_per_blk - 1) / l->units_per_blk;
	char lba[GROUPED_MAX], bytes[BYTES_MAX];

	if (at >= v->end_blk - v->first_blk || grid->columns == 1)
		return;
	snprintf(lba, sizeof(lba), "%ju", (uintmax_t)(v->first_blk + at));
	format_bytes(bytes, (double)(v->first_blk + at));
	if (quarter < 2) {
		canvas_text_right(canvas, x, y, l->axis_scale, RGB_FAINT, lba);
		canvas_text_right(canvas, x, y + line, l->axis_scale, RGB_FAINT, bytes);
		return;
	}
	x = grid->x + side + 2 * FONT_CELL_W * l->axis_scale;
	canvas_text(canvas, x, y, l->axis_scale, RGB_FAINT, lba);
	canvas_text(canvas, x, y + line, l->axis_scale, RGB_FAINT, bytes);
}

/* Draw the curve, with a dot at its beginning. */
static void draw_key(const struct layout *l, struct canvas *canvas, size_t left, size_t top)
{
	size_t pitch = layout_px(l->img, KEY_PITCH), pen = l->axis_scale, x, y, px = 0, py = 0, i;
	struct layout key = { .order = ORDER_HILBERT, .pitch_x = pitch, .pitch_y = pitch };
	struct grid grid = { .x = left, .y = top, .columns = KEY_SIDE, .rows = KEY_SIDE };

	for (i = 0; i < (size_t)KEY_SIDE * KEY_SIDE; i++) {
		layout_cell_xy(&key, &grid, i, &x, &y);
		if (i)
			canvas_fill(canvas, x < px ? x : px, y < py ? y : py,
				    (x < px ? px - x : x - px) + pen, (y < py ? py - y : y - py) + pen,
				    RGB_FAINT);
		px = x;
		py = y;
	}
	canvas_fill(canvas, left - 2 * pen, top - 2 * pen, 5 * pen, 5 * pen, RGB_INK);
}

/* Draw a tick at each row and column of pixels that is not all free, to make sparse blocks visible. */
static void draw_ticks(const struct layout *l, struct canvas *canvas, const struct grid *grid)
{
	size_t side = grid->columns * l->pitch_x, tick = 4 * l->axis_scale, i, j;

	for (i = 0; i < side; i++) {
		bool row = false, column = false;

		for (j = 0; j < side; j++) {
			uint32_t a = canvas->px[(grid->y + i) * canvas->width + grid->x + j];
			uint32_t b = canvas->px[(grid->y + j) * canvas->width + grid->x + i];

			row |= a != RGB_FREE && a != RGB_PAGE;
			column |= b != RGB_FREE && b != RGB_PAGE;
		}
		if (row)
			canvas_fill(canvas, grid->x + side + 1, grid->y + i, tick, 1, RGB_FAINT);
		if (column)
			canvas_fill(canvas, grid->x + i, grid->y + side + 1, 1, tick, RGB_FAINT);
	}
}

static void draw_axes(const struct layout *l, struct canvas *canvas, const struct runs *runs,
		      size_t volume)
{
	const struct volume *v = &runs->table->volumes[volume];
	const struct grid *grid = &l->grids[volume];
	size_t side = grid->columns * l->pitch_x, line = FONT_CELL_H * l->axis_scale;
	size_t key = (KEY_SIDE - 1) * layout_px(l->img, KEY_PITCH), x, y;
	int quarter;

	for (quarter = 0; quarter < 4; quarter++)
		draw_quarter(l, canvas, grid, v, quarter);
	draw_ticks(l, canvas, grid);
	x = grid->x + side + 2 * FONT_CELL_W * l->axis_scale;
	y = grid->y + 4 * line;
	if (y + key + 3 * line < grid->y + side / 2 && x + key + l->margin <= l->width) {
		canvas_text(canvas, x, y, l->axis_scale, RGB_FAINT, "order");
		draw_key(l, canvas, x + 2 * l->axis_scale, y + line + 4 * l->axis_scale);
	}
}

static char *describe(const struct layout *l, const struct table *table)
{
	char *cell = layout_cell_size(l), *text;

	(void)table;
	text = xasprintf("%s; the volume along a Hilbert curve; ticks: not all free there", cell);
	free(cell);
	return text;
}

const struct layout_ops layout_hilbert = {
	.name = "hilbert",
	.plan = plan,
	.put_run = put_run,
	.draw_axes = draw_axes,
	.describe = describe,
};
