// SPDX-License-Identifier: GPL-2.0-only
/*
 * Heat gives way when memory is short: first windows whose counts have become 0, then
 * all counts of the files that have most.
 */

#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>

#include "core/memory.h"
#include "maps/budget.h"
#include "maps/inode.h"
#include "observers/heat/heat.h"

/**
 * struct choice - files whose counts may have to give way
 * @bytes: the largest size so far; then the smallest size of what gives way
 * @dropped: at least one file has lost its counts
 */
struct choice {
	u64 bytes;
	bool dropped;
};

static void find_hottest(struct ft_inode *rec, void *arg)
{
	struct choice *c = arg;

	c->bytes = max(c->bytes, ft_heat_bytes(rec));
}

/* A file may have millions of windows: they are not looked at in an RCU section. */
static void prune(struct ft_inode *rec, void *unused)
	__must_hold(RCU)
{
	if (!ft_heat_bytes(rec) || !refcount_inc_not_zero(&rec->ref))
		return;
	rcu_read_unlock();
	ft_heat_prune(rec);
	ft_inode_put(rec);
	rcu_read_lock();
}

static void drop(struct ft_inode *rec, void *arg)
{
	struct choice *c = arg;
	u64 bytes = ft_heat_bytes(rec);

	if (!bytes || bytes < c->bytes)
		return;
	spin_lock(&rec->lock);
	ft_heat_drop(rec);
	spin_unlock(&rec->lock);
	ft_heat_count_dropped();
	c->dropped = true;
}

/* The counts of the file that has most are dropped, and those of similar files. */
static bool hottest_gives_way(void)
{
	struct choice c = { };

	ft_budget_visit(find_hottest, &c);
	c.bytes /= 2;
	ft_budget_visit(drop, &c);
	ft_heat_flush();
	return c.dropped;
}

/**
 * ft_heat_give_way() - free memory
 *
 * Context: process; may sleep.
 */
void ft_heat_give_way(void)
{
	ft_budget_visit(prune, NULL);
	while (ft_mem_uses_more_than(13) && hottest_gives_way())
		cond_resched();
}
