/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Garbage collections of a volume: why they ran, and who waited for them.
 */
#ifndef FT_RUNS_H
#define FT_RUNS_H

#include <linux/build_bug.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "core/bounds.h"

struct ft_volume;
struct super_block;
struct victim_sel_policy;

/* kthreadd, from which all kernel threads come. */
#define FT_GC_KERNEL	2
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
 * enum ft_gc_policy - a formula by which F2FS finds a victim
 * @FT_GC_GREEDY: the fewest blocks in use
 * @FT_GC_COST_BENEFIT: few, and not written for long
 * @FT_GC_AGE: likewise, with weights, of the oldest sections (atgc)
 * @FT_NR_GC_POLICIES: how many there are
 */
enum ft_gc_policy {
	FT_GC_GREEDY,
	FT_GC_COST_BENEFIT,
	FT_GC_AGE,
	FT_NR_GC_POLICIES
};

/**
 * struct ft_gc_choice - victims, and the best sections there were at these moments by a formula
 * @victims: how many were compared; by age: only those that F2FS has searched for by age
 * @found: how many of them F2FS has found by this formula; the others by another one, or without
 *	a search: in the foreground it takes first what it has chosen in the background
 * @limit: how many dirty sections F2FS itself looks at, at most, together
 * @looked: how many were looked at here
 * @blocks: how many blocks of the victims were in use
 * @best_blocks: and of the best ones
 * @gain: what the formula says of the victims; F2FS's cost is %U32_MAX less this; 0 if greedy
 * @best_gain: and of the best ones
 */
struct ft_gc_choice {
	u32 victims;
	u32 found;
	u64 limit;
	u64 looked;
	u64 blocks;
	u64 best_blocks;
	u64 gain;
	u64 best_gain;
};

/**
 * struct ft_gc_run - a collection; or the sums of many
 * @number: counted from the first one of the volume; of sums: how many there were
 * @empty: of sums: how many of them found no victim
 * @when: when it began, in seconds since 1970
 * @ns: how long it took
 * @waited: how long tasks that began to wait meanwhile have waited for the lock, or before, for it
 *	to begin; in nanoseconds, together
 * @waits: how many did
 * @victims: how many sections F2FS has chosen to clean
 * @blocks: how many blocks of these were in use
 * @segments: how many segments were freed at once. In the background F2FS frees none: it dirties
 *	what it moves, which is written later
 * @sections: likewise sections
 * @free: free sections as it began
 * @free_after: and as it ended
 * @err: its result: 0, or an error of F2FS
 * @pid: the process that collected
 * @reason: enum ft_gc_reason
 * @foreground: F2FS moves blocks at once, as there were too few free sections, or as it was told
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
 * @pid: of the thread group; 0: all others; %FT_GC_KERNEL: all kernel threads
 * @born: when its first thread was started: numbers are used again
 * @runs: how often it has collected itself, as it needed blocks
 * @waits: how often it has waited for the lock that a collection holds, or for F2FS's thread
 * @own: how long it has collected, in nanoseconds
 * @waited: how long it has waited, in nanoseconds
 * @rank: @own and @waited, halved each time another process found no place: the least gives way
 * @comm: its name, that of its first thread
 */
struct ft_gc_process {
	u32 pid;
	u32 runs;
	u32 waits;
	u64 born;
	u64 own;
	u64 waited;
	u64 rank;
	char comm[TASK_COMM_LEN];
};

/**
 * struct ft_gc_wait - one of the longest waits
 * @ns: how long
 * @when: when it ended, in seconds since 1970
 * @run: the number of the collection during which it began, or which began next
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
 * @running: the number of @now while it is under way, otherwise 0; read without @lock, as is @nr
 * @cleaned: the first segment of what it has chosen last
 * @now: its collection
 * @nr: how many there have been: the number of the last one
 * @nr_kept: how many are in @kept
 * @newest: the index of the last of them
 * @nr_processes: how many are in @processes; the first one stands for all others, and is not
 *	there before another one
 * @missed_before: waits that had been missed at the last reset
 * @sums: of all collections, by enum ft_gc_reason
 * @choices: likewise how its victims were chosen, by enum ft_gc_policy
 * @kept: a ring of those that found a victim, or took long
 * @processes: who waited
 * @longest: the longest waits, in no order
 */
struct ft_collections {
	raw_spinlock_t lock;
	const struct task_struct *collector;
	u64 begun;
	u32 running;
	u32 cleaned;
	struct ft_gc_run now;
	u32 nr;
	u32 nr_kept;
	u32 newest;
	u32 nr_processes;
	unsigned long missed_before;
	struct ft_gc_run sums[FT_NR_GC_REASONS];
	struct ft_gc_choice choices[FT_NR_GC_REASONS][FT_NR_GC_POLICIES];
	struct ft_gc_run kept[FT_GC_RUNS];
	struct ft_gc_process processes[FT_GC_PROCESSES];
	struct ft_gc_wait longest[FT_GC_LONGEST];
};

/* Of those that are kept, the one that is @n before the last one. */
static inline struct ft_gc_run *ft_gc_run_kept(struct ft_collections *runs, u32 n)
{
	return &runs->kept[(runs->newest + FT_GC_RUNS - n) % FT_GC_RUNS];
}

/* more would take twice as much memory */
static_assert(sizeof(struct ft_collections) <= SZ_16K);

extern bool ft_gc_runs_on;			/* text.c */
extern const struct ft_text ft_gc_runs_text;

/* choice.c */
void ft_gc_compare(const struct ft_volume *vol, const struct super_block *sb,
		   const struct victim_sel_policy *p, bool background,
		   struct ft_gc_choice choice[FT_NR_GC_POLICIES]);
void ft_gc_add_choice(struct ft_gc_choice sums[FT_NR_GC_POLICIES],
		      const struct ft_gc_choice choice[FT_NR_GC_POLICIES]);

/* waits.c */
void ft_gc_note_wait(struct ft_collections *runs, u64 ns, u32 run, bool own);
void ft_gc_runs_reset(struct ft_volume *vol);

#ifdef FT_FOLLOWS_RETURNS

void ft_gc_waits_attach(void);
void ft_gc_waits_detach(void);
void ft_gc_waits_collects(void);
void ft_gc_waits_merged(void);
long ft_gc_waits_lost(const struct ft_collections *runs);

#else

#define ft_gc_waits_attach	NULL
#define ft_gc_waits_detach	NULL
#define ft_gc_waits_collects()	((void)0)
#define ft_gc_waits_merged()	((void)0)
#define ft_gc_waits_lost(runs)	((void)(runs), -1L)

#endif

#endif
