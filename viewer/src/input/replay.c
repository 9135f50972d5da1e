// SPDX-License-Identifier: GPL-2.0-only
/*
 * Before the pipeline: a snapshot and the events after it -> the snapshot of a later moment.
 *
 * The rules are those of module/README.md: an event sets the blocks of a range, so an event that is older than
 * the copy does no harm if all later ones follow. fragsnap/replay.py has the same rules.
 *
 * Names are in snapshots only. A file that came after the snapshot has the name that the next one has for it, or
 * "(inode N)". Causes follow the module's rules as far as events have them; else they are unknown.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "input/inodes.h"
#include "input/replay.h"
#include "input/snapshot.h"
#include "module/cause.h"
#include "module/snapshot_format.h"

#define DEV_SHIFT 20
#define DEV_MINOR_MASK ((1u << DEV_SHIFT) - 1)
/* Blocks of a request of 128 KiB, as in the module. */
#define REQUEST_BLKS 32

/* A file that is being changed. */
struct changing {
	struct ft_snap_extent *ext;	/* by lblk, none can be merged with the next */
	size_t n, cap;
	char *path;			/* NULL: not known yet */
	uint32_t volume;
	uint32_t ino;
	bool is_stale;
	bool is_unknown;		/* an event said so: stale whatever follows */
	bool is_omitted;
	bool is_gone;
};

struct state {
	struct table table;
	const char *name;
	uint64_t copied_ns;
	struct changing *files;
	size_t n_files, cap_files;
	struct inodes inodes;		/* index into files plus one */
	struct ft_snap_writer *writers;
	char **cgroups;			/* by writer: of the snapshot, or NULL */
	size_t n_writers, cap_writers;
	bool foreign_was_said;
};

/* === The extents of a file === */

static uint32_t end_of(const struct ft_snap_extent *x)
{
	return x->lblk + x->len;
}

static bool is_written(const struct ft_snap_extent *x)
{
	return x->lba != FT_SNAP_UNWRITTEN;
}

/* The first extent that ends after a block. */
static size_t first_after(const struct changing *f, uint32_t lblk)
{
	size_t low = 0, high = f->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (end_of(&f->ext[mid]) > lblk)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static void insert_at(struct changing *f, size_t i, struct ft_snap_extent x)
{
	f->ext = grow(f->ext, &f->cap, f->n, sizeof(x));
	memmove(f->ext + i + 1, f->ext + i, (f->n - i) * sizeof(x));
	f->ext[i] = x;
	f->n++;
}

static void remove_at(struct changing *f, size_t i, size_t n)
{
	if (!n)
		return;
	memmove(f->ext + i, f->ext + i + n, (f->n - i - n) * sizeof(*f->ext));
	f->n -= n;
}

/* The part of an extent from a block on. */
static struct ft_snap_extent rest_of(struct ft_snap_extent x, uint32_t lblk)
{
	if (is_written(&x))
		x.lba += lblk - x.lblk;
	x.len = end_of(&x) - lblk;
	x.lblk = lblk;
	return x;
}

/* Make the range a hole. Return: where an extent in it belongs. */
static size_t cut(struct changing *f, uint32_t lblk, uint32_t end)
{
	size_t i = first_after(f, lblk), last;

	if (i < f->n && f->ext[i].lblk < lblk) {
		if (end_of(&f->ext[i]) > end)
			insert_at(f, i + 1, rest_of(f->ext[i], end));
		f->ext[i].len = lblk - f->ext[i].lblk;
		i++;
	}
	for (last = i; last < f->n && end_of(&f->ext[last]) <= end; last++)
		;
	if (last < f->n && f->ext[last].lblk < end)
		f->ext[last] = rest_of(f->ext[last], end);
	remove_at(f, i, last - i);
	return i;
}

static bool can_merge(const struct ft_snap_extent *a, const struct ft_snap_extent *b)
{
	if (end_of(a) != b->lblk || a->flags != b->flags || is_written(a) != is_written(b))
		return false;
	return !is_written(a) || a->lba + a->len == b->lba;
}

/* Merge the extent before an index with the one there, if they continue each other. */
static void merge_at(struct changing *f, size_t i)
{
	if (!i || i >= f->n || !can_merge(&f->ext[i - 1], &f->ext[i]))
		return;
	f->ext[i - 1].len += f->ext[i].len;
	remove_at(f, i, 1);
}

/* === Causes === */

/* The written extent before an index, or NULL. */
static struct ft_snap_extent *written_before(struct changing *f, size_t i)
{
	while (i--)
		if (is_written(&f->ext[i]))
			return &f->ext[i];
	return NULL;
}

static struct ft_snap_extent *written_from(struct changing *f, size_t i)
{
	for (; i < f->n; i++)
		if (is_written(&f->ext[i]))
			return &f->ext[i];
	return NULL;
}

/* The index of the process that an event has: the latest of its periods, or a new one. */
static uint32_t writer_of(struct state *s, const struct event *e, uint32_t volume)
{
	struct ft_snap_writer w = { .cgroup = FT_SNAP_NO_PATH, .pid = e->pid, .volume = volume };
	size_t i, same = 0;

	if (!e->pid)
		return memcmp(e->comm, "several", 8) ? FT_SNAP_WRITER_UNKNOWN : FT_SNAP_WRITER_SEVERAL;
	for (i = s->n_writers; i-- > FT_SNAP_WRITER_SEVERAL + 1;) {
		if (s->writers[i].pid == e->pid && s->writers[i].volume == volume &&
		    !strncmp(s->writers[i].comm, e->comm, EVENT_COMM)) {
			same = i;
			break;
		}
	}
	if (same)
		return (uint32_t)same;
	memcpy(w.comm, e->comm, sizeof(w.comm));
	w.first = w.last = e->time_ns / NSEC_PER_SEC;
	w.same_as = (uint32_t)s->n_writers;
	if (s->n_writers == s->cap_writers) {
		s->cap_writers *= 2;
		s->writers = xreallocarray(s->writers, s->cap_writers, sizeof(*s->writers));
		s->cgroups = xreallocarray(s->cgroups, s->cap_writers, sizeof(*s->cgroups));
	}
	s->cgroups[s->n_writers] = NULL;
	s->writers[s->n_writers] = w;
	return (uint32_t)s->n_writers++;
}

static uint32_t with_why(uint32_t word, enum ft_why why)
{
	return (word & ~FT_CAUSE_WHY_MASK) | (uint32_t)why << FT_CAUSE_WHY_SHIFT;
}

/* === Events === */

/* The LBA of a block, FT_SNAP_UNWRITTEN if it has none. */
static uint32_t lba_of(const struct changing *f, uint32_t lblk)
{
	size_t i = first_after(f, lblk);

	if (i == f->n || f->ext[i].lblk > lblk || !is_written(&f->ext[i]))
		return FT_SNAP_UNWRITTEN;
	return f->ext[i].lba + (lblk - f->ext[i].lblk);
}

/* Is the range where the event puts it? Then the copy is younger than the event, and has its causes, too. */
static bool is_there(const struct changing *f, const struct ft_snap_extent *x)
{
	size_t i = first_after(f, x->lblk);

	return i < f->n && f->ext[i].lblk <= x->lblk && end_of(&f->ext[i]) >= end_of(x) &&
	       f->ext[i].flags == x->flags && is_written(&f->ext[i]) &&
	       f->ext[i].lba + (x->lblk - f->ext[i].lblk) == x->lba;
}

/* The cause of the break after a range that was placed: the older of the two blocks is the later one. */
static void set_cause_behind(struct changing *f, size_t i, const struct ft_snap_extent *x, uint32_t old_last,
			     uint32_t word)
{
	struct ft_snap_extent *next = written_from(f, i);
	bool was_moved;

	if (!next || next->lba == x->lba + x->len)
		return;
	was_moved = old_last != FT_SNAP_UNWRITTEN || ft_cause_why(next->cause) == FT_WHY_MOVED;
	next->cause = with_why(word, was_moved ? FT_WHY_MOVED : FT_WHY_UNKNOWN);
}

static void store(struct state *s, struct changing *f, const struct event *e)
{
	struct ft_snap_extent x = { .lblk = e->offset, .len = e->length, .lba = e->lba,
				    .flags = e->encoded ? FT_SNAP_ENCODED : 0 };
	uint32_t word, old_last = lba_of(f, end_of(&x) - 1);
	const struct ft_snap_extent *prev;
	size_t i;

	if (is_there(f, &x))
		return;
	word = ft_cause(e->op, e->flush, e->why, writer_of(s, e, f->volume));
	i = cut(f, x.lblk, end_of(&x));
	prev = written_before(f, i);
	if (!prev)
		x.cause = with_why(word, FT_WHY_NONE);
	else
		x.cause = prev->lba + prev->len == x.lba ? prev->cause : word;
	set_cause_behind(f, i, &x, old_last, word);
	insert_at(f, i, x);
	merge_at(f, i + 1);
	merge_at(f, i);
}

static void erase(struct state *s, struct changing *f, const struct event *e)
{
	size_t i = first_after(f, e->offset);
	struct ft_snap_extent *prev, *next;

	if (i == f->n || f->ext[i].lblk >= e->offset + e->length)
		return;
	i = cut(f, e->offset, e->offset + e->length);
	prev = written_before(f, i);
	next = written_from(f, i);
	if (prev && next && next->lba != prev->lba + prev->len)
		next->cause = ft_cause(e->op, e->flush, FT_WHY_MOVED, writer_of(s, e, f->volume));
}

/* Holes become unwritten. */
static void reserve(struct changing *f, uint32_t lblk, uint32_t end)
{
	while (lblk < end) {
		size_t i = first_after(f, lblk);
		uint32_t stop = i < f->n && f->ext[i].lblk < end ? f->ext[i].lblk : end;

		if (stop > lblk) {
			insert_at(f, i, (struct ft_snap_extent){ .lblk = lblk, .len = stop - lblk,
								 .lba = FT_SNAP_UNWRITTEN });
			merge_at(f, i + 1);
			merge_at(f, i);
			lblk = stop;
		} else {
			lblk = end_of(&f->ext[i]);
		}
	}
}

/* Another file has the inode number from now on. A copy that is younger has its name. */
static void begin_anew(struct changing *f, bool is_after_copy)
{
	if (f->is_gone || is_after_copy)
		f->n = 0;
	if (is_after_copy) {
		free(f->path);
		f->path = NULL;
	}
	f->is_gone = f->is_stale = f->is_unknown = f->is_omitted = false;
}

static struct changing *file_at(struct state *s, uint32_t volume, uint32_t ino)
{
	uint32_t *index = inodes_at(&s->inodes, volume, ino);

	if (!*index) {
		s->files = grow(s->files, &s->cap_files, s->n_files, sizeof(*s->files));
		s->files[s->n_files] = (struct changing){ .volume = volume, .ino = ino };
		*index = (uint32_t)++s->n_files;
	}
	return &s->files[*index - 1];
}

/* The index of a volume, or n_volumes. */
static uint32_t volume_at(const struct state *s, uint32_t dev)
{
	uint32_t i;

	for (i = 0; i < s->table.n_volumes; i++)
		if (s->table.volumes[i].major == dev >> DEV_SHIFT && s->table.volumes[i].minor == (dev & DEV_MINOR_MASK))
			break;
	return i;
}

static void apply(struct state *s, const struct event *e)
{
	uint32_t volume = volume_at(s, e->dev);
	struct changing *f;

	if (volume == s->table.n_volumes) {
		if (!s->foreign_was_said)
			warn("%s: events of a volume %u:%u that it does not have are left out", s->name, e->dev >> DEV_SHIFT,
			     e->dev & DEV_MINOR_MASK);
		s->foreign_was_said = true;
		return;
	}
	f = file_at(s, volume, e->ino);
	switch ((enum event_kind)e->kind) {
	case EVENT_PLACED: store(s, f, e); break;
	case EVENT_HOLE: erase(s, f, e); break;
	case EVENT_UNWRITTEN: reserve(f, e->offset, e->offset + e->length); break;
	case EVENT_UNKNOWN: f->is_unknown = true; break;
	case EVENT_NEW: begin_anew(f, e->time_ns > s->copied_ns); break;
	case EVENT_EXACT: f->is_stale = false; break;
	case EVENT_STALE: f->is_stale = true; break;
	case EVENT_LEFT_OUT:
	case EVENT_GONE:
		f->n = 0;
		f->is_gone = e->kind == EVENT_GONE;
		f->is_omitted = !f->is_gone;
		break;
	case EVENT_NR_KINDS: break;
	}
}

/* === The snapshot before === */

static void load_writers(struct state *s)
{
	const struct table *t = &s->table;
	struct ft_snap_header h;
	size_t i;

	s->n_writers = t->n_writers > 2 ? t->n_writers : 2;
	s->cap_writers = s->n_writers * 2;
	s->writers = xcalloc(s->cap_writers, sizeof(*s->writers));
	s->cgroups = xcalloc(s->cap_writers, sizeof(*s->cgroups));
	if (!t->n_writers)
		return;
	/* snapshot_parse() has checked that they are there */
	memcpy(&h, t->text.buf, sizeof(h));
	for (i = 0; i < t->n_writers; i++) {
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

static void load(struct state *s, struct text *snapshot, const char *name)
{
	struct listing list;
	size_t i;

	*s = (struct state){ .name = name };
	snapshot_parse(&s->table, name, snapshot);
	snapshot_list(&list, &s->table, name);
	s->copied_ns = (uint64_t)s->table.text.time_ms * 1000000;
	load_writers(s);
	for (i = 0; i < list.n_files; i++) {
		struct changing *f = file_at(s, list.files[i].volume, list.files[i].ino);

		f->path = full_path(&s->table, &list.files[i]);
		f->is_stale = list.files[i].is_stale;
		f->is_omitted = list.files[i].is_omitted;
	}
	for (i = 0; i < list.n_extents; i++) {
		const struct listed_extent *from = &list.extents[i];
		const struct listed_file *file = &list.files[from->file];
		struct changing *f = file_at(s, file->volume, file->ino);

		if (f->n && end_of(&f->ext[f->n - 1]) > from->offset)
			die("%s: the extents of inode %u are not sorted", name, f->ino);
		insert_at(f, f->n, (struct ft_snap_extent){
			.lblk = from->offset, .len = from->blks, .lba = from->is_written ? from->lba : FT_SNAP_UNWRITTEN,
			.flags = from->is_encoded ? FT_SNAP_ENCODED : 0, .cause = from->cause });
		merge_at(f, f->n - 1);
	}
	listing_free(&list);
}

/* === Names of the snapshot after === */

/* A file that ends before the next snapshot is not the one that has its inode number there. */
static void forget_later(struct state *s, const struct events *events, size_t i, struct inodes *ended)
{
	for (; i < events->n; i++) {
		const struct event *e = &events->list[i];

		if (e->kind == EVENT_GONE || e->kind == EVENT_NEW)
			*inodes_at(ended, volume_at(s, e->dev), e->ino) = 1;
	}
}

static void name_files(struct state *s, const struct events *events, size_t i, struct text *next, const char *name)
{
	struct inodes ended = { 0 };
	struct listing list;
	struct table t;

	forget_later(s, events, i, &ended);
	snapshot_parse(&t, name, next);
	snapshot_list(&list, &t, name);
	for (i = 0; i < list.n_files; i++) {
		const struct volume *v = &t.volumes[list.files[i].volume];
		uint32_t volume = volume_at(s, (uint32_t)v->major << DEV_SHIFT | v->minor);
		uint32_t *has_ended = inodes_at(&ended, volume, list.files[i].ino);
		size_t known = s->n_files;
		struct changing *f = file_at(s, volume, list.files[i].ino);

		/* it came later */
		if (s->n_files > known)
			f->is_gone = true;
		if (!*has_ended && !f->path)
			f->path = full_path(&t, &list.files[i]);
		*has_ended = 1;
	}
	listing_free(&list);
	table_free(&t);
	inodes_free(&ended);
}

/* === The snapshot of the moment === */

static int by_inode(const void *a, const void *b)
{
	const struct changing *x = a, *y = b;

	if (x->volume != y->volume)
		return x->volume < y->volume ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

/* A file that nothing is known of is only the record of one; a name in the next snapshot alone makes none. */
static bool is_shown(const struct state *s, const struct changing *f)
{
	return f->volume < s->table.n_volumes && !f->is_gone && (f->path || f->n);
}

/* Drop what is not shown, and sort the rest. */
static void settle_files(struct state *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->n_files; i++) {
		struct changing *f = &s->files[i];

		if (is_shown(s, f)) {
			if (!f->path)
				f->path = xasprintf("(inode %u)", f->ino);
			s->files[n++] = *f;
		} else {
			free(f->path);
			free(f->ext);
		}
	}
	s->n_files = n;
	inodes_free(&s->inodes);
	if (n)
		qsort(s->files, n, sizeof(*s->files), by_inode);
}

/* As compute_figures() of the module. */
static void compute_figures(struct ft_snap_file *to, const struct changing *f)
{
	const struct ft_snap_extent *prev = NULL;
	uint32_t prev_window = 0;
	size_t i;

	for (i = 0; i < f->n; i++) {
		const struct ft_snap_extent *x = &f->ext[i];
		uint32_t window = x->lblk / REQUEST_BLKS, last = (end_of(x) - 1) / REQUEST_BLKS;
		uint32_t shared = prev && prev_window == window, end = prev ? prev->lba + prev->len : 0;
		bool is_new = !prev || x->lba != end;

		if (!is_written(x))
			continue;
		if (prev)
			to->distance += x->lba > end ? x->lba - end : end - x->lba;
		to->blocks += x->len;
		to->written++;
		to->fragments += is_new;
		to->ideal += last - window + 1 - shared;
		to->requests += last - window + 1 - (shared && !is_new);
		prev = x;
		prev_window = last;
	}
	if (to->fragments > 1)
		to->flags |= FT_SNAP_FRAGMENTED;
}

struct bytes {
	char *buf;
	size_t n, cap;
};

static void put(struct bytes *to, const void *data, size_t size)
{
	if (to->n + size + 1 > to->cap) {
		to->cap = (to->n + size + 1) * 2;
		to->buf = xreallocarray(to->buf, to->cap, 1);
	}
	memcpy(to->buf + to->n, data, size);
	to->n += size;
}

static uint64_t put_path(struct bytes *paths, const char *path)
{
	uint64_t at = paths->n;

	put(paths, path, strlen(path) + 1);
	return at;
}

/* A written extent by its address. */
struct by_lba {
	uint32_t volume;
	uint32_t lba;
	uint32_t len;
	uint32_t file;
	uint32_t index;
};

static int by_address(const void *a, const void *b)
{
	const struct by_lba *x = a, *y = b;

	if (x->volume != y->volume)
		return x->volume < y->volume ? -1 : 1;
	if (x->lba != y->lba)
		return x->lba < y->lba ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* A block that two files have has gone to another file: of the two, a stale file loses the extent, or else the first. */
static void put_by_lba(struct bytes *to, struct by_lba *all, size_t n, struct ft_snap_file *files)
{
	struct by_lba *last = NULL;
	size_t i, kept = 0;

	qsort(all, n, sizeof(*all), by_address);
	for (i = 0; i < n; i++) {
		if (last && last->volume == all[i].volume && all[i].lba < last->lba + last->len) {
			bool loses = files[all[i].file].flags & FT_SNAP_STALE;

			files[loses ? all[i].file : last->file].flags |= FT_SNAP_STALE;
			if (!loses)
				*last = all[i];
			continue;
		}
		all[kept] = all[i];
		last = &all[kept++];
	}
	for (i = 0; i < kept; i++)
		put(to, &all[i].index, sizeof(all[i].index));
}

static void put_volumes(struct bytes *to, struct bytes *paths, const struct table *t)
{
	size_t i;

	for (i = 0; i < t->n_volumes; i++) {
		const struct volume *v = &t->volumes[i];
		struct ft_snap_volume out = {
			.path = put_path(paths, v->path),
			.major = v->major,
			.minor = v->minor,
			.main_blkaddr = (uint32_t)v->first_blk,
			.blocks = (uint32_t)v->end_blk,
			.segment_blocks = (uint32_t)v->segment_blks,
			.flags = v->stopped ? FT_SNAP_STOPPED : 0,
		};

		put(to, &out, sizeof(out));
	}
}

static void put_writers(struct bytes *to, struct bytes *paths, const struct state *s)
{
	size_t i;

	for (i = 0; i < s->n_writers; i++) {
		struct ft_snap_writer out = s->writers[i];

		out.cgroup = s->cgroups[i] ? put_path(paths, s->cgroups[i]) : FT_SNAP_NO_PATH;
		put(to, &out, sizeof(out));
	}
}

static void put_files(struct bytes *files, struct bytes *extents, struct bytes *by_lba, struct bytes *paths,
		      const struct state *s)
{
	struct ft_snap_file *out = xcalloc(s->n_files, sizeof(*out));
	struct by_lba *all = NULL;
	size_t i, k, n = 0, cap = 0, total = 0;

	for (i = 0; i < s->n_files; i++) {
		struct changing *f = &s->files[i];

		out[i] = (struct ft_snap_file){
			.path = put_path(paths, f->path), .first = total, .nr = f->n, .volume = f->volume, .ino = f->ino,
			.flags = (f->is_stale || f->is_unknown ? FT_SNAP_STALE : 0) | (f->is_omitted ? FT_SNAP_OMITTED : 0),
		};
		compute_figures(&out[i], f);
		for (k = 0; k < f->n; k++, total++) {
			f->ext[k].file = (uint32_t)i;
			put(extents, &f->ext[k], sizeof(f->ext[k]));
			if (!is_written(&f->ext[k]))
				continue;
			all = grow(all, &cap, n, sizeof(*all));
			all[n++] = (struct by_lba){ f->volume, f->ext[k].lba, f->ext[k].len, (uint32_t)i, (uint32_t)total };
		}
	}
	if (n)
		put_by_lba(by_lba, all, n, out);
	if (s->n_files)
		put(files, out, s->n_files * sizeof(*out));
	free(out);
	free(all);
}

static void compose(struct text *text, const struct state *s, uint64_t at_ns)
{
	struct ft_snap_header h = { .version = FT_SNAP_VERSION, .size = sizeof(h), .time = at_ns };
	struct bytes volumes = { 0 }, files = { 0 }, extents = { 0 }, by_lba = { 0 }, paths = { 0 }, writers = { 0 };
	const struct {
		struct ft_snap_array *array;
		struct bytes *from;
		uint32_t size;
	} parts[] = {
		{ &h.volumes, &volumes, sizeof(struct ft_snap_volume) },
		{ &h.files, &files, sizeof(struct ft_snap_file) },
		{ &h.extents, &extents, sizeof(struct ft_snap_extent) },
		{ &h.by_lba, &by_lba, sizeof(uint32_t) },
		{ &h.paths, &paths, 1 },
		{ &h.writers, &writers, sizeof(struct ft_snap_writer) },
	};
	struct bytes all = { 0 };
	size_t i;

	put_volumes(&volumes, &paths, &s->table);
	put_files(&files, &extents, &by_lba, &paths, s);
	put_writers(&writers, &paths, s);
	memcpy(h.magic, FT_SNAP_MAGIC, sizeof(h.magic));
	h.bytes = sizeof(h);
	for (i = 0; i < ARRAY_LEN(parts); i++) {
		*parts[i].array = (struct ft_snap_array){
			.offset = h.bytes, .nr = parts[i].from->n / parts[i].size, .size = parts[i].size };
		h.bytes += parts[i].from->n;
	}
	put(&all, &h, sizeof(h));
	for (i = 0; i < ARRAY_LEN(parts); i++) {
		if (parts[i].from->n)
			put(&all, parts[i].from->buf, parts[i].from->n);
		free(parts[i].from->buf);
	}
	all.buf[all.n] = '\0';
	*text = (struct text){ .buf = all.buf, .len = all.n };
}

static void release(struct state *s)
{
	size_t i;

	for (i = 0; i < s->n_files; i++) {
		free(s->files[i].path);
		free(s->files[i].ext);
	}
	for (i = 0; i < s->n_writers; i++)
		free(s->cgroups[i]);
	free(s->files);
	free(s->writers);
	free(s->cgroups);
	inodes_free(&s->inodes);
	table_free(&s->table);
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
	struct state s;
	size_t i;

	load(&s, snapshot, name);
	for (i = 0; i < events->n && events->list[i].time_ns <= at_ns; i++)
		apply(&s, &events->list[i]);
	if (next)
		name_files(&s, events, i, next, next_name);
	settle_files(&s);
	compose(snapshot, &s, at_ns);
	release(&s);
}
