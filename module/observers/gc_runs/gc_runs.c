// SPDX-License-Identifier: GPL-2.0-only
/*
 * Garbage collections: why each ran, what it did, and who waited for it.
 *
 * In: collections that begin and end, and victims, from F2FS's tracepoints; tasks that wait for
 * the lock that a collection holds, or for F2FS's thread, from probes of the kernel's functions for
 * that. Out: sums, recent collections and the longest waits, in the file gc_runs of debugfs.
 * fragtrace gc reads it.
 *
 * gc_runs.c has the collections, choice.c what the victims are compared with, waits.c who waits,
 * runs.h the numbers, text.c the file in debugfs.
 *
 * Between collections nothing is executed but a return probe and a comparison for each lock of this
 * kind that a task of the machine has to wait for; after F2FS's thread has collected for writers
 * (gc_merge), also for each wait for a device.
 */

#include <linux/fs.h>
#include <linux/limits.h>
#include <linux/ktime.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/unistd.h>

#include <asm/syscall.h>

#include "core/observer.h"
#include "core/volume.h"
#include "f2fs/segment.h"
#include "observers/gc_runs/runs.h"
#include "observers/observers.h"
#include "probes/probing.h"

/* A collection without a victim is kept if it took as long as this: it wrote a checkpoint. */
#define LONG_NS	NSEC_PER_MSEC

/* === Collections ========================================================== */

/* The number of the system call that the current task is in, or -1. */
static int system_call(void)
{
	if (current->flags & (PF_KTHREAD | PF_IO_WORKER))
		return -1;
	return syscall_get_nr(current, task_pt_regs(current));
}

/*
 * Why does the current task collect? @need: for one free section, and not in the background. So
 * does a task that has found too few free sections, and F2FS as it stops to write checkpoints.
 */
static enum ft_gc_reason reason_of(const struct super_block *sb, bool need)
{
	int nr;

	if (current->flags & PF_KTHREAD && !strncmp(current->comm, "f2fs_gc-", 8)) {
		if (need)
			return FT_GC_MERGED;
		return ft_f2fs_gc_is_urgent(sb) ? FT_GC_URGENT : FT_GC_IDLE;
	}
	nr = system_call();
	if (nr == __NR_mount || nr == __NR_fsconfig)
		return FT_GC_OTHER;
	if (need)
		return FT_GC_WRITER;
	if (nr == __NR_ioctl)
		return FT_GC_REQUEST;
	return nr == __NR_fallocate ? FT_GC_PINNED : FT_GC_OTHER;
}

/* Somebody waits for collections of these reasons. */
static bool is_waited_for(enum ft_gc_reason reason)
{
	return reason == FT_GC_WRITER || reason == FT_GC_MERGED || reason == FT_GC_PINNED;
}

static void probe_begin(void *unused, struct super_block *sb, int gc_type, bool no_bg_gc,
			unsigned int nr_free_secs, long long dirty_nodes,
			long long dirty_dents, long long dirty_imeta, unsigned int free_sec,
			unsigned int free_seg, int reserved_seg, unsigned int prefree_seg)
{
	enum ft_gc_reason reason = reason_of(sb, no_bg_gc && nr_free_secs);
	struct ft_collections *runs;
	unsigned long flags;

	ft_gc_waits_collects();
	ft_probe_volume(vol, sb, 0) {
		runs = ft_observed(vol, gc_runs);
		if (reason == FT_GC_MERGED)
			ft_gc_waits_merged();
		raw_spin_lock_irqsave(&runs->lock, flags);
		runs->collector = current;
		runs->begun = ktime_get_ns();
		runs->cleaned = U32_MAX;
		runs->now = (struct ft_gc_run){
			.number = runs->nr + 1,
			.when = ktime_get_real_seconds(),
			.free = free_sec,
			.pid = current->tgid,
			.reason = reason,
			.foreground = gc_type == FT_F2FS_FG_GC || is_waited_for(reason),
		};
		strscpy(runs->now.comm, current->comm, sizeof(runs->now.comm));
		WRITE_ONCE(runs->running, runs->nr + 1);
		smp_wmb(); /* with that of begin() in waits.c */
		WRITE_ONCE(runs->nr, runs->nr + 1);
		raw_spin_unlock_irqrestore(&runs->lock, flags);
	}
}

/* A collection that begins in the background may become a foreground one. */
static void probe_get_victim(void *unused, struct super_block *sb, int type, int gc_type,
			     struct victim_sel_policy *p, unsigned int pre_victim,
			     unsigned int prefree, unsigned int free)
{
	struct ft_gc_choice choice[FT_NR_GC_POLICIES];
	struct ft_collections *runs;
	u32 segment, segments;
	unsigned long flags;
	int mode;
	bool is_new;

	if (type != FT_F2FS_NO_CHECK_TYPE)
		return;
	ft_probe_volume(vol, sb, 0) {
		runs = ft_observed(vol, gc_runs);
		segment = ft_f2fs_victim(p, &segments, &mode);
		segments = max(segments, 1U);
		/* F2FS may clean a large section in steps, each with an event */
		segment = rounddown(segment, segments);
		raw_spin_lock_irqsave(&runs->lock, flags);
		is_new = runs->collector == current && runs->cleaned != segment;
		raw_spin_unlock_irqrestore(&runs->lock, flags);
		if (!is_new)
			continue;
		ft_gc_compare(vol, sb, p, gc_type != FT_F2FS_FG_GC, choice);
		raw_spin_lock_irqsave(&runs->lock, flags);
		runs->cleaned = segment;
		runs->now.victims++;
		runs->now.blocks += choice[FT_GC_GREEDY].blocks;
		runs->now.foreground |= gc_type == FT_F2FS_FG_GC;
		ft_gc_add_choice(runs->choices[runs->now.reason], choice);
		raw_spin_unlock_irqrestore(&runs->lock, flags);
	}
}

static void add_up(struct ft_gc_run *sum, const struct ft_gc_run *run)
{
	sum->number++;
	sum->empty += !run->victims;
	sum->ns += run->ns;
	sum->victims += run->victims;
	sum->blocks += run->blocks;
	sum->segments += run->segments;
	sum->sections += run->sections;
}

static void end_run(struct ft_collections *runs)
{
	struct ft_gc_run *run = &runs->now;

	run->ns = ktime_get_ns() - runs->begun;
	runs->collector = NULL;
	WRITE_ONCE(runs->running, 0);
	add_up(&runs->sums[run->reason], run);
	if (run->victims || run->ns >= LONG_NS) {
		runs->newest = (runs->newest + 1) % FT_GC_RUNS;
		runs->nr_kept = min_t(u32, runs->nr_kept + 1, FT_GC_RUNS);
		runs->kept[runs->newest] = *run;
	}
	if (run->reason == FT_GC_WRITER)
		ft_gc_note_wait(runs, run->ns, run->number, true);
}

static void probe_end(void *unused, struct super_block *sb, int ret, int seg_freed,
		      int sec_freed, long long dirty_nodes, long long dirty_dents,
		      long long dirty_imeta, unsigned int free_sec, unsigned int free_seg,
		      int reserved_seg, unsigned int prefree_seg)
{
	struct ft_collections *runs;
	unsigned long flags;

	ft_probe_volume(vol, sb, 0) {
		runs = ft_observed(vol, gc_runs);
		raw_spin_lock_irqsave(&runs->lock, flags);
		if (runs->collector == current) {
			runs->now.err = ret;
			runs->now.segments = seg_freed;
			runs->now.sections = sec_freed;
			runs->now.free_after = free_sec;
			end_run(runs);
		}
		raw_spin_unlock_irqrestore(&runs->lock, flags);
	}
}

static const struct ft_probe probes[] = {
	FT_PROBE(f2fs_gc_begin, probe_begin),
	FT_PROBE(f2fs_get_victim, probe_get_victim),
	FT_PROBE(f2fs_gc_end, probe_end),
	{ }
};

/* === Life ================================================================= */

static void watch(void *state)
{
	struct ft_collections *runs = state;

	raw_spin_lock_init(&runs->lock);
	runs->missed_before = max(ft_gc_waits_lost(runs), 0L);
}

const struct ft_observer ft_gc_runs = {
	.text = &ft_gc_runs_text,
	.on = &ft_gc_runs_on,
	.probes = probes,
	.attach = ft_gc_waits_attach,
	.detach = ft_gc_waits_detach,
	.state_size = sizeof(struct ft_collections),
	.watch = watch,
};
