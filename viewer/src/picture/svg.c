// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: the elements of an SVG, and the document around them. All lengths are in pixels of the picture. */
#include "picture/png_out.h"
#include "picture/svg.h"

static void put_escaped(FILE *file, const char *text)
{
	for (; *text; text++) {
		if (*text == '&' || *text == '<' || *text == '>' || *text == '"')
			fprintf(file, "&#%d;", *text);
		else
			putc(*text, file);
	}
}

/**
 * svg_fill() - write a rectangle
 * @file: output
 * @x: left edge
 * @y: upper edge
 * @w: width
 * @h: height
 * @rgb: its colour
 */
void svg_fill(FILE *file, double x, double y, double w, double h, uint32_t rgb)
{
	fprintf(file, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"#%06x\"/>\n", x, y, w, h, rgb);
}

/**
 * svg_text() - write a line of text
 * @file: output
 * @x: left edge of the first letter
 * @y: lower edge of digits
 * @w: its width; another font is stretched to it
 * @size: of the font
 * @rgb: colour of the ink
 * @text: UTF-8
 */
void svg_text(FILE *file, double x, double y, double w, double size, uint32_t rgb, const char *text)
{
	if (!*text)
		return;
	fprintf(file, "<text x=\"%g\" y=\"%g\" textLength=\"%g\" lengthAdjust=\"spacingAndGlyphs\" font-size=\"%g\" "
		"fill=\"#%06x\">", x, y, w, size, rgb);
	put_escaped(file, text);
	fputs("</text>\n", file);
}

/**
 * svg_image() - write an image
 * @file: output
 * @x: left edge
 * @y: upper edge
 * @w: width
 * @h: height
 * @png: the image
 */
void svg_image(FILE *file, size_t x, size_t y, size_t w, size_t h, const struct text *png)
{
	fprintf(file, "<image x=\"%zu\" y=\"%zu\" width=\"%zu\" height=\"%zu\" href=\"", x, y, w, h);
	png_out_url(file, png);
	fputs("\"/>\n", file);
}

/**
 * svg_write() - write the document
 * @file: output
 * @canvas: a picture, after canvas_end()
 * @scale: points of a pixel
 */
void svg_write(FILE *file, const struct canvas *canvas, double scale)
{
	fprintf(file, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
		"width=\"%gpt\" height=\"%gpt\" viewBox=\"0 0 %zu %zu\" font-family=\"DejaVu Sans, sans-serif\" style=\"white-space: pre\">\n<title>",
		(double)canvas->width * scale, (double)canvas->height * scale, canvas->width, canvas->height);
	put_escaped(file, canvas->title ? canvas->title : "");
	fputs("</title>\n<desc>", file);
	put_escaped(file, canvas->notes ? canvas->notes : "");
	/* cells stay sharp */
	fputs("</desc>\n<style>image { image-rendering: pixelated; }</style>\n", file);
	fwrite(canvas->elements.buf, 1, canvas->elements.len, file);
	fputs("</svg>\n", file);
}
