// SPDX-License-Identifier: GPL-2.0-only
/* Part of the fourth step: a strip above boxes that shows the volume to scale, since folded boxes do not. */

#include "model/color.h"
#include "picture/legend_line.h"
#include "picture/strip.h"

/* Pixels of a screen: the bar, the line below it, and the space between them. */
#define BAR_H 10
#define LINE_H_PX 2
#define SPACE 1

/**
 * strip_begin() - prepare the strip of a grid
 * @strip: the result; strip_end() frees it
 * @layout: the measures; no strip is drawn if it has no room for one
 * @grid: the grid below it
 * @part: its blocks; must stay valid
 */
void strip_begin(struct strip *strip, const struct layout *layout, const struct grid *grid, const struct part *part)
{
	*strip = (struct strip){ .part = part };
	if (!layout->strip)
		return;
	strip->n = grid->columns * layout->pitch_x;
	strip->used = xcalloc(strip->n, sizeof(*strip->used));
	strip->drawn = xcalloc(strip->n, sizeof(*strip->drawn));
}

static double column_of(const struct strip *strip, uint64_t lba)
{
	return (double)(lba - strip->part->first_blk) * (double)strip->n /
	       (double)(strip->part->end_blk - strip->part->first_blk);
}

/**
 * strip_add() - add blocks of a file
 * @strip: the strip
 * @piece: the blocks; within the part
 */
void strip_add(struct strip *strip, const struct piece *piece)
{
	double begin, end;

	if (!strip->n)
		return;
	begin = column_of(strip, piece->lba);
	end = column_of(strip, piece->lba + piece->blks);
	for (size_t i = (size_t)begin; i < strip->n && (double)i < end; i++) {
		double from = begin > (double)i ? begin : (double)i, to = end < (double)(i + 1) ? end : (double)(i + 1);

		strip->used[i] += to - from;
		if (!piece->folded)
			strip->drawn[i] += to - from;
	}
}

/**
 * strip_end() - draw the strip and free it
 * @strip: the strip
 * @canvas: the picture
 * @layout: its measures
 * @grid: the grid below the strip
 */
void strip_end(struct strip *strip, struct canvas *canvas, const struct layout *layout, const struct grid *grid)
{
	size_t bar = layout_px(layout->img, BAR_H), y = grid->y - layout->strip;
	size_t line_y = y + bar + layout_px(layout->img, SPACE), line = layout_px(layout->img, LINE_H_PX), i;

	if (!strip->n)
		return;
	canvas_cell(canvas, grid->x, y, strip->n, bar, RGB_FREE);
	for (i = 0; i < strip->n; i++) {
		if (!(strip->used[i] > 0))
			continue;
		canvas_cell(canvas, grid->x + i, y, 1, bar,
			    colors_diluted(RGB_INK, strip->used[i] < 1 ? strip->used[i] : 1));
		if (strip->drawn[i] * 2 >= strip->used[i])
			canvas_cell(canvas, grid->x + i, line_y, 1, line, RGB_INK);
	}
	canvas_show_cells(canvas, grid->x, y, strip->n, line_y + line - y);
	free(strip->used);
	free(strip->drawn);
}
