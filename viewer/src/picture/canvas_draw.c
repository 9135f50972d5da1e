// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: shapes and texts of a sheet, see canvas.h; drawn with cairo and pango. */
#include <pango/pangocairo.h>

#include "picture/canvas.h"
#include "picture/png_out.h"
#include "picture/svg.h"

/* Fonts are looked for in this order; for characters that they lack, fontconfig finds another one. */
#define FONT "DejaVu Sans, Sans"

/* Shades between paper and ink at the edges of letters. */
#define TEXT_LEVELS 8

/* === Pictures === */

static void set_source(cairo_t *cr, uint32_t rgb)
{
	cairo_set_source_rgb(cr, (rgb >> 16 & 0xff) / 255.0, (rgb >> 8 & 0xff) / 255.0,
			     (rgb & 0xff) / 255.0);
}

static cairo_surface_t *surface_of(struct canvas *canvas)
{
	cairo_rectangle_t sheet = { 0, 0, (double)canvas->width, (double)canvas->height };

	if (canvas->form == CANVAS_PDF)
		return cairo_recording_surface_create(CAIRO_CONTENT_COLOR, &sheet);
	return cairo_image_surface_create_for_data((unsigned char *)canvas->px, CAIRO_FORMAT_RGB24,
						   (int)canvas->width, (int)canvas->height,
						   (int)(canvas->width * sizeof(*canvas->px)));
}

static void prepare_text(struct canvas *canvas)
{
	cairo_font_options_t *options = cairo_font_options_create();

	cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
	cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT);
	cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
	canvas->text = pango_cairo_create_layout(canvas->cr);
	pango_cairo_context_set_font_options(pango_layout_get_context(canvas->text), options);
	pango_layout_set_single_paragraph_mode(canvas->text, TRUE);
	cairo_font_options_destroy(options);
}

/**
 * canvas_init() - make an empty picture
 * @canvas: the result; to be freed with canvas_free()
 * @width: pixels
 * @height: pixels
 * @rgb: colour of the page
 * @img: the settings of the picture
 * @form: what it is drawn for
 */
void canvas_init(struct canvas *canvas, size_t width, size_t height, uint32_t rgb, const struct img_conf *img,
		 enum canvas_form form)
{
	size_t n = width * height;
	cairo_surface_t *surface;

	*canvas = (struct canvas){
		.width = width, .height = height, .right = width, .dpi = img->dpi, .form = form,
	};
	canvas->px = xreallocarray(NULL, n, sizeof(*canvas->px));
	for (size_t i = 0; i < n; i++)
		canvas->px[i] = rgb;
	surface = surface_of(canvas);
	canvas->cr = cairo_create(surface);
	cairo_surface_destroy(surface);
	if (cairo_status(canvas->cr))
		die("cannot make a picture of %zu x %zu pixels: %s", width, height,
		    cairo_status_to_string(cairo_status(canvas->cr)));
	cairo_set_antialias(canvas->cr, CAIRO_ANTIALIAS_NONE);
	if (form == CANVAS_SVG)
		canvas->svg = open_memstream(&canvas->elements.buf, &canvas->elements.len);
	if (form == CANVAS_SVG && !canvas->svg)
		die("no memory for the picture");
	if (form != CANVAS_PNG)
		canvas_fill(canvas, 0, 0, (double)width, (double)height, rgb);
	prepare_text(canvas);
}

/**
 * canvas_free() - release a picture
 * @canvas: as left by canvas_init()
 */
void canvas_free(struct canvas *canvas)
{
	g_object_unref(canvas->text);
	cairo_destroy(canvas->cr);
	free(canvas->px);
	text_free(&canvas->elements);
	free(canvas->title);
	free(canvas->notes);
	*canvas = (struct canvas){ 0 };
}

/* === Cells and shapes === */

/**
 * canvas_show_cells() - to be called after pixels have changed, and before shapes go over them
 * @canvas: the picture
 * @x: left edge, pixels from the left
 * @y: upper edge, pixels from the top
 * @w: width, pixels
 * @h: height, pixels
 */
void canvas_show_cells(struct canvas *canvas, size_t x, size_t y, size_t w, size_t h)
{
	struct canvas part = { .width = w, .height = h, .dpi = canvas->dpi };
	AUTO_FREE uint32_t *px = NULL;
	AUTO(text_free) struct text png = { 0 };
	cairo_surface_t *cells;

	if (canvas->form == CANVAS_PNG)
		cairo_surface_mark_dirty(cairo_get_target(canvas->cr));
	if (canvas->form == CANVAS_PNG || !w || !h)
		return;
	part.px = px = xreallocarray(NULL, w * h, sizeof(*part.px));
	for (size_t row = 0; row < h; row++)
		memcpy(part.px + row * w, canvas->px + (y + row) * canvas->width + x, w * sizeof(*part.px));
	if (canvas->form == CANVAS_SVG) {
		png_out_encode(&part, &png);
		svg_image(canvas->svg, x, y, w, h, &png);
	} else {
		cells = cairo_image_surface_create_for_data((unsigned char *)part.px, CAIRO_FORMAT_RGB24, (int)w, (int)h,
							    (int)(w * sizeof(*part.px)));
		cairo_set_source_surface(canvas->cr, cells, (double)x, (double)y);
		cairo_pattern_set_filter(cairo_get_source(canvas->cr), CAIRO_FILTER_NEAREST);
		cairo_rectangle(canvas->cr, (double)x, (double)y, (double)w, (double)h);
		cairo_fill(canvas->cr);
		/* the recording makes a copy when nothing else uses it */
		set_source(canvas->cr, 0);
		cairo_surface_destroy(cells);
	}
}

/**
 * canvas_fill() - draw a rectangle
 * @canvas: the picture
 * @x: left edge, pixels from the left
 * @y: upper edge, pixels from the top
 * @w: width, pixels
 * @h: height, pixels
 * @rgb: its colour
 */
void canvas_fill(struct canvas *canvas, double x, double y, double w, double h, uint32_t rgb)
{
	if (canvas->form == CANVAS_SVG) {
		svg_fill(canvas->svg, x, y, w, h, rgb);
		return;
	}
	set_source(canvas->cr, rgb);
	cairo_rectangle(canvas->cr, x, y, w, h);
	cairo_fill(canvas->cr);
}

static void set_text(struct canvas *canvas, double scale, double w, PangoEllipsizeMode where,
		     const char *text)
{
	PangoFontDescription *font = pango_font_description_from_string(FONT);

	pango_font_description_set_absolute_size(font, FONT_SIZE * scale * PANGO_SCALE);
	pango_layout_set_font_description(canvas->text, font);
	pango_layout_set_width(canvas->text, w > 0 ? (int)(w * PANGO_SCALE) : 0);
	pango_layout_set_ellipsize(canvas->text, where);
	pango_layout_set_text(canvas->text, text, -1);
	pango_font_description_free(font);
}

static double text_width(const struct canvas *canvas)
{
	PangoRectangle box;

	pango_layout_line_get_extents(pango_layout_get_line_readonly(canvas->text, 0), NULL, &box);
	return (double)box.width / PANGO_SCALE;
}

static uint32_t blended(uint32_t paper, uint32_t ink, unsigned int level)
{
	uint32_t rgb = 0;

	for (int shift = 0; shift < 24; shift += 8) {
		uint32_t a = paper >> shift & 0xff, b = ink >> shift & 0xff;

		rgb |= (a * (TEXT_LEVELS - level) + b * level + TEXT_LEVELS / 2) / TEXT_LEVELS << shift;
	}
	return rgb;
}

/* Blend the letters of a mask with the image. */
static void blend(struct canvas *canvas, cairo_surface_t *mask, long left, long top, uint32_t rgb)
{
	const unsigned char *bytes = cairo_image_surface_get_data(mask);
	long w = cairo_image_surface_get_width(mask), h = cairo_image_surface_get_height(mask), i, j;
	long stride = cairo_image_surface_get_stride(mask);

	for (j = top < 0 ? -top : 0; j < h && top + j < (long)canvas->height; j++) {
		for (i = left < 0 ? -left : 0; i < w && left + i < (long)canvas->width; i++) {
			uint32_t *px = &canvas->px[(size_t)(top + j) * canvas->width + (size_t)(left + i)];

			*px = blended(*px, rgb, (bytes[j * stride + i] * TEXT_LEVELS + 127) / 255);
		}
	}
}

/*
 * cairo draws letters in 256 shades. A picture of a few shades fits into a palette, and takes a small part
 * of the bytes.
 */
static void show_in_few_shades(struct canvas *canvas, PangoLayoutLine *line, double x, double y, uint32_t rgb)
{
	PangoRectangle ink;
	cairo_surface_t *mask;
	long left, top;
	cairo_t *cr;

	pango_layout_line_get_pixel_extents(line, &ink, NULL);
	left = (long)x + ink.x - 1;
	top = (long)y + ink.y - 1;
	mask = cairo_image_surface_create(CAIRO_FORMAT_A8, ink.width + 3, ink.height + 3);
	cr = cairo_create(mask);
	cairo_move_to(cr, x - (double)left, y - (double)top);
	pango_cairo_show_layout_line(cr, line);
	cairo_destroy(cr);
	cairo_surface_flush(mask);
	blend(canvas, mask, left, top, rgb);
	cairo_surface_destroy(mask);
}

/* A line as it is seen, with an ellipsis for what is left out of it. To be freed. */
static char *seen_text(PangoLayout *layout, const PangoLayoutLine *line)
{
	const char *text = pango_layout_get_text(layout);
	const GSList *run;

	for (run = line->runs; run; run = run->next) {
		const PangoItem *item = ((const PangoGlyphItem *)run->data)->item;

		if (item->analysis.flags & PANGO_ANALYSIS_FLAG_IS_ELLIPSIS)
			return xasprintf("%.*s\342\200\246%s", item->offset, text, text + item->offset + item->length);
	}
	return xasprintf("%s", text);
}

/* Digits and capitals begin at @y. */
static void show_text(struct canvas *canvas, double x, double y, double scale, uint32_t rgb)
{
	PangoLayoutLine *line = pango_layout_get_line_readonly(canvas->text, 0);
	AUTO_FREE char *text = NULL;

	y += DIGIT_H * scale;
	if (canvas->form == CANVAS_PNG) {
		show_in_few_shades(canvas, line, x, y, rgb);
		return;
	}
	if (canvas->form == CANVAS_SVG) {
		text = seen_text(canvas->text, line);
		svg_text(canvas->svg, x, y, text_width(canvas), FONT_SIZE * scale, rgb, text);
		return;
	}
	set_source(canvas->cr, rgb);
	cairo_move_to(canvas->cr, x, y);
	pango_cairo_show_layout_line(canvas->cr, line);
}

/**
 * canvas_text() - write one line
 * @canvas: the picture; a text that does not fit ends in an ellipsis
 * @x: left edge of the first letter, pixels from the left
 * @y: upper edge of digits, pixels from the top
 * @scale: size of the letters, see LETTER_W
 * @rgb: colour of the ink
 * @text: UTF-8
 */
void canvas_text(struct canvas *canvas, double x, double y, double scale, uint32_t rgb,
		 const char *text)
{
	set_text(canvas, scale, (double)canvas->right - x, PANGO_ELLIPSIZE_END, text);
	show_text(canvas, x, y, scale, rgb);
}

/**
 * canvas_text_right() - write one line that ends at a given x
 * @canvas: the picture
 * @x_end: right edge of the last letter, pixels from the left
 * @y: upper edge of digits, pixels from the top
 * @scale: size of the letters
 * @rgb: colour of the ink
 * @text: UTF-8; its beginning is left out if there is no room for it
 */
void canvas_text_right(struct canvas *canvas, double x_end, double y, double scale, uint32_t rgb,
		       const char *text)
{
	set_text(canvas, scale, x_end, PANGO_ELLIPSIZE_START, text);
	show_text(canvas, x_end - text_width(canvas), y, scale, rgb);
}

/**
 * canvas_text_fit() - write one line into a given room
 * @canvas: the picture
 * @x: left edge of the first letter, pixels from the left
 * @y: upper edge of digits, pixels from the top
 * @w: the room, pixels
 * @scale: size of the letters
 * @rgb: colour of the ink
 * @text: UTF-8; its middle is left out if there is no room for it
 *
 * Return: the width of the line, pixels.
 */
double canvas_text_fit(struct canvas *canvas, double x, double y, double w, double scale,
		       uint32_t rgb, const char *text)
{
	set_text(canvas, scale, w, PANGO_ELLIPSIZE_MIDDLE, text);
	show_text(canvas, x, y, scale, rgb);
	return text_width(canvas);
}
