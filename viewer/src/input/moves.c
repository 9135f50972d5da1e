// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: a recording with events -> how soon garbage collection has moved what was written, and who wrote it.
 *
 * The replay's files begin anew with each snapshot, and its extents continue over what was written at several times. So the
 * times are kept beside them, of blocks that an event has placed. Times are in whole seconds.
 */

#include "input/moves.h"
#include "input/replay_state.h"
#include "module/format/cause.h"

const uint32_t moves_ages[N_MOVES_AGES - 1] = {
	1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 21600, 86400,
};

/**
 * struct dated - blocks of a file that were written together
 * @lblk: the first one
 * @len: number of blocks
 * @writer: index of the process
 * @written_s: when, unless the writer is %MOVES_EARLIER
 * @moved_s: when collection moved them last; 0: it has not
 */
struct dated {
	uint32_t lblk, len, writer, written_s, moved_s;
};

/* The blocks of a file whose time is known, by @lblk. */
struct dated_file {
	struct dated *list;
	size_t n, cap;
};

/* What is kept while events are read: files by device and inode number. */
struct dating {
	struct moves *moves;
	struct dated_file *files;
	size_t n_files, cap_files, cap_writers;
	struct inodes inodes;
};

/* === Blocks with their times === */

static uint32_t dated_end(const struct dated *d)
{
	return d->lblk + d->len;
}

static void insert(struct dated_file *f, size_t i, struct dated d)
{
	f->list = grow(f->list, &f->cap, f->n, sizeof(d));
	memmove(f->list + i + 1, f->list + i, (f->n - i) * sizeof(d));
	f->list[i] = d;
	f->n++;
}

/* Let an entry end at a block. Return: the index of the first one that begins there, or later. */
static size_t split(struct dated_file *f, uint32_t lblk)
{
	size_t low = 0, high = f->n;
	struct dated rest;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (dated_end(&f->list[mid]) > lblk)
			high = mid;
		else
			low = mid + 1;
	}
	if (low == f->n || f->list[low].lblk >= lblk)
		return low;
	rest = f->list[low];
	rest.len = dated_end(&rest) - lblk;
	rest.lblk = lblk;
	f->list[low].len -= rest.len;
	insert(f, low + 1, rest);
	return low + 1;
}

/* Nothing is known of a range. Return: where an entry in it belongs. */
static size_t forget(struct dated_file *f, uint32_t lblk, uint32_t end)
{
	size_t from = split(f, lblk), to = split(f, end);

	if (to > from)
		memmove(f->list + from, f->list + to, (f->n - to) * sizeof(*f->list));
	f->n -= to - from;
	return from;
}

/* Merge the entries up to @to with that before @from, where they differ in the range only. */
static void merge(struct dated_file *f, size_t from, size_t to)
{
	size_t kept = from ? from - 1 : 0, i;

	for (i = kept + 1; i <= to && i < f->n; i++) {
		struct dated *a = &f->list[kept], *b = &f->list[i];

		if (dated_end(a) == b->lblk && a->writer == b->writer && a->written_s == b->written_s && a->moved_s == b->moved_s)
			a->len += b->len;
		else
			f->list[++kept] = *b;
	}
	if (i <= kept + 1)
		return;
	memmove(f->list + kept + 1, f->list + i, (f->n - i) * sizeof(*f->list));
	f->n -= i - kept - 1;
}

/* === What happens === */

/* The index of the process that an event has. */
static uint32_t writer_of(struct dating *d, const struct event *e)
{
	struct moves *m = d->moves;
	size_t i;

	for (i = m->n; i-- > MOVES_N_FIXED;)
		if (m->writers[i].pid == e->pid && !strncmp(m->writers[i].comm, e->comm, EVENT_COMM))
			return (uint32_t)i;
	if (m->n == MOVES_N_FIXED + MOVES_MAX_WRITERS)
		return MOVES_OTHERS;
	m->writers = grow(m->writers, &d->cap_writers, m->n, sizeof(*m->writers));
	m->writers[m->n] = (struct moves_writer){ .pid = e->pid };
	memcpy(m->writers[m->n].comm, e->comm, EVENT_COMM);
	return (uint32_t)m->n++;
}

static void on_write(struct dating *d, struct dated_file *f, const struct event *e, uint32_t now_s)
{
	uint32_t writer = writer_of(d, e);
	size_t i = forget(f, e->offset, e->offset + e->length);

	d->moves->writers[writer].written += e->length;
	insert(f, i, (struct dated){ .lblk = e->offset, .len = e->length, .writer = writer, .written_s = now_s });
	merge(f, i, i + 1);
}

static uint32_t since(uint32_t then_s, uint32_t now_s)
{
	return now_s > then_s ? now_s - then_s : 0;
}

static void count_move(struct moves_writer *w, const struct dated *b, uint32_t now_s)
{
	size_t age = 0;

	w->moves += b->len;
	if (b->moved_s) {
		w->again += since(b->moved_s, now_s) < MOVES_CIRCLE_S ? b->len : 0;
		return;
	}
	while (age < N_MOVES_AGES - 1 && since(b->written_s, now_s) >= moves_ages[age])
		age++;
	w->moved += b->len;
	if (b->writer != MOVES_EARLIER)
		w->ages[age] += b->len;
}

/* What has no entry was written before. */
static void on_move(struct dating *d, struct dated_file *f, const struct event *e, uint32_t now_s)
{
	uint32_t lblk = e->offset, end = e->offset + e->length;
	size_t from = split(f, lblk), i;

	split(f, end);
	for (i = from; lblk < end; i++) {
		if (i == f->n || f->list[i].lblk > lblk) {
			uint32_t stop = i < f->n && f->list[i].lblk < end ? f->list[i].lblk : end;

			insert(f, i, (struct dated){ .lblk = lblk, .len = stop - lblk, .writer = MOVES_EARLIER });
		}
		count_move(&d->moves->writers[f->list[i].writer], &f->list[i], now_s);
		f->list[i].moved_s = now_s;
		lblk = dated_end(&f->list[i]);
	}
	merge(f, from, i);
}

static void on_placed(struct dating *d, struct dated_file *f, const struct event *e, uint32_t now_s)
{
	switch ((enum ft_op)e->op) {
	case FT_OP_GC_BG:
	case FT_OP_GC_FG:
		on_move(d, f, e, now_s);
		break;
	/* it may be older, or come from another place in the file */
	case FT_OP_UNKNOWN:
	case FT_OP_RANGE:
	case FT_OP_DEFRAG:
		forget(f, e->offset, e->offset + e->length);
		break;
	default:
		on_write(d, f, e, now_s);
	}
}

static struct dated_file *file_at(struct dating *d, const struct event *e)
{
	uint32_t *index = inodes_at(&d->inodes, e->dev, e->ino);

	if (!*index) {
		*APPEND(d->files, d->n_files, d->cap_files) = (struct dated_file){ 0 };
		*index = (uint32_t)d->n_files;
	}
	return &d->files[*index - 1];
}

static void on_event(void *arg, struct replay_state *s, const struct event *e)
{
	struct dating *d = arg;
	struct dated_file *f;

	replay_apply(s, e);
	if (replay_volume_at(s, e->dev) == s->table.n_volumes)
		return;
	f = file_at(d, e);
	switch ((enum event_kind)e->kind) {
	case EVENT_PLACED:
		on_placed(d, f, e, (uint32_t)(e->time_ns / NSEC_PER_SEC));
		break;
	case EVENT_HOLE:
		forget(f, e->offset, e->offset + e->length);
		break;
	case EVENT_UNKNOWN:
	case EVENT_NEW:
	case EVENT_LEFT_OUT:
	case EVENT_GONE:
		free(f->list);
		*f = (struct dated_file){ 0 };
		break;
	case EVENT_UNWRITTEN:
	case EVENT_EXACT:
	case EVENT_STALE:
	case EVENT_NR_KINDS:
		break;
	}
}

static void forget_all(struct dating *d)
{
	for (size_t i = 0; i < d->n_files; i++)
		free(d->files[i].list);
	free(d->files);
	inodes_free(&d->inodes);
	d->files = NULL;
	d->n_files = d->cap_files = 0;
}

/* === The whole === */

static int by_moved(const void *a, const void *b)
{
	const struct moves_writer *x = a, *y = b;

	return FIRST(ORDER(y->moved, x->moved), FIRST(ORDER(y->written, x->written), FIRST(ORDER(x->pid, y->pid), strcmp(x->comm, y->comm))));
}

/**
 * moves_read() - find out what garbage collection has moved
 * @moves: the result; to be freed with moves_free()
 * @recording: the recording
 *
 * What was written before a gap counts as if it were older than the recording. Ends the program if there are no events, or the
 * recording cannot be read.
 */
void moves_read(struct moves *moves, const struct recording *recording)
{
	AUTO(forget_all) struct dating d = { .moves = moves, .cap_writers = MOVES_N_FIXED };
	const struct replay_follower follower = { .event = on_event, .arg = &d };
	bool has_events = false;

	*moves = (struct moves){ .writers = xcalloc(MOVES_N_FIXED, sizeof(*moves->writers)), .n = MOVES_N_FIXED };
	for (size_t i = 0; i < recording->n; i++) {
		bool is_known = recording->list[i].events;
		struct span span;

		recording_follow(recording, i, &span, &follower);
		if (!i)
			moves->first_ns = span.first_ns;
		moves->last_ns = span.last_ns;
		moves->known_ns += is_known ? span.last_ns - span.first_ns : 0;
		has_events |= is_known;
		if (is_known && !span.has_gap)
			continue;
		moves->n_gaps++;
		moves->n_lost += is_known ? span.n_lost : 0;
		forget_all(&d);
	}
	if (!has_events)
		die("%s: has no events; expected a folder that fragtrace record --events wrote (or, of why collections ran, a file gc_runs)", recording->dir);
	sort(moves->writers + MOVES_N_FIXED, moves->n - MOVES_N_FIXED, sizeof(*moves->writers), by_moved);
}

/**
 * moves_free() - release what moves_read() has found
 * @moves: as left by it
 */
void moves_free(struct moves *moves)
{
	free(moves->writers);
	*moves = (struct moves){ 0 };
}
