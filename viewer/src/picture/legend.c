// SPDX-License-Identifier: GPL-2.0-only
/* Fourth step of the pipeline, upper part: title and legend, and their height. */
#include "picture/legend.h"
#include "picture/legend_line.h"

#define TEXT_LINES 6	/* below the title */
#define HEAD_LINES 2	/* of the legend */

/**
 * legend_more_lines() - lines of the legend that not every picture has
 * @img: the settings of the picture
 * @lens: what is drawn
 * @colors: the rules
 * @knows_use: F2FS's own state is known
 *
 * Return: number of lines.
 */
size_t legend_more_lines(const struct img_conf *img, const struct lens *lens, const struct colors *colors, bool knows_use)
{
	bool may_fold = img->layout == LAYOUT_AUTO || (img->layout == LAYOUT_BOXES && img->max_length);

	/* files that are left out have a line for their colour, and so have both uses of what is not watched */
	return (may_fold ? LEGEND_FOLD_LINES : 0) + (lens->range ? 1 : 0) + (lens->only ? 2 : 0) + (colors->heat ? LEGEND_HEAT_LINES : 0) + (knows_use ? 2 : 0);
}

/**
 * legend_height() - room that title and legend need
 * @l: the layout, with its margin and the size of its text
 * @n_rules: number of rules
 *
 * Return: pixels from the top of the picture.
 */
size_t legend_height(const struct layout *l, size_t n_rules)
{
	/* two more lines for free space and totals; half a line of space in three places */
	size_t halves = 2 * (TITLE_ROWS + TEXT_LINES + HEAD_LINES + n_rules + 2) + 3;

	return l->margin + (size_t)((double)(halves * LINE_H) * l->scale / 2);
}

/**
 * legend_draw() - draw title and legend
 * @canvas: the picture
 * @layout: its measures
 * @runs: for the totals
 * @colors: the rules
 * @folded: the blocks that are not drawn
 * @when: date and time of the table
 */
void legend_draw(struct canvas *canvas, const struct layout *layout, const struct runs *runs,
		 const struct colors *colors, const struct folded *folded, const char *when)
{
	struct legend l = {
		.canvas = canvas, .layout = layout, .runs = runs, .colors = colors, .folded = folded,
		.y = (double)layout->margin,
	};

	l.has_folded = folded->free || folded->other || folded->nodes || folded->left_out;
	for (size_t i = 0; i < colors->n_rules; i++)
		l.has_folded |= folded->blks[i] > 0;
	legend_title(&l, when);
	legend_rules(&l);
	legend_half(&l);
	legend_separator(&l);
	legend_free_space(&l);
}
