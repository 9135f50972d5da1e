/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Garbage collections of a volume: why they ran, and who waited for them.
 */
#ifndef FT_RUNS_H
#define FT_RUNS_H

#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "core/bounds.h"

/* The longest waits that are kept. */
#define FT_GC_LONGEST	10

/**
 * enum ft_gc_reason - why F2FS collects garbage
 * @FT_GC_IDLE: its thread does, in the background, as the volume is idle
 * @FT_GC_URGENT: its thread does, as it was told by gc_urgent
 * @FT_GC_MERGED: its thread does for writers that have found too few free sections (gc_merge)
 * @FT_GC_WRITER: a task that needs blocks has found too few free sections
 * @FT_GC_REQUEST: an ioctl asks for it
 * @FT_GC_PINNED: a pinned file needs sections
 * @FT_GC_OTHER: something else: F2FS is mounted with checkpoint=disable
 * @FT_NR_GC_REASONS: how many there are
 */
enum ft_gc_reason {
	FT_GC_IDLE,
	FT_GC_URGENT,
	FT_GC_MERGED,
	FT_GC_WRITER,
	FT_GC_REQUEST,
	FT_GC_PINNED,
	FT_GC_OTHER,
	FT_NR_GC_REASONS
};

/**
 * struct ft_gc_run - a collection; or the sums of many
 * @number: counted from the first one of the volume; of sums: how many there were
 * @empty: of sums: how many of them found no victim
 * @when: when it began, in seconds since 1970
 * @ns: how long it took
 * @waited: how long tasks that began meanwhile have waited for the lock, in nanoseconds, together
 * @waits: how many did
 * @victims: how often F2FS has chosen segments to clean
 * @blocks: how many blocks of these were in use
 * @segments: how many segments were freed
 * @sections: how many sections were freed
 * @free: free sections as it began
 * @free_after: and as it ended
 * @err: its result: 0, or an error of F2FS
 * @pid: the process that collected
 * @reason: enum ft_gc_reason
 * @foreground: F2FS did it at once, as there were too few free sections, or as it was told
 * @comm: the name of the thread
 */
struct ft_gc_run {
	u32 number;
	u32 empty;
	u64 when;
	u64 ns;
	u64 waited;
	u32 waits;
	u32 victims;
	u64 blocks;
	u32 segments;
	u32 sections;
	u32 free;
	u32 free_after;
	int err;
	u32 pid;
	u8 reason;
	bool foreground;
	char comm[TASK_COMM_LEN];
};

/**
 * struct ft_gc_process - a process that waited
 * @pid: of the thread group; 0: all others
 * @runs: how often it has collected itself, as it needed blocks
 * @waits: how often it has waited for the lock that a collection holds
 * @own: how long it has collected, in nanoseconds
 * @waited: how long it has waited, in nanoseconds
 * @comm: the name of the thread that was seen first
 */
struct ft_gc_process {
	u32 pid;
	u32 runs;
	u32 waits;
	u64 own;
	u64 waited;
	char comm[TASK_COMM_LEN];
};

/**
 * struct ft_gc_wait - one of the longest waits
 * @ns: how long
 * @when: when it ended, in seconds since 1970
 * @run: the number of the collection; 0: another holder of the lock
 * @pid: the process
 * @own: it has collected itself
 * @comm: the name of the thread
 */
struct ft_gc_wait {
	u64 ns;
	u64 when;
	u32 run;
	u32 pid;
	bool own;
	char comm[TASK_COMM_LEN];
};

/**
 * struct ft_collections - the collections of a volume
 * @lock: protects all of this; taken with interrupts disabled
 * @collector: the task that collects, or %NULL; F2FS lets one at a time
 * @begun: when it began, by ktime_get_ns()
 * @now: its collection
 * @nr: how many there have been: the number of the last one
 * @nr_kept: how many are in @kept
 * @newest: the index of the last of them
 * @nr_processes: how many are in @processes; the first one stands for all others, and is not
 *	there before another one
 * @sums: of all collections, by enum ft_gc_reason
 * @kept: a ring of those that found a victim, or took long
 * @processes: who waited
 * @longest: the longest waits, in no order
 */
struct ft_collections {
	raw_spinlock_t lock;
	const struct task_struct *collector;
	u64 begun;
	struct ft_gc_run now;
	u32 nr;
	u32 nr_kept;
	u32 newest;
	u32 nr_processes;
	struct ft_gc_run sums[FT_NR_GC_REASONS];
	struct ft_gc_run kept[FT_GC_RUNS];
	struct ft_gc_process processes[FT_GC_PROCESSES];
	struct ft_gc_wait longest[FT_GC_LONGEST];
};

extern bool ft_gc_runs_on;			/* text.c */
extern const struct ft_text ft_gc_runs_text;

/* waits.c */
void ft_gc_note_wait(struct ft_collections *runs, u64 ns, u32 run, bool own);
void ft_gc_runs_reset(struct ft_collections *runs);

#ifdef FT_FOLLOWS_RETURNS

void ft_gc_waits_attach(void);
void ft_gc_waits_detach(void);
bool ft_gc_waits_known(u32 *lost);

#else

static inline void ft_gc_waits_attach(void)
{
}

static inline void ft_gc_waits_detach(void)
{
}

static inline bool ft_gc_waits_known(u32 *lost)
{
	return false;
}

#endif

#endif
