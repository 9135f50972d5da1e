// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: a page in a file, with one table and one way to colour it. It has answers of serve_view.c in it: the table,
 * the list of files, and for each volume all cells of single blocks. page/embedded.js mixes larger cells of them; what is in a range
 * of blocks, and where the fragments of a file are, it finds in the pieces of the volume.
 *
 * The size of the page is limited. It lists the worst MAX_FILES files, and has the pieces of as many of these as there is room
 * for; the places of others are unknown to it, and so are small gaps. Then it has larger cells as well. The page says so.
 */

#include "input/figures.h"
#include "outfile.h"
#include "output/embedded.h"
#include "output/html.h"
#include "output/page_data.h"
#include "picture/png_out.h"

#define MAX_FILES 5000
#define MAX_PIECES 200000
#define MAX_SEGMENTS 65536
#define MAX_CELLS 131072

/* If not all pieces fit, a gap has one if it is at least this share of the volume (1/1024). */
#define GAP_SHARE 1024

/* Values that replace the number of a file in the list. */
#define OWNER_FREE -1
#define OWNER_LEFT_OUT -2
#define OWNER_OTHER -3
#define OWNER_NODES -4
#define OWNER_UNKNOWN -5

/**
 * struct embedded - what is in the page
 * @view: the table
 * @png: the picture of it
 * @is_square: the map begins as a square
 * @order: indices into table.files, the worst first
 * @n: how many of @order are listed
 * @owners: by index into table.files, its index in the list if its pieces are there, or OWNER_UNKNOWN
 * @n_placed: how many files have their pieces
 * @n_pieces: how many there are, with those that are left out
 * @has_all: all pieces are there
 * @causes: by extent, the cause of its fragment; NULL where causes are not known
 */
struct embedded {
	const struct serve_view *view;
	const struct text *png;
	bool is_square;
	uint32_t *order;
	size_t n;
	int32_t *owners;
	size_t n_placed;
	size_t n_pieces;
	bool has_all;
	uint32_t *causes;
};

/* === Files === */

struct counter {
	const struct table *table;
	size_t *by_file;
	size_t *all;
};

static void count_piece(void *arg, const struct range_piece *piece)
{
	struct counter *counter = arg;

	++*counter->all;
	if (piece->extent != NO_EXTENT)
		counter->by_file[counter->table->extents[piece->extent].file]++;
}

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

/* Between two pieces of files may be one of a gap: these get half of the room. */
static void place_files(struct embedded *page)
{
	const struct runs *runs = &page->view->runs;
	const struct table *table = runs->table;
	struct counter counter = { table, xcalloc(table->n_files, sizeof(*counter.by_file)), &page->n_pieces };
	size_t room, i;

	for (i = 0; i < runs->n_parts; i++)
		serve_view_walk(page->view, i, runs->parts[i].first_blk, runs->parts[i].end_blk, count_piece, &counter);
	page->order = figures_worst(runs->figures, table->n_files);
	page->n = table->n_files < MAX_FILES ? table->n_files : MAX_FILES;
	page->has_all = page->n == table->n_files && page->n_pieces <= MAX_PIECES;
	page->owners = xcalloc(table->n_files, sizeof(*page->owners));
	room = page->has_all ? MAX_PIECES : MAX_PIECES / 2;
	for (i = 0; i < table->n_files; i++) {
		uint32_t file = page->order[i];

		page->owners[file] = OWNER_UNKNOWN;
		if (i >= page->n || counter.by_file[file] > room)
			continue;
		page->owners[file] = (int32_t)i;
		room -= counter.by_file[file];
		page->n_placed++;
	}
	free(counter.by_file);
	page->causes = table->causes ? find_causes(runs) : NULL;
}

static void put_files(struct json *json, const struct embedded *page)
{
	size_t i;

	json_number(json, "placed", page->n_placed);
	json_array(json, "files");
	for (i = 0; i < page->n; i++)
		serve_put_file(json, page->view, page->order[i]);
	json_end(json);
}

/* === Causes === */

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return ORDER(x, y);
}

/* Each cause that a piece refers to, by its number. */
static void put_causes(struct json *json, const struct embedded *page)
{
	const struct table *table = page->view->runs.table;
	uint32_t *used = xcalloc(table->n_extents, sizeof(*used));
	char number[24];
	size_t n = 0, i;

	for (i = 0; i < table->n_extents; i++)
		if (page->owners[table->extents[i].file] != OWNER_UNKNOWN)
			used[n++] = page->causes[i];
	qsort(used, n, sizeof(*used), by_number);
	json_object(json, "causes");
	for (i = 0; i < n; i++) {
		if (i && used[i] == used[i - 1])
			continue;
		snprintf(number, sizeof(number), "%u", used[i]);
		json_object(json, number);
		page_put_cause(json, table, used[i]);
		json_end(json);
	}
	json_end(json);
	free(used);
}

/* === Places === */

/* Writes pieces. Unknown ones that touch are one. */
struct piece_writer {
	struct json *json;
	const struct embedded *page;
	uint64_t least_gap;
	uint64_t unknown;
};

static void put_piece(const struct piece_writer *w, int owner, uint64_t blks, uint64_t offset, uint32_t cause)
{
	json_signed(w->json, NULL, owner);
	json_number(w->json, NULL, blks);
	json_number(w->json, NULL, offset);
	json_number(w->json, NULL, cause);
}

static void flush_unknown(struct piece_writer *w)
{
	if (w->unknown)
		put_piece(w, OWNER_UNKNOWN, w->unknown, 0, 0);
	w->unknown = 0;
}

static int32_t owner_of(const struct piece_writer *w, const struct range_piece *piece)
{
	if (piece->extent != NO_EXTENT)
		return w->page->owners[w->page->view->runs.table->extents[piece->extent].file];
	if (piece->blks < w->least_gap)
		return OWNER_UNKNOWN;
	switch (piece->shade) {
	case SHADE_FREE:
		return OWNER_FREE;
	case SHADE_LEFT_OUT:
		return OWNER_LEFT_OUT;
	case SHADE_NODES:
		return OWNER_NODES;
	default:
		return OWNER_OTHER;
	}
}

static void add_piece(void *arg, const struct range_piece *piece)
{
	struct piece_writer *w = arg;
	int32_t owner = owner_of(w, piece);
	const struct extent *e;

	if (owner == OWNER_UNKNOWN) {
		w->unknown += piece->blks;
		return;
	}
	flush_unknown(w);
	if (owner < 0) {
		put_piece(w, owner, piece->blks, 0, 0);
		return;
	}
	e = &w->page->view->runs.table->extents[piece->extent];
	put_piece(w, owner, piece->blks, e->offset + (piece->lba - e->lba), w->page->causes ? w->page->causes[piece->extent] : 0);
}

static void put_pieces(struct json *json, const struct embedded *page, size_t part)
{
	const struct part *p = &page->view->runs.parts[part];
	struct piece_writer w = { json, page, page->has_all ? 0 : (p->end_blk - p->first_blk) / GAP_SHARE, 0 };

	json_array(json, "pieces");
	serve_view_walk(page->view, part, p->first_blk, p->end_blk, add_piece, &w);
	flush_unknown(&w);
	json_end(json);
}

/* All cells of the volume: of single blocks, or of as few as there is room for. */
static void put_cells(struct json *json, const struct embedded *page, size_t part)
{
	const struct runs *runs = &page->view->runs;
	uint64_t first = runs->parts[part].first_blk, blks = runs->parts[part].end_blk - first;
	struct serve_cells cells = { .part = part, .first = first, .per = 1, .n = blks, .lit = NO_LIT };

	for (; page->n_pieces > MAX_PIECES && cells.n > MAX_CELLS / runs->n_parts; cells.n = (blks + cells.per - 1) / cells.per)
		cells.per *= 2;
	serve_put_cells(json, "cells", page->view, &cells);
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

/* === Page === */

static void put_table(struct json *json, const void *arg)
{
	const struct embedded *page = arg;

	serve_put_table(json, page->view);
}

static void put_answers(FILE *file, const void *arg)
{
	const struct embedded *page = arg;
	struct json json = { .file = file };
	size_t i;

	fputs("<script type=\"application/json\" id=\"answers\">\n", file);
	json_object(&json, NULL);
	json_flag(&json, "isSquare", page->is_square);
	put_files(&json, page);
	if (page->causes)
		put_causes(&json, page);
	json_array(&json, "volumes");
	for (i = 0; i < page->view->runs.n_parts; i++) {
		json_object(&json, NULL);
		put_segments(&json, &page->view->runs, i);
		put_cells(&json, page, i);
		put_pieces(&json, page, i);
		json_end(&json);
	}
	json_end(&json);
	json_line(&json);
	json_value(&json, "picture");
	putc('"', file);
	png_out_url(file, page->png);
	putc('"', file);
	json_end(&json);
	fputs("\n</script>\n", file);
}

/**
 * embedded_write() - write a page in a file
 * @path: where to; "-" is standard output
 * @view: the table
 * @png: the picture of it, from png_out_encode()
 * @is_square: the map begins as a square along a Hilbert curve
 *
 * Ends the program if the page cannot be written.
 */
void embedded_write(const char *path, const struct serve_view *view, const struct text *png, bool is_square)
{
	struct embedded page = { .view = view, .png = png, .is_square = is_square };
	struct outfile out;

	place_files(&page);
	outfile_open(&out, path, "page");
	html_put(out.file, &(struct html){ view->interval_ns ? HTML_RENEWED : HTML_ANSWERS, put_table, put_answers, &page });
	outfile_close(&out);
	free(page.order);
	free(page.owners);
	free(page.causes);
}
