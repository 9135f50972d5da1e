// SPDX-License-Identifier: GPL-2.0-only
/*
 * Third step of the pipeline: which part of the picture stands for which blocks.
 * This file has the code that all layouts share: the page around the grids, from runs to cells, and
 * from cells to pixels.
 */

#include "picture/layout.h"
#include "picture/legend.h"

/* This text size and these margins in pixels fit the resolution of a screen. */
#define SCREEN_DPI 96
#define SCALE 2
#define AXIS_SCALE 1
#define AXIS_LETTERS 1.15
#define MARGIN 12

/* Boxes that would fold more of the blocks of files than this are not chosen. */
#define MOST_FOLDED 0.5

/* By enum layout_kind. */
static const struct layout_ops *const layouts[] = {
	&layout_boxes, &layout_segments, &layout_hilbert, &layout_zones,
};

/* === Pages === */

/**
 * layout_px() - a length at the requested dots per inch
 * @img: the settings of the picture
 * @length: in pixels of a screen of 96 dots per inch
 *
 * Return: pixels, at least 1 if @length is.
 */
size_t layout_px(const struct img_conf *img, uint64_t length)
{
	size_t px = (size_t)((length * img->dpi + SCREEN_DPI / 2) / SCREEN_DPI);

	return px || !length ? px : 1;
}

static double per_screen(const struct img_conf *img)
{
	return (double)img->dpi / SCREEN_DPI;
}

/* The legend must fit; a narrow picture has small letters. */
static double text_scale(const struct layout *l)
{
	double scale = SCALE * per_screen(l->img);
	double most = (double)(l->width - 2 * l->margin) / (LEGEND_COLS * LETTER_W);

	return scale < most ? scale : most;
}

/**
 * layout_fits() - lay out the page
 * @l: the layout with its cells and grids; places of grids and the height are set here
 *
 * Return: true if the picture has at most @l->max_pixels pixels.
 */
bool layout_fits(struct layout *l)
{
	uint64_t most = l->max_pixels / l->width, height = l->head;

	for (size_t v = 0; v < l->n_grids; v++) {
		struct grid *grid = &l->grids[v];

		if (grid->rows > most / l->pitch_y)
			return false;
		height += l->heading;
		grid->x = l->margin + l->axis;
		grid->y = (size_t)height;
		height += grid->rows * l->pitch_y + l->footing;
		if (height > most)
			return false;
	}
	if (!l->n_grids)
		height += l->heading;
	height += l->margin;
	l->height = (size_t)height;
	return height <= most;
}

/**
 * layout_page() - compute the measures of a page without grids
 * @l: the result
 * @img: the settings of the picture; must stay valid as long as @l
 */
void layout_page(struct layout *l, const struct img_conf *img)
{
	*l = (struct layout){
		.img = img,
		.axis_scale = AXIS_SCALE * per_screen(img),
		.axis_letters = AXIS_LETTERS * per_screen(img),
		.width = layout_px(img, img->width), .margin = layout_px(img, MARGIN),
		.max_pixels = img->dpi > SCREEN_DPI ? MOST_PIXELS : MAX_PIXELS,
	};
	if (l->width > MAX_WIDTH)
		l->width = MAX_WIDTH;
	l->scale = text_scale(l);
}

static void plan(struct layout *l, const struct runs *runs, const struct img_conf *img, size_t n_lines,
		 const struct layout_ops *ops)
{
	layout_page(l, img);
	l->ops = ops;
	l->grids = xcalloc(runs->n_parts, sizeof(*l->grids));
	l->n_grids = runs->n_parts;
	l->units_per_blk = l->units_per_cell = 1;
	l->head = legend_height(l, n_lines);
	l->heading = (size_t)(2 * LETTER_H * l->scale);
	l->ops->plan(l, runs);
}

static size_t enlarged_cell(const struct img_conf *img, size_t cell, size_t *pitch)
{
	size_t border = *pitch > cell ? layout_px(img, img->border) : 0;

	*pitch = *pitch * img->dpi / SCREEN_DPI;
	return *pitch > border ? *pitch - border : 0;
}

/* The page of a screen at other dots per inch. Return: false if it has too many pixels, or less than one for a cell. */
static bool enlarge(struct layout *l, const struct img_conf *img)
{
	size_t *const lengths[] = {
		&l->axis, &l->axis_end, &l->margin, &l->head, &l->heading, &l->footing, &l->strip, &l->width,
	};
	size_t pitch = l->pitch_x;

	for (size_t i = 0; i < ARRAY_LEN(lengths); i++)
		*lengths[i] = layout_px(img, *lengths[i]);
	l->cell_w = enlarged_cell(img, l->cell_w, &l->pitch_x);
	l->cell_h = enlarged_cell(img, l->cell_h, &l->pitch_y);
	l->label *= (double)l->pitch_x / (double)pitch;
	l->axis_scale *= per_screen(img);
	l->axis_letters *= per_screen(img);
	l->scale *= per_screen(img);
	l->max_pixels = MOST_PIXELS;
	l->img = img;
	return l->cell_w && l->cell_h && l->width <= MAX_WIDTH && layout_fits(l);
}

/* More dots per inch make all larger, and do not change what it stands for. */
static void plan_for(struct layout *l, const struct runs *runs, const struct img_conf *img, size_t n_lines,
		     const struct layout_ops *ops)
{
	struct img_conf screen = *img;

	screen.dpi = SCREEN_DPI;
	plan(l, runs, &screen, n_lines, ops);
	if (enlarge(l, img))
		return;
	layout_free(l);
	plan(l, runs, img, n_lines, ops);
}

/**
 * layout_init() - compute the measures of a picture
 * @l: the result; to be freed with layout_free()
 * @runs: the runs to draw
 * @img: the settings of the picture; must stay valid as long as @l
 * @n_rules: lines of the legend, if none is empty
 */
void layout_init(struct layout *l, const struct runs *runs, const struct img_conf *img,
		 size_t n_rules)
{
	size_t n_lines = n_rules - legend_empty_lines(runs);
	double share;

	plan_for(l, runs, img, n_lines, layouts[img->layout == LAYOUT_AUTO ? LAYOUT_BOXES : img->layout]);
	if (img->layout != LAYOUT_AUTO || l->folded_share <= MOST_FOLDED)
		return;
	share = l->folded_share;
	layout_free(l);
	plan_for(l, runs, img, n_lines, &layout_segments);
	l->folded_share = share;
	l->is_instead = true;
}

/**
 * layout_free() - release a layout
 * @l: as left by layout_init()
 */
void layout_free(struct layout *l)
{
	free(l->grids);
	*l = (struct layout){ 0 };
}

/* === From runs to cells === */

/* The drawn part of an extent may begin after the extent does. */
static uint64_t left_of(const struct extent *e, uint64_t lba)
{
	return e->lba + (uint64_t)e->blks - lba;
}

/**
 * layout_put_extents() - hand out the first blocks of a run, extent by extent
 * @l: the layout
 * @table: the table
 * @run: the run
 * @at: the unit it begins at
 * @blks: number of blocks, at most those of the run
 * @fn: called for each piece
 * @arg: argument of @fn
 *
 * Return: the first unit after the last piece.
 */
uint64_t layout_put_extents(const struct layout *l, const struct table *table,
			    const struct run *run, uint64_t at, uint64_t blks, piece_fn fn,
			    void *arg)
{
	struct piece piece = {
		.at = at, .extent = run->first, .lba = run->lba, .shade = run->shade, .begins = true,
	};

	while (blks) {
		piece.blks = blks;
		if (run->n > 1 && left_of(&table->extents[piece.extent], piece.lba) < blks)
			piece.blks = left_of(&table->extents[piece.extent], piece.lba);
		piece.len = piece.blks * l->units_per_blk;
		fn(arg, &piece);
		blks -= piece.blks;
		piece.at += piece.len;
		piece.lba += piece.blks;
		piece.extent++;
		piece.begins = false;
	}
	return piece.at;
}

/**
 * layout_walk() - call a function for each piece of a volume
 * @l: the layout
 * @runs: the runs that the layout was made for
 * @volume: index of the part of a volume
 * @fn: called for each piece, free space included, in order of units, without gap or overlap
 * @arg: argument of @fn
 */
void layout_walk(const struct layout *l, const struct runs *runs, size_t volume, piece_fn fn,
		 void *arg)
{
	struct run_walk walk = runs_walk(runs, volume);
	struct run run;
	uint64_t at = l->grids[volume].lead;

	while (runs_next(&walk, &run))
		at = l->ops->put_run(l, runs->table, &run, at, fn, arg);
}

/**
 * layout_cells() - the cells of a piece
 * @l: the layout
 * @piece: the piece
 * @first: set to the number of the first cell
 *
 * The first and the last cell may belong to other pieces, too.
 *
 * Return: how many cells, at least 1.
 */
uint64_t layout_cells(const struct layout *l, const struct piece *piece, uint64_t *first)
{
	*first = piece->at / l->units_per_cell;
	return (piece->at + piece->len - 1) / l->units_per_cell - *first + 1;
}

/* === Texts === */

/**
 * layout_cell_size() - describe how much a cell stands for
 * @l: the layout
 * @table: the table
 *
 * Return: a text like "1 cell = 4 blocks (16 KiB)" or "1 cell = about 4,096 blocks (16 MiB)"; to be freed.
 */
char *layout_cell_size(const struct layout *l, const struct table *table)
{
	double blks = (double)l->units_per_cell / (double)l->units_per_blk;
	uint64_t whole = (uint64_t)(blks + 0.5);
	const char *bytes = BYTES(blks * table_blk_bytes(table));
	/* a cell of the whole curve may be a hair smaller than a round number */
	bool is_whole = blks > (double)whole - 0.005 && blks < (double)whole + 0.005;

	if (is_whole || blks >= 100)
		return xasprintf("1 cell = %s%s (%s)", is_whole ? "" : "about ", COUNT(whole, "block"), bytes);
	return xasprintf("1 cell = %.2f blocks (%s)", blks, bytes);
}

/* === From cells to pixels === */

/* Position @d on the Hilbert curve in a square of @side x @side. */
static void hilbert_xy(uint64_t side, uint64_t d, uint64_t *x, uint64_t *y)
{
	uint64_t right, down, swap;

	*x = *y = 0;
	for (uint64_t s = 1; s < side; s *= 2, d /= 4) {
		right = d / 2 & 1;
		down = (d ^ right) & 1;
		if (!down) {
			if (right) {
				*x = s - 1 - *x;
				*y = s - 1 - *y;
			}
			swap = *x;
			*x = *y;
			*y = swap;
		}
		*x += s * right;
		*y += s * down;
	}
}

/**
 * layout_cell_xy() - the position of a cell
 * @l: the layout
 * @grid: the grid
 * @cell: number of the cell
 * @x: set to its left edge, pixels from the left of the picture
 * @y: set to its upper edge, pixels from the top of the picture
 */
void layout_cell_xy(const struct layout *l, const struct grid *grid, uint64_t cell, size_t *x,
		    size_t *y)
{
	uint64_t column = cell % grid->columns, row = cell / grid->columns;

	if (l->order == ORDER_HILBERT)
		hilbert_xy(grid->columns, cell, &column, &row);
	*x = grid->x + (size_t)column * l->pitch_x;
	*y = grid->y + (size_t)row * l->pitch_y;
}
