/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: a sheet of pixels, and functions to draw on it. */
#ifndef CANVAS_H
#define CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util.h"

/* Hatching is not drawn in squares below this side, in pixels. */
#define HATCH_MIN 4

/**
 * struct canvas - a picture in memory
 * @px: rows from the top, pixels from the left, each 0xrrggbb
 * @width: pixels
 * @height: pixels
 * @dpi: pixels per inch, when it is printed
 * @title: the title that was drawn, or NULL
 * @notes: the texts of the picture as lines, for users who cannot see it
 */
struct canvas {
	uint32_t *px;
	size_t width;
	size_t height;
	size_t dpi;
	char *title;
	char *notes;
};

void canvas_init(struct canvas *canvas, size_t width, size_t height, uint32_t rgb);
void canvas_free(struct canvas *canvas);

uint32_t canvas_contrast(uint32_t rgb);
uint32_t canvas_ink(uint32_t rgb);
void canvas_fill(struct canvas *canvas, size_t x, size_t y, size_t w, size_t h, uint32_t rgb);
void canvas_hatch(struct canvas *canvas, size_t x, size_t y, size_t side, uint32_t rgb);
void canvas_text(struct canvas *canvas, size_t x, size_t y, size_t scale, uint32_t rgb,
		 const char *text);
void canvas_text_right(struct canvas *canvas, size_t x_end, size_t y, size_t scale, uint32_t rgb,
		       const char *text);
void canvas_note(struct canvas *canvas, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
