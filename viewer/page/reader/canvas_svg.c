// SPDX-License-Identifier: GPL-2.0-only
/*
 * In place of canvas_draw.c, where there is neither cairo nor pango: shapes and texts are elements of an SVG. How wide a
 * text is can only be estimated; the SVG makes it as wide as that. The functions have the arguments that they have there.
 */
#include <stdlib.h>
#include <string.h>

#include "picture/canvas.h"
#include "picture/png_out.h"
#include "picture/svg.h"

/* canvas_init() - make an empty picture. */
void canvas_init(struct canvas *canvas, size_t width, size_t height, uint32_t rgb, const struct img_conf *img,
		 enum canvas_form form)
{
	size_t n = width * height;

	*canvas = (struct canvas){ .width = width, .height = height, .right = width, .dpi = img->dpi, .form = CANVAS_SVG };
	canvas->px = xreallocarray(NULL, n, sizeof(*canvas->px));
	for (size_t i = 0; i < n; i++)
		canvas->px[i] = rgb;
	canvas->svg = open_memstream(&canvas->elements.buf, &canvas->elements.len);
	if (!canvas->svg)
		die("no memory for the picture");
	canvas_fill(canvas, 0, 0, (double)width, (double)height, rgb);
}

/* canvas_free() - release a picture. */
void canvas_free(struct canvas *canvas)
{
	free(canvas->px);
	text_free(&canvas->elements);
	free(canvas->title);
	free(canvas->notes);
	*canvas = (struct canvas){ 0 };
}

/* canvas_show_cells() - put the pixels of a rectangle into the SVG. */
void canvas_show_cells(struct canvas *canvas, size_t x, size_t y, size_t w, size_t h)
{
	struct canvas part = { .width = w, .height = h, .dpi = canvas->dpi };
	struct text png;

	if (!w || !h)
		return;
	part.px = xreallocarray(NULL, w * h, sizeof(*part.px));
	for (size_t row = 0; row < h; row++)
		memcpy(part.px + row * w, canvas->px + (y + row) * canvas->width + x, w * sizeof(*part.px));
	png_out_encode(&part, &png);
	svg_image(canvas->svg, x, y, w, h, &png);
	text_free(&png);
	free(part.px);
}

/* canvas_fill() - draw a rectangle. */
void canvas_fill(struct canvas *canvas, double x, double y, double w, double h, uint32_t rgb)
{
	svg_fill(canvas->svg, x, y, w, h, rgb);
}

/* About the width of a letter in DejaVu Sans at scale 1; bytes within a letter have none. */
static double letter_width(char c)
{
	if ((c & 0xc0) == 0x80)
		return 0;
	if (strchr(" .,:;'|!()[]/ijltfrI", c))
		return 3.2;
	if (strchr("mwMW%@", c))
		return 8.2;
	return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? 5.9 : 5.3;
}

static double width(const char *text)
{
	double w = 0;

	for (; *text; text++)
		w += letter_width(*text);
	return w;
}

/* The letter that is after a byte, or before one. */
static const char *next_letter(const char *at)
{
	for (at++; (*at & 0xc0) == 0x80; at++)
		;
	return at;
}

static const char *letter_before(const char *at)
{
	for (at--; (*at & 0xc0) == 0x80; at--)
		;
	return at;
}

/* Leave out letters that have no room, and put an ellipsis there: at the end, the beginning or in the middle. To be freed. */
static char *fit(const char *text, double room, double scale, bool keeps_begin, bool keeps_end)
{
	double left = room / scale - width("\342\200\246");
	const char *head = text, *tail = text + strlen(text);

	if (width(text) <= room / scale)
		return xasprintf("%s", text);
	while (head < tail && left > 0) {
		if (keeps_begin) {
			left -= letter_width(*head);
			head = left >= 0 ? next_letter(head) : head;
		}
		if (keeps_end && head < tail && left > 0) {
			left -= letter_width(*letter_before(tail));
			tail = left >= 0 ? letter_before(tail) : tail;
		}
	}
	return xasprintf("%.*s\342\200\246%s", (int)(head - text), text, keeps_end ? tail : "");
}

static double show(struct canvas *canvas, double x, double y, double scale, uint32_t rgb, char *text, bool is_right)
{
	double w = width(text) * scale;

	svg_text(canvas->svg, is_right ? x - w : x, y + DIGIT_H * scale, w, FONT_SIZE * scale, rgb, text);
	free(text);
	return w;
}

/* canvas_text() - write one line. */
void canvas_text(struct canvas *canvas, double x, double y, double scale, uint32_t rgb, const char *text)
{
	show(canvas, x, y, scale, rgb, fit(text, (double)canvas->right - x, scale, true, false), false);
}

/* canvas_text_right() - write one line that ends at a given x. */
void canvas_text_right(struct canvas *canvas, double x_end, double y, double scale, uint32_t rgb, const char *text)
{
	show(canvas, x_end, y, scale, rgb, fit(text, x_end, scale, false, true), true);
}

/* canvas_text_fit() - write one line into a given room. */
double canvas_text_fit(struct canvas *canvas, double x, double y, double w, double scale, uint32_t rgb, const char *text)
{
	return show(canvas, x, y, scale, rgb, fit(text, w, scale, true, true), false);
}
