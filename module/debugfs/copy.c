// SPDX-License-Identifier: GPL-2.0-only
/*
 * A consistent copy of the maps for one reader, with the figures of each file.
 *
 * In: the records of all volumes. Out: arrays that nothing else changes: a slow
 * reader holds no lock. The extents of a file are copied a few at a time. If the
 * file changes meanwhile, the copy starts again. Each file is consistent in
 * itself, two files may be moments apart. By LBA no block is shown twice.
 */

#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string_helpers.h>

#include "causes/breaks.h"
#include "causes/writer.h"
#include "core/base.h"
#include "core/memory.h"
#include "core/volume.h"
#include "debugfs/snapshot.h"
#include "maps/inode.h"
#include "maps/names.h"
#include "watch/mount.h"
#include "watch/path.h"
#include "watch/target.h"

/* Files listed, with bytes of paths, or extents copied, before the lock is dropped. */
#define FILES_PER_STEP		256
#define PATHS_PER_STEP		SZ_32K
#define EXTENTS_PER_STEP	256
/* Extents read from a map at once; they are kept on the stack. */
#define EXTENTS_AT_ONCE		16
/* After so many restarts a changing file is copied as it is, and marked stale. */
#define MAX_TRIES		8

/* Bytes that an escaped one takes. */
#define ESCAPED_LEN		4
/*
 * A user can make files whose paths take more memory than their maps. If all paths take
 * one part in so many of what copies may take, longer ones are shown as "?".
 */
#define PATHS_SHARE		4
#define USUAL_PATH		256

/* === Volumes ============================================================== */

static int by_dev(const void *a, const void *b)
{
	const struct ft_volume *x = *(const struct ft_volume **)a;
	const struct ft_volume *y = *(const struct ft_volume **)b;

	return ft_compare(x->dev, y->dev);
}

/* The room that a path of so many bytes may take. */
static size_t path_room(const struct ft_snapshot *snap, size_t len)
{
	return (snap->view < FT_VIEW_BINARY ? ESCAPED_LEN * len : len) + 1;
}

/*
 * Keep the path of @len bytes, less than PATH_MAX, that was written after the other
 * paths, which have path_room() for it. It is escaped if the view is text.
 */
static void keep_path(struct ft_snapshot *snap, size_t len)
{
	char *path = snap->paths.data + snap->paths.nr;

	if (snap->view < FT_VIEW_BINARY && strpbrk(path, FT_ESCAPED)) {
		memcpy(snap->raw, path, len);
		len = string_escape_mem(snap->raw, len, path, ESCAPED_LEN * len,
					ESCAPE_OCTAL, FT_ESCAPED);
		path[len] = '\0';
	}
	snap->paths.nr += len + 1;
}

/**
 * ft_snapshot_append() - append a path, or another text, to the paths
 * @snap: the snapshot
 * @path: the text; it is cut off at PATH_MAX, and escaped if paths are
 * @at: set to its offset among them
 *
 * Context: process; may sleep.
 * Return: 0 or -ENOMEM.
 */
int ft_snapshot_append(struct ft_snapshot *snap, const char *path, u64 *at)
{
	size_t len = strnlen(path, PATH_MAX - 1);
	char *to;
	int err = ft_vec_make_room(&snap->paths, path_room(snap, len), 1);

	if (err)
		return err;
	*at = snap->paths.nr;
	to = snap->paths.data + snap->paths.nr;
	memcpy(to, path, len);
	to[len] = '\0';
	keep_path(snap, len);
	return 0;
}

static int list_volume(struct ft_snapshot *snap, struct ft_volume *vol)
{
	struct ft_snap_volume *v = ft_snap_volume(snap, snap->volumes.nr);
	u64 path;
	int err = ft_snapshot_append(snap, vol->mountpoint, &path);

	if (err)
		return err;
	ft_mount_measure(vol);
	ft_path_mark_hidden(vol);
	*v = (struct ft_snap_volume){
		.path = path,
		.major = MAJOR(vol->dev),
		.minor = MINOR(vol->dev),
		.main_blkaddr = vol->main_blkaddr,
		.blocks = READ_ONCE(vol->blocks),
		.segment_blocks = vol->segment_blocks,
		.flags = ft_mount_stopped(vol) ? FT_SNAP_STOPPED : 0,
		.left_out = ft_volume_left_out(vol),
		.block_bytes = FT_BLOCK_SIZE,
	};
	snap->volumes.nr++;
	return 0;
}

static int list_volumes(struct ft_snapshot *snap)
{
	int nr = ft_target_volumes(NULL, &snap->vols), i, err;

	if (nr < 0)
		return nr;
	snap->nr_vols = nr;
	sort(snap->vols, nr, sizeof(*snap->vols), by_dev, NULL);
	err = ft_vec_make_room(&snap->volumes, nr, sizeof(struct ft_snap_volume));
	for (i = 0; i < nr && !err; i++)
		err = list_volume(snap, snap->vols[i]);
	return err;
}

/* === Files ================================================================ */

/* Is a path kept as it is, or are there too many long ones? */
static bool is_usual(const struct ft_snapshot *snap, size_t len)
{
	return len < USUAL_PATH || snap->paths.nr < ft_vec_budget() / PATHS_SHARE;
}

/* There is room for its path, and for all files of this step. */
static void list_file(struct ft_snapshot *snap, struct ft_inode *rec, u32 volume)
{
	char *path = snap->paths.data + snap->paths.nr;
	size_t len;

	if (rec->is_dir || READ_ONCE(rec->state) == FT_OMITTED)
		return;
	len = ft_names_path(rec, path, PATH_MAX);
	/* just created, or never named */
	if (!len)
		return;
	if (!is_usual(snap, len))
		len = strscpy(path, "?", PATH_MAX);
	*ft_snap_file(snap, snap->files.nr++) = (struct ft_snap_file){
		.path = snap->paths.nr,
		.volume = volume,
		.ino = rec->ino,
	};
	refcount_inc(&rec->ref);
	((struct ft_inode **)snap->recs.data)[snap->recs.nr++] = rec;
	keep_path(snap, len);
}

/*
 * List some files, from inode number *@ino on. A record found with ns_lock held stays
 * until the lock is dropped: the table's reference is put after ft_names_forget(), which
 * takes ns_lock, or with it held. Returns false at the end.
 */
static bool list_some(struct ft_snapshot *snap, u32 volume, unsigned long *ino)
{
	struct ft_volume *vol = snap->vols[volume];
	size_t end = snap->paths.nr + PATHS_PER_STEP;
	struct ft_inode *rec;
	unsigned int n = 0;

	mutex_lock(&vol->ns_lock);
	xa_for_each_start(&vol->inodes, *ino, rec, *ino) {
		if (n++ == FILES_PER_STEP || snap->paths.nr >= end)
			break;
		list_file(snap, rec, volume);
	}
	mutex_unlock(&vol->ns_lock);
	cond_resched();
	return rec;
}

static int list_files(struct ft_snapshot *snap, u32 volume)
{
	unsigned long ino = 0;
	int err;

	do {
		/* tasks that change names wait for the lock: not for memory */
		err = ft_vec_make_room(&snap->paths, PATHS_PER_STEP +
				       path_room(snap, PATH_MAX), 1) ?:
		      ft_vec_make_room(&snap->files, FILES_PER_STEP,
				       sizeof(struct ft_snap_file)) ?:
		      ft_vec_make_room(&snap->recs, FILES_PER_STEP, sizeof(struct ft_inode *));
	} while (!err && list_some(snap, volume, &ino));
	return err;
}

/* === Extents ============================================================== */

/* Allocate nearly all of the room at once: moving extents is expensive. */
static int make_room_for_extents(struct ft_snapshot *snap)
{
	struct ft_inode **recs = snap->recs.data;
	size_t nr = 64, i;

	for (i = 0; i < snap->recs.nr; i++)
		nr += READ_ONCE(recs[i]->map.nr);
	return ft_vec_make_room(&snap->extents, nr, sizeof(struct ft_snap_extent));
}

/*
 * Copy extents from *@from on: up to @max, or until the map or the room ends.
 * Returns true at the end of the map.
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
					.flags = some[i].encoded ? FT_SNAP_ENCODED : 0,
					.cause = snap->view == FT_VIEW_TABLE ? 0 : some[i].cause,
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
		err = ft_vec_make_room(&snap->extents, 64, sizeof(struct ft_snap_extent));
		if (err)
			return err;
		/* disable interrupts: writers are waiting for this lock */
		spin_lock_irq(&rec->lock);
		if (ft_inode_has_note(rec))
			ft_inode_take_up(rec);
		if (from && rec->changes != changes && tries++ < MAX_TRIES) {
			snap->extents.nr = f->first;
			from = 0;
		}
		changes = rec->changes;
		f->flags = ft_inode_is_stale(rec) || tries > MAX_TRIES ? FT_SNAP_STALE : 0;
		gone = !ft_inode_followed(rec);
		done = gone || copy_some(snap, file, rec, &from, EXTENTS_PER_STEP);
		if (gone) {
			snap->extents.nr = f->first;
			f->flags |= FT_SNAP_OMITTED;
			ft_snap_volume(snap, f->volume)->left_out++;
		}
		spin_unlock_irq(&rec->lock);
		ft_let_writers_go();
	}
	f->nr = snap->extents.nr - f->first;
	return 0;
}

/* === Causes =============================================================== */

/**
 * ft_snapshot_breaks() - does a fragment other than the first begin here?
 * @snap: the snapshot
 * @extent: index of the extent
 *
 * Return: true if this extent begins such a fragment.
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

/* List the processes of a volume. Their index here is their number plus *@base. */
static int list_writers(struct ft_snapshot *snap, u32 volume, u32 *base)
{
	struct ft_volume *vol = snap->vols[volume];
	const struct ft_writer *w;
	unsigned long number;
	u64 cgroup;
	int err;

	*base = snap->writers.nr - FT_FIRST_WRITER;
	if (!vol->writers)
		return 0;
	xa_for_each(&vol->writers->by_number, number, w) {
		/* numbers have no gap, but one may be added meanwhile */
		if (number + *base != snap->writers.nr)
			break;
		cgroup = FT_SNAP_NO_PATH;
		err = ft_vec_make_room(&snap->writers, 1, sizeof(struct ft_snap_writer));
		if (!err && w->cgroup[0])
			err = ft_snapshot_append(snap, w->cgroup, &cgroup);
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
		memcpy(ft_snap_writer(snap, snap->writers.nr)->comm, w->comm, sizeof(w->comm));
		snap->writers.nr++;
		cond_resched();
	}
	return 0;
}

/* Complete the causes of a file; writers of all volumes are in one array. */
static void translate(struct ft_snapshot *snap, struct ft_snap_file *f, u32 base)
{
	const struct ft_snap_extent *prev = NULL;
	size_t i;

	for (i = f->first; i < f->first + f->nr; i++) {
		struct ft_snap_extent *ext = ft_snap_extent(snap, i);
		u32 writer = ft_cause_writer(ext->cause);

		/* a file may have millions of them */
		cond_resched();
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

/* The entries for no known process come first. */
static int list_causes(struct ft_snapshot *snap)
{
	size_t file = 0;
	u32 volume, base;
	int err;

	err = ft_vec_make_room(&snap->writers, FT_FIRST_WRITER, sizeof(struct ft_snap_writer));
	if (err)
		return err;
	for (; snap->writers.nr < FT_FIRST_WRITER; snap->writers.nr++)
		*ft_snap_writer(snap, snap->writers.nr) =
			(struct ft_snap_writer){ .cgroup = FT_SNAP_NO_PATH };
	for (volume = 0; volume < snap->volumes.nr; volume++) {
		err = list_writers(snap, volume, &base);
		if (err)
			return err;
		for (; file < snap->files.nr && ft_snap_file(snap, file)->volume == volume; file++)
			translate(snap, ft_snap_file(snap, file), base);
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
		const struct ft_snap_extent *ext = ft_snap_extent(snap, f->first + i);
		u32 window = ext->lblk / FT_REQUEST_BLOCKS;
		u32 last = (ext->lblk + ext->len - 1) / FT_REQUEST_BLOCKS;
		u32 windows = last - window + 1;
		bool new_fragment = true;

		cond_resched();
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
		/* a request shared with the extent before is counted there */
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

/* === Life ================================================================= */

/* The snapshot is complete: it needs no records and volumes any more. */
static void drop_references(struct ft_snapshot *snap)
{
	size_t i;

	for (i = 0; i < snap->recs.nr; i++)
		ft_inode_put(((struct ft_inode **)snap->recs.data)[i]);
	for (i = 0; i < snap->nr_vols; i++)
		ft_volume_put(snap->vols[i]);
	ft_vec_free(&snap->recs);
	kfree(snap->vols);
}

static int fill(struct ft_snapshot *snap,
		int (*each)(struct ft_lines *lines, struct ft_inode *rec, u32 file),
		struct ft_lines *lines)
{
	size_t i;
	int err = list_volumes(snap);

	for (i = 0; i < snap->volumes.nr && !err; i++)
		err = list_files(snap, i);
	for (i = 0; i < snap->recs.nr && !err && each; i++) {
		err = each(lines, ((struct ft_inode **)snap->recs.data)[i], i);
		cond_resched();
	}
	if (snap->view == FT_VIEW_PATHS)
		return err;
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
	return err ?: ft_snapshot_order(snap);
}

/**
 * ft_snapshot_take() - copy the maps
 * @view: the view that the copy is for
 * @each: called for each file that was listed, or %NULL; returns 0 or an error
 * @lines: for it
 *
 * Context: process; may sleep.
 * Return: the snapshot, to be freed by ft_snapshot_free(), or an ERR_PTR.
 */
struct ft_snapshot *
ft_snapshot_take(enum ft_view view,
		 int (*each)(struct ft_lines *lines, struct ft_inode *rec, u32 file),
		 struct ft_lines *lines)
{
	struct ft_snapshot *snap = kzalloc(sizeof(*snap), GFP_KERNEL);
	int err;

	if (!snap)
		return ERR_PTR(-ENOMEM);
	snap->view = view;
	err = fill(snap, each, lines);
	drop_references(snap);
	if (err) {
		ft_snapshot_free(snap);
		return ERR_PTR(err);
	}
	return snap;
}

/**
 * ft_snapshot_free() - free a snapshot
 * @snap: the snapshot; %NULL or an ERR_PTR is nothing
 */
void ft_snapshot_free(struct ft_snapshot *snap)
{
	if (IS_ERR_OR_NULL(snap))
		return;
	ft_vec_free(&snap->volumes);
	ft_vec_free(&snap->files);
	ft_vec_free(&snap->extents);
	ft_vec_free(&snap->order);
	ft_vec_free(&snap->paths);
	ft_vec_free(&snap->writers);
	kfree(snap);
}
