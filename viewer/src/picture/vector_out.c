// SPDX-License-Identifier: GPL-2.0-only
/* Last step of the pipeline: a recorded picture -> an SVG or PDF file that is written as a whole or not at all. */
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "outfile.h"
#include "picture/vector_out.h"

#define POINTS_PER_INCH 72.0

static bool ends_with(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n > m && !strcasecmp(path + n - m, end);
}

/**
 * vector_out_is_for() - is a picture to be written as SVG or PDF?
 * @path: output file
 *
 * Return: true if its name ends in .svg or .pdf.
 */
bool vector_out_is_for(const char *path)
{
	return ends_with(path, ".svg") || ends_with(path, ".pdf");
}

static cairo_status_t put(void *file, const unsigned char *bytes, unsigned int n)
{
	return fwrite(bytes, 1, n, file) == n ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t *open_surface(const struct canvas *canvas, FILE *file, const char *path)
{
	double scale = POINTS_PER_INCH / (double)canvas->dpi;
	double w = (double)canvas->width * scale, h = (double)canvas->height * scale;
	cairo_surface_t *surface;

	if (ends_with(path, ".svg"))
		return cairo_svg_surface_create_for_stream(put, file, w, h);
	surface = cairo_pdf_surface_create_for_stream(put, file, w, h);
	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, canvas->title);
	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, canvas->notes);
	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "fragtrace-view " VERSION);
	return surface;
}

/**
 * vector_out_write() - write a picture
 * @canvas: the picture, recorded
 * @path: output file; its extension selects the format
 *
 * A regular file is replaced atomically. Ends the program if writing fails.
 */
void vector_out_write(const struct canvas *canvas, const char *path)
{
	double scale = POINTS_PER_INCH / (double)canvas->dpi;
	cairo_surface_t *surface;
	struct outfile out;
	cairo_status_t status;
	cairo_t *cr;

	outfile_open(&out, path, "picture");
	surface = open_surface(canvas, out.file, path);
	cr = cairo_create(surface);
	cairo_scale(cr, scale, scale);
	cairo_set_source_surface(cr, cairo_get_target(canvas->cr), 0, 0);
	cairo_paint(cr);
	cairo_destroy(cr);
	cairo_surface_finish(surface);
	status = cairo_surface_status(surface);
	cairo_surface_destroy(surface);
	if (status)
		outfile_failed(&out);
	outfile_close(&out);
}
