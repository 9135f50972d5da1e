// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: what helps against breaks.
 * Each of these is tried by selftests/98_remedies.sh: the same work without and with it. What did not help there is not
 * advised: to preallocate a file that is not pinned, or a write-ahead log alone instead of atomic writes.
 */
#include "model/advice.h"

#define IN_PLACE \
	"fdatasync or msync, or fsync after at most 8 blocks: F2FS then rewrites in place, unless ipu_policy says otherwise (it is 16 on large volumes)"

static const char *const texts[NR_ADVICES] = {
	[ADVICE_PLACE] = IN_PLACE ". Or allocate all of a new, empty file that is pinned (F2FS_IOC_SET_PIN_FILE); it cannot grow",
	[ADVICE_LOG] = "write ahead into a log instead of using atomic writes, and " IN_PLACE,
	[ADVICE_CUT] = "cut files at a multiple of the block size, or do not cut them",
	[ADVICE_LARGER] = "write more before each sync or in each direct write. To preallocate does not help: F2FS chooses blocks when it writes",
	[ADVICE_SPACE] = "keep more segments free; \"fragtrace space\" counts them. Files that are written in turn, with syncs, need larger writes, too",
};

/**
 * advice_of() - what helps against a break
 * @cause: its cause; an operation alone has no advice that depends on the reason
 *
 * Return: the advice.
 */
enum advice advice_of(uint32_t cause)
{
	enum ft_why why = ft_cause_why(cause);

	switch (ft_cause_op(cause)) {
	case FT_OP_OVERWRITE:
	case FT_OP_MMAP:
		return ADVICE_PLACE;
	case FT_OP_ATOMIC:
		return ADVICE_LOG;
	case FT_OP_TAIL:
		return ADVICE_CUT;
	case FT_OP_APPEND:
		if (why == FT_WHY_SSR)
			return ADVICE_SPACE;
		return why == FT_WHY_INTERLEAVED && ft_cause_flush(cause) == FT_FLUSH_SYNC ? ADVICE_LARGER : ADVICE_NONE;
	case FT_OP_DIRECT:
		return why == FT_WHY_INTERLEAVED ? ADVICE_LARGER : ADVICE_NONE;
	default:
		return ADVICE_NONE;
	}
}

/**
 * advice_text() - say what helps
 * @advice: an advice, not %ADVICE_NONE
 *
 * Return: a sentence without its full stop.
 */
const char *advice_text(enum advice advice)
{
	return texts[advice];
}

/**
 * advice_count() - count the breaks that each advice helps against
 * @counts: their numbers are added to it
 * @breaks: the breaks
 * @n: number of @breaks
 */
void advice_count(uint64_t counts[NR_ADVICES], const struct file_break *breaks, size_t n)
{
	while (n--)
		counts[advice_of(breaks++->cause)]++;
}
