// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the table that a served page shows, and answers to what the page asks about it, as JSON.
 *
 *	table	time, totals, legend and volumes
 *	cells	the colours of some thousand cells at most, each of so many blocks, whatever the volume is
 *	blocks	what is in a range of blocks, a few pieces at most
 *	fragments where the fragments of a file are
 *
 * Each answer is computed when it is asked for, and limited. Knows nothing of HTTP, see serve.c.
 */

#include "model/zone_use.h"
#include "output/page_data.h"
#include "output/serve_compare.h"
#include "output/serve_view.h"

/* Ways to colour a table; all but the first N_PLAIN_COLORINGS need its causes. */
const char *const serve_colorings[N_COLORINGS] = { "kind", "severity", "size", "cause", "why", "process", "age" };

/* === The table === */

static void find_places(struct serve_view *view)
{
	const struct table *table = view->runs.table;

	view->first_blks = xcalloc(table->n_files, sizeof(*view->first_blks));
	for (size_t i = 0; i < table->n_files; i++)
		view->first_blks[i] = BLK_MAX;
	for (size_t i = 0; i < table->n_extents; i++) {
		uint32_t *first = &view->first_blks[table->extents[i].file];

		if (table->extents[i].lba < *first)
			*first = table->extents[i].lba;
	}
}

static void color(struct serve_view *view, struct colors *colors)
{
	const struct selection *selection = view->has_selection ? &view->selection : NULL;
	const struct table *shown = selection ? &selection->table : &view->table;

	colors_learn(colors, shown);
	colors_take(&view->colors, colors);
	runs_build(&view->runs, shown, selection, &view->colors, view->states);
	runs_narrow(&view->runs, view->lens, &view->colors, view->name);
	view->shades = page_shades(&view->runs, &view->colors);
}

/**
 * serve_view_fill() - take over a table
 * @view: to be filled; empty but for its generation, interval_ns and has_moments. It must not move afterwards
 * @table: the table; empty afterwards
 * @states: what F2FS knows, or NULL; owned by @view afterwards
 * @lens: what is shown; must stay valid as long as @view
 * @colors: the rules; they learn from the table
 * @name: of the table, for messages; likewise
 */
void serve_view_fill(struct serve_view *view, struct table *table, struct f2fs_state *states, const struct lens *lens,
		     struct colors *colors, const char *name)
{
	view->table = *table;
	view->states = states;
	view->has_selection = lens->only;
	view->lens = lens;
	view->name = name;
	if (states)
		f2fs_modes_take(&view->table, states);
	*table = (struct table){ 0 };
	if (lens->only)
		selection_make(&view->selection, &view->table, lens->only);
	color(view, colors);
	find_places(view);
}

/**
 * serve_view_color() - give a table other colours
 * @view: the table
 * @colors: the rules; they learn from the table
 */
void serve_view_color(struct serve_view *view, struct colors *colors)
{
	free(view->shades);
	runs_free(&view->runs);
	colors_free(&view->colors);
	color(view, colors);
}

/**
 * serve_view_free() - free a table
 * @view: as left by serve_view_fill(), or zero
 */
void serve_view_free(struct serve_view *view)
{
	if (!view->colors.n_rules)
		return;
	free(view->shades);
	free(view->first_blks);
	runs_free(&view->runs);
	if (view->has_selection)
		selection_free(&view->selection);
	colors_free(&view->colors);
	f2fs_states_free(view->states, view->table.n_volumes);
	zones_free(view->zones, view->table.n_volumes);
	text_free(&view->discards);
	table_free(&view->table);
	*view = (struct serve_view){ 0 };
}

static void put_colorings(struct json *json, const struct serve_view *view)
{
	json_text(json, "coloring", view->colors.source->name);
	JSON_ARRAY(json, "colorings");
	json_text(json, NULL, view->own_coloring);
	for (size_t i = 0; i < (view->table.causes ? N_COLORINGS : N_PLAIN_COLORINGS); i++)
		if (strcmp(serve_colorings[i], view->own_coloring))
			json_text(json, NULL, serve_colorings[i]);
}

static void put_discards(struct json *json, const struct serve_view *view, const struct volume *v)
{
	AUTO_FREE char *device = xasprintf("%u:%u ", v->major, v->minor);
	const char *at = view->discards.buf;

	while (at && strncmp(at, device, strlen(device))) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (!at)
		return;
	AUTO_FREE char *sentence = xasprintf("%.*s", (int)strcspn(at + strlen(device), "\n"), at + strlen(device));
	json_text(json, "discards", sentence);
}

/**
 * serve_put_table() - write what a page shows of all volumes
 * @json: output
 * @arg: a struct serve_view
 */
void serve_put_table(struct json *json, const void *arg)
{
	const struct serve_view *view = arg;

	JSON_OBJECT(json, NULL);
	json_flag(json, "recording", view->has_moments);
	json_number(json, "generation", view->generation);
	json_number(json, "maxFiles", SERVE_MAX_FILES);
	/* how much older than the moment what the recording has only of its snapshots is */
	if (view->has_moments && view->states && view->state_ms)
		json_signed(json, "stateAge", view->table.text.time_ms - view->state_ms);
	if (view->has_moments && view->heat_ms)
		json_signed(json, "heatAge", view->table.text.time_ms - view->heat_ms);
	put_colorings(json, view);
	page_put_head(json, &view->runs, &view->colors, view->interval_ns);
	JSON_ARRAY(json, "volumes");
	for (size_t i = 0; i < view->runs.n_parts; i++) {
		JSON_OBJECT(json, NULL);
		page_put_volume(json, &view->runs, i);
		put_discards(json, view, &view->table.volumes[view->runs.parts[i].volume]);
	}
}

/* === Ranges === */

static void put_extents(const struct table *table, const struct run *run, range_fn fn, void *arg)
{
	uint64_t lba = run->lba, end = run->lba + run->blks;

	for (size_t i = run->first; lba < end; i++) {
		uint64_t extent_end = table->extents[i].lba + (uint64_t)table->extents[i].blks;
		struct range_piece piece = { .lba = lba, .extent = i, .shade = run->shade };

		piece.blks = (extent_end < end ? extent_end : end) - lba;
		fn(arg, &piece);
		lba += piece.blks;
	}
}

/**
 * serve_view_walk() - hand out the pieces of a range in the order of addresses
 * @view: the table
 * @part: index of the part of a volume
 * @first: first block address, within the part; those before it take no time
 * @end: end of the block addresses (exclusive)
 * @fn: called for each piece
 * @arg: for @fn
 */
void serve_view_walk(const struct serve_view *view, size_t part, uint64_t first, uint64_t end, range_fn fn, void *arg)
{
	struct part range = { view->runs.parts[part].volume, first, end };
	struct runs runs = view->runs;
	struct run_walk walk;
	struct run run;

	runs.parts = &range;
	runs.n_parts = 1;
	walk = runs_walk(&runs, 0);
	while (runs_next(&walk, &run)) {
		struct range_piece piece = { run.lba, run.blks, NO_EXTENT, run.shade };

		if (run.first == NO_EXTENT)
			fn(arg, &piece);
		else
			put_extents(runs.table, &run, fn, arg);
	}
}

/* === Cells === */

/* Cells being mixed; equal ones are written once, with their number. */
struct mixer {
	struct json *json;
	const struct serve_view *view;
	const struct serve_cells *asked;
	struct mix mix;
	uint64_t n_equal;
	uint32_t rgb;
	uint64_t share;
	uint64_t *lit;
	size_t n_lit;
	uint64_t n_changed;
};

static void flush_equal(struct mixer *m)
{
	if (!m->n_equal)
		return;
	json_number(m->json, NULL, m->n_equal);
	json_number(m->json, NULL, m->rgb);
	json_number(m->json, NULL, m->share);
	m->n_equal = 0;
}

/* The mean colour of what is in a cell, and the share of that in thousandths, at least 1. */
static void add_cells(struct mixer *m, uint64_t n)
{
	uint64_t share = m->mix.n ? (1000 * m->mix.n + m->asked->per - 1) / m->asked->per : 0;
	uint32_t rgb = m->mix.n ? colors_mixed(&m->mix) : 0;

	if (m->n_equal && (rgb != m->rgb || share != m->share))
		flush_equal(m);
	m->rgb = rgb;
	m->share = share;
	m->n_equal += n;
	m->mix = (struct mix){ 0 };
}

static void mix_in(struct mixer *m, uint64_t blks, uint8_t shade)
{
	if (shade != SHADE_FREE)
		colors_mix_in(&m->mix, blks, colors_rgb(m->view->runs.colors, shade));
}

/* Note the first and the last cell of some blocks; ranges of cells that touch are one. */
static void light(struct mixer *m, uint64_t lba, uint64_t blks)
{
	uint64_t first = (lba - m->asked->first) / m->asked->per, last = (lba + blks - 1 - m->asked->first) / m->asked->per;

	if (m->n_lit && m->lit[m->n_lit - 1] + 1 >= first) {
		m->lit[m->n_lit - 1] = last;
		return;
	}
	m->lit[m->n_lit++] = first;
	m->lit[m->n_lit++] = last;
}

static void light_changed(void *arg, uint64_t lba, uint64_t blks)
{
	struct mixer *m = arg;

	m->n_changed += blks;
	if (m->asked->lit == NO_LIT)
		light(m, lba, blks);
}

static void mix_piece(void *arg, const struct range_piece *piece)
{
	struct mixer *m = arg;
	uint64_t per = m->asked->per, at = piece->lba - m->asked->first, left = piece->blks;

	if (piece->extent != NO_EXTENT && m->view->runs.table->extents[piece->extent].file == m->asked->lit)
		light(m, piece->lba, piece->blks);
	while (left) {
		uint64_t room = per - at % per, take = left < room ? left : room;

		/* whole cells of one colour at once */
		if (room == per && left >= per) {
			mix_in(m, per, piece->shade);
			add_cells(m, left / per);
			take = left - left % per;
		} else {
			mix_in(m, take, piece->shade);
			if (take == room)
				add_cells(m, 1);
		}
		at += take;
		left -= take;
	}
}

/**
 * serve_put_cells() - write the colours of cells
 * @json: output
 * @view: the table
 * @cells: which cells; the last one may have fewer blocks, at the end of the volume
 *
 * "cells" has three numbers for each sequence of equal cells: how many; the mean colour of what is not free; its
 * share in thousandths. "lit" has the first and the last cell of each range of cells that has blocks of a file, or else blocks that
 * have changed; "changed" is how many of all have.
 */
void serve_put_cells(struct json *json, const struct serve_view *view, const struct serve_cells *cells)
{
	struct mixer m = { .json = json, .view = view, .asked = cells };
	uint64_t end = view->runs.parts[cells->part].end_blk;

	if (end - cells->first > cells->n * cells->per)
		end = cells->first + cells->n * cells->per;
	/* two numbers for each cell at most: what touches is joined */
	if (cells->lit != NO_LIT || cells->before)
		m.lit = xcalloc(2 * cells->n + 2, sizeof(*m.lit));
	json_object(json, NULL);
	json_number(json, "generation", view->generation);
	json_number(json, "first", cells->first);
	json_number(json, "end", end);
	json_number(json, "per", cells->per);
	json_array(json, "cells");
	serve_view_walk(view, cells->part, cells->first, end, mix_piece, &m);
	if ((end - cells->first) % cells->per)
		add_cells(&m, 1);
	flush_equal(&m);
	json_end(json);
	if (cells->before)
		serve_compare_blocks(view, cells->before, cells->part, cells->first, end, light_changed, &m);
	json_array(json, "lit");
	for (size_t i = 0; i < m.n_lit; i++)
		json_number(json, NULL, m.lit[i]);
	json_end(json);
	if (cells->before)
		json_number(json, "changed", m.n_changed);
	json_end(json);
	free(m.lit);
}

/* === Blocks === */

struct describer {
	struct json *json;
	const struct serve_view *view;
	const struct volume *volume;
	const struct f2fs_segments *segments;
	const struct zones *zones;
	size_t n;
};

/* The counts of a piece that is within one window; several windows have no counts in common. */
static void put_heat(struct describer *d, uint32_t file, uint64_t first_blk, uint64_t last_blk)
{
	const struct heat *heat = d->view->colors.heat;
	uint64_t number = first_blk / heat->window_blks;
	const struct heat_window *w = heat_find(heat, d->view->runs.table, file, number);

	if (last_blk / heat->window_blks != number)
		return;
	if (w && w->number != number)
		w = NULL;
	json_number(d->json, "reads", w ? w->reads : 0);
	json_number(d->json, "overwrites", w ? w->overwrites : 0);
}

static void put_owner(struct describer *d, const struct range_piece *piece)
{
	const struct table *table = d->view->runs.table;
	const struct extent *e = &table->extents[piece->extent];
	const struct file *f = &table->files[e->file];
	uint64_t offset = e->offset + (piece->lba - e->lba);

	json_format(d->json, "key", "%u:%u %ju", d->volume->major, d->volume->minor, (uintmax_t)f->ino);
	json_number(d->json, "offset", offset);
	page_put_path(d->json, "path", f->path, f->deleted);
	if (d->view->colors.heat)
		put_heat(d, e->file, offset, offset + piece->blks - 1);
	if (table->causes)
		page_put_cause(d->json, table, page_cause(&d->view->runs, piece->extent));
}

/* The names of what no watched file has, as the page knows them. */
static const char *name_of(uint8_t shade)
{
	if (shade == SHADE_FREE)
		return "free";
	if (shade == SHADE_LEFT_OUT)
		return "left";
	return shade == SHADE_NODES ? "nodes" : "other";
}

/* Of a piece in several zones, the first and the last one. */
static void put_zone(struct describer *d, const struct range_piece *piece)
{
	char name[ZONE_NAME_MAX], last_name[ZONE_NAME_MAX];
	const struct zone *zone = zone_at(d->zones, piece->lba, name), *last = zone_at(d->zones, piece->lba + piece->blks - 1, last_name);

	if (!zone || !last)
		return;
	json_text(d->json, "zone", name);
	if (last != zone) {
		json_text(d->json, "lastZone", last_name);
		return;
	}
	json_text(d->json, "condition", zone_condition_name(zone->condition));
	if (!zone_has_pointer(zone))
		return;
	json_number(d->json, "written", zone->pointer - zone->lba);
	json_number(d->json, "capacity", zone->capacity);
}

static void describe(void *arg, const struct range_piece *piece)
{
	struct describer *d = arg;
	uint64_t segment = (piece->lba - d->volume->first_blk) / F2FS_SEGMENT_BLKS;

	if (d->n++ >= SERVE_MAX_PIECES)
		return;
	JSON_OBJECT(d->json, NULL);
	json_number(d->json, "lba", piece->lba);
	json_number(d->json, "blocks", piece->blks);
	if (d->segments && segment < d->segments->n && d->segments->valid[segment])
		json_number(d->json, "type", d->segments->type[segment]);
	if (d->zones)
		put_zone(d, piece);
	if (piece->extent == NO_EXTENT)
		json_text(d->json, "is", name_of(piece->shade));
	else
		put_owner(d, piece);
}

/**
 * serve_put_blocks() - write what is in a range of blocks
 * @json: output
 * @view: the table
 * @part: index of the part of a volume
 * @first: first block address, within the part
 * @end: end of the block addresses (exclusive), above @first and within the part
 *
 * "pieces" has the first SERVE_MAX_PIECES of them, "all" is how many there are.
 */
void serve_put_blocks(struct json *json, const struct serve_view *view, size_t part, uint64_t first, uint64_t end)
{
	size_t volume = view->runs.parts[part].volume;
	struct describer d = {
		.json = json, .view = view, .volume = &view->runs.table->volumes[volume],
		.segments = view->states ? &view->states[volume].segments : NULL, .zones = view->zones ? &view->zones[volume] : NULL,
	};

	JSON_OBJECT(json, NULL);
	json_number(json, "generation", view->generation);
	json_array(json, "pieces");
	serve_view_walk(view, part, first, end, describe, &d);
	json_end(json);
	json_number(json, "all", d.n);
}

/* === Fragments === */

static int by_offset(const void *a, const void *b)
{
	const struct extent *x = *(const struct extent *const *)a, *y = *(const struct extent *const *)b;

	return ORDER(x->offset, y->offset);
}

/* Pointers to the extents of a file in its own order; to be freed. */
static const struct extent **extents_of(const struct table *table, size_t file, size_t *n)
{
	const struct extent **found = xcalloc(table->n_extents, sizeof(*found));

	*n = 0;
	for (size_t i = 0; i < table->n_extents; i++)
		if (table->extents[i].file == file)
			found[(*n)++] = &table->extents[i];
	qsort(found, *n, sizeof(*found), by_offset);
	return found;
}

/**
 * serve_put_fragments() - write where the fragments of a file are
 * @json: output
 * @view: the table
 * @which: index into table.files
 * @first: the first fragment that is asked for
 *
 * "all" is how many there are, "fragments" has first block address, blocks and offset of SERVE_MAX_FRAGMENTS at most.
 */
void serve_put_fragments(struct json *json, const struct serve_view *view, size_t which, size_t first)
{
	size_t n, k, all = 0;
	AUTO_FREE const struct extent **extents = extents_of(view->runs.table, which, &n);

	JSON_OBJECT(json, NULL);
	json_number(json, "generation", view->generation);
	json_number(json, "first", first);
	json_array(json, "fragments");
	for (size_t i = 0; i < n; i = k, all++) {
		uint64_t blks = extents[i]->blks;

		for (k = i + 1; k < n && extents[k]->lba == extents[i]->lba + blks; k++)
			blks += extents[k]->blks;
		if (all < first || all >= first + SERVE_MAX_FRAGMENTS)
			continue;
		JSON_ARRAY(json, NULL);
		json_number(json, NULL, extents[i]->lba);
		json_number(json, NULL, blks);
		json_number(json, NULL, extents[i]->offset);
	}
	json_end(json);
	json_number(json, "all", all);
}
