// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes in records whose lock cannot be taken.
 *
 * In: files that calls are about to change, from probes/call.c, and files with an event
 * for which no lock may be taken. Out: a note in the record. The next task that
 * locks the record handles the note first, so none takes the map for exact. A work
 * item locks the record if nothing else does.
 *
 * Built if the handlers of probes/call.c must not take a lock: with PREEMPT_RT, where
 * spinlocks sleep, and where a kprobe is an exception because ftrace does not place
 * it, as on arm64. Otherwise probes/call.c locks the record itself.
 */

#include <linux/llist.h>
#include <linux/sched.h>

#include "core/base.h"
#include "maps/inode.h"
#include "maps/note.h"

/* The bits share a word with a pointer to a task, see &struct ft_inode. */
static_assert(__alignof__(struct task_struct) > (FT_NOTE_STALE | FT_NOTE_KEPT));

/* Records with a note that makes them stale; the list holds a reference to each. */
static LLIST_HEAD(noted);

static void take_up_all(struct work_struct *work)
{
	struct llist_node *list = llist_del_all(&noted);
	struct ft_inode *rec, *next;

	llist_for_each_entry_safe(rec, next, list, noted_node) {
		/* from here on the record can be added to the list again */
		atomic_long_fetch_andnot(FT_NOTE_KEPT, &rec->note);
		ft_inode_lock(rec);
		spin_unlock(&rec->lock);
		ft_inode_put(rec);
		cond_resched();
	}
}

static DECLARE_WORK(noted_work, take_up_all);

/**
 * ft_note_stale() - a change begins that no event describes
 * @rec: the file
 * @from: the first block
 * @end: end of the range, exclusive
 *
 * The same as ft_event_range_begin(), without the lock. A note has no room for the range:
 * all of the file is in doubt.
 *
 * Context: any but NMI; RCU read section.
 */
void ft_note_stale(struct ft_inode *rec, u32 from, u32 end)
{
	long old = atomic_long_read(&rec->note);

	/* this drops a note about preallocation: blocks may be freed meanwhile */
	while (!atomic_long_try_cmpxchg(&rec->note, &old, FT_NOTE_STALE | FT_NOTE_KEPT))
		;
	if (old & FT_NOTE_KEPT || !refcount_inc_not_zero(&rec->ref))
		return;
	llist_add(&rec->noted_node, &noted);
	queue_work(ft_wq, &noted_work);
}

/**
 * ft_note_reserve_begin() - the current task begins to preallocate blocks
 * @rec: the file
 *
 * The same as ft_event_reserve_begin(), without the lock. The note is not needed
 * before the record is locked.
 *
 * Context: task; RCU read section.
 */
void ft_note_reserve_begin(struct ft_inode *rec)
{
	long old = atomic_long_read(&rec->note);

	while (!atomic_long_try_cmpxchg(&rec->note, &old,
					(old & (FT_NOTE_STALE | FT_NOTE_KEPT)) | (long)current))
		;
}

/**
 * ft_note_flush() - handle all notes
 *
 * For readers of counters, which do not lock each record.
 *
 * Context: process; sleeps.
 */
void ft_note_flush(void)
{
	flush_work(&noted_work);
}
