// SPDX-License-Identifier: GPL-2.0-only
/*
 * A consistent copy of the maps for one reader, with the figures of each file.
 *
 * In: the records of all volumes. Out: arrays that nobody else changes, so a
 * slow reader keeps no lock. A file's extents are copied in short pieces, from
 * the beginning again if the file changed meanwhile; each file is consistent
 * in itself, two files may be moments apart.
 */

#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "fragtrace.h"
#include "snapshot.h"

/* Files listed, or extents copied, before others may have the lock. */
#define FILES_PER_STEP		256
#define EXTENTS_PER_STEP	256
/* How often a busy file is begun anew before it is taken as it comes: stale. */
#define MAX_TRIES		8

/* === Arrays =============================================================== */

/* The reader gets -ENOMEM; nobody is killed, and no log filled, for its sake. */
static int make_room(struct ft_vec *vec, size_t more, size_t size)
{
	size_t room = max(vec->nr + more, 2 * vec->room);
	void *data;

	if (vec->nr + more <= vec->room)
		return 0;
	data = kvmalloc_array(room, size, GFP_KERNEL | __GFP_NOWARN |
						__GFP_RETRY_MAYFAIL);
	if (!data)
		return -ENOMEM;
	if (vec->nr)
		memcpy(data, vec->data, vec->nr * size);
	kvfree(vec->data);
	vec->data = data;
	vec->room = room;
	return 0;
}

/* === Volumes ============================================================== */

static int by_dev(const void *a, const void *b)
{
	const struct ft_snap_volume *x = a, *y = b;

	return x->dev < y->dev ? -1 : x->dev > y->dev;
}

static int add_path(struct ft_snapshot *snap, const char *path, size_t *offset)
{
	size_t len = strlen(path) + 1;
	int err = make_room(&snap->paths, len, 1);

	if (err)
		return err;
	*offset = snap->paths.nr;
	memcpy(snap->paths.data + snap->paths.nr, path, len);
	snap->paths.nr += len;
	return 0;
}

static int list_volumes(struct ft_snapshot *snap)
{
	struct ft_snap_volume *v;
	struct ft_volume *vol;
	size_t count = 0, i;
	int err;

	/* the list only gets longer with this lock held */
	mutex_lock(&ft_targets_lock);
	rcu_read_lock();
	list_for_each_entry_rcu(vol, &ft_volumes, node)
		count++;
	rcu_read_unlock();
	err = make_room(&snap->volumes, count, sizeof(*v));
	if (!err) {
		rcu_read_lock();
		list_for_each_entry_rcu(vol, &ft_volumes, node) {
			if (!refcount_inc_not_zero(&vol->ref))
				continue;
			v = ft_snap_volume(snap, snap->volumes.nr++);
			*v = (struct ft_snap_volume){
				.vol = vol,
				.dev = vol->dev,
			};
		}
		rcu_read_unlock();
	}
	mutex_unlock(&ft_targets_lock);
	if (err)
		return err;

	sort(snap->volumes.data, snap->volumes.nr, sizeof(*v), by_dev, NULL);
	for (i = 0; i < snap->volumes.nr && !err; i++) {
		v = ft_snap_volume(snap, i);
		ft_volume_measure(v->vol);
		v->main_blkaddr = v->vol->main_blkaddr;
		v->blocks = READ_ONCE(v->vol->blocks);
		v->segment_blocks = v->vol->segment_blocks;
		err = add_path(snap, v->vol->mountpoint, &v->path);
	}
	return err;
}

/* === Files ================================================================ */

static int list_file(struct ft_snapshot *snap, struct ft_inode *rec)
{
	struct ft_snap_file *f;
	size_t len;
	int err;

	if (rec->is_dir || rec->omitted)
		return 0;
	len = ft_names_path(rec, NULL, 0);
	/* made a moment ago, or never named */
	if (!len)
		return 0;
	err = make_room(&snap->paths, len + 1, 1) ?:
	      make_room(&snap->files, 1, sizeof(*f));
	if (err)
		return err;
	f = ft_snap_file(snap, snap->files.nr++);
	*f = (struct ft_snap_file){
		.rec = rec,
		.dev = rec->vol->dev,
		.ino = rec->ino,
		.path = snap->paths.nr,
	};
	refcount_inc(&rec->ref);
	ft_names_path(rec, snap->paths.data + snap->paths.nr, len + 1);
	snap->paths.nr += len + 1;
	return 0;
}

/* Records found with ns_lock held stay until it is dropped: see work_on(). */
static int list_files(struct ft_snapshot *snap, struct ft_volume *vol)
{
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
			err = list_file(snap, rec);
			if (err)
				break;
		}
		mutex_unlock(&vol->ns_lock);
		cond_resched();
	} while (!err && n > FILES_PER_STEP);
	return err;
}

/* === Extents ============================================================== */

/*
 * Copy extents from *@from on until the map or the room ends. Returns true
 * when the map has ended.
 */
static bool copy_some(struct ft_snapshot *snap, u32 file, struct ft_extmap *map,
		      u32 *from, unsigned int max)
{
	struct ft_snap_extent *x;
	struct ft_extent ext;

	while (max-- && snap->extents.nr < snap->extents.room) {
		if (!ft_extmap_next(map, *from, &ext))
			return true;
		x = ft_snap_extent(snap, snap->extents.nr++);
		x->file = file;
		x->ext = ext;
		*from = ft_extent_end(&ext);
	}
	return false;
}

static int copy_file(struct ft_snapshot *snap, u32 file)
{
	struct ft_snap_file *f = ft_snap_file(snap, file);
	struct ft_inode *rec = f->rec;
	unsigned int tries = 0;
	bool done = false;
	u32 from = 0, changes = 0;
	int err;

	f->first = snap->extents.nr;
	while (!done) {
		err = make_room(&snap->extents, rec->map[rec->live].nr + 64,
				sizeof(struct ft_snap_extent));
		if (err)
			return err;
		spin_lock(&rec->lock);
		if (from && rec->changes != changes && tries++ < MAX_TRIES) {
			snap->extents.nr = f->first;
			from = 0;
		}
		changes = rec->changes;
		f->stale = rec->stale || tries > MAX_TRIES;
		done = rec->omitted ||
		       copy_some(snap, file, &rec->map[rec->live], &from,
				 EXTENTS_PER_STEP);
		if (rec->omitted)
			snap->extents.nr = f->first;
		f->omitted = rec->omitted;
		spin_unlock(&rec->lock);
		cond_resched();
	}
	f->nr = snap->extents.nr - f->first;
	return 0;
}

/* === Figures ============================================================== */

static void compute_figures(struct ft_snapshot *snap, struct ft_snap_file *f)
{
	struct ft_figures *fig = &f->figures;
	const struct ft_extent *prev = NULL;
	u32 prev_window = 0;
	size_t i;

	for (i = 0; i < f->nr; i++) {
		const struct ft_extent *ext =
			&ft_snap_extent(snap, f->first + i)->ext;
		u32 window = ext->lblk / FT_REQUEST_BLOCKS;
		u32 last = (ext->lblk + ext->len - 1) / FT_REQUEST_BLOCKS;
		u32 windows = last - window + 1;
		bool new_fragment = true;

		if (ext->lba == FT_LBA_UNWRITTEN)
			continue;
		if (prev) {
			u32 end = prev->lba + prev->len;

			new_fragment = ext->lba != end;
			fig->distance += max(ext->lba, end) - min(ext->lba, end);
		}
		fig->blocks += ext->len;
		fig->extents++;
		fig->fragments += new_fragment;
		/* a window shared with the extent before is counted there */
		if (prev && prev_window == window) {
			fig->ideal += windows - 1;
			fig->requests += windows - !new_fragment;
		} else {
			fig->ideal += windows;
			fig->requests += windows;
		}
		prev = ext;
		prev_window = last;
	}
}

/* === Order ================================================================ */

/* sort_r() takes no pause, and there may be millions to compare. */
static int by_lba(const void *a, const void *b, const void *priv)
{
	struct ft_snapshot *snap = (struct ft_snapshot *)priv;
	const struct ft_snap_extent *x = ft_snap_extent(snap, *(const u32 *)a);
	const struct ft_snap_extent *y = ft_snap_extent(snap, *(const u32 *)b);
	dev_t xdev = ft_snap_file(snap, x->file)->dev;
	dev_t ydev = ft_snap_file(snap, y->file)->dev;

	cond_resched();
	if (xdev != ydev)
		return xdev < ydev ? -1 : 1;
	return x->ext.lba < y->ext.lba ? -1 : x->ext.lba > y->ext.lba;
}

/* Worst is what costs a reader of the whole file most requests too many. */
static int by_badness(const void *a, const void *b, const void *priv)
{
	struct ft_snapshot *snap = (struct ft_snapshot *)priv;
	u32 i = *(const u32 *)a, j = *(const u32 *)b;
	const struct ft_figures *x = &ft_snap_file(snap, i)->figures;
	const struct ft_figures *y = &ft_snap_file(snap, j)->figures;
	u64 x_extra = x->requests - x->ideal, y_extra = y->requests - y->ideal;

	cond_resched();
	if (x_extra != y_extra)
		return x_extra > y_extra ? -1 : 1;
	if (x->fragments != y->fragments)
		return x->fragments > y->fragments ? -1 : 1;
	return i < j ? -1 : i > j;
}

static int put_in_order(struct ft_snapshot *snap)
{
	bool files = snap->view == FT_VIEW_FILES;
	size_t nr = files ? snap->files.nr : snap->extents.nr;
	u32 *order;
	size_t i;

	if (make_room(&snap->order, nr, sizeof(*order)))
		return -ENOMEM;
	order = snap->order.data;
	for (i = 0; i < nr; i++) {
		if (files && ft_snap_file(snap, i)->omitted)
			continue;
		if (snap->view == FT_VIEW_TABLE &&
		    ft_snap_extent(snap, i)->ext.lba == FT_LBA_UNWRITTEN)
			continue;
		order[snap->order.nr++] = i;
	}
	if (snap->view != FT_VIEW_EXTENTS)
		sort_r(order, snap->order.nr, sizeof(*order),
		       files ? by_badness : by_lba, NULL, snap);
	return 0;
}

/* === Life ================================================================= */

/* The snapshot stands on its own from here on. */
static void drop_references(struct ft_snapshot *snap)
{
	size_t i;

	for (i = 0; i < snap->files.nr; i++)
		ft_inode_put(ft_snap_file(snap, i)->rec);
	for (i = 0; i < snap->volumes.nr; i++)
		ft_volume_put(ft_snap_volume(snap, i)->vol);
}

static int fill(struct ft_snapshot *snap)
{
	size_t i;
	int err = list_volumes(snap);

	for (i = 0; i < snap->volumes.nr && !err; i++)
		err = list_files(snap, ft_snap_volume(snap, i)->vol);
	for (i = 0; i < snap->files.nr && !err; i++) {
		err = copy_file(snap, i);
		if (!err)
			compute_figures(snap, ft_snap_file(snap, i));
	}
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
	kvfree(snap->volumes.data);
	kvfree(snap->files.data);
	kvfree(snap->extents.data);
	kvfree(snap->order.data);
	kvfree(snap->paths.data);
	kfree(snap);
}
