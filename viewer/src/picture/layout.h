/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Third step of the pipeline: which part of the picture stands for which blocks.
 *
 * Each volume has a grid of cells. A layout defines the size of the cells, their order, and which cells
 * a run of blocks takes. This header is sufficient to find out what is at a point of the picture, or
 * where a file is on it:
 *
 *	cell at a point	layout_cell_xy() reversed: column (x - grid.x) / pitch_x, row
 *			(y - grid.y) / pitch_y; then by order the number of the cell, see layout_cell_xy()
 *	blocks of cells	layout_walk() goes through all pieces of a volume, each with its cells, in
 *			order of cells; layout_cells() says which these are
 */
#pragma once

#include "conf.h"
#include "input/table.h"
#include "model/runs.h"
#include "picture/canvas.h"

/* The limit of the size of pictures: at 96 dots per inch, and with any number of them. */
#define MAX_PIXELS 16000000
#define MOST_PIXELS 96000000

/* The greatest width, pixels. */
#define MAX_WIDTH 16384

/* Maximum digits of the number of a folded run. Block addresses have 32 bits. */
#define MAX_DIGITS 10

/**
 * enum cell_order - the position of the cell with the number c
 * @ORDER_ROWS: column c % columns, row c / columns
 * @ORDER_HILBERT: on the Hilbert curve that begins in the upper left and ends in the upper right
 *	corner; columns = rows = a power of two
 */
enum cell_order {
	ORDER_ROWS,
	ORDER_HILBERT,
};

/**
 * struct grid - the cells of one volume, or of the part of it that is drawn
 * @x: left edge of the first column, pixels from the left
 * @y: upper edge of the first row, pixels from the top
 * @columns: cells in a row
 * @rows: number of rows
 * @n_cells: number of cells up to the last one that stands for blocks; cells after them stay blank
 * @lead: units before the first block; cells that lie within them stay blank, too
 */
struct grid {
	size_t x;
	size_t y;
	size_t columns;
	size_t rows;
	uint64_t n_cells;
	uint64_t lead;
};

/**
 * struct layout - the measures of a picture; all lengths in pixels
 * @ops: the functions of the layout
 * @img: the settings of the picture
 * @order: the order of cells
 * @grids: by part of runs.parts
 * @n_grids: number of parts
 * @cell_w: width of a cell
 * @cell_h: height of a cell
 * @pitch_x: from one cell to the next in a row
 * @pitch_y: from one row to the next
 * @units_per_blk: positions in a grid are counted in units: units of a block; exact for shares of blocks
 * @units_per_cell: units of a cell
 * @limit: number of blocks drawn of a folded fragment; 0: none is folded
 * @fold_over: a fragment of more blocks than this is folded
 * @free_fold_over: the same for free space
 * @stub: number of blocks drawn of folded free space
 * @folded_share: boxes: how much of the blocks of files is folded, 0 to 1
 * @is_instead: it was chosen because boxes would have folded more than half of these
 * @strip: boxes: height of the strip above a grid that shows the volume to scale; 0: nothing is folded
 * @label: size of the number of folded blocks, see LETTER_W; 0: there is no room for it
 * @mark: boxes of the mark of a folded run, by the digits of this number
 * @row_blks: blocks in a row; 0 if rows have no meaning
 * @zone_blks: zones: blocks of a zone; 0: another layout
 * @fold_rows: rows that are drawn instead of several empty ones; 0: none are folded
 * @axis: room for labels left of a grid
 * @axis_end: the same on the right
 * @axis_scale: the room of their letters, see LETTER_W
 * @axis_letters: size of their letters: digits are narrower than others, and rows are a little higher than digits
 * @scale: size of the text of legend and headings, see LETTER_W
 * @margin: around everything
 * @head: height of title and legend
 * @heading: height of the line above a grid
 * @footing: room below a grid
 * @max_pixels: the limit of @width * @height
 * @width: of the picture
 * @height: of the picture
 */
struct layout {
	const struct layout_ops *ops;
	const struct img_conf *img;
	enum cell_order order;
	struct grid *grids;
	size_t n_grids;
	size_t cell_w;
	size_t cell_h;
	size_t pitch_x;
	size_t pitch_y;
	uint64_t units_per_blk;
	uint64_t units_per_cell;
	uint64_t limit;
	uint64_t fold_over;
	uint64_t free_fold_over;
	uint64_t stub;
	double label;
	size_t mark[MAX_DIGITS + 1];
	double folded_share;
	bool is_instead;
	size_t strip;
	uint64_t row_blks;
	uint64_t zone_blks;
	uint64_t fold_rows;
	size_t axis;
	size_t axis_end;
	double axis_scale;
	double axis_letters;
	double scale;
	size_t margin;
	size_t head;
	size_t heading;
	size_t footing;
	uint64_t max_pixels;
	size_t width;
	size_t height;
};

/**
 * struct piece - what is drawn as one: (part of) an extent, free space, or folded blocks
 * @at: its first unit, from the beginning of the grid
 * @len: its units
 * @extent: index of the extent, or of the first one of several folded ones; NO_EXTENT for free space
 * @lba: first block address
 * @blks: number of blocks
 * @shade: see struct colors, or SHADE_FREE
 * @folded: it takes less room than its blocks would
 * @begins: it is the first piece of its run
 */
struct piece {
	uint64_t at;
	uint64_t len;
	size_t extent;
	uint64_t lba;
	uint64_t blks;
	uint8_t shade;
	bool folded;
	bool begins;
};

/**
 * struct row - what is beside a row of a grid
 * @blk: its first block, from the beginning of the volume
 * @valid: segments: its blocks that are not free
 * @folded: segments: empty blocks that it stands for; 0: it is an ordinary row
 */
struct row {
	uint64_t blk;
	uint64_t valid;
	uint64_t folded;
};

/**
 * struct rows - the rows of a grid, noted while it is painted
 * @layout: its layout
 * @volume: its volume
 * @all: by row
 * @n: number of @all
 * @units: of a row
 * @next: boxes: the first row that is not noted yet
 */
struct rows {
	const struct layout *layout;
	const struct volume *volume;
	struct row *all;
	size_t n;
	uint64_t units;
	size_t next;
};

typedef void (*piece_fn)(void *arg, const struct piece *piece);

/**
 * struct layout_ops - the functions of a layout
 * @name: as in img.cnf
 * @plan: find the size of cells and grids; set all members that layout_init() has not set
 * @put_run: hand out the pieces of a run that begins at a unit; returns the first unit after them
 * @note: note what draw_axes() needs of a piece; called for all pieces in the order of units; NULL: nothing is needed
 * @draw_axes: draw labels and lines around a grid and over it
 * @describe: describe in one line of text how much a cell stands for; to be freed
 */
struct layout_ops {
	const char *name;
	void (*plan)(struct layout *layout, const struct runs *runs);
	uint64_t (*put_run)(const struct layout *layout, const struct table *table,
			    const struct run *run, uint64_t at, piece_fn fn, void *arg);
	void (*note)(struct rows *rows, const struct piece *piece);
	void (*draw_axes)(const struct layout *layout, struct canvas *canvas,
			  const struct runs *runs, size_t volume, const struct rows *rows);
	char *(*describe)(const struct layout *layout, const struct table *table);
};

extern const struct layout_ops layout_boxes, layout_segments, layout_hilbert, layout_zones;

void layout_page(struct layout *layout, const struct img_conf *img);
void layout_init(struct layout *layout, const struct runs *runs, const struct img_conf *img,
		 size_t n_rules);
void layout_free(struct layout *layout);

void layout_walk(const struct layout *layout, const struct runs *runs, size_t volume, piece_fn fn,
		 void *arg);
uint64_t layout_cells(const struct layout *layout, const struct piece *piece, uint64_t *first);
void layout_cell_xy(const struct layout *layout, const struct grid *grid, uint64_t cell, size_t *x,
		    size_t *y);

/* For layouts. */
bool layout_fits(struct layout *layout);
size_t layout_px(const struct img_conf *img, uint64_t length);
uint64_t layout_put_extents(const struct layout *layout, const struct table *table,
			    const struct run *run, uint64_t at, uint64_t blks, piece_fn fn,
			    void *arg);

char *layout_cell_size(const struct layout *layout, const struct table *table);
