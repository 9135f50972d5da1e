// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fourth step of the pipeline: a layout and runs -> pixels.
 * Uses cells and colours only. Files, formats and the order of cells are handled elsewhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture/axis.h"
#include "picture/font.h"
#include "picture/legend.h"
#include "picture/paint.h"

#define MAX_TEXT 512

/* A grid being painted, and the mixed colours of an incomplete cell. */
struct brush {
	struct canvas *canvas;
	const struct layout *layout;
	const struct grid *grid;
	const struct colors *colors;
	struct folded *folded;
	uint64_t cell;
	uint64_t used;
	uint64_t red, green, blue;
};

static void fill_cell(const struct brush *b, uint64_t cell, uint32_t rgb)
{
	const struct layout *l = b->layout;
	size_t x, y;

	layout_cell_xy(l, b->grid, cell, &x, &y);
	canvas_fill(b->canvas, x, y, l->cell_w, l->cell_h, rgb);
}

/* Fill all cells. Without borders, whole rows are filled at once. */
static void fill_all(const struct brush *b, uint32_t rgb)
{
	const struct layout *l = b->layout;
	uint64_t n = b->grid->n_cells, i = 0;
	bool is_dense = l->cell_w == l->pitch_x && l->cell_h == l->pitch_y;
	size_t rows = (size_t)(n / b->grid->columns);

	if (is_dense && (l->order == ORDER_ROWS || rows == b->grid->columns)) {
		canvas_fill(b->canvas, b->grid->x, b->grid->y, b->grid->columns * l->cell_w,
			    rows * l->cell_h, rgb);
		i = (uint64_t)rows * b->grid->columns;
	}
	for (; i < n; i++)
		fill_cell(b, i, rgb);
}

/* === Cells that hold one block === */

static void fill_cells(const struct brush *b, uint64_t first, uint64_t n, uint32_t rgb)
{
	for (; n; n--)
		fill_cell(b, first++, rgb);
}

/* Draw the number over the cells of the mark, in the row that has room for it. */
static void label_mark(const struct brush *b, uint64_t first, uint64_t n, const char *text,
		       uint32_t rgb)
{
	const struct layout *l = b->layout;
	size_t columns = b->grid->columns, column = (size_t)(first % columns);
	size_t here = columns - column, need = fold_label_width(l->label, strlen(text)), x, y;

	if (n > here && n - here > here) {
		first += here;
		n -= here;
	} else if (n > here) {
		n = here;
	}
	if (n * l->pitch_x < need)
		return;
	layout_cell_xy(l, b->grid, first, &x, &y);
	canvas_fill(b->canvas, x, y, (size_t)n * l->pitch_x - (l->pitch_x - l->cell_w), l->cell_h, rgb);
	canvas_text(b->canvas, x + l->label, y + (l->cell_h - 7 * l->label) / 2, l->label,
		    canvas_ink(rgb), text);
}

static void draw_mark(const struct brush *b, const struct piece *piece, uint32_t rgb)
{
	const struct layout *l = b->layout;
	char text[24];
	uint64_t i;
	size_t x, y;

	for (i = 0; i < piece->len; i++) {
		layout_cell_xy(l, b->grid, piece->at + i, &x, &y);
		canvas_hatch(b->canvas, x, y, l->cell_h, rgb);
	}
	if (!l->label)
		return;
	snprintf(text, sizeof(text), "%ju", (uintmax_t)piece->blks);
	label_mark(b, piece->at + 1, piece->len - 1, text, rgb);
}

/* === Cells that stand for several blocks === */

static uint32_t mean(uint64_t sum, uint64_t n)
{
	return (uint32_t)((sum + n / 2) / n);
}

/* Mix the colours of the content by exact shares, then mix in free space. */
static void flush_cell(struct brush *b)
{
	uint64_t n = b->used;
	uint32_t rgb;

	if (!n)
		return;
	rgb = mean(b->red, n) << 16 | mean(b->green, n) << 8 | mean(b->blue, n);
	fill_cell(b, b->cell, colors_thin(rgb, (double)n / (double)b->layout->units_per_cell));
	b->used = b->red = b->green = b->blue = 0;
}

static void mix_in(struct brush *b, uint64_t units, uint32_t rgb)
{
	b->used += units;
	b->red += units * (rgb >> 16);
	b->green += units * (rgb >> 8 & 0xff);
	b->blue += units * (rgb & 0xff);
}

static void mix_cells(struct brush *b, uint64_t at, uint64_t len, uint32_t rgb)
{
	uint64_t all = b->layout->units_per_cell;

	while (len) {
		uint64_t room = all - at % all, take = len < room ? len : room;

		if (at / all != b->cell) {
			flush_cell(b);
			b->cell = at / all;
		}
		mix_in(b, take, rgb);
		at += take;
		len -= take;
	}
}

/* === Grids === */

static void count_folded(struct folded *folded, const struct piece *piece)
{
	if (piece->shade == SHADE_FREE)
		folded->free += piece->blks;
	else
		folded->blks[SHADE_RULE(piece->shade)] += piece->blks;
}

static void paint_piece(void *arg, const struct piece *piece)
{
	struct brush *b = arg;
	uint32_t rgb = colors_rgb(b->colors, piece->shade);

	if (piece->folded)
		count_folded(b->folded, piece);
	else if (piece->shade == SHADE_FREE)
		return;
	if (b->layout->units_per_cell > 1)
		mix_cells(b, piece->at, piece->len, piece->folded ? canvas_contrast(rgb) : rgb);
	else if (piece->folded)
		draw_mark(b, piece, rgb);
	else
		fill_cells(b, piece->at, piece->len, rgb);
}

static void draw_heading(struct canvas *canvas, const struct layout *l, const struct table *table,
			 size_t volume)
{
	size_t y = l->grids[volume].y - l->heading + FONT_CELL_H * l->scale / 2;
	const struct volume *v = &table->volumes[volume];
	uint64_t blks = v->end_blk - v->first_blk, used = 0;
	char n[GROUPED_MAX], bytes[BYTES_MAX], share[SHARE_MAX], text[MAX_TEXT];
	size_t scale = l->scale, i;

	for (i = v->first; i < v->end; i++)
		used += table->extents[i].blks;
	format_bytes(bytes, (double)blks);
	format_share(share, used, blks);
	snprintf(text, sizeof(text), "%u:%u %.200s  LBA %ju to %ju, %s blocks (%s), %s in watched files",
		 v->major, v->minor, v->path, (uintmax_t)v->first_blk, (uintmax_t)(v->end_blk - 1),
		 grouped(n, blks), bytes, share);
	while (scale > 1 && strlen(text) * FONT_CELL_W * scale > l->width - 2 * l->margin)
		scale--;
	canvas_text(canvas, l->margin, y, scale, RGB_INK, text);
	canvas_note(canvas, "%s", text);
}

static void paint_volume(struct canvas *canvas, const struct layout *l, const struct runs *runs,
			 const struct colors *colors, struct folded *folded, size_t volume)
{
	const struct grid *grid = &l->grids[volume];
	struct brush b = {
		.canvas = canvas, .layout = l, .grid = grid, .colors = colors, .folded = folded,
	};

	fill_all(&b, RGB_FREE);
	layout_walk(l, runs, volume, paint_piece, &b);
	flush_cell(&b);
	l->ops->draw_axes(l, canvas, runs, volume);
}

/**
 * paint() - draw the whole picture
 * @canvas: the result; to be freed with canvas_free()
 * @l: its measures
 * @runs: the runs
 * @colors: the rules
 * @when: date and time of the table
 */
void paint(struct canvas *canvas, const struct layout *l, const struct runs *runs,
	   const struct colors *colors, const char *when)
{
	static const char none[] = "no directory is watched";
	struct folded folded = { 0 };
	size_t i;

	canvas_init(canvas, l->width, l->height, RGB_PAGE);
	canvas->dpi = l->img->dpi;
	for (i = 0; i < l->n_grids; i++)
		paint_volume(canvas, l, runs, colors, &folded, i);
	legend_draw(canvas, l, runs, colors, &folded, when);
	for (i = 0; i < l->n_grids; i++)
		draw_heading(canvas, l, runs->table, i);
	if (l->n_grids)
		return;
	canvas_text(canvas, l->margin, l->head, l->scale, RGB_FAINT, none);
	canvas_note(canvas, "%s", none);
}
