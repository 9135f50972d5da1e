// SPDX-License-Identifier: GPL-2.0-only
/*
 * Applies events to the extent map of their file.
 *
 * In: files and blocks from probes/map.c. Out: maps that debugfs/copy.c copies. While a
 * scan is building a second map (rebuild.c), events change both, and mark the
 * blocks that they changed: there the event is right, not the scan.
 */

#include <linux/minmax.h>
#include <linux/sizes.h>

#include "causes/breaks.h"
#include "causes/writer.h"
#include "core/base.h"
#include "core/memory.h"
#include "core/queue.h"
#include "f2fs/segment.h"
#include "f2fs/state.h"
#include "maps/budget.h"
#include "maps/event.h"
#include "maps/inode.h"
#include "maps/rebuild.h"
#include "maps/trace.h"

/* === Both maps ============================================================ */

/* Change the live map by a function of core/extmap.h, and charge what that takes. */
#define change_map(rec, func, ...)					\
({									\
	u64 _bytes = (rec)->map.bytes;					\
	u32 _nr = (rec)->map.nr;					\
	int _err = func(&(rec)->map, __VA_ARGS__);			\
									\
	ft_mem_charge(&(rec)->map, (rec)->owner, _nr, _bytes);		\
	_err;								\
})

/*
 * Finish a change: handle @err, and check the budget if the map has grown. Causes that make it
 * grow are checked apart.
 */
static void changed_locked(struct ft_inode *rec, int err, bool grown)
{
	rec->changes++;
	WRITE_ONCE(rec->last_write, FT_NO_WRITE);
	if (err) {
		/* -E2BIG is no lost event: the change is too large for a probe */
		if (err != -E2BIG)
			ft_count(FT_LOST);
		ft_inode_missed(rec, FT_OP_UNKNOWN);
	}
	if (unlikely(grown))
		ft_budget_grown(rec);
}

/*
 * Events know the causes in the live map. An extent that begins with the same block in the
 * map that a scan is building has the same one.
 */
static void copy_cause(struct ft_inode *rec, u32 lblk)
{
	ft_rebuild_set_cause(rec, lblk, ft_extmap_cause(&rec->map, lblk));
}

static void copy_next_cause(struct ft_inode *rec, const struct ft_around *before)
{
	if (ft_causes_wanted() && before->has_next)
		copy_cause(rec, before->limit);
}

/* Store in the map that a scan is building; its extents are counted at the end. */
static int store_scanning(struct ft_inode *rec, const struct ft_extent *ext)
{
	struct ft_extent mark = *ext;
	u64 bytes = ft_second_bytes(rec);
	int err;

	mark.lba = FT_LBA_UNWRITTEN;
	err = ft_extmap_store(ft_built_map(rec), ext) ?:
	      ft_extmap_store(ft_touched_map(rec), &mark);
	ft_mem_charge_second(ft_second_bytes(rec), bytes);
	if (ft_causes_wanted())
		copy_cause(rec, ext->lblk);
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

/* @before: filled by read_before() */
static int store_over(struct ft_inode *rec, const struct ft_extent *ext,
		      const struct ft_before *before, const struct ft_alloc *alloc)
{
	u64 bytes = rec->map.bytes;
	bool grown;
	int err;

	err = change_map(rec, ft_extmap_store, ext);
	grown = rec->map.bytes > bytes;
	if (!err && ft_causes_wanted())
		ft_breaks_stored(rec, ext, &before->around, alloc);
	if (!err && before->traced.on)
		ft_trace_stored(rec, ext, &before->traced, alloc);
	if (!err && ft_inode_scanning(rec)) {
		err = store_scanning(rec, ext);
		copy_next_cause(rec, &before->around);
	}
	changed_locked(rec, err, grown);
	return err;
}

static void read_before(struct ft_inode *rec, u32 lblk, u32 end, struct ft_before *before)
{
	ft_trace_before(rec, lblk, end, &before->traced);
	if (ft_causes_wanted())
		ft_extmap_around(&rec->map, lblk, end, &before->around);
}

static int store_locked(struct ft_inode *rec, const struct ft_extent *ext,
			const struct ft_alloc *alloc)
{
	struct ft_before before;

	read_before(rec, ext->lblk, ft_extent_end(ext), &before);
	return store_over(rec, ext, &before, alloc);
}

static void erase_locked(struct ft_inode *rec, u32 lblk, u32 end, const struct ft_alloc *alloc)
{
	u64 bytes = rec->map.bytes;
	struct ft_before before;
	bool grown;
	int err;

	read_before(rec, lblk, end, &before);
	err = change_map(rec, ft_extmap_erase, lblk, end);
	grown = rec->map.bytes > bytes;
	if (!err && ft_causes_wanted())
		ft_breaks_erased(rec, lblk, end, &before.around, alloc);
	if (!err && before.traced.on)
		ft_trace_erased(rec, lblk, end, &before.traced, alloc);
	if (!err && ft_inode_scanning(rec)) {
		err = erase_scanning(rec, lblk, end);
		copy_next_cause(rec, &before.around);
	}
	changed_locked(rec, err, grown);
}

/*
 * A log gave blocks to the file, and no write event reports it. Write events do
 * report the blocks of the copy for an atomic write, in the name of the file.
 */
static void took(struct ft_inode *rec, const struct ft_extent *ext, const struct ft_alloc *alloc)
{
	if (ft_causes_wanted() && !rec->copy)
		ft_log_took(rec->vol, ft_log_nr(ft_segment_log(rec->vol, ext->lba)), rec->ino,
			    alloc->writer, ext->lba);
}

/* === Events =============================================================== */

/* The event extent_change needs the breaks before the change. */
static bool may_relocate(const struct ft_inode *rec, u32 old_lba)
{
	return old_lba != FT_LBA_UNWRITTEN && !ft_inode_scanning(rec) && !ft_traces_changes();
}

/* ft_extmap_relocate() with causes. */
static noinline bool relocate(struct ft_inode *rec, u32 lblk, u32 old_lba, u32 lba,
			      const struct ft_alloc *alloc)
{
	const struct ft_extent ext = { .lblk = lblk, .len = 1, .lba = lba };
	struct ft_around before;

	if (!ft_extmap_relocate(&rec->map, lblk, old_lba, lba, &before))
		return false;
	ft_breaks_stored(rec, &ext, &before, alloc);
	return true;
}

/*
 * An event has contradicted the map. No map is right when F2FS has stopped: it writes on
 * for a moment, but has dropped nodes, and reads older ones again.
 */
static void contradicted(struct ft_inode *rec)
{
	const struct super_block *sb = READ_ONCE(rec->vol->live_sb);

	if (!sb || !ft_state_stopped(sb))
		ft_count(FT_MISMATCHES);
	ft_inode_doubt(rec, FT_OP_UNKNOWN);
}

static noinline void store_written(struct ft_inode *rec, u32 lblk, u32 old_lba,
				   u32 lba, const struct ft_alloc *alloc)
{
	struct ft_extent ext = { .lblk = lblk, .len = 1, .lba = lba };
	u64 id = ft_event_write_id(lblk, lba);
	bool follows = id == rec->last_write + ft_event_write_id(1, 1);
	struct ft_before before;
	u32 known;

	read_before(rec, lblk, lblk + 1, &before);
	known = ft_causes_wanted() ? before.around.first : ft_extmap_lba(&rec->map, lblk);
	if (known != old_lba && !ft_inode_is_stale(rec))
		contradicted(rec);
	if (!store_over(rec, &ext, &before, alloc) &&
	    ft_inode_followed(rec) && !ft_inode_scanning(rec)) {
		WRITE_ONCE(rec->last_write, id);
		/* the second block of a run: more are expected */
		if (follows)
			ft_extmap_expect(&rec->map);
	}
}

/**
 * ft_event_write_any() - a block was written to a new LBA
 * @rec: the file
 * @lblk: block of the file
 * @old_lba: where it was, %FT_LBA_UNWRITTEN if nowhere
 * @lba: where it is now
 * @alloc: why it was written there
 *
 * The slow half of ft_event_write(). A block of a fragmented file that is overwritten
 * mostly remains an extent of its own.
 *
 * Context: atomic, rec->lock held, RCU read section.
 */
void ft_event_write_any(struct ft_inode *rec, u32 lblk, u32 old_lba, u32 lba,
			const struct ft_alloc *alloc)
{
	lockdep_assert_held(&rec->lock);
	if (!ft_inode_followed(rec))
		return;
	if (may_relocate(rec, old_lba) &&
	    (ft_causes_wanted() ? relocate(rec, lblk, old_lba, lba, alloc) :
				  ft_extmap_relocate(&rec->map, lblk, old_lba, lba, NULL))) {
		rec->changes++;
		WRITE_ONCE(rec->last_write, ft_event_write_id(lblk, lba));
	} else {
		store_written(rec, lblk, old_lba, lba, alloc);
	}
}

/**
 * ft_event_write_doubtful() - a block was written that may not be the file's
 * @rec: the file; an atomic write to it is under way
 * @lblk: block of the file
 * @old_lba: where it was, %FT_LBA_UNWRITTEN if nowhere
 * @lba: where it is now
 * @alloc: why it was written there
 *
 * A block of an atomic write that is not committed is not the file's yet. Only
 * @old_lba shows which case it is.
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_event_write_doubtful(struct ft_inode *rec, u32 lblk, u32 old_lba,
			     u32 lba, const struct ft_alloc *alloc)
{
	guard(ft_record)(rec);
	if (ft_inode_followed(rec)) {
		if (old_lba != FT_LBA_UNWRITTEN && ft_extmap_lba(&rec->map, lblk) == old_lba) {
			ft_event_write_any(rec, lblk, old_lba, lba, alloc);
		} else {
			rec->changes++;
			ft_inode_missed(rec, FT_OP_ATOMIC);
		}
	}
}

/*
 * Set the cause of a change that only the extent cache has reported so far: there is
 * no other event, or it comes later.
 */
static void describe(const struct ft_inode *rec, struct ft_alloc *alloc)
{
	alloc->flush = FT_FLUSH_NONE;
	alloc->writer = ft_causes_wanted() ? ft_writer_current(rec->vol) : FT_SNAP_WRITER_UNKNOWN;
	if (rec->copy) {
		alloc->op = FT_OP_ATOMIC;
		alloc->writer = rec->writer;
	} else if (rec->commit_begun) {
		alloc->op = FT_OP_ATOMIC;
		alloc->flush = FT_FLUSH_SYNC;
	} else if (ft_inode_is_stale(rec)) {
		alloc->op = rec->doubt;
	} else if (rec->reserver == current) {
		alloc->op = FT_OP_PREALLOC;
	} else {
		alloc->op = FT_OP_DIRECT;
	}
}

static void update_locked(struct ft_inode *rec, const struct ft_extent *ext)
{
	u32 end = ft_extent_end(ext);
	struct ft_alloc alloc;

	if (ext->lba != FT_LBA_UNWRITTEN && !ft_extmap_holds(&rec->map, ext)) {
		describe(rec, &alloc);
		store_locked(rec, ext, &alloc);
		took(rec, ext, &alloc);
	} else if (ext->lba != FT_LBA_UNWRITTEN) {
		if (ft_inode_scanning(rec))
			changed_locked(rec, store_scanning(rec, ext), false);
	} else if (ft_inode_scanning(rec) ||
		   ft_extmap_may_have_written(&rec->map, ext->lblk, end)) {
		describe(rec, &alloc);
		if (alloc.op == FT_OP_DIRECT || alloc.op == FT_OP_PREALLOC)
			alloc.op = FT_OP_RANGE;
		rec->reserver = NULL;
		erase_locked(rec, ext->lblk, end, &alloc);
	}
}

/**
 * ft_event_update() - F2FS has changed the address of blocks
 * @rec: the file
 * @ext: the blocks; %FT_LBA_UNWRITTEN if they have no address now
 *
 * Reported while F2FS holds the lock of the address, so it is exact, but not for
 * every file. Usually it confirms what another event has reported. It still counts
 * during a scan, which may have read the address before the change.
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_event_update(struct ft_inode *rec, const struct ft_extent *ext)
{
	guard(ft_record)(rec);
	if (ft_inode_followed(rec))
		update_locked(rec, ext);
}

/**
 * ft_event_map() - blocks got an address
 * @rec: the file
 * @ext: the blocks
 * @in_one: all blocks are contiguous; otherwise only the first address is known
 *
 * Reported after F2FS dropped its locks. Usually an update has reported these blocks
 * before. If F2FS keeps no extent cache for the file, none has, and the file becomes
 * stale: an address that contradicts a written block may be older than the map.
 *
 * A run ends because the next block, which has been allocated as well, does not
 * continue it. The next run begins with that block, unless the write ends before
 * it: see ft_event_direct_end().
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_event_map(struct ft_inode *rec, const struct ft_extent *ext, bool in_one)
{
	struct ft_alloc alloc;

	guard(ft_record)(rec);
	describe(rec, &alloc);
	if (in_one)
		rec->direct_end = ft_extent_end(ext);
	if (ft_inode_followed(rec) && !ft_extmap_holds(&rec->map, ext)) {
		/* before the file may be left out */
		ft_inode_doubt(rec, alloc.op);
		if ((ext->len == 1 || in_one) &&
		    !ft_extmap_may_have_written(&rec->map, ext->lblk, ft_extent_end(ext))) {
			store_locked(rec, ext, &alloc);
			took(rec, ext, &alloc);
		}
	}
}

/* Make the file stale because of @op. */
static void doubt_locked(struct ft_inode *rec, enum ft_op op)
{
	if (!ft_inode_followed(rec))
		return;
	rec->changes++;
	ft_inode_doubt(rec, op);
}

/**
 * ft_event_direct_end() - a direct write is over
 * @rec: the file; no other direct write to it is under way
 * @end: the end of the requested range, exclusive
 *
 * If the write was cut short after its last run, for example by an unmapped buffer,
 * F2FS may have allocated the block after that run, and no event has reported it.
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_event_direct_end(struct ft_inode *rec, u32 end)
{
	guard(ft_record)(rec);
	if (rec->direct_end && rec->direct_end < end)
		doubt_locked(rec, FT_OP_DIRECT);
	rec->direct_end = 0;
}

/**
 * ft_event_commit_begin() - an atomic write is about to commit a block
 * @rec: the file; its next ft_event_commit() names the block
 *
 * Reported while F2FS holds the lock of the address, until the address is changed.
 * From here on each change of the map is noticed.
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_event_commit_begin(struct ft_inode *rec)
{
	guard(ft_record)(rec);
	rec->commit_begun = true;
	rec->commit_changes = rec->changes;
}

/**
 * ft_event_commit() - an atomic write committed a block
 * @rec: the file
 * @lblk: block of the file
 * @lba: where it is now
 *
 * Reported after F2FS dropped the lock of the address. Usually an update has
 * reported the block before. If F2FS keeps no extent cache for the file, none has.
 * Then this event counts only if the map has not changed since the begin: otherwise
 * the block may have been written to yet another LBA.
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_event_commit(struct ft_inode *rec, u32 lblk, u32 lba)
{
	struct ft_extent ext = { .lblk = lblk, .len = 1, .lba = lba };
	const struct ft_alloc alloc = {
		.op = FT_OP_ATOMIC,
		.flush = FT_FLUSH_SYNC,
		.writer = READ_ONCE(rec->writer),
	};

	guard(ft_record)(rec);
	if (ft_inode_followed(rec)) {
		if (!ft_extmap_holds(&rec->map, &ext)) {
			if (rec->commit_begun && rec->commit_changes == rec->changes)
				store_locked(rec, &ext, &alloc);
			else
				doubt_locked(rec, FT_OP_ATOMIC);
		}
		rec->commit_begun = false;
		rec->committing = true;
	}
}

static void truncate_locked(struct ft_inode *rec, u32 lblk)
{
	static const struct ft_alloc nothing;
	int err = 0;

	rec->reserver = NULL;
	/* a commit that replaces the whole file frees blocks between the new ones */
	if (rec->committing) {
		rec->committing = false;
		ft_inode_doubt(rec, FT_OP_ATOMIC);
	}
	if (lblk) {
		erase_locked(rec, lblk, FT_LBLK_END, &nothing);
		return;
	}
	ft_trace_change(drop, rec, FT_TRACE_TRUNCATE);
	ft_inode_drop_map(rec);
	if (ft_inode_scanning(rec))
		err = erase_scanning(rec, 0, FT_LBLK_END);
	changed_locked(rec, err, false);
}

/**
 * ft_event_truncate() - all blocks from one on are freed
 * @rec: the file
 * @lblk: the first of them
 * @within: the block before it is cut, and will be rewritten
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_event_truncate(struct ft_inode *rec, u32 lblk, bool within)
{
	guard(ft_record)(rec);
	if (ft_inode_followed(rec)) {
		truncate_locked(rec, lblk);
		if (ft_causes_wanted())
			ft_breaks_cut(rec, lblk, within);
	} else if (rec->state == FT_OMITTED) {
		/* each block is an extent at most, which takes less than 64 bytes */
		rec->needs = min(rec->needs, lblk / (SZ_1K / 64));
	}
}

/**
 * ft_event_reserve() - blocks were preallocated, without an address yet
 * @rec: the file
 * @lblk: first block of the range
 * @end: its end, exclusive
 * @whole: F2FS preallocated all of the range, and nothing else
 *
 * Written blocks in the range stay as they are. The event comes late: some of the
 * preallocated blocks may have been freed already. If that is possible, a scan is
 * queued. The map does not become stale, since no written block is in doubt.
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_event_reserve(struct ft_inode *rec, u32 lblk, u32 end, bool whole)
{
	bool sure;
	u64 bytes;
	int err;

	guard(ft_record)(rec);
	if (ft_inode_followed(rec)) {
		bytes = rec->map.bytes;
		sure = whole && rec->reserver == current && !ft_inode_scanning(rec);
		/* a scan finds what does not fit */
		err = change_map(rec, ft_extmap_reserve, lblk, end);
		if (err)
			sure = false;
		ft_trace_change(reserved, rec, lblk, end, err);
		changed_locked(rec, 0, rec->map.bytes > bytes);
		if (!sure)
			ft_inode_change(rec, FT_RESERVE);
		if (rec->reserver == current)
			rec->reserver = NULL;
	}
}

/**
 * ft_event_reserve_begin() - the current task begins to preallocate blocks
 * @rec: the file; until ft_event_reserve() it is noted if blocks are freed
 *
 * If several tasks do so at once, only the last one is remembered. For the others
 * the file is scanned.
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_event_reserve_begin(struct ft_inode *rec)
{
	guard(ft_record)(rec);
	rec->reserver = current;
}

/**
 * ft_event_mark_stale() - a change came that no event describes
 * @rec: the file
 * @op: the operation, FT_OP_UNKNOWN if it is not known
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_event_mark_stale(struct ft_inode *rec, enum ft_op op)
{
	guard(ft_record)(rec);
	doubt_locked(rec, op);
}

/**
 * ft_event_range_begin() - a range of blocks is about to be freed or moved
 * @rec: the file
 * @from: the first block
 * @end: end of the range, exclusive
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 */
void ft_event_range_begin(struct ft_inode *rec, u32 from, u32 end)
{
	guard(ft_record)(rec);
	rec->range_begun = true;
	rec->range_at = jiffies;
	if (ft_inode_followed(rec)) {
		rec->changes++;
		ft_inode_doubt_part(rec, FT_OP_RANGE, from, end);
	}
}

/**
 * ft_event_range_end() - the event of a fallocate that may have changed a range
 * @rec: the file
 *
 * Context: atomic; the caller holds a reference or is in an RCU section.
 * Return: true if ft_event_range_begin() came before it.
 */
bool ft_event_range_end(struct ft_inode *rec)
{
	bool begun;

	guard(ft_record)(rec);
	begun = rec->range_begun;
	rec->range_begun = false;
	return begun;
}
