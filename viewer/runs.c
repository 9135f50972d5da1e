// SPDX-License-Identifier: GPL-2.0-only
/*
 * Second station of the pipeline: extents -> what lies on the volume, run after run, and totals.
 * Decides which extents are one fragment, and which tone a fragment gets; knows no pixels.
 */
#include <stdlib.h>

#include "runs.h"
#include "util.h"

/* How an extent stands to the one before it on the volume. */
enum joint {
	JOINT_NONE,	/* another fragment */
	JOINT_SAME,	/* carries on the fragment */
	JOINT_HOLE,	/* does so only if nothing of the file is written between the two offsets */
};

/* === Which extents are one fragment === */

struct place {
	uint64_t offset;
	uint32_t file;
};

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return 0;
}

static enum joint joint_of(const struct extent *prev, const struct extent *e)
{
	if (e->file != prev->file || e->lba != prev->lba + prev->blks)
		return JOINT_NONE;
	if (e->offset < prev->offset + prev->blks)
		return JOINT_NONE;
	return e->offset == prev->offset + prev->blks ? JOINT_SAME : JOINT_HOLE;
}

/* The extents of all files that have a hole inside what may be one fragment, in logical order. */
static struct place *places_of(const struct table *table, const uint8_t *has_hole, size_t *n)
{
	struct place *places;
	size_t i, k = 0;

	for (i = *n = 0; i < table->n_extents; i++)
		*n += has_hole[table->extents[i].file];
	places = xcalloc(*n, sizeof(*places));
	for (i = 0; i < table->n_extents; i++) {
		const struct extent *e = &table->extents[i];

		if (has_hole[e->file])
			places[k++] = (struct place){ e->offset, e->file };
	}
	qsort(places, *n, sizeof(*places), by_place);
	return places;
}

/* A hole does not end a fragment, but blocks of the file that lie elsewhere do. */
static void settle_holes(const struct table *table, uint8_t *joints, const uint8_t *has_hole)
{
	struct place *places, *at;
	size_t n, i;

	places = places_of(table, has_hole, &n);
	for (i = 1; i < table->n_extents; i++) {
		const struct extent *prev = &table->extents[i - 1];
		struct place key = { prev->offset, prev->file };

		if (joints[i] != JOINT_HOLE)
			continue;
		at = bsearch(&key, places, n, sizeof(key), by_place);
		joints[i] = at[1].offset == table->extents[i].offset ? JOINT_SAME : JOINT_NONE;
	}
	free(places);
}

/* By extent: an enum joint, never JOINT_HOLE. To be freed. */
static uint8_t *find_joints(const struct table *table)
{
	uint8_t *joints = xcalloc(table->n_extents, sizeof(*joints));
	uint8_t *has_hole = xcalloc(table->n_files, sizeof(*has_hole));
	size_t n_holes = 0, i;

	for (i = 1; i < table->n_extents; i++) {
		joints[i] = (uint8_t)joint_of(&table->extents[i - 1], &table->extents[i]);
		if (joints[i] == JOINT_HOLE) {
			has_hole[table->extents[i].file] = 1;
			n_holes++;
		}
	}
	if (n_holes)
		settle_holes(table, joints, has_hole);
	free(has_hole);
	return joints;
}

/* === Runs === */

/* What runs_build() carries from extent to extent. */
struct builder {
	struct runs *runs;
	const struct table *table;
	const uint8_t *joints;
	uint16_t *rule_of;		/* by file */
	uint8_t next_tone[MAX_RULES];	/* of the next fragment of a fragmented file */
};

static void add_free(struct runs *runs, uint64_t blks)
{
	if (!blks)
		return;
	runs->runs[runs->n_runs++] = (struct run){ .blks = blks, .rule = RULE_FREE };
	runs->free_blks += blks;
	runs->free_gaps++;
	if (blks > runs->free_longest)
		runs->free_longest = blks;
}

static void add_extent(struct builder *b, size_t i)
{
	const struct extent *e = &b->table->extents[i];
	bool fragmented = b->table->files[e->file].fragmented;
	uint16_t rule = b->rule_of[e->file];
	struct runs *runs = b->runs;
	struct run *run;

	runs->counts[rule].blks[fragmented] += e->blks;
	if (b->joints[i] == JOINT_SAME) {
		runs->runs[runs->n_runs - 1].blks += e->blks;
		return;
	}
	runs->counts[rule].fragments[fragmented]++;
	run = &runs->runs[runs->n_runs++];
	*run = (struct run){ .blks = e->blks, .rule = rule, .tone = TONE_CONTIGUOUS };
	if (fragmented) {
		run->tone = b->next_tone[rule] ? TONE_FRAG_B : TONE_FRAG_A;
		b->next_tone[rule] ^= 1;
	}
}

static void add_volume(struct builder *b, const struct volume *v)
{
	uint64_t pos = v->first_blk;
	size_t i;

	for (i = v->first; i < v->end; i++) {
		const struct extent *e = &b->table->extents[i];

		add_free(b->runs, e->lba - pos);
		add_extent(b, i);
		pos = e->lba + e->blks;
	}
	add_free(b->runs, v->end_blk - pos);
}

static void count_files(struct builder *b, const struct colors *colors)
{
	size_t i;

	for (i = 0; i < b->table->n_files; i++) {
		const struct file *file = &b->table->files[i];

		b->rule_of[i] = (uint16_t)colors_rule(colors, file->ext);
		b->runs->counts[b->rule_of[i]].files[file->fragmented]++;
	}
}

static void sum_counts(struct runs *runs, size_t n_rules)
{
	size_t i;
	int f;

	for (i = 0; i < n_rules; i++) {
		for (f = 0; f < 2; f++) {
			runs->total.files[f] += runs->counts[i].files[f];
			runs->total.blks[f] += runs->counts[i].blks[f];
			runs->total.fragments[f] += runs->counts[i].fragments[f];
		}
	}
}

/**
 * runs_build() - turn a table into runs and totals
 * @runs: the result; to be freed with runs_free()
 * @table: the table
 * @colors: the rules
 *
 * The tones of a rule take turns from fragment to fragment in order of address, so that fragments
 * that touch can be told apart.
 */
void runs_build(struct runs *runs, const struct table *table, const struct colors *colors)
{
	uint8_t *joints = find_joints(table);
	struct builder b = { .runs = runs, .table = table, .joints = joints };
	size_t i;

	*runs = (struct runs){ 0 };
	b.rule_of = xcalloc(table->n_files, sizeof(*b.rule_of));
	count_files(&b, colors);
	/* each extent adds at most itself and free space before it; each volume free space at its end */
	runs->runs = xcalloc(2 * table->n_extents + table->n_volumes, sizeof(*runs->runs));
	runs->first = xcalloc(table->n_volumes + 1, sizeof(*runs->first));
	for (i = 0; i < table->n_volumes; i++) {
		runs->first[i] = runs->n_runs;
		add_volume(&b, &table->volumes[i]);
	}
	runs->first[i] = runs->n_runs;
	sum_counts(runs, colors->n_rules);
	free(b.rule_of);
	free(joints);
}

/**
 * runs_free() - release the runs
 * @runs: as left by runs_build()
 */
void runs_free(struct runs *runs)
{
	free(runs->runs);
	free(runs->first);
	*runs = (struct runs){ 0 };
}
