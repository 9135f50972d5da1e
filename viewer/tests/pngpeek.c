// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test helper: decode a PNG and print its content.
 *	pngpeek FILE		size, and each colour with its number of pixels, most frequent first
 *	pngpeek FILE text	the texts, and the dots per inch
 *	pngpeek FILE X Y	the colour of one pixel
 *	pngpeek FILE X Y W H	size, and the colours of a rectangle
 */
#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t *px;
static size_t width, height;

static void fail(const char *what)
{
	fprintf(stderr, "pngpeek: %s\n", what);
	exit(1);
}

static void on_error(png_structp png, png_const_charp message)
{
	(void)png;
	fail(message);
}

static void print_texts(png_structp png, png_infop info)
{
	png_textp texts;
	int n, i;

	png_get_text(png, info, &texts, &n);
	for (i = 0; i < n; i++)
		printf("%s: %s\n", texts[i].key, texts[i].text);
	printf("dpi: %.0f\n", png_get_pixels_per_meter(png, info) * 0.0254);
}

static void copy_pixels(png_structp png, png_infop info)
{
	png_bytepp rows = png_get_rows(png, info);
	size_t x, y;

	width = png_get_image_width(png, info);
	height = png_get_image_height(png, info);
	if (png_get_rowbytes(png, info) != width * 3)
		fail("not an RGB picture");
	px = calloc(width * height, sizeof(*px));
	if (!px)
		fail("no memory");
	for (y = 0; y < height; y++)
		for (x = 0; x < width; x++)
			px[y * width + x] = (uint32_t)rows[y][3 * x] << 16 |
					    (uint32_t)rows[y][3 * x + 1] << 8 | rows[y][3 * x + 2];
}

static void decode(const char *path, int want_texts)
{
	FILE *file = fopen(path, "rb");
	png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, on_error, NULL);
	png_infop info = png ? png_create_info_struct(png) : NULL;

	if (!file || !info)
		fail("cannot open the file");
	png_init_io(png, file);
	if (want_texts) {
		/* they are before the pixels */
		png_read_info(png, info);
		print_texts(png, info);
	} else {
		png_read_png(png, info, PNG_TRANSFORM_EXPAND, NULL);
		copy_pixels(png, info);
	}
	png_destroy_read_struct(&png, &info, NULL);
	fclose(file);
}

struct tally {
	uint32_t rgb;
	size_t n;
};

static int by_count(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return x->rgb < y->rgb ? -1 : x->rgb > y->rgb;
}

#define N_COLORS (1 << 24)

static void print_colors(void)
{
	static uint32_t counts[N_COLORS];
	struct tally *tallies;
	size_t n_tallies = 0, i;

	for (i = 0; i < width * height; i++)
		n_tallies += !counts[px[i]]++;
	tallies = calloc(n_tallies + 1, sizeof(*tallies));
	if (!tallies)
		fail("no memory");
	for (i = n_tallies = 0; i < N_COLORS; i++)
		if (counts[i])
			tallies[n_tallies++] = (struct tally){ (uint32_t)i, counts[i] };
	qsort(tallies, n_tallies, sizeof(*tallies), by_count);
	printf("size %zu %zu\n", width, height);
	for (i = 0; i < n_tallies; i++)
		printf("#%06x %zu\n", (unsigned int)tallies[i].rgb, tallies[i].n);
	free(tallies);
}

/* Keep only the pixels of a rectangle, cut off at the edges of the picture. */
static void crop(char **args)
{
	size_t x = strtoul(args[0], NULL, 10), y = strtoul(args[1], NULL, 10);
	size_t w = strtoul(args[2], NULL, 10), h = strtoul(args[3], NULL, 10), row;

	if (x >= width || y >= height)
		fail("no such rectangle");
	w = w < width - x ? w : width - x;
	h = h < height - y ? h : height - y;
	for (row = 0; row < h; row++)
		memmove(px + row * w, px + (y + row) * width + x, w * sizeof(*px));
	width = w;
	height = h;
}

int main(int argc, char **argv)
{
	int want_texts = argc == 3 && !strcmp(argv[2], "text");
	size_t x, y;

	if (argc < 2 || argc == 5 || argc > 6 || (argc == 3 && !want_texts))
		fail("usage: pngpeek FILE [text | X Y [W H]]");
	decode(argv[1], want_texts);
	if (argc == 6)
		crop(argv + 2);
	if (argc == 4) {
		x = strtoul(argv[2], NULL, 10);
		y = strtoul(argv[3], NULL, 10);
		if (x >= width || y >= height)
			fail("no such pixel");
		printf("#%06x\n", (unsigned int)px[y * width + x]);
	} else if (!want_texts) {
		print_colors();
	}
	free(px);
	return 0;
}
