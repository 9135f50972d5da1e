// SPDX-License-Identifier: GPL-2.0-only
/*
 * Second step of the pipeline: extents -> the runs of a volume, and totals.
 * Chooses the shade of each fragment; does not use pixels.
 * Runs are not stored: there may be twice as many as extents, and computing them is cheap.
 */
#include <stdlib.h>

#include "model/runs.h"
#include "util.h"

/* === Totals === */

static void count_files(struct runs *runs, uint8_t *rule_of, const struct colors *colors)
{
	const struct table *table = runs->table;
	size_t i;

	for (i = 0; i < table->n_files; i++) {
		const struct file *file = &table->files[i];

		runs->total.files[file->fragmented]++;
		if (!colors->source->file_rule)
			continue;
		rule_of[i] = (uint8_t)colors->source->file_rule(colors, file, &runs->figures[i]);
		runs->counts[rule_of[i]].files[file->fragmented]++;
	}
}

static void count_unwatched(struct runs *runs, const struct run *run)
{
	if (run->shade != SHADE_FREE) {
		*(run->shade == SHADE_NODES ? &runs->node_blks : &runs->other_blks) += run->blks;
		return;
	}
	runs->free_blks += run->blks;
	runs->free_gaps++;
	if (run->blks > runs->free_longest)
		runs->free_longest = run->blks;
}

static void count_run(struct runs *runs, const struct run *run, size_t rule, bool fragmented)
{
	runs->counts[rule].blks[fragmented] += run->blks;
	runs->counts[rule].fragments[fragmented]++;
	runs->total.blks[fragmented] += run->blks;
	runs->total.fragments[fragmented]++;
}

/* === Shades === */

static size_t rule_of_run(const struct runs *runs, const struct run *run, const struct colors *colors,
			  const uint8_t *rule_of)
{
	struct fragment fragment = {
		.table = runs->table,
		.extent = run->first,
		.blks = run->blks,
		.is_break = runs->places[run->first] == PLACE_BREAK,
	};

	if (colors->source->file_rule)
		return rule_of[runs->table->extents[run->first].file];
	return colors->source->rule(colors, &fragment);
}

/* The tones of a rule alternate, so that adjacent fragments have different ones. */
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
			count_unwatched(runs, &run);
			continue;
		}
		file = &table->files[table->extents[run.first].file];
		rule = rule_of_run(runs, &run, colors, rule_of);
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
 * runs_build() - prepare the runs of a table
 * @runs: the result; to be freed with runs_free()
 * @table: the table; must stay valid as long as @runs
 * @colors: the rules
 * @states: by volume, what F2FS knows of all blocks, valid as long as @runs; NULL: not read
 */
void runs_build(struct runs *runs, const struct table *table, const struct colors *colors,
		const struct f2fs_state *states)
{
	uint8_t *rule_of = xcalloc(table->n_files, sizeof(*rule_of));
	bool next_tone[MAX_RULES] = { false };
	size_t i;

	*runs = (struct runs){ .table = table, .states = states };
	runs->places = xcalloc(table->n_extents, sizeof(*runs->places));
	runs->figures = figures_of(table, runs->places);
	runs->sum = figures_sum(runs->figures, table->n_files);
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
	free(runs->places);
	free(runs->figures);
	*runs = (struct runs){ 0 };
}

/* === Walking === */

/**
 * runs_walk() - begin to walk the runs of a volume
 * @runs: the runs
 * @volume: index of the volume
 *
 * Return: a walk that is placed before the first run.
 */
struct run_walk runs_walk(const struct runs *runs, size_t volume)
{
	const struct volume *v = &runs->table->volumes[volume];
	const struct f2fs_segments *segments = runs->states ? &runs->states[volume].segments : NULL;

	if (segments && !segments->map)
		segments = NULL;
	return (struct run_walk){ runs, v, segments, v->first, v->first_blk };
}

/* Of blocks that no watched file has: where those of the same use end. */
static void cut_by_use(const struct run_walk *walk, struct run *run)
{
	static const uint8_t shades[N_USES] = { SHADE_FREE, SHADE_OTHER, SHADE_NODES };
	uint64_t blk = run->lba - walk->volume->first_blk;
	enum use use;

	run->blks = space_use_end(walk->segments, blk, blk + run->blks, &use) - blk;
	run->shade = shades[use];
}

/**
 * runs_next() - walk to the next run
 * @walk: the walk
 * @run: set to the run; all runs together cover the volume without gap or overlap
 *
 * Return: false at the end of the volume.
 */
bool runs_next(struct run_walk *walk, struct run *run)
{
	const struct extent *extents = walk->runs->table->extents;
	const uint8_t *places = walk->runs->places;
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
		while (i < end && places[i] == PLACE_JOINED);
		run->n = i - walk->next;
		walk->next = i;
	}
	if (run->first == NO_EXTENT && walk->segments)
		cut_by_use(walk, run);
	walk->lba += run->blks;
	return true;
}
