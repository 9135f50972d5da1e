// SPDX-License-Identifier: GPL-2.0-only
/*
 * Before the pipeline: a snapshot and the events after it -> the snapshot of a later moment.
 *
 * The rules are those of module/FORMATS.md: an event sets the blocks of a range, so an event that is older than
 * the copy does no harm if all later ones follow.
 *
 * Names are in snapshots only. A file that came after the snapshot has the name that the next one has for it, or
 * "(inode N)".
 */

#include "input/replay.h"
#include "input/replay_state.h"
#include "input/snapshot.h"

/* === The snapshot before === */

static void load_writers(struct replay_state *s)
{
	const struct table *t = &s->table;
	struct ft_snap_header h;

	s->n_writers = t->n_writers > 2 ? t->n_writers : 2;
	s->cap_writers = s->n_writers * 2;
	s->writers = xcalloc(s->cap_writers, sizeof(*s->writers));
	s->cgroups = xcalloc(s->cap_writers, sizeof(*s->cgroups));
	if (!t->n_writers)
		return;
	/* snapshot_parse() has checked that they are there */
	memcpy(&h, t->text.buf, sizeof(h));
	for (size_t i = 0; i < t->n_writers; i++) {
		memcpy(&s->writers[i], t->text.buf + h.writers.offset + i * h.writers.size, sizeof(s->writers[i]));
		if (t->writers[i].cgroup)
			s->cgroups[i] = xasprintf("%s", t->writers[i].cgroup);
	}
}

/* The path as the snapshot has it. */
static char *full_path(const struct table *t, const struct listed_file *file)
{
	bool is_deleted = file->file != NO_FILE && t->files[file->file].deleted;

	return xasprintf("%s%s", file->path, is_deleted ? DELETED_MARK : "");
}

static void load(struct replay_state *s, struct text *snapshot, const char *name)
{
	AUTO(listing_free) struct listing list;

	*s = (struct replay_state){ .name = name };
	snapshot_parse(&s->table, name, snapshot);
	snapshot_list(&list, &s->table, name);
	s->copied_ns = (uint64_t)s->table.text.time_ms * 1000000;
	load_writers(s);
	for (size_t i = 0; i < list.n_files; i++) {
		struct changing *f = replay_file_at(s, list.files[i].volume, list.files[i].ino);

		f->path = full_path(&s->table, &list.files[i]);
		f->is_stale = list.files[i].is_stale;
		f->is_omitted = list.files[i].is_omitted;
	}
	for (size_t i = 0; i < list.n_extents; i++) {
		const struct listed_extent *from = &list.extents[i];
		const struct listed_file *file = &list.files[from->file];
		struct changing *f = replay_file_at(s, file->volume, file->ino);

		if (f->n && end_of(&f->ext[f->n - 1]) > from->offset)
			die("%s: the extents of inode %u are not sorted", name, f->ino);
		replay_append(f, (struct ft_snap_extent){
			.lblk = from->offset, .len = from->blks, .lba = from->is_written ? from->lba : FT_SNAP_UNWRITTEN,
			.flags = from->is_encoded ? FT_SNAP_ENCODED : 0, .cause = from->cause });
	}
}

/* === Names of the snapshot after === */

/* A file that ends before the next snapshot is not the one that has its inode number there. */
static void forget_later(struct replay_state *s, const struct events *events, size_t i, struct inodes *ended)
{
	for (; i < events->n; i++) {
		const struct event *e = &events->list[i];

		if (e->kind == EVENT_GONE || e->kind == EVENT_NEW)
			*inodes_at(ended, replay_volume_at(s, e->dev), e->ino) = 1;
	}
}

static void name_files(struct replay_state *s, const struct events *events, size_t i, struct text *next, const char *name)
{
	AUTO(inodes_free) struct inodes ended = { 0 };
	AUTO(listing_free) struct listing list;
	AUTO(table_free) struct table t;

	forget_later(s, events, i, &ended);
	snapshot_parse(&t, name, next);
	snapshot_list(&list, &t, name);
	for (i = 0; i < list.n_files; i++) {
		const struct volume *v = &t.volumes[list.files[i].volume];
		uint32_t volume = replay_volume_at(s, (uint32_t)v->major << DEV_SHIFT | v->minor);
		uint32_t *has_ended = inodes_at(&ended, volume, list.files[i].ino);
		size_t known = s->n_files;
		struct changing *f = replay_file_at(s, volume, list.files[i].ino);

		/* it came later */
		if (s->n_files > known)
			f->is_gone = true;
		if (!*has_ended && !f->path)
			f->path = full_path(&t, &list.files[i]);
		*has_ended = 1;
	}
}

static void release(struct replay_state *s)
{
	for (size_t i = 0; i < s->n_files; i++) {
		free(s->files[i].path);
		free(s->files[i].ext);
	}
	for (size_t i = 0; i < s->n_writers; i++)
		free(s->cgroups[i]);
	free(s->files);
	free(s->writers);
	free(s->cgroups);
	inodes_free(&s->inodes);
	table_free(&s->table);
}

/**
 * replay_follow() - go through what happened after a snapshot
 * @snapshot: a binary snapshot, unpacked; taken over
 * @name: its name for messages
 * @events: all events from a moment before it was copied on, without a gap, in their order
 * @until_ns: the last moment
 * @next: the snapshot that follows, for names; unpacked, taken over; NULL: there is none
 * @next_name: its name for messages
 * @follower: told of each event
 *
 * Ends the program if a snapshot does not match the format.
 */
void replay_follow(struct text *snapshot, const char *name, const struct events *events, uint64_t until_ns,
		   struct text *next, const char *next_name, const struct replay_follower *follower)
{
	struct replay_state s;
	size_t i;

	load(&s, snapshot, name);
	for (i = 0; i < events->n && events->list[i].time_ns < s.copied_ns; i++)
		replay_apply(&s, &events->list[i]);
	if (follower->begin)
		follower->begin(follower->arg, &s);
	for (; i < events->n && events->list[i].time_ns <= until_ns; i++)
		follower->event(follower->arg, &s, &events->list[i]);
	if (next)
		name_files(&s, events, i, next, next_name);
	if (follower->end)
		follower->end(follower->arg, &s);
	release(&s);
}

/**
 * replay() - change a snapshot into that of a later moment
 * @snapshot: a binary snapshot, unpacked; replaced
 * @name: its name for messages
 * @events: all events from a moment before it was copied on, without a gap, in their order
 * @at_ns: the moment, not before the copy was complete
 * @next: the snapshot that follows, for names; unpacked, taken over; NULL: there is none
 * @next_name: its name for messages
 *
 * Ends the program if a snapshot does not match the format.
 */
void replay(struct text *snapshot, const char *name, const struct events *events, uint64_t at_ns, struct text *next,
	    const char *next_name)
{
	struct replay_state s;
	size_t i;

	load(&s, snapshot, name);
	for (i = 0; i < events->n && events->list[i].time_ns <= at_ns; i++)
		replay_apply(&s, &events->list[i]);
	if (next)
		name_files(&s, events, i, next, next_name);
	replay_compose(snapshot, &s, at_ns);
	release(&s);
}
