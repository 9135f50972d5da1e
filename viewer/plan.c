// SPDX-License-Identifier: GPL-2.0-only
/*
 * Third station of the pipeline: how big boxes may be and what is folded, so that all fits.
 *
 * Boxes shrink a little where the picture would be higher than wanted. A picture that would have
 * more than MAX_PIXELS is made smaller in three steps, each only as far as it must: smaller boxes,
 * down to one pixel; then shorter runs are folded, too; then a box stands for several blocks.
 */
#include <stdlib.h>

#include "font.h"
#include "legend.h"
#include "plan.h"
#include "util.h"

/* Folding shorter runs than this saves nothing. */
#define LEAST_LIMIT 4

/* Boxes smaller than this have no room for a border, and are not chosen for looks alone. */
#define LEAST_BORDERED 3

static bool is_folded(const struct plan *plan, uint64_t blks)
{
	return plan->limit && blks > plan->limit;
}

/**
 * plan_drawn() - how many boxes of a run are drawn as such
 * @plan: the plan
 * @blks: length of the run
 *
 * Return: @blks, or less for a run that is folded; the rest is behind one fold mark.
 */
uint64_t plan_drawn(const struct plan *plan, uint64_t blks)
{
	if (!is_folded(plan, blks))
		return blks;
	return plan->stub < plan->limit ? plan->stub : plan->limit;
}

static void count_boxes(struct plan *plan, const struct runs *runs)
{
	size_t v, i;

	for (v = 0; v < plan->n_volumes; v++) {
		plan->n_boxes[v] = 0;
		for (i = runs->first[v]; i < runs->first[v + 1]; i++)
			plan->n_boxes[v] += plan_drawn(plan, runs->runs[i].blks) +
					    is_folded(plan, runs->runs[i].blks);
	}
}

/**
 * plan_rows() - rows of boxes that a volume needs
 * @plan: the plan
 * @volume: index of the volume
 *
 * Return: number of rows.
 */
uint64_t plan_rows(const struct plan *plan, size_t volume)
{
	uint64_t boxes = (plan->n_boxes[volume] + plan->per_box - 1) / plan->per_box;

	return (boxes + plan->per_row - 1) / plan->per_row;
}

/* Rows of round numbers of boxes make addresses easier to follow where nothing is folded. */
static void set_box(struct plan *plan, const struct img_conf *img, size_t box)
{
	size_t room = plan->width - 2 * MARGIN - plan->axis;

	plan->box = box;
	plan->pitch = box + (box < LEAST_BORDERED ? 0 : (size_t)img->border);
	plan->per_row = room / plan->pitch;
	if (plan->per_row > 32)
		plan->per_row -= plan->per_row % 8;
	if (!plan->per_row)
		plan->per_row = 1;
}

static bool fits(struct plan *plan)
{
	uint64_t most = MAX_PIXELS / plan->width, height = plan->head + MARGIN;
	size_t v;

	for (v = 0; v < plan->n_volumes; v++) {
		uint64_t rows = plan_rows(plan, v);

		if (rows > most / plan->pitch)
			return false;
		height += plan->heading + rows * plan->pitch;
		if (height > most)
			return false;
	}
	if (!plan->n_volumes)
		height += plan->heading;
	plan->height = (size_t)height;
	return true;
}

static void shrink_boxes(struct plan *plan, const struct img_conf *img)
{
	while (img->height && plan->box > LEAST_BORDERED &&
	       (!fits(plan) || plan->height > img->height))
		set_box(plan, img, plan->box - 1);
	while (!fits(plan) && plan->box > 1)
		set_box(plan, img, plan->box - 1);
}

static void fold_harder(struct plan *plan, const struct runs *runs)
{
	while (!fits(plan) && plan->limit != LEAST_LIMIT) {
		/* no run longer than the picture has pixels can be drawn in full */
		if (!plan->limit || plan->limit > MAX_PIXELS)
			plan->limit = MAX_PIXELS;
		else if (plan->limit > LEAST_LIMIT * 2)
			plan->limit /= 2;
		else if (plan->limit > LEAST_LIMIT)
			plan->limit = LEAST_LIMIT;
		else
			return;
		count_boxes(plan, runs);
	}
}

static void share_boxes(struct plan *plan)
{
	while (!fits(plan)) {
		if (plan->per_box > UINT32_MAX)
			die("%zu volumes do not fit into one picture of %d pixels", plan->n_volumes,
			    MAX_PIXELS);
		plan->per_box *= 2;
	}
}

static size_t axis_width(const struct table *table)
{
	uint64_t last = 9999;
	size_t digits = 0, v;

	for (v = 0; v < table->n_volumes; v++)
		if (table->volumes[v].end_blk - 1 > last)
			last = table->volumes[v].end_blk - 1;
	for (; last; last /= 10)
		digits++;
	return digits * FONT_CELL_W + FONT_CELL_W;
}

/**
 * plan_make() - find the measures of a picture
 * @plan: the result; to be freed with plan_free()
 * @table: the table, for the block addresses
 * @runs: what is to be drawn
 * @img: what the user wants
 * @n_rules: lines of the legend
 */
void plan_make(struct plan *plan, const struct table *table, const struct runs *runs,
	       const struct img_conf *img, size_t n_rules)
{
	*plan = (struct plan){
		.n_volumes = table->n_volumes,
		.n_boxes = xcalloc(table->n_volumes, sizeof(*plan->n_boxes)),
		.limit = img->max_length,
		.stub = img->stub,
		.per_box = 1,
		.axis = axis_width(table),
		.width = (size_t)img->width,
	};
	plan->scale = plan->width >= 2 * LEGEND_COLS * FONT_CELL_W + 2 * MARGIN ? 2 : 1;
	plan->head = legend_height(plan->scale, n_rules);
	plan->heading = 2 * FONT_CELL_H * plan->scale;
	set_box(plan, img, (size_t)img->box);
	count_boxes(plan, runs);
	shrink_boxes(plan, img);
	fold_harder(plan, runs);
	share_boxes(plan);
}

/**
 * plan_free() - release a plan
 * @plan: as left by plan_make()
 */
void plan_free(struct plan *plan)
{
	free(plan->n_boxes);
	*plan = (struct plan){ 0 };
}
