// SPDX-License-Identifier: GPL-2.0-only
/*
 * The whole volume as one square, along a Hilbert curve. Blocks that are near each other on the volume
 * are near each other in the picture, and keep their relative position in a picture of another size.
 *
 * The volume fills the square whatever its size is: a cell may stand for a fraction of a block. Only
 * if one block per cell fills at least half of the square, the rest stays blank.
 */

#include "picture/layout.h"
#include "picture/legend.h"

/* Cells of less than so many borders have none: it would make their colours paler. */
#define LEAST_BORDERS 6

/* A square that needs less of the width than this makes the picture narrower, percent. */
#define LEAST_USED 80

/* Room for an address and its position in bytes, in letters. */
#define LABEL_COLS 11

/* So many volumes have squares as wide as the picture. */
#define MOST_LARGE 4

/* The small curve of the legend that explains the order: its cells, and pixels between them. */
#define KEY_SIDE 8
#define KEY_PITCH 10

/* === How big === */

static uint64_t part_blks(const struct part *part)
{
	return part->end_blk - part->first_blk;
}

static uint64_t biggest_part(const struct runs *runs)
{
	uint64_t most = 1;

	for (size_t v = 0; v < runs->n_parts; v++)
		if (part_blks(&runs->parts[v]) > most)
			most = part_blks(&runs->parts[v]);
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

/* Return: the number of columns of the largest grid. */
static size_t set_grids(struct layout *l, const struct runs *runs)
{
	size_t most = 1;

	for (size_t v = 0; v < l->n_grids; v++) {
		struct grid *grid = &l->grids[v];
		uint64_t units = part_blks(&runs->parts[v]) * l->units_per_blk;

		grid->n_cells = (units + l->units_per_cell - 1) / l->units_per_cell;
		grid->columns = grid->rows = side_for(grid->n_cells);
		if (grid->columns > most)
			most = grid->columns;
	}
	return most;
}

static void set_pitch(struct layout *l, size_t columns, size_t pitch, size_t width)
{
	size_t border = layout_px(l->img, l->img->border), around = 2 * l->margin + l->axis + l->axis_end;
	size_t legend = 2 * l->margin + (size_t)(LEGEND_COLS * LETTER_W * l->scale);

	l->pitch_x = l->pitch_y = pitch;
	l->cell_w = l->cell_h = pitch >= LEAST_BORDERS * border ? pitch - border : pitch;
	l->width = columns * pitch + around;
	if (l->width * 100 >= width * LEAST_USED)
		l->width = width;
	else if (l->width < legend)
		l->width = legend;
}

static bool fits(struct layout *l, size_t columns, size_t room, size_t width)
{
	for (size_t pitch = room / columns; pitch; pitch--) {
		set_pitch(l, columns, pitch, width);
		if (layout_fits(l))
			return true;
	}
	return false;
}

static void plan(struct layout *l, const struct runs *runs)
{
	uint64_t blks = biggest_part(runs);
	size_t room, side, width = l->width;

	l->order = ORDER_HILBERT;
	l->max_pixels = MOST_PIXELS;
	l->axis = l->axis_end = (size_t)((LABEL_COLS + 1) * LETTER_W * l->axis_scale);
	l->footing = (size_t)(LETTER_H * l->axis_scale);
	room = width - 2 * l->margin - l->axis - l->axis_end;
	/* the squares of more volumes are smaller, so that all of them can be looked at */
	if (l->n_grids > MOST_LARGE)
		room = room * MOST_LARGE / l->n_grids + 1;
	side = 1;
	while (side * 2 <= room)
		side *= 2;
	for (; side; side /= 2) {
		set_scale(l, blks, side);
		if (fits(l, set_grids(l, runs), room, width))
			return;
	}
	die("%zu volumes do not fit into one picture of %d pixels", l->n_grids, MOST_PIXELS);
}

static uint64_t put_run(const struct layout *l, const struct table *table, const struct run *run,
			uint64_t at, piece_fn fn, void *arg)
{
	return layout_put_extents(l, table, run, at, run->blks, fn, arg);
}

/* === Labels === */

/* Draw a label at a corner of each quarter of the curve: down on the left, up on the right. */
static void draw_quarter(const struct layout *l, struct canvas *canvas, const struct grid *grid,
			 const struct volume *v, const struct part *part, int quarter)
{
	double line = LETTER_H * l->axis_scale, letter = LETTER_W * l->axis_scale;
	size_t side = grid->columns * l->pitch_x;
	double y = (double)(grid->y + (quarter == 1 || quarter == 2 ? side / 2 : 0));
	double left = (double)grid->x - letter, right = (double)(grid->x + side) + 2 * letter;
	uint64_t cells = (uint64_t)grid->columns * grid->columns / 4 * (uint64_t)quarter;
	uint64_t at = (cells * l->units_per_cell + l->units_per_blk - 1) / l->units_per_blk;
	char lba[GROUPED_MAX], bytes[BYTES_MAX];

	if (at >= part_blks(part) || grid->columns == 1)
		return;
	snprintf(lba, sizeof(lba), "%ju", (uintmax_t)(part->first_blk + at));
	format_bytes(bytes, (double)(part->first_blk + at) * v->blk_bytes);
	if (quarter < 2) {
		canvas_text_right(canvas, left, y, l->axis_letters, RGB_LABEL, lba);
		canvas_text_right(canvas, left, y + line, l->axis_letters, RGB_LABEL, bytes);
		return;
	}
	canvas_text(canvas, right, y, l->axis_letters, RGB_LABEL, lba);
	canvas_text(canvas, right, y + line, l->axis_letters, RGB_LABEL, bytes);
}

/* Draw the curve, with a dot at its beginning. */
static void draw_key(const struct layout *l, struct canvas *canvas, double left, double top)
{
	struct layout key = { .order = ORDER_HILBERT, .pitch_x = 1, .pitch_y = 1 };
	struct grid grid = { .columns = KEY_SIDE, .rows = KEY_SIDE };
	size_t pitch = layout_px(l->img, KEY_PITCH), i, x, y, last_x = 0, last_y = 0;
	double pen = l->axis_scale;

	/* a line from each cell to the next one */
	for (i = 0; i < (size_t)KEY_SIDE * KEY_SIDE; i++) {
		layout_cell_xy(&key, &grid, i, &x, &y);
		canvas_fill(canvas, left + (double)((x < last_x ? x : last_x) * pitch) - pen / 2,
			    top + (double)((y < last_y ? y : last_y) * pitch) - pen / 2,
			    (x != last_x ? (double)pitch : 0) + pen, (y != last_y ? (double)pitch : 0) + pen, RGB_FAINT);
		last_x = x;
		last_y = y;
	}
	canvas_fill(canvas, left - 2 * pen, top - 2 * pen, 5 * pen, 5 * pen, RGB_INK);
}

static bool is_blank(const struct canvas *canvas, size_t x, size_t y)
{
	uint32_t rgb = canvas_pixel(canvas, x, y);

	return rgb == RGB_FREE || rgb == RGB_PAGE;
}

/* Draw a tick at each row and column that is not all free, to make sparse blocks visible. */
static void draw_ticks(const struct layout *l, struct canvas *canvas, const struct grid *grid)
{
	size_t n = grid->columns, pitch = l->pitch_x;
	double end_x = (double)(grid->x + n * pitch) + 1, end_y = (double)(grid->y + n * pitch) + 1;
	double tick = 4 * l->axis_scale, w = (double)l->cell_w;

	for (size_t i = 0; i < n; i++) {
		bool row = false, column = false;
		size_t x = grid->x + i * pitch, y = grid->y + i * pitch;

		for (size_t j = 0; j < n; j++) {
			row |= !is_blank(canvas, grid->x + j * pitch, y);
			column |= !is_blank(canvas, x, grid->y + j * pitch);
		}
		if (row)
			canvas_fill(canvas, end_x, (double)y, tick, w, RGB_FAINT);
		if (column)
			canvas_fill(canvas, (double)x, end_y, w, tick, RGB_FAINT);
	}
}

static void draw_axes(const struct layout *l, struct canvas *canvas, const struct runs *runs,
		      size_t volume, const struct rows *rows)
{
	const struct grid *grid = &l->grids[volume];
	double side = (double)(grid->columns * l->pitch_x), line = LETTER_H * l->axis_scale;
	double key = (double)((KEY_SIDE - 1) * layout_px(l->img, KEY_PITCH)), x, y;

	for (int quarter = 0; quarter < 4; quarter++)
		draw_quarter(l, canvas, grid, runs_volume(runs, volume), &runs->parts[volume], quarter);
	draw_ticks(l, canvas, grid);
	x = (double)grid->x + side + 2 * LETTER_W * l->axis_scale;
	y = (double)grid->y + 4 * line;
	if (y + key + 3 * line < (double)grid->y + side / 2 && x + key <= (double)canvas->right) {
		canvas_text(canvas, x, y, l->axis_letters, RGB_LABEL, "order");
		draw_key(l, canvas, x + 2 * l->axis_scale, y + line + 4 * l->axis_scale);
	}
}

static char *describe(const struct layout *l, const struct table *table)
{
	char *cell = layout_cell_size(l, table), *text;

	text = xasprintf("%s; the volume along a Hilbert curve; ticks: rows and columns with something drawn", cell);
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
