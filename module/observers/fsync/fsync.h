/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the time of an fsync goes: fsync.c counts, per volume; functions.c follows the
 * functions that F2FS calls meanwhile.
 */
#ifndef FT_FSYNC_H
#define FT_FSYNC_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct ft_probe;
struct ft_text;

/* The last bucket has all that is longer, from 2^30 us (18 minutes) on. */
#define FT_FSYNC_BUCKETS	32
#define FT_FSYNC_REASONS	16

/**
 * enum ft_fsync_row - what there is a histogram of
 * @FT_FSYNC_DATA: the phase that writes data blocks and waits for them
 * @FT_FSYNC_NODE: that of node blocks
 * @FT_FSYNC_CHECKPOINT: the checkpoint that F2FS writes instead of node blocks
 * @FT_FSYNC_FLUSH: the flush of the device's cache
 * @FT_NR_FSYNC_PHASES: how many phases there are; they do not overlap
 * @FT_FSYNC_OTHER: the rest of the fsync
 * @FT_FSYNC_WHOLE: all of it
 * @FT_FSYNC_SEARCH: searches for free node IDs by the task meanwhile; the phase that
 *	they are in contains them
 * @FT_FSYNC_BLOCKS: node blocks that the task wrote meanwhile; not a time
 * @FT_NR_FSYNC_SUMS: how many histograms of fsyncs there are
 * @FT_FSYNC_ALL_SEARCHES: searches by all tasks, whether in an fsync or not
 * @FT_FSYNC_ALLOC_NID: allocations of a node ID by all tasks, searches included
 * @FT_NR_FSYNC_ROWS: how many histograms there are
 */
enum ft_fsync_row {
	FT_FSYNC_DATA,
	FT_FSYNC_NODE,
	FT_FSYNC_CHECKPOINT,
	FT_FSYNC_FLUSH,
	FT_NR_FSYNC_PHASES,
	FT_FSYNC_OTHER = FT_NR_FSYNC_PHASES,
	FT_FSYNC_WHOLE,
	FT_FSYNC_SEARCH,
	FT_FSYNC_BLOCKS,
	FT_NR_FSYNC_SUMS,
	FT_FSYNC_ALL_SEARCHES = FT_NR_FSYNC_SUMS,
	FT_FSYNC_ALLOC_NID,
	FT_NR_FSYNC_ROWS
};

/**
 * struct ft_fsync_hist - a histogram
 * @sum: of all values: nanoseconds, or blocks
 * @buckets: how many values were 0, 1, 2 to 3, 4 to 7 microseconds, or blocks, and
 *	so on
 */
struct ft_fsync_hist {
	u64 sum;
	u64 buckets[FT_FSYNC_BUCKETS];
};

/**
 * struct ft_fsync_calls - a histogram that is changed without a lock
 * @sum: nanoseconds
 * @buckets: as above
 */
struct ft_fsync_calls {
	atomic64_t sum;
	atomic64_t buckets[FT_FSYNC_BUCKETS];
};

/**
 * struct ft_fsync_counts - what is known of the fsyncs of a volume
 * @failed: fsyncs that returned an error; the histograms contain them
 * @missed: fsyncs that were not measured, because too many tasks were in one
 * @sums: by enum ft_fsync_row, up to %FT_NR_FSYNC_SUMS
 * @reasons: time of the phase %FT_FSYNC_CHECKPOINT, by F2FS's reason for it
 */
struct ft_fsync_counts {
	u64 failed;
	u64 missed;
	struct ft_fsync_hist sums[FT_NR_FSYNC_SUMS];
	struct ft_fsync_hist reasons[FT_FSYNC_REASONS];
};

/**
 * struct ft_fsyncs - the fsyncs of a volume
 * @lock: protects @counts
 * @counts: each fsync that has ended is in all of it, or in none
 * @calls: from %FT_FSYNC_ALL_SEARCHES on
 */
struct ft_fsyncs {
	spinlock_t lock;
	struct ft_fsync_counts counts;
	struct ft_fsync_calls calls[FT_NR_FSYNC_ROWS - FT_NR_FSYNC_SUMS];
};

/* fsync.c */
extern bool ft_fsync_on;

int ft_fsync_init(void);
void ft_fsync_exit(void);
void *ft_fsyncs_watch(void);
void ft_fsyncs_forget(void *fsyncs);
void ft_fsyncs_reset(struct ft_fsyncs *fsyncs);
void ft_fsyncs_copy(struct ft_fsyncs *fsyncs, struct ft_fsync_counts *counts);
void ft_fsyncs_copy_calls(const struct ft_fsyncs *fsyncs, enum ft_fsync_row row,
			  struct ft_fsync_hist *hist);
void ft_fsync_forget_tasks(void);
void ft_fsync_begin(struct ft_fsyncs *fsyncs);
void ft_fsync_end(struct ft_fsyncs *fsyncs, unsigned int reason, int err);
void ft_fsync_node_block(void);
bool ft_fsync_phase_begin(void);
void ft_fsync_phase_end(enum ft_fsync_row phase, u64 ns);
void ft_fsync_searched(u64 ns);
void ft_fsync_called(struct ft_fsyncs *fsyncs, enum ft_fsync_row row, u64 ns);

/* probe.c */
unsigned int ft_fsync_probes(struct ft_probe *list);

/* text.c */
extern const struct ft_text ft_fsync_text;

/* functions.c */
#ifdef FT_FOLLOWS_RETURNS
void ft_fsync_attach(void);
void ft_fsync_detach(void);
bool ft_fsync_knows(enum ft_fsync_row row);
void ft_fsync_show_unknown(struct seq_file *m);
#else
static inline void ft_fsync_attach(void)
{
	ft_fsync_forget_tasks();
}

static inline void ft_fsync_detach(void)
{
}

static inline bool ft_fsync_knows(enum ft_fsync_row row)
{
	return row == FT_FSYNC_WHOLE || row == FT_FSYNC_BLOCKS;
}

static inline void ft_fsync_show_unknown(struct seq_file *m)
{
	seq_puts(m, "# not known: this kernel has no return probes\n");
}
#endif

#endif
