// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: a sheet of pixels, and functions to draw on it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture/canvas.h"
#include "picture/font.h"

/**
 * canvas_init() - make an empty picture
 * @canvas: the result; to be freed with canvas_free()
 * @width: pixels
 * @height: pixels
 * @rgb: colour of the page
 */
void canvas_init(struct canvas *canvas, size_t width, size_t height, uint32_t rgb)
{
	size_t i, n = width * height;

	*canvas = (struct canvas){ .width = width, .height = height };
	canvas->px = xreallocarray(NULL, n, sizeof(*canvas->px));
	for (i = 0; i < n; i++)
		canvas->px[i] = rgb;
}

/**
 * canvas_free() - release a picture
 * @canvas: as left by canvas_init()
 */
void canvas_free(struct canvas *canvas)
{
	free(canvas->px);
	free(canvas->title);
	free(canvas->notes);
	*canvas = (struct canvas){ 0 };
}

/**
 * canvas_fill() - draw a rectangle, clipped to the picture
 * @canvas: the picture
 * @x: left edge, pixels from the left
 * @y: upper edge, pixels from the top
 * @w: width, pixels
 * @h: height, pixels
 * @rgb: its colour
 */
void canvas_fill(struct canvas *canvas, size_t x, size_t y, size_t w, size_t h, uint32_t rgb)
{
	size_t x_end = x + w < canvas->width ? x + w : canvas->width;
	size_t y_end = y + h < canvas->height ? y + h : canvas->height;
	size_t i;

	for (; y < y_end; y++) {
		uint32_t *row = canvas->px + y * canvas->width;

		for (i = x; i < x_end; i++)
			row[i] = rgb;
	}
}

static uint32_t mix(uint32_t a, uint32_t b)
{
	return ((a & 0xfefefe) >> 1) + ((b & 0xfefefe) >> 1);
}

/**
 * canvas_contrast() - a colour of the same hue that is visible on another colour
 * @rgb: the other one
 *
 * Return: 0xrrggbb, darker than @rgb, or lighter if @rgb is dark.
 */
uint32_t canvas_contrast(uint32_t rgb)
{
	return mix(rgb, canvas_ink(rgb));
}

/**
 * canvas_ink() - an ink that is readable on a colour
 * @rgb: the colour
 *
 * Return: black or white.
 */
uint32_t canvas_ink(uint32_t rgb)
{
	uint32_t luma = (rgb >> 16) * 30 + (rgb >> 8 & 0xff) * 59 + (rgb & 0xff) * 11;

	return luma > 100 * 100 ? 0x000000 : 0xffffff;
}

/**
 * canvas_hatch() - draw a square with oblique stripes, the mark of something folded
 * @canvas: the picture; the square must be inside
 * @x: left edge, pixels from the left
 * @y: upper edge, pixels from the top
 * @side: pixels; a square too small for stripes gets the colour of the stripes
 * @rgb: its colour
 */
void canvas_hatch(struct canvas *canvas, size_t x, size_t y, size_t side, uint32_t rgb)
{
	uint32_t stripe = canvas_contrast(rgb);
	size_t i, j;

	if (side < HATCH_MIN) {
		canvas_fill(canvas, x, y, side, side, stripe);
		return;
	}
	for (j = 0; j < side; j++)
		for (i = 0; i < side; i++)
			canvas_fill(canvas, x + i, y + j, 1, 1, (i + j) % 4 < 2 ? stripe : rgb);
}

/*
 * The quarter of a doubled dot towards (dx, dy). If both neighbours on this side have the same colour,
 * and the opposite ones do not, use it. This rounds corners and smooths slopes.
 */
static bool quarter_dot(char c, int col, int row, int dx, int dy)
{
	bool across = font_dot(c, col + dx, row), back = font_dot(c, col - dx, row);
	bool along = font_dot(c, col, row + dy), away = font_dot(c, col, row - dy);

	if (across == along && across != away && along != back)
		return across;
	return font_dot(c, col, row);
}

static void draw_letter(struct canvas *canvas, size_t x, size_t y, size_t scale, uint32_t rgb,
			char c)
{
	int col, row, q;

	for (row = 0; row < FONT_ROWS; row++) {
		for (col = 0; col < FONT_COLS; col++) {
			size_t px = x + (size_t)col * scale, py = y + (size_t)row * scale;

			if (scale % 2) {
				if (font_dot(c, col, row))
					canvas_fill(canvas, px, py, scale, scale, rgb);
				continue;
			}
			for (q = 0; q < 4; q++)
				if (quarter_dot(c, col, row, q & 1 ? 1 : -1, q & 2 ? 1 : -1))
					canvas_fill(canvas, px + (q & 1 ? scale / 2 : 0),
						    py + (q & 2 ? scale / 2 : 0), scale / 2,
						    scale / 2, rgb);
		}
	}
}

static bool is_utf8_tail(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/**
 * canvas_text() - write one line
 * @canvas: the picture; the text is clipped to it
 * @x: left edge of the first letter, pixels from the left
 * @y: upper edge of the letters, pixels from the top
 * @scale: pixels per dot of a letter, see font.h
 * @rgb: colour of the ink
 * @text: UTF-8; each character outside ASCII is drawn as a hollow box
 */
void canvas_text(struct canvas *canvas, size_t x, size_t y, size_t scale, uint32_t rgb,
		 const char *text)
{
	for (; *text && x < canvas->width; text++) {
		if (is_utf8_tail(*text))
			continue;
		draw_letter(canvas, x, y, scale, rgb, *text);
		x += FONT_CELL_W * scale;
	}
}

/**
 * canvas_text_right() - write one line that ends at a given place
 * @canvas: the picture
 * @x_end: right edge of the last letter, pixels from the left
 * @y: upper edge of the letters, pixels from the top
 * @scale: pixels per dot of a letter
 * @rgb: colour of the ink
 * @text: ASCII; letters that would begin left of the picture are left out
 */
void canvas_text_right(struct canvas *canvas, size_t x_end, size_t y, size_t scale, uint32_t rgb,
		       const char *text)
{
	size_t cell = FONT_CELL_W * scale, n = strlen(text), room = (x_end + scale) / cell;

	if (n > room)
		text += n - room;
	n = n > room ? room : n;
	canvas_text(canvas, x_end + scale - n * cell, y, scale, rgb, text);
}

/**
 * canvas_note() - add a line to the notes
 * @canvas: the picture
 * @fmt: as for printf, without a newline
 */
void canvas_note(struct canvas *canvas, const char *fmt, ...)
{
	char *line, *notes;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&line, fmt, ap);
	va_end(ap);
	if (n < 0)
		die("no memory for a string");
	notes = xasprintf("%s%s\n", canvas->notes ? canvas->notes : "", line);
	free(line);
	free(canvas->notes);
	canvas->notes = notes;
}
