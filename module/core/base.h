/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all files share: units, counters, the workqueue.
 *
 * A block is a page, as F2FS has it; lblk is a block of a file, lba a block of the volume. "end"
 * is exclusive, "last" inclusive.
 */
#ifndef FT_BASE_H
#define FT_BASE_H

#include <linux/atomic.h>
#include <linux/cleanup.h>
#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <asm/page.h>

#define FT_BLOCK_BITS	PAGE_SHIFT
#define FT_BLOCK_SIZE	(1U << FT_BLOCK_BITS)

/* These are written as octal numbers in paths: they would end a field or line. */
#define FT_ESCAPED	" \t\n\v\f\r\033\\"

extern bool ft_causes;
DECLARE_STATIC_KEY_FALSE(ft_causes_on);

/* Are causes of breaks kept (parameter causes)? This does not change. */
static __always_inline bool ft_causes_wanted(void)
{
	return static_branch_unlikely(&ft_causes_on);
}

/* For sort(): negative, 0 or positive, as @a and @b are numbers in order, equal, or not. */
#define ft_compare(a, b)	(((a) > (b)) - ((a) < (b)))

extern struct workqueue_struct *ft_wq;
extern wait_queue_head_t ft_settled;

extern atomic_t ft_nr_waiting;

void ft_target_hook(void (*func)(void));
void ft_target_kick(void);

/* === Locks ================================================================ */

/*
 * Locks that are held up to the end of a block: guard(ft_spinlock)(&lock), guard(ft_rcu)(). Those
 * of the kernel test the pointer once more at the end, and sparse, which does not follow guards,
 * takes them for locks that are never given back: so these tell it nothing.
 */
DEFINE_CLASS(ft_spinlock, spinlock_t *, ({ __acquire(_T); spin_unlock(_T); }),
	     ({ spin_lock(lock); __release(lock); lock; }), spinlock_t *lock)
DEFINE_CLASS(ft_rcu, bool, ({ (void)_T; __acquire(RCU); rcu_read_unlock(); }),
	     ({ rcu_read_lock(); __release(RCU); true; }), void)

/* === Counters ============================================================= */

/**
 * enum ft_counter - what is counted since the module was loaded
 * @FT_EVENTS_WRITE: blocks written out of place
 * @FT_EVENTS_UPDATE: changes of addresses, most of them reported before
 * @FT_EVENTS_MAP: ranges allocated by direct I/O and preallocation
 * @FT_EVENTS_TRUNCATE: truncations
 * @FT_EVENTS_FALLOCATE: fallocate calls
 * @FT_EVENTS_ATOMIC: blocks committed by an atomic write
 * @FT_EVENTS_COMPRESS: clusters compressed
 * @FT_CALLS: steps of calls, noticed just before they began: blocks are about to
 *	be moved, zeroed, punched out or preallocated
 * @FT_MISMATCHES: events that contradicted the map; each made it stale
 * @FT_LOST: events that a map could not take, because memory was refused, the budget
 *	was used up or no lock may be taken; each made it stale
 * @FT_RESCANS: files that were scanned
 * @FT_STEPS_LATE: steps of a worker that F2FS kept waiting for so long that
 *	another worker took over the rest of the queue
 * @FT_AUDITS: files whose map was compared with what F2FS reports
 * @FT_AUDIT_DIFFERENCES: audited files whose map differed
 * @FT_SAMPLED: files of the sample whose map was compared (scan/sample.c)
 * @FT_REFUSED: files and names left out because the memory budget was used up
 * @FT_CAUSES_LOST: how often the causes of a file, or of leaves of its map, were dropped
 *	because memory was short
 * @FT_NR_COUNTERS: how many there are
 */
enum ft_counter {
	FT_EVENTS_WRITE,
	FT_EVENTS_UPDATE,
	FT_EVENTS_MAP,
	FT_EVENTS_TRUNCATE,
	FT_EVENTS_FALLOCATE,
	FT_EVENTS_ATOMIC,
	FT_EVENTS_COMPRESS,
	FT_CALLS,
	FT_MISMATCHES,
	FT_LOST,
	FT_RESCANS,
	FT_STEPS_LATE,
	FT_AUDITS,
	FT_AUDIT_DIFFERENCES,
	FT_SAMPLED,
	FT_REFUSED,
	FT_CAUSES_LOST,
	FT_NR_COUNTERS
};

DECLARE_PER_CPU(u64[FT_NR_COUNTERS], ft_counters);

static inline void ft_count(enum ft_counter which)
{
	this_cpu_inc(ft_counters[which]);
}

#endif
