/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Beside the pipeline: a sheet with cells, shapes and texts.
 *
 * Cells are pixels of an image. Shapes and texts are drawn with cairo and pango over the same image for a PNG, recorded for a
 * PDF, and written as elements of an SVG: there, they stay shapes and letters at any size, and texts can be searched.
 */
#pragma once

#include "conf.h"
#include "util.h"

/* Hatching is not drawn in squares below this side, in pixels. */
#define HATCH_MIN 4

/*
 * Text is set on a raster of this size at scale 1, in pixels, in a font of %FONT_SIZE. An average letter of the font is narrower than
 * LETTER_W; a digit is as wide. Digits and capitals are DIGIT_H high.
 */
#define FONT_SIZE 9
#define LETTER_W 6
#define LETTER_H 10
#define DIGIT_H 7

/**
 * enum canvas_form - what a picture is drawn for
 * @CANVAS_PNG: pixels
 * @CANVAS_SVG: elements of an SVG
 * @CANVAS_PDF: a recording of cairo
 */
enum canvas_form {
	CANVAS_PNG,
	CANVAS_SVG,
	CANVAS_PDF,
};

/**
 * struct canvas - a picture in memory
 * @px: the image: rows from the top, pixels from the left, 0xrrggbb in the lower 24 bits
 * @width: pixels
 * @height: pixels
 * @right: texts end here at the latest, pixels from the left
 * @dpi: pixels per inch, when it is printed
 * @form: what it is drawn for
 * @cr: where shapes and texts of other forms than SVG are drawn
 * @svg: where the elements of an SVG are written
 * @elements: what was written there, after canvas_end()
 * @title: the title that was drawn, or NULL
 * @notes: the texts of the picture as lines, for users who cannot see it
 */
struct canvas {
	uint32_t *px;
	size_t width;
	size_t height;
	size_t right;
	size_t dpi;
	enum canvas_form form;
	struct _cairo *cr;
	FILE *svg;
	struct text elements;
	char *title;
	char *notes;
	/* private: */
	struct _PangoLayout *text;
};

void canvas_init(struct canvas *canvas, size_t width, size_t height, uint32_t rgb, const struct img_conf *img,
		 enum canvas_form form);
void canvas_end(struct canvas *canvas);
void canvas_free(struct canvas *canvas);

/* Pixels of cells. */
double canvas_luminance(uint32_t rgb);
uint32_t canvas_contrast(uint32_t rgb);
uint32_t canvas_ink(uint32_t rgb);
uint32_t canvas_pixel(const struct canvas *canvas, size_t x, size_t y);
void canvas_cell(struct canvas *canvas, size_t x, size_t y, size_t w, size_t h, uint32_t rgb);
void canvas_hatch(struct canvas *canvas, size_t x, size_t y, size_t side, size_t pen, uint32_t rgb);
void canvas_show_cells(struct canvas *canvas, size_t x, size_t y, size_t w, size_t h);

/* Shapes and texts, over cells. */
void canvas_fill(struct canvas *canvas, double x, double y, double w, double h, uint32_t rgb);
void canvas_text(struct canvas *canvas, double x, double y, double scale, uint32_t rgb,
		 const char *text);
void canvas_text_right(struct canvas *canvas, double x_end, double y, double scale, uint32_t rgb,
		       const char *text);
double canvas_text_fit(struct canvas *canvas, double x, double y, double w, double scale,
		       uint32_t rgb, const char *text);
void canvas_note(struct canvas *canvas, const char *fmt, ...) PRINTF_LIKE(2, 3);
