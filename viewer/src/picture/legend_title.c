// SPDX-License-Identifier: GPL-2.0-only
/*
 * Part of the legend: the title, and what the picture shows, in sentences.
 * All numbers here include blocks that are folded or mixed in the picture.
 */

#include "model/flaws.h"
#include "names.h"
#include "picture/legend_line.h"

#define MAX_TEXT 512

/* === Title === */

/* The mount points of all volumes. To be freed. */
static char *volume_paths(const struct table *table)
{
	char *text = xasprintf("%s", "");

	for (size_t i = 0; i < table->n_volumes && strlen(text) < MAX_TEXT; i++) {
		AUTO_FREE char *path = name_text(table->volumes[i].path);

		xappend(&text, "%s %s", i ? "," : "", path);
	}
	return text;
}

/**
 * legend_heading() - write the title
 * @l: the legend
 * @title: UTF-8; its middle is left out if there is no room for it
 * @mark: what follows it, or "": that the picture may be wrong, which is never cut
 */
void legend_heading(struct legend *l, const char *title, const char *mark)
{
	double scale = 2 * l->layout->scale, x = legend_x(l, 0), room = (double)l->canvas->right - x;

	room -= (double)(strlen(mark) * LETTER_W) * scale;
	x += canvas_text_fit(l->canvas, x, l->y, room, scale, RGB_INK, title);
	canvas_text(l->canvas, x, l->y, scale, RGB_INK, mark);
	l->canvas->title = xasprintf("%s%s", title, mark);
	l->y += TITLE_ROWS * LINE_H * l->layout->scale;
}

static void draw_heading(struct legend *l)
{
	const struct table *table = l->runs->table;
	AUTO_FREE char *paths = volume_paths(table), *title = xasprintf("fragtrace%s", paths), *mark = NULL;
	AUTO_FREE char *flaws = flaws_of(table);

	mark = xasprintf(*flaws ? " (%s)" : "%s", flaws);
	legend_heading(l, title, mark);
}

static void draw_summary(struct legend *l, const char *when)
{
	const struct table *table = l->runs->table;
	const struct count *total = &l->runs->total;
	uint64_t files = total->files[0] + total->files[1];

	legend_line(l, RGB_INK, "%s: %s, %s, %s (%s)%s", when, COUNT(files, "file"), COUNT(table->n_extents, "extent"),
		    COUNT(total->files[1], "fragmented file"), SHARE(total->files[1], files),
		    l->colors->source->needs_causes && !table->causes ? "; read without causes" : "");
}

/* One moved block makes a file fragmented: what that costs is another number. */
static void draw_cost(struct legend *l)
{
	const struct figures *sum = &l->runs->sum;

	legend_line(l, RGB_INK, "fragmented files have %s of the blocks; reading all files takes %s more "
		    "requests than without fragments", SHARE(l->runs->total.blks[1], sum->blks),
		    SHARE(sum->requests - sum->ideal, sum->ideal));
}

static void draw_fragments(struct legend *l)
{
	const struct runs *runs = l->runs;
	uint64_t fragments = runs->total.fragments[0] + runs->total.fragments[1];

	if (!runs->sum.ideal) {
		legend_line(l, RGB_INK, "no file has blocks: no fragments, no split factor");
		legend_next(l);
		return;
	}
	legend_line(l, RGB_INK, "%s; split factor %.3f: to read all by 128 KiB takes %s, ideally %s", COUNT(fragments, "fragment"),
		    figures_split(&runs->sum), COUNT(runs->sum.requests, "request"), GROUPED(runs->sum.ideal));
	draw_cost(l);
}

/* The colours of cells by how much of them is in use. */
static void draw_shares(struct legend *l)
{
	static const struct { double share; const char *text; } steps[] = {
		{ 0.0, "next to 0" }, { 0.25, "25 %" }, { 0.5, "50 %" }, { 0.75, "75 %" }, { 1.0, "100 %" },
	};
	static const char what[] = "share of a cell in watched files:";
	size_t col = sizeof(what), i;

	legend_text(l, 0, RGB_FAINT, what);
	for (i = 0; i < ARRAY_LEN(steps); i++) {
		legend_swatch(l, col, colors_diluted(colors_tone(&l->colors->rules[0], TONE_FRAG_A), steps[i].share));
		legend_text(l, col + 3, RGB_FAINT, steps[i].text);
		col += 5 + strlen(steps[i].text);
	}
	canvas_note(l->canvas, "%s", "cells mix the colours of what they hold by share; anything at all "
		    "has at least a quarter of its colour, and what is alone in free space more");
	legend_next(l);
}

/* Where cells hold several blocks and nothing is folded, their key has the line about folding. */
static bool has_shares_below(const struct legend *l)
{
	return l->layout->units_per_cell > 1 && !l->layout->limit && !l->layout->fold_rows;
}

static void draw_meaning(struct legend *l)
{
	AUTO_FREE char *trouble = colors_trouble(l->colors, l->runs->counts);
	AUTO_FREE char *meaning = colors_meaning(l->colors, l->runs->table);

	if (!trouble && l->layout->units_per_cell > 1 && !has_shares_below(l))
		draw_shares(l);
	else
		legend_line(l, trouble ? RGB_INK : RGB_FAINT, "%s", trouble ? trouble : meaning);
}

static void draw_folding(struct legend *l)
{
	uint64_t limit = l->layout->limit, wanted = l->layout->img->max_length;
	char lost[64] = "";

	if (l->layout->is_instead)
		legend_line(l, RGB_INK, "drawn by segments: boxes (--layout boxes) would fold %s of the blocks of files",
			    SHARE((uint64_t)(l->layout->folded_share * 1000), 1000));
	else if (l->layout->strip)
		legend_line(l, RGB_FAINT, "strip above the boxes: the volume to scale, dark where watched files are; "
			    "underlined: not folded");
	if (l->layout->fold_rows) {
		legend_line(l, RGB_FAINT, "empty rows are folded into a line; the rest is to one scale");
		return;
	}
	if (has_shares_below(l)) {
		draw_shares(l);
		return;
	}
	if (!limit) {
		legend_line(l, RGB_FAINT, "%s", l->layout->row_blks || l->layout->order == ORDER_HILBERT ?
			 l->runs->lens->range ? "nothing is folded: all of these blocks are drawn, to one scale" :
			 "nothing is folded: the whole volume is drawn, to one scale" :
			 "nothing is folded: every block is drawn");
		return;
	}
	if (limit != wanted)
		snprintf(lost, sizeof(lost), wanted ? " (%s did not fit)" : " (all did not fit)", GROUPED(wanted));
	legend_line(l, RGB_FAINT, "%s of more than %s blocks are folded (gaps: %s): the rest is %s%s",
		    l->colors->source->range_rule ? "ranges of one colour" : "fragments",
		    GROUPED(l->layout->fold_over), GROUPED(l->layout->free_fold_over),
		    l->layout->label > 0 ? "a hatched box with the number of its blocks" :
		    l->layout->cell_h < HATCH_MIN ? "a box of another shade" : "a hatched box", lost);
}

/**
 * legend_heat() - say what the counts of reads are
 * @l: the legend of a picture with colours by heat
 */
void legend_heat(struct legend *l)
{
	const struct heat *heat = l->colors->heat;

	legend_line(l, RGB_INK, "reads after the page cache, by windows of %s KiB; counts halve every %s",
		    GROUPED(heat->window_blks * table_blk_bytes(l->runs->table) / 1024), COUNT(heat->period_s, "second"));
}

/* What is drawn, if that is not all. */
static void draw_lens(struct legend *l)
{
	const struct runs *runs = l->runs;
	const struct part *part = runs->parts;
	AUTO_FREE char *only = NULL, *text = NULL;

	if (runs->lens->range && runs->n_parts == 1)
		legend_line(l, RGB_INK, "LBA %ju to %ju is drawn, and counted below; the lines above are of the whole volume",
			    (uintmax_t)part->first_blk, (uintmax_t)(part->end_blk - 1));
	else if (runs->lens->range)
		legend_line(l, RGB_INK, "LBA %s of each volume is drawn, and counted below; the lines above are of the whole volume%s",
			    runs->lens->range, plural(runs->n_parts));
	if (!runs->selection)
		return;
	only = name_text(runs->lens->only);
	text = xasprintf("only files that match %s: %s of %s; all numbers of files are theirs", only,
			 GROUPED(runs->table->n_files), GROUPED(runs->selection->n_all_files));
	canvas_text_fit(l->canvas, legend_x(l, 0), l->y, legend_x(l, LEGEND_COLS) - legend_x(l, 0), l->layout->scale, RGB_INK,
			text);
	canvas_note(l->canvas, "%s", text);
	legend_next(l);
}

/**
 * legend_title() - draw the title and the sentences
 * @l: the legend
 * @when: date and time of the table
 */
void legend_title(struct legend *l, const char *when)
{
	AUTO_FREE char *units = l->layout->ops->describe(l->layout, l->runs->table);

	draw_heading(l);
	draw_summary(l, when);
	draw_fragments(l);
	legend_line(l, RGB_FAINT, "%s", units);
	draw_meaning(l);
	draw_folding(l);
	if (l->colors->heat)
		legend_heat(l);
	draw_lens(l);
	legend_half(l);
}
