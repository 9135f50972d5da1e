// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of observers, and what they keep of volumes and files.
 */

#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "core/base.h"
#include "core/memory.h"
#include "core/observer.h"

const struct ft_observer *const *ft_observers;
u32 ft_kept_at[FT_NR_OBSERVERS];

/*
 * No file gets numbers of its own when so many sixteenths of the budget are used; when more
 * are, all files lose theirs.
 */
#define MOST_SIXTEENTHS		12
#define TOO_MANY_SIXTEENTHS	13

static void exit_first(unsigned int nr)
{
	while (nr--)
		if (ft_observers[nr]->exit)
			ft_observers[nr]->exit();
}

/**
 * ft_observers_init() - prepare all observers
 * @list: all of them, by enum ft_slot
 *
 * Context: process; before anything else uses them.
 * Return: 0, or the error of one of them.
 */
int ft_observers_init(const struct ft_observer *const *list)
{
	const struct ft_observer *o;
	unsigned int i;
	int err;

	ft_observers = list;
	ft_for_each_observer(o, i) {
		err = o->init ? o->init() : 0;
		if (err) {
			exit_first(i);
			return err;
		}
		if (*o->on)
			ft_kept_at[i] = ft_record_reserve(o->nr_counts ? sizeof(void *) :
									 o->file_size);
	}
	return 0;
}

/**
 * ft_observers_exit() - undo ft_observers_init()
 *
 * Context: process; no probe runs, all records are gone.
 */
void ft_observers_exit(void)
{
	exit_first(FT_NR_OBSERVERS);
}

/**
 * ft_observers_watch() - create the states of a volume
 * @vol: the volume
 *
 * Context: process; may sleep.
 * Return: false if memory is short; ft_observers_forget() frees what is there.
 */
bool ft_observers_watch(struct ft_volume *vol)
{
	const struct ft_observer *o;
	unsigned int i;

	ft_for_each_observer(o, i) {
		if (!*o->on || !o->state_size)
			continue;
		vol->counted_since[i] = ktime_get_real_seconds();
		vol->observed[i] = ft_mem_zalloc(o->state_size, GFP_KERNEL);
		if (!vol->observed[i])
			return false;
		if (o->watch)
			o->watch(vol->observed[i]);
	}
	return true;
}

/**
 * ft_observers_forget() - undo ft_observers_watch()
 * @vol: the volume; not in use any more
 *
 * Context: process; may sleep.
 */
void ft_observers_forget(struct ft_volume *vol)
{
	const struct ft_observer *o;
	unsigned int i;

	/* free_counts() adds to a state */
	rcu_barrier();
	ft_for_each_observer(o, i) {
		if (vol->observed[i] && o->forget)
			o->forget(vol->observed[i]);
		ft_mem_free(vol->observed[i], o->state_size);
	}
}

/* === Numbers of files ===================================================== */

/* Those that an observer counts of all files that have none of their own. */
static atomic64_t *rest_of(const struct ft_volume *vol, unsigned int slot)
{
	return vol->observed[slot];
}

static size_t size_of_counts(unsigned int slot)
{
	return kmalloc_size_roundup(struct_size_t(struct ft_counts, nr,
						  ft_observers[slot]->nr_counts));
}

/**
 * ft_counts_new() - a file is counted for the first time: give it numbers of its own
 * @rec: the file
 * @slot: of the observer
 *
 * The slow half of ft_counts_of().
 *
 * Context: RCU read section; takes rec->lock.
 * Return: its numbers, or those of the rest.
 */
atomic64_t *ft_counts_new(struct ft_inode *rec, enum ft_slot slot)
{
	struct ft_counts __rcu **kept = ft_record_at(rec, ft_kept_at[slot]);
	size_t size = size_of_counts(slot);
	struct ft_counts *own;

	guard(ft_spinlock)(&rec->lock);
	own = rcu_dereference_protected(*kept, lockdep_is_held(&rec->lock));
	if (!own && ft_inode_followed(rec) && !ft_mem_uses_more_than(MOST_SIXTEENTHS)) {
		ft_mem_add_yielding(size);
		own = kzalloc(size, GFP_NOWAIT | __GFP_NOWARN);
		if (own) {
			own->rest = rest_of(rec->vol, slot);
			own->slot = slot;
			rcu_assign_pointer(*kept, own);
		} else {
			ft_mem_add_yielding(-(long)size);
		}
	}
	return own ? own->nr : rest_of(rec->vol, slot);
}

/* How often a file has lost its numbers, and how many of these are not all in the rest yet. */
static atomic_t nr_lost, nr_losing;

static void move_to_rest(struct ft_counts *own)
{
	unsigned int i;

	for (i = 0; i < ft_observers[own->slot]->nr_counts; i++)
		atomic64_add(atomic64_xchg(&own->nr[i], 0), &own->rest[i]);
}

static void free_counts(struct rcu_head *rcu)
{
	struct ft_counts *own = container_of(rcu, struct ft_counts, rcu);

	/* a probe may have found them before the file lost them, and counted since */
	move_to_rest(own);
	atomic_dec_return_release(&nr_losing);
	kfree(own);
}

/* The numbers of a file are added to those of the rest. */
static void drop_counts(struct ft_inode *rec, unsigned int slot)
{
	struct ft_counts __rcu **kept = ft_record_at(rec, ft_kept_at[slot]);
	struct ft_counts *own = rcu_dereference_protected(*kept, lockdep_is_held(&rec->lock));

	if (!own)
		return;
	/* free_counts() waits for the end of this section */
	guard(ft_rcu)();
	atomic_inc(&nr_losing);
	RCU_INIT_POINTER(*kept, NULL);
	call_rcu(&own->rcu, free_counts);
	/* a full barrier: who reads this waits for free_counts(), and finds nothing in the file */
	atomic_inc_return(&nr_lost);
	move_to_rest(own);
	ft_mem_add_yielding(-(long)size_of_counts(slot));
}

static void drop_counts_of(struct ft_inode *rec, void *slot)
{
	guard(ft_spinlock)(&rec->lock);
	drop_counts(rec, *(unsigned int *)slot);
}

/**
 * ft_counts_settle() - wait until all that files have lost is in the rest
 *
 * Context: process; may sleep.
 * Return: for ft_counts_moved().
 */
int ft_counts_settle(void)
{
	int lost = atomic_read_acquire(&nr_lost);

	if (atomic_read_acquire(&nr_losing))
		rcu_barrier();
	return lost;
}

/**
 * ft_counts_moved() - has a file lost its numbers meanwhile?
 * @settled: what ft_counts_settle() has returned
 *
 * What was copied of files before that may be in the rest as well.
 *
 * Return: true if so.
 */
bool ft_counts_moved(int settled)
{
	/* after all that was copied; pairs with atomic_inc_return() of drop_counts() */
	smp_rmb();
	return atomic_read(&nr_lost) != settled;
}

/**
 * ft_counts_copy() - copy the numbers of a file
 * @rec: the file
 * @slot: of the observer
 * @to: filled with them
 *
 * Context: any.
 * Return: false if the file has none.
 */
bool ft_counts_copy(const struct ft_inode *rec, enum ft_slot slot, u64 *to)
{
	struct ft_counts *own;
	unsigned int i;

	guard(ft_rcu)();
	own = ft_counts_own(rec, slot);
	for (i = 0; own && i < ft_observers[slot]->nr_counts; i++)
		to[i] = atomic64_read(&own->nr[i]);
	return own;
}

/**
 * ft_counts_reset() - the numbers of all files of a volume, and of the rest, begin again
 * @vol: the volume
 * @slot: of the observer
 *
 * Context: process; may sleep.
 */
void ft_counts_reset(struct ft_volume *vol, enum ft_slot slot)
{
	unsigned int i = slot;

	ft_volume_visit(vol, drop_counts_of, &i);
	ft_counts_settle();
	for (i = 0; i < ft_observers[slot]->nr_counts; i++)
		atomic64_set(&rest_of(vol, slot)[i], 0);
}

/**
 * ft_observers_drop() - a file is left out, or is gone: drop what is kept of it
 * @rec: the file
 *
 * Context: atomic, rec->lock held.
 */
void ft_observers_drop(struct ft_inode *rec)
{
	const struct ft_observer *o;
	unsigned int i;

	ft_for_each_observer(o, i) {
		if (*o->on && o->nr_counts)
			drop_counts(rec, i);
		if (*o->on && o->drop)
			o->drop(rec);
	}
}

/**
 * ft_observers_give_way() - drop some of what is kept of files, as memory is short
 *
 * Context: process; may sleep.
 */
void ft_observers_give_way(void)
{
	const struct ft_observer *o;
	unsigned int i;

	ft_for_each_observer(o, i) {
		if (*o->on && o->nr_counts && ft_mem_uses_more_than(TOO_MANY_SIXTEENTHS))
			ft_volume_visit_all(drop_counts_of, &i);
		if (*o->on && o->give_way)
			o->give_way();
	}
}
