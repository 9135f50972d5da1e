// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files give way when the memory budget is used up, the largest one first.
 *
 * In: files that grow, second maps that do not fit. Out: files left out, until
 * the others fit again (see memory.c). When there is room they come back.
 */

#include <linux/minmax.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/xarray.h>

#include "breaks.h"
#include "heat.h"
#include "inode.h"
#include "memory.h"
#include "rebuild.h"
#include "volume.h"

/* How often what is left out is tried again: less and less often, as long as any is. */
#define AGAIN_FIRST	HZ
#define AGAIN_LAST	(64 * HZ)

/* Leave a file out. The maps of other files stay right. */
static void omit(struct ft_inode *rec)
{
	ft_inode_omit(rec);
	ft_count(FT_REFUSED);
}

/**
 * struct choice - files that may have to give way
 * @rec: the largest file found so far, with a reference; %NULL if none
 * @bytes: its size; a file has to be larger to replace it. For drop_causes(), the
 *	smallest size of a file that loses its causes
 * @dropped: at least one file has lost its causes
 */
struct choice {
	struct ft_inode *rec;
	u64 bytes;
	bool dropped;
};

static void visit_files(void (*func)(struct ft_inode *rec, struct choice *c),
			struct choice *c)
{
	struct ft_volume *vol;
	struct ft_inode *rec;
	unsigned long ino;
	unsigned int n;

	for (n = 0; (vol = ft_volume_nth(n)); n++) {
		rcu_read_lock();
		xa_for_each(&vol->inodes, ino, rec) {
			func(rec, c);
			if (need_resched()) {
				rcu_read_unlock();
				cond_resched();
				rcu_read_lock();
			}
		}
		rcu_read_unlock();
		ft_volume_put(vol);
	}
}

/* The size of a file: its map, and the causes of its breaks. */
static u64 bytes_of(struct ft_inode *rec)
{
	u64 bytes = READ_ONCE(rec->map.bytes);

	if (READ_ONCE(rec->history)) {
		ft_inode_lock(rec);
		bytes += ft_breaks_bytes(rec);
		spin_unlock(&rec->lock);
	}
	return bytes;
}

static void keep_larger(struct ft_inode *rec, struct choice *c, u64 bytes)
{
	if (bytes > c->bytes && refcount_inc_not_zero(&rec->ref)) {
		if (c->rec)
			ft_inode_put(c->rec);
		c->rec = rec;
		c->bytes = bytes;
	}
}

static void choose_larger(struct ft_inode *rec, struct choice *c)
{
	keep_larger(rec, c, bytes_of(rec));
}

static void choose_hotter(struct ft_inode *rec, struct choice *c)
{
	keep_larger(rec, c, ft_heat_bytes(rec));
}

/* A file may have millions of windows: they are not looked at in an RCU section. */
static void prune_heat(struct ft_inode *rec, struct choice *c)
	__must_hold(RCU)
{
	if (!ft_heat_bytes(rec) || !refcount_inc_not_zero(&rec->ref))
		return;
	rcu_read_unlock();
	ft_heat_prune(rec);
	ft_inode_put(rec);
	rcu_read_lock();
}

static void drop_heat(struct ft_inode *rec, struct choice *c)
{
	u64 bytes = ft_heat_bytes(rec);

	if (!bytes || bytes < c->bytes)
		return;
	spin_lock(&rec->lock);
	ft_heat_drop(rec);
	spin_unlock(&rec->lock);
	ft_count(FT_HEAT_DROPPED);
	c->dropped = true;
}

static void drop_causes(struct ft_inode *rec, struct choice *c)
{
	u64 bytes;

	if (!READ_ONCE(rec->history) || bytes_of(rec) < c->bytes ||
	    (c->dropped && !ft_mem_is_tight()))
		return;
	ft_inode_lock(rec);
	bytes = ft_breaks_bytes(rec);
	ft_breaks_drop(rec);
	spin_unlock(&rec->lock);
	ft_count(FT_CAUSES_LOST);
	c->dropped = true;
	pr_warn_ratelimited("max_mem_mb=%lu is used up: inode %u of %u:%u loses the causes of its breaks, which took %llu KiB\n",
			    ft_mem_budget() >> 20, rec->ino, MAJOR(rec->vol->dev),
			    MINOR(rec->vol->dev), bytes >> 10);
}

/*
 * The largest file gives way, if it is larger than @bytes. First each file of half
 * its size or more loses its causes. If none of them has any, the largest one is
 * left out.
 */
static bool largest_gives_way(u64 bytes)
{
	struct choice most = { .bytes = bytes }, causes = { };

	visit_files(choose_larger, &most);
	if (!most.rec)
		return false;
	causes.bytes = most.bytes / 2;
	visit_files(drop_causes, &causes);
	if (!causes.dropped) {
		ft_inode_lock(most.rec);
		if (ft_inode_followed(most.rec))
			omit(most.rec);
		spin_unlock(&most.rec->lock);
		pr_warn_ratelimited("max_mem_mb=%lu is used up: inode %u of %u:%u, whose map took %llu KiB, is left out until there is room\n",
				    ft_mem_budget() >> 20, most.rec->ino,
				    MAJOR(most.rec->vol->dev),
				    MINOR(most.rec->vol->dev),
				    most.bytes >> 10);
	}
	ft_inode_put(most.rec);
	return true;
}

/* The heat of the file that has most of it is dropped, and that of similar files. */
static bool hottest_gives_way(void)
{
	struct choice most = { }, heat = { };

	visit_files(choose_hotter, &most);
	if (!most.rec)
		return false;
	heat.bytes = most.bytes / 2;
	visit_files(drop_heat, &heat);
	ft_inode_put(most.rec);
	ft_heat_flush();
	return heat.dropped;
}

static void heat_gives_way(void)
{
	struct choice none = { };

	visit_files(prune_heat, &none);
	while (ft_mem_uses_more_than(13) && ft_mem_heat() &&
	       hottest_gives_way())
		cond_resched();
}

static void give_way(struct work_struct *work)
{
	if (ft_mem_heat())
		heat_gives_way();
	/* a file without nodes has nothing to give */
	while (ft_mem_is_tight() && largest_gives_way(0))
		cond_resched();
}

/* === What is left out comes back ========================================== */

/* A directory is read again, a file is scanned, if all that is left is enough. */
static void take_up(struct ft_inode *rec, struct choice *c)
{
	u64 bytes;

	if (rec->is_dir && !READ_ONCE(rec->refused))
		return;
	if (!rec->is_dir) {
		if (READ_ONCE(rec->state) != FT_OMITTED)
			return;
		bytes = (u64)READ_ONCE(rec->needs) << 10;
		if (bytes > c->bytes)
			return;
		c->bytes -= bytes;
	}
	ft_inode_request_scan(rec);
}

/* One pass at a time; the delay grows with each one. */
static void come_back(struct work_struct *work)
{
	static unsigned long delay = AGAIN_FIRST;
	struct choice room = { };

	if (!ft_mem_any_left_out()) {
		delay = AGAIN_FIRST;
		return;
	}
	if (ft_mem_room()) {
		room.bytes = ft_mem_budget() / 16 * 14 - ft_mem_used();
		visit_files(take_up, &room);
		delay = min(2 * delay, AGAIN_LAST);
	}
	ft_mem_try_again(delay);
}

/**
 * ft_budget_init() - let files give way when the budget is used up, and come back
 */
void ft_budget_init(void)
{
	ft_mem_hook(give_way, come_back);
}

/**
 * ft_mem_make_way() - make room for the map that a scan is building
 * @rec: the file that is being scanned
 *
 * Context: process, the volume's worker.
 * Return: true if another, larger file has given way; false if @rec has been left
 * out.
 */
bool ft_mem_make_way(struct ft_inode *rec)
{
	u64 bytes;

	ft_inode_lock(rec);
	bytes = ft_second_bytes(rec);
	spin_unlock(&rec->lock);
	if (largest_gives_way(bytes)) {
		ft_extmap_flush();	/* otherwise another file might give way */
		return true;
	}
	ft_inode_lock(rec);
	if (ft_inode_followed(rec))
		omit(rec);
	spin_unlock(&rec->lock);
	pr_warn_ratelimited("max_mem_mb=%lu is used up: inode %u of %u:%u does not fit and is left out until there is room\n",
			    ft_mem_budget() >> 20, rec->ino, MAJOR(rec->vol->dev),
			    MINOR(rec->vol->dev));
	return false;
}

/**
 * ft_mem_grown() - check the budget after a map has grown
 * @rec: the file; its map may be empty when this returns
 *
 * If the budget is used up, this file loses its map for a while, because it is the
 * only one that can be changed here. But it is the largest one that gives way for
 * good: a worker sees to that, and the scan that restores this map waits for it.
 *
 * Context: atomic, rec->lock held.
 */
void ft_mem_grown(struct ft_inode *rec)
{
	lockdep_assert_held(&rec->lock);
	if (likely(!ft_mem_uses_more_than(15)))
		return;
	/* a tree that is being freed is no reason to drop another one */
	if (ft_mem_is_full()) {
		ft_count(FT_LOST);
		ft_inode_start_over(rec);
	}
	ft_mem_want_room();
}
