// SPDX-License-Identifier: GPL-2.0-only
/*
 * Before the pipeline: a folder that fragtrace record wrote -> the snapshot of a moment.
 *
 *	fragtrace-SECONDS.mmm.snapshot.zst	a copy of the maps; or .table.zst
 *	fragtrace-SECONDS.mmm.events.zst	what happened after it; see events.h
 *	fragtrace-SECONDS.mmm.heat.zst		the module's file heat of that time, if it counts what is read
 *	fragtrace-SECONDS.mmm.discards.zst	its file discards likewise; and gc_runs, latency, ledger
 *	fragtrace-SECONDS.mmm.f2fs		a folder with F2FS's own state of that time, for --f2fs-state
 *	discards, gc, gc_runs, latency, ledger		the newest of what the module has counted
 *
 * The time in a name is that of the snapshot, in seconds since 1970. Without events, a snapshot is valid until
 * the next one. With events, the snapshot of any moment is rebuilt, except where events were lost.
 */

#include "input/events.h"
#include "input/f2fs_state.h"
#include "input/recording.h"
#include "input/replay.h"
#include "input/snapshot.h"
#include "input/unpack.h"

#define NS_PER_MS 1000000

/* === The folder === */

/**
 * recorded_time_of() - the time in the name of a file of a recording
 * @name: name of the file, without its folder
 * @suffix: set to what follows the time
 *
 * Return: ms since 1970, or -1 for the name of another file.
 */
int64_t recorded_time_of(const char *name, const char **suffix)
{
	long long seconds;
	int n = -1, ms;

	if (sscanf(name, RECORDING_PREFIX "%lld.%3d%n", &seconds, &ms, &n) != 2 || n < 0)
		return -1;
	*suffix = name + n;
	return seconds < 0 || seconds > INT64_MAX / 2000000000 || ms < 0 ? -1 : seconds * 1000 + ms;
}

/* The file or folder that was recorded with a snapshot; NULL if this is no recorded snapshot. */
static char *recorded_beside(const char *path, const char *its_suffix)
{
	const char *slash = strrchr(path, '/'), *suffix;

	if (recorded_time_of(slash ? slash + 1 : path, &suffix) < 0)
		return NULL;
	return xasprintf("%.*s%s", (int)(suffix - path), path, its_suffix);
}

/**
 * recorded_counts() - the file with what the module had counted at the time of a recorded snapshot
 * @path: the snapshot
 * @name: of the module's file, discards, gc_runs, heat, latency or ledger
 *
 * Return: its path, to be freed, whether there is such a file or not; NULL if this is no recorded snapshot.
 */
char *recorded_counts(const char *path, const char *name)
{
	AUTO_FREE char *suffix = xasprintf(".%s.zst", name);

	return recorded_beside(path, suffix);
}

/**
 * recorded_state() - the folder with F2FS's state at the time of a recorded snapshot
 * @path: the snapshot
 *
 * Return: its path, to be freed; NULL if there is none.
 */
char *recorded_state(const char *path)
{
	char *dir = recorded_beside(path, F2FS_STATE_SUFFIX);

	if (dir && !access(dir, F_OK))
		return dir;
	free(dir);
	return NULL;
}

/**
 * recorded_snapshot_time() - the time in the name of a snapshot of a recording
 * @name: name of the file, without its folder
 * @suffix: set to what follows the time
 *
 * Return: ms since 1970, or -1 for the name of another file.
 */
int64_t recorded_snapshot_time(const char *name, const char **suffix)
{
	static const char *const suffixes[] = { ".snapshot.zst", ".snapshot", ".table.zst", ".table" };
	int64_t time_ms = recorded_time_of(name, suffix);

	for (size_t i = 0; time_ms >= 0 && i < ARRAY_LEN(suffixes); i++)
		if (!strcmp(*suffix, suffixes[i]))
			return time_ms;
	return -1;
}

static int by_time(const void *a, const void *b)
{
	const struct recorded *x = a, *y = b;

	return ORDER(x->time_ms, y->time_ms);
}

static void keep_if_there(char **path)
{
	if (!access(*path, F_OK))
		return;
	free(*path);
	*path = NULL;
}

static void enter(struct recording *r, size_t *cap, const char *name)
{
	const char *suffix;
	struct recorded found = { .time_ms = recorded_snapshot_time(name, &suffix) };

	if (found.time_ms < 0)
		return;
	found.snapshot = xasprintf("%s/%s", r->dir, name);
	found.events = xasprintf("%s/%.*s" EVENTS_SUFFIX, r->dir, (int)(suffix - name), name);
	found.state = xasprintf("%s/%.*s" F2FS_STATE_SUFFIX, r->dir, (int)(suffix - name), name);
	keep_if_there(&found.events);
	keep_if_there(&found.state);
	*APPEND(r->list, r->n, *cap) = found;
}

/**
 * recording_is() - is this the name of a folder?
 * @path: what is to be read
 *
 * Return: true if it is.
 */
bool recording_is(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode);
}

/**
 * recording_has_any() - is there a snapshot in a folder?
 * @dir: the folder
 *
 * Return: true if there is.
 */
bool recording_has_any(const char *dir)
{
	AUTO(recording_close) struct recording recording = { .dir = dir };
	AUTO_CLOSEDIR DIR *stream = opendir(dir);
	struct dirent *entry;
	size_t cap = 0;

	while (stream && !recording.n && (entry = readdir(stream)))
		enter(&recording, &cap, entry->d_name);
	return recording.n;
}

/**
 * recording_open() - list the snapshots of a recording
 * @recording: the result; to be freed with recording_close()
 * @dir: its folder
 *
 * Ends the program if there is none.
 */
void recording_open(struct recording *recording, const char *dir)
{
	AUTO_CLOSEDIR DIR *stream = opendir(dir);
	struct dirent *entry;
	size_t cap = 0;

	if (!stream)
		die("%s: cannot open: %s; expected a folder that fragtrace record wrote", dir, strerror(errno));
	*recording = (struct recording){ .dir = dir };
	while ((entry = readdir(stream)))
		enter(recording, &cap, entry->d_name);
	AUTO_FREE char *snapshot = xasprintf("%s/snapshot", dir);
	if (!recording->n)
		die("%s: no fragtrace-SECONDS.mmm.snapshot.zst in it; expected a folder that fragtrace record wrote%s%s", dir,
		    access(snapshot, F_OK) ? "" : ", or ", access(snapshot, F_OK) ? "" : snapshot);
	qsort(recording->list, recording->n, sizeof(*recording->list), by_time);
}

/**
 * recording_close() - release the list
 * @recording: as left by recording_open()
 */
void recording_close(struct recording *recording)
{
	for (size_t i = 0; i < recording->n; i++) {
		free(recording->list[i].snapshot);
		free(recording->list[i].events);
		free(recording->list[i].state);
	}
	free(recording->list);
	*recording = (struct recording){ 0 };
}

/* === Files === */

static void read_file(struct text *text, const char *path)
{
	int err = slurp_file(text, path);

	if (err == EFBIG)
		input_too_large(path);
	if (err)
		die("%s: cannot read: %s", path, strerror(err));
}

static void read_unpacked(struct text *text, const char *path)
{
	read_file(text, path);
	if (is_packed(text))
		unpack(text, path);
}

static void read_events(struct events *events, const char *path)
{
	struct text text;

	read_file(&text, path);
	events_read(events, path, &text);
}

/* === Moments === */

static uint64_t ns_of(int64_t time_ms)
{
	return (uint64_t)time_ms * NS_PER_MS;
}

/* The events after a snapshot, and those that happened while the next one was copied. */
static void load_events(const struct recording *r, size_t i, struct events *events, struct span *span)
{
	const struct recorded *next = i + 1 < r->n ? &r->list[i + 1] : NULL;
	uint64_t until_ns;

	*events = (struct events){ .gap_ns = UINT64_MAX };
	*span = (struct span){ .first_ns = ns_of(r->list[i].time_ms), .next_ns = next ? ns_of(next->time_ms) : UINT64_MAX };
	read_events(events, r->list[i].events);
	events_find_gap(events);
	until_ns = events->until_ns;
	if (events->gap_ns == UINT64_MAX && !events->is_cut && next && next->events) {
		read_events(events, next->events);
		events_find_gap(events);
		if (events->gap_ns < until_ns)
			events->gap_ns = until_ns;
	}
	span->last_ns = events->gap_ns < events->until_ns ? events->gap_ns : events->until_ns;
	if (span->last_ns >= span->next_ns)
		span->last_ns = span->next_ns - 1;
	else
		span->has_gap = events->gap_ns != UINT64_MAX || next;
	/* some of the events before the end of the copy are missing: the copy alone is right */
	if (span->last_ns < span->first_ns) {
		span->last_ns = span->first_ns;
		events->n = 0;
	}
	span->n_lost = events->n_lost;
}

/**
 * recording_span() - find the moments that can be rebuilt from a snapshot
 * @recording: the recording
 * @i: index into its list
 * @span: the result; all events after the snapshot are read
 *
 * Ends the program if they cannot be read.
 */
void recording_span(const struct recording *recording, size_t i, struct span *span)
{
	const struct recorded *list = recording->list;
	struct events events;

	if (list[i].events) {
		load_events(recording, i, &events, span);
		events_free(&events);
		return;
	}
	/* without events, a snapshot is valid until the next one */
	*span = (struct span){ .first_ns = ns_of(list[i].time_ms), .next_ns = UINT64_MAX };
	if (i + 1 < recording->n)
		span->next_ns = ns_of(list[i + 1].time_ms);
	span->last_ns = i + 1 < recording->n ? span->next_ns - 1 : span->first_ns;
}

static noreturn void refuse_gap(const struct recording *r, const struct span *span, uint64_t at_ns)
{
	char lost[64] = "what happened then was not recorded";

	if (span->n_lost)
		snprintf(lost, sizeof(lost), "%u events were lost", span->n_lost);
	if (span->next_ns == UINT64_MAX)
		die("%s: nothing is exact at %s: %s; the last exact moment is %s", r->dir, TIME_AT(at_ns), lost, TIME_AT(span->last_ns));
	die("%s: nothing is exact at %s: %s; the nearest exact moments are %s and %s", r->dir, TIME_AT(at_ns), lost,
	    TIME_AT(span->last_ns), TIME_AT(span->next_ns));
}

/**
 * recording_follow() - go through what happened after a snapshot, as far as it is known
 * @recording: the recording
 * @i: index into its list
 * @span: set to the moments that are known
 * @follower: told of each event
 *
 * Ends the program if it cannot be read, or is the text of a table.
 */
void recording_follow(const struct recording *recording, size_t i, struct span *span, const struct replay_follower *follower)
{
	const struct recorded *one = &recording->list[i], *after = i + 1 < recording->n ? one + 1 : NULL;
	struct text text, next = { 0 };
	AUTO(events_free) struct events events = { 0 };

	if (one->events)
		load_events(recording, i, &events, span);
	else
		recording_span(recording, i, span);
	read_unpacked(&text, one->snapshot);
	if (!snapshot_is(&text))
		die("%s: is the text of a table, which has no causes; a recording of snapshots is needed", one->snapshot);
	if (after)
		read_unpacked(&next, after->snapshot);
	replay_follow(&text, one->snapshot, &events, span->last_ns, snapshot_is(&next) ? &next : NULL,
		      after ? after->snapshot : NULL, follower);
	text_free(&next);
}

/* Events that are older than the copy are applied, too, so nothing that is younger may be missing. */
static void read_rebuilt(const struct recording *r, size_t i, uint64_t at_ns, bool is_end, struct text *text)
{
	AUTO(text_free) struct text next = { 0 };
	AUTO(events_free) struct events events;
	struct span span;

	load_events(r, i, &events, &span);
	if (at_ns > span.last_ns && span.has_gap && !is_end)
		refuse_gap(r, &span, at_ns);
	if (at_ns > span.last_ns) {
		at_ns = span.last_ns;
		if (is_end && span.has_gap)
			warn("%s: events were lost after %s; taking that moment", r->dir, TIME_AT(at_ns));
		else if (!is_end)
			warn("%s: the recording ends at %s; taking that moment", r->dir, TIME_AT(at_ns));
	}
	read_unpacked(text, r->list[i].snapshot);
	if (i + 1 < r->n)
		read_unpacked(&next, r->list[i + 1].snapshot);
	replay(text, r->list[i].snapshot, &events, at_ns, snapshot_is(&next) ? &next : NULL,
	       i + 1 < r->n ? r->list[i + 1].snapshot : NULL);
}

static uint64_t absolute(const struct recording *r, const struct moment *moment)
{
	uint64_t begin = ns_of(r->list[0].time_ms);

	if (!moment->is_relative || moment->ns == UINT64_MAX)
		return moment->ns;
	return moment->ns > UINT64_MAX - 1 - begin ? UINT64_MAX - 1 : begin + moment->ns;
}

/* Return: the index of the last snapshot that is not younger, plus one; 0: there is none. */
static size_t find_before(const struct recording *r, uint64_t at_ns)
{
	size_t i = r->n;

	while (i && ns_of(r->list[i - 1].time_ms) > at_ns)
		i--;
	return i;
}

/**
 * recording_before() - find the snapshot that a moment is rebuilt from
 * @recording: the recording
 * @moment: when
 *
 * Return: the last one that is not younger, or NULL.
 */
const struct recorded *recording_before(const struct recording *recording, const struct moment *moment)
{
	size_t i = find_before(recording, absolute(recording, moment));

	return i ? &recording->list[i - 1] : NULL;
}

static noreturn void refuse_early(const struct recording *r, uint64_t at_ns)
{
	die("%s: the recording begins at %s; expected no moment before that, such as %s", r->dir,
	    TIME_AT(ns_of(r->list[0].time_ms)), TIME_AT(at_ns));
}

/**
 * recording_snapshot() - find the snapshot before a moment
 * @dir: folder of the recording
 * @moment: when
 *
 * Ends the program if the moment is before the beginning.
 *
 * Return: its path; to be freed.
 */
char *recording_snapshot(const char *dir, const struct moment *moment)
{
	const struct recorded *found;
	AUTO(recording_close) struct recording recording;

	recording_open(&recording, dir);
	found = recording_before(&recording, moment);
	if (!found)
		refuse_early(&recording, absolute(&recording, moment));
	return xasprintf("%s", found->snapshot);
}

/**
 * recording_read() - rebuild the snapshot of a moment
 * @recording: the recording
 * @moment: when
 * @text: the result: a binary snapshot, or the text of a table, unpacked; to be freed with text_free()
 *
 * Ends the program if the moment is before the beginning, or where events were lost: then the message has the
 * nearest moments that are exact. After the end, that of the end is read, with a message.
 */
void recording_read(const struct recording *recording, const struct moment *moment, struct text *text)
{
	uint64_t at_ns = absolute(recording, moment);
	size_t i = find_before(recording, at_ns);

	if (!i)
		refuse_early(recording, at_ns);
	i--;
	if (!recording->list[i].events && i + 1 == recording->n && at_ns != UINT64_MAX && at_ns > ns_of(recording->list[i].time_ms))
		warn("%s: the last change recorded is at %s; taking that moment", recording->dir,
		     TIME_AT(ns_of(recording->list[i].time_ms)));
	if (recording->list[i].events)
		read_rebuilt(recording, i, at_ns, at_ns == UINT64_MAX, text);
	else
		read_unpacked(text, recording->list[i].snapshot);
}
