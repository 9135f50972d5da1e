// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fourth step of the pipeline, upper part: title and legend.
 * All numbers here include blocks that are folded or mixed in the picture.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "picture/legend.h"

#define TITLE_ROWS 2	/* in lines of text, at the scale of the legend */
#define TEXT_LINES 6	/* below the title */
#define HEAD_LINES 2	/* of the legend */
#define LINE_H (LETTER_H + 1)
#define MAX_TEXT 512
#define SWATCH_W 10
#define SWATCH_H 7

/* Right ends of the columns and left edges of the swatches, in letters from the left. */
enum column {
	COL_CONTIGUOUS = 16,
	COL_CONTIGUOUS_FILES = 26,
	COL_CONTIGUOUS_BLKS = 40,
	COL_FRAGMENTED = 44,
	COL_FRAGMENTED_FILES = 58,
	COL_FRAGMENTED_BLKS = 72,
	COL_FRAGMENTS = 85,
	COL_FOLDED_SWATCH = 93,
	COL_FOLDED = LEGEND_COLS,
};

/* The same for legends that count breaks or fragments instead of files. */
enum fragment_column {
	COL_SWATCH = 32,
	COL_COUNTED = 50,
	COL_COUNTED_SHARE = 60,
	COL_BLKS = 75,
	COL_BLKS_SHARE = 85,
};

/* The position of the next line, and the data for all lines. */
struct legend {
	struct canvas *canvas;
	const struct layout *layout;
	const struct runs *runs;
	const struct colors *colors;
	double y;
	const struct folded *folded;
};

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

/* === Pieces of a line === */

static double col_x(const struct legend *l, size_t col)
{
	return (double)l->layout->margin + (double)(col * LETTER_W) * l->layout->scale;
}

static void put_right(struct legend *l, size_t col, uint32_t rgb, const char *text)
{
	canvas_text_right(l->canvas, col_x(l, col), l->y, l->layout->scale, rgb, text);
}

/* A 0 is drawn in a faint colour, so that other numbers are easier to find. */
static void put_number(struct legend *l, size_t col, uint64_t value)
{
	char buf[GROUPED_MAX];

	put_right(l, col, value ? RGB_INK : RGB_FAINT, value ? grouped(buf, value) : "-");
}

static void put_share(struct legend *l, size_t col, uint64_t value, uint64_t all)
{
	char text[SHARE_MAX];

	format_share(text, value, all);
	put_right(l, col, value ? RGB_INK : RGB_FAINT, value ? text : "-");
}

static void put_swatch(struct legend *l, size_t col, uint32_t rgb)
{
	double x = (double)(size_t)col_x(l, col), y = (double)(size_t)l->y;

	canvas_fill(l->canvas, x, y, SWATCH_W * l->layout->scale, SWATCH_H * l->layout->scale, rgb);
}

static void put_text(struct legend *l, size_t col, uint32_t rgb, const char *text)
{
	canvas_text(l->canvas, col_x(l, col), l->y, l->layout->scale, rgb, text);
}

/* The name of a rule, cut in the middle if it does not fit before a column. */
static void put_name(struct legend *l, size_t col, const char *name)
{
	char *text = name_text(name);

	canvas_text_fit(l->canvas, col_x(l, 0), l->y, col_x(l, col) - col_x(l, 0), l->layout->scale,
			RGB_INK, text);
	free(text);
}

static void next_line(struct legend *l)
{
	l->y += LINE_H * l->layout->scale;
}

static void half_line(struct legend *l)
{
	l->y += LINE_H * l->layout->scale / 2;
}

static void put_line(struct legend *l, uint32_t rgb, const char *text)
{
	put_text(l, 0, rgb, text);
	canvas_note(l->canvas, "%s", text);
	next_line(l);
}

static void put_separator(struct legend *l)
{
	double y = (double)(size_t)(l->y - 3 * l->layout->scale), h = (double)layout_px(l->layout->img, 2);

	canvas_fill(l->canvas, col_x(l, 0), y, col_x(l, LEGEND_COLS) - col_x(l, 0), h, RGB_RULE);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* === Title === */

/* The mount points of all volumes. To be freed. */
static char *volume_paths(const struct table *table)
{
	char *text = xasprintf("%s", ""), *path, *longer;
	size_t i;

	for (i = 0; i < table->n_volumes && strlen(text) < MAX_TEXT; i++) {
		path = name_text(table->volumes[i].path);
		longer = xasprintf("%s%s %s", text, i ? "," : "", path);
		free(text);
		free(path);
		text = longer;
	}
	return text;
}

/* How many files are stale: the picture may be wrong there, so this is never cut. */
static void draw_title(struct legend *l)
{
	const struct table *table = l->runs->table;
	double scale = 2 * l->layout->scale, x = col_x(l, 0), room = (double)l->canvas->right - x;
	char *paths = volume_paths(table), *title = xasprintf("fragtrace%s", paths), *stale = xasprintf("%s", "");
	char n[GROUPED_MAX];

	if (table->n_stale) {
		free(stale);
		stale = xasprintf(" (%s file%s stale)", grouped(n, table->n_stale), plural(table->n_stale));
	}
	room -= (double)(strlen(stale) * LETTER_W) * scale;
	x += canvas_text_fit(l->canvas, x, l->y, room, scale, RGB_INK, title);
	canvas_text(l->canvas, x, l->y, scale, RGB_INK, stale);
	l->canvas->title = xasprintf("%s%s", title, stale);
	l->y += TITLE_ROWS * LINE_H * l->layout->scale;
	free(paths);
	free(title);
	free(stale);
}

static void draw_summary(struct legend *l, const char *when)
{
	const struct table *table = l->runs->table;
	const struct count *total = &l->runs->total;
	uint64_t files = total->files[0] + total->files[1];
	char n[3][GROUPED_MAX], text[MAX_TEXT], share[SHARE_MAX];
	size_t stopped = 0, i;
	int len;

	format_share(share, total->files[1], files);
	len = snprintf(text, sizeof(text), "%s: %s file%s, %s extent%s, %s fragmented file%s (%s)",
		 when, grouped(n[0], files), plural(files), grouped(n[1], table->n_extents),
		 plural(table->n_extents), grouped(n[2], total->files[1]), plural(total->files[1]),
		 share);
	if (table->n_stale)
		len += snprintf(text + len, sizeof(text) - (size_t)len, "; %s stale",
				grouped(n[0], table->n_stale));
	for (i = 0; i < table->n_volumes; i++)
		stopped += table->volumes[i].stopped;
	if (stopped)
		len += snprintf(text + len, sizeof(text) - (size_t)len, "; F2FS has stopped");
	if (stopped && stopped < table->n_volumes)
		len += snprintf(text + len, sizeof(text) - (size_t)len, " on %zu volume%s", stopped,
				plural(stopped));
	if (l->colors->source->counts && !table->causes)
		snprintf(text + len, sizeof(text) - (size_t)len, "; read without causes");
	put_line(l, RGB_INK, text);
}

/* One moved block makes a file fragmented: what that costs is another number. */
static void draw_cost(struct legend *l)
{
	const struct figures *sum = &l->runs->sum;
	char blks[SHARE_MAX], extra[SHARE_MAX], text[MAX_TEXT];

	format_share(blks, l->runs->total.blks[1], sum->blks);
	format_share(extra, sum->requests - sum->ideal, sum->ideal);
	snprintf(text, sizeof(text), "fragmented files have %s of the blocks; reading all files takes %s more "
		 "requests than without fragments", blks, extra);
	put_line(l, RGB_INK, text);
}

static void draw_fragments(struct legend *l)
{
	const struct runs *runs = l->runs;
	uint64_t fragments = runs->total.fragments[0] + runs->total.fragments[1];
	char n[3][GROUPED_MAX], text[MAX_TEXT];

	if (!runs->sum.ideal) {
		put_line(l, RGB_INK, "no file has blocks: no fragments, no split factor");
		next_line(l);
		return;
	}
	snprintf(text, sizeof(text), "%s fragment%s; split factor %.3f: to read all by 128 KiB takes "
		 "%s request%s, ideally %s", grouped(n[0], fragments), plural(fragments),
		 figures_split(&runs->sum), grouped(n[1], runs->sum.requests), plural(runs->sum.requests),
		 grouped(n[2], runs->sum.ideal));
	put_line(l, RGB_INK, text);
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

	put_text(l, 0, RGB_FAINT, what);
	for (i = 0; i < ARRAY_LEN(steps); i++) {
		put_swatch(l, col, colors_diluted(RGB_INK, steps[i].share));
		put_text(l, col + 3, RGB_FAINT, steps[i].text);
		col += 5 + strlen(steps[i].text);
	}
	canvas_note(l->canvas, "%s", "cells mix the colours of what they hold by share; anything at all "
		    "has at least a quarter of its colour");
	next_line(l);
}

static void draw_meaning(struct legend *l)
{
	char *trouble = colors_trouble(l->colors, l->runs->counts);

	if (trouble)
		put_line(l, RGB_INK, trouble);
	else if (l->layout->units_per_cell > 1)
		draw_shares(l);
	else
		put_line(l, RGB_FAINT, l->colors->source->meaning);
	free(trouble);
}

static void draw_units(struct legend *l)
{
	char *text = l->layout->ops->describe(l->layout, l->runs->table);

	put_line(l, RGB_FAINT, text);
	free(text);
	draw_meaning(l);
}

static void draw_folding(struct legend *l)
{
	uint64_t limit = l->layout->limit, wanted = l->layout->img->max_length;
	char n[GROUPED_MAX], text[MAX_TEXT];
	int len;

	if (l->layout->fold_rows) {
		put_line(l, RGB_FAINT, "white rows are folded into a line; the rest is to one scale");
		return;
	}
	if (!limit) {
		put_line(l, RGB_FAINT, l->layout->row_blks || l->layout->order == ORDER_HILBERT ||
			 l->layout->units_per_cell > 1 ?
			 l->runs->lens->range ? "nothing is folded: all of these blocks are drawn, to one scale" :
			 "nothing is folded: the whole volume is drawn, to one scale" :
			 "nothing is folded: every block is drawn");
		return;
	}
	len = snprintf(text, sizeof(text), "fragments of more than %s blocks are folded (gaps: %ju): the rest is %s",
		       grouped(n, limit), (uintmax_t)l->layout->free_limit,
		       l->layout->label > 0 ? "a hatched box with the number of its blocks" :
		       l->layout->cell_h < HATCH_MIN ? "a box of another shade" : "a hatched box");
	if (limit != wanted)
		snprintf(text + len, sizeof(text) - (size_t)len, wanted ?
			 " (%ju did not fit)" : " (all did not fit)", (uintmax_t)wanted);
	put_line(l, RGB_FAINT, text);
}

/* What is drawn, if that is not all. */
static void draw_lens(struct legend *l)
{
	const struct runs *runs = l->runs;
	const struct part *part = runs->parts;
	char n[2][GROUPED_MAX], *only, *text;

	if (runs->lens->range) {
		text = runs->n_parts == 1 ?
		       xasprintf("LBA %ju to %ju", (uintmax_t)part->first_blk, (uintmax_t)(part->end_blk - 1)) :
		       xasprintf("LBA %s of each volume", runs->lens->range);
		only = xasprintf("%s is drawn, and counted below; the lines above are of the whole volume%s", text,
				 plural(runs->n_parts));
		put_line(l, RGB_INK, only);
		free(only);
		free(text);
	}
	if (!runs->selection)
		return;
	only = name_text(runs->lens->only);
	text = xasprintf("only files that match %s: %s of %s; all numbers of files are theirs", only,
			 grouped(n[0], runs->table->n_files), grouped(n[1], runs->selection->n_all_files));
	canvas_text_fit(l->canvas, col_x(l, 0), l->y, col_x(l, LEGEND_COLS) - col_x(l, 0), l->layout->scale, RGB_INK,
			text);
	canvas_note(l->canvas, "%s", text);
	next_line(l);
	free(text);
	free(only);
}

/**
 * legend_lens_lines() - lines of the legend for what is not drawn
 * @lens: what is drawn
 *
 * Return: number of lines.
 */
size_t legend_lens_lines(const struct lens *lens)
{
	/* files that are left out have a line for their colour */
	return (lens->range ? 1 : 0) + (lens->only ? 2 : 0);
}

/* === Legend === */

static uint64_t folded_files(const struct legend *l)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < l->colors->n_rules; i++)
		sum += l->folded->blks[i];
	return sum;
}

static void draw_folded_head(struct legend *l)
{
	size_t x = (size_t)col_x(l, COL_FOLDED_SWATCH), y = (size_t)l->y;
	size_t side = (size_t)(SWATCH_H * l->layout->scale);

	canvas_hatch(l->canvas, x, y, side, layout_px(l->layout->img, 2), RGB_FREE);
	canvas_show_cells(l->canvas, x, y, side, side);
	put_right(l, COL_FOLDED, RGB_INK, "folded");
}

static void end_heads(struct legend *l)
{
	put_right(l, COL_FOLDED, RGB_FAINT, "blocks");
	next_line(l);
	half_line(l);
	put_separator(l);
}

static void draw_heads(struct legend *l)
{
	put_text(l, COL_CONTIGUOUS, RGB_INK, "contiguous");
	put_text(l, COL_FRAGMENTED, RGB_INK, "fragmented");
	draw_folded_head(l);
	next_line(l);
	put_text(l, 0, RGB_FAINT, l->colors->source->heading);
	put_right(l, COL_CONTIGUOUS_FILES, RGB_FAINT, "files");
	put_right(l, COL_CONTIGUOUS_BLKS, RGB_FAINT, "blocks");
	put_right(l, COL_FRAGMENTED_FILES, RGB_FAINT, "files");
	put_right(l, COL_FRAGMENTED_BLKS, RGB_FAINT, "blocks");
	put_right(l, COL_FRAGMENTS, RGB_FAINT, "fragments");
	end_heads(l);
}

static void draw_count(struct legend *l, const char *name, const struct count *count,
		       uint64_t folded)
{
	put_name(l, COL_CONTIGUOUS - 1, name);
	put_number(l, COL_CONTIGUOUS_FILES, count->files[0]);
	put_number(l, COL_CONTIGUOUS_BLKS, count->blks[0]);
	put_number(l, COL_FRAGMENTED_FILES, count->files[1]);
	put_number(l, COL_FRAGMENTED_BLKS, count->blks[1]);
	put_number(l, COL_FRAGMENTS, count->fragments[1]);
	put_number(l, COL_FOLDED, folded);
	canvas_note(l->canvas, "%s: contiguous files=%ju blocks=%ju, fragmented files=%ju blocks=%ju "
		    "fragments=%ju, folded blocks=%ju", name, (uintmax_t)count->files[0],
		    (uintmax_t)count->blks[0], (uintmax_t)count->files[1],
		    (uintmax_t)count->blks[1], (uintmax_t)count->fragments[1], (uintmax_t)folded);
	next_line(l);
}

static void draw_rule(struct legend *l, size_t i)
{
	const struct rule *rule = &l->colors->rules[i];

	put_swatch(l, COL_CONTIGUOUS, rule->rgb[TONE_CONTIGUOUS]);
	put_swatch(l, COL_FRAGMENTED, rule->rgb[TONE_FRAG_A]);
	if (rule->rgb[TONE_FRAG_B] != rule->rgb[TONE_FRAG_A])
		put_swatch(l, COL_FRAGMENTED + 2, rule->rgb[TONE_FRAG_B]);
	draw_count(l, rule->what, &l->runs->drawn[i], l->folded->blks[i]);
}

static void draw_file_rules(struct legend *l)
{
	size_t i;

	draw_heads(l);
	for (i = 0; i < l->colors->n_rules; i++)
		draw_rule(l, i);
	draw_count(l, "all files", &l->runs->drawn_total, folded_files(l));
}

/* === Legend of breaks or fragments === */

/* The sum over contiguous and fragmented files. */
static uint64_t fragments_of(const struct count *count)
{
	return count->fragments[0] + count->fragments[1];
}

static uint64_t blks_of(const struct count *count)
{
	return count->blks[0] + count->blks[1];
}

static void draw_fragment_heads(struct legend *l)
{
	draw_folded_head(l);
	next_line(l);
	put_text(l, 0, RGB_FAINT, l->colors->source->heading);
	put_right(l, COL_COUNTED, RGB_FAINT, l->colors->source->counts);
	put_right(l, COL_COUNTED_SHARE, RGB_FAINT, "share");
	put_right(l, COL_BLKS, RGB_FAINT, "blocks");
	put_right(l, COL_BLKS_SHARE, RGB_FAINT, "share");
	end_heads(l);
}

/* Shares are relative to @sum. A line that is not part of it has no shares. */
static void draw_fragment_count(struct legend *l, const char *name, const struct count *count,
				const struct count *sum, uint64_t folded)
{
	uint64_t n = fragments_of(count), blks = blks_of(count);

	put_name(l, COL_SWATCH - 1, name);
	put_number(l, COL_BLKS, blks);
	put_number(l, COL_FOLDED, folded);
	if (sum) {
		put_number(l, COL_COUNTED, n);
		put_share(l, COL_COUNTED_SHARE, n, fragments_of(sum));
		put_share(l, COL_BLKS_SHARE, blks, blks_of(sum));
		canvas_note(l->canvas, "%s: %s=%ju blocks=%ju, folded blocks=%ju", name,
			    l->colors->source->counts, (uintmax_t)n, (uintmax_t)blks, (uintmax_t)folded);
	} else {
		canvas_note(l->canvas, "%s: blocks=%ju, folded blocks=%ju", name, (uintmax_t)blks,
			    (uintmax_t)folded);
	}
	next_line(l);
}

static void draw_fragment_rules(struct legend *l)
{
	const struct colors *colors = l->colors;
	bool last_apart = !strcmp(colors->source->counts, "breaks");
	size_t n = colors->n_rules - last_apart, i;
	struct count sum = { 0 };
	uint64_t folded = 0;

	draw_fragment_heads(l);
	for (i = 0; i < n; i++) {
		sum.fragments[0] += fragments_of(&l->runs->drawn[i]);
		sum.blks[0] += blks_of(&l->runs->drawn[i]);
		folded += l->folded->blks[i];
	}
	for (i = 0; i < colors->n_rules; i++) {
		if (i == n)
			draw_fragment_count(l, "all breaks", &sum, &sum, folded);
		put_swatch(l, COL_SWATCH, colors->rules[i].rgb[0]);
		draw_fragment_count(l, colors->rules[i].what, &l->runs->drawn[i], i < n ? &sum : NULL,
				    l->folded->blks[i]);
	}
	if (!last_apart)
		draw_fragment_count(l, "all fragments", &sum, &sum, folded);
}

/* === Free space === */

/* Valid blocks that no watched file has. */
static void draw_unwatched(struct legend *l, const char *name, uint32_t rgb, uint64_t blks, const char *what)
{
	bool counts_fragments = l->colors->source->counts;

	put_text(l, 0, RGB_INK, name);
	put_swatch(l, counts_fragments ? COL_SWATCH : COL_CONTIGUOUS, rgb);
	put_number(l, counts_fragments ? COL_BLKS : COL_CONTIGUOUS_BLKS, blks);
	put_text(l, counts_fragments ? COL_SWATCH + 3 : COL_FRAGMENTED, RGB_FAINT, what);
	canvas_note(l->canvas, "%s: blocks=%ju", name, (uintmax_t)blks);
	next_line(l);
}

static void draw_free(struct legend *l)
{
	bool counts_fragments = l->colors->source->counts;
	const char *name = l->runs->states ? "free" : "not watched or free";
	char n[2][GROUPED_MAX], text[MAX_TEXT];

	put_text(l, 0, RGB_INK, name);
	put_swatch(l, counts_fragments ? COL_SWATCH : COL_CONTIGUOUS, RGB_FREE);
	put_number(l, counts_fragments ? COL_BLKS : COL_CONTIGUOUS_BLKS, l->runs->free_blks);
	snprintf(text, sizeof(text), "in %s gap%s, longest %s", grouped(n[0], l->runs->free_gaps),
		 plural(l->runs->free_gaps), grouped(n[1], l->runs->free_longest));
	put_text(l, counts_fragments ? COL_SWATCH + 3 : COL_FRAGMENTED, RGB_FAINT, text);
	put_number(l, COL_FOLDED, l->folded->free);
	canvas_note(l->canvas, "%s: blocks=%ju gaps=%ju longest=%ju, folded blocks=%ju", name,
		    (uintmax_t)l->runs->free_blks, (uintmax_t)l->runs->free_gaps,
		    (uintmax_t)l->runs->free_longest, (uintmax_t)l->folded->free);
	next_line(l);
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
	bool counts = colors->source->counts;

	draw_title(&l);
	draw_summary(&l, when);
	draw_fragments(&l);
	draw_units(&l);
	draw_folding(&l);
	draw_lens(&l);
	half_line(&l);
	if (counts)
		draw_fragment_rules(&l);
	else
		draw_file_rules(&l);
	half_line(&l);
	put_separator(&l);
	if (runs->states) {
		draw_unwatched(&l, "other data", RGB_OTHER, runs->other_blks,
			       counts ? "no watched file" : "valid, in no watched file: other files, directories");
		draw_unwatched(&l, "nodes", RGB_NODES, runs->node_blks,
			       counts ? "no watched file" : "valid, in segments of nodes");
	}
	if (runs->selection) {
		put_number(&l, COL_FOLDED, folded->left_out);
		draw_unwatched(&l, "other files", RGB_LEFT_OUT, runs->left_out_blks, counts ? "do not match" :
			       "watched, but do not match");
	}
	draw_free(&l);
}
