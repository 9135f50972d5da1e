/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers: of each volume what is written, by kind and log; of each file and process sums.
 */
#ifndef FT_WROTE_H
#define FT_WROTE_H

#include <linux/atomic.h>
#include <linux/types.h>

/**
 * enum ft_wrote_kind - what a block is, and who has it written
 * @FT_WROTE_NEW: data of a file, where it had no block; what is not one of those below
 * @FT_WROTE_REWRITTEN: data of a file, out of place
 * @FT_WROTE_IN_PLACE: data, in place
 * @FT_WROTE_DIRECT: data, by direct I/O
 * @FT_WROTE_ATOMIC: data of a file that an atomic write is under way to
 * @FT_WROTE_COMPRESSED: data of a file that F2FS may compress
 * @FT_WROTE_INLINE: data that was in the inode
 * @FT_WROTE_DIRECTORY: names, and targets of symbolic links
 * @FT_WROTE_GC_FG: data that garbage collection moves while a task waits
 * @FT_WROTE_GC_BG: data that it moves otherwise
 * @FT_WROTE_DEFRAG: data that F2FS moves to defragment a file
 * @FT_WROTE_RANGE: data that it moves within a file, or to another one
 * @FT_WROTE_NODE_SYNC: nodes that somebody waits for: fsync, sync
 * @FT_WROTE_NODE_WRITEBACK: nodes that nobody waits for
 * @FT_WROTE_NODE_CHECKPOINT: nodes that a checkpoint writes
 * @FT_WROTE_NODE_GC: nodes that garbage collection writes
 * @FT_WROTE_CHECKPOINT: checkpoint packs
 * @FT_WROTE_SIT: segment information table
 * @FT_WROTE_NAT: node address table
 * @FT_WROTE_SSA: segment summaries
 * @FT_WROTE_SUPER: super blocks
 * @FT_NR_WROTE_KINDS: how many kinds there are
 */
enum ft_wrote_kind {
	FT_WROTE_NEW,
	FT_WROTE_REWRITTEN,
	FT_WROTE_IN_PLACE,
	FT_WROTE_DIRECT,
	FT_WROTE_ATOMIC,
	FT_WROTE_COMPRESSED,
	FT_WROTE_INLINE,
	FT_WROTE_DIRECTORY,
	FT_WROTE_GC_FG,
	FT_WROTE_GC_BG,
	FT_WROTE_DEFRAG,
	FT_WROTE_RANGE,
	FT_WROTE_NODE_SYNC,
	FT_WROTE_NODE_WRITEBACK,
	FT_WROTE_NODE_CHECKPOINT,
	FT_WROTE_NODE_GC,
	FT_WROTE_CHECKPOINT,
	FT_WROTE_SIT,
	FT_WROTE_NAT,
	FT_WROTE_SSA,
	FT_WROTE_SUPER,
	FT_NR_WROTE_KINDS
};

/* F2FS's logs: three of data, three of nodes; and no log, or one that is not known. */
#define FT_WROTE_NO_LOG		6
#define FT_NR_WROTE_LOGS	7

/**
 * enum ft_wrote_sum - what is summed up for a file and a process, in bytes
 * @FT_SUM_BUFFERED: written by system calls to the page cache
 * @FT_SUM_MAPPED: pages of mappings that became writable
 * @FT_SUM_DIRECT: written by direct I/O
 * @FT_SUM_DATA: blocks of data that the device got, but for the last and the next two
 * @FT_SUM_NODE: blocks of nodes
 * @FT_SUM_GC: blocks that garbage collection has moved
 * @FT_SUM_MOVED: blocks that F2FS has moved when asked to
 * @FT_NR_WROTE_SUMS: how many there are
 */
enum ft_wrote_sum {
	FT_SUM_BUFFERED,
	FT_SUM_MAPPED,
	FT_SUM_DIRECT,
	FT_SUM_DATA,
	FT_SUM_NODE,
	FT_SUM_GC,
	FT_SUM_MOVED,
	FT_NR_WROTE_SUMS
};

/**
 * struct ft_written - what was written to a volume, in bytes: numbers only
 * @file: sums of all files that have none of their own (ft_counts_of()), or have them no more
 * @process: those of all processes that have none (ft_writer_sums())
 * @kinds: by enum ft_wrote_kind and log
 * @written: what the device got
 * @discarded: what it was told to discard
 */
struct ft_written {
	atomic64_t file[FT_NR_WROTE_SUMS];
	atomic64_t process[FT_NR_WROTE_SUMS];
	atomic64_t kinds[FT_NR_WROTE_KINDS * FT_NR_WROTE_LOGS];
	atomic64_t written;
	atomic64_t discarded;
};

/* core/observer.c finds @file at the begin of what is kept of a volume */
static_assert(offsetof(struct ft_written, file) == 0);

extern bool ft_ledger_on;			/* text.c */
extern const struct ft_text ft_ledger_text;

#endif
