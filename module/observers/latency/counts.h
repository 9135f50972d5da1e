/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers: of each file how much is read in how many requests, of each volume times.
 */
#ifndef FT_COUNTS_H
#define FT_COUNTS_H

#include <linux/atomic.h>
#include <linux/spinlock.h>

#include "core/observer.h"
#include "core/volume.h"

/* Of so many reads in one piece two that follow each other are timed. */
#define FT_LATENCY_SAMPLE	64

/* Lengths of reads: up to 1, 2, 4, ... 64 blocks, and more. */
#define FT_LATENCY_CLASSES	8
/* Pieces of reads: 1, 2, 3 to 4, 5 to 8, and more. */
#define FT_LATENCY_SHARES	5
/* The last bucket has all that is longer, from 2^22 us (4 s) on. */
#define FT_LATENCY_BUCKETS	24

/**
 * struct ft_reads - what was read of a file: numbers only, see ft_counts_of()
 * @reads: reads that got to the device, by length
 * @extra: requests that breaks have added to them, by length
 * @cut: requests that go on where the last one ended
 * @bytes: in all of these requests
 * @timed: how many reads were timed that one bio serves, and that more do
 * @waited: how long these were waited for, in nanoseconds
 */
struct ft_reads {
	atomic64_t reads[FT_LATENCY_CLASSES];
	atomic64_t extra[FT_LATENCY_CLASSES];
	atomic64_t cut;
	atomic64_t bytes;
	atomic64_t timed[2];
	atomic64_t waited[2];
};

#define FT_LATENCY_COUNTS	(sizeof(struct ft_reads) / sizeof(atomic64_t))

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
 * @rest: the reads of files that have no counts of their own, or have no more
 * @lock: protects @cells and @fits
 * @cells: by length and pieces
 * @fits: by length
 * @other: requests for data that are of no read: those of garbage collection and of
 *	writers of parts of blocks, and those whose task has no room in the table
 * @lost: reads that should have been timed: there was no room
 */
struct ft_read_times {
	struct ft_reads rest;
	raw_spinlock_t lock;
	struct ft_read_cell cells[FT_LATENCY_CLASSES][FT_LATENCY_SHARES];
	u64 fits[FT_LATENCY_CLASSES][FT_NR_SUMS];
	atomic64_t other;
	atomic64_t lost;
};

/* core/observer.c finds @rest at the begin of what is kept of a volume */
static_assert(offsetof(struct ft_read_times, rest) == 0);

extern bool ft_latency_on;			/* text.c */
extern const struct ft_text ft_latency_text;

/* The times of the volume of an inode. */
static inline struct ft_read_times *ft_latency_of(const struct ft_inode *rec)
{
	return ft_observed(rec->vol, latency);
}

/* The counts of a file, or those of the rest. In a probe, or another RCU read section. */
static __always_inline struct ft_reads *ft_reads_of(struct ft_inode *rec)
{
	return (struct ft_reads *)ft_counts_of(rec, FT_SLOT_latency);
}

#endif
