// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: the free space of volumes as part of JSON texts and of metrics. */

#include "output/prometheus.h"
#include "output/space.h"

/* Blocks of a volume in bytes. */
static uint64_t bytes_of(const struct space *space, uint64_t blks)
{
	return blks * space->volume->blk_bytes;
}

/* Types of segments, then the other logs. */
const char *const space_log_keys[F2FS_N_LOGS] = {
	"hot_data", "warm_data", "cold_data", "hot_node", "warm_node", "cold_node", "pinned", "atgc",
};

static bool is_known(const struct space *space)
{
	return space->state->segments.n;
}

/* === JSON === */

static void put_types(struct json *json, const struct space *space)
{
	JSON_ARRAY(json, "types");
	for (size_t i = 0; i < F2FS_N_TYPES; i++) {
		const struct space_type *t = &space->types[i];

		json_line(json);
		JSON_OBJECT(json, NULL);
		json_text(json, "type", space_log_keys[i]);
		json_number(json, "full", t->full);
		json_number(json, "dirty", t->dirty);
		json_number(json, "valid_blocks", t->valid);
		json_number(json, "ssr_blocks", t->ssr_blks);
		json_maybe(json, "log_segment", (uint64_t)t->head, t->head >= 0);
		json_maybe(json, "log_next", (uint64_t)t->next, t->next >= 0);
		json_maybe(json, "log_room", t->head_room, t->head >= 0);
	}
}

static void put_classes(struct json *json, const struct space *space)
{
	json_array(json, "free_runs");
	for (unsigned int i = 0; i < SPACE_RUN_CLASSES; i++) {
		if (!space->run_count[i])
			continue;
		JSON_OBJECT(json, NULL);
		json_number(json, "from", UINT64_C(1) << i);
		json_number(json, "to", (UINT64_C(2) << i) - 1);
		json_number(json, "runs", space->run_count[i]);
		json_number(json, "blocks", space->run_blks[i]);
	}
	json_end(json);
	JSON_ARRAY(json, "dirty_fill");
	for (unsigned int i = 0; i < SPACE_FILL_CLASSES; i++) {
		JSON_OBJECT(json, NULL);
		json_number(json, "from", i * SPACE_FILL_STEP + 1);
		json_number(json, "to", i + 1 < SPACE_FILL_CLASSES ? (i + 1) * SPACE_FILL_STEP : F2FS_SEGMENT_BLKS - 1);
		json_number(json, "segments", space->fill[i]);
	}
}

/**
 * space_put_files() - write the watched files with blocks in a part of a volume
 * @json: where to
 * @v: the volume
 * @table: the table
 * @begin: first block
 * @end: the end of its blocks
 */
void space_put_files(struct json *json, const struct volume *v, const struct table *table, uint64_t begin, uint64_t end)
{
	size_t n;
	AUTO_FREE struct space_file *files = space_files(v, table, begin, end, &n);

	JSON_ARRAY(json, "files");
	for (size_t i = 0; i < n; i++) {
		JSON_OBJECT(json, NULL);
		json_number(json, "blocks", files[i].blks);
		json_name(json, "path", table->files[files[i].file].path);
	}
}

static void put_picks(struct json *json, const struct space *space, const struct table *table, const char *name,
		      const struct space_picks *picks, bool known)
{
	if (!known) {
		json_text(json, name, NULL);
		return;
	}
	JSON_ARRAY(json, name);
	for (size_t i = 0; i < picks->n; i++) {
		uint64_t begin, end;

		JSON_OBJECT(json, NULL);
		json_number(json, "section", picks->first[i].section);
		json_number(json, "valid_blocks", picks->first[i].valid);
		json_number(json, "cost", picks->first[i].cost);
		space_section(space, picks->first[i].section, &begin, &end);
		space_put_files(json, space->volume, table, begin, end);
	}
}

/**
 * space_put_notes() - write what is not known
 * @json: where to
 * @space: the figures
 */
void space_put_notes(struct json *json, const struct space *space)
{
	JSON_ARRAY(json, "notes");
	for (size_t i = 0; i < space->state->n_notes; i++)
		json_name(json, NULL, space->state->notes[i]);
}

static void put_volume(struct json *json, const struct space *space, const struct table *table)
{
	const struct f2fs_status *status = &space->state->status;

	JSON_OBJECT(json, NULL);
	json_format(json, "dev", "%u:%u", space->volume->major, space->volume->minor);
	json_number(json, "segments", space->state->segments.n);
	json_maybe(json, "segments_per_section", space->segs_per_sec, space->segs_per_sec);
	json_maybe(json, "sections_per_zone", space->secs_per_zone, space->secs_per_zone);
	json_number(json, "data_blocks", space->valid[USE_DATA]);
	json_number(json, "node_blocks", space->valid[USE_NODE]);
	json_number(json, "free_blocks", space->valid[USE_FREE]);
	json_number(json, "unusable_blocks", space->unusable);
	json_maybe(json, "watched_blocks", space->watched[USE_DATA], space->has_runs);
	json_maybe(json, "moved_blocks", space->watched[USE_FREE] + space->watched[USE_NODE], space->has_runs);
	json_number(json, "full_segments", space->full);
	json_number(json, "dirty_segments", space->dirty);
	json_number(json, "empty_segments", space->empty);
	json_maybe(json, "log_segments", space->heads, space->knows_heads);
	json_maybe(json, "free_segments", status->free, status->segments);
	json_maybe(json, "prefree_segments", status->prefree, status->segments);
	json_maybe(json, "reserved_segments", status->reserved, status->segments);
	put_types(json, space);
	json_maybe(json, "longest_free_run", space->longest, space->has_runs);
	json_maybe(json, "longest_free_run_lba", space->longest_lba, space->longest);
	put_classes(json, space);
	json_number(json, "gc_candidates", space->candidates);
	json_number(json, "gc_chosen", space->chosen);
	put_picks(json, space, table, "gc_greedy", &space->greedy, true);
	put_picks(json, space, table, "gc_cost_benefit", &space->cost_benefit, space->has_mtime);
	space_put_notes(json, space);
}

/**
 * space_put_json() - write the free space of all volumes
 * @json: where to: an array
 * @table: the table
 * @spaces: by volume
 */
void space_put_json(struct json *json, const struct table *table, const struct space *spaces)
{
	for (size_t i = 0; i < table->n_volumes; i++) {
		json_line(json);
		if (is_known(&spaces[i]))
			put_volume(json, &spaces[i], table);
	}
}

/* === Metrics === */

#define FOR_EACH_KNOWN(s) \
	for (s = spaces; s < spaces + table->n_volumes; s++) \
		if (is_known(s))

/* @label: the unit of @from */
static void sample_from(struct metrics *m, const struct space *s, const char *label, uint64_t from, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%ju", (uintmax_t)from);
	metrics_sample(m, s->volume, label, text, n);
}

static void put_segments(struct metrics *m, const struct table *table, const struct space *spaces)
{
	const struct space *s;

	metrics_begin(m, "fragtrace_f2fs_section_bytes", "Size of a section.");
	FOR_EACH_KNOWN(s)
		if (s->segs_per_sec)
			metrics_sample(m, s->volume, NULL, NULL, bytes_of(s, s->segs_per_sec * F2FS_SEGMENT_BLKS));
	metrics_begin(m, "fragtrace_f2fs_segments", "Segments of the main area.");
	FOR_EACH_KNOWN(s) {
		metrics_sample(m, s->volume, "state", "full", s->full);
		metrics_sample(m, s->volume, "state", "dirty", s->dirty);
		if (!s->knows_heads) {
			metrics_sample(m, s->volume, "state", "empty", s->empty);
			continue;
		}
		metrics_sample(m, s->volume, "state", "log", s->heads);
		metrics_sample(m, s->volume, "state", "free", s->state->status.free);
		metrics_sample(m, s->volume, "state", "prefree", s->state->status.prefree);
	}
	metrics_begin(m, "fragtrace_f2fs_reserved_segments", "Segments that F2FS keeps free for garbage collection.");
	FOR_EACH_KNOWN(s)
		if (s->state->status.segments)
			metrics_sample(m, s->volume, NULL, NULL, s->state->status.reserved);
}

static void put_blocks(struct metrics *m, const struct table *table, const struct space *spaces)
{
	const struct space *s;

	metrics_begin(m, "fragtrace_f2fs_valid_bytes", "Valid blocks by the type of their segment.");
	FOR_EACH_KNOWN(s)
		for (size_t i = 0; i < F2FS_N_TYPES; i++)
			metrics_sample(m, s->volume, "type", space_log_keys[i], bytes_of(s, s->types[i].valid));
	metrics_begin(m, "fragtrace_f2fs_unwatched_data_bytes", "Valid blocks of data that no watched file has.");
	FOR_EACH_KNOWN(s)
		if (s->has_runs)
			metrics_sample(m, s->volume, NULL, NULL, bytes_of(s, s->valid[USE_DATA] - s->watched[USE_DATA]));
	metrics_begin(m, "fragtrace_f2fs_ssr_bytes", "Room in dirty segments, by their type.");
	FOR_EACH_KNOWN(s)
		for (size_t i = 0; i < F2FS_N_TYPES; i++)
			metrics_sample(m, s->volume, "type", space_log_keys[i], bytes_of(s, s->types[i].ssr_blks));
	metrics_begin(m, "fragtrace_f2fs_dirty_segments", "Dirty segments by valid blocks: at least so many, in steps of 64.");
	FOR_EACH_KNOWN(s)
		for (size_t i = 0; i < SPACE_FILL_CLASSES; i++)
			sample_from(m, s, "min_blocks", i * SPACE_FILL_STEP + 1, s->fill[i]);
}

/* The classes of a volume never go away: a series that ends is not one that is 0. */
static void put_runs(struct metrics *m, const struct table *table, const struct space *spaces, bool is_bytes)
{
	const struct space *s;
	size_t i;

	FOR_EACH_KNOWN(s)
		for (i = 0; s->has_runs && i < SPACE_RUN_CLASSES && UINT64_C(1) << i <= s->volume->end_blk - s->volume->first_blk; i++)
			sample_from(m, s, "min_bytes", bytes_of(s, UINT64_C(1) << i), is_bytes ? bytes_of(s, s->run_blks[i]) : s->run_count[i]);
}

/**
 * space_put_metrics() - write the free space of all volumes as metrics
 * @m: the metrics
 * @table: the table
 * @spaces: by volume
 */
void space_put_metrics(struct metrics *m, const struct table *table, const struct space *spaces)
{
	const struct space *s;

	put_segments(m, table, spaces);
	put_blocks(m, table, spaces);
	metrics_begin(m, "fragtrace_f2fs_free_runs", "Free runs of at least so many bytes, and fewer than twice as many.");
	put_runs(m, table, spaces, false);
	metrics_begin(m, "fragtrace_f2fs_free_run_bytes", "Blocks of these free runs.");
	put_runs(m, table, spaces, true);
	metrics_begin(m, "fragtrace_f2fs_longest_free_run_bytes", "The longest free run.");
	FOR_EACH_KNOWN(s)
		if (s->has_runs)
			metrics_sample(m, s->volume, NULL, NULL, bytes_of(s, s->longest));
	metrics_begin(m, "fragtrace_f2fs_gc_candidates", "Sections that garbage collection may pick.");
	FOR_EACH_KNOWN(s)
		metrics_sample(m, s->volume, NULL, NULL, s->candidates);
	metrics_begin(m, "fragtrace_f2fs_gc_victim_bytes", "Valid blocks in the section that it would pick first.");
	FOR_EACH_KNOWN(s) {
		if (s->greedy.n)
			metrics_sample(m, s->volume, "policy", "greedy", bytes_of(s, s->greedy.first[0].valid));
		if (s->cost_benefit.n)
			metrics_sample(m, s->volume, "policy", "cost_benefit", bytes_of(s, s->cost_benefit.first[0].valid));
	}
}
