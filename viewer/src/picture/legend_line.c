// SPDX-License-Identifier: GPL-2.0-only
/* Part of the legend: the pieces of its lines. */

#include "names.h"
#include "picture/legend_line.h"

#define SWATCH_W 10

/**
 * legend_x() - where a column is
 * @l: the legend
 * @col: letters from the left
 *
 * Return: pixels from the left.
 */
double legend_x(const struct legend *l, size_t col)
{
	return (double)l->layout->margin + (double)(col * LETTER_W) * l->layout->scale;
}

/**
 * legend_right() - write a text that ends at a column
 * @l: the legend
 * @col: letters from the left
 * @rgb: colour of the ink
 * @text: UTF-8
 */
void legend_right(struct legend *l, size_t col, uint32_t rgb, const char *text)
{
	canvas_text_right(l->canvas, legend_x(l, col), l->y, l->layout->scale, rgb, text);
}

/**
 * legend_number() - write a number that ends at a column
 * @l: the legend
 * @col: letters from the left
 * @value: the number; a 0 is faint, so that others are easier to find
 */
void legend_number(struct legend *l, size_t col, uint64_t value)
{
	legend_right(l, col, value ? RGB_INK : RGB_FAINT, value ? GROUPED(value) : "-");
}

/**
 * legend_share() - write a share that ends at a column
 * @l: the legend
 * @col: letters from the left
 * @value: the part; a 0 is faint
 * @all: the whole
 */
void legend_share(struct legend *l, size_t col, uint64_t value, uint64_t all)
{
	legend_right(l, col, value ? RGB_INK : RGB_FAINT, value ? SHARE(value, all) : "-");
}

/**
 * legend_swatch() - draw a sample of a colour
 * @l: the legend
 * @col: its left edge, letters from the left
 * @rgb: the colour
 */
void legend_swatch(struct legend *l, size_t col, uint32_t rgb)
{
	double x = (double)(size_t)legend_x(l, col), y = (double)(size_t)l->y;

	canvas_fill(l->canvas, x, y, SWATCH_W * l->layout->scale, SWATCH_H * l->layout->scale, rgb);
}

/**
 * legend_text() - write a text that begins at a column
 * @l: the legend
 * @col: letters from the left
 * @rgb: colour of the ink
 * @text: UTF-8
 */
void legend_text(struct legend *l, size_t col, uint32_t rgb, const char *text)
{
	canvas_text(l->canvas, legend_x(l, col), l->y, l->layout->scale, rgb, text);
}

/**
 * legend_name() - write a name at the beginning of the line
 * @l: the legend
 * @col: where it ends at the latest; its middle is left out if there is no room for it
 * @name: the name, any bytes
 */
void legend_name(struct legend *l, size_t col, const char *name)
{
	AUTO_FREE char *text = name_text(name);

	canvas_text_fit(l->canvas, legend_x(l, 0), l->y, legend_x(l, col) - legend_x(l, 0), l->layout->scale,
			RGB_INK, text);
}

/**
 * legend_next() - go to the next line
 * @l: the legend
 */
void legend_next(struct legend *l)
{
	l->y += LINE_H * l->layout->scale;
}

/**
 * legend_half() - leave half a line blank
 * @l: the legend
 */
void legend_half(struct legend *l)
{
	l->y += LINE_H * l->layout->scale / 2;
}

/**
 * legend_line() - write a whole line, and add it to the notes of the picture
 * @l: the legend
 * @rgb: colour of the ink
 * @fmt: as for printf, UTF-8
 */
void legend_line(struct legend *l, uint32_t rgb, const char *fmt, ...)
{
	AUTO_FREE char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	xappend_args(&text, fmt, ap);
	va_end(ap);
	legend_text(l, 0, rgb, text);
	canvas_note(l->canvas, "%s", text);
	legend_next(l);
}

/**
 * legend_separator() - rule off the next line
 * @l: the legend
 */
void legend_separator(struct legend *l)
{
	double y = (double)(size_t)(l->y - 3 * l->layout->scale), h = (double)layout_px(l->layout->img, 2);

	canvas_fill(l->canvas, legend_x(l, 0), y, legend_x(l, LEGEND_COLS) - legend_x(l, 0), h, RGB_RULE);
}
