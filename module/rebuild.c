// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replace the extent map of a file by what F2FS says it is.
 *
 * In: extents that scan.c was told. Out: a new map. The writers go on: the new
 * map is built beside the live one while events change both, and where an event
 * changed it (the touched map) the event is right and not what the scan found.
 * Only one scan runs on a volume, so the touched map is the volume's.
 */

#include <linux/sched.h>

#include "inode.h"

/**
 * ft_inode_scan_begin() - start to build a second map
 * @rec: the file
 * @repair: the map is to replace the first one; else to judge it, and then what
 *	the last event said is no less in doubt than all else
 *
 * Context: process, the volume's worker.
 * Return: false if there is nothing to scan any more.
 */
bool ft_inode_scan_begin(struct ft_inode *rec, bool repair)
{
	bool begin;

	spin_lock(&rec->lock);
	/* who holds it queues it again */
	begin = ft_inode_followed(rec) && !rec->held;
	if (begin) {
		WRITE_ONCE(rec->scanning, true);
		rec->gen = 0;
		if (repair)
			ft_inode_repeat_last(rec);
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

		if (ft_extmap_next(ft_touched_map(rec), pos, &mark) &&
		    mark.lblk < end) {
			stop = max(mark.lblk, pos);
			next = ft_extent_end(&mark);
		}
		if (stop > pos) {
			piece.lblk = pos;
			piece.len = stop - pos;
			piece.lba = found->lba;
			piece.encoded = found->encoded;
			if (piece.lba != FT_LBA_UNWRITTEN)
				piece.lba += pos - found->lblk;
			err = ft_extmap_store(ft_built_map(rec), &piece);
		}
		pos = next;
	}
	return err;
}

/*
 * The map being built will replace the live one: only if the file grows by
 * that is there a reason to leave it out.
 */
static bool grows_too_much(struct ft_inode *rec)
{
	long more = (long)ft_built_map(rec)->bytes - rec->map.bytes;

	return more > 0 && ft_mem_over(more);
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
		} else if (grows_too_much(rec)) {
			ft_inode_omit(rec);
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
		u32 nr = rec->map.nr, bytes = rec->map.bytes;

		ft_extmap_move(&rec->map, ft_built_map(rec));
		ft_mem_charge(&rec->map, nr, bytes);
		rec->changes++;
		WRITE_ONCE(rec->last_write, 0);
		settled = !rec->gen;
		if (settled)
			ft_inode_exact(rec);
	}
	WRITE_ONCE(rec->scanning, false);
	ft_extmap_drop(ft_built_map(rec));
	ft_extmap_drop(ft_touched_map(rec));
	spin_unlock(&rec->lock);
	return settled;
}
