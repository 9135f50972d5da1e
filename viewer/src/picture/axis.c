// SPDX-License-Identifier: GPL-2.0-only
/* Part of the layouts: numbers beside a grid and in it. */
#include "picture/axis.h"
#include "picture/legend.h"

/* The number in a mark is at least so big, compared with the numbers beside the grid. */
#define LEAST_LABEL 0.9

/**
 * axis_lba_width() - room for block addresses left of the grids
 * @l: the layout
 * @runs: what is drawn
 *
 * Return: pixels.
 */
size_t axis_lba_width(const struct layout *l, const struct runs *runs)
{
	uint64_t last = 9999;
	size_t digits = 0;

	for (size_t v = 0; v < runs->n_parts; v++)
		if (runs->parts[v].end_blk - 1 > last)
			last = runs->parts[v].end_blk - 1;
	for (; last; last /= 10)
		digits++;
	return (size_t)((double)(digits + 1) * LETTER_W * l->axis_scale);
}

/**
 * axis_every() - how many rows share a label
 * @l: the layout
 * @space: the least space between two labels, in heights of a digit: numbers that touch look like a grey column
 *
 * Return: 1 if each row has room for its own label.
 */
size_t axis_every(const struct layout *l, double space)
{
	size_t need = (size_t)((DIGIT_H * (1 + space) + 1) * l->axis_scale);

	return (need + l->pitch_y - 1) / l->pitch_y;
}

static double label_y(const struct layout *l, const struct grid *grid, size_t row)
{
	double digit_h = DIGIT_H * l->axis_letters, cell_h = (double)l->cell_h;

	return (double)(grid->y + row * l->pitch_y) + (cell_h > digit_h ? (cell_h - digit_h) / 2 : 0);
}

/**
 * axis_put_at() - write a label in a row
 * @l: the layout
 * @canvas: the picture
 * @grid: the grid
 * @row: the row, from 0
 * @x_end: right end of the label, pixels from the left of the picture
 * @rgb: its colour
 * @text: ASCII
 */
void axis_put_at(const struct layout *l, struct canvas *canvas, const struct grid *grid, size_t row,
		 double x_end, uint32_t rgb, const char *text)
{
	canvas_text_right(canvas, x_end, label_y(l, grid, row), l->axis_letters, rgb, text);
}

/**
 * axis_put() - write a label on the left of a row
 * @l: the layout
 * @canvas: the picture
 * @grid: the grid
 * @row: the row, from 0
 * @text: ASCII
 */
void axis_put(const struct layout *l, struct canvas *canvas, const struct grid *grid, size_t row,
	      const char *text)
{
	axis_put_at(l, canvas, grid, row, (double)grid->x - 2 * LETTER_W * l->axis_scale / 3, RGB_LABEL, text);
}

/**
 * fold_label_scale() - size of the number in the mark of a folded run
 * @l: the layout
 * @cell: side of a box
 *
 * Return: scale of its letters, see LETTER_W; 0 if the number would not be readable.
 */
double fold_label_scale(const struct layout *l, size_t cell)
{
	double scale = (double)cell / (DIGIT_H + 0.5);

	return scale < LEAST_LABEL * l->axis_scale ? 0 : scale;
}

/**
 * fold_label_width() - room for the number in the mark of a folded run
 * @scale: its size
 * @digits: number of its digits
 *
 * Return: pixels, with a little space before the number and after it.
 */
size_t fold_label_width(double scale, size_t digits)
{
	return (size_t)((double)(digits * LETTER_W + 2) * scale + 0.5);
}
