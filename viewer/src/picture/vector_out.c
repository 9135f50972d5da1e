// SPDX-License-Identifier: GPL-2.0-only
/* Last step of the pipeline: elements or a recording -> an SVG or PDF file that is written as a whole or not at all. */
#include <cairo-pdf.h>
#include <strings.h>

#include "outfile.h"
#include "picture/svg.h"
#include "picture/vector_out.h"

#define POINTS_PER_INCH 72.0

static bool ends_with(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n > m && !strcasecmp(path + n - m, end);
}

/**
 * vector_out_form() - what a picture is to be drawn for
 * @path: output file, or NULL
 *
 * Return: CANVAS_PNG unless its name ends in .svg or .pdf.
 */
enum canvas_form vector_out_form(const char *path)
{
	return path && ends_with(path, ".svg") ? CANVAS_SVG : path && ends_with(path, ".pdf") ? CANVAS_PDF : CANVAS_PNG;
}

static cairo_status_t put(void *file, const unsigned char *bytes, unsigned int n)
{
	return fwrite(bytes, 1, n, file) == n ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_status_t write_pdf(const struct canvas *canvas, FILE *file)
{
	double scale = POINTS_PER_INCH / (double)canvas->dpi;
	cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(put, file, (double)canvas->width * scale,
								       (double)canvas->height * scale);
	cairo_status_t status;
	cairo_t *cr;

	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, canvas->title);
	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, canvas->notes);
	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "fragtrace " VERSION);
	cr = cairo_create(surface);
	cairo_scale(cr, scale, scale);
	cairo_set_source_surface(cr, cairo_get_target(canvas->cr), 0, 0);
	cairo_paint(cr);
	cairo_destroy(cr);
	cairo_surface_finish(surface);
	status = cairo_surface_status(surface);
	cairo_surface_destroy(surface);
	return status;
}

/**
 * vector_out_write() - write a picture
 * @canvas: the picture, after canvas_end()
 * @path: output file
 *
 * A regular file is replaced atomically. Ends the program if writing fails.
 */
void vector_out_write(const struct canvas *canvas, const char *path)
{
	struct outfile out;

	outfile_open(&out, path, "picture");
	if (canvas->form == CANVAS_SVG)
		svg_write(out.file, canvas, POINTS_PER_INCH / (double)canvas->dpi);
	else if (write_pdf(canvas, out.file))
		outfile_failed(&out);
	outfile_close(&out);
}
