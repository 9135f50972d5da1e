// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: a page that shows the picture and what is at each place of it.
 *
 * page.html, page.css and page.js are the same in every page. This file inserts the data between
 * them as JSON. The JSON contains the picture, too. So page and picture always have the same time,
 * and the page is a single file. Names of files appear in JSON strings only, which page.js shows as
 * text, never as HTML.
 *
 * The size of the page is limited: it lists the worst MAX_FILES files, and has the places of as many
 * of these as fit into MAX_PIECES pieces. The page reports how many were left out.
 */
#include <stdlib.h>
#include <string.h>

#include "model/causes.h"
#include "model/figures.h"
#include "names.h"
#include "outfile.h"
#include "output/html.h"
#include "output/phrases.h"
#include "page.h"
#include "util.h"

#define MAX_FILES 5000
#define MAX_PIECES 200000

/* Free space is a piece of its own if it is at least this share of the volume (1/1024). */
#define FREE_SHARE 1024

/* An extent has at most so many pieces: the drawn part, the folded part, the space before it. */
#define PIECES_PER_EXTENT 3

/* Values that replace the number of a file in the list. */
#define OWNER_FREE -1
#define OWNER_LEFT_OUT -2

/**
 * struct page_files - the files of the page
 * @figures: by index into table.files
 * @order: the same indices, the worst first
 * @n: how many of @order are listed
 * @place: by index into table.files, its index in the list if the page has its places, or
 *	OWNER_LEFT_OUT
 * @shade: by index into table.files, one of its shades; the shade of most breaks if they differ in more
 *	than tone
 * @causes: by extent, the cause of the break before its fragment, or 0; NULL where causes are not known
 * @n_unplaced: listed files without a place
 * @n_fragmented: files of two fragments or more, listed or not
 */
struct page_files {
	const struct figures *figures;
	uint32_t *order;
	size_t n;
	int32_t *place;
	uint8_t *shade;
	uint32_t *causes;
	size_t n_unplaced;
	size_t n_fragmented;
};

/* === Files === */

/* All extents of a fragment have the cause of its first one. */
static uint32_t *find_causes(const struct runs *runs)
{
	const struct table *table = runs->table;
	uint32_t *causes = xcalloc(table->n_extents, sizeof(*causes));
	size_t i;

	for (i = 0; i < table->n_extents; i++) {
		if (runs->places[i] == PLACE_BREAK)
			causes[i] = cause_of_break(table, i);
		else if (runs->places[i] == PLACE_JOINED)
			causes[i] = causes[i - 1];
	}
	return causes;
}

/* A shade of the rule that most breaks of a file have. */
static uint8_t main_shade(const struct runs *runs, const struct file_break *breaks, size_t n, uint8_t shade)
{
	size_t counts[MAX_RULES] = { 0 }, most = 0, i;

	for (i = 0; i < n; i++) {
		size_t *count = &counts[SHADE_RULE(runs->shades[breaks[i].extent])];

		if (++*count <= most)
			continue;
		most = *count;
		shade = runs->shades[breaks[i].extent];
	}
	return shade;
}

static void find_shades(struct page_files *list, const struct runs *runs, const struct colors *colors)
{
	const struct table *table = runs->table;
	struct breaks breaks;
	size_t i;

	for (i = 0; i < table->n_extents; i++)
		list->shade[table->extents[i].file] = runs->shades[i];
	if (colors->source->file_rule)
		return;
	breaks_find(&breaks, table, runs->places);
	for (i = 0; i < table->n_files; i++)
		list->shade[i] = main_shade(runs, breaks.all + breaks.begins[i],
					    breaks.begins[i + 1] - breaks.begins[i], list->shade[i]);
	breaks_free(&breaks);
}

static void list_files(struct page_files *list, const struct runs *runs, const struct colors *colors)
{
	const struct table *table = runs->table;
	uint64_t room = MAX_PIECES;
	size_t i;

	list->figures = runs->figures;
	list->order = figures_worst(list->figures, table->n_files);
	list->n = table->n_files < MAX_FILES ? table->n_files : MAX_FILES;
	list->place = xcalloc(table->n_files, sizeof(*list->place));
	list->shade = xcalloc(table->n_files, sizeof(*list->shade));
	list->causes = table->causes ? find_causes(runs) : NULL;
	list->n_unplaced = list->n_fragmented = 0;
	find_shades(list, runs, colors);
	for (i = 0; i < table->n_files; i++) {
		uint32_t file = list->order[i];
		uint64_t need = list->figures[file].extents * PIECES_PER_EXTENT;

		list->place[file] = OWNER_LEFT_OUT;
		list->n_fragmented += list->figures[file].fragments > 1;
		if (i < list->n && need <= room) {
			list->place[file] = (int32_t)i;
			room -= need;
		} else if (i < list->n) {
			list->n_unplaced++;
		}
	}
}

static void page_files_free(struct page_files *list)
{
	free(list->order);
	free(list->place);
	free(list->shade);
	free(list->causes);
}

static void put_name(FILE *file, const char *name)
{
	char *text = name_visible(name);

	put_json_string(file, text);
	free(text);
}

static void put_path(FILE *file, const char *path, bool deleted)
{
	char *whole = xasprintf("%s%s", path, deleted ? DELETED_MARK : "");

	put_name(file, whole);
	free(whole);
}

/* Path, volume, inode, figures, whether the page has its places, colour. */
static void put_files(FILE *file, const struct page_files *list, const struct table *table,
		      const struct colors *colors)
{
	size_t i;

	fputs("\"files\":[\n", file);
	for (i = 0; i < list->n; i++) {
		uint32_t at = list->order[i];
		const struct file *f = &table->files[at];
		const struct figures *fig = &list->figures[at];

		fputc('[', file);
		put_path(file, f->path, f->deleted);
		fprintf(file, ",%u,%ju,%ju,%ju,%ju,%ju,%ju,%d,\"#%06x\"]%s\n", f->volume,
			(uintmax_t)f->ino, (uintmax_t)fig->blks, (uintmax_t)fig->extents,
			(uintmax_t)fig->fragments, (uintmax_t)fig->requests, (uintmax_t)fig->ideal,
			list->place[at] != OWNER_LEFT_OUT, colors_rgb(colors, list->shade[at]),
			i + 1 < list->n ? "," : "");
	}
	fputs("],\n", file);
}

/* === Causes === */

/* The texts of all kinds and processes that the pieces refer to, by number. */
static void put_causes(FILE *file, const struct page_files *list, const struct table *table)
{
	bool *kinds = xcalloc(CAUSE_KIND + 1, sizeof(*kinds));
	bool *writers = xcalloc(table->n_writers, sizeof(*writers));
	const char *before = "";
	size_t i;
	char *text;

	for (i = 0; i < table->n_extents; i++) {
		if (!list->causes[i] || list->place[table->extents[i].file] == OWNER_LEFT_OUT)
			continue;
		kinds[list->causes[i] & CAUSE_KIND] = true;
		writers[ft_cause_writer(list->causes[i])] = true;
	}
	fputs("\"kinds\":{", file);
	for (i = 0; i <= CAUSE_KIND; i++) {
		if (!kinds[i])
			continue;
		text = phrase_kind((uint32_t)i);
		fprintf(file, "%s\"%zu\":", before, i);
		put_json_string(file, text);
		before = ",\n";
		free(text);
	}
	fputs("},\n\"writers\":{", file);
	for (before = "", i = 0; i < table->n_writers; i++) {
		if (!writers[i])
			continue;
		text = phrase_writer(table, (uint32_t)i);
		fprintf(file, "%s\"%zu\":", before, i);
		put_name(file, text);
		before = ",\n";
		free(text);
	}
	fputs("},\n", file);
	free(kinds);
	free(writers);
}

/* === Places === */

/* Writes pieces to the page. Adjacent pieces of files that are not listed are merged. */
struct piece_writer {
	FILE *file;
	const struct table *table;
	const struct page_files *list;
	uint64_t least_free;
	const char *before;
	int32_t owner;
	uint32_t cause;
	uint64_t blks;
	uint64_t offset;
	uint64_t len;
	bool folded;
};

/* Skip files that are not listed, and small gaps next to them. */
static bool is_left_out(const struct piece_writer *w, int32_t owner, uint64_t blks)
{
	return owner == OWNER_LEFT_OUT || (owner == OWNER_FREE && blks < w->least_free);
}

/*
 * Write owner, blocks, offset in the file; units if the piece is folded, otherwise 0; and the cause if
 * causes are known.
 */
static void flush_piece(struct piece_writer *w)
{
	if (!w->blks)
		return;
	fprintf(w->file, "%s%d,%ju,%ju,%ju", w->before, w->owner, (uintmax_t)w->blks,
		(uintmax_t)w->offset, (uintmax_t)(w->folded ? w->len : 0));
	if (w->list->causes)
		fprintf(w->file, ",%u", w->cause);
	w->before = ",";
	w->blks = 0;
}

static void put_piece(void *arg, const struct piece *piece)
{
	struct piece_writer *w = arg;
	const struct extent *e = NULL;
	int32_t owner = OWNER_FREE;

	if (piece->shade == SHADE_LEFT_OUT)
		owner = OWNER_LEFT_OUT;
	if (piece->extent != NO_EXTENT) {
		e = &w->table->extents[piece->extent];
		owner = w->list->place[e->file];
	}
	if (w->blks && w->owner == OWNER_LEFT_OUT && is_left_out(w, owner, piece->blks)) {
		w->blks += piece->blks;
		w->len += piece->len;
		w->folded |= piece->folded;
		return;
	}
	/* the page does not tell free blocks from others that are not watched */
	if (w->blks && w->owner == OWNER_FREE && owner == OWNER_FREE && !w->folded && !piece->folded) {
		w->blks += piece->blks;
		w->len += piece->len;
		return;
	}
	flush_piece(w);
	w->owner = owner;
	w->blks = piece->blks;
	/* the drawn part of a run may begin within an extent */
	w->offset = owner >= 0 ? e->offset + (piece->lba - e->lba) : 0;
	w->cause = owner >= 0 && w->list->causes ? w->list->causes[piece->extent] : 0;
	w->len = piece->len;
	w->folded = piece->folded;
}

static void put_volume(FILE *file, const struct layout *layout, const struct runs *runs,
		       const struct page_files *list, size_t volume)
{
	const struct volume *v = runs_volume(runs, volume);
	const struct part *part = &runs->parts[volume];
	const struct grid *grid = &layout->grids[volume];
	struct piece_writer w = {
		.file = file, .table = runs->table, .list = list, .before = "",
		.least_free = (part->end_blk - part->first_blk) / FREE_SHARE,
	};

	fprintf(file, "{\"dev\":\"%u:%u\",\"path\":", v->major, v->minor);
	put_path(file, v->path, false);
	fprintf(file, ",\"lba\":%ju,\"x\":%zu,\"y\":%zu,\"columns\":%zu,\"rows\":%zu,\"cells\":%ju,"
		"\"lead\":%ju,\n\"pieces\":[", (uintmax_t)part->first_blk, grid->x, grid->y, grid->columns, grid->rows,
		(uintmax_t)grid->n_cells, (uintmax_t)grid->lead);
	layout_walk(layout, runs, volume, put_piece, &w);
	flush_piece(&w);
	fputs("]}", file);
}

static void put_volumes(FILE *file, const struct layout *layout, const struct runs *runs,
			const struct page_files *list)
{
	size_t i;

	fprintf(file, "\"cell\":[%zu,%zu],\"pitch\":[%zu,%zu],\"hilbert\":%s,"
		"\"unitsPerBlock\":%ju,\"unitsPerCell\":%ju,\n\"volumes\":[\n",
		layout->cell_w, layout->cell_h, layout->pitch_x, layout->pitch_y,
		layout->order == ORDER_HILBERT ? "true" : "false",
		(uintmax_t)layout->units_per_blk, (uintmax_t)layout->units_per_cell);
	for (i = 0; i < layout->n_grids; i++) {
		put_volume(file, layout, runs, list, i);
		fputs(i + 1 < layout->n_grids ? ",\n" : "\n", file);
	}
	fputs("],\n", file);
}

/* === Picture === */

static void put_base64(FILE *file, const unsigned char *bytes, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i;

	for (i = 0; i < n; i += 3) {
		uint32_t group = (uint32_t)bytes[i] << 16;

		if (i + 1 < n)
			group |= (uint32_t)bytes[i + 1] << 8;
		if (i + 2 < n)
			group |= bytes[i + 2];
		putc(digits[group >> 18], file);
		putc(digits[group >> 12 & 63], file);
		putc(i + 1 < n ? digits[group >> 6 & 63] : '=', file);
		putc(i + 2 < n ? digits[group & 63] : '=', file);
	}
}

static void put_picture(FILE *file, const struct text *png)
{
	fputs("\"picture\":\"data:image/png;base64,", file);
	put_base64(file, (const unsigned char *)png->buf, png->len);
	fputs("\"", file);
}

/* === Page === */

static void put_lines(FILE *file, const char *const *lines)
{
	for (; *lines; lines++)
		fputs(*lines, file);
}

static void put_data(FILE *file, const struct text *png, const struct layout *layout,
		     const struct runs *runs, const struct colors *colors, int64_t interval_ns)
{
	const struct table *table = runs->table;
	struct page_files list;

	list_files(&list, runs, colors);
	/* a page is recognised as new by these values */
	fprintf(file, "{\"time\":%jd,\"written\":%jd,\"interval\":%jd,\"width\":%zu,"
		"\"height\":%zu,\n", (intmax_t)table->text.time_ms, (intmax_t)monotonic_ns(),
		(intmax_t)(interval_ns / 1000000), layout->width, layout->height);
	fprintf(file, "\"total\":{\"files\":%zu,\"extents\":%zu,\"fragmented\":%zu,\"unplaced\":%zu,"
		"\"stale\":%ju},\n", table->n_files, table->n_extents, list.n_fragmented, list.n_unplaced,
		(uintmax_t)table->n_stale);
	put_files(file, &list, table, colors);
	if (list.causes)
		put_causes(file, &list, table);
	put_volumes(file, layout, runs, &list);
	put_picture(file, png);
	fputs("}\n", file);
	page_files_free(&list);
}

/**
 * html_write() - write the page
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
	const char *const *line;
	struct outfile out;

	outfile_open(&out, path, "page");
	for (line = page_html; *line; line++) {
		if (!strcmp(*line, "@page.css@\n"))
			put_lines(out.file, page_css);
		else if (!strcmp(*line, "@page.js@\n"))
			put_lines(out.file, page_js);
		else if (!strcmp(*line, "@data@\n"))
			put_data(out.file, png, layout, runs, colors, interval_ns);
		else
			fputs(*line, out.file);
	}
	outfile_close(&out);
}
