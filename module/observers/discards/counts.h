/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers: of each volume what F2FS discards, and which zones it resets.
 */
#ifndef FT_DISCARDS_H
#define FT_DISCARDS_H

#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "core/bounds.h"

struct super_block;

/* Does this F2FS put resets into its queue, or reset zones at once? */
#ifdef FT_HAVE_QUEUE_RESET_ZONE
#define FT_QUEUES_RESETS	true
#else
#define FT_QUEUES_RESETS	false
#endif

/* What is counted apart. */
enum ft_discard_op { FT_DISCARD, FT_RESET, FT_NR_DISCARD_OPS };

/**
 * enum ft_discard_sum - what is summed up of each
 * @FT_DISCARDS_QUEUED: ranges that F2FS has put into its queue
 * @FT_DISCARDS_QUEUED_BLOCKS: their blocks
 * @FT_DISCARDS_COMMANDS: commands of the queue that F2FS has begun to issue
 * @FT_DISCARDS_ISSUED: requests that the block layer got, by F2FS or anybody else
 * @FT_DISCARDS_BLOCKS: their blocks
 * @FT_DISCARDS_ENDED: those that have ended, and were timed
 * @FT_DISCARDS_FAILED: of these, those that ended with an error, or when was not seen
 * @FT_DISCARDS_TOOK: how long the device took for the others, in nanoseconds, together
 * @FT_DISCARDS_WORST: for one of them, at most
 * @FT_DISCARDS_LOST: those that were not timed, as too many were under way
 * @FT_DISCARDS_REMOVED: commands that F2FS has removed from its queue, resets among them: ended,
 *	merged, or given up
 * @FT_NR_DISCARD_SUMS: how many there are
 */
enum ft_discard_sum {
	FT_DISCARDS_QUEUED,
	FT_DISCARDS_QUEUED_BLOCKS,
	FT_DISCARDS_COMMANDS,
	FT_DISCARDS_ISSUED,
	FT_DISCARDS_BLOCKS,
	FT_DISCARDS_ENDED,
	FT_DISCARDS_FAILED,
	FT_DISCARDS_TOOK,
	FT_DISCARDS_WORST,
	FT_DISCARDS_LOST,
	FT_DISCARDS_REMOVED,
	FT_NR_DISCARD_SUMS
};

/**
 * struct ft_discard_task - those that issue, by the name of the thread
 * @comm: the name; empty: nobody yet, or all others
 * @issued: requests, by enum ft_discard_op
 * @blocks: their blocks
 */
struct ft_discard_task {
	char comm[TASK_COMM_LEN];
	u64 issued[FT_NR_DISCARD_OPS];
	u64 blocks[FT_NR_DISCARD_OPS];
};

/**
 * struct ft_block_time - a sum of blocks times how long each of them waited
 * @ms: in milliseconds
 * @us: and microseconds, below 1000
 */
struct ft_block_time {
	u64 ms;
	u32 us;
};

/**
 * struct ft_discarded - what is counted of a volume
 * @lock: protects all of this; taken with interrupts disabled
 * @now: up to when @waited is summed up, by ktime_get_ns(); 0: nothing has happened yet
 * @none: when nothing was pending last
 * @first: blocks that were pending at the begin
 * @pending: commands and blocks of F2FS's queue at @now, those on the device included
 * @commands: likewise
 * @on_device: blocks that have been issued, and not ended
 * @device_now: up to when @on_device_for is summed up, by ktime_get_ns()
 * @waited: of all blocks in the queue, those on the device included
 * @on_device_for: of those on the device
 * @sums: by enum ft_discard_op and enum ft_discard_sum
 * @tasks: who issued; the first one stands for all others
 */
struct ft_discarded {
	raw_spinlock_t lock;
	u64 now;
	u64 none;
	u64 first;
	u32 pending;
	u32 commands;
	u64 on_device;
	u64 device_now;
	struct ft_block_time waited;
	struct ft_block_time on_device_for;
	u64 sums[FT_NR_DISCARD_OPS][FT_NR_DISCARD_SUMS];
	struct ft_discard_task tasks[FT_DISCARD_TASKS];
};

extern bool ft_discards_on;			/* text.c */
extern const struct ft_text ft_discards_text;

/* waits.c */
void ft_discards_advance(struct ft_discarded *d, const struct super_block *sb);
void ft_discards_on_device(struct ft_discarded *d, s64 blocks);

#endif
