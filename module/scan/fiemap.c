// SPDX-License-Identifier: GPL-2.0-only
/*
 * The answers of F2FS to the FIEMAP of file.c.
 *
 * In: events of the task that scans. Out: extents, kept in the struct of its worker.
 *
 * FIEMAP searches for blocks up to the largest size that a file can have, and after
 * the last block it looks up each address of a node: up to 1017 holes, in a file of
 * one block. But F2FS counts the blocks of a file. When all are found, a signal ends
 * FIEMAP, as that of the watchdog does. So does one after some time, as FIEMAP holds
 * the lock of the inode: the next step goes on from there.
 */

#include <linux/blkdev.h>
#include <linux/f2fs_fs.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/math.h>
#include <linux/pagemap.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>

#include "core/base.h"
#include "core/volume.h"
#include "scan/scan.h"

/*
 * How long FIEMAP may hold the lock of an inode, in nanoseconds. But each step looks up
 * blocks this often, at least, however slow or busy the machine is: a large sparse file
 * would never come to its end.
 */
#define LOCK_TIME_NS		(5 * NSEC_PER_MSEC)
#define LEAST_LOOKUPS		1024

/* FIEMAP of this F2FS has shared the lock of an inode with readers. */
static bool shares_lock;

/**
 * ft_fiemap_shares_lock() - does FIEMAP share the lock of the inode with readers?
 *
 * Return: true if it has been seen to.
 */
bool ft_fiemap_shares_lock(void)
{
	return READ_ONCE(shares_lock);
}

/* The worker that runs in this task, if it scans this inode. */
static struct ft_worker *worker_of(struct ft_volume *vol, u32 ino)
{
	struct ft_worker *w;

	list_for_each_entry_rcu(w, &vol->workers, node)
		if (READ_ONCE(w->killable) == current)
			return w->ino == ino ? w : NULL;
	return NULL;
}

/* The least number of nodes that so many blocks need, besides that of the inode. */
static u32 nodes_for(u32 blocks)
{
	u32 direct, indirect;

	if (blocks <= DEF_ADDRS_PER_INODE)
		return 0;
	direct = DIV_ROUND_UP(blocks - (u32)DEF_ADDRS_PER_INODE, (u32)DEF_ADDRS_PER_BLOCK);
	if (direct <= 2)
		return direct;
	indirect = DIV_ROUND_UP(direct - 2, (u32)NIDS_PER_BLOCK);
	return direct + indirect + (indirect > 2);
}

/*
 * Are all blocks of the file found? F2FS counts blocks and nodes together. With
 * more blocks there would not be fewer nodes, so the sum would be larger. A file may
 * have more nodes than it needs; then its last block is not recognized.
 *
 * F2FS holds the lock of the inode, so that no blocks are freed. A block that is
 * reserved meanwhile, for a page of a mapping, is counted first.
 */
static bool has_all(const struct ft_worker *w, const struct inode *inode)
{
	return w->counts && w->nr < FT_EXTENTS_PER_STEP &&
	       (u64)w->nr_blocks + nodes_for(w->nr_blocks) ==
		       READ_ONCE(inode->i_blocks) >> (FT_BLOCK_BITS - SECTOR_SHIFT);
}

/*
 * Is the next step going to begin behind this one if FIEMAP ends now? In a compressed file
 * it begins where no cluster is cut in two, see end_of_killed() in file.c.
 */
static bool has_come_far(const struct ft_worker *w)
{
	u32 end = w->pending.len ? 0 : w->reached;

	if (w->nr)
		end = ft_extent_end(&w->found[w->nr - 1]);
	return !w->clusters || end >= w->cut;
}

/* Has FIEMAP, which holds the lock of the inode, done enough for one step? */
static bool has_enough(struct ft_worker *w, struct inode *inode)
{
	u64 now = ktime_get_ns();

	if (!w->nr_calls++) {
		w->since_lock = now;
		if (!shares_lock && inode_trylock_shared(inode)) {
			inode_unlock_shared(inode);
			WRITE_ONCE(shares_lock, true);
		}
	}
	return w->nr_calls >= LEAST_LOOKUPS &&
	       now - w->since_lock >= LOCK_TIME_NS && has_come_far(w);
}

/**
 * ft_fiemap_lookup_event() - F2FS has looked up blocks of a file
 * @vol: the volume
 * @inode: the inode
 * @ext: the blocks; a length of 0: a hole at that block
 *
 * FIEMAP reports these blocks next. But it does not report holes, nor how many
 * blocks a compressed cluster has.
 *
 * Context: atomic, RCU read section.
 */
void ft_fiemap_lookup_event(struct ft_volume *vol, struct inode *inode, const struct ft_extent *ext)
{
	struct ft_worker *w = worker_of(vol, inode->i_ino);
	u32 end = ft_extent_end(ext);

	if (!w)
		return;
	/* FIEMAP may look up an extent again, and find it shorter if a block was moved */
	if (end > w->counted) {
		w->nr_blocks += end - max(ext->lblk, w->counted);
		w->counted = end;
	}
	w->reached = ext->lblk + max(ext->len, 1U);
	w->in_hole = !ext->len;
	if (ext->len)
		w->pending = *ext;
	if (ext->lba != FT_LBA_UNWRITTEN)
		w->lookups[w->nr_lookups++ % FT_LOOKUPS_KEPT] = *ext;
	if (w->in_hole && has_all(w, inode))
		w->complete = true;
	else if (!w->in_time && has_enough(w, inode))
		w->in_time = true;
	else
		return;
	send_sig(SIGKILL, current, 1);
}

/*
 * Find the blocks of a compressed cluster that FIEMAP reports at a file block. The
 * address of that block is only a mark; those of the cluster's blocks follow it.
 */
static bool find_cluster(const struct ft_worker *w, u32 lblk, u32 lba, struct ft_extent *ext)
{
	unsigned int i;

	for (i = 0; i < min_t(unsigned int, w->nr_lookups, FT_LOOKUPS_KEPT); i++)
		if (w->lookups[i].lblk == lblk + 1 && w->lookups[i].lba == lba) {
			*ext = w->lookups[i];
			ext->encoded = true;
			return true;
		}
	return false;
}

/**
 * ft_fiemap_event() - F2FS reports an extent
 * @vol: the volume
 * @ino: the inode
 * @logical: begin of the extent in the file, in bytes
 * @physical: begin of the extent on the volume, in bytes
 * @len: its length in bytes
 * @flags: FIEMAP_EXTENT_ flags
 *
 * Only reports to our own worker are used.
 *
 * Context: atomic, RCU read section.
 */
void ft_fiemap_event(struct ft_volume *vol, u32 ino, u64 logical, u64 physical, u64 len, u32 flags)
{
	struct ft_worker *w = worker_of(vol, ino);
	struct ft_extent *ext;

	if (!w)
		return;
	/* the data is in the block of the inode */
	if (flags & FIEMAP_EXTENT_DATA_INLINE)
		return;
	if (w->nr == FT_EXTENTS_PER_STEP) {
		w->overflow = true;
		return;
	}
	ext = &w->found[w->nr++];
	ext->lblk = logical >> FT_BLOCK_BITS;
	ext->len = len >> FT_BLOCK_BITS;
	ext->lba = flags & FIEMAP_EXTENT_UNWRITTEN ? FT_LBA_UNWRITTEN : physical >> FT_BLOCK_BITS;
	ext->encoded = false;
	if (flags & FIEMAP_EXTENT_ENCODED && !find_cluster(w, ext->lblk, ext->lba, ext))
		w->unclear = true;
}
