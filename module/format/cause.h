/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why a fragment begins where it does, in one word. Part of the format of the file
 * `snapshot`, see snapshot.h.
 *
 * A file has a break at a block if the written block before it (holes are skipped)
 * is not right before it on the volume. The cause of a break describes the later one
 * of the two allocations.
 */
#ifndef FT_CAUSE_H
#define FT_CAUSE_H

#include <linux/types.h>

/**
 * enum ft_op - the operation that allocated the block
 * @FT_OP_UNKNOWN: a scan found it: it is older than the module, or the file was stale
 * @FT_OP_APPEND: the file did not have this block
 * @FT_OP_OVERWRITE: it was rewritten, and F2FS wrote it elsewhere
 * @FT_OP_TAIL: it was rewritten because the file was cut within it
 * @FT_OP_DIRECT: by direct I/O
 * @FT_OP_PREALLOC: ahead of the data, in a pinned file
 * @FT_OP_RANGE: fallocate that punches, zeroes, inserts or collapses, or a moved range
 * @FT_OP_MMAP: it was written through a mapping
 * @FT_OP_INLINE: the data was inline data of the inode before
 * @FT_OP_GC_BG: moved by garbage collection in the background
 * @FT_OP_GC_FG: moved by garbage collection that a writer waited for
 * @FT_OP_DEFRAG: moved by F2FS_IOC_DEFRAGMENT
 * @FT_OP_ATOMIC: by an atomic write
 * @FT_OP_COMPRESS: it holds part of a compressed cluster
 * @FT_NR_OPS: how many there are
 */
enum ft_op {
	FT_OP_UNKNOWN,
	FT_OP_APPEND,
	FT_OP_OVERWRITE,
	FT_OP_TAIL,
	FT_OP_DIRECT,
	FT_OP_PREALLOC,
	FT_OP_RANGE,
	FT_OP_MMAP,
	FT_OP_INLINE,
	FT_OP_GC_BG,
	FT_OP_GC_FG,
	FT_OP_DEFRAG,
	FT_OP_ATOMIC,
	FT_OP_COMPRESS,
	FT_NR_OPS
};

/**
 * enum ft_flush - the reason why the block was written then
 * @FT_FLUSH_NONE: none: it was allocated at once, or moved
 * @FT_FLUSH_SYNC: fsync, fdatasync, O_SYNC, sync_file_range, msync or sync
 * @FT_FLUSH_WRITEBACK: the flusher
 * @FT_FLUSH_CHECKPOINT: a checkpoint
 * @FT_NR_FLUSHES: how many there are
 */
enum ft_flush {
	FT_FLUSH_NONE,
	FT_FLUSH_SYNC,
	FT_FLUSH_WRITEBACK,
	FT_FLUSH_CHECKPOINT,
	FT_NR_FLUSHES
};

/**
 * enum ft_why - why a block does not follow its predecessor on the volume
 * @FT_WHY_NONE: it follows it, or has no predecessor
 * @FT_WHY_UNKNOWN: not known
 * @FT_WHY_INTERLEAVED: the next block of the log went to another file, or to
 *	another block of this one, in between
 * @FT_WHY_OTHER_LOG: the two are in different logs: temperature or kind differ
 * @FT_WHY_SSR: the log fills holes of a dirty segment
 * @FT_WHY_NEW_SEGMENT: the log's segment was full, it continued in another one
 * @FT_WHY_MOVED: one of them was rewritten or moved away from the other
 * @FT_NR_WHYS: how many there are
 */
enum ft_why {
	FT_WHY_NONE,
	FT_WHY_UNKNOWN,
	FT_WHY_INTERLEAVED,
	FT_WHY_OTHER_LOG,
	FT_WHY_SSR,
	FT_WHY_NEW_SEGMENT,
	FT_WHY_MOVED,
	FT_NR_WHYS
};

/* Their names, in the order of the enums. */
#define FT_OP_NAMES \
	"unknown", "append", "overwrite", "tail", "direct", "prealloc", "range", \
	"mmap", "inline", "gc_bg", "gc_fg", "defrag", "atomic", "compress"
#define FT_FLUSH_NAMES	"none", "sync", "writeback", "checkpoint"
#define FT_WHY_NAMES \
	"none", "unknown", "interleaved", "other_log", "ssr", "new_segment", "moved"

/* Positions of the fields in the word. The remaining bits are the writer's index. */
#define FT_CAUSE_OP_BITS	4
#define FT_CAUSE_FLUSH_SHIFT	4
#define FT_CAUSE_FLUSH_BITS	2
#define FT_CAUSE_WHY_SHIFT	6
#define FT_CAUSE_WHY_BITS	3
#define FT_CAUSE_WRITER_SHIFT	9

#define FT_CAUSE_WHY_MASK	(((1u << FT_CAUSE_WHY_BITS) - 1) << FT_CAUSE_WHY_SHIFT)

/* The cause of a block that a scan found. */
#define FT_CAUSE_UNKNOWN	((__u32)FT_WHY_UNKNOWN << FT_CAUSE_WHY_SHIFT)

static inline __u32 ft_cause(enum ft_op op, enum ft_flush flush, enum ft_why why, __u32 writer)
{
	return op | flush << FT_CAUSE_FLUSH_SHIFT | why << FT_CAUSE_WHY_SHIFT |
	       writer << FT_CAUSE_WRITER_SHIFT;
}

static inline enum ft_op ft_cause_op(__u32 cause)
{
	return cause & ((1u << FT_CAUSE_OP_BITS) - 1);
}

static inline enum ft_flush ft_cause_flush(__u32 cause)
{
	return cause >> FT_CAUSE_FLUSH_SHIFT & ((1u << FT_CAUSE_FLUSH_BITS) - 1);
}

static inline enum ft_why ft_cause_why(__u32 cause)
{
	return cause >> FT_CAUSE_WHY_SHIFT & ((1u << FT_CAUSE_WHY_BITS) - 1);
}

static inline __u32 ft_cause_writer(__u32 cause)
{
	return cause >> FT_CAUSE_WRITER_SHIFT;
}

#endif
