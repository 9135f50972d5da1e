// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: the pixels of a sheet, see canvas.h; shapes and texts are in canvas_draw.c. */

#include "picture/canvas.h"

/* Colours of at least this luminance have more contrast with black than with white: 4.58:1 or more. */
#define LIGHT 0.1791

/* === Pixels of cells === */

/**
 * canvas_luminance() - how light a colour is, as WCAG defines it
 * @rgb: the colour, in sRGB
 *
 * Return: 0 to 1; the polynomial is near enough to the curve of sRGB.
 */
double canvas_luminance(uint32_t rgb)
{
	static const double weights[] = { 0.2126, 0.7152, 0.0722 };
	double sum = 0;

	for (size_t i = 0; i < ARRAY_LEN(weights); i++) {
		double c = (double)(rgb >> (16 - 8 * i) & 0xff) / 255;

		sum += weights[i] * c * (c * (c * 0.305306011 + 0.682171111) + 0.012522878);
	}
	return sum;
}

/**
 * canvas_pixel() - the colour of a pixel
 * @canvas: the picture
 * @x: pixels from the left
 * @y: pixels from the top
 *
 * Return: 0xrrggbb.
 */
uint32_t canvas_pixel(const struct canvas *canvas, size_t x, size_t y)
{
	return canvas->px[y * canvas->width + x] & 0xffffff;
}

/**
 * canvas_cell() - fill the pixels of a cell, clipped to the picture
 * @canvas: the picture
 * @x: left edge, pixels from the left
 * @y: upper edge, pixels from the top
 * @w: width, pixels
 * @h: height, pixels
 * @rgb: its colour
 */
void canvas_cell(struct canvas *canvas, size_t x, size_t y, size_t w, size_t h, uint32_t rgb)
{
	size_t x_end = x + w < canvas->width ? x + w : canvas->width;
	size_t y_end = y + h < canvas->height ? y + h : canvas->height;

	for (; y < y_end; y++) {
		uint32_t *row = canvas->px + y * canvas->width;

		for (size_t i = x; i < x_end; i++)
			row[i] = rgb;
	}
}

/**
 * canvas_contrast() - a colour of the same hue that is visible on another colour
 * @rgb: the other one
 *
 * Return: 0xrrggbb, darker than @rgb, or lighter if @rgb is dark.
 */
uint32_t canvas_contrast(uint32_t rgb)
{
	return ((rgb & 0xfefefe) >> 1) + ((canvas_ink(rgb) & 0xfefefe) >> 1);
}

/**
 * canvas_ink() - an ink that is readable on a colour
 * @rgb: the colour
 *
 * Return: of black and white, the one with more contrast.
 */
uint32_t canvas_ink(uint32_t rgb)
{
	return canvas_luminance(rgb) > LIGHT ? 0x000000 : 0xffffff;
}

/**
 * canvas_hatch() - draw a square with oblique stripes, the mark of something folded
 * @canvas: the picture; the square must be inside
 * @x: left edge, pixels from the left
 * @y: upper edge, pixels from the top
 * @side: pixels; a square too small for stripes gets the colour of the stripes
 * @pen: width of a stripe, pixels
 * @rgb: its colour
 */
void canvas_hatch(struct canvas *canvas, size_t x, size_t y, size_t side, size_t pen, uint32_t rgb)
{
	uint32_t stripe = canvas_contrast(rgb);

	if (side < HATCH_MIN) {
		canvas_cell(canvas, x, y, side, side, stripe);
		return;
	}
	for (size_t j = 0; j < side; j++)
		for (size_t i = 0; i < side; i++)
			canvas_cell(canvas, x + i, y + j, 1, 1, (i + j) / pen % 2 ? rgb : stripe);
}

/* === Notes === */

/**
 * canvas_note() - add a line to the notes
 * @canvas: the picture
 * @fmt: as for printf, without a newline
 */
void canvas_note(struct canvas *canvas, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	xappend_args(&canvas->notes, fmt, ap);
	va_end(ap);
	xappend(&canvas->notes, "\n");
}

/**
 * canvas_end() - complete a picture, before it is written
 * @canvas: the picture; nothing may be drawn afterwards
 */
void canvas_end(struct canvas *canvas)
{
	if (canvas->svg && (ferror(canvas->svg) | fclose(canvas->svg)))
		die("no memory for the picture");
	canvas->svg = NULL;
}
