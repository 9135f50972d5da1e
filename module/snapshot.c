// SPDX-License-Identifier: GPL-2.0-only
/*
 * A consistent copy of the maps for one reader, with the figures of each file.
 *
 * In: the records of all volumes. Out: arrays that nobody else changes, so a
 * slow reader keeps no lock. A file's extents are copied in short pieces, from
 * the beginning again if the file changed meanwhile; each file is consistent
 * in itself, two files may be moments apart. By LBA no block is shown twice.
 */

#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string_helpers.h>
#include <linux/vmalloc.h>

#include "breaks.h"
#include "fragtrace.h"
#include "inode.h"
#include "memory.h"
#include "names.h"
#include "snapshot.h"
#include "target.h"
#include "volume.h"
#include "writer.h"

/* Files listed, or extents copied, before others may have the lock. */
#define FILES_PER_STEP		256
#define EXTENTS_PER_STEP	256
/* Extents read from a map in one go, by way of the stack. */
#define EXTENTS_AT_ONCE		16
/* How often a busy file is begun anew before it is taken as it comes: stale. */
#define MAX_TRIES		8

/* === Arrays =============================================================== */

/*
 * All copies together may take four times the budget of the maps: an extent takes
 * 8 bytes or more in a map, and up to 28 while it is copied and sorted.
 */
#define BUDGETS_FOR_COPIES	4

static atomic_long_t copies_bytes = ATOMIC_LONG_INIT(0);

/**
 * ft_snapshot_bytes() - how much memory the copies of all readers take
 *
 * Return: in bytes.
 */
long ft_snapshot_bytes(void)
{
	return atomic_long_read(&copies_bytes);
}

/**
 * ft_snapshot_budget() - how much memory the copies of all readers may take
 *
 * Return: in bytes.
 */
long ft_snapshot_budget(void)
{
	return BUDGETS_FOR_COPIES * ft_mem_budget();
}

static bool charge(size_t bytes)
{
	long budget = ft_snapshot_budget();

	if (bytes <= (size_t)budget) {
		if (atomic_long_add_return(bytes, &copies_bytes) <= budget)
			return true;
		atomic_long_sub(bytes, &copies_bytes);
	}
	pr_warn_ratelimited("no room for a copy: copies for readers take %ld of %ld bytes; close files of debugfs that are open, or load with a larger max_mem_mb\n",
			    ft_snapshot_bytes(), budget);
	return false;
}

/*
 * The reader gets -ENOMEM; nobody is killed, and no log filled, for its sake.
 * kvmalloc() ends at 2 GiB, which is 107 million extents.
 */
static void *allocate(size_t bytes)
{
	gfp_t gfp = GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL;

	if (bytes > PAGE_SIZE << PAGE_ALLOC_COSTLY_ORDER)
		return __vmalloc(bytes, gfp);
	return kmalloc(bytes, gfp);
}

/**
 * ft_vec_free() - free an array of a copy
 * @vec: the array; empty afterwards
 */
void ft_vec_free(struct ft_vec *vec)
{
	kvfree(vec->data);
	atomic_long_sub(vec->bytes, &copies_bytes);
	*vec = (struct ft_vec){ };
}

/**
 * ft_vec_make_room() - let an array of a copy grow
 * @vec: the array
 * @more: elements that are to be added
 * @size: bytes of one
 *
 * Context: process; may sleep.
 * Return: 0 or -ENOMEM.
 */
int ft_vec_make_room(struct ft_vec *vec, size_t more, size_t size)
{
	size_t room = max(vec->nr + more, 2 * vec->room);
	size_t bytes = array_size(room, size);
	void *data;

	if (vec->nr + more <= vec->room)
		return 0;
	if (!charge(bytes))
		return -ENOMEM;
	data = allocate(bytes);
	if (!data) {
		atomic_long_sub(bytes, &copies_bytes);
		return -ENOMEM;
	}
	if (vec->nr)
		memcpy(data, vec->data, vec->nr * size);
	kvfree(vec->data);
	atomic_long_sub(vec->bytes, &copies_bytes);
	vec->data = data;
	vec->room = room;
	vec->bytes = bytes;
	return 0;
}

/* === Volumes ============================================================== */

static int by_dev(const void *a, const void *b)
{
	const struct ft_volume *x = *(const struct ft_volume **)a;
	const struct ft_volume *y = *(const struct ft_volume **)b;

	return x->dev < y->dev ? -1 : x->dev > y->dev;
}

/*
 * Escape, where lines of text will hold it, the path of @len bytes that has been
 * written behind the others, and keep it.
 */
static int keep_path(struct ft_snapshot *snap, size_t len)
{
	char *path = snap->paths.data + snap->paths.nr, *raw;
	size_t need;
	int err;

	if (snap->view < FT_VIEW_BINARY && strpbrk(path, FT_ESCAPED)) {
		raw = kmemdup(path, len, GFP_KERNEL);
		if (!raw)
			return -ENOMEM;
		need = string_escape_mem(raw, len, NULL, 0, ESCAPE_OCTAL,
					 FT_ESCAPED);
		err = ft_vec_make_room(&snap->paths, need + 1, 1);
		if (!err) {
			path = snap->paths.data + snap->paths.nr;
			len = string_escape_mem(raw, len, path, need,
						ESCAPE_OCTAL, FT_ESCAPED);
			path[len] = '\0';
		}
		kfree(raw);
		if (err)
			return err;
	}
	snap->paths.nr += len + 1;
	return 0;
}

/**
 * ft_snapshot_keep_path() - put a path, or another text, behind those of a snapshot
 * @snap: the snapshot
 * @path: the text; it is escaped if those are
 * @at: where it is, on success
 *
 * Context: process; may sleep.
 * Return: 0 or -ENOMEM.
 */
int ft_snapshot_keep_path(struct ft_snapshot *snap, const char *path, u64 *at)
{
	size_t len = strlen(path);
	int err = ft_vec_make_room(&snap->paths, len + 1, 1);

	if (err)
		return err;
	*at = snap->paths.nr;
	memcpy(snap->paths.data + snap->paths.nr, path, len + 1);
	return keep_path(snap, len);
}

static int list_volume(struct ft_snapshot *snap, struct ft_volume *vol)
{
	struct ft_snap_volume *v = ft_snap_volume(snap, snap->volumes.nr);
	u64 path;
	int err = ft_snapshot_keep_path(snap, vol->mountpoint, &path);

	if (err)
		return err;
	ft_volume_measure(vol);
	*v = (struct ft_snap_volume){
		.path = path,
		.major = MAJOR(vol->dev),
		.minor = MINOR(vol->dev),
		.main_blkaddr = vol->main_blkaddr,
		.blocks = READ_ONCE(vol->blocks),
		.segment_blocks = vol->segment_blocks,
	};
	snap->volumes.nr++;
	return 0;
}

static int list_volumes(struct ft_snapshot *snap)
{
	struct ft_volume **vols, *vol;
	size_t count = 0, i;
	int err;

	/* the list only gets longer with this lock held */
	mutex_lock(&ft_targets_lock);
	rcu_read_lock();
	list_for_each_entry_rcu(vol, &ft_volumes, node)
		count++;
	rcu_read_unlock();
	err = ft_vec_make_room(&snap->vols, count, sizeof(vol)) ?:
	      ft_vec_make_room(&snap->volumes, count, sizeof(struct ft_snap_volume));
	vols = snap->vols.data;
	if (!err) {
		rcu_read_lock();
		list_for_each_entry_rcu(vol, &ft_volumes, node)
			if (refcount_inc_not_zero(&vol->ref))
				vols[snap->vols.nr++] = vol;
		rcu_read_unlock();
	}
	mutex_unlock(&ft_targets_lock);
	if (err)
		return err;

	sort(vols, snap->vols.nr, sizeof(*vols), by_dev, NULL);
	for (i = 0; i < snap->vols.nr && !err; i++)
		err = list_volume(snap, vols[i]);
	return err;
}

/* === Files ================================================================ */

static int list_file(struct ft_snapshot *snap, struct ft_inode *rec, u32 volume)
{
	struct ft_vec *paths = &snap->paths;
	size_t len, room;
	int err;

	if (rec->is_dir || READ_ONCE(rec->state) == FT_OMITTED)
		return 0;
	/* mostly it fits at once */
	room = paths->room - paths->nr;
	len = ft_names_path(rec, paths->data + paths->nr, room);
	/* made a moment ago, or never named */
	if (!len)
		return 0;
	if (len >= room) {
		err = ft_vec_make_room(paths, len + 1, 1);
		if (err)
			return err;
		ft_names_path(rec, paths->data + paths->nr, len + 1);
	}
	err = ft_vec_make_room(&snap->files, 1, sizeof(struct ft_snap_file)) ?:
	      ft_vec_make_room(&snap->recs, 1, sizeof(rec));
	if (err)
		return err;
	*ft_snap_file(snap, snap->files.nr++) = (struct ft_snap_file){
		.path = paths->nr,
		.volume = volume,
		.ino = rec->ino,
	};
	refcount_inc(&rec->ref);
	((struct ft_inode **)snap->recs.data)[snap->recs.nr++] = rec;
	return keep_path(snap, len);
}

/* Records found with ns_lock held stay until it is dropped: see work_on(). */
static int list_files(struct ft_snapshot *snap, u32 volume)
{
	struct ft_volume *vol = ((struct ft_volume **)snap->vols.data)[volume];
	unsigned long ino = 0;
	struct ft_inode *rec;
	unsigned int n;
	int err = 0;

	do {
		n = 0;
		mutex_lock(&vol->ns_lock);
		xa_for_each_start(&vol->inodes, ino, rec, ino) {
			if (n++ == FILES_PER_STEP)
				break;
			err = list_file(snap, rec, volume);
			if (err)
				break;
		}
		mutex_unlock(&vol->ns_lock);
		cond_resched();
	} while (!err && n > FILES_PER_STEP);
	return err;
}

/* === Extents ============================================================== */

/* Nearly all of the room at once: it is costly to move them. */
static int make_room_for_extents(struct ft_snapshot *snap)
{
	struct ft_inode **recs = snap->recs.data;
	size_t nr = 64, i;

	for (i = 0; i < snap->recs.nr; i++)
		nr += READ_ONCE(recs[i]->map.nr);
	return ft_vec_make_room(&snap->extents, nr, sizeof(struct ft_snap_extent));
}

/*
 * Copy extents from *@from on, until there are @max, or the map or the room
 * ends. Returns true when the map has ended.
 */
static bool copy_some(struct ft_snapshot *snap, u32 file, struct ft_inode *rec,
		      u32 *from, unsigned int max)
{
	struct ft_extent some[EXTENTS_AT_ONCE];
	unsigned int nr, want, i;

	static_assert(FT_SNAP_UNWRITTEN == FT_LBA_UNWRITTEN);
	max = min_t(size_t, max, snap->extents.room - snap->extents.nr);
	for (; max; max -= nr) {
		want = min(max, ARRAY_SIZE(some));
		nr = ft_extmap_read(&rec->map, from, some, want);
		for (i = 0; i < nr; i++)
			*ft_snap_extent(snap, snap->extents.nr++) =
				(struct ft_snap_extent){
					.file = file,
					.lblk = some[i].lblk,
					.len = some[i].len,
					.lba = some[i].lba,
					.flags = some[i].encoded ?
							 FT_SNAP_ENCODED : 0,
					.cause = snap->view == FT_VIEW_TABLE ? 0 :
						 ft_breaks_cause(rec,
								 some[i].lblk),
				};
		if (nr < want)
			return true;
	}
	return false;
}

static int copy_file(struct ft_snapshot *snap, u32 file)
{
	struct ft_inode *rec = ((struct ft_inode **)snap->recs.data)[file];
	struct ft_snap_file *f = ft_snap_file(snap, file);
	unsigned int tries = 0;
	bool done = false, gone;
	u32 from = 0, changes = 0;
	int err;

	f->first = snap->extents.nr;
	while (!done) {
		err = ft_vec_make_room(&snap->extents, 64,
				sizeof(struct ft_snap_extent));
		if (err)
			return err;
		/* nothing is to keep us from letting the writers go on soon */
		spin_lock_irq(&rec->lock);
		if (ft_inode_has_note(rec))
			ft_inode_take_up(rec);
		if (from && rec->changes != changes && tries++ < MAX_TRIES) {
			snap->extents.nr = f->first;
			from = 0;
		}
		changes = rec->changes;
		f->flags = ft_inode_is_stale(rec) || tries > MAX_TRIES ?
				   FT_SNAP_STALE : 0;
		gone = !ft_inode_followed(rec);
		done = gone ||
		       copy_some(snap, file, rec, &from, EXTENTS_PER_STEP);
		if (gone) {
			snap->extents.nr = f->first;
			f->flags |= FT_SNAP_OMITTED;
		}
		spin_unlock_irq(&rec->lock);
		ft_let_writers_go();
	}
	f->nr = snap->extents.nr - f->first;
	return 0;
}

/* === Causes =============================================================== */

/**
 * ft_snapshot_breaks() - does a fragment begin with this extent, but not the first?
 * @snap: the snapshot
 * @extent: index of the extent
 *
 * Return: true if so.
 */
bool ft_snapshot_breaks(struct ft_snapshot *snap, size_t extent)
{
	const struct ft_snap_extent *ext = ft_snap_extent(snap, extent), *prev;
	u64 first = ft_snap_file(snap, ext->file)->first;

	if (ext->lba == FT_SNAP_UNWRITTEN)
		return false;
	while (extent-- > first) {
		prev = ft_snap_extent(snap, extent);
		if (prev->lba != FT_SNAP_UNWRITTEN)
			return ext->lba != prev->lba + prev->len;
	}
	return false;
}

/* The processes of a volume; @base: what is to be added to their numbers here. */
static int list_writers(struct ft_snapshot *snap, u32 volume, u32 *base)
{
	struct ft_volume *vol = ((struct ft_volume **)snap->vols.data)[volume];
	const struct ft_writer *w;
	unsigned long number;
	u64 cgroup;
	int err;

	*base = snap->writers.nr - FT_FIRST_WRITER;
	if (!vol->writers)
		return 0;
	xa_for_each(&vol->writers->by_number, number, w) {
		/* numbers have no gap, but one may come while we look */
		if (number + *base != snap->writers.nr)
			break;
		cgroup = FT_SNAP_NO_PATH;
		err = ft_vec_make_room(&snap->writers, 1,
				       sizeof(struct ft_snap_writer));
		if (!err && w->cgroup[0])
			err = ft_snapshot_keep_path(snap, w->cgroup, &cgroup);
		if (err)
			return err;
		*ft_snap_writer(snap, snap->writers.nr) =
			(struct ft_snap_writer){
				.cgroup = cgroup,
				.first = w->first,
				.last = READ_ONCE(w->last),
				.pid = w->pid,
				.volume = volume,
				.same_as = w->same_as + *base,
			};
		memcpy(ft_snap_writer(snap, snap->writers.nr)->comm, w->comm,
		       sizeof(w->comm));
		snap->writers.nr++;
		cond_resched();
	}
	return 0;
}

/* Causes as a reader wants them: writers of all volumes in one array. */
static void translate(struct ft_snapshot *snap, struct ft_snap_file *f, u32 base)
{
	const struct ft_snap_extent *prev = NULL;
	size_t i;

	for (i = f->first; i < f->first + f->nr; i++) {
		struct ft_snap_extent *ext = ft_snap_extent(snap, i);
		u32 writer = ft_cause_writer(ext->cause);

		if (ext->lba == FT_SNAP_UNWRITTEN) {
			ext->cause = 0;
			continue;
		}
		if (writer >= FT_FIRST_WRITER)
			ext->cause += base << FT_CAUSE_WRITER_SHIFT;
		if (!prev)
			ext->cause &= ~FT_CAUSE_WHY_MASK;
		else if (ext->lba == prev->lba + prev->len)
			ext->cause = prev->cause;
		else if (ft_cause_why(ext->cause) == FT_WHY_NONE)
			ext->cause |= FT_CAUSE_UNKNOWN;
		prev = ext;
	}
}

/* What has no process comes first. */
static int list_causes(struct ft_snapshot *snap)
{
	size_t file = 0;
	u32 volume, base;
	int err;

	err = ft_vec_make_room(&snap->writers, FT_FIRST_WRITER,
			       sizeof(struct ft_snap_writer));
	if (err)
		return err;
	for (; snap->writers.nr < FT_FIRST_WRITER; snap->writers.nr++)
		*ft_snap_writer(snap, snap->writers.nr) =
			(struct ft_snap_writer){ .cgroup = FT_SNAP_NO_PATH };
	for (volume = 0; volume < snap->volumes.nr; volume++) {
		err = list_writers(snap, volume, &base);
		if (err)
			return err;
		for (; file < snap->files.nr &&
		       ft_snap_file(snap, file)->volume == volume; file++) {
			translate(snap, ft_snap_file(snap, file), base);
			cond_resched();
		}
	}
	return 0;
}

/* === Figures ============================================================== */

static void compute_figures(struct ft_snapshot *snap, struct ft_snap_file *f)
{
	const struct ft_snap_extent *prev = NULL;
	u32 prev_window = 0;
	size_t i;

	for (i = 0; i < f->nr; i++) {
		const struct ft_snap_extent *ext =
			ft_snap_extent(snap, f->first + i);
		u32 window = ext->lblk / FT_REQUEST_BLOCKS;
		u32 last = (ext->lblk + ext->len - 1) / FT_REQUEST_BLOCKS;
		u32 windows = last - window + 1;
		bool new_fragment = true;

		if (ext->lba == FT_SNAP_UNWRITTEN)
			continue;
		if (prev) {
			u32 end = prev->lba + prev->len;

			new_fragment = ext->lba != end;
			f->distance += max(ext->lba, end) - min(ext->lba, end);
		}
		f->blocks += ext->len;
		f->written++;
		f->fragments += new_fragment;
		/* a window shared with the extent before is counted there */
		if (prev && prev_window == window) {
			f->ideal += windows - 1;
			f->requests += windows - !new_fragment;
		} else {
			f->ideal += windows;
			f->requests += windows;
		}
		prev = ext;
		prev_window = last;
	}
	if (f->fragments > 1)
		f->flags |= FT_SNAP_FRAGMENTED;
}

/* === Order ================================================================ */

/* Bits of an LBA looked at in one pass over all extents. */
#define DIGIT_BITS	11
#define DIGITS		(1 << DIGIT_BITS)

/*
 * One pass: from @from to @to, stable, by the bits of the LBA from @shift on.
 * Returns false if all have the same there: nothing has been moved.
 */
static bool sort_by_digit(struct ft_snapshot *snap, const u32 *from, u32 *to,
			  size_t nr, unsigned int shift, u32 *count)
{
	u32 sum = 0, n;
	size_t i;

#define DIGIT_OF(x)	((ft_snap_extent(snap, x)->lba >> shift) & (DIGITS - 1))
	memset(count, 0, DIGITS * sizeof(*count));
	for (i = 0; i < nr; i++)
		count[DIGIT_OF(from[i])]++;
	if (!nr || count[DIGIT_OF(from[0])] == nr)
		return false;
	for (i = 0; i < DIGITS; i++) {
		n = count[i];
		count[i] = sum;
		sum += n;
	}
	cond_resched();
	for (i = 0; i < nr; i++)
		to[count[DIGIT_OF(from[i])]++] = from[i];
	cond_resched();
	return true;
#undef DIGIT_OF
}

/*
 * Sort the extents of one volume by LBA. There may be millions: sort() would
 * compare each of them 20 times.
 */
static int sort_by_lba(struct ft_snapshot *snap, u32 *order, size_t nr)
{
	u32 *count = kmalloc_array(DIGITS, sizeof(*count), GFP_KERNEL);
	struct ft_vec other = { };
	u32 *from = order, *to;
	unsigned int shift;
	int err = count ? ft_vec_make_room(&other, nr, sizeof(*order)) : -ENOMEM;

	to = other.data;
	for (shift = 0; shift < 32 && !err; shift += DIGIT_BITS) {
		if (sort_by_digit(snap, from, to, nr, shift, count))
			swap(from, to);
	}
	if (!err && from != order)
		memcpy(order, from, nr * sizeof(*order));
	ft_vec_free(&other);
	kfree(count);
	return err;
}

/* Of two extents with a block in common: which one has lost it? */
static u32 loser(struct ft_snapshot *snap, u32 a, u32 b)
{
	const struct ft_snap_file *x, *y;

	x = ft_snap_file(snap, ft_snap_extent(snap, a)->file);
	y = ft_snap_file(snap, ft_snap_extent(snap, b)->file);
	if ((x->flags ^ y->flags) & FT_SNAP_STALE)
		return x->flags & FT_SNAP_STALE ? a : b;
	/* what was copied first is older */
	return min(a, b);
}

/*
 * A block may have gone from one file to another between the copies of the two,
 * or before F2FS was asked about both: it must not be shown twice. An extent
 * that has lost blocks is left out, and its file is stale. Returns how many
 * extents remain.
 */
static size_t drop_lost(struct ft_snapshot *snap, u32 *order, size_t nr)
{
	u32 end = 0, lost;
	size_t i, kept = 0;

	for (i = 0; i < nr; i++) {
		const struct ft_snap_extent *ext = ft_snap_extent(snap, order[i]);

		if (unlikely(ext->lba < end)) {
			lost = loser(snap, order[kept - 1], order[i]);
			ft_snap_file(snap, ft_snap_extent(snap, lost)->file)->flags |=
				FT_SNAP_STALE;
			if (lost == order[i])
				continue;
			kept--;
		}
		end = ext->lba + ext->len;
		order[kept++] = order[i];
	}
	cond_resched();
	return kept;
}

static int list_by_lba(struct ft_snapshot *snap)
{
	u32 *order = snap->order.data;
	size_t i, begin, file = 0;
	int err = 0;
	u32 volume;

	for (volume = 0; volume < snap->volumes.nr && !err; volume++) {
		begin = snap->order.nr;
		for (; file < snap->files.nr &&
		       ft_snap_file(snap, file)->volume == volume; file++) {
			struct ft_snap_file *f = ft_snap_file(snap, file);

			for (i = f->first; i < f->first + f->nr; i++)
				if (ft_snap_extent(snap, i)->lba !=
				    FT_SNAP_UNWRITTEN)
					order[snap->order.nr++] = i;
			cond_resched();
		}
		err = sort_by_lba(snap, order + begin, snap->order.nr - begin);
		if (!err)
			snap->order.nr = begin + drop_lost(snap, order + begin,
							   snap->order.nr - begin);
	}
	return err;
}

/* Worst is what costs a reader of the whole file most requests too many. */
static int by_badness(const void *a, const void *b, const void *priv)
{
	struct ft_snapshot *snap = (struct ft_snapshot *)priv;
	u32 i = *(const u32 *)a, j = *(const u32 *)b;
	const struct ft_snap_file *x = ft_snap_file(snap, i);
	const struct ft_snap_file *y = ft_snap_file(snap, j);
	u64 x_extra = x->requests - x->ideal, y_extra = y->requests - y->ideal;

	/* sort_r() takes no pause */
	cond_resched();
	if (x_extra != y_extra)
		return x_extra > y_extra ? -1 : 1;
	if (x->fragments != y->fragments)
		return x->fragments > y->fragments ? -1 : 1;
	return i < j ? -1 : i > j;
}

static void list_by_badness(struct ft_snapshot *snap)
{
	u32 *order = snap->order.data;
	size_t i;

	for (i = 0; i < snap->files.nr; i++)
		if (!(ft_snap_file(snap, i)->flags & FT_SNAP_OMITTED))
			order[snap->order.nr++] = i;
	sort_r(order, snap->order.nr, sizeof(*order), by_badness, NULL, snap);
}

static int put_in_order(struct ft_snapshot *snap)
{
	bool files = snap->view == FT_VIEW_FILES;
	size_t nr = files ? snap->files.nr : snap->extents.nr;

	/* sums.c has an order of its own */
	if (snap->view >= FT_VIEW_CAUSES)
		return 0;
	if (ft_vec_make_room(&snap->order, nr, sizeof(u32)))
		return -ENOMEM;
	if (files) {
		list_by_badness(snap);
	} else if (snap->view == FT_VIEW_EXTENTS) {
		for (snap->order.nr = 0; snap->order.nr < nr; snap->order.nr++)
			((u32 *)snap->order.data)[snap->order.nr] = snap->order.nr;
	} else {
		return list_by_lba(snap);
	}
	return 0;
}

/* === Life ================================================================= */

/* The snapshot stands on its own from here on. */
static void drop_references(struct ft_snapshot *snap)
{
	size_t i;

	for (i = 0; i < snap->recs.nr; i++)
		ft_inode_put(((struct ft_inode **)snap->recs.data)[i]);
	for (i = 0; i < snap->vols.nr; i++)
		ft_volume_put(((struct ft_volume **)snap->vols.data)[i]);
	ft_vec_free(&snap->recs);
	ft_vec_free(&snap->vols);
}

static int fill(struct ft_snapshot *snap)
{
	size_t i;
	int err = list_volumes(snap);

	for (i = 0; i < snap->volumes.nr && !err; i++)
		err = list_files(snap, i);
	if (!err)
		err = make_room_for_extents(snap);
	for (i = 0; i < snap->files.nr && !err; i++) {
		err = copy_file(snap, i);
		if (!err)
			compute_figures(snap, ft_snap_file(snap, i));
	}
	snap->file_paths = snap->paths.nr;
	if (!err && snap->view != FT_VIEW_TABLE)
		err = list_causes(snap);
	return err ?: put_in_order(snap);
}

/**
 * ft_snapshot_take() - copy what is known now
 * @view: what it is for
 *
 * Context: process; may sleep.
 * Return: the snapshot, to be freed by ft_snapshot_free(), or an ERR_PTR.
 */
struct ft_snapshot *ft_snapshot_take(enum ft_view view)
{
	struct ft_snapshot *snap = kzalloc(sizeof(*snap), GFP_KERNEL);
	int err;

	if (!snap)
		return ERR_PTR(-ENOMEM);
	snap->view = view;
	err = fill(snap);
	drop_references(snap);
	if (err) {
		ft_snapshot_free(snap);
		return ERR_PTR(err);
	}
	return snap;
}

/**
 * ft_snapshot_free() - free a snapshot
 * @snap: the snapshot
 */
void ft_snapshot_free(struct ft_snapshot *snap)
{
	ft_vec_free(&snap->volumes);
	ft_vec_free(&snap->files);
	ft_vec_free(&snap->extents);
	ft_vec_free(&snap->order);
	ft_vec_free(&snap->paths);
	ft_vec_free(&snap->writers);
	kfree(snap);
}
