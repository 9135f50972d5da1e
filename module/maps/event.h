/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events, applied to the map of a file.
 */
#ifndef FT_EVENT_H
#define FT_EVENT_H

#include <linux/fs.h>
#include <linux/lockdep.h>

#include "causes/breaks.h"
#include "core/base.h"
#include "core/extmap.h"
#include "maps/inode.h"
#include "maps/trace.h"

/**
 * struct ft_before - a range of a file before it changes
 * @around: the range and its neighbours in the map; set if causes are wanted
 * @traced: for the tracepoint extent_change
 */
struct ft_before {
	struct ft_around around;
	struct ft_traced traced;
};

/* A write event in one word; never FT_NO_WRITE. */
static inline u64 ft_event_write_id(u32 lblk, u32 lba)
{
	return (u64)lba << 32 | lblk;
}

/*
 * Has an event just reported this block at this LBA, and has nothing else
 * happened to the file since? Such an event can be ignored, unless a scan is
 * running that may have read the old address: @last_write is not set during a
 * scan. A scan that begins meanwhile begins after this event. The result is false
 * for a dead record.
 */
static inline bool ft_event_knows_write(const struct ft_inode *rec, const struct inode *inode,
					u32 lblk, u32 lba)
{
	return READ_ONCE(rec->last_write) == ft_event_write_id(lblk, lba) &&
	       rec->ino == (u32)inode->i_ino && READ_ONCE(rec->vol->live_sb) == inode->i_sb;
}

void ft_event_write_any(struct ft_inode *rec, u32 lblk, u32 old_lba, u32 lba,
			const struct ft_alloc *alloc);

/**
 * ft_event_write() - the next block of a run was written to a new LBA
 * @rec: the file
 * @lblk: block of the file
 * @old_lba: where it was, %FT_LBA_UNWRITTEN if nowhere
 * @lba: where it is now
 *
 * F2FS reports where the block was. If the map has it elsewhere, the map missed a
 * change: by a race, or by an operation that has no event. Usually this is the next
 * block of a run. None is expected in a file that is being scanned, was left out, or
 * is dead.
 *
 * Context: atomic, rec->lock held.
 * Return: true if the block was stored. False otherwise; then ft_event_write_any()
 * handles it.
 */
static __always_inline bool ft_event_write(struct ft_inode *rec, u32 lblk, u32 old_lba, u32 lba)
{
	lockdep_assert_held(&rec->lock);
	if (unlikely(!ft_extmap_go_on(&rec->map, lblk, old_lba, lba)))
		return false;
	rec->changes++;
	WRITE_ONCE(rec->last_write, ft_event_write_id(lblk, lba));
	if (ft_causes_wanted())
		ft_breaks_went_on(rec, lblk, old_lba != FT_LBA_UNWRITTEN);
	return true;
}

void ft_event_write_doubtful(struct ft_inode *rec, u32 lblk, u32 old_lba,
			     u32 lba, const struct ft_alloc *alloc);

void ft_event_update(struct ft_inode *rec, const struct ft_extent *ext);
void ft_event_map(struct ft_inode *rec, const struct ft_extent *ext, bool in_one);
void ft_event_direct_end(struct ft_inode *rec, u32 end);
void ft_event_commit_begin(struct ft_inode *rec);
void ft_event_commit(struct ft_inode *rec, u32 lblk, u32 lba);
void ft_event_truncate(struct ft_inode *rec, u32 lblk, bool within);
void ft_event_reserve(struct ft_inode *rec, u32 lblk, u32 end, bool whole);
void ft_event_mark_stale(struct ft_inode *rec, enum ft_op op);
void ft_event_range_begin(struct ft_inode *rec, u32 from, u32 end);
bool ft_event_range_end(struct ft_inode *rec);
void ft_event_reserve_begin(struct ft_inode *rec);

#endif
