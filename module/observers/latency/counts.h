/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers: of each file how much is read in how many requests, of each volume times.
 */
#ifndef FT_COUNTS_H
#define FT_COUNTS_H

#include <linux/atomic.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

#include "core/record.h"
#include "core/volume.h"
#include "observers/observers.h"

/* Of so many reads in one piece two that follow each other are timed. */
#define FT_LATENCY_SAMPLE	64

/* Lengths of reads: up to 1, 2, 4, ... 64 blocks, and more. */
#define FT_LATENCY_CLASSES	8
/* Pieces of reads: 1, 2, 3 to 4, 5 to 8, and more. */
#define FT_LATENCY_SHARES	5
/* The last bucket has all that is longer, from 2^22 us (4 s) on. */
#define FT_LATENCY_BUCKETS	24

/**
 * struct ft_reads - what was read of a file
 * @rcu: when it is freed
 * @reads: reads that got to the device, by length
 * @extra: requests that breaks have added to them, by length
 * @cut: requests that go on where the last one ended
 * @bytes: in all of these requests
 * @timed: how many reads were timed that one bio serves, and that more do
 * @waited: how long these were waited for, in nanoseconds
 */
struct ft_reads {
	struct rcu_head rcu;
	atomic64_t reads[FT_LATENCY_CLASSES];
	atomic64_t extra[FT_LATENCY_CLASSES];
	atomic64_t cut;
	atomic64_t bytes;
	atomic64_t timed[2];
	atomic64_t waited[2];
};

#define FT_LATENCY_COUNTS	(2 * FT_LATENCY_CLASSES + 6)

/**
 * struct ft_read_cell - timed reads of similar length, in similarly many pieces
 * @reads: how many have succeeded
 * @failed: how many have not; nothing else has them
 * @waits: how many of @reads were waited for
 * @took: nanoseconds from their first request to the end of the last one
 * @waited: nanoseconds, to the last end at which somebody waited
 * @buckets: how many took 0, 1, 2 to 3, 4 to 7 microseconds, and so on
 */
struct ft_read_cell {
	u64 reads;
	u64 failed;
	u64 waits;
	u64 took;
	u64 waited;
	u64 buckets[FT_LATENCY_BUCKETS];
};

/**
 * enum ft_latency_sum - sums of reads, to which a straight line is fitted
 * @FT_SUM_N: how many reads
 * @FT_SUM_X: of the requests that breaks have added to each
 * @FT_SUM_L: of their lengths, in blocks
 * @FT_SUM_Y: of their times, in microseconds, each from the end of the read before on
 * @FT_SUM_XX: of squares and products
 * @FT_SUM_XL: likewise
 * @FT_SUM_LL: likewise
 * @FT_SUM_XY: likewise
 * @FT_SUM_LY: likewise
 * @FT_SUM_YY: likewise
 * @FT_NR_SUMS: how many there are
 */
enum ft_latency_sum {
	FT_SUM_N, FT_SUM_X, FT_SUM_L, FT_SUM_Y,
	FT_SUM_XX, FT_SUM_XL, FT_SUM_LL, FT_SUM_XY, FT_SUM_LY, FT_SUM_YY,
	FT_NR_SUMS
};

/**
 * struct ft_read_times - the reads of a volume
 * @lock: protects @cells and @fits
 * @cells: by length and pieces
 * @fits: by length
 * @other: requests for data that are of no read: those of garbage collection and of
 *	writers of parts of blocks, and those whose task has no room in the table
 * @lost: reads that should have been timed: there was no room
 * @rest: the reads of files that have no counts of their own, or have no more
 */
struct ft_read_times {
	raw_spinlock_t lock;
	struct ft_read_cell cells[FT_LATENCY_CLASSES][FT_LATENCY_SHARES];
	u64 fits[FT_LATENCY_CLASSES][FT_NR_SUMS];
	atomic64_t other;
	atomic64_t lost;
	struct ft_reads rest;
};

extern bool ft_counts_on;
extern const struct ft_text ft_latency_text;	/* text.c */

/* One of the %FT_LATENCY_COUNTS counts of a file, in the order of their members. */
static inline atomic64_t *ft_counts_nr(struct ft_reads *f, unsigned int i)
{
	return &f->reads[0] + i;
}

/* The times of the volume of an inode. */
static inline struct ft_read_times *ft_counts_of_volume(const struct ft_inode *rec)
{
	return ft_observed(rec->vol, latency);
}

struct ft_reads *ft_counts_new(struct ft_inode *rec);
void ft_counts_drop(struct ft_inode *rec);
void ft_counts_give_way(void);
void ft_counts_reset(struct ft_volume *vol);
void ft_counts_watch(void *state);

/* Where the counts of a file are: under RCU; %NULL if it has none, or is dead. */
static __always_inline struct ft_reads __rcu **ft_counts_kept(const struct ft_inode *rec)
{
	return ft_kept(rec, latency);
}

/*
 * The counts of a file, or %NULL. In an RCU read section, which in a probe is that of
 * disabled preemption, see probes/probing.h.
 */
static __always_inline struct ft_reads *ft_counts_own(const struct ft_inode *rec)
{
	return rcu_dereference_check(*ft_counts_kept(rec), rcu_read_lock_any_held());
}

/* The counts of a file, or those of the rest. Valid until the end of the RCU read section. */
static __always_inline struct ft_reads *ft_counts_of(struct ft_inode *rec)
{
	return ft_counts_own(rec) ?: ft_counts_new(rec);
}

#endif
