/* SPDX-License-Identifier: GPL-2.0-only */
/* Third station of the pipeline: how big boxes may be and what is folded, so that all fits. */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf.h"
#include "runs.h"

#define MAX_PIXELS 16000000
#define MARGIN 12

/**
 * struct plan - the measures of a picture; all lengths in pixels
 * @n_volumes: number of volumes
 * @n_boxes: by volume, boxes and fold marks to draw (before @per_box)
 * @limit: a run of more blocks than this is folded; 0: none is
 * @stub: boxes drawn of a folded run, before its mark
 * @per_box: blocks that one box stands for, colours mixed
 * @box: side of a box
 * @pitch: from one box to the next
 * @per_row: boxes in a row
 * @axis: width of the column of block addresses
 * @scale: size of the text of legend and headings, see font.h
 * @head: height of title and legend
 * @heading: height of the line above a volume
 * @width: of the picture
 * @height: of the picture
 */
struct plan {
	size_t n_volumes;
	uint64_t *n_boxes;
	uint64_t limit;
	uint64_t stub;
	uint64_t per_box;
	size_t box;
	size_t pitch;
	size_t per_row;
	size_t axis;
	size_t scale;
	size_t head;
	size_t heading;
	size_t width;
	size_t height;
};

void plan_make(struct plan *plan, const struct table *table, const struct runs *runs,
	       const struct img_conf *img, size_t n_rules);
void plan_free(struct plan *plan);

uint64_t plan_drawn(const struct plan *plan, uint64_t blks);
uint64_t plan_rows(const struct plan *plan, size_t volume);

#endif
