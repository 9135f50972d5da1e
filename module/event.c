// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an event does to the extent map of its file.
 *
 * In: files and blocks from probe.c. Out: maps that snapshot.c copies. While a
 * scan is building a second map (rebuild.c), events change both, and leave a
 * mark where they did: there the event is right, not what the scan saw.
 */

#include "event.h"
#include "inode.h"
#include "memory.h"
#include "queue.h"
#include "rebuild.h"

/* === Both maps ============================================================ */

static int store(struct ft_inode *rec, const struct ft_extent *ext)
{
	u64 bytes = rec->map.bytes;
	u32 nr = rec->map.nr;
	int err = ft_extmap_store(&rec->map, ext);

	ft_mem_charge(&rec->map, nr, bytes);
	return err;
}

static int erase(struct ft_inode *rec, u32 lblk, u32 end)
{
	u64 bytes = rec->map.bytes;
	u32 nr = rec->map.nr;
	int err = ft_extmap_erase(&rec->map, lblk, end);

	ft_mem_charge(&rec->map, nr, bytes);
	return err;
}

static int reserve(struct ft_inode *rec, u32 lblk, u32 end)
{
	u64 bytes = rec->map.bytes;
	u32 nr = rec->map.nr;
	int err = ft_extmap_reserve(&rec->map, lblk, end);

	ft_mem_charge(&rec->map, nr, bytes);
	return err;
}

/* What became of a change: judge @err, and if the map takes more, the budget. */
static void changed_locked(struct ft_inode *rec, int err, u64 old_bytes)
{
	rec->changes++;
	WRITE_ONCE(rec->last_write, FT_NO_WRITE);
	if (err) {
		/* what is too much for a probe is not lost for want of memory */
		if (err != -E2BIG)
			ft_count(FT_LOST);
		ft_inode_untold(rec);
	}
	if (unlikely(rec->map.bytes > old_bytes))
		ft_mem_grown(rec);
}

/* Into the map that a scan is building; its extents are counted at the end. */
static int store_scanning(struct ft_inode *rec, const struct ft_extent *ext)
{
	struct ft_extent mark = *ext;
	u64 bytes = ft_second_bytes(rec);
	int err;

	mark.lba = FT_LBA_UNWRITTEN;
	err = ft_extmap_store(ft_built_map(rec), ext) ?:
	      ft_extmap_store(ft_touched_map(rec), &mark);
	ft_mem_charge_second(ft_second_bytes(rec), bytes);
	return err;
}

static int erase_scanning(struct ft_inode *rec, u32 lblk, u32 end)
{
	struct ft_extent mark = {
		.lblk = lblk,
		.len = end - lblk,
		.lba = FT_LBA_UNWRITTEN,
	};
	u64 bytes = ft_second_bytes(rec);
	int err;

	if (lblk == end)
		return 0;
	err = ft_extmap_erase(ft_built_map(rec), lblk, end) ?:
	      ft_extmap_store(ft_touched_map(rec), &mark);
	ft_mem_charge_second(ft_second_bytes(rec), bytes);
	return err;
}

static int store_locked(struct ft_inode *rec, const struct ft_extent *ext)
{
	u64 bytes = rec->map.bytes;
	int err = store(rec, ext);

	if (!err && ft_inode_scanning(rec))
		err = store_scanning(rec, ext);
	changed_locked(rec, err, bytes);
	return err;
}

/* === Events =============================================================== */

/**
 * ft_inode_write_any() - a block was written to a new place
 * @rec: the file
 * @lblk: block of the file
 * @old_lba: where it was, %FT_LBA_UNWRITTEN if nowhere
 * @lba: where it is now
 *
 * The slow half of ft_inode_write().
 *
 * Context: atomic, rec->lock held.
 */
void ft_inode_write_any(struct ft_inode *rec, u32 lblk, u32 old_lba, u32 lba)
{
	struct ft_extent ext = { .lblk = lblk, .len = 1, .lba = lba };
	u64 id = ft_write_id(lblk, lba);
	bool follows = id == rec->last_write + ft_write_id(1, 1);
	u32 known;

	lockdep_assert_held(&rec->lock);
	if (!ft_inode_followed(rec))
		return;
	if (old_lba != FT_LBA_UNWRITTEN && !ft_inode_scanning(rec) &&
	    ft_extmap_relocate(&rec->map, lblk, old_lba, lba)) {
		rec->changes++;
		WRITE_ONCE(rec->last_write, id);
		return;
	}
	known = ft_extmap_lba(&rec->map, lblk);
	if (known != old_lba && !ft_inode_is_stale(rec)) {
		ft_count(FT_MISMATCHES);
		ft_inode_stale(rec);
	}
	if (!store_locked(rec, &ext) && ft_inode_followed(rec) &&
	    !ft_inode_scanning(rec)) {
		WRITE_ONCE(rec->last_write, id);
		/* of a run that begins more is to come */
		if (follows)
			ft_extmap_expect(&rec->map);
	}
}

/**
 * ft_inode_write_doubtful() - a block was written, perhaps not the file's
 * @rec: the file, which is being written to atomically
 * @lblk: block of the file
 * @old_lba: where it was, %FT_LBA_UNWRITTEN if nowhere
 * @lba: where it is now
 *
 * A block of an atomic write that is not committed is not the file's yet. Only
 * @old_lba can tell.
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_inode_write_doubtful(struct ft_inode *rec, u32 lblk, u32 old_lba,
			     u32 lba)
{
	ft_inode_lock(rec);
	if (ft_inode_followed(rec)) {
		if (old_lba != FT_LBA_UNWRITTEN &&
		    ft_extmap_lba(&rec->map, lblk) == old_lba) {
			ft_inode_write_any(rec, lblk, old_lba, lba);
		} else {
			rec->changes++;
			ft_inode_untold(rec);
		}
	}
	spin_unlock(&rec->lock);
}

static void update_locked(struct ft_inode *rec, const struct ft_extent *ext)
{
	u64 bytes = rec->map.bytes;
	u32 end = ft_extent_end(ext);
	int err;

	if (ext->lba != FT_LBA_UNWRITTEN && !ft_extmap_holds(&rec->map, ext)) {
		store_locked(rec, ext);
	} else if (ext->lba != FT_LBA_UNWRITTEN) {
		if (ft_inode_scanning(rec))
			changed_locked(rec, store_scanning(rec, ext), bytes);
	} else if (ft_inode_scanning(rec) ||
		   ft_extmap_may_have_written(&rec->map, ext->lblk, end)) {
		rec->reserver = NULL;
		err = erase(rec, ext->lblk, end);
		if (!err && ft_inode_scanning(rec))
			err = erase_scanning(rec, ext->lblk, end);
		changed_locked(rec, err, bytes);
	}
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
	ft_inode_lock(rec);
	if (ft_inode_followed(rec))
		update_locked(rec, ext);
	spin_unlock(&rec->lock);
}

/**
 * ft_inode_map() - blocks got an address
 * @rec: the file
 * @ext: the blocks
 * @in_one: they are surely next to each other, not only the first is where
 *	@ext says
 *
 * Reported after F2FS dropped its locks. Mostly an update has told of these
 * blocks before. Where F2FS keeps no extent cache it has not, and then the file
 * is stale: what contradicts a written block may be older than the map.
 *
 * A run ends because the block behind it, which has been allocated as well, does
 * not continue it. The next run begins with that block, unless there is none: see
 * ft_inode_direct_end().
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_inode_map(struct ft_inode *rec, const struct ft_extent *ext,
		  bool in_one)
{
	ft_inode_lock(rec);
	if (in_one)
		rec->direct_end = ft_extent_end(ext);
	if (ft_inode_followed(rec) && !ft_extmap_holds(&rec->map, ext)) {
		/* before the budget may have it left out */
		ft_inode_stale(rec);
		if ((ext->len == 1 || in_one) &&
		    !ft_extmap_may_have_written(&rec->map, ext->lblk,
						ft_extent_end(ext)))
			store_locked(rec, ext);
	}
	spin_unlock(&rec->lock);
}

/* What blocks the file has is not known any more. False if nobody asks. */
static bool doubt_locked(struct ft_inode *rec)
{
	if (!ft_inode_followed(rec))
		return false;
	rec->changes++;
	ft_inode_stale(rec);
	return true;
}

/**
 * ft_inode_direct_end() - a direct write is over
 * @rec: the file; no other direct write to it is under way
 * @end: where it was to end, exclusive
 *
 * If it was cut short behind its last run, as by a buffer that is not there, F2FS
 * may have allocated the block behind that run, and nobody has told of it.
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_inode_direct_end(struct ft_inode *rec, u32 end)
{
	ft_inode_lock(rec);
	if (rec->direct_end && rec->direct_end < end)
		doubt_locked(rec);
	rec->direct_end = 0;
	spin_unlock(&rec->lock);
}

/**
 * ft_inode_commit_begin() - an atomic write is about to put a block in place
 * @rec: the file; its next ft_inode_commit() says which block
 *
 * Reported while F2FS holds the lock of the address, until it has been changed.
 * From here on each change of the map is noticed.
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_inode_commit_begin(struct ft_inode *rec)
{
	ft_inode_lock(rec);
	rec->commit_begun = true;
	rec->commit_changes = rec->changes;
	spin_unlock(&rec->lock);
}

/**
 * ft_inode_commit() - an atomic write put a block in place
 * @rec: the file
 * @lblk: block of the file
 * @lba: where it is now
 *
 * Reported after F2FS dropped the lock of the address. Mostly an update has told
 * of it before. Where F2FS keeps no extent cache it has not, and then this is the
 * last word only if the map has not changed since the begin: the block may have
 * been written to yet another place.
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_inode_commit(struct ft_inode *rec, u32 lblk, u32 lba)
{
	struct ft_extent ext = { .lblk = lblk, .len = 1, .lba = lba };

	ft_inode_lock(rec);
	if (ft_inode_followed(rec)) {
		if (!ft_extmap_holds(&rec->map, &ext)) {
			if (rec->commit_begun &&
			    rec->commit_changes == rec->changes)
				store_locked(rec, &ext);
			else
				doubt_locked(rec);
		}
		rec->commit_begun = false;
		rec->committing = true;
	}
	spin_unlock(&rec->lock);
}

static void truncate_locked(struct ft_inode *rec, u32 lblk)
{
	int err = 0;

	rec->reserver = NULL;
	/* a commit that replaces the file frees what is between the new blocks */
	if (rec->committing) {
		rec->committing = false;
		ft_inode_stale(rec);
	}
	if (!lblk)
		ft_inode_drop_map(rec);
	else
		err = erase(rec, lblk, FT_LBLK_END);
	if (!err && ft_inode_scanning(rec))
		err = erase_scanning(rec, lblk, FT_LBLK_END);
	changed_locked(rec, err, U64_MAX);
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
	ft_inode_lock(rec);
	if (ft_inode_followed(rec))
		truncate_locked(rec, lblk);
	spin_unlock(&rec->lock);
}

/**
 * ft_inode_reserve() - blocks were preallocated, without an address yet
 * @rec: the file
 * @lblk: first block of the range
 * @end: its end, exclusive
 * @whole: surely all of it, and nothing else
 *
 * Written blocks in the range stay as they are. The event comes late: of what
 * was preallocated some may have been freed already. If it is not known that
 * nothing was, a scan settles it; since no written block is in doubt the map does
 * not become stale.
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_inode_reserve(struct ft_inode *rec, u32 lblk, u32 end, bool whole)
{
	bool sure;
	u64 bytes;

	ft_inode_lock(rec);
	if (ft_inode_followed(rec)) {
		bytes = rec->map.bytes;
		sure = whole && rec->reserver == current &&
		       !ft_inode_scanning(rec);
		/* what does not fit is found by the scan */
		if (reserve(rec, lblk, end))
			sure = false;
		changed_locked(rec, 0, bytes);
		if (!sure)
			ft_inode_change(rec, FT_RESERVE);
		if (rec->reserver == current)
			rec->reserver = NULL;
	}
	spin_unlock(&rec->lock);
}

/**
 * ft_inode_reserve_begin() - the current task begins to preallocate blocks
 * @rec: the file; until ft_inode_reserve() is noted whether blocks are freed
 *
 * Of several tasks that do so at once only the last is remembered: for the others
 * F2FS is asked.
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_inode_reserve_begin(struct ft_inode *rec)
{
	ft_inode_lock(rec);
	rec->reserver = current;
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
	ft_inode_lock(rec);
	doubt_locked(rec);
	spin_unlock(&rec->lock);
}
