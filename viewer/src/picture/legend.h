/* SPDX-License-Identifier: GPL-2.0-only */
/* Fourth step of the pipeline, upper part: title and legend. */
#pragma once

#include "model/color.h"
#include "model/runs.h"
#include "picture/canvas.h"
#include "picture/layout.h"

/* Width of the legend, in letters. */
#define LEGEND_COLS 102
/* What the strip above boxes is, or why there are no boxes. */
#define LEGEND_FOLD_LINES 1
/* What the counts of reads are, and those that are not drawn. */
#define LEGEND_HEAT_LINES 2

/* The colours of text and paper. No cell has one of them. */
#define RGB_PAGE colors_themed(0xecebe6)
#define RGB_INK colors_themed(0x202124)
#define RGB_FAINT colors_themed(0x6a6a67)
/* Of small letters. */
#define RGB_LABEL colors_themed(0x474745)
#define RGB_RULE colors_themed(0xd2d1cb)

/**
 * struct folded - how many blocks are not drawn
 * @blks: by rule
 * @free: of free space
 * @other: valid blocks of data that no watched file has
 * @nodes: valid blocks of nodes
 * @left_out: of files that are left out
 */
struct folded {
	uint64_t blks[MAX_RULES];
	uint64_t free;
	uint64_t other;
	uint64_t nodes;
	uint64_t left_out;
};

size_t legend_more_lines(const struct img_conf *img, const struct lens *lens, const struct colors *colors, bool knows_use);
size_t legend_empty_lines(const struct runs *runs);
size_t legend_height(const struct layout *layout, size_t n_rules);
void legend_draw(struct canvas *canvas, const struct layout *layout, const struct runs *runs,
		 const struct colors *colors, const struct folded *folded, const char *when);
