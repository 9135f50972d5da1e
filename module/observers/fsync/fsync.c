// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fsyncs: how long each of their phases takes, and how many node blocks they write.
 *
 * In: begin and end of an fsync and node blocks, from probe.c; phases and searches for
 * free node IDs, from functions.c. Out: histograms of each volume, for text.c.
 *
 * What is known of an fsync under way is in a table, by the task that is in it. Only
 * this task uses its entry, so no lock is needed: the return probes of functions.c may
 * take none. When the fsync ends, all of it is added to the histograms at once. An
 * fsync is ended only by the same task, and a task is in one fsync at most: F2FS calls
 * none inside of one. An entry whose end was not seen, because the probes were removed
 * meanwhile, is used again when the task begins its next fsync, or when the probes are
 * attached again.
 */

#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "core/bounds.h"
#include "core/memory.h"
#include "observers/fsync/fsync.h"

bool ft_fsync_on;
module_param_named(fsync, ft_fsync_on, bool, 0444);
MODULE_PARM_DESC(fsync, "measure where the time of an fsync goes (default: off)");

#define TASK_BITS	7
#define NR_TASKS	BIT(TASK_BITS)

/**
 * struct under_way - an fsync
 * @begun: when, in nanoseconds
 * @spent: nanoseconds in each phase
 * @searched: nanoseconds in searches for free node IDs
 * @node_blocks: node blocks written
 * @seen: a bit for each phase that there was, and for %FT_FSYNC_SEARCH
 * @in_phase: the task is in a phase now
 */
struct under_way {
	u64 begun;
	u64 spent[FT_NR_FSYNC_PHASES];
	u64 searched;
	u32 node_blocks;
	unsigned long seen;
	bool in_phase;
};

/**
 * struct table - the fsyncs under way, on all volumes
 * @task: the task that has this entry; only compared
 * @fsync: its fsync
 */
struct table {
	const struct task_struct *task[NR_TASKS];
	struct under_way fsync[NR_TASKS];
};

static struct table *table;

/* === Histograms =========================================================== */

static unsigned int bucket_of(u64 value)
{
	return min_t(unsigned int, fls64(value), FT_FSYNC_BUCKETS - 1);
}

static unsigned int bucket_of_ns(u64 ns)
{
	return bucket_of(div_u64(ns, NSEC_PER_USEC));
}

static void add_ns(struct ft_fsync_hist *hist, u64 ns)
{
	hist->sum += ns;
	hist->buckets[bucket_of_ns(ns)]++;
}

/**
 * ft_fsync_called() - a function that is counted for all tasks has returned
 * @fsyncs: those of the volume
 * @row: %FT_FSYNC_ALL_SEARCHES or %FT_FSYNC_ALLOC_NID
 * @ns: how long it took
 *
 * Context: any; takes no lock.
 */
void ft_fsync_called(struct ft_fsyncs *fsyncs, enum ft_fsync_row row, u64 ns)
{
	struct ft_fsync_calls *calls = &fsyncs->calls[row - FT_NR_FSYNC_SUMS];

	atomic64_add(ns, &calls->sum);
	atomic64_inc(&calls->buckets[bucket_of_ns(ns)]);
}

/* === The fsync of this task =============================================== */

/* The task's entry, or NULL if it is in no fsync. */
static struct under_way *own(void)
{
	unsigned int home = hash_ptr(current, TASK_BITS), n, i;

	for (n = 0; n < FT_MAX_FSYNCS_SEARCHED; n++) {
		i = (home + n) % NR_TASKS;
		if (READ_ONCE(table->task[i]) == current)
			return &table->fsync[i];
	}
	return NULL;
}

/* The same, but a free entry if it has none; NULL if there is none near enough. */
static struct under_way *claim(void)
{
	unsigned int home = hash_ptr(current, TASK_BITS), n, i;
	struct under_way *f = own();

	for (n = 0; !f && n < FT_MAX_FSYNCS_SEARCHED; n++) {
		i = (home + n) % NR_TASKS;
		if (!READ_ONCE(table->task[i]) &&
		    !cmpxchg(&table->task[i], NULL, current))
			f = &table->fsync[i];
	}
	return f;
}

/**
 * ft_fsync_begin() - the current task begins an fsync
 * @fsyncs: those of the volume
 *
 * Context: atomic; takes a spinlock.
 */
void ft_fsync_begin(struct ft_fsyncs *fsyncs)
{
	struct under_way *f = claim();

	if (f) {
		*f = (struct under_way){ .begun = ktime_get_ns() };
		return;
	}
	spin_lock(&fsyncs->lock);
	fsyncs->counts.missed++;
	spin_unlock(&fsyncs->lock);
}

/* Add an fsync that ends now to the histograms. */
static void add(struct ft_fsyncs *fsyncs, const struct under_way *f,
		unsigned int reason, int err)
{
	struct ft_fsync_counts *counts = &fsyncs->counts;
	u64 whole = ktime_get_ns() - f->begun, rest = whole;
	unsigned int i;

	spin_lock(&fsyncs->lock);
	for (i = 0; i < FT_NR_FSYNC_PHASES; i++) {
		if (f->seen & BIT(i))
			add_ns(&counts->sums[i], f->spent[i]);
		rest -= f->spent[i];
	}
	add_ns(&counts->sums[FT_FSYNC_OTHER], rest);
	add_ns(&counts->sums[FT_FSYNC_WHOLE], whole);
	if (f->seen & BIT(FT_FSYNC_SEARCH))
		add_ns(&counts->sums[FT_FSYNC_SEARCH], f->searched);
	counts->sums[FT_FSYNC_BLOCKS].sum += f->node_blocks;
	counts->sums[FT_FSYNC_BLOCKS].buckets[bucket_of(f->node_blocks)]++;
	if (reason)
		add_ns(&counts->reasons[min(reason, FT_FSYNC_REASONS - 1U)],
		       f->spent[FT_FSYNC_CHECKPOINT]);
	counts->failed += err < 0;
	spin_unlock(&fsyncs->lock);
}

/**
 * ft_fsync_end() - the current task ends an fsync
 * @fsyncs: those of the volume; NULL if it is not watched, or not any more
 * @reason: why F2FS has written a checkpoint, by its own number; 0 if it has not
 * @err: what the fsync returns
 *
 * Context: atomic; takes a spinlock.
 */
void ft_fsync_end(struct ft_fsyncs *fsyncs, unsigned int reason, int err)
{
	struct under_way *f = own();

	/* it has begun before the probes were there, or there was no entry */
	if (!f)
		return;
	if (fsyncs)
		add(fsyncs, f, reason, err);
	/* from here on another task may have the entry */
	smp_store_release(&table->task[f - table->fsync], NULL);
}

/**
 * ft_fsync_node_block() - the current task writes a node block
 *
 * Context: any; takes no lock.
 */
void ft_fsync_node_block(void)
{
	struct under_way *f = own();

	if (f)
		f->node_blocks++;
}

/**
 * ft_fsync_phase_begin() - the current task begins what is a phase of an fsync
 *
 * Context: any; takes no lock.
 * Return: true if it is in an fsync, and in no other phase: then it has to call
 * ft_fsync_phase_end().
 */
bool ft_fsync_phase_begin(void)
{
	struct under_way *f = own();

	if (!f || f->in_phase)
		return false;
	f->in_phase = true;
	return true;
}

/**
 * ft_fsync_phase_end() - undo ft_fsync_phase_begin()
 * @phase: which one it was
 * @ns: how long it took
 *
 * Context: any; takes no lock.
 */
void ft_fsync_phase_end(enum ft_fsync_row phase, u64 ns)
{
	struct under_way *f = own();

	if (!f || !f->in_phase)
		return;
	f->in_phase = false;
	f->spent[phase] += ns;
	f->seen |= BIT(phase);
}

/**
 * ft_fsync_searched() - the current task has searched for free node IDs
 * @ns: how long it took
 *
 * Context: any; takes no lock.
 */
void ft_fsync_searched(u64 ns)
{
	struct under_way *f = own();

	if (!f)
		return;
	f->searched += ns;
	f->seen |= BIT(FT_FSYNC_SEARCH);
}

/**
 * ft_fsync_forget_tasks() - forget the fsyncs that are under way
 *
 * Context: process; no probe runs.
 */
void ft_fsync_forget_tasks(void)
{
	memset(table, 0, sizeof(*table));
}

/* === The fsyncs of a volume =============================================== */

/**
 * ft_fsyncs_watch() - begin to measure the fsyncs of a volume
 *
 * Context: process.
 * Return: what is known of them, for ft_fsyncs_forget(); NULL if memory is short.
 */
void *ft_fsyncs_watch(void)
{
	struct ft_fsyncs *fsyncs = ft_mem_zalloc(sizeof(*fsyncs), GFP_KERNEL);

	if (fsyncs)
		spin_lock_init(&fsyncs->lock);
	return fsyncs;
}

/**
 * ft_fsyncs_forget() - undo ft_fsyncs_watch()
 * @fsyncs: those of a volume; not in use any more
 *
 * Context: process.
 */
void ft_fsyncs_forget(void *fsyncs)
{
	ft_mem_free(fsyncs, sizeof(struct ft_fsyncs));
}

/**
 * ft_fsyncs_reset() - forget all that have ended
 * @fsyncs: those of a volume
 *
 * An fsync that is under way counts when it ends.
 *
 * Context: process.
 */
void ft_fsyncs_reset(struct ft_fsyncs *fsyncs)
{
	unsigned int i, b;

	spin_lock(&fsyncs->lock);
	memset(&fsyncs->counts, 0, sizeof(fsyncs->counts));
	spin_unlock(&fsyncs->lock);
	for (i = 0; i < ARRAY_SIZE(fsyncs->calls); i++) {
		atomic64_set(&fsyncs->calls[i].sum, 0);
		for (b = 0; b < FT_FSYNC_BUCKETS; b++)
			atomic64_set(&fsyncs->calls[i].buckets[b], 0);
	}
}

/**
 * ft_fsyncs_copy() - copy what is known of fsyncs
 * @fsyncs: those of a volume
 * @counts: where to
 *
 * Context: process.
 */
void ft_fsyncs_copy(struct ft_fsyncs *fsyncs, struct ft_fsync_counts *counts)
{
	spin_lock(&fsyncs->lock);
	*counts = fsyncs->counts;
	spin_unlock(&fsyncs->lock);
}

/**
 * ft_fsyncs_copy_calls() - copy a histogram that is not of fsyncs
 * @fsyncs: those of a volume
 * @row: %FT_FSYNC_ALL_SEARCHES or %FT_FSYNC_ALLOC_NID
 * @hist: where to; calls that end meanwhile may be in the sum only
 *
 * Context: process.
 */
void ft_fsyncs_copy_calls(const struct ft_fsyncs *fsyncs, enum ft_fsync_row row,
			  struct ft_fsync_hist *hist)
{
	const struct ft_fsync_calls *calls =
		&fsyncs->calls[row - FT_NR_FSYNC_SUMS];
	unsigned int b;

	for (b = 0; b < FT_FSYNC_BUCKETS; b++)
		hist->buckets[b] = atomic64_read(&calls->buckets[b]);
	hist->sum = atomic64_read(&calls->sum);
}

/* === Life ================================================================= */

/**
 * ft_fsync_init() - prepare to measure
 *
 * Return: 0 or -ENOMEM.
 */
int ft_fsync_init(void)
{
	if (!ft_fsync_on)
		return 0;
	table = ft_mem_vzalloc(sizeof(*table));
	return table ? 0 : -ENOMEM;
}

/**
 * ft_fsync_exit() - undo ft_fsync_init()
 *
 * Context: process; no probe runs.
 */
void ft_fsync_exit(void)
{
	ft_mem_vfree(table, sizeof(*table));
}
