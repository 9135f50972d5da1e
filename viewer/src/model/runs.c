// SPDX-License-Identifier: GPL-2.0-only
/*
 * Second station of the pipeline: extents -> what lies on the volume, run after run, and totals.
 * Decides which extents are one fragment, and which shade a fragment gets; knows no pixels.
 * Runs are not stored: there may be twice as many as extents, and to walk them costs little.
 */
#include <stdlib.h>

#include "model/runs.h"
#include "util.h"

/* === Files with holes === */

/* Where an extent is in its file. */
struct place {
	uint64_t offset;
	uint64_t end;
	uint32_t file;
};

/* The extents of all files with holes, in logical order. */
struct places {
	struct place *places;
	size_t n;
};

static bool has_holes(const struct file *file)
{
	return file->end_offset - file->first_offset != file->blks;
}

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return 0;
}

static struct places find_places(const struct table *table)
{
	struct places p = { 0 };
	size_t cap = 0, i;

	for (i = 0; i < table->n_extents; i++) {
		const struct extent *e = &table->extents[i];

		if (!has_holes(&table->files[e->file]))
			continue;
		p.places = grow(p.places, &cap, p.n, sizeof(*p.places));
		p.places[p.n++] = (struct place){ e->offset, e->offset + e->blks, e->file };
	}
	if (p.n)
		qsort(p.places, p.n, sizeof(*p.places), by_place);
	return p;
}

/* Is there nothing of the file between an extent and the offset? */
static bool is_hole(const struct places *p, const struct extent *before, uint64_t offset)
{
	struct place key = { .offset = before->offset, .file = before->file };
	const struct place *at = bsearch(&key, p->places, p->n, sizeof(key), by_place);

	while (at + 1 < p->places + p->n && !by_place(at, at + 1))
		at++;
	return at + 1 < p->places + p->n && at[1].file == before->file && at[1].offset == offset;
}

/* === Which extents are one fragment === */

/*
 * Neighbours on the volume are one fragment if they are neighbours in the file, too, or if all that
 * is between them there is a hole.
 */
static bool is_joined(const struct table *table, const struct places *p, const struct extent *prev,
		      const struct extent *e)
{
	uint64_t end = prev->offset + (uint64_t)prev->blks;

	if (e->file != prev->file || e->lba != prev->lba + (uint64_t)prev->blks || e->offset < end)
		return false;
	if (e->offset == end)
		return true;
	return has_holes(&table->files[e->file]) && is_hole(p, prev, e->offset);
}

static bool *find_joined(const struct table *table, const struct places *p)
{
	bool *joined = xcalloc(table->n_extents, sizeof(*joined));
	size_t i;

	for (i = 1; i < table->n_extents; i++)
		joined[i] = is_joined(table, p, &table->extents[i - 1], &table->extents[i]);
	return joined;
}

/* === Requests === */

static uint64_t first_window(const struct extent *e)
{
	return e->offset / REQUEST_BLKS;
}

static uint64_t last_window(const struct extent *e)
{
	return (e->offset + (uint64_t)e->blks - 1) / REQUEST_BLKS;
}

/* Each fragment needs a request in each window that it touches. */
static uint64_t count_requests(const struct table *table, const bool *joined)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < table->n_extents; i++) {
		const struct extent *e = &table->extents[i];

		n += last_window(e) - first_window(e) + 1;
		if (joined[i] && last_window(e - 1) == first_window(e))
			n--;
	}
	return n;
}

/* Windows that hold anything; those of files with holes have to be looked at one by one. */
static uint64_t count_windows(const struct table *table, const struct places *p)
{
	uint64_t n = 0, first, end = 0;
	size_t i;

	for (i = 0; i < table->n_files; i++) {
		const struct file *f = &table->files[i];

		if (!has_holes(f))
			n += (f->end_offset - 1) / REQUEST_BLKS - f->first_offset / REQUEST_BLKS + 1;
	}
	for (i = 0; i < p->n; i++) {
		const struct place *at = &p->places[i];

		if (!i || at->file != at[-1].file)
			end = 0;
		first = at->offset / REQUEST_BLKS > end ? at->offset / REQUEST_BLKS : end;
		if ((at->end - 1) / REQUEST_BLKS + 1 > first) {
			end = (at->end - 1) / REQUEST_BLKS + 1;
			n += end - first;
		}
	}
	return n;
}

/* === Totals === */

static void count_files(struct runs *runs, uint8_t *rule_of, const struct colors *colors)
{
	const struct table *table = runs->table;
	size_t i;

	for (i = 0; i < table->n_files; i++) {
		const struct file *file = &table->files[i];

		runs->total.files[file->fragmented]++;
		if (!colors->source->of_files)
			continue;
		rule_of[i] = (uint8_t)colors->source->rule(colors, file, 0);
		runs->counts[rule_of[i]].files[file->fragmented]++;
	}
}

static void count_free(struct runs *runs, uint64_t blks)
{
	runs->free_blks += blks;
	runs->free_gaps++;
	if (blks > runs->free_longest)
		runs->free_longest = blks;
}

static void count_run(struct runs *runs, const struct run *run, size_t rule, bool fragmented)
{
	runs->counts[rule].blks[fragmented] += run->blks;
	runs->counts[rule].fragments[fragmented]++;
	runs->total.blks[fragmented] += run->blks;
	runs->total.fragments[fragmented]++;
}

/* === Shades === */

/* The tones of a rule take turns, so that fragments that touch can be told apart. */
static void shade_volume(struct runs *runs, size_t volume, const struct colors *colors,
			 const uint8_t *rule_of, bool *next_tone)
{
	const struct table *table = runs->table;
	struct run_walk walk = runs_walk(runs, volume);
	struct run run;
	size_t i;

	while (runs_next(&walk, &run)) {
		enum tone tone = TONE_CONTIGUOUS;
		const struct file *file;
		size_t rule;

		if (run.first == NO_EXTENT) {
			count_free(runs, run.blks);
			continue;
		}
		i = table->extents[run.first].file;
		file = &table->files[i];
		rule = colors->source->of_files ? rule_of[i] : colors->source->rule(colors, file, run.blks);
		count_run(runs, &run, rule, file->fragmented);
		if (file->fragmented) {
			tone = next_tone[rule] ? TONE_FRAG_B : TONE_FRAG_A;
			next_tone[rule] ^= true;
		}
		for (i = 0; i < run.n; i++)
			runs->shades[run.first + i] = SHADE(rule, tone);
	}
}

/**
 * runs_build() - find out which runs a table has
 * @runs: the result; to be freed with runs_free()
 * @table: the table; must stay as long as @runs
 * @colors: the rules
 */
void runs_build(struct runs *runs, const struct table *table, const struct colors *colors)
{
	struct places places = find_places(table);
	uint8_t *rule_of = xcalloc(table->n_files, sizeof(*rule_of));
	bool next_tone[MAX_RULES] = { false };
	size_t i;

	*runs = (struct runs){ .table = table };
	runs->joined = find_joined(table, &places);
	runs->requests = count_requests(table, runs->joined);
	runs->ideal = count_windows(table, &places);
	free(places.places);
	count_files(runs, rule_of, colors);
	runs->shades = xcalloc(table->n_extents, sizeof(*runs->shades));
	for (i = 0; i < table->n_volumes; i++)
		shade_volume(runs, i, colors, rule_of, next_tone);
	free(rule_of);
}

/**
 * runs_free() - release the runs
 * @runs: as left by runs_build()
 */
void runs_free(struct runs *runs)
{
	free(runs->shades);
	free(runs->joined);
	*runs = (struct runs){ 0 };
}

/* === Walking === */

/**
 * runs_walk() - begin to walk the runs of a volume
 * @runs: the runs
 * @volume: index of the volume
 *
 * Return: a walk that stands before the first run.
 */
struct run_walk runs_walk(const struct runs *runs, size_t volume)
{
	const struct volume *v = &runs->table->volumes[volume];

	return (struct run_walk){ runs, v, v->first, v->first_blk };
}

/**
 * runs_next() - walk to the next run
 * @walk: the walk
 * @run: the run; together they fill the volume, without gap or overlap
 *
 * Return: false at the end of the volume.
 */
bool runs_next(struct run_walk *walk, struct run *run)
{
	const struct extent *extents = walk->runs->table->extents;
	const bool *joined = walk->runs->joined;
	size_t i = walk->next, end = walk->volume->end;

	if (walk->lba == walk->volume->end_blk)
		return false;
	*run = (struct run){ .first = NO_EXTENT, .lba = walk->lba, .shade = SHADE_FREE };
	if (i == end) {
		run->blks = walk->volume->end_blk - walk->lba;
	} else if (extents[i].lba > walk->lba) {
		run->blks = extents[i].lba - walk->lba;
	} else {
		run->first = i;
		run->shade = walk->runs->shades[i];
		do
			run->blks += extents[i++].blks;
		while (i < end && joined[i]);
		run->n = i - walk->next;
		walk->next = i;
	}
	walk->lba += run->blks;
	return true;
}
