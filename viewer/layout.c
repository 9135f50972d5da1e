// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fourth station of the pipeline: runs -> pixels.
 * For each volume a heading, and below it one box per block in rows, with the address of the first
 * box before each row. Knows nothing of files, formats and PNG.
 */
#include <stdio.h>

#include "font.h"
#include "layout.h"
#include "legend.h"
#include "plan.h"

#define AXIS_SCALE 1
#define MAX_TEXT 512

/* The place of the next box, and the colours that wait where a box stands for several blocks. */
struct pen {
	struct canvas *canvas;
	const struct plan *plan;
	const struct colors *colors;
	size_t x0, y;
	size_t col, row;
	uint64_t lba;
	uint64_t waiting, red, green, blue, waiting_lba;
};

/* === Rows === */

static size_t box_x(const struct pen *pen)
{
	return pen->x0 + pen->col * pen->plan->pitch;
}

/* Each row gets its address if there is room for it, otherwise every so many rows. */
static void draw_axis(const struct pen *pen, uint64_t lba)
{
	size_t pitch = pen->plan->pitch;
	size_t every = (FONT_CELL_H - 1) * AXIS_SCALE / pitch + 1;
	size_t middle = pen->plan->box > 7 * AXIS_SCALE ? (pen->plan->box - 7 * AXIS_SCALE) / 2 : 0;
	char text[GROUPED_MAX];

	if ((FONT_CELL_H - 1) * AXIS_SCALE <= pitch)
		every = 1;
	if (pen->row % every)
		return;
	snprintf(text, sizeof(text), "%ju", (uintmax_t)lba);
	canvas_text_right(pen->canvas, pen->x0 - FONT_CELL_W, pen->y + middle, AXIS_SCALE, RGB_FAINT,
			  text);
}

static void next_box(struct pen *pen)
{
	if (++pen->col == pen->plan->per_row) {
		pen->col = 0;
		pen->row++;
		pen->y += pen->plan->pitch;
	}
}

static void draw_box(struct pen *pen, uint64_t lba, uint32_t rgb)
{
	if (!pen->col)
		draw_axis(pen, lba);
	canvas_fill(pen->canvas, box_x(pen), pen->y, pen->plan->box, pen->plan->box, rgb);
	next_box(pen);
}

static void draw_mark(struct pen *pen, uint32_t rgb)
{
	if (!pen->col)
		draw_axis(pen, pen->lba);
	canvas_hatch(pen->canvas, box_x(pen), pen->y, pen->plan->box, rgb);
	next_box(pen);
}

/* === Boxes that stand for several blocks === */

static uint32_t mean(uint64_t sum, uint64_t n)
{
	return (uint32_t)((sum + n / 2) / n);
}

static void flush_mixed(struct pen *pen)
{
	uint64_t n = pen->waiting;

	if (!n)
		return;
	draw_box(pen, pen->waiting_lba,
		 mean(pen->red, n) << 16 | mean(pen->green, n) << 8 | mean(pen->blue, n));
	pen->waiting = pen->red = pen->green = pen->blue = 0;
}

static void draw_mixed(struct pen *pen, uint32_t rgb, uint64_t n)
{
	while (n) {
		uint64_t room = pen->plan->per_box - pen->waiting;
		uint64_t take = n < room ? n : room;

		if (!pen->waiting)
			pen->waiting_lba = pen->lba;
		pen->lba += take;
		pen->waiting += take;
		pen->red += take * (rgb >> 16);
		pen->green += take * (rgb >> 8 & 0xff);
		pen->blue += take * (rgb & 0xff);
		n -= take;
		if (pen->waiting == pen->plan->per_box)
			flush_mixed(pen);
	}
}

/* === Volumes === */

static uint32_t run_rgb(const struct pen *pen, const struct run *run)
{
	return run->rule == RULE_FREE ? RGB_FREE : pen->colors->rules[run->rule].rgb[run->tone];
}

static void draw_run(struct pen *pen, const struct run *run)
{
	uint64_t drawn = plan_drawn(pen->plan, run->blks), i;
	uint64_t end = pen->lba + run->blks;
	uint32_t rgb = run_rgb(pen, run);

	if (pen->plan->per_box > 1) {
		draw_mixed(pen, rgb, drawn);
		if (drawn < run->blks)
			draw_mixed(pen, canvas_contrast(rgb), 1);
		pen->lba = end;
		return;
	}
	for (i = 0; i < drawn; i++, pen->lba++)
		draw_box(pen, pen->lba, rgb);
	if (drawn < run->blks)
		draw_mark(pen, rgb);
	pen->lba = end;
}

static void draw_heading(struct canvas *canvas, const struct plan *plan, size_t y,
			 const struct volume *v, const struct table *table)
{
	uint64_t blks = v->end_blk - v->first_blk, used = 0;
	char n[GROUPED_MAX], text[MAX_TEXT];
	size_t i;

	for (i = v->first; i < v->end; i++)
		used += table->extents[i].blks;
	snprintf(text, sizeof(text), "%u:%u %.200s  LBA %ju to %ju, %s blocks (%ju %s), %.1f %% in "
		 "watched files", v->major, v->minor, v->path, (uintmax_t)v->first_blk,
		 (uintmax_t)(v->end_blk - 1), grouped(n, blks),
		 (uintmax_t)(blks < 2560 ? blks * 4 : blks / 256), blks < 2560 ? "KiB" : "MiB",
		 100.0 * (double)used / (double)blks);
	canvas_text(canvas, MARGIN, y, plan->scale, RGB_INK, text);
	canvas_note(canvas, "%s", text);
}

static void draw_volume(struct pen *pen, const struct table *table, const struct runs *runs,
			size_t volume)
{
	const struct volume *v = &table->volumes[volume];
	size_t i;

	draw_heading(pen->canvas, pen->plan, pen->y + FONT_CELL_H * pen->plan->scale / 2, v, table);
	pen->y += pen->plan->heading;
	pen->col = pen->row = 0;
	pen->lba = v->first_blk;
	for (i = runs->first[volume]; i < runs->first[volume + 1]; i++)
		draw_run(pen, &runs->runs[i]);
	flush_mixed(pen);
	if (pen->col)
		pen->y += pen->plan->pitch;
}

/**
 * layout_draw() - draw the whole picture
 * @canvas: the result; to be freed with canvas_free()
 * @table: what was read
 * @runs: the same, run by run
 * @colors: the rules
 * @img: how the user wants it
 * @when: date and time of the table
 */
void layout_draw(struct canvas *canvas, const struct table *table, const struct runs *runs,
		 const struct colors *colors, const struct img_conf *img, const char *when)
{
	struct plan plan;
	struct pen pen = { .canvas = canvas, .plan = &plan, .colors = colors };
	size_t i;

	plan_make(&plan, table, runs, img, colors->n_rules);
	canvas_init(canvas, plan.width, plan.height, RGB_PAGE);
	legend_draw(canvas, &plan, table, runs, colors, img, when);
	pen.x0 = MARGIN + plan.axis;
	pen.y = plan.head;
	for (i = 0; i < table->n_volumes; i++)
		draw_volume(&pen, table, runs, i);
	if (!table->n_volumes) {
		static const char none[] = "no directory is watched";

		canvas_text(canvas, MARGIN, pen.y, plan.scale, RGB_FAINT, none);
		canvas_note(canvas, "%s", none);
	}
	plan_free(&plan);
}
