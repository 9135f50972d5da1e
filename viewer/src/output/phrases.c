// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: causes in words. */

#include "model/causes.h"
#include "output/phrases.h"

static const char *const ops[FT_NR_OPS] = {
	[FT_OP_UNKNOWN] = "not seen: " CAUSE_UNSEEN,
	[FT_OP_APPEND] = "a block that the file did not have",
	[FT_OP_OVERWRITE] = "the block was rewritten, which F2FS does at another address",
	[FT_OP_TAIL] = "the last block rewritten after the file was cut within it",
	[FT_OP_DIRECT] = "direct I/O",
	[FT_OP_PREALLOC] = "allocated ahead of the data, in a pinned file",
	[FT_OP_RANGE] = "fallocate, or a moved range",
	[FT_OP_MMAP] = "written through a mapping",
	[FT_OP_INLINE] = "the data was kept within the inode before",
	[FT_OP_GC_BG] = "moved by garbage collection in the background",
	[FT_OP_GC_FG] = "moved by garbage collection that a writer waited for",
	[FT_OP_DEFRAG] = "moved by F2FS_IOC_DEFRAGMENT",
	[FT_OP_ATOMIC] = "an atomic write",
	[FT_OP_COMPRESS] = "part of a compressed cluster",
};

static const char *const flushes[FT_NR_FLUSHES] = {
	[FT_FLUSH_NONE] = "",
	[FT_FLUSH_SYNC] = ", asked for by fsync, fdatasync, sync or the like",
	[FT_FLUSH_WRITEBACK] = ", written by the flusher",
	[FT_FLUSH_CHECKPOINT] = ", written by a checkpoint",
};

static const char *const whys[FT_NR_WHYS] = {
	[FT_WHY_INTERLEAVED] = "the log had gone on to other blocks, of another file or of this one",
	[FT_WHY_OTHER_LOG] = "the two are in different logs: their temperature or kind differs",
	[FT_WHY_SSR] = "the log fills holes of a dirty segment",
	[FT_WHY_NEW_SEGMENT] = "the segment of the log was full, and the log went on elsewhere",
	[FT_WHY_MOVED] = "one of the two was rewritten or moved away",
};

/**
 * phrase_kind() - why a file is fragmented, without the process
 * @cause: the cause of the break
 *
 * Return: a text like "tail (...), asked for by ...; the block does not follow because ..."; to be freed.
 */
char *phrase_kind(uint32_t cause)
{
	const char *why = whys[ft_cause_why(cause)], *op = ops[ft_cause_op(cause)];
	const char *flush = flushes[ft_cause_flush(cause)], *name = cause_op_name(cause);

	if (why)
		return xasprintf("%s (%s)%s; the block does not follow because %s", name, op, flush, why);
	/* breaks that only a scan has found have no reason either */
	if (ft_cause_op(cause) == FT_OP_UNKNOWN)
		return xasprintf("%s (%s)%s", name, op, flush);
	return xasprintf("%s (%s)%s; the reason why the block does not follow is not known", name, op, flush);
}

/**
 * phrase_processes() - processes of one name
 * @name: their name
 * @pid: of a single one
 * @n: how many they are
 *
 * Return: a text like "rocksdb:low (pid 812)" or "head (117 processes)"; to be freed.
 */
char *phrase_processes(const char *name, uint64_t pid, size_t n)
{
	return n == 1 ? xasprintf("%s (pid %ju)", name, (uintmax_t)pid) : xasprintf("%s (%s processes)", name, GROUPED(n));
}

/**
 * phrase_name() - the name of the process that wrote the data
 * @table: the table
 * @writer: index of the writer
 *
 * Return: as the kernel has it, or a phrase, which is longer than that can be.
 */
const char *phrase_name(const struct table *table, uint32_t writer)
{
	return writer == FT_SNAP_WRITER_UNKNOWN ? "an unknown process" :
	       writer == FT_SNAP_WRITER_SEVERAL ? "several processes" : table->writers[writer].comm;
}

/**
 * phrase_writer() - the process that wrote the data
 * @table: the table
 * @writer: index of the writer
 * @n: how many processes of this name are meant
 *
 * Return: a text as of phrase_processes(); to be freed.
 */
char *phrase_writer(const struct table *table, uint32_t writer, size_t n)
{
	const char *name = phrase_name(table, writer);

	return writer > FT_SNAP_WRITER_SEVERAL ? phrase_processes(name, table->writers[writer].pid, n) : xasprintf("%s", name);
}
