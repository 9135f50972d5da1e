// SPDX-License-Identifier: GPL-2.0-only
/*
 * Last step of the pipeline: pixels -> PNG data in memory -> a file that is written as a whole or not at all.
 * Only this file uses libpng.
 */
#include <png.h>

#include "outfile.h"
#include "picture/png_out.h"

/* The fast level is sufficient: pictures consist of long runs. */
#define ZLIB_LEVEL 1

/* The bits of a pixel that are its colour. */
#define RGB 0xffffff

#define MAX_COLORS 256
#define HASH_SLOTS 1024

/* === Palette === */

/* The colours of a picture that has at most MAX_COLORS, and a hash from a colour to its number. */
struct palette {
	png_color color[MAX_COLORS];
	int n;
	uint32_t key[HASH_SLOTS];	/* 0xrrggbb + 1, or 0 for an empty slot */
	uint8_t index[HASH_SLOTS];
};

/* The number of a colour, or -1 if there are too many colours. */
static int palette_index(struct palette *p, uint32_t rgb)
{
	size_t i = (rgb * UINT32_C(2654435761)) >> 22;

	for (; p->key[i]; i = (i + 1) % HASH_SLOTS)
		if (p->key[i] == rgb + 1)
			return p->index[i];
	if (p->n == MAX_COLORS)
		return -1;
	p->key[i] = rgb + 1;
	p->index[i] = (uint8_t)p->n;
	p->color[p->n] = (png_color){ (png_byte)(rgb >> 16), (png_byte)(rgb >> 8), (png_byte)rgb };
	return p->n++;
}

/* One byte per pixel if there are few enough colours, otherwise NULL. To be freed. */
static uint8_t *indexed(const struct canvas *canvas, struct palette *p)
{
	size_t n = canvas->width * canvas->height;
	uint8_t *bytes = xreallocarray(NULL, n, 1);
	uint32_t last = canvas->px[0] & RGB;
	int index = palette_index(p, last);

	for (size_t i = 0; i < n; i++) {
		if ((canvas->px[i] & RGB) != last) {
			last = canvas->px[i] & RGB;
			index = palette_index(p, last);
			if (index < 0) {
				free(bytes);
				return NULL;
			}
		}
		bytes[i] = (uint8_t)index;
	}
	return bytes;
}

/* === PNG === */

static noreturn void png_failed(png_structp png, png_const_charp message)
{
	die("cannot make the picture: %s", errno ? strerror(errno) : message);
}

static void png_warned(png_structp png, png_const_charp message)
{
}

/* PNG requires Latin-1 without control characters other than newlines. */
static char *printable(const char *text)
{
	char *copy = xasprintf("%s", text ? text : ""), *p;

	for (p = copy; *p; p++)
		if (*p != '\n' && (*p < ' ' || *p > '~'))
			*p = '?';
	return copy;
}

static void put_texts(png_structp png, png_infop info, const struct canvas *canvas)
{
	AUTO_FREE char *title = printable(canvas->title), *notes = printable(canvas->notes);
	char title_key[] = "Title", software_key[] = "Software", notes_key[] = "Description";
	char software[] = "fragtrace " VERSION;
	png_text texts[] = {
		{ .compression = PNG_TEXT_COMPRESSION_NONE, .key = title_key, .text = title },
		{ .compression = PNG_TEXT_COMPRESSION_NONE, .key = software_key, .text = software },
		{ .compression = PNG_TEXT_COMPRESSION_NONE, .key = notes_key, .text = notes },
	};

	png_set_text(png, info, texts, ARRAY_LEN(texts));
	png_write_info(png, info);
}

/* A pixel is 0x00rrggbb; without bytes, libpng takes it as it is in memory. */
static void put_rows(png_structp png, const struct canvas *canvas, const uint8_t *bytes)
{
	if (!bytes && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		png_set_bgr(png);
	if (!bytes)
		png_set_filler(png, 0, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? PNG_FILLER_AFTER : PNG_FILLER_BEFORE);
	for (size_t y = 0; y < canvas->height; y++)
		png_write_row(png, bytes ? bytes + y * canvas->width : (png_const_bytep)(canvas->px + y * canvas->width));
}

static png_uint_32 per_meter(size_t dpi)
{
	return (png_uint_32)((double)dpi / 0.0254 + 0.5);
}

static void encode(const struct canvas *canvas, FILE *file)
{
	struct palette palette = { .n = 0 };
	AUTO_FREE uint8_t *bytes = indexed(canvas, &palette);
	png_structp png;
	png_infop info;

	errno = 0;
	png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, png_failed, png_warned);
	info = png ? png_create_info_struct(png) : NULL;
	if (!info)
		die("cannot start libpng");
	png_init_io(png, file);
	png_set_compression_level(png, ZLIB_LEVEL);
	png_set_filter(png, 0, bytes ? PNG_FILTER_NONE : PNG_FILTER_SUB);
	png_set_IHDR(png, info, (png_uint_32)canvas->width, (png_uint_32)canvas->height, 8,
		     bytes ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
		     PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_set_pHYs(png, info, per_meter(canvas->dpi), per_meter(canvas->dpi), PNG_RESOLUTION_METER);
	if (bytes)
		png_set_PLTE(png, info, palette.color, palette.n);
	put_texts(png, info, canvas);
	put_rows(png, canvas, bytes);
	png_write_end(png, NULL);
	png_destroy_write_struct(&png, &info);
}

/* === Files === */

/**
 * png_out_encode() - make a picture into PNG data
 * @canvas: the picture
 * @png: the result; to be freed with text_free()
 */
void png_out_encode(const struct canvas *canvas, struct text *png)
{
	FILE *file;

	*png = (struct text){ 0 };
	file = open_memstream(&png->buf, &png->len);
	if (!file)
		die("no memory for the picture");
	encode(canvas, file);
	if (ferror(file) || fclose(file))
		die("no memory for the picture");
}

/**
 * png_out_write() - write a picture
 * @png: from png_out_encode()
 * @path: output file; "-" is standard output
 *
 * A regular file is replaced atomically. Ends the program if writing fails.
 */
void png_out_write(const struct text *png, const char *path)
{
	struct outfile out;

	if (!strcmp(path, "-") && isatty(STDOUT_FILENO))
		die("standard output is a terminal; expected a file or a pipe for the picture");
	outfile_open(&out, path, "picture");
	fwrite(png->buf, 1, png->len, out.file);
	outfile_close(&out);
}

/**
 * png_out_url() - write PNG data as a URL
 * @file: output
 * @png: from png_out_encode()
 */
void png_out_url(FILE *file, const struct text *png)
{
	fputs("data:image/png;base64,", file);
	put_base64(file, png->buf, png->len);
}
