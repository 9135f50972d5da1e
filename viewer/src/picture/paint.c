// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fourth step of the pipeline: a layout and runs -> pixels.
 * Uses cells and colours only. Files, formats and the order of cells are handled elsewhere.
 */

#include "names.h"
#include "picture/legend.h"
#include "picture/paint.h"
#include "picture/strip.h"

/* Cells of at least so many pens have a line between runs of the same colour. */
#define LEAST_SEPARATED 3

/* The least contrast with free space of what is alone in it, see WCAG; the luminance is not exact. */
#define LEAST_CONTRAST 3.05

/* Along a curve, a cell is alone if it is one of so few that are not free, of it and the eight around it: a block may be in two. */
#define MOST_LOST 2

/* Cells of at least so many pens have room for a frame. */
#define LEAST_FRAMED 5

/* Width of a stripe of hatching, pixels of a screen. */
#define HATCH_PEN 2

/* The least room for what follows the path in the heading of a volume, in letters. */
#define HEADING_COLS 66

/* The number in a mark, drawn when all cells are. */
struct number {
	size_t x;
	size_t y;
	uint32_t rgb;
	uint64_t blks;
};

/*
 * A grid being painted, the colours by shade, those of cells that are free (of free space, of the page and of the
 * mark of what is folded of these), the rows for its axes, the mixed colours of an incomplete cell and the unit after
 * it, the numbers to be drawn; and, for lines between runs of one colour: where the last piece ended, where the run
 * and the one before it begin, and whether they touch and have one colour; and blocks of files up to now.
 */
struct brush {
	struct canvas *canvas;
	const struct layout *layout;
	const struct grid *grid;
	const uint32_t *rgb;
	uint32_t free[3];
	struct folded *folded;
	struct strip *strip;
	struct rows *rows;
	uint64_t cell;
	uint64_t cell_end;
	struct mix mix;
	uint64_t last_end;
	uint64_t run_begin;
	uint64_t before_begin;
	uint32_t run_rgb;
	bool is_same;
	uint64_t blks_drawn;
	struct number *numbers;
	size_t n_numbers;
	size_t cap_numbers;
};

static void fill_cell(const struct brush *b, uint64_t cell, uint32_t rgb)
{
	const struct layout *l = b->layout;
	size_t x, y;

	layout_cell_xy(l, b->grid, cell, &x, &y);
	canvas_cell(b->canvas, x, y, l->cell_w, l->cell_h, rgb);
}

/* Fill all cells. Without borders, whole rows are filled at once. */
static void fill_all(const struct brush *b, uint32_t rgb)
{
	const struct layout *l = b->layout;
	uint64_t n = b->grid->n_cells, i = 0;
	bool is_dense = l->cell_w == l->pitch_x && l->cell_h == l->pitch_y;
	size_t rows = (size_t)(n / b->grid->columns);

	if (is_dense && (l->order == ORDER_ROWS || rows == b->grid->columns)) {
		canvas_cell(b->canvas, b->grid->x, b->grid->y, b->grid->columns * l->cell_w,
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

static bool is_separable(const struct brush *b)
{
	return b->is_same && b->layout->cell_w >= LEAST_SEPARATED * layout_px(b->layout->img, 1);
}

/* A line between two runs of one colour, in the border before a cell or at its left edge. */
static void separate(const struct brush *b, uint64_t cell)
{
	const struct layout *l = b->layout;
	size_t border = l->pitch_x - l->cell_w, x, y;

	layout_cell_xy(l, b->grid, cell, &x, &y);
	canvas_cell(b->canvas, x - border, y, border ? border : layout_px(l->img, 1), l->cell_h, RGB_INK);
}

/* The same between rows: over the cells of a piece that are below cells of the run before. */
static void separate_rows(const struct brush *b, const struct piece *piece)
{
	const struct layout *l = b->layout;
	uint64_t columns = b->grid->columns, cell = piece->at, end = b->run_begin + columns;
	size_t border = l->pitch_y - l->cell_h, x, y;

	if (l->order != ORDER_ROWS)
		return;
	if (end > piece->at + piece->len)
		end = piece->at + piece->len;
	if (cell < b->before_begin + columns)
		cell = b->before_begin + columns;
	for (; cell < end; cell++) {
		layout_cell_xy(l, b->grid, cell, &x, &y);
		canvas_cell(b->canvas, x, y - border, l->pitch_x, border ? border : layout_px(l->img, 1),
			    RGB_INK);
	}
}

/* The number is over the cells of the mark after its first one, or over those of the next row if they do not have the room. */
static void label_mark(struct brush *b, const struct piece *mark, uint32_t rgb)
{
	const struct layout *l = b->layout;
	uint64_t first = mark->at + 1, n = mark->len - 1, here = b->grid->columns - first % b->grid->columns;
	size_t x, y;

	if (n > here) {
		first += here;
		n -= here;
	}
	layout_cell_xy(l, b->grid, first, &x, &y);
	canvas_cell(b->canvas, x, y, (size_t)n * l->pitch_x - (l->pitch_x - l->cell_w), l->cell_h, rgb);
	*APPEND(b->numbers, b->n_numbers, b->cap_numbers) = (struct number){ .x = x, .y = y, .rgb = canvas_ink(rgb), .blks = mark->blks };
}

static void draw_mark(struct brush *b, const struct piece *piece, uint32_t rgb)
{
	const struct layout *l = b->layout;
	size_t x, y;

	for (uint64_t i = 0; i < piece->len; i++) {
		layout_cell_xy(l, b->grid, piece->at + i, &x, &y);
		canvas_hatch(b->canvas, x, y, l->cell_h, layout_px(l->img, HATCH_PEN), rgb);
	}
	if (l->label > 0)
		label_mark(b, piece, rgb);
}

static void draw_numbers(struct brush *b)
{
	double scale = b->layout->label, down = ((double)b->layout->cell_h - DIGIT_H * scale) / 2;
	char text[24];

	for (size_t i = 0; i < b->n_numbers; i++) {
		const struct number *n = &b->numbers[i];

		snprintf(text, sizeof(text), "%ju", (uintmax_t)n->blks);
		canvas_text(b->canvas, (double)n->x + scale, (double)n->y + down, scale, n->rgb, text);
	}
	free(b->numbers);
}

/* === Cells that stand for several blocks === */

/* Mix the colours of the content by exact shares, then mix in free space. */
static void flush_cell(struct brush *b)
{
	double share = (double)b->mix.n / (double)b->layout->units_per_cell;

	if (b->mix.n)
		fill_cell(b, b->cell, colors_diluted(colors_mixed(&b->mix), share));
	b->mix = (struct mix){ 0 };
}

static void mix_cells(struct brush *b, uint64_t at, uint64_t len, uint32_t rgb)
{
	uint64_t all = b->layout->units_per_cell, take;

	while (len) {
		if (at >= b->cell_end) {
			flush_cell(b);
			b->cell = at / all;
			b->cell_end = (b->cell + 1) * all;
		}
		take = len < b->cell_end - at ? len : b->cell_end - at;
		colors_mix_in(&b->mix, take, rgb);
		at += take;
		len -= take;
	}
}

/* === Cells that are lost among free ones === */

static uint32_t mix_ink(uint32_t rgb, uint32_t percent)
{
	uint32_t result = 0, ink = RGB_INK;

	for (uint32_t shift = 0; shift <= 16; shift += 8)
		result |= ((rgb >> shift & 0xff) * (100 - percent) + (ink >> shift & 0xff) * percent) / 100 << shift;
	return result;
}

/* The same colour, with as much ink as it needs to be visible on free space. */
static uint32_t visible(uint32_t rgb)
{
	double paper = canvas_luminance(RGB_FREE) + 0.05, ink;
	uint32_t percent = 0;

	for (;; percent++) {
		ink = canvas_luminance(mix_ink(rgb, percent)) + 0.05;
		if (percent == 100 || paper >= LEAST_CONTRAST * ink || ink >= LEAST_CONTRAST * paper)
			return mix_ink(rgb, percent);
	}
}

static bool is_used(const struct brush *b, size_t column, size_t row)
{
	const struct grid *grid = b->grid;
	uint32_t rgb;

	/* also left of the first one and above it */
	if (column >= grid->columns || row >= grid->rows)
		return false;
	rgb = canvas_pixel(b->canvas, grid->x + column * b->layout->pitch_x, grid->y + row * b->layout->pitch_y);
	return rgb != b->free[0] && rgb != b->free[1] && rgb != b->free[2];
}

/* Are few of a cell and the eight around it not free? */
static bool is_lost(const struct brush *b, size_t column, size_t row)
{
	size_t left = b->layout->order == ORDER_HILBERT ? MOST_LOST : 1;

	for (size_t i = 0; i < 9; i++)
		if (is_used(b, column + i % 3 - 1, row + i / 3 - 1) && !left--)
			return false;
	return true;
}

/* Big cells keep their colour and get a frame, small ones are darker. */
static void show_cell(const struct brush *b, size_t column, size_t row)
{
	const struct layout *l = b->layout;
	size_t x = b->grid->x + column * l->pitch_x, y = b->grid->y + row * l->pitch_y, pen = layout_px(l->img, 1);
	bool is_big = l->cell_w >= LEAST_FRAMED * pen && l->cell_h >= LEAST_FRAMED * pen;
	uint32_t rgb = canvas_pixel(b->canvas, x, y), ink;

	if (!is_lost(b, column, row))
		return;
	ink = visible(rgb);
	if (ink == rgb)
		return;
	canvas_cell(b->canvas, x, y, l->cell_w, l->cell_h, ink);
	if (is_big)
		canvas_cell(b->canvas, x + pen, y + pen, l->cell_w - 2 * pen, l->cell_h - 2 * pen, rgb);
}

/* A few blocks of a pale colour in free space would not be seen. */
static void show_lost(const struct brush *b)
{
	for (size_t row = 0; row < b->grid->rows; row++)
		for (size_t column = 0; column < b->grid->columns; column++)
			if (is_used(b, column, row))
				show_cell(b, column, row);
}

/* === Grids === */

static void count_folded(struct folded *folded, const struct piece *piece)
{
	switch (piece->shade) {
	case SHADE_FREE: folded->free += piece->blks; break;
	case SHADE_OTHER: folded->other += piece->blks; break;
	case SHADE_NODES: folded->nodes += piece->blks; break;
	case SHADE_LEFT_OUT: folded->left_out += piece->blks; break;
	default: folded->blks[SHADE_RULE(piece->shade)] += piece->blks;
	}
}

/* Empty rows that are folded are neither free nor used: the layout draws a line there. */
static void clear_rows(struct brush *b, const struct piece *piece)
{
	uint64_t first, n = layout_cells(b->layout, piece, &first);

	fill_cells(b, first, n, RGB_PAGE);
}

static void begin_run(struct brush *b, const struct piece *piece, uint32_t rgb)
{
	b->is_same = piece->at && piece->at == b->last_end && rgb == b->run_rgb;
	b->before_begin = b->run_begin;
	b->run_begin = piece->at;
	b->run_rgb = rgb;
}

static void paint_block_cells(struct brush *b, const struct piece *piece, uint32_t rgb)
{
	if (piece->begins)
		begin_run(b, piece, rgb);
	if (piece->folded)
		draw_mark(b, piece, rgb);
	else
		fill_cells(b, piece->at, piece->len, rgb);
	if (piece->shade == SHADE_FREE)
		return;
	b->last_end = piece->at + piece->len;
	if (!is_separable(b))
		return;
	if (piece->begins)
		separate(b, piece->at);
	separate_rows(b, piece);
}

static void paint_piece(void *arg, const struct piece *piece)
{
	struct brush *b = arg;
	uint32_t rgb = b->rgb[piece->shade];

	if (b->layout->ops->note)
		b->layout->ops->note(b->rows, piece);
	if (piece->extent != NO_EXTENT) {
		b->blks_drawn += piece->blks;
		strip_add(b->strip, piece);
	}
	if (piece->folded)
		count_folded(b->folded, piece);
	else if (piece->shade == SHADE_FREE)
		return;
	if (piece->folded && b->layout->fold_rows)
		clear_rows(b, piece);
	else if (b->layout->units_per_cell > 1)
		mix_cells(b, piece->at, piece->len, piece->folded ? canvas_contrast(rgb) : rgb);
	else
		paint_block_cells(b, piece, rgb);
}

static char *heading_text(const struct runs *runs, size_t volume, uint64_t blks_drawn)
{
	const struct volume *v = runs_volume(runs, volume);
	const struct part *part = &runs->parts[volume];
	uint64_t blks = part->end_blk - part->first_blk;
	char whole[64] = "";

	if (runs->lens->range)
		snprintf(whole, sizeof(whole), " of %ju to %ju", (uintmax_t)v->first_blk, (uintmax_t)(v->end_blk - 1));
	return xasprintf("LBA %ju to %ju%s, %s block%s (%s), %s in %s files", (uintmax_t)part->first_blk,
			 (uintmax_t)(part->end_blk - 1), whole, GROUPED(blks), blks == 1 ? "" : "s", BLKS(v, blks),
			 SHARE(blks_drawn, blks),
			 runs->selection ? "matching" : "watched");
}

static void draw_heading(struct canvas *canvas, const struct layout *l, const struct runs *runs, size_t volume,
			 uint64_t blks_drawn)
{
	double y = (double)(l->grids[volume].y - l->heading) + LETTER_H * l->scale / 2, w;
	const struct volume *v = runs_volume(runs, volume);
	AUTO_FREE char *path = name_text(v->path), *text = heading_text(runs, volume, blks_drawn);
	char dev[32];
	double x = (double)l->margin, room = (double)canvas->right - x;
	/* most letters are narrower than LETTER_W */
	size_t cols = strlen(text) * 4 / 5 + 2;

	snprintf(dev, sizeof(dev), "%u:%u", v->major, v->minor);
	canvas_note(canvas, "%s %s  %s", dev, path, text);
	x += canvas_text_fit(canvas, x, y, room, l->scale, RGB_INK, dev) + LETTER_W * l->scale;
	/* a long path leaves room for what follows it */
	w = (double)canvas->right - x - (double)((cols > HEADING_COLS ? cols : HEADING_COLS) * LETTER_W) * l->scale;
	x += canvas_text_fit(canvas, x, y, w, l->scale, RGB_INK, path) + 2 * LETTER_W * l->scale;
	canvas_text(canvas, x, y, l->scale, RGB_INK, text);
}

/* Return: the blocks of files that were drawn or folded. */
static uint64_t paint_volume(struct canvas *canvas, const struct layout *l, const struct runs *runs,
			     const uint32_t *rgb, struct folded *folded, size_t volume)
{
	const struct grid *grid = &l->grids[volume];
	struct rows rows = {
		.layout = l, .volume = runs_volume(runs, volume), .all = xcalloc(grid->rows, sizeof(*rows.all)),
		.n = grid->rows, .units = grid->columns * l->units_per_cell,
	};
	struct strip strip;
	struct brush b = {
		.canvas = canvas, .layout = l, .grid = grid, .rgb = rgb, .folded = folded, .strip = &strip,
		.rows = &rows, .free = { RGB_FREE, RGB_PAGE, canvas_contrast(RGB_FREE) },
	};

	strip_begin(&strip, l, grid, &runs->parts[volume]);
	fill_all(&b, RGB_FREE);
	fill_cells(&b, 0, grid->lead / l->units_per_cell, RGB_PAGE);
	layout_walk(l, runs, volume, paint_piece, &b);
	flush_cell(&b);
	show_lost(&b);
	canvas_show_cells(canvas, grid->x, grid->y, grid->columns * l->pitch_x, grid->rows * l->pitch_y);
	strip_end(&strip, canvas, l, grid);
	draw_numbers(&b);
	l->ops->draw_axes(l, canvas, runs, volume, &rows);
	free(rows.all);
	return b.blks_drawn;
}

/**
 * paint() - draw the whole picture
 * @canvas: the result; to be freed with canvas_free()
 * @l: its measures
 * @runs: the runs
 * @colors: the rules
 * @when: date and time of the table
 * @form: what it is drawn for
 */
void paint(struct canvas *canvas, const struct layout *l, const struct runs *runs,
	   const struct colors *colors, const char *when, enum canvas_form form)
{
	static const char none[] = "no directory is watched";
	struct folded folded = { 0 };
	AUTO_FREE uint64_t *blks_drawn = xcalloc(l->n_grids, sizeof(*blks_drawn));
	uint32_t rgb[UINT8_MAX + 1];

	colors_set_theme(l->img->theme == THEME_DARK);
	for (size_t i = 0; i < ARRAY_LEN(rgb); i++)
		rgb[i] = colors_rgb(colors, (uint8_t)i);
	canvas_init(canvas, l->width, l->height, RGB_PAGE, l->img, form);
	canvas->right = l->width - l->margin;
	for (size_t i = 0; i < l->n_grids; i++)
		blks_drawn[i] = paint_volume(canvas, l, runs, rgb, &folded, i);
	legend_draw(canvas, l, runs, colors, &folded, when);
	for (size_t i = 0; i < l->n_grids; i++)
		draw_heading(canvas, l, runs, i, blks_drawn[i]);
	if (!l->n_grids) {
		canvas_text(canvas, (double)l->margin, (double)l->head, l->scale, RGB_FAINT, none);
		canvas_note(canvas, "%s", none);
	}
	colors_set_theme(false);
}
