// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: a recording in the trace-event format, which ui.perfetto.dev and chrome://tracing open.
 *
 *	a process	a volume
 *	a thread	a file that was fragmented while it was recorded: a slice as long as it is there, an instant for each
 *			break that was made, with its cause and its process
 *	a counter	the breaks of all files of a volume
 *
 * Where events were lost, or nothing was recorded, the process "fragtrace" has a slice. Times are in microseconds since 1970.
 */

#include "input/recording.h"
#include "input/replay_state.h"
#include "model/causes.h"
#include "outfile.h"
#include "output/json.h"
#include "output/perfetto.h"

#define NS_PER_US 1000

/* The process that stands for the recording; those after it are volumes. */
#define RECORDING_PID 1

/* In place of the thread of a file that is no more. */
#define ENDED UINT32_MAX

/**
 * struct track - a file that has a thread
 * @path: its path; NULL: not known yet
 * @volume: index of its volume
 * @ino: its inode number
 * @first_ns: since when it is there, as far as it is known
 * @last_ns: until when; 0: it still is
 * @n_breaks: breaks that were made
 */
struct track {
	char *path;
	size_t volume;
	uint32_t ino;
	uint64_t first_ns;
	uint64_t last_ns;
	size_t n_breaks;
};

/* By device number: the process, and the breaks of all files. */
struct traced_volume {
	uint32_t dev;
	uint64_t n_breaks;
};

/* What is written, and which break is being written: of which file, when, and with which files. */
struct trace {
	struct json json;
	struct traced_volume *volumes;
	size_t n_volumes;
	size_t cap_volumes;
	struct track *tracks;
	size_t n_tracks;
	size_t cap_tracks;
	struct inodes current;
	uint64_t begin_ns;
	const struct replay_state *state;
	const struct changing *file;
	uint64_t now_ns;
};

/* === Events of the format === */

/* Begin an event that ends at the end of this block. */
#define TRACE_EVENT(json, ...) AUTO(json_leave) struct json *event = begin_event(json, __VA_ARGS__)

static struct json *begin_event(struct json *json, const char *kind, uint64_t pid, uint64_t tid, uint64_t at_ns)
{
	json_line(json);
	json_object(json, NULL);
	json_text(json, "ph", kind);
	json_number(json, "pid", pid);
	json_number(json, "tid", tid);
	json_number(json, "ts", at_ns / NS_PER_US);
	return json;
}

static void put_name(struct json *json, const char *what, uint64_t pid, uint64_t tid, const char *name)
{
	TRACE_EVENT(json, "M", pid, tid, 0);
	json_text(json, "name", what);
	JSON_OBJECT(json, "args");
	json_name(json, "name", name);
}

static void put_counter(struct json *json, size_t volume, uint64_t at_ns, uint64_t n)
{
	TRACE_EVENT(json, "C", RECORDING_PID + 1 + volume, 0, at_ns);
	json_text(json, "name", "breaks");
	JSON_OBJECT(json, "args");
	json_number(json, "breaks", n);
}

/* === Volumes and files === */

static size_t volume_at(struct trace *t, const struct volume *v)
{
	uint32_t dev = (uint32_t)v->major << DEV_SHIFT | v->minor;
	size_t i;

	for (i = 0; i < t->n_volumes; i++)
		if (t->volumes[i].dev == dev)
			return i;
	*APPEND(t->volumes, t->n_volumes, t->cap_volumes) = (struct traced_volume){ .dev = dev };
	AUTO_FREE char *name = xasprintf("%s (%u:%u)", v->path, v->major, v->minor);
	put_name(&t->json, "process_name", RECORDING_PID + 1 + i, 0, name);
	return i;
}

static void name_track(struct track *track, const char *path)
{
	if (!track->path && path)
		track->path = xasprintf("%s", path);
}

/* The thread of a file, if it has one; otherwise 0. */
static uint32_t tid_of(struct trace *t, const struct replay_state *s, const struct changing *f)
{
	uint32_t tid = inodes_find(&t->current, (uint32_t)volume_at(t, &s->table.volumes[f->volume]), f->ino);

	return tid == ENDED ? 0 : tid;
}

static struct track *track_of(struct trace *t, const struct replay_state *s, const struct changing *f, uint32_t *tid, uint64_t first_ns)
{
	size_t volume = volume_at(t, &s->table.volumes[f->volume]);
	uint32_t *found = inodes_at(&t->current, (uint32_t)volume, f->ino);

	if (!*found || *found == ENDED) {
		*APPEND(t->tracks, t->n_tracks, t->cap_tracks) = (struct track){ .volume = volume, .ino = f->ino, .first_ns = first_ns };
		*found = (uint32_t)t->n_tracks;
	}
	*tid = *found;
	name_track(&t->tracks[*found - 1], f->path);
	return &t->tracks[*found - 1];
}

/* === What happens === */

static void put_break(void *arg, uint32_t last_lba, const struct ft_snap_extent *x)
{
	uint32_t cause = ft_cause_why(x->cause) == FT_WHY_NONE ? x->cause | FT_CAUSE_UNKNOWN : x->cause, tid;
	struct trace *t = arg;
	struct track *track = track_of(t, t->state, t->file, &tid, t->begin_ns);
	const struct ft_snap_writer *w = &t->state->writers[ft_cause_writer(cause)];
	struct json *json = &t->json;

	track->n_breaks++;
	TRACE_EVENT(json, "i", RECORDING_PID + 1 + track->volume, tid, t->now_ns);
	json_text(json, "s", "t");
	json_text(json, "cat", "break");
	json_text(json, "name", cause_op_name(cause));
	JSON_OBJECT(json, "args");
	json_text(json, "flush", cause_flush_name(cause));
	json_text(json, "why_here", cause_why_name(cause));
	if (ft_cause_writer(cause) == FT_SNAP_WRITER_UNKNOWN || ft_cause_writer(cause) == FT_SNAP_WRITER_SEVERAL) {
		json_text(json, "process", ft_cause_writer(cause) == FT_SNAP_WRITER_SEVERAL ? "several" : "unknown");
	} else {
		AUTO_FREE char *process = xasprintf("%.*s:%u", (int)sizeof(w->comm), w->comm, w->pid);

		json_name(json, "process", process);
	}
	json_number(json, "offset", x->lblk);
	json_number(json, "lba", x->lba);
	json_number(json, "last_lba", last_lba);
}

static void on_begin(void *arg, const struct replay_state *s)
{
	struct trace *t = arg;
	size_t volume;

	for (size_t i = 0; i < t->n_volumes; i++)
		t->volumes[i].n_breaks = 0;
	for (size_t i = 0; i < s->n_files; i++) {
		volume = volume_at(t, &s->table.volumes[s->files[i].volume]);
		t->volumes[volume].n_breaks += replay_breaks(&s->files[i], 0, UINT32_MAX, NULL, NULL);
	}
	for (size_t i = 0; i < t->n_volumes; i++)
		put_counter(&t->json, i, s->copied_ns, t->volumes[i].n_breaks);
}

/* The file is another one from now on, or none. */
static void end_track(struct trace *t, const struct replay_state *s, const struct changing *f, uint64_t at_ns)
{
	uint32_t tid = tid_of(t, s, f);

	if (!tid)
		return;
	t->tracks[tid - 1].last_ns = at_ns;
	*inodes_at(&t->current, (uint32_t)t->tracks[tid - 1].volume, f->ino) = ENDED;
}

static void on_event(void *arg, struct replay_state *s, const struct event *e)
{
	bool is_whole = e->kind > EVENT_UNKNOWN, has_changed;
	uint32_t first = is_whole ? 0 : e->offset, end = is_whole ? UINT32_MAX : e->offset + e->length;
	uint32_t volume = replay_volume_at(s, e->dev), tid;
	struct trace *t = arg;
	struct changing *f;
	uint64_t before;
	size_t i;

	if (volume == s->table.n_volumes) {
		replay_apply(s, e);
		return;
	}
	f = replay_file_at(s, volume, e->ino);
	before = replay_breaks(f, first, end, NULL, NULL);
	if (e->kind == EVENT_NEW || e->kind == EVENT_GONE)
		end_track(t, s, f, e->time_ns);
	has_changed = replay_apply(s, e);
	if (e->kind == EVENT_NEW)
		track_of(t, s, f, &tid, e->time_ns);
	t->state = s;
	t->file = f;
	t->now_ns = e->time_ns;
	i = volume_at(t, &s->table.volumes[volume]);
	t->volumes[i].n_breaks += replay_breaks(f, first, end, has_changed && !is_whole ? put_break : NULL, t) - before;
	if (has_changed)
		put_counter(&t->json, i, e->time_ns, t->volumes[i].n_breaks);
}

static void on_end(void *arg, const struct replay_state *s)
{
	struct trace *t = arg;

	for (size_t i = 0; i < s->n_files; i++) {
		/* the next snapshot may have another volume */
		uint32_t tid = s->files[i].volume < s->table.n_volumes ? tid_of(t, s, &s->files[i]) : 0;

		if (tid)
			name_track(&t->tracks[tid - 1], s->files[i].path);
	}
}

/* === The whole === */

static void put_gap(struct json *json, const struct span *span)
{
	if (!span->has_gap || span->next_ns == UINT64_MAX)
		return;
	TRACE_EVENT(json, "X", RECORDING_PID, 0, span->last_ns);
	json_number(json, "dur", (span->next_ns - span->last_ns) / NS_PER_US);
	json_text(json, "name", span->n_lost ? "events were lost" : "not recorded");
	JSON_OBJECT(json, "args");
	json_maybe(json, "lost", span->n_lost, span->n_lost);
}

static void put_tracks(struct trace *t, uint64_t end_ns)
{
	struct json *json = &t->json;

	for (size_t i = 0; i < t->n_tracks; i++) {
		const struct track *track = &t->tracks[i];
		uint64_t last_ns = track->last_ns ? track->last_ns : end_ns, pid = RECORDING_PID + 1 + track->volume;

		if (!track->n_breaks)
			continue;
		AUTO_FREE char *path = track->path ? xasprintf("%s", track->path) : xasprintf("(inode %u)", track->ino);

		put_name(json, "thread_name", pid, i + 1, path);
		TRACE_EVENT(json, "X", pid, i + 1, track->first_ns);
		json_number(json, "dur", (last_ns - track->first_ns) / NS_PER_US);
		json_text(json, "cat", "file");
		json_name(json, "name", path);
		JSON_OBJECT(json, "args");
		json_number(json, "inode", track->ino);
		json_number(json, "breaks", track->n_breaks);
	}
}

static void trace_free(struct trace *t)
{
	for (size_t i = 0; i < t->n_tracks; i++)
		free(t->tracks[i].path);
	free(t->tracks);
	free(t->volumes);
	inodes_free(&t->current);
}

/**
 * perfetto_put() - write a recording in the trace-event format
 * @arg: the path of the folder of the recording
 * @out: where it is written
 *
 * Ends the program if the recording cannot be read.
 */
void perfetto_put(const void *arg, FILE *out)
{
	AUTO(trace_free) struct trace t = { .json.file = out };
	const struct replay_follower follower = { on_begin, on_event, on_end, &t };
	AUTO(recording_close) struct recording recording;
	struct span span = { 0 };

	recording_open(&recording, arg);
	json_object(&t.json, NULL);
	json_text(&t.json, "displayTimeUnit", "ms");
	json_array(&t.json, "traceEvents");
	put_name(&t.json, "process_name", RECORDING_PID, 0, "fragtrace");
	t.begin_ns = (uint64_t)recording.list[0].time_ms * 1000 * NS_PER_US;
	for (size_t i = 0; i < recording.n; i++) {
		recording_follow(&recording, i, &span, &follower);
		put_gap(&t.json, &span);
	}
	put_tracks(&t, span.last_ns);
	json_line(&t.json);
	json_end_all(&t.json);
}

/**
 * perfetto_write() - write a recording in the trace-event format
 * @path: output file; "-" is standard output
 * @dir: the folder of the recording
 *
 * Ends the program if it cannot be read or written.
 */
void perfetto_write(const char *path, const char *dir)
{
	struct outfile out;

	outfile_open(&out, path, "trace");
	perfetto_put(dir, out.file);
	outfile_close(&out);
}
