// SPDX-License-Identifier: GPL-2.0-only
/*
 * The numbers of files and volumes: their life. A file that is read gets counts of its own, as
 * long as there is memory for that; before and after that the line of the rest has what it reads.
 */

#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "core/memory.h"
#include "core/volume.h"
#include "maps/inode.h"
#include "observers/latency/counts.h"

/* The parameter latency. */
bool ft_counts_on;
module_param_named(latency, ft_counts_on, bool, 0444);
MODULE_PARM_DESC(latency, "measure how long reads take, with and without breaks (default: off)");

/* No file gets counts of its own when so many sixteenths of the budget are used. */
#define MOST_SIXTEENTHS	12

/**
 * ft_counts_new() - a file is read the first time: give it counts of its own
 * @rec: the file
 *
 * Context: a probe, RCU read section; takes rec->lock.
 * Return: its counts, or those of the rest; valid until the end of the RCU read section.
 */
struct ft_reads *ft_counts_new(struct ft_inode *rec)
{
	struct ft_reads __rcu **kept = ft_counts_kept(rec);
	struct ft_reads *f = NULL;

	spin_lock(&rec->lock);
	if (ft_inode_followed(rec) && !rcu_access_pointer(*kept) &&
	    !ft_mem_uses_more_than(MOST_SIXTEENTHS)) {
		ft_mem_add_yielding(kmalloc_size_roundup(sizeof(*f)));
		f = kzalloc(sizeof(*f), GFP_NOWAIT | __GFP_NOWARN);
		if (f)
			rcu_assign_pointer(*kept, f);
		else
			ft_mem_add_yielding(-(long)kmalloc_size_roundup(sizeof(*f)));
	}
	f = rcu_dereference_protected(*kept, lockdep_is_held(&rec->lock));
	spin_unlock(&rec->lock);
	return f ?: &ft_counts_of_volume(rec)->rest;
}

/**
 * ft_counts_drop() - a file is left out, or is gone: add its counts to those of the rest
 * @rec: the file
 *
 * Context: atomic, rec->lock held.
 */
void ft_counts_drop(struct ft_inode *rec)
{
	struct ft_reads __rcu **kept = ft_counts_kept(rec);
	struct ft_reads *f = rcu_dereference_protected(*kept, true);
	struct ft_read_times *t = ft_counts_of_volume(rec);
	unsigned int i;

	if (!f)
		return;
	RCU_INIT_POINTER(*kept, NULL);
	for (i = 0; t && i < FT_LATENCY_COUNTS; i++)
		atomic64_add(atomic64_read(ft_counts_nr(f, i)),
			     ft_counts_nr(&t->rest, i));
	kfree_rcu(f, rcu);
	ft_mem_add_yielding(-(long)kmalloc_size_roundup(sizeof(*f)));
}

static void drop(struct ft_inode *rec, void *unused)
{
	spin_lock(&rec->lock);
	ft_counts_drop(rec);
	spin_unlock(&rec->lock);
}

/**
 * ft_counts_give_way() - drop all counts of files if memory is short
 *
 * Context: process.
 */
void ft_counts_give_way(void)
{
	if (ft_mem_uses_more_than(13))
		ft_volume_visit_all(drop, NULL);
}

/**
 * ft_counts_reset() - all counts and times of a volume begin again
 * @vol: the volume
 *
 * Context: process.
 */
void ft_counts_reset(struct ft_volume *vol)
{
	struct ft_read_times *t = ft_observed(vol, latency);
	unsigned int i;

	if (!t)
		return;
	ft_volume_visit(vol, drop, NULL);
	raw_spin_lock_irq(&t->lock);
	memset(t->cells, 0, sizeof(t->cells));
	memset(t->fits, 0, sizeof(t->fits));
	raw_spin_unlock_irq(&t->lock);
	for (i = 0; i < FT_LATENCY_COUNTS; i++)
		atomic64_set(ft_counts_nr(&t->rest, i), 0);
	atomic64_set(&t->other, 0);
	atomic64_set(&t->lost, 0);
}

/**
 * ft_counts_watch() - a volume is followed
 * @state: its times, zeroed
 *
 * Context: process.
 */
void ft_counts_watch(void *state)
{
	raw_spin_lock_init(&((struct ft_read_times *)state)->lock);
}
