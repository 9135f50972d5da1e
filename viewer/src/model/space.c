// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the free space of a volume, and what F2FS can do with it.
 *
 * The state of F2FS goes in, figures come out. Where F2FS has a rule of its own, it is used as it is in
 * fs/f2fs of Linux 6.12: which segments are dirty (locate_dirty_segment() in segment.c), which sections
 * garbage collection may pick and what they cost (f2fs_get_victim(), get_gc_cost() and get_cb_cost() in
 * gc.c), where SSR may write (get_ssr_segment() in segment.c).
 */

#include "model/space.h"

/* === Blocks === */

static enum use use_of(const struct f2fs_segments *s, uint64_t blk)
{
	size_t segment = (size_t)(blk / F2FS_SEGMENT_BLKS);
	const uint8_t *map = s->map + segment * F2FS_MAP_BYTES;
	unsigned int at = blk % F2FS_SEGMENT_BLKS;

	if (!(map[at / 8] & (0x80 >> at % 8)))
		return USE_FREE;
	return f2fs_type_is_node(s->type[segment]) ? USE_NODE : USE_DATA;
}

/* How many blocks from @blk on are sure to have the same use, without reading each: 1, 8, or a segment. */
static uint64_t step(const struct f2fs_segments *s, uint64_t blk)
{
	size_t segment = (size_t)(blk / F2FS_SEGMENT_BLKS);
	unsigned int at = blk % F2FS_SEGMENT_BLKS;
	uint8_t byte = s->map[segment * F2FS_MAP_BYTES + at / 8];

	if (!at && (!s->valid[segment] || s->valid[segment] == F2FS_SEGMENT_BLKS))
		return F2FS_SEGMENT_BLKS;
	return at % 8 || (byte && byte != 0xff) ? 1 : 8;
}

/**
 * space_use_end() - find the end of a run of blocks of the same use
 * @segments: with bitmaps
 * @blk: first block, counted from the begin of the main area
 * @end: the run ends here at the latest; above @blk
 * @use: set to the use
 *
 * Return: the first block after the run.
 */
uint64_t space_use_end(const struct f2fs_segments *segments, uint64_t blk, uint64_t end, enum use *use)
{
	*use = use_of(segments, blk);
	do
		blk += step(segments, blk);
	while (blk < end && use_of(segments, blk) == *use);
	return blk < end ? blk : end;
}

static unsigned int run_class(uint64_t blks)
{
	return 63 - (unsigned int)__builtin_clzll(blks);
}

static uint64_t section_blks(const struct space *space)
{
	return (space->segs_per_sec ? space->segs_per_sec : 1) * F2FS_SEGMENT_BLKS;
}

/* The end of what can be written in the section of a block, or of the section if the block is after that. */
static uint64_t usable_end(const struct space *space, uint64_t blk)
{
	uint64_t at = blk % section_blks(space);

	return blk - at + (at < space->capacity ? space->capacity : section_blks(space));
}

/* A run ends where the capacity of a section does, but not at the end of a section that can be written in whole. */
static void count_runs(struct space *space)
{
	const struct f2fs_segments *s = &space->state->segments;
	uint64_t end = (uint64_t)s->n * F2FS_SEGMENT_BLKS, blk = 0, next;
	bool is_whole = space->capacity == section_blks(space);

	for (; blk < end; blk = next) {
		enum use use;

		next = space_use_end(s, blk, is_whole ? end : min_of(usable_end(space, blk), end), &use);
		if (use != USE_FREE || blk % section_blks(space) >= space->capacity)
			continue;
		space->n_runs++;
		space->run_count[run_class(next - blk)]++;
		space->run_blks[run_class(next - blk)] += next - blk;
		if (next - blk > space->longest) {
			space->longest = next - blk;
			space->longest_lba = space->volume->first_blk + blk;
		}
	}
}

static void count_watched(struct space *space, const struct table *table)
{
	const struct volume *v = space->volume;

	for (size_t i = v->first; i < v->end; i++) {
		uint64_t blk = table->extents[i].lba - v->first_blk, end = blk + table->extents[i].blks, next;

		for (; blk < end; blk = next) {
			enum use use;

			next = space_use_end(&space->state->segments, blk, end, &use);
			space->watched[use] += next - blk;
		}
	}
}

/* === Segments === */

static bool is_head(const struct space *space, uint64_t segment)
{
	for (size_t i = 0; space->knows_heads && i < F2FS_N_LOGS; i++)
		if (space->state->status.heads[i] == (int64_t)segment)
			return true;
	return false;
}

/* How many blocks of a segment can be written, as f2fs_usable_blks_in_seg() has it; or are valid, should that be more. */
static uint64_t usable_blks(const struct space *space, uint64_t segment)
{
	uint64_t at = segment * F2FS_SEGMENT_BLKS % section_blks(space);

	return max_of(space->capacity > at ? min_of(space->capacity - at, F2FS_SEGMENT_BLKS) : 0, space->state->segments.valid[segment]);
}

static void count_segments(struct space *space)
{
	const struct f2fs_segments *s = &space->state->segments;

	for (size_t i = 0; i < s->n; i++) {
		struct space_type *type = &space->types[s->type[i]];
		uint64_t usable = usable_blks(space, i);
		bool head = is_head(space, i);

		space->valid[f2fs_type_is_node(s->type[i]) ? USE_NODE : USE_DATA] += s->valid[i];
		space->valid[USE_FREE] += usable - s->valid[i];
		space->unusable += F2FS_SEGMENT_BLKS - usable;
		type->valid += s->valid[i];
		if (s->mtime && s->valid[i] && s->mtime[i] > space->newest)
			space->newest = s->mtime[i];
		if (head) {
			space->heads++;
		} else if (!s->valid[i]) {
			space->empty += usable > 0;
		} else if (s->valid[i] == usable) {
			space->full++;
			type->full++;
		} else {
			space->dirty++;
			type->dirty++;
			type->ssr_blks += space->state->is_lfs ? 0 : usable - s->valid[i];
			space->fill[(s->valid[i] - 1) / SPACE_FILL_STEP]++;
		}
	}
}

static void find_heads(struct space *space)
{
	const struct f2fs_segments *s = &space->state->segments;

	space->knows_heads = space->state->status.segments;
	for (size_t i = 0; i < F2FS_N_TYPES; i++) {
		struct space_type *type = &space->types[i];

		type->head = space->knows_heads ? space->state->status.heads[i] : -1;
		type->next = space->knows_heads ? space->state->status.next[i] : -1;
		if (type->head >= (int64_t)s->n)
			type->head = type->next = -1;
		if (type->head >= 0)
			type->head_room = usable_blks(space, (uint64_t)type->head) - s->valid[type->head];
	}
}

/**
 * space_section_size() - find the size of sections
 * @state: of a volume
 *
 * Return: segments in a section; 0: not known.
 */
uint64_t space_section_size(const struct f2fs_state *state)
{
	if (state->super.segs_per_sec)
		return state->super.segs_per_sec;
	/* F2FS has whole sections only: both divisions are exact */
	if (state->status.sections)
		return state->status.segments / state->status.sections;
	return state->victims.n ? state->segments.n / state->victims.n : 0;
}

static void find_sizes(struct space *space)
{
	const struct f2fs_state *s = space->state;

	space->segs_per_sec = space_section_size(s);
	space->secs_per_zone = s->super.secs_per_zone;
	if (!space->secs_per_zone && s->status.zones)
		space->secs_per_zone = s->status.sections / s->status.zones;
	space->capacity = section_blks(space) - (space->segs_per_sec && s->unusable < section_blks(space) ? s->unusable : 0);
}

/**
 * space_prefree() - count the segments that become free with the next checkpoint
 * @space: the figures
 *
 * Return: their number; UINT64_MAX if it is not known.
 */
uint64_t space_prefree(const struct space *space)
{
	return space->state->status.segments ? space->state->status.prefree : UINT64_MAX;
}

/* === Garbage collection === */

/* A section as garbage collection sees it. */
struct section {
	uint64_t valid;
	uint64_t mtime;
	bool has_head;
};

static struct section section_at(const struct space *space, uint64_t section, uint64_t size)
{
	const struct f2fs_segments *s = &space->state->segments;
	struct section found = { 0 };
	uint64_t first = section * size, sum = 0;

	for (uint64_t i = first; i < first + size && i < s->n; i++) {
		found.valid += s->valid[i];
		found.has_head |= is_head(space, i);
		/* F2FS has INVALID_MTIME in segments without blocks */
		if (s->mtime && s->valid[i])
			sum += s->mtime[i] * s->valid[i];
	}
	/* the mean over valid blocks, as F2FS has it since mtime is shown: f2fs_get_section_mtime() */
	found.mtime = size == 1 && s->mtime ? s->mtime[first] : found.valid ? sum / found.valid : 0;
	return found;
}

static void add_pick(struct space_picks *picks, struct space_pick pick)
{
	size_t at = picks->n;

	if (!at || pick.cost < picks->first[0].cost)
		picks->n_least = 1;
	else if (pick.cost == picks->first[0].cost)
		picks->n_least++;
	while (at && pick.cost < picks->first[at - 1].cost)
		at--;
	if (at == SPACE_MAX_PICKS)
		return;
	if (picks->n < SPACE_MAX_PICKS)
		picks->n++;
	memmove(&picks->first[at + 1], &picks->first[at], (picks->n - 1 - at) * sizeof(*picks->first));
	picks->first[at] = pick;
}

/* The cost of get_cb_cost(), with its roundings and the widths of its variables. @size: segments that can be written. */
static uint64_t cost_benefit(const struct section *section, uint64_t size, uint64_t oldest, uint64_t newest)
{
	unsigned char u = (unsigned char)(section->valid / size * 100 / F2FS_SEGMENT_BLKS), age = 0;

	if (newest != oldest)
		age = (unsigned char)(100 - 100 * (section->mtime - oldest) / (newest - oldest));
	return UINT32_MAX - 100 * (100U - u) * age / (100U + u);
}

static void find_times(const struct space *space, uint64_t size, uint64_t *oldest, uint64_t *newest)
{
	uint64_t n = (space->state->segments.n + size - 1) / size, i;

	*oldest = UINT64_MAX;
	*newest = 0;
	for (i = 0; i < n; i++) {
		struct section section = section_at(space, i, size);

		if (!section.valid)
			continue;
		if (section.mtime < *oldest)
			*oldest = section.mtime;
		if (section.mtime > *newest)
			*newest = section.mtime;
	}
}

static void find_picks(struct space *space)
{
	const struct f2fs_victims *victims = &space->state->victims;
	uint64_t size = space->segs_per_sec ? space->segs_per_sec : 1, oldest = 0, newest = 0;
	uint64_t n = (space->state->segments.n + size - 1) / size;

	space->has_mtime = space->state->segments.mtime;
	if (space->has_mtime)
		find_times(space, size, &oldest, &newest);
	for (uint64_t i = 0; i < n; i++) {
		struct section section = section_at(space, i, size);
		struct space_pick pick = { .section = i, .valid = section.valid, .cost = section.valid };

		if (section.has_head)
			continue;
		if (i < victims->n && victims->chosen[i]) {
			if (!space->chosen++)
				space->first_chosen = i;
			continue;
		}
		if (!section.valid || section.valid == space->capacity)
			continue;
		space->candidates++;
		add_pick(&space->greedy, pick);
		if (!space->has_mtime)
			continue;
		pick.cost = cost_benefit(&section, size - (section_blks(space) - space->capacity) / F2FS_SEGMENT_BLKS, oldest, newest);
		add_pick(&space->cost_benefit, pick);
	}
}

static int by_file(const void *a, const void *b)
{
	const struct space_file *x = a, *y = b;

	return (x->file > y->file) - (x->file < y->file);
}

static int by_blks(const void *a, const void *b)
{
	const struct space_file *x = a, *y = b;

	return x->blks != y->blks ? (x->blks < y->blks) - (x->blks > y->blks) : by_file(a, b);
}

/**
 * space_section() - find the blocks of a section
 * @space: the figures
 * @section: its number
 * @begin: set to its first block
 * @end: set to the end of its blocks
 */
void space_section(const struct space *space, uint64_t section, uint64_t *begin, uint64_t *end)
{
	*begin = space->volume->first_blk + section * section_blks(space);
	*end = *begin + section_blks(space);
}

/**
 * space_files() - list the watched files that own blocks in a part of a volume
 * @v: the volume
 * @table: the table
 * @begin: first block
 * @end: the end of its blocks
 * @n: set to the number of files
 *
 * Return: the files, most blocks first; to be freed.
 */
struct space_file *space_files(const struct volume *v, const struct table *table, uint64_t begin, uint64_t end, size_t *n)
{
	size_t first = table_extent_after(table, v, begin), i, k = 0;
	struct space_file *files;

	for (i = first; i < v->end && table->extents[i].lba < end; i++)
		;
	files = xcalloc(i - first, sizeof(*files));
	for (*n = i - first, i = 0; i < *n; i++) {
		const struct extent *e = &table->extents[first + i];
		uint64_t from = e->lba > begin ? e->lba : begin, to = (uint64_t)e->lba + e->blks;

		files[i] = (struct space_file){ e->file, (to < end ? to : end) - from };
	}
	qsort(files, *n, sizeof(*files), by_file);
	for (i = 0; i < *n; i++) {
		if (k && files[k - 1].file == files[i].file)
			files[k - 1].blks += files[i].blks;
		else
			files[k++] = files[i];
	}
	*n = k;
	qsort(files, k, sizeof(*files), by_blks);
	return files;
}

/* === Volumes === */

/**
 * space_of() - compute the figures of all volumes
 * @table: the table
 * @states: by volume; must stay valid as long as the result
 *
 * Return: by volume; to be freed.
 */
struct space *space_of(const struct table *table, const struct f2fs_state *states)
{
	struct space *all = xcalloc(table->n_volumes, sizeof(*all));

	for (size_t i = 0; i < table->n_volumes; i++) {
		struct space *space = &all[i];

		space->volume = &table->volumes[i];
		space->state = &states[i];
		if (!states[i].segments.n)
			continue;
		find_sizes(space);
		find_heads(space);
		count_segments(space);
		find_picks(space);
		space->has_runs = states[i].segments.map;
		if (space->has_runs) {
			count_runs(space);
			count_watched(space, table);
		}
	}
	return all;
}
