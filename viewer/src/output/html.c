// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: a page that shows the picture and what each cell of it stands for.
 *
 * page.html, page.css and page.js are the same in every page. This file inserts the data between
 * them as JSON. The JSON contains the picture, too. So page and picture always have the same time,
 * and the page is a single file. Names of files appear in JSON strings only, which page.js shows as
 * text, never as HTML.
 *
 * The size of the page is limited: it lists the worst MAX_FILES files, and has the pieces of as many
 * of these as fit into MAX_PIECES pieces. The places of the others are unknown to the page, which says so, as are
 * small gaps beside them if what no listed file has is in more than MAX_PIECES pieces; then the page does not tell
 * free blocks from others that are not watched either. Of a volume with unknown places, the page has the colours of
 * an overview as well.
 */
#include <stdlib.h>
#include <string.h>

#include "input/figures.h"
#include "model/causes.h"
#include "outfile.h"
#include "output/html.h"
#include "output/page_data.h"
#include "output/phrases.h"
#include "output/serve_view.h"
#include "page.h"
#include "picture/png_out.h"
#include "util.h"

#define MAX_FILES 5000
#define MAX_PIECES 200000
#define MAX_SEGMENTS 65536

/* Free space is a piece of its own if it is at least this share of the volume (1/1024). */
#define FREE_SHARE 1024

/* An extent has at most so many pieces: the drawn part, the folded part, the space before it. */
#define PIECES_PER_EXTENT 3

/* Values that replace the number of a file in the list. */
#define OWNER_FREE -1
#define OWNER_LEFT_OUT -2
#define OWNER_OTHER -3
#define OWNER_NODES -4
#define OWNER_UNKNOWN -5

/**
 * struct page_files - the files of the page
 * @figures: by index into table.files
 * @order: the same indices, the worst first
 * @n: how many of @order are listed
 * @listed: by index into table.files, its index in the list if the page has its pieces, or
 *	OWNER_UNKNOWN
 * @shade: by index into table.files, its shade in the list
 * @causes: by extent, the cause of its fragment; NULL where causes are not known
 * @n_left_out: listed files whose pieces are left out
 * @knows_gaps: all that no listed file has is in pieces of its own
 */
struct page_files {
	const struct figures *figures;
	uint32_t *order;
	size_t n;
	int32_t *listed;
	uint8_t *shade;
	uint32_t *causes;
	size_t n_left_out;
	bool knows_gaps;
};

/* === Files === */

/* All extents of a fragment have the cause of its first one. */
static uint32_t *find_causes(const struct runs *runs)
{
	const struct table *table = runs->table;
	uint32_t *causes = xcalloc(table->n_extents, sizeof(*causes));
	size_t i;

	for (i = 0; i < table->n_extents; i++)
		causes[i] = runs->starts[i] == START_NONE ? causes[i - 1] : page_cause(runs, i);
	return causes;
}

/* Whether all that no listed file has fits into a page of limited size. */
static bool can_tell_gaps(const struct runs *runs)
{
	size_t n = 0, i;

	for (i = 0; i < runs->n_parts; i++) {
		struct run_walk walk = runs_walk(runs, i);
		struct run run;

		while (n <= MAX_PIECES && runs_next(&walk, &run))
			n += run.first == NO_EXTENT;
	}
	return n <= MAX_PIECES;
}

/* Where colours change within extents, a window that has counts may make two pieces more. */
static uint64_t ranges_of(const struct runs *runs, uint32_t file)
{
	const struct heat *heat = runs->colors->heat;
	const struct heat_window *w;
	uint64_t n = 0;

	for (w = heat ? heat_find(heat, runs->table, file, 0) : NULL; w; w = heat_next(heat, w))
		n += 2;
	return n;
}

static void list_files(struct page_files *list, const struct runs *runs, const struct colors *colors)
{
	const struct table *table = runs->table;
	uint64_t room = MAX_PIECES;
	size_t i;

	list->figures = runs->figures;
	list->order = figures_worst(list->figures, table->n_files);
	list->n = table->n_files < MAX_FILES ? table->n_files : MAX_FILES;
	list->listed = xcalloc(table->n_files, sizeof(*list->listed));
	list->shade = page_shades(runs, colors);
	list->causes = table->causes ? find_causes(runs) : NULL;
	list->n_left_out = 0;
	list->knows_gaps = can_tell_gaps(runs);
	for (i = 0; i < table->n_files; i++) {
		uint32_t file = list->order[i];
		uint64_t need = (list->figures[file].extents + ranges_of(runs, file)) * PIECES_PER_EXTENT;

		list->listed[file] = OWNER_UNKNOWN;
		if (i < list->n && need <= room) {
			list->listed[file] = (int32_t)i;
			room -= need;
		} else if (i < list->n) {
			list->n_left_out++;
		}
	}
}

static void page_files_free(struct page_files *list)
{
	free(list->order);
	free(list->listed);
	free(list->shade);
	free(list->causes);
}

/* The page gets to know of each file whether it has its pieces. */
static void put_files(struct json *json, const struct page_files *list, const struct runs *runs,
		      const struct colors *colors)
{
	size_t i;

	json_array(json, "files");
	for (i = 0; i < list->n; i++) {
		uint32_t at = list->order[i];

		page_put_file(json, runs, at, list->listed[at] != OWNER_UNKNOWN, colors_rgb(colors, list->shade[at]));
	}
	json_end(json);
}

/* === Causes === */

static void put_writers(struct json *json, const struct table *table, const bool *is_used)
{
	char number[24], *text;
	size_t i;

	json_object(json, "writers");
	for (i = 0; i < table->n_writers; i++) {
		if (!is_used[i])
			continue;
		snprintf(number, sizeof(number), "%zu", i);
		text = phrase_writer(table, (uint32_t)i);
		json_array(json, number);
		json_visible(json, NULL, text);
		json_signed(json, NULL, page_age_s(table, (uint32_t)i << FT_CAUSE_WRITER_SHIFT));
		json_end(json);
		free(text);
	}
	json_end(json);
}

static void put_kinds(struct json *json, const bool *is_used)
{
	char number[24], *text;
	size_t i;

	json_object(json, "kinds");
	for (i = 0; i <= CAUSE_KIND; i++) {
		if (!is_used[i] || ft_cause_why((uint32_t)i) == FT_WHY_NONE)
			continue;
		snprintf(number, sizeof(number), "%zu", i);
		text = phrase_kind((uint32_t)i);
		json_text(json, number, text);
		free(text);
	}
	json_end(json);
}

/* The texts of all kinds and processes that the pieces refer to, by number; of processes also the age. */
static void put_causes(struct json *json, const struct page_files *list, const struct table *table)
{
	bool *kinds = xcalloc(CAUSE_KIND + 1, sizeof(*kinds));
	bool *writers = xcalloc(table->n_writers, sizeof(*writers));
	size_t i;

	for (i = 0; i < table->n_extents; i++) {
		if (list->listed[table->extents[i].file] == OWNER_UNKNOWN)
			continue;
		kinds[list->causes[i] & CAUSE_KIND] = true;
		writers[ft_cause_writer(list->causes[i])] = true;
	}
	put_kinds(json, kinds);
	put_writers(json, table, writers);
	free(kinds);
	free(writers);
}

/* === Places === */

/* Writes pieces to the page. Adjacent pieces of one use, or of unknown places, are merged. */
struct piece_writer {
	struct json *json;
	const struct table *table;
	const struct page_files *list;
	uint64_t least_free;
	int32_t owner;
	uint8_t shade;
	uint32_t cause;
	uint64_t blks;
	uint64_t offset;
	uint64_t len;
	bool folded;
};

/* Places that are not listed, and small gaps next to them. */
static bool is_unknown(const struct piece_writer *w, int32_t owner, uint64_t blks)
{
	return owner == OWNER_UNKNOWN || (!w->list->knows_gaps && owner == OWNER_FREE && blks < w->least_free);
}

/*
 * Write owner, blocks, offset in the file; units if the piece is folded, otherwise 0; its shade; and the
 * cause if causes are known.
 */
static void flush_piece(struct piece_writer *w)
{
	if (!w->blks)
		return;
	json_signed(w->json, NULL, w->owner);
	json_number(w->json, NULL, w->blks);
	json_number(w->json, NULL, w->offset);
	json_number(w->json, NULL, w->folded ? w->len : 0);
	json_number(w->json, NULL, w->shade);
	if (w->list->causes)
		json_number(w->json, NULL, w->cause);
	w->blks = 0;
}

static int32_t owner_of(const struct piece_writer *w, const struct piece *piece)
{
	if (piece->extent != NO_EXTENT)
		return w->list->listed[w->table->extents[piece->extent].file];
	if (piece->shade == SHADE_LEFT_OUT)
		return w->list->knows_gaps ? OWNER_LEFT_OUT : OWNER_UNKNOWN;
	if (piece->shade == SHADE_FREE || !w->list->knows_gaps)
		return OWNER_FREE;
	return piece->shade == SHADE_NODES ? OWNER_NODES : OWNER_OTHER;
}

/* A stretch of what the page does not list goes on. */
static bool continues(const struct piece_writer *w, int32_t owner, const struct piece *piece)
{
	if (!w->blks || owner >= 0)
		return false;
	if (w->owner == OWNER_UNKNOWN)
		return is_unknown(w, owner, piece->blks);
	return w->owner == owner && !w->folded && !piece->folded;
}

static void put_piece(void *arg, const struct piece *piece)
{
	struct piece_writer *w = arg;
	int32_t owner = owner_of(w, piece);
	const struct extent *e;

	if (continues(w, owner, piece)) {
		w->blks += piece->blks;
		w->len += piece->len;
		w->folded |= piece->folded;
		return;
	}
	flush_piece(w);
	w->owner = owner;
	w->shade = owner == OWNER_UNKNOWN ? SHADE_FREE : piece->shade;
	w->blks = piece->blks;
	w->len = piece->len;
	w->folded = piece->folded;
	w->offset = w->cause = 0;
	if (owner < 0)
		return;
	e = &w->table->extents[piece->extent];
	/* the drawn part of a run may begin within an extent */
	w->offset = e->offset + (piece->lba - e->lba);
	w->cause = w->list->causes ? w->list->causes[piece->extent] : 0;
}

/* A letter for the type of each segment, 0 to 5 as in F2FS, or - for an empty one; none if there are too many. */
static void put_segments(struct json *json, const struct runs *runs, size_t part)
{
	const struct f2fs_segments *segments;
	FILE *file;
	size_t i;

	if (!runs->states)
		return;
	segments = &runs->states[runs->parts[part].volume].segments;
	if (segments->n > MAX_SEGMENTS)
		return;
	file = json_value(json, "types");
	putc('"', file);
	for (i = 0; i < segments->n; i++)
		putc(segments->valid[i] ? '0' + segments->type[i] : '-', file);
	putc('"', file);
}

/* The colours of cells that show the whole volume, as fragtrace serve has them. */
static void put_overview(struct json *json, const struct runs *runs, const struct page_files *list, size_t volume)
{
	const struct part *part = &runs->parts[volume];
	const struct serve_view view = { .runs = *runs };
	struct serve_cells cells = { .part = volume, .first = part->first_blk, .per = 1, .lit = NO_LIT };
	uint64_t blks = part->end_blk - part->first_blk;

	if (list->knows_gaps && !list->n_left_out && list->n == runs->table->n_files)
		return;
	while ((blks + cells.per - 1) / cells.per > SERVE_MAX_CELLS)
		cells.per *= 2;
	cells.n = (blks + cells.per - 1) / cells.per;
	serve_put_cells(json, "overview", &view, &cells);
}

static void put_volume(struct json *json, const struct layout *layout, const struct runs *runs,
		       const struct page_files *list, size_t volume)
{
	const struct part *part = &runs->parts[volume];
	const struct grid *grid = &layout->grids[volume];
	struct piece_writer w = {
		.json = json, .table = runs->table, .list = list,
		.least_free = (part->end_blk - part->first_blk) / FREE_SHARE,
	};

	json_object(json, NULL);
	page_put_volume(json, runs, volume);
	put_segments(json, runs, volume);
	put_overview(json, runs, list, volume);
	json_number(json, "x", grid->x);
	json_number(json, "y", grid->y);
	json_number(json, "columns", grid->columns);
	json_number(json, "rows", grid->rows);
	json_number(json, "cells", grid->n_cells);
	json_number(json, "lead", grid->lead);
	json_array(json, "pieces");
	layout_walk(layout, runs, volume, put_piece, &w);
	flush_piece(&w);
	json_end(json);
	json_end(json);
}

static void put_pair(struct json *json, const char *key, size_t x, size_t y)
{
	json_array(json, key);
	json_number(json, NULL, x);
	json_number(json, NULL, y);
	json_end(json);
}

static void put_volumes(struct json *json, const struct layout *layout, const struct runs *runs,
			const struct page_files *list)
{
	size_t i;

	put_pair(json, "cell", layout->cell_w, layout->cell_h);
	put_pair(json, "pitch", layout->pitch_x, layout->pitch_y);
	json_flag(json, "hilbert", layout->order == ORDER_HILBERT);
	json_number(json, "unitsPerBlock", layout->units_per_blk);
	json_number(json, "unitsPerCell", layout->units_per_cell);
	json_array(json, "volumes");
	for (i = 0; i < layout->n_grids; i++)
		put_volume(json, layout, runs, list, i);
	json_end(json);
}

/* === Page === */

static void put_lines(FILE *file, const char *const *lines)
{
	for (; *lines; lines++)
		fputs(*lines, file);
}

/* The colours of all shades that are in use, for zooming. */
static void put_shades(struct json *json, const struct colors *colors)
{
	size_t i;

	json_array(json, "shades");
	for (i = 0; i < colors->n_rules * N_TONES; i++)
		json_number(json, NULL, colors_rgb(colors, (uint8_t)i));
	json_end(json);
}

/**
 * struct page_file - the data of a page in a file
 * @png: the picture
 * @layout: how it was drawn
 * @runs: what was drawn
 * @colors: the rules
 * @interval_ns: from one picture to the next
 */
struct page_file {
	const struct text *png;
	const struct layout *layout;
	const struct runs *runs;
	const struct colors *colors;
	int64_t interval_ns;
};

static void put_data(struct json *json, const void *arg)
{
	const struct page_file *page = arg;
	struct page_files list;

	list_files(&list, page->runs, page->colors);
	json_object(json, NULL);
	page_put_head(json, page->runs, page->colors, page->runs->states && list.knows_gaps, page->interval_ns);
	json_number(json, "width", page->layout->width);
	json_number(json, "height", page->layout->height);
	json_number(json, "unplaced", list.n_left_out);
	put_files(json, &list, page->runs, page->colors);
	if (list.causes)
		put_causes(json, &list, page->runs->table);
	put_shades(json, page->colors);
	put_volumes(json, page->layout, page->runs, &list);
	json_line(json);
	json_value(json, "picture");
	putc('"', json->file);
	png_out_url(json->file, page->png);
	putc('"', json->file);
	json_end(json);
	page_files_free(&list);
}

/* No page may load anything from elsewhere, nor run a script that is not its own. */
static const char *const policies[] = {
	[HTML_PICTURE] = "img-src data:",
	[HTML_RENEWED] = "img-src data:; frame-src 'self' file:",
	[HTML_SERVED] = "img-src data: blob:; connect-src 'self'",
	[HTML_READER] = "img-src data: blob:; worker-src blob:",
};

/**
 * html_put() - write a page
 * @file: output
 * @html: what is in it
 */
void html_put(FILE *file, const struct html *html)
{
	struct json json = { .file = file };
	const char *const *line;

	for (line = page_html; *line; line++) {
		if (!strcmp(*line, "@policy@\n"))
			fprintf(file, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'; "
				"style-src 'sha256-" PAGE_CSS_SHA256 "'; script-src 'sha256-" PAGE_JS_SHA256 "'%s; %s\">\n",
				html->kind == HTML_READER ? " 'wasm-unsafe-eval'" : "", policies[html->kind]);
		else if (!strcmp(*line, "@page.css@\n"))
			put_lines(file, page_css);
		else if (!strcmp(*line, "@page.js@\n"))
			put_lines(file, page_js);
		else if (!strcmp(*line, "@data@\n"))
			html->put(&json, html->arg);
		else if (strcmp(*line, "@files@\n"))
			fputs(*line, file);
		else if (html->put_files)
			html->put_files(file, html->arg);
	}
}

/**
 * html_write() - write the page with a picture
 * @path: where to; "-" is standard output
 * @png: the picture, from png_out_encode()
 * @layout: how it was drawn
 * @runs: what was drawn
 * @colors: the rules
 * @interval_ns: from one picture to the next; 0: only one picture
 *
 * Ends the program if the page cannot be written.
 */
void html_write(const char *path, const struct text *png, const struct layout *layout,
		const struct runs *runs, const struct colors *colors, int64_t interval_ns)
{
	const struct page_file page = { png, layout, runs, colors, interval_ns };
	struct outfile out;

	outfile_open(&out, path, "page");
	html_put(out.file, &(struct html){ interval_ns ? HTML_RENEWED : HTML_PICTURE, put_data, NULL, &page });
	outfile_close(&out);
}
