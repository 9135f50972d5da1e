// SPDX-License-Identifier: GPL-2.0-only
/*
 * Part of replay: what an event changes in a file. The rules are those of module/FORMATS.md.
 * Causes follow the module's rules as far as events have them; else they are unknown.
 */

#include "input/replay_state.h"
#include "module/format/cause.h"

#define DEV_MINOR_MASK ((1u << DEV_SHIFT) - 1)
/* === The extents of a file === */

/**
 * replay_first_after() - find the first extent that ends after a block
 * @f: the file
 * @lblk: the block
 *
 * Return: its index; their number if there is none.
 */
size_t replay_first_after(const struct changing *f, uint32_t lblk)
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
	size_t i = replay_first_after(f, lblk), last;

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

/**
 * replay_append() - add an extent after all others of a file
 * @f: the file
 * @x: the extent
 */
void replay_append(struct changing *f, struct ft_snap_extent x)
{
	insert_at(f, f->n, x);
	merge_at(f, f->n - 1);
}

/* === Causes === */

/* The written extent before an index, or NULL. */
static struct ft_snap_extent *written_before(const struct changing *f, size_t i)
{
	while (i--)
		if (is_written(&f->ext[i]))
			return &f->ext[i];
	return NULL;
}

static struct ft_snap_extent *written_from(const struct changing *f, size_t i)
{
	for (; i < f->n; i++)
		if (is_written(&f->ext[i]))
			return &f->ext[i];
	return NULL;
}

/* The index of the process that an event has: the latest of its periods, or a new one. */
static uint32_t writer_of(struct replay_state *s, const struct event *e, uint32_t volume)
{
	struct ft_snap_writer w = { .cgroup = FT_SNAP_NO_PATH, .pid = e->pid, .volume = volume };
	size_t same = 0;

	if (!e->pid)
		return memcmp(e->comm, "several", 8) ? FT_SNAP_WRITER_UNKNOWN : FT_SNAP_WRITER_SEVERAL;
	for (size_t i = s->n_writers; i-- > FT_SNAP_WRITER_SEVERAL + 1;) {
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

/**
 * replay_lba_of() - find where a block of a file is
 * @f: the file
 * @lblk: the block
 *
 * Return: its LBA, %FT_SNAP_UNWRITTEN if it has none.
 */
uint32_t replay_lba_of(const struct changing *f, uint32_t lblk)
{
	size_t i = replay_first_after(f, lblk);

	if (i == f->n || f->ext[i].lblk > lblk || !is_written(&f->ext[i]))
		return FT_SNAP_UNWRITTEN;
	return f->ext[i].lba + (lblk - f->ext[i].lblk);
}

/* Is the range where the event puts it? Then the copy is younger than the event, and has its causes, too. */
static bool is_there(const struct changing *f, const struct ft_snap_extent *x)
{
	size_t i = replay_first_after(f, x->lblk);

	return i < f->n && f->ext[i].lblk <= x->lblk && end_of(&f->ext[i]) >= end_of(x) &&
	       f->ext[i].flags == x->flags && is_written(&f->ext[i]) &&
	       f->ext[i].lba + (x->lblk - f->ext[i].lblk) == x->lba;
}

/* The cause of the break after a range that was placed: the older of the two blocks is the later one. */
static void set_cause_after(struct changing *f, size_t i, const struct ft_snap_extent *x, uint32_t old_last,
			     uint32_t word)
{
	struct ft_snap_extent *next = written_from(f, i);
	bool was_moved;

	if (!next || next->lba == x->lba + x->len)
		return;
	was_moved = old_last != FT_SNAP_UNWRITTEN || ft_cause_why(next->cause) == FT_WHY_MOVED;
	next->cause = with_why(word, was_moved ? FT_WHY_MOVED : FT_WHY_UNKNOWN);
}

/* Return: whether blocks are elsewhere now. */
static bool store(struct replay_state *s, struct changing *f, const struct event *e)
{
	struct ft_snap_extent x = { .lblk = e->offset, .len = e->length, .lba = e->lba,
				    .flags = e->encoded ? FT_SNAP_ENCODED : 0 };
	uint32_t word, old_last = replay_lba_of(f, end_of(&x) - 1);
	const struct ft_snap_extent *prev;
	size_t i;

	if (is_there(f, &x))
		return false;
	word = ft_cause(e->op, e->flush, e->why, writer_of(s, e, f->volume));
	i = cut(f, x.lblk, end_of(&x));
	prev = written_before(f, i);
	if (!prev)
		x.cause = with_why(word, FT_WHY_NONE);
	else
		x.cause = prev->lba + prev->len == x.lba ? prev->cause : word;
	set_cause_after(f, i, &x, old_last, word);
	insert_at(f, i, x);
	merge_at(f, i + 1);
	merge_at(f, i);
	return true;
}

/* Return: whether there were written blocks. */
static bool erase(struct replay_state *s, struct changing *f, const struct event *e)
{
	size_t i = replay_first_after(f, e->offset);
	struct ft_snap_extent *prev, *next = written_from(f, i);
	bool has_any = next && next->lblk < e->offset + e->length;

	if (i == f->n || f->ext[i].lblk >= e->offset + e->length)
		return false;
	i = cut(f, e->offset, e->offset + e->length);
	prev = written_before(f, i);
	next = written_from(f, i);
	if (prev && next && next->lba != prev->lba + prev->len)
		next->cause = ft_cause(e->op, e->flush, FT_WHY_MOVED, writer_of(s, e, f->volume));
	return has_any;
}

/* Holes become unwritten. */
static void reserve(struct changing *f, uint32_t lblk, uint32_t end)
{
	while (lblk < end) {
		size_t i = replay_first_after(f, lblk);
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

/* Another file has the inode number from now on. A copy that is younger has its name. Return: whether it had blocks. */
static bool begin_anew(struct changing *f, bool is_after_copy)
{
	size_t n = f->n;

	if (f->is_gone || is_after_copy)
		f->n = 0;
	if (is_after_copy) {
		free(f->path);
		f->path = NULL;
	}
	f->is_gone = f->is_stale = f->is_unknown = f->is_omitted = false;
	return f->n != n;
}

/**
 * replay_file_at() - find a file that is being changed
 * @s: the files
 * @volume: index of its volume
 * @ino: its inode number
 *
 * Return: the file; an empty one is added if there is none.
 */
struct changing *replay_file_at(struct replay_state *s, uint32_t volume, uint32_t ino)
{
	uint32_t *index = inodes_at(&s->inodes, volume, ino);

	if (!*index) {
		*APPEND(s->files, s->n_files, s->cap_files) = (struct changing){ .volume = volume, .ino = ino };
		*index = (uint32_t)s->n_files;
	}
	return &s->files[*index - 1];
}

/**
 * replay_volume_at() - find a volume
 * @s: its table has the volumes
 * @dev: its device number, as in events
 *
 * Return: its index, or their number if there is no such volume.
 */
uint32_t replay_volume_at(const struct replay_state *s, uint32_t dev)
{
	return table_volume_at(&s->table, dev >> DEV_SHIFT, dev & DEV_MINOR_MASK);
}

/**
 * replay_breaks() - find the breaks in a part of a file
 * @f: the file
 * @lblk: the first block of the part
 * @end: its end (exclusive)
 * @found: called with each, in the order of the file: the LBA of the block before it, and the extent that begins there; or NULL
 * @arg: for @found
 *
 * A break is in the part if its extent begins there, or is the first one after it.
 *
 * Return: how many there are.
 */
size_t replay_breaks(const struct changing *f, uint32_t lblk, uint32_t end,
		     void (*found)(void *arg, uint32_t last_lba, const struct ft_snap_extent *x), void *arg)
{
	size_t i = replay_first_after(f, lblk), n = 0;
	const struct ft_snap_extent *prev = written_before(f, i), *x;

	for (x = written_from(f, i); x; prev = x, x = written_from(f, (size_t)(x - f->ext) + 1)) {
		if (prev && x->lblk >= lblk && x->lba != prev->lba + prev->len) {
			n++;
			if (found)
				found(arg, prev->lba + prev->len - 1, x);
		}
		if (end_of(x) > end)
			break;
	}
	return n;
}

/**
 * replay_apply() - change a file by an event
 * @s: the files
 * @e: the event
 *
 * Return: whether the event has moved written blocks, or taken them away.
 */
bool replay_apply(struct replay_state *s, const struct event *e)
{
	uint32_t volume = replay_volume_at(s, e->dev);
	bool has_changed = false;
	struct changing *f;

	if (volume == s->table.n_volumes) {
		if (!s->foreign_was_said)
			warn("%s: events of a volume %u:%u that it does not have are left out", s->name, e->dev >> DEV_SHIFT,
			     e->dev & DEV_MINOR_MASK);
		s->foreign_was_said = true;
		return false;
	}
	f = replay_file_at(s, volume, e->ino);
	switch ((enum event_kind)e->kind) {
	case EVENT_PLACED: has_changed = store(s, f, e); break;
	case EVENT_HOLE: has_changed = erase(s, f, e); break;
	case EVENT_UNWRITTEN: reserve(f, e->offset, e->offset + e->length); break;
	case EVENT_UNKNOWN: f->is_unknown = true; break;
	case EVENT_NEW: has_changed = begin_anew(f, e->time_ns > s->copied_ns); break;
	case EVENT_EXACT: f->is_stale = false; break;
	case EVENT_STALE: f->is_stale = true; break;
	case EVENT_LEFT_OUT:
	case EVENT_GONE:
		has_changed = f->n;
		f->n = 0;
		f->is_gone = e->kind == EVENT_GONE;
		f->is_omitted = !f->is_gone;
		break;
	case EVENT_NR_KINDS: break;
	}
	return has_changed;
}
