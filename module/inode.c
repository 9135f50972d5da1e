// SPDX-License-Identifier: GPL-2.0-only
/*
 * The record of an inode: its extent map, and what each event does to it.
 *
 * In: events from probe.c, extents found by scan.c. Out: maps that snapshot.c
 * copies. The written blocks of a map are exact, or the record says that it is
 * stale and waits for a scan, or that it was left out.
 *
 * A scan does not stop the writers. It builds a second map beside the live one
 * while events change both, and remembers in a third (touched) which blocks
 * they changed, for these the event is right and not what the scan found.
 * Only one scan runs on a volume, so that third map is the volume's.
 */

#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "fragtrace.h"

/*
 * How many extents or holes an event may work through at once. An event that
 * means more work leaves it to the worker.
 */
#define MAX_WORK_IN_PROBE	1024

DEFINE_PER_CPU(u64 [FT_NR_COUNTERS], ft_counters);

static struct kmem_cache *cache;

/* Records whose last user has gone, to be freed after RCU readers. */
static LIST_HEAD(freed);
static DEFINE_SPINLOCK(freed_lock);
static void flush_freed(struct work_struct *work);
static DECLARE_WORK(freed_work, flush_freed);

/* Maps on their way to be freed are nobody's, but the tree asserts a lock. */
static DEFINE_SPINLOCK(trash_lock);

/* === Memory budget ======================================================== */

/* Bytes used by records, names and extents, and the number of extents. */
atomic_long_t ft_mem_bytes = ATOMIC_LONG_INIT(0);
atomic_long_t ft_nr_extents = ATOMIC_LONG_INIT(0);

static unsigned long mem_budget;

/**
 * ft_mem_set_budget() - say how much memory records, names and maps may take
 * @bytes: the budget
 */
void ft_mem_set_budget(unsigned long bytes)
{
	mem_budget = bytes;
}

/**
 * ft_mem_budget() - how much memory records, names and maps may take
 *
 * Return: the budget in bytes.
 */
unsigned long ft_mem_budget(void)
{
	return mem_budget;
}

/**
 * ft_mem_add() - count memory as used
 * @bytes: how much; negative when it is freed
 */
void ft_mem_add(long bytes)
{
	atomic_long_add(bytes, &ft_mem_bytes);
}

/* Files that are followed may grow when new ones are no longer taken. */
static bool room_for_new(void)
{
	unsigned long used = atomic_long_read(&ft_mem_bytes);

	return used < mem_budget - mem_budget / 8;
}

static bool over_budget(void)
{
	return atomic_long_read(&ft_mem_bytes) > mem_budget;
}

static void account_extents(long grow)
{
	if (!grow)
		return;
	atomic_long_add(grow, &ft_nr_extents);
	ft_mem_add(grow * FT_BYTES_PER_EXTENT);
}

/* What a record takes, its share of the xarray included. */
static long record_size(void)
{
	return sizeof(struct ft_inode) + 2 * sizeof(void *);
}

/* === Maps ================================================================= */

static struct ft_extmap *live_map(struct ft_inode *rec)
{
	return &rec->map[rec->live];
}

static struct ft_extmap *other_map(struct ft_inode *rec)
{
	return &rec->map[!rec->live];
}

static int store(struct ft_extmap *map, const struct ft_extent *ext)
{
	long nr = map->nr;
	int err = ft_extmap_store(map, ext);

	account_extents(map->nr - nr);
	return err;
}

static int erase(struct ft_extmap *map, u32 lblk, u32 end)
{
	long nr = map->nr;
	int err = ft_extmap_erase(map, lblk, end);

	account_extents(map->nr - nr);
	return err;
}

static int reserve(struct ft_extmap *map, u32 lblk, u32 end)
{
	long nr = map->nr;
	int err = ft_extmap_reserve(map, lblk, end, MAX_WORK_IN_PROBE);

	account_extents(map->nr - nr);
	return err;
}

/* What events changed while a scan is running: rec->scanning is set. */
static struct ft_extmap *touched(struct ft_inode *rec)
{
	return &rec->vol->touched;
}

/* Free a map that no event can reach any more; its extents are not counted. */
static void discard(struct ft_inode *rec, struct ft_extmap *map)
{
	spin_lock(&trash_lock);
	mt_set_external_lock(&map->mt, &trash_lock);
	ft_extmap_destroy(map);
	spin_unlock(&trash_lock);
	ft_extmap_init(map, &rec->lock);
}

/* === State ================================================================ */

static void stale_locked(struct ft_inode *rec)
{
	lockdep_assert_held(&rec->lock);
	rec->gen++;
	if (!rec->stale) {
		rec->stale = true;
		atomic_inc(&rec->vol->nr_stale);
	}
	ft_volume_queue(rec);
}

static void exact_locked(struct ft_inode *rec)
{
	lockdep_assert_held(&rec->lock);
	if (rec->stale) {
		rec->stale = false;
		atomic_dec(&rec->vol->nr_stale);
	}
}

/* The budget is used up: this file is left out, the others stay right. */
static void omit_locked(struct ft_inode *rec)
{
	lockdep_assert_held(&rec->lock);
	rec->omitted = true;
	rec->changes++;
	exact_locked(rec);
	ft_count(FT_REFUSED);
	ft_volume_queue(rec);
}

/* What became of a change: judge @err, and if the map grew, the budget. */
static void changed_locked(struct ft_inode *rec, int err, unsigned long old_nr)
{
	rec->changes++;
	if (err) {
		ft_count(FT_LOST);
		stale_locked(rec);
	}
	if (live_map(rec)->nr > old_nr && unlikely(over_budget()))
		omit_locked(rec);
}

/* Do events still mean something to this record? */
static bool followed(const struct ft_inode *rec)
{
	return likely(!rec->dead && !rec->omitted);
}

/* === Events =============================================================== */

/* Into the map that a scan is building; its extents are counted at the end. */
static int store_scanning(struct ft_inode *rec, const struct ft_extent *ext)
{
	struct ft_extent mark = *ext;

	mark.lba = FT_LBA_UNWRITTEN;
	return ft_extmap_store(other_map(rec), ext) ?:
	       ft_extmap_store(touched(rec), &mark);
}

static int erase_scanning(struct ft_inode *rec, u32 lblk, u32 end)
{
	struct ft_extent mark = {
		.lblk = lblk,
		.len = end - lblk,
		.lba = FT_LBA_UNWRITTEN,
	};

	if (lblk == end)
		return 0;
	return ft_extmap_erase(other_map(rec), lblk, end) ?:
	       ft_extmap_store(touched(rec), &mark);
}

static void store_locked(struct ft_inode *rec, const struct ft_extent *ext)
{
	unsigned long nr = live_map(rec)->nr;
	int err = store(live_map(rec), ext);

	if (!err && rec->scanning)
		err = store_scanning(rec, ext);
	changed_locked(rec, err, nr);
}

/* Where a block is, %FT_LBA_UNWRITTEN if nowhere. */
static u32 lba_of(struct ft_inode *rec, u32 lblk)
{
	struct ft_extent ext;

	if (!ft_extmap_lookup(live_map(rec), lblk, &ext) ||
	    ext.lba == FT_LBA_UNWRITTEN)
		return FT_LBA_UNWRITTEN;
	return ext.lba + (lblk - ext.lblk);
}

/**
 * ft_inode_write() - a block was written to a new place
 * @rec: the file
 * @lblk: block of the file
 * @old_lba: where it was, %FT_LBA_UNWRITTEN if nowhere
 * @lba: where it is now
 * @certain: the block is the file's; else it may be one of an atomic write that
 *	is not committed, and then only @old_lba can tell
 *
 * F2FS says where the block was. If the map says otherwise it missed
 * something, be it by a race or by an operation that has no event.
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_inode_write(struct ft_inode *rec, u32 lblk, u32 old_lba, u32 lba,
		    bool certain)
{
	struct ft_extent ext = { .lblk = lblk, .len = 1, .lba = lba };
	u32 known;

	spin_lock(&rec->lock);
	if (followed(rec)) {
		known = lba_of(rec, lblk);
		if (!certain && (known != old_lba || known == FT_LBA_UNWRITTEN)) {
			stale_locked(rec);
		} else {
			if (known != old_lba && !rec->stale) {
				ft_count(FT_MISMATCHES);
				stale_locked(rec);
			}
			store_locked(rec, &ext);
		}
	}
	spin_unlock(&rec->lock);
}

/* Does the map have exactly these blocks there? */
static bool agrees(struct ft_inode *rec, const struct ft_extent *want)
{
	struct ft_extent ext;

	return ft_extmap_lookup(live_map(rec), want->lblk, &ext) &&
	       ext.lba != FT_LBA_UNWRITTEN &&
	       ext.lba + (want->lblk - ext.lblk) == want->lba &&
	       ft_extent_end(&ext) >= ft_extent_end(want);
}

static bool any_written(struct ft_inode *rec, u32 lblk, u32 end)
{
	struct ft_extent ext;

	while (ft_extmap_next(live_map(rec), lblk, &ext) && ext.lblk < end) {
		if (ext.lba != FT_LBA_UNWRITTEN)
			return true;
		lblk = ft_extent_end(&ext);
	}
	return false;
}

/**
 * ft_inode_update() - F2FS has changed the address of blocks
 * @rec: the file
 * @ext: the blocks; %FT_LBA_UNWRITTEN if they have no address now
 *
 * Reported while F2FS holds the lock of the address, so it is exact, but not
 * for every file. Mostly it confirms what another event said before; even then
 * it counts during a scan, which may have seen the address before the change.
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_inode_update(struct ft_inode *rec, const struct ft_extent *ext)
{
	u32 end = ft_extent_end(ext);
	unsigned long nr;
	int err = 0;

	spin_lock(&rec->lock);
	if (!followed(rec))
		goto out;
	nr = live_map(rec)->nr;
	if (ext->lba != FT_LBA_UNWRITTEN) {
		if (!agrees(rec, ext))
			store_locked(rec, ext);
		else if (rec->scanning)
			changed_locked(rec, store_scanning(rec, ext), nr);
	} else if (rec->scanning || any_written(rec, ext->lblk, end)) {
		err = erase(live_map(rec), ext->lblk, end);
		if (!err && rec->scanning)
			err = erase_scanning(rec, ext->lblk, end);
		changed_locked(rec, err, nr);
	}
out:
	spin_unlock(&rec->lock);
}

/**
 * ft_inode_map() - blocks got an address
 * @rec: the file
 * @ext: the blocks
 * @in_one: they are surely next to each other, not only the first is where
 *	@ext says
 *
 * Reported after F2FS dropped its locks. What contradicts a written block may
 * be older than the map.
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_inode_map(struct ft_inode *rec, const struct ft_extent *ext,
		  bool in_one)
{
	spin_lock(&rec->lock);
	if (followed(rec) && !agrees(rec, ext)) {
		if (any_written(rec, ext->lblk, ft_extent_end(ext)) ||
		    (ext->len > 1 && !in_one))
			stale_locked(rec);
		else
			store_locked(rec, ext);
	}
	spin_unlock(&rec->lock);
}

/**
 * ft_inode_commit() - an atomic write put a block in place
 * @rec: the file
 * @lblk: block of the file
 * @lba: where it is now
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_inode_commit(struct ft_inode *rec, u32 lblk, u32 lba)
{
	struct ft_extent ext = { .lblk = lblk, .len = 1, .lba = lba };

	spin_lock(&rec->lock);
	if (followed(rec)) {
		store_locked(rec, &ext);
		rec->committing = true;
	}
	spin_unlock(&rec->lock);
}

/* All extents go: hand them to the worker, however many there are. */
static bool swap_out_locked(struct ft_inode *rec)
{
	if (rec->scanning || rec->trash)
		return false;
	account_extents(-(long)live_map(rec)->nr);
	rec->trash = true;
	rec->live = !rec->live;
	ft_volume_queue(rec);
	return true;
}

static void truncate_locked(struct ft_inode *rec, u32 lblk)
{
	int err = 0;

	/* a commit that replaces the file frees what is between the new blocks */
	if (rec->committing) {
		rec->committing = false;
		stale_locked(rec);
	}
	if (live_map(rec)->nr > MAX_WORK_IN_PROBE) {
		if (lblk > 0 || !swap_out_locked(rec))
			stale_locked(rec);
	} else {
		err = erase(live_map(rec), lblk, FT_LBLK_END);
	}
	if (!err && rec->scanning) {
		if (other_map(rec)->nr > MAX_WORK_IN_PROBE)
			stale_locked(rec);
		else
			err = erase_scanning(rec, lblk, FT_LBLK_END);
	}
	changed_locked(rec, err, ULONG_MAX);
}

/**
 * ft_inode_truncate() - all blocks from one on are freed
 * @rec: the file
 * @lblk: the first of them
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_inode_truncate(struct ft_inode *rec, u32 lblk)
{
	spin_lock(&rec->lock);
	if (followed(rec))
		truncate_locked(rec, lblk);
	spin_unlock(&rec->lock);
}

/**
 * ft_inode_reserve() - blocks were preallocated, without an address yet
 * @rec: the file
 * @lblk: first block of the range
 * @end: its end, exclusive
 *
 * Written blocks in the range stay as they are. The event comes late, so that
 * the holes may have gone meanwhile; a scan settles it, but since no written
 * block is in doubt the map does not become stale.
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_inode_reserve(struct ft_inode *rec, u32 lblk, u32 end)
{
	unsigned long nr;

	spin_lock(&rec->lock);
	if (followed(rec)) {
		nr = live_map(rec)->nr;
		/* what does not fit is found by the scan */
		reserve(live_map(rec), lblk, end);
		changed_locked(rec, 0, nr);
		rec->gen++;
		ft_volume_queue(rec);
	}
	spin_unlock(&rec->lock);
}

/**
 * ft_inode_mark_stale() - something changed, and only F2FS knows what
 * @rec: the file
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_inode_mark_stale(struct ft_inode *rec)
{
	spin_lock(&rec->lock);
	if (followed(rec)) {
		rec->changes++;
		stale_locked(rec);
	}
	spin_unlock(&rec->lock);
}

/**
 * ft_inode_request_scan() - have the layout looked up, whatever the state
 * @rec: a file, also one that was left out; or a directory
 *
 * Context: any; the caller holds a reference or is in an RCU section.
 */
void ft_inode_request_scan(struct ft_inode *rec)
{
	spin_lock(&rec->lock);
	if (rec->dead) {
		/* on its way out */
	} else if (rec->is_dir) {
		ft_volume_queue(rec);
	} else {
		if (rec->omitted && room_for_new() && !rec->scanning)
			rec->omitted = false;
		if (!rec->omitted)
			stale_locked(rec);
	}
	spin_unlock(&rec->lock);
}

/* === Scans ================================================================ */

/**
 * ft_inode_scan_begin() - start to build a second map
 * @rec: the file
 *
 * Context: process, the volume's worker.
 * Return: false if there is nothing to scan any more.
 */
bool ft_inode_scan_begin(struct ft_inode *rec)
{
	bool begin;

	spin_lock(&rec->lock);
	begin = followed(rec) && !rec->trash;
	if (begin) {
		mt_set_external_lock(&touched(rec)->mt, &rec->lock);
		rec->scanning = true;
		rec->gen = 0;
	} else if (rec->trash) {
		/* just thrown away: come back when that is cleared */
		ft_volume_queue(rec);
	}
	spin_unlock(&rec->lock);
	return begin;
}

/* Put into the new map what the scan found, but for the blocks events touched. */
static int merge_one(struct ft_inode *rec, const struct ft_extent *found)
{
	u32 pos = found->lblk, end = ft_extent_end(found);
	struct ft_extent piece, mark;
	int err = 0;

	while (!err && pos < end) {
		u32 stop = end, next = end;

		if (ft_extmap_next(touched(rec), pos, &mark) &&
		    mark.lblk < end) {
			stop = max(mark.lblk, pos);
			next = ft_extent_end(&mark);
		}
		if (stop > pos) {
			piece.lblk = pos;
			piece.len = stop - pos;
			piece.lba = found->lba;
			if (piece.lba != FT_LBA_UNWRITTEN)
				piece.lba += pos - found->lblk;
			err = ft_extmap_store(other_map(rec), &piece);
		}
		pos = next;
	}
	return err;
}

/*
 * The map being built will replace the live one: only if the file grows by
 * that is there a reason to leave it out.
 */
static bool scan_over_budget(struct ft_inode *rec)
{
	long more = other_map(rec)->nr - live_map(rec)->nr;

	return more > 0 && atomic_long_read(&ft_mem_bytes) +
			   more * FT_BYTES_PER_EXTENT > (long)mem_budget;
}

/**
 * ft_inode_scan_merge() - take over what F2FS reported
 * @rec: the file, between scan_begin and scan_end
 * @ext: extents, in file order
 * @nr: how many
 *
 * Context: process, the volume's worker.
 * Return: 0, -ENOMEM, or -ENOBUFS if the budget was used up and the file is
 * now left out.
 */
int ft_inode_scan_merge(struct ft_inode *rec, const struct ft_extent *ext,
			unsigned int nr)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr && !err; i++) {
		/* one at a time: writers need the lock */
		spin_lock(&rec->lock);
		if (rec->omitted || rec->dead) {
			err = -ENOBUFS;
		} else if (scan_over_budget(rec)) {
			omit_locked(rec);
			err = -ENOBUFS;
		} else {
			err = merge_one(rec, &ext[i]);
		}
		spin_unlock(&rec->lock);
		cond_resched();
	}
	return err;
}

/**
 * ft_inode_scan_end() - make the new map the live one
 * @rec: the file
 * @err: why the scan did not complete; 0 if it did
 *
 * Context: process, the volume's worker.
 * Return: true if the map is exact now; false if the file is to be scanned
 * again, because of @err or because something else happened meanwhile.
 */
bool ft_inode_scan_end(struct ft_inode *rec, int err)
{
	bool settled = false;

	spin_lock(&rec->lock);
	if (!err && !rec->omitted && !rec->dead) {
		account_extents((long)other_map(rec)->nr - (long)live_map(rec)->nr);
		rec->live = !rec->live;
		rec->changes++;
		settled = !rec->gen;
		if (settled)
			exact_locked(rec);
	}
	rec->scanning = false;
	ft_extmap_destroy(touched(rec));
	ft_extmap_init(touched(rec), &rec->vol->queue_lock);
	spin_unlock(&rec->lock);
	discard(rec, other_map(rec));
	return settled;
}

/**
 * ft_inode_empty_trash() - free extents that an event had no time to free
 * @rec: the file; no scan is running on it
 *
 * Context: process, the volume's worker.
 */
void ft_inode_empty_trash(struct ft_inode *rec)
{
	spin_lock(&rec->lock);
	if (rec->omitted && !rec->trash && live_map(rec)->nr) {
		account_extents(-(long)live_map(rec)->nr);
		rec->live = !rec->live;
		rec->changes++;
		rec->trash = true;
	}
	spin_unlock(&rec->lock);
	if (!rec->trash)
		return;
	/* not live, not scanned: only we look at it */
	discard(rec, other_map(rec));
	spin_lock(&rec->lock);
	rec->trash = false;
	spin_unlock(&rec->lock);
}

/* === Life ================================================================= */

/**
 * ft_inode_create() - begin to follow a file or directory
 * @vol: its volume
 * @ino: its inode number
 * @is_dir: whether it is a directory
 * @stale: its layout, or the names in it, must be asked for
 * @gfp: how to allocate
 *
 * A record left over from an earlier inode of that number is removed.
 *
 * Context: atomic if @gfp says so; the caller makes sure that no one else
 * creates the same inode now (names.c: ns_lock; a new inode: nobody knows it).
 * Return: the record, to be used under RCU or the ns_lock; or an ERR_PTR:
 * -ENOMEM, -ENOBUFS if the budget does not allow another record.
 */
struct ft_inode *ft_inode_create(struct ft_volume *vol, u32 ino, bool is_dir,
				 bool stale, gfp_t gfp)
{
	struct ft_inode *rec, *old;

	if (!room_for_new())
		return ERR_PTR(-ENOBUFS);
	rec = kmem_cache_zalloc(cache, gfp);
	if (!rec)
		return ERR_PTR(-ENOMEM);
	rec->vol = vol;
	rec->ino = ino;
	rec->is_dir = is_dir;
	refcount_set(&rec->ref, 1);
	spin_lock_init(&rec->lock);
	ft_extmap_init(&rec->map[0], &rec->lock);
	ft_extmap_init(&rec->map[1], &rec->lock);
	INIT_LIST_HEAD(&rec->queue);
	INIT_HLIST_HEAD(&rec->links);
	INIT_HLIST_HEAD(&rec->children);

	old = ft_inode_find(vol, ino);
	if (unlikely(old))
		ft_inode_remove(old);
	ft_volume_get(vol);
	if (xa_insert(&vol->inodes, ino, rec, gfp)) {
		kmem_cache_free(cache, rec);
		ft_volume_put(vol);
		return ERR_PTR(-ENOMEM);
	}
	atomic_inc(is_dir ? &vol->nr_dirs : &vol->nr_inodes);
	ft_mem_add(record_size());
	if (stale) {
		spin_lock(&rec->lock);
		if (is_dir)
			ft_volume_queue(rec);
		else
			stale_locked(rec);
		spin_unlock(&rec->lock);
	}
	return rec;
}

/**
 * ft_inode_find() - the record of an inode
 * @vol: the volume
 * @ino: the inode number
 *
 * Context: RCU read section, or ns_lock held.
 * Return: the record, valid until the end of the section; NULL if there is none.
 */
struct ft_inode *ft_inode_find(struct ft_volume *vol, unsigned long ino)
{
	return xa_load(&vol->inodes, ino);
}

/**
 * ft_inode_get() - the record of an inode, to keep
 * @vol: the volume
 * @ino: the inode number
 *
 * Return: the record, to be given back by ft_inode_put(); NULL if there is none.
 */
struct ft_inode *ft_inode_get(struct ft_volume *vol, unsigned long ino)
{
	struct ft_inode *rec;

	rcu_read_lock();
	rec = ft_inode_find(vol, ino);
	if (rec && !refcount_inc_not_zero(&rec->ref))
		rec = NULL;
	rcu_read_unlock();
	return rec;
}

/**
 * ft_inode_put() - give a reference back
 * @rec: the record
 *
 * Context: any.
 */
void ft_inode_put(struct ft_inode *rec)
{
	if (!refcount_dec_and_test(&rec->ref))
		return;
	spin_lock(&freed_lock);
	list_add_tail(&rec->queue, &freed);
	spin_unlock(&freed_lock);
	queue_work(ft_wq, &freed_work);
}

/**
 * ft_inode_remove() - stop following an inode
 * @rec: the record; its names are dropped later, by the worker
 *
 * Context: atomic; RCU read section or a reference.
 */
void ft_inode_remove(struct ft_inode *rec)
{
	struct ft_volume *vol = rec->vol;

	/* who erases it is the one who removes it */
	if (xa_cmpxchg(&vol->inodes, rec->ino, rec, NULL, 0) != rec)
		return;
	atomic_dec(rec->is_dir ? &vol->nr_dirs : &vol->nr_inodes);
	/* the worker, when it sees it dead, drops the table's reference */
	spin_lock(&rec->lock);
	rec->dead = true;
	exact_locked(rec);
	ft_volume_queue(rec);
	spin_unlock(&rec->lock);
}

/**
 * ft_inode_flush_freed() - free the records that nobody uses any more
 *
 * Context: process; waits for RCU readers.
 */
void ft_inode_flush_freed(void)
{
	struct ft_inode *rec, *next;
	LIST_HEAD(list);

	spin_lock(&freed_lock);
	list_splice_init(&freed, &list);
	spin_unlock(&freed_lock);
	if (list_empty(&list))
		return;

	synchronize_rcu();
	list_for_each_entry_safe(rec, next, &list, queue) {
		struct ft_volume *vol = rec->vol;

		account_extents(-(long)live_map(rec)->nr);
		discard(rec, &rec->map[0]);
		discard(rec, &rec->map[1]);
		kfree(rec->gone_path);
		ft_mem_add(-record_size());
		kmem_cache_free(cache, rec);
		ft_volume_put(vol);
		cond_resched();
	}
}

static void flush_freed(struct work_struct *work)
{
	ft_inode_flush_freed();
}

/**
 * ft_inode_init() - prepare for records
 *
 * Return: 0 or -ENOMEM.
 */
int ft_inode_init(void)
{
	cache = KMEM_CACHE(ft_inode, 0);
	return cache ? 0 : -ENOMEM;
}

/**
 * ft_inode_exit() - free what ft_inode_init() made
 *
 * Context: process, all volumes gone and all references given back.
 */
void ft_inode_exit(void)
{
	ft_inode_flush_freed();
	kmem_cache_destroy(cache);
}
