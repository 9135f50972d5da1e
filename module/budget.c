// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which file gives way when the memory budget is used up: the one that takes most.
 *
 * In: files that grow, second maps that do not fit. Out: files left out, until
 * the others fit again (memory.c says when that is).
 */

#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/xarray.h>

#include "breaks.h"
#include "inode.h"
#include "memory.h"
#include "rebuild.h"
#include "volume.h"

/* Files that had been followed, and were left out. */
static atomic_long_t nr_left_out = ATOMIC_LONG_INIT(0);

static void give_way(struct work_struct *work);
static DECLARE_WORK(give_way_work, give_way);

/* The memory budget is used up. The other files stay right. */
static void omit(struct ft_inode *rec)
{
	ft_inode_omit(rec);
	ft_count(FT_REFUSED);
	atomic_long_inc(&nr_left_out);
}

/* If a file takes more than *@bytes it is *@found, instead of what that was. */
static void find_larger(struct ft_volume *vol, struct ft_inode **found,
			u64 *bytes)
{
	struct ft_inode *rec;
	unsigned long ino;

	rcu_read_lock();
	xa_for_each(&vol->inodes, ino, rec) {
		u64 takes = READ_ONCE(rec->map.bytes);

		if (takes > *bytes && refcount_inc_not_zero(&rec->ref)) {
			if (*found)
				ft_inode_put(*found);
			*found = rec;
			*bytes = takes;
		}
		if (need_resched()) {
			rcu_read_unlock();
			cond_resched();
			rcu_read_lock();
		}
	}
	rcu_read_unlock();
}

/* Leave out the file that takes most, if that is more than @bytes. */
static bool omit_largest(u64 bytes)
{
	struct ft_inode *rec = NULL;
	struct ft_volume *vol;
	unsigned int n;

	for (n = 0; (vol = ft_volume_nth(n)); n++) {
		find_larger(vol, &rec, &bytes);
		ft_volume_put(vol);
	}
	if (!rec)
		return false;
	ft_inode_lock(rec);
	if (ft_inode_followed(rec))
		omit(rec);
	spin_unlock(&rec->lock);
	pr_warn_ratelimited("max_mem_mb=%lu is used up: inode %u of %u:%u, whose map took %llu KiB, is left out, %ld files in all; give it more, and write 1 to resync\n",
			    ft_mem_budget() >> 20, rec->ino, MAJOR(rec->vol->dev),
			    MINOR(rec->vol->dev), bytes >> 10,
			    atomic_long_read(&nr_left_out));
	ft_inode_put(rec);
	return true;
}

/* Causes go before maps. Returns false if there were none. */
static bool drop_causes(void)
{
	struct ft_volume *vol;
	struct ft_inode *rec;
	bool dropped = false;
	unsigned long ino;
	unsigned int n;

	for (n = 0; (vol = ft_volume_nth(n)); n++) {
		rcu_read_lock();
		xa_for_each(&vol->inodes, ino, rec) {
			if (READ_ONCE(rec->history)) {
				ft_inode_lock(rec);
				ft_breaks_drop(rec);
				spin_unlock(&rec->lock);
				ft_count(FT_CAUSES_LOST);
				dropped = true;
			}
			if (need_resched()) {
				rcu_read_unlock();
				cond_resched();
				rcu_read_lock();
			}
		}
		rcu_read_unlock();
		ft_volume_put(vol);
	}
	if (dropped)
		ft_extmap_flush();
	return dropped;
}

static void give_way(struct work_struct *work)
{
	if (ft_mem_is_tight())
		drop_causes();
	/* files without nodes of their own have nothing to give */
	while (ft_mem_is_tight() && omit_largest(0))
		cond_resched();
}

/**
 * ft_mem_make_way() - the map that is being built does not fit: who gives way?
 * @rec: the file that is being scanned
 *
 * Context: process, the volume's worker.
 * Return: true if another file that took more has been left out; false if @rec
 * has.
 */
bool ft_mem_make_way(struct ft_inode *rec)
{
	u64 bytes;

	ft_inode_lock(rec);
	bytes = ft_second_bytes(rec);
	spin_unlock(&rec->lock);
	if (omit_largest(bytes)) {
		ft_extmap_flush();	/* else one more would seem to have to go */
		return true;
	}
	ft_inode_lock(rec);
	if (ft_inode_followed(rec))
		omit(rec);
	spin_unlock(&rec->lock);
	pr_warn_ratelimited("max_mem_mb=%lu is used up: inode %u of %u:%u does not fit and is left out, %ld files in all; give it more, and write 1 to resync\n",
			    ft_mem_budget() >> 20, rec->ino, MAJOR(rec->vol->dev),
			    MINOR(rec->vol->dev), atomic_long_read(&nr_left_out));
	return false;
}

/**
 * ft_mem_grown() - a map takes more than before
 * @rec: the file; it may be left out when this returns
 *
 * Context: atomic, rec->lock held.
 */
void ft_mem_grown(struct ft_inode *rec)
{
	lockdep_assert_held(&rec->lock);
	if (likely(!ft_mem_uses_more_than(15)))
		return;
	/* a tree on its way out is no reason to let another one go */
	if (ft_mem_is_full())
		omit(rec);
	queue_work(ft_wq, &give_way_work);
}
