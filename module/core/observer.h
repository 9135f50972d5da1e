/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Observers: what is counted besides the maps, each switched on by a parameter.
 *
 * An observer is a folder in observers/, which Kbuild lists. All others know it by this
 * struct alone. One that is off has no probe.
 */
#ifndef FT_OBSERVER_H
#define FT_OBSERVER_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/types.h>

#include "core/record.h"
#include "core/volume.h"

struct ft_probe;
struct ft_text;

/**
 * struct ft_observer - an observer
 * @text: its file in debugfs, which says so if the observer is off
 * @on: its parameter; this does not change
 * @init: check its parameters; if it is on, prepare. Returns 0 or an error, which is logged
 * @exit: undo @init; all records are gone
 * @probes: its probes on tracepoints, up to an empty one. They run before
 *	those of the maps, so they see the maps as they were
 * @attach: attach what it needs besides; may sleep. Before any probe runs
 * @detach: undo @attach; after all probes have run
 * @state_size: of its state of a volume, or 0
 * @file_size: of what it keeps of each file, zeroed, in the record: see ft_kept(); or 0
 * @nr_counts: instead: how many numbers it counts of each file, see ft_counts_of(). Its state of
 *	a volume begins with as many
 * @watch: prepare that, which is zeroed
 * @forget: free what it refers to
 * @read: blocks from @first to before @end of a file are read from the volume, directly or
 *	for the page cache. Its map does not show what is read unless @known. Atomic, in
 *	an RCU read section
 * @drop: free what it refers to by what it keeps of a file, in bounded time; rec->lock is held
 * @give_way: free memory that it has charged by ft_mem_add_yielding(); may sleep
 * @show_stats: print its lines of `stats`, also if it is off
 *
 * Only @text and @on are needed.
 */
struct ft_observer {
	const struct ft_text *text;
	const bool *on;
	const struct ft_probe *probes;

	int (*init)(void);
	void (*exit)(void);
	void (*attach)(void);
	void (*detach)(void);
	size_t state_size;
	size_t file_size;
	unsigned int nr_counts;
	void (*watch)(void *state);
	void (*forget)(void *state);
	void (*read)(struct ft_inode *rec, u32 first, u32 end, bool direct, bool known);
	void (*drop)(struct ft_inode *rec);
	void (*give_way)(void);
	void (*show_stats)(struct seq_file *m);
};

/* All of them, by enum ft_slot. Set once. */
extern const struct ft_observer *const *ft_observers;

/* Where in a record is what each of them keeps of a file. */
extern u32 ft_kept_at[FT_NR_OBSERVERS];

/* What an observer that is on keeps of a file. */
#define ft_kept(rec, name)	ft_record_at(rec, ft_kept_at[FT_SLOT_##name])

#define ft_for_each_observer(o, i) \
	for (i = 0; i < FT_NR_OBSERVERS && ((o) = ft_observers[i]); i++)

/**
 * struct ft_counts - the numbers of a file that an observer counts
 * @rcu: when they are freed
 * @rest: those of the rest, to which they are added when the file loses them
 * @slot: of the observer
 * @nr: the numbers
 */
struct ft_counts {
	struct rcu_head rcu;
	atomic64_t *rest;
	unsigned int slot;
	atomic64_t nr[];
};

atomic64_t *ft_counts_new(struct ft_inode *rec, enum ft_slot slot);
int ft_counts_settle(void);
bool ft_counts_moved(int settled);
bool ft_counts_copy(const struct ft_inode *rec, enum ft_slot slot, u64 *to);
void ft_counts_reset(struct ft_volume *vol, enum ft_slot slot);

/* The numbers of a file, or %NULL. In an RCU read section, as a probe is (probes/probing.h). */
static __always_inline struct ft_counts *ft_counts_own(const struct ft_inode *rec,
						       enum ft_slot slot)
{
	struct ft_counts __rcu **kept = ft_record_at(rec, ft_kept_at[slot]);

	return rcu_dereference_check(*kept, rcu_read_lock_any_held());
}

/**
 * ft_counts_of() - where to count for a file
 * @rec: the file
 * @slot: of the observer
 *
 * A file gets numbers of its own when it is first counted for, as long as there is memory for
 * that. If it has none, or loses them, all its counts are among those of the rest, with which
 * the state of the volume begins.
 *
 * Context: RCU read section; may take rec->lock.
 * Return: its numbers, or those of the rest.
 */
static __always_inline atomic64_t *ft_counts_of(struct ft_inode *rec, enum ft_slot slot)
{
	struct ft_counts *own = ft_counts_own(rec, slot);

	return likely(own) ? own->nr : ft_counts_new(rec, slot);
}

/* Call a function of each observer that is on and has it. */
#define ft_observers_call(func, ...)					\
do {									\
	const struct ft_observer *_one;					\
	unsigned int _i;						\
									\
	ft_for_each_observer(_one, _i)					\
		if (*_one->on && _one->func)				\
			_one->func(__VA_ARGS__);			\
} while (0)

int ft_observers_init(const struct ft_observer *const *list);
void ft_observers_exit(void);
bool ft_observers_watch(struct ft_volume *vol);
void ft_observers_forget(struct ft_volume *vol);
void ft_observers_drop(struct ft_inode *rec);
void ft_observers_give_way(void);

#endif
