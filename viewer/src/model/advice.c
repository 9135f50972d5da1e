// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: what helps against breaks.
 * Each of these is tried by selftests/98_remedies.sh: the same work without and with it, its breaks, and the time of reading. What did
 * not help there is not advised: to preallocate a file that is not pinned, or a write-ahead log alone instead of atomic writes.
 */
#include "model/advice.h"

#define IN_PLACE \
	"fdatasync or msync, or fsync after at most 8 blocks: F2FS then rewrites in place, unless ipu_policy says otherwise (it is 16 on large volumes)"

static const char *const texts[NR_ADVICES] = {
	[ADVICE_PLACE] = IN_PLACE ". Or copy the file into a new one that was pinned while it was empty (F2FS_IOC_SET_PIN_FILE), and then "
		"allocated in whole; it cannot grow",
	[ADVICE_LOG] = "write ahead into a log instead of using atomic writes, and " IN_PLACE,
	[ADVICE_CUT] = "cut files at a multiple of the block size, or do not cut them",
	[ADVICE_LARGER] = "write more before each sync or in each direct write. Or fill the file with zeros first, if each sync has at most 8 "
		"blocks, or writes are direct: F2FS rewrites these in place, but not with mode=lfs, nor in compressed files. "
		"To preallocate does not help: F2FS chooses blocks when it writes",
	[ADVICE_SPACE] = "keep more segments free; \"fragtrace space\" counts them. While gc_urgent is 1, F2FS fills holes however many are free. "
		"Files that are written in turn, with syncs, need larger writes, too",
};

/* Labels of metrics, and keys of JSON: they stay. */
static const char *const keys[NR_ADVICES] = {
	[ADVICE_NONE] = "none",
	[ADVICE_PLACE] = "in_place",
	[ADVICE_LOG] = "log_in_place",
	[ADVICE_CUT] = "whole_blocks",
	[ADVICE_LARGER] = "larger_writes",
	[ADVICE_SPACE] = "free_segments",
};

/* Of blocks that are new in the file, between which the log went on: syncs let it. */
static enum advice synced(uint32_t cause)
{
	return ft_cause_flush(cause) == FT_FLUSH_SYNC ? ADVICE_LARGER : ADVICE_NONE;
}

static enum advice by_cause(uint32_t cause)
{
	enum ft_why why = ft_cause_why(cause);

	switch (ft_cause_op(cause)) {
	case FT_OP_OVERWRITE:
		return ADVICE_PLACE;
	case FT_OP_MMAP:
		/* what was not rewritten cannot be in place */
		return why == FT_WHY_INTERLEAVED ? synced(cause) : ADVICE_PLACE;
	case FT_OP_ATOMIC:
		return ADVICE_LOG;
	case FT_OP_TAIL:
		return ADVICE_CUT;
	case FT_OP_APPEND:
		if (why == FT_WHY_SSR)
			return ADVICE_SPACE;
		return why == FT_WHY_INTERLEAVED ? synced(cause) : ADVICE_NONE;
	case FT_OP_DIRECT:
		return why == FT_WHY_INTERLEAVED ? ADVICE_LARGER : ADVICE_NONE;
	default:
		return ADVICE_NONE;
	}
}

/**
 * advice_of() - what helps against a break
 * @table: the table
 * @b: the break; of a cause that is an operation alone, nothing that depends on the reason
 *
 * F2FS neither rewrites in place nor pins files with mode=lfs, and has to write a compressed cluster elsewhere.
 *
 * Return: the advice.
 */
enum advice advice_of(const struct table *table, const struct file_break *b)
{
	const struct file *file = &table->files[table->extents[b->extent].file];
	enum advice advice = by_cause(b->cause);

	if ((advice == ADVICE_PLACE || advice == ADVICE_LOG) && (file->is_compressed || table->volumes[file->volume].is_lfs))
		return ADVICE_NONE;
	return advice;
}

/**
 * advice_key() - name an advice
 * @advice: the advice
 *
 * Return: a word.
 */
const char *advice_key(enum advice advice)
{
	return keys[advice];
}

/**
 * advice_text() - say what helps
 * @advice: the advice
 *
 * Return: a sentence without its full stop; NULL for %ADVICE_NONE.
 */
const char *advice_text(enum advice advice)
{
	return texts[advice];
}

/**
 * advice_count() - count the breaks that each advice helps against
 * @counts: their numbers are added to it
 * @table: the table
 * @breaks: the breaks
 * @n: number of @breaks
 */
void advice_count(uint64_t counts[NR_ADVICES], const struct table *table, const struct file_break *breaks, size_t n)
{
	while (n--)
		counts[advice_of(table, breaks++)]++;
}
