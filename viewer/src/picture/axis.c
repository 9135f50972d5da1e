// SPDX-License-Identifier: GPL-2.0-only
/* Part of the layouts: numbers beside a grid and in it. */
#include "picture/axis.h"
#include "picture/font.h"
#include "picture/legend.h"

/* Height of digits in dots. Digits have no parts below the line. */
#define DIGIT_ROWS 7

/**
 * axis_lba_width() - room for block addresses left of the grids
 * @l: the layout
 * @table: the table
 *
 * Return: pixels.
 */
size_t axis_lba_width(const struct layout *l, const struct table *table)
{
	uint64_t last = 9999;
	size_t digits = 0, v;

	for (v = 0; v < table->n_volumes; v++)
		if (table->volumes[v].end_blk - 1 > last)
			last = table->volumes[v].end_blk - 1;
	for (; last; last /= 10)
		digits++;
	return (digits + 1) * FONT_CELL_W * l->axis_scale;
}

/**
 * axis_every() - how many rows share a label
 * @l: the layout
 *
 * Return: 1 if each row has room for its own label.
 */
size_t axis_every(const struct layout *l)
{
	size_t need = (FONT_CELL_H - 1) * l->axis_scale;

	return need <= l->pitch_y ? 1 : need / l->pitch_y + 1;
}

static size_t label_y(const struct layout *l, const struct grid *grid, size_t row)
{
	size_t digit_h = DIGIT_ROWS * l->axis_scale;

	return grid->y + row * l->pitch_y + (l->cell_h > digit_h ? (l->cell_h - digit_h) / 2 : 0);
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
		 size_t x_end, uint32_t rgb, const char *text)
{
	canvas_text_right(canvas, x_end, label_y(l, grid, row), l->axis_scale, rgb, text);
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
	axis_put_at(l, canvas, grid, row, grid->x - FONT_CELL_W * l->axis_scale, RGB_FAINT, text);
}

/**
 * fold_label_scale() - size of the number in the mark of a folded run
 * @cell: side of a box
 *
 * Return: pixels per dot, see font.h; 0 if the number would be higher than the box.
 */
size_t fold_label_scale(size_t cell)
{
	return cell / DIGIT_ROWS;
}

/**
 * fold_label_width() - room for the number in the mark of a folded run
 * @scale: its size
 * @digits: number of its digits
 *
 * Return: pixels, with one dot before the number and after it.
 */
size_t fold_label_width(size_t scale, size_t digits)
{
	return (digits * FONT_CELL_W + 1) * scale;
}
