// SPDX-License-Identifier: GPL-2.0-only
/*
 * Second step of the pipeline: extents -> the runs of a volume, and totals.
 * Chooses the shade of each fragment; does not use pixels.
 * Runs are not stored: there may be twice as many as extents, and computing them is cheap. A run is a fragment,
 * unless colours change within fragments (range_rule and near_break in color.h).
 */

#include "model/runs.h"

/* === Totals === */

static void count_files(struct runs *runs, uint8_t *rule_of, const struct colors *colors)
{
	const struct table *table = runs->table;

	for (size_t i = 0; i < table->n_files; i++) {
		const struct file *file = &table->files[i];

		runs->total.files[file->fragmented]++;
		if (!colors->source->file_rule)
			continue;
		rule_of[i] = (uint8_t)colors->source->file_rule(colors, file, &runs->figures[i]);
		runs->counts[rule_of[i]].files[file->fragmented]++;
	}
}

static void add_gap(struct runs *runs, size_t part, const struct run *run)
{
	if (run->blks < runs->table->volumes[0].segment_blks)
		return;
	*APPEND(runs->gaps, runs->n_gaps, runs->cap_gaps) = (struct gap){ .part = part, .lba = run->lba, .blks = run->blks };
}

static void count_unwatched(struct runs *runs, size_t part, const struct run *run)
{
	if (run->shade == SHADE_LEFT_OUT)
		runs->left_out_blks += run->blks;
	else if (run->shade != SHADE_FREE)
		*(run->shade == SHADE_NODES ? &runs->node_blks : &runs->other_blks) += run->blks;
	if (run->shade != SHADE_FREE)
		return;
	runs->free_blks += run->blks;
	runs->free_gaps++;
	if (run->blks > runs->free_longest)
		runs->free_longest = run->blks;
	add_gap(runs, part, run);
}

/* It is not a later part of one whose colours change. */
static bool begins_fragment(const struct runs *runs, const struct run *run)
{
	return runs->starts[run->first] != START_NONE && runs->table->extents[run->first].lba == run->lba;
}

static void count_run(struct runs *runs, const struct run *run, size_t rule, bool fragmented)
{
	bool begins = begins_fragment(runs, run);

	runs->counts[rule].blks[fragmented] += run->blks;
	runs->counts[rule].fragments[fragmented] += begins;
	runs->total.blks[fragmented] += run->blks;
	runs->total.fragments[fragmented] += begins;
}

/* A window is counted once, wherever its blocks are. All of them have its rule. */
static void count_reads_of(const struct runs *runs, const struct run *run, struct count *count, bool *is_met)
{
	const struct heat *heat = runs->colors->heat;
	uint64_t lba = run->lba, end = run->lba + run->blks;
	const struct heat_window *w;

	for (size_t i = run->first; i < run->first + run->n; i++) {
		const struct extent *e = &runs->table->extents[i];
		uint64_t blk = e->offset + (lba - e->lba), extent_end = e->lba + (uint64_t)e->blks;
		uint64_t end_blk = e->offset + ((extent_end < end ? extent_end : end) - e->lba);

		for (w = heat_find(heat, runs->table, e->file, blk / heat->window_blks);
		     w && w->number * heat->window_blks < end_blk; w = heat_next(heat, w)) {
			if (!is_met[w - heat->windows])
				count->reads += w->reads;
			is_met[w - heat->windows] = true;
		}
		lba = extent_end;
	}
}

static void count_reads(const struct runs *runs, struct count *counts)
{
	AUTO_FREE bool *is_met = xcalloc(runs->colors->heat->n, sizeof(*is_met));
	struct run run;

	for (size_t i = 0; i < runs->n_parts; i++) {
		struct run_walk walk = runs_walk(runs, i);

		while (runs_next(&walk, &run))
			if (run.first != NO_EXTENT)
				count_reads_of(runs, &run, &counts[SHADE_RULE(run.shade)], is_met);
	}
}

/* === Shades === */

static size_t rule_of_run(const struct runs *runs, const struct run *run, const struct colors *colors,
			  const uint8_t *rule_of)
{
	struct fragment fragment = {
		.table = runs->table,
		.extent = run->first,
		.blks = run->blks,
		.is_break = runs->starts[run->first] == START_FRAGMENT,
	};

	if (colors->source->range_rule)
		return SHADE_RULE(run->shade);
	if (colors->source->file_rule)
		return rule_of[runs->table->extents[run->first].file];
	return colors->source->rule(colors, &fragment);
}

/* Blocks of a fragment that have the strong colour at one of its ends, if a break is there. */
static uint64_t near_blks(const struct run *fragment)
{
	return fragment->blks <= 2 * BREAK_BLKS ? fragment->blks : BREAK_BLKS;
}

static void mark_first(struct runs *runs, const struct run *fragment)
{
	uint64_t left = near_blks(fragment);

	for (size_t i = fragment->first; left; i++) {
		uint64_t blks = runs->table->extents[i].blks;

		runs->near[i].first = (uint8_t)(left < blks ? left : blks);
		left -= runs->near[i].first;
	}
}

static void mark_last(struct runs *runs, const struct run *fragment)
{
	uint64_t left = near_blks(fragment);

	for (size_t i = fragment->first + fragment->n - 1; left; i--) {
		uint64_t blks = runs->table->extents[i].blks;

		runs->near[i].last = (uint8_t)(left < blks ? left : blks);
		left -= runs->near[i].last;
	}
}

/* Before runs_narrow(), a run of files is a whole fragment. */
static void mark_near(struct runs *runs, const struct run *fragment, const bool *cuts)
{
	if (runs->starts[fragment->first] == START_FRAGMENT)
		mark_first(runs, fragment);
	if (runs->colors->source->near_break == NEAR_BOTH && cuts[fragment->first + fragment->n - 1])
		mark_last(runs, fragment);
}

/* The tones of a rule alternate, so that adjacent fragments have different ones. */
static void shade_volume(struct runs *runs, size_t volume, const struct colors *colors,
			 const uint8_t *rule_of, bool *next_tone, const bool *cuts)
{
	const struct table *table = runs->table;
	/* before runs_narrow(), there is one part for each volume */
	struct run_walk walk = runs_walk(runs, volume);
	struct run run;

	walk.has_ranges = colors->source->range_rule;
	while (runs_next(&walk, &run)) {
		enum tone tone = TONE_CONTIGUOUS;
		const struct file *file;
		size_t rule;

		if (run.first == NO_EXTENT) {
			count_unwatched(runs, volume, &run);
			continue;
		}
		file = &table->files[table->extents[run.first].file];
		if (cuts)
			mark_near(runs, &run, cuts);
		rule = rule_of_run(runs, &run, colors, rule_of);
		count_run(runs, &run, rule, file->fragmented);
		if (file->fragmented) {
			tone = next_tone[rule] ? TONE_FRAG_B : TONE_FRAG_A;
			next_tone[rule] ^= true;
		}
		for (size_t i = 0; i < run.n; i++)
			if (table->extents[run.first + i].lba >= run.lba)
				runs->shades[run.first + i] = SHADE(rule, tone);
	}
}

/**
 * runs_build() - prepare the runs of a table
 * @runs: the result; to be freed with runs_free()
 * @table: the table; must stay valid as long as @runs
 * @selection: if it is the table of a selection, this; otherwise NULL
 * @colors: the rules; likewise
 * @states: by volume, what F2FS knows of all blocks, valid as long as @runs; NULL: not read
 */
void runs_build(struct runs *runs, const struct table *table, const struct selection *selection,
		const struct colors *colors, const struct f2fs_state *states)
{
	static const struct lens all;
	AUTO_FREE uint8_t *rule_of = xcalloc(table->n_files, sizeof(*rule_of));
	bool next_tone[MAX_RULES] = { false };
	AUTO_FREE bool *cuts = colors->source->near_break ? xcalloc(table->n_extents, sizeof(*cuts)) : NULL;

	*runs = (struct runs){ .table = table, .colors = colors, .lens = &all, .selection = selection, .states = states };
	runs->parts = lens_parts(&all, table, "", &runs->n_parts);
	runs->starts = xcalloc(table->n_extents, sizeof(*runs->starts));
	runs->figures = figures_of(table, runs->starts, cuts);
	runs->sum = figures_sum(runs->figures, table->n_files);
	count_files(runs, rule_of, colors);
	runs->shades = xcalloc(table->n_extents, sizeof(*runs->shades));
	runs->near = cuts ? xcalloc(table->n_extents, sizeof(*runs->near)) : NULL;
	for (size_t i = 0; i < table->n_volumes; i++)
		shade_volume(runs, i, colors, rule_of, next_tone, cuts);
	if (colors->heat)
		count_reads(runs, runs->counts);
	memcpy(runs->drawn, runs->counts, sizeof(runs->drawn));
	runs->drawn_total = runs->total;
}

/**
 * runs_color_all() - give all blocks after a break its strong colour, not only the first ones
 * @runs: as left by runs_build()
 */
void runs_color_all(struct runs *runs)
{
	free(runs->near);
	runs->near = NULL;
}

/* === Part of the blocks === */

static void count_drawn(struct runs *runs, const struct run *run, const struct colors *colors, bool *is_met,
			bool is_first)
{
	uint32_t index = runs->table->extents[run->first].file;
	bool fragmented = runs->table->files[index].fragmented;
	struct count *counts[] = { &runs->drawn[SHADE_RULE(run->shade)], &runs->drawn_total };

	if (!is_met[index]) {
		runs->drawn_total.files[fragmented]++;
		/* otherwise a file may have several rules */
		if (colors->source->file_rule)
			counts[0]->files[fragmented]++;
	}
	is_met[index] = true;
	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		counts[i]->blks[fragmented] += run->blks;
		counts[i]->fragments[fragmented] += is_first || begins_fragment(runs, run);
	}
}

static void count_part(struct runs *runs, size_t part, const struct colors *colors, bool *is_met)
{
	struct run_walk walk = runs_walk(runs, part);
	struct run run;

	while (runs_next(&walk, &run)) {
		if (run.first == NO_EXTENT)
			count_unwatched(runs, part, &run);
		else
			count_drawn(runs, &run, colors, is_met, run.lba == runs->parts[part].first_blk);
	}
}

/**
 * runs_narrow() - draw a part of the blocks only
 * @runs: as left by runs_build()
 * @lens: which blocks; must stay valid as long as @runs
 * @colors: the rules
 * @name: of the table, for messages
 *
 * Figures of files, their colours and the numbers of whole files stay. Ends the program if there are no such
 * blocks.
 */
void runs_narrow(struct runs *runs, const struct lens *lens, const struct colors *colors, const char *name)
{
	runs->lens = lens;
	if (!lens->range)
		return;
	free(runs->parts);
	runs->parts = lens_parts(lens, runs->table, name, &runs->n_parts);
	memset(runs->drawn, 0, sizeof(runs->drawn));
	memset(&runs->drawn_total, 0, sizeof(runs->drawn_total));
	runs->n_gaps = 0;
	runs->free_blks = runs->free_gaps = runs->free_longest = 0;
	runs->other_blks = runs->node_blks = runs->left_out_blks = 0;
	AUTO_FREE bool *is_met = xcalloc(runs->table->n_files, sizeof(*is_met));
	for (size_t i = 0; i < runs->n_parts; i++)
		count_part(runs, i, colors, is_met);
	if (colors->heat)
		count_reads(runs, runs->drawn);
}

/**
 * runs_free() - release the runs
 * @runs: as left by runs_build()
 */
void runs_free(struct runs *runs)
{
	free(runs->parts);
	free(runs->shades);
	free(runs->near);
	free(runs->starts);
	free(runs->figures);
	free(runs->gaps);
	*runs = (struct runs){ 0 };
}

/* === Walking === */

/**
 * runs_volume() - the volume of a part
 * @runs: the runs
 * @part: index of the part
 *
 * Return: the whole volume.
 */
const struct volume *runs_volume(const struct runs *runs, size_t part)
{
	return &runs->table->volumes[runs->parts[part].volume];
}

/**
 * runs_walk() - begin to walk the runs of a part of a volume
 * @runs: the runs
 * @part: index of the part
 *
 * Return: a walk that is placed before the first run.
 */
struct run_walk runs_walk(const struct runs *runs, size_t part)
{
	const struct part *p = &runs->parts[part];
	const struct selection *selection = runs->selection;
	struct run_walk walk = {
		.runs = runs, .volume = runs_volume(runs, part), .end_blk = p->end_blk, .lba = p->first_blk,
		.has_ranges = runs->colors->source->range_rule || runs->near,
	};

	walk.next = table_extent_after(runs->table, walk.volume, walk.lba);
	if (runs->states && runs->states[p->volume].segments.map)
		walk.segments = &runs->states[p->volume].segments;
	if (selection) {
		walk.other = selection->others + selection->begins[p->volume];
		walk.end_other = selection->others + selection->begins[p->volume + 1];
	}
	return walk;
}

/* Of blocks that no file of the table has: where those of files that are left out begin or end. */
static void cut_by_others(struct run_walk *walk, struct run *run)
{
	uint64_t end;

	while (walk->other < walk->end_other && walk->other->end <= run->lba)
		walk->other++;
	if (walk->other == walk->end_other)
		return;
	end = walk->other->lba;
	if (end <= run->lba) {
		end = walk->other->end;
		run->shade = SHADE_LEFT_OUT;
	}
	if (run->blks > end - run->lba)
		run->blks = end - run->lba;
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
 * runs_shade() - the shade of a block
 * @runs: the runs
 * @extent: its extent
 * @blk: the block, in the file
 * @end: set to the first block after it, in the file, that has another shade; at most the end of the extent
 *
 * Return: the shade.
 */
uint8_t runs_shade(const struct runs *runs, size_t extent, uint64_t blk, uint64_t *end)
{
	const struct extent *e = &runs->table->extents[extent];
	const struct colors *colors = runs->colors;
	uint8_t shade = runs->shades[extent];
	uint64_t first_end, last_begin;

	*end = e->offset + (uint64_t)e->blks;
	if (colors->source->range_rule)
		return SHADE(colors->source->range_rule(colors, runs->table, e->file, blk, end), TONE_CONTIGUOUS);
	if (!runs->near || SHADE_TONE(shade) == TONE_CONTIGUOUS)
		return shade;
	first_end = e->offset + (uint64_t)runs->near[extent].first;
	last_begin = *end - runs->near[extent].last;
	if (blk >= last_begin || (blk < first_end && first_end >= last_begin))
		return shade;
	*end = blk < first_end ? first_end : last_begin;
	return blk < first_end ? shade : SHADE(SHADE_RULE(shade), TONE_REST);
}

/* The rest of the fragment that is next: all of it has one shade. Return: its end. */
static uint64_t find_fragment(struct run_walk *walk, struct run *run)
{
	const uint8_t *starts = walk->runs->starts;
	size_t next = walk->next + 1, end = walk->volume->end;
	const struct extent *last;

	while (next != end && starts[next] == START_NONE)
		next++;
	last = &walk->runs->table->extents[next - 1];
	run->n = next - walk->next;
	run->shade = walk->runs->shades[walk->next];
	walk->next = next;
	return last->lba + (uint64_t)last->blks;
}

/* The blocks of one shade in the rest of the fragment that is next. Return: their end. */
static uint64_t find_shade(struct run_walk *walk, struct run *run)
{
	const struct extent *e = &walk->runs->table->extents[walk->next];
	uint64_t lba = run->lba, end_blk;
	uint8_t shade;

	shade = runs_shade(walk->runs, walk->next, e->offset + (lba - e->lba), &end_blk);
	run->shade = shade;
	while (shade == run->shade) {
		run->n = walk->next - run->first + 1;
		lba = e->lba + (end_blk - e->offset);
		if (lba < e->lba + (uint64_t)e->blks)
			break;
		walk->next++;
		e++;
		if (walk->next == walk->volume->end || walk->runs->starts[walk->next] != START_NONE || lba >= walk->end_blk)
			break;
		shade = runs_shade(walk->runs, walk->next, e->offset, &end_blk);
	}
	return lba;
}

static void find_extents(struct run_walk *walk, struct run *run)
{
	uint64_t end;

	run->first = walk->next;
	end = walk->has_ranges ? find_shade(walk, run) : find_fragment(walk, run);
	run->blks = (end < walk->end_blk ? end : walk->end_blk) - run->lba;
}

/**
 * runs_next() - walk to the next run
 * @walk: the walk
 * @run: set to the run; all runs together cover the part without gap or overlap
 *
 * Return: false at the end of the part.
 */
bool runs_next(struct run_walk *walk, struct run *run)
{
	uint64_t lba = walk->lba, next_blk = walk->end_blk;

	if (lba == walk->end_blk)
		return false;
	if (walk->next != walk->volume->end && walk->runs->table->extents[walk->next].lba < next_blk)
		next_blk = walk->runs->table->extents[walk->next].lba;
	*run = (struct run){ .first = NO_EXTENT, .lba = lba, .shade = SHADE_FREE };
	if (next_blk <= lba) {
		find_extents(walk, run);
	} else {
		run->blks = next_blk - lba;
		cut_by_others(walk, run);
		if (run->shade == SHADE_FREE && walk->segments)
			cut_by_use(walk, run);
	}
	walk->lba = lba + run->blks;
	return true;
}
