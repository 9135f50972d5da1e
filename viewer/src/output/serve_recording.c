// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: what a server reads of a recording: the table of a moment, and which moments there are.
 *
 * Files are read in processes of their own, see apart.c: a recording may be damaged, and while it is written, its
 * oldest files go.
 */

#include "apart.h"
#include "input/discards.h"
#include "input/recording.h"
#include "input/replay_state.h"
#include "input/source.h"
#include "input/volume.h"
#include "output/json.h"
#include "output/serve_recording.h"

#define NS_PER_MS 1000000

/* An answer with the moments of many snapshots takes about this time. */
#define SPANS_NS (NSEC_PER_SEC / 5)

/* === The table of a moment === */

/* What is read apart; @moment is that of the snapshot before another one if @is_base is true. */
struct reading {
	const struct serve_recording *recording;
	const struct moment *moment;
	bool is_base;
};

/* The snapshot before a moment, if the recording has F2FS's state of that time. Both are to be freed. */
static bool find_base(const struct reading *r, char **snapshot, char **state, int64_t *time_ms)
{
	const struct recorded *found;
	AUTO(recording_close) struct recording recording;

	recording_open(&recording, r->recording->dir);
	found = recording_before(&recording, r->moment);
	if (found && found->state) {
		*snapshot = xasprintf("%s", found->snapshot);
		*state = xasprintf("%s", found->state);
		*time_ms = found->time_ms;
	}
	return *state;
}

/*
 * Everything is parsed here, so that it can be parsed again without trouble. Of a base, its time and the folder with
 * F2FS's state come first, then a NUL; nothing if there is none. All is freed: a page has no process for it.
 */
static void put_table(const void *arg, FILE *out)
{
	const struct reading *r = arg;
	AUTO_FREE char *snapshot = NULL, *state = NULL;
	char *trouble = NULL;
	struct f2fs_state *states;
	AUTO(source_free) struct source source = { 0 };
	AUTO(table_free) struct table table = { 0 };
	int64_t time_ms = 0;
	size_t n;

	if (r->is_base && !find_base(r, &snapshot, &state, &time_ms))
		return;
	source_init(&source, r->is_base ? snapshot : r->recording->dir);
	source.at = *r->moment;
	source.volume = r->recording->volume;
	source_read_table(&source, &table, true);
	if (r->is_base) {
		states = f2fs_states_read(&table, state, &trouble);
		if (trouble)
			die("%s", trouble);
		f2fs_states_free(states, table.n_volumes);
		fprintf(out, "%" PRId64 " %s%c", time_ms, state, '\0');
	} else {
		free(lens_parts(r->recording->lens, &table, source.name, &n));
	}
	if (fwrite(table.text.buf, 1, table.text.len, out) != table.text.len)
		die("no memory for a table");
}

static void parse(struct table *table, const struct serve_recording *recording, struct text *text)
{
	source_parse(table, recording->dir, text, false);
	volume_keep(table, recording->dir, recording->volume);
}

/*
 * F2FS's state is that of the snapshot. What watched files had then may be free since: so it is not valid any
 * more, and where it still is, the table of the moment has it.
 */
static void forget_watched(const struct f2fs_state *states, const struct table *base)
{
	for (size_t v = 0; v < base->n_volumes; v++) {
		const struct f2fs_segments *segments = &states[v].segments;

		for (size_t i = base->volumes[v].first; segments->map && i < base->volumes[v].end; i++) {
			uint64_t blk = base->extents[i].lba - base->volumes[v].first_blk, end = blk + base->extents[i].blks;

			for (; blk < end; blk++)
				segments->map[blk / 8] &= ~(0x80 >> blk % 8);
		}
	}
}

/* A volume may have been made anew, with another size. */
static bool has_same_volumes(const struct table *a, const struct table *b)
{
	for (size_t i = 0; i < a->n_volumes && i < b->n_volumes; i++) {
		const struct volume *v = &a->volumes[i], *w = &b->volumes[i];

		if (v->major != w->major || v->minor != w->minor || v->first_blk != w->first_blk || v->end_blk != w->end_blk)
			return false;
	}
	return a->n_volumes == b->n_volumes;
}

/* Of "TIME REST". Return: the rest; to be freed. */
static char *take_time(const char *text, int64_t *time_ms)
{
	*time_ms = strtoll(text, NULL, 10);
	return xasprintf("%s", strchr(text, ' ') + 1);
}

/* Return: what F2FS knew at the snapshot before a moment, without what watched files had; NULL if that is not known. */
static struct f2fs_state *read_states(const struct reading *of_moment, const struct table *table, int64_t *time_ms, char **dir)
{
	struct reading r = { of_moment->recording, of_moment->moment, true };
	struct f2fs_state *states = NULL;
	AUTO(table_free) struct table base = { 0 };
	AUTO(text_free) struct text text;
	AUTO_FREE char *trouble = run_apart(put_table, &r, &text), *state = NULL;
	size_t skip;

	if (trouble || !text.len)
		return NULL;
	skip = strlen(text.buf) + 1;
	state = take_time(text.buf, time_ms);
	text.len -= skip;
	memmove(text.buf, text.buf + skip, text.len + 1);
	parse(&base, r.recording, &text);
	if (has_same_volumes(&base, table))
		states = f2fs_states_read(&base, state, &trouble);
	if (states && !trouble)
		forget_watched(states, &base);
	if (states && trouble) {
		f2fs_states_free(states, base.n_volumes);
		states = NULL;
	}
	if (states) {
		*dir = state;
		state = NULL;
	}
	return states;
}

/**
 * serve_recording_read() - rebuild the table of a moment
 * @recording: the recording
 * @moment: when
 * @table: the result; to be freed with table_free()
 * @states: set to what F2FS knew, by volume, to be freed with f2fs_states_free(); NULL if the recording has it not
 * @state_ms: set to when it knew that, in ms since 1970
 * @dir: set to the folder with that, to be freed; NULL if there is none
 *
 * Return: NULL, or why there is no such table; to be freed.
 */
char *serve_recording_read(const struct serve_recording *recording, const struct moment *moment, struct table *table,
			   struct f2fs_state **states, int64_t *state_ms, char **dir)
{
	const struct reading r = { recording, moment, false };
	struct text text;
	char *trouble = run_apart(put_table, &r, &text);

	*states = NULL;
	*dir = NULL;
	if (trouble)
		return trouble;
	parse(table, recording, &text);
	if (!recording->has_state)
		*states = read_states(&r, table, state_ms, dir);
	return NULL;
}

/* === What is read === */

/* The counts are parsed here first; then the time of their snapshot and their file are put. */
static void put_heat(const void *arg, FILE *out)
{
	const struct reading *r = arg;
	const struct recorded *found;
	AUTO(recording_close) struct recording recording;
	AUTO(heat_free) struct heat heat;

	recording_open(&recording, r->recording->dir);
	found = recording_before(&recording, r->moment);
	if (!found)
		die("%s: has no snapshot before that moment", r->recording->dir);
	AUTO_FREE char *path = recorded_counts(found->snapshot, "heat");
	/* where the server reads them, it meets the same trouble */
	free(heat_read(&heat, path));
	fprintf(out, "%" PRId64 " %s", found->time_ms, path);
}

/**
 * serve_recording_heat() - read the counts of the snapshot before a moment
 * @recording: the recording
 * @moment: when
 * @heat: the result; to be freed with heat_free()
 * @time_ms: set to the time of the snapshot, in ms since 1970
 *
 * Return: NULL, or why there are none; to be freed.
 */
char *serve_recording_heat(const struct serve_recording *recording, const struct moment *moment, struct heat *heat,
			   int64_t *time_ms)
{
	const struct reading r = { recording, moment, false };
	AUTO(text_free) struct text text;
	char *trouble = run_apart(put_heat, &r, &text);

	*heat = (struct heat){ 0 };
	if (trouble)
		return trouble;
	AUTO_FREE char *path = take_time(text.buf, time_ms);
	return heat_read(heat, path);
}

/* === What is discarded === */

static bool read_discards(struct discards *discards, const struct recorded *one)
{
	AUTO_FREE char *path = recorded_counts(one->snapshot, "discards");

	if (access(path, F_OK))
		return false;
	discards_read(discards, path);
	return true;
}

/* Of each volume a line: device, sentence. */
static void put_discards(const void *arg, FILE *out)
{
	const struct reading *r = arg;
	const struct recorded *found;
	AUTO(recording_close) struct recording recording;
	AUTO(discards_free) struct discards first = { 0 }, until = { 0 };

	recording_open(&recording, r->recording->dir);
	found = recording_before(&recording, r->moment);
	if (!found || !read_discards(&until, found))
		return;
	for (const struct recorded *one = recording.list; one <= found && !read_discards(&first, one); one++)
		;
	discards_since(&until, &first);
	for (size_t i = 0; i < until.n; i++) {
		const struct discard_volume *v = &until.volumes[i];

		fprintf(out, "%u:%u %s pending, %s discarded", v->major, v->minor, BYTES(v->pending * until.blk_bytes),
			BYTES(v->sums[DISCARDS].blks * until.blk_bytes));
		if (v->sums[RESETS].issued)
			fprintf(out, ", %s in reset zones", BYTES(v->sums[RESETS].blks * until.blk_bytes));
		fputs(" since the recording or the counts began\n", out);
	}
}

/**
 * serve_recording_discards() - read what was discarded until the snapshot before a moment
 * @recording: the recording
 * @moment: when
 * @text: a line of each volume: its device and a sentence; nothing if that was not counted. To be freed
 */
void serve_recording_discards(const struct serve_recording *recording, const struct moment *moment, struct text *text)
{
	const struct reading r = { recording, moment, false };

	free(run_apart(put_discards, &r, text));
}

/* === Which moments there are === */

/* What is listed apart. */
struct spans_asked {
	const struct serve_recording *recording;
	size_t first;
};

static uint64_t end_of_all(const struct recording *recording)
{
	struct span span;

	recording_span(recording, recording->n - 1, &span);
	return span.last_ns;
}

static void put_span(struct json *json, const struct recording *recording, size_t i)
{
	struct span span;

	recording_span(recording, i, &span);
	JSON_ARRAY(json, NULL);
	json_number(json, NULL, span.first_ns / NS_PER_MS);
	json_number(json, NULL, span.last_ns / NS_PER_MS);
	json_maybe(json, NULL, span.has_gap ? span.n_lost : 0, span.n_lost || !span.has_gap);
}

static void put_spans(const void *arg, FILE *out)
{
	const struct spans_asked *asked = arg;
	size_t i, end = asked->first + SERVE_MAX_SNAPSHOTS;
	int64_t begun_ns = monotonic_ns();
	struct json json = { .file = out };
	AUTO(recording_close) struct recording recording;

	recording_open(&recording, asked->recording->dir);
	if (end > recording.n)
		end = recording.n;
	JSON_OBJECT(&json, NULL);
	json_signed(&json, "first", recording.list[0].time_ms);
	json_number(&json, "last", end_of_all(&recording) / NS_PER_MS);
	json_array(&json, "spans");
	for (i = asked->first; i < end && (i == asked->first || monotonic_ns() - begun_ns < SPANS_NS); i++)
		put_span(&json, &recording, i);
	json_end(&json);
	json_maybe(&json, "next", i, i < recording.n);
}

/**
 * serve_recording_spans() - list the moments of some snapshots
 * @recording: the recording
 * @first: index of the first snapshot
 * @json: the result, as long as it is quick: the beginning and the end of the recording, spans, and the index of the
 *	snapshot that is next; to be freed with text_free()
 *
 * A span is the time of a snapshot, the last exact moment after it, both in ms since 1970, and how many events were
 * lost then, null if that is not known. It ends in a gap if the next one begins more than a millisecond later.
 *
 * Return: NULL, or why the recording cannot be read; to be freed.
 */
char *serve_recording_spans(const struct serve_recording *recording, size_t first, struct text *json)
{
	const struct spans_asked asked = { recording, first };

	return run_apart(put_spans, &asked, json);
}

/* === How many breaks there are when === */

/* A point being made: of a slot of time, the most breaks and the last number of them. */
struct curve {
	struct json *json;
	uint64_t slot_ns;
	uint64_t at_ns;
	uint64_t most;
	uint64_t n;
};

static void flush_point(const struct curve *c)
{
	json_number(c->json, NULL, c->at_ns / NS_PER_MS);
	json_number(c->json, NULL, c->most);
	json_number(c->json, NULL, c->n);
}

static void count_files(void *arg, const struct replay_state *s)
{
	struct curve *c = arg;

	c->n = 0;
	for (size_t i = 0; i < s->n_files; i++)
		c->n += replay_breaks(&s->files[i], 0, UINT32_MAX, NULL, NULL);
	c->most = c->n;
}

static void count_event(void *arg, struct replay_state *s, const struct event *e)
{
	bool is_whole = e->kind > EVENT_UNKNOWN;
	uint32_t first = is_whole ? 0 : e->offset, end = is_whole ? UINT32_MAX : e->offset + e->length;
	uint32_t volume = replay_volume_at(s, e->dev);
	struct curve *c = arg;
	struct changing *f;
	size_t before;

	if (volume == s->table.n_volumes) {
		replay_apply(s, e);
		return;
	}
	f = replay_file_at(s, volume, e->ino);
	before = replay_breaks(f, first, end, NULL, NULL);
	replay_apply(s, e);
	if (e->time_ns >= c->at_ns + c->slot_ns) {
		flush_point(c);
		c->at_ns = e->time_ns;
		c->most = c->n;
	}
	c->n = c->n - before + replay_breaks(f, first, end, NULL, NULL);
	if (c->n > c->most)
		c->most = c->n;
}

static void end_count(void *arg, const struct replay_state *s)
{
	flush_point(arg);
}

/* The text of a table has no events after it that could be followed. */
static bool is_text(const struct recorded *one)
{
	return strstr(strrchr(one->snapshot, '/'), ".table");
}

static void put_curve(const void *arg, FILE *out)
{
	const struct spans_asked *asked = arg;
	bool is_part = asked->recording->volume || asked->recording->lens->only;
	struct json json = { .file = out };
	struct curve curve = { .json = &json };
	const struct replay_follower follower = { count_files, count_event, end_count, &curve };
	int64_t begun_ns = monotonic_ns();
	AUTO(recording_close) struct recording recording;
	struct span span;
	size_t i;

	recording_open(&recording, asked->recording->dir);
	curve.slot_ns = (end_of_all(&recording) - (uint64_t)recording.list[0].time_ms * NS_PER_MS) / SERVE_CURVE_POINTS;
	JSON_OBJECT(&json, NULL);
	json_array(&json, "curves");
	for (i = is_part ? recording.n : asked->first; i < recording.n && (i == asked->first || monotonic_ns() - begun_ns < SPANS_NS); i++) {
		curve.at_ns = (uint64_t)recording.list[i].time_ms * NS_PER_MS;
		JSON_ARRAY(&json, NULL);
		if (!is_text(&recording.list[i]))
			recording_follow(&recording, i, &span, &follower);
	}
	json_end(&json);
	json_maybe(&json, "next", i, i < recording.n);
}

/**
 * serve_recording_curve() - count the breaks of all files over time
 * @recording: the recording
 * @first: index of the first snapshot
 * @json: the result, as long as it is quick: for each snapshot and what follows it, points of three numbers: a time in ms since
 *	1970, the most breaks until the next point, and how many there were at its end; and the index of the snapshot that is next;
 *	to be freed with text_free()
 *
 * Where the text of a table was kept, and where the server shows a part of the files, there are none.
 *
 * Return: NULL, or why the recording cannot be read; to be freed.
 */
char *serve_recording_curve(const struct serve_recording *recording, size_t first, struct text *json)
{
	const struct spans_asked asked = { recording, first };

	return run_apart(put_curve, &asked, json);
}
