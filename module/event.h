/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What events do to the map of a file.
 */
#ifndef FT_EVENT_H
#define FT_EVENT_H

#include <linux/fs.h>
#include <linux/lockdep.h>

#include "breaks.h"
#include "extmap.h"
#include "inode.h"

/* What a write event was about, in one word; never FT_NO_WRITE. */
static inline u64 ft_write_id(u32 lblk, u32 lba)
{
	return (u64)lba << 32 | lblk;
}

/*
 * Has an event just said that a block of this file was written there, and has
 * nothing else happened to it? Then to say it again is of no use, but for a scan
 * that may have seen the address before it changed: during one nothing is known.
 * A scan that begins while we look begins after this event. Nor is anything known
 * of a record that is dead.
 */
static inline bool ft_inode_knows_write(const struct ft_inode *rec,
					const struct inode *inode, u32 lblk,
					u32 lba)
{
	return READ_ONCE(rec->last_write) == ft_write_id(lblk, lba) &&
	       rec->ino == (u32)inode->i_ino &&
	       READ_ONCE(rec->vol->live_sb) == inode->i_sb;
}

void ft_inode_write_any(struct ft_inode *rec, u32 lblk, u32 old_lba, u32 lba,
			const struct ft_alloc *alloc);

/**
 * ft_inode_write() - the next block of a run was written to a new place
 * @rec: the file
 * @lblk: block of the file
 * @old_lba: where it was, %FT_LBA_UNWRITTEN if nowhere
 * @lba: where it is now
 *
 * F2FS says where the block was. If the map says otherwise it missed
 * something, be it by a race or by an operation that has no event. Mostly it is
 * the next block of a run. None is expected of a file that is being scanned, was
 * left out, or is dead.
 *
 * Context: atomic, rec->lock held.
 * Return: true if that is done. False if it is another case, which is left to
 * ft_inode_write_any().
 */
static __always_inline bool ft_inode_write(struct ft_inode *rec, u32 lblk,
					   u32 old_lba, u32 lba)
{
	lockdep_assert_held(&rec->lock);
	if (unlikely(!ft_extmap_go_on(&rec->map, lblk, old_lba, lba)))
		return false;
	rec->changes++;
	WRITE_ONCE(rec->last_write, ft_write_id(lblk, lba));
	if (ft_causes_wanted())
		ft_breaks_went_on(rec, lblk, old_lba != FT_LBA_UNWRITTEN);
	return true;
}

void ft_inode_write_doubtful(struct ft_inode *rec, u32 lblk, u32 old_lba,
			     u32 lba, const struct ft_alloc *alloc);

void ft_inode_update(struct ft_inode *rec, const struct ft_extent *ext);
void ft_inode_map(struct ft_inode *rec, const struct ft_extent *ext,
		  bool in_one);
void ft_inode_direct_end(struct ft_inode *rec, u32 end);
void ft_inode_commit_begin(struct ft_inode *rec);
void ft_inode_commit(struct ft_inode *rec, u32 lblk, u32 lba);
void ft_inode_truncate(struct ft_inode *rec, u32 lblk, bool within);
void ft_inode_reserve(struct ft_inode *rec, u32 lblk, u32 end, bool whole);
void ft_inode_mark_stale(struct ft_inode *rec, enum ft_op op);
void ft_inode_range_begin(struct ft_inode *rec);
void ft_inode_written_by(struct ft_inode *rec, u32 writer, bool dirty);
void ft_inode_dirtied(struct ft_inode *rec, u32 lblk, u32 end, bool clean);
void ft_inode_mapped(struct ft_inode *rec, u32 lblk);
void ft_inode_reserve_begin(struct ft_inode *rec);

#endif
