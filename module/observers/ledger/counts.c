// SPDX-License-Identifier: GPL-2.0-only
/*
 * The numbers of files and processes: their life. Each gets its own when it first writes, as long
 * as there is memory for that; what else is written is in the lines of all others.
 */

#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "causes/writer.h"
#include "core/memory.h"
#include "maps/inode.h"
#include "observers/ledger/counts.h"

/* The parameter ledger. */
bool ft_wrote_on;
module_param_named(ledger, ft_wrote_on, bool, 0444);
MODULE_PARM_DESC(ledger, "count what is written, by kind, process and file (default: off)");

/* No file gets its own when so many sixteenths of the budget are used; those that have give way. */
#define MOST_SIXTEENTHS		12
#define TOO_MANY_SIXTEENTHS	13

/* About what the table takes for a process. */
#define SLOT_SIZE	(2 * sizeof(void *))

static struct ft_wrote_all *ledger_of(const struct ft_inode *rec)
{
	return ft_observed(rec->vol, ledger);
}

/* === Processes ============================================================ */

static noinline struct ft_wrote *find_process(struct ft_volume *vol, u32 number)
{
	const gfp_t gfp = GFP_NOWAIT | __GFP_NOWARN;
	struct ft_wrote_all *ledger = ft_observed(vol, ledger);
	u32 first = ft_writer_first(vol, number);
	struct ft_wrote *p, *was;

	if (number == FT_SNAP_WRITER_UNKNOWN)
		return &ledger->process;
	p = xa_load(&ledger->processes, first);
	if (p || !ft_mem_room())
		return p ?: &ledger->process;
	p = ft_mem_zalloc(sizeof(*p), gfp);
	if (!p)
		return &ledger->process;
	ft_mem_add(SLOT_SIZE);
	was = xa_cmpxchg(&ledger->processes, first, NULL, p, gfp);
	if (!was)
		return p;
	ft_mem_add(-(long)SLOT_SIZE);
	ft_mem_free(p, sizeof(*p));
	return xa_is_err(was) ? &ledger->process : was;
}

/* The process of a number. Most often @file was counted for it before. */
static struct ft_wrote *process_of(struct ft_volume *vol, struct ft_wrote *file, u32 number)
{
	struct ft_wrote *p = READ_ONCE(file->process);

	if (likely(p && READ_ONCE(p->number) == number))
		return p;
	p = find_process(vol, number);
	WRITE_ONCE(p->number, number);
	WRITE_ONCE(file->process, p);
	return p;
}

/* === Files ================================================================ */

static noinline struct ft_wrote *add_file(struct ft_inode *rec)
{
	struct ft_wrote __rcu **kept = ft_wrote_kept(rec);
	struct ft_wrote *f;

	spin_lock(&rec->lock);
	f = rcu_dereference_protected(*kept, lockdep_is_held(&rec->lock));
	if (!f && ft_inode_followed(rec) && !ft_mem_uses_more_than(MOST_SIXTEENTHS)) {
		f = kzalloc(sizeof(*f), GFP_NOWAIT | __GFP_NOWARN);
		if (f) {
			ft_mem_add_yielding(kmalloc_size_roundup(sizeof(*f)));
			rcu_assign_pointer(*kept, f);
		}
	}
	spin_unlock(&rec->lock);
	return f ?: &ledger_of(rec)->file;
}

/**
 * ft_wrote_add() - count for a file and a process
 * @rec: the file
 * @number: of the process
 * @sum: what to count
 * @bytes: how many
 *
 * Context: a probe, RCU read section; takes rec->lock.
 */
void ft_wrote_add(struct ft_inode *rec, u32 number, enum ft_wrote_sum sum, u32 bytes)
{
	struct ft_wrote *f = rcu_dereference_check(*ft_wrote_kept(rec), rcu_read_lock_any_held());

	if (unlikely(!f))
		f = add_file(rec);
	atomic64_add(bytes, &f->bytes[sum]);
	atomic64_add(bytes, &process_of(rec->vol, f, number)->bytes[sum]);
}

/**
 * ft_wrote_add_other() - count what is of no watched file
 * @ledger: of the volume
 * @sum: what to count
 * @bytes: how many
 *
 * Context: any.
 */
void ft_wrote_add_other(struct ft_wrote_all *ledger, enum ft_wrote_sum sum, u32 bytes)
{
	atomic64_add(bytes, &ledger->file.bytes[sum]);
	atomic64_add(bytes, &ledger->process.bytes[sum]);
}

/**
 * ft_wrote_drop() - a file is left out, or is gone: add its numbers to those of all others
 * @rec: the file
 *
 * Context: atomic, rec->lock held.
 */
void ft_wrote_drop(struct ft_inode *rec)
{
	struct ft_wrote __rcu **kept = ft_wrote_kept(rec);
	struct ft_wrote *f = rcu_dereference_protected(*kept, true);
	struct ft_wrote_all *ledger = ledger_of(rec);
	unsigned int i;

	if (!f)
		return;
	RCU_INIT_POINTER(*kept, NULL);
	for (i = 0; i < FT_NR_WROTE_SUMS; i++)
		atomic64_add(atomic64_read(&f->bytes[i]), &ledger->file.bytes[i]);
	kfree_rcu(f, rcu);
	ft_mem_add_yielding(-(long)kmalloc_size_roundup(sizeof(*f)));
}

static void drop(struct ft_inode *rec, void *unused)
{
	spin_lock(&rec->lock);
	ft_wrote_drop(rec);
	spin_unlock(&rec->lock);
}

/**
 * ft_wrote_give_way() - drop the numbers of all files if memory is short
 *
 * Context: process.
 */
void ft_wrote_give_way(void)
{
	if (ft_mem_uses_more_than(TOO_MANY_SIXTEENTHS))
		ft_volume_visit_all(drop, NULL);
}

/* === Volumes ============================================================== */

static void clear(atomic64_t *numbers, size_t nr)
{
	while (nr--)
		atomic64_set(&numbers[nr], 0);
}

/**
 * ft_wrote_reset() - all numbers of a volume begin again
 * @vol: the volume
 *
 * Context: process.
 */
void ft_wrote_reset(struct ft_volume *vol)
{
	struct ft_wrote_all *ledger = ft_observed(vol, ledger);
	struct ft_wrote *p;
	unsigned long i;

	if (!ledger)
		return;
	ft_volume_visit(vol, drop, NULL);
	rcu_read_lock();
	xa_for_each(&ledger->processes, i, p)
		clear(p->bytes, FT_NR_WROTE_SUMS);
	rcu_read_unlock();
	clear(ledger->file.bytes, FT_NR_WROTE_SUMS);
	clear(ledger->process.bytes, FT_NR_WROTE_SUMS);
	clear(&ledger->kinds[0][0], FT_NR_WROTE_KINDS * FT_NR_WROTE_LOGS);
	clear(&ledger->written, 1);
	clear(&ledger->discarded, 1);
}

/**
 * ft_wrote_watch() - a volume is followed
 * @state: its ledger, zeroed
 *
 * Context: process; may sleep.
 */
void ft_wrote_watch(void *state)
{
	struct ft_wrote_all *ledger = state;

	xa_init(&ledger->processes);
}

/**
 * ft_wrote_forget() - undo ft_wrote_watch()
 * @state: the ledger
 *
 * Context: process.
 */
void ft_wrote_forget(void *state)
{
	struct ft_wrote_all *ledger = state;
	struct ft_wrote *p;
	unsigned long i;

	xa_for_each(&ledger->processes, i, p) {
		ft_mem_free(p, sizeof(*p));
		ft_mem_add(-(long)SLOT_SIZE);
	}
	xa_destroy(&ledger->processes);
}
