// SPDX-License-Identifier: GPL-2.0-only
/*
 * Causes in words.
 */

#include <linux/build_bug.h>
#include <linux/kernel.h>

#include "debugfs/snapshot.h"

static const char * const ops[] = { FT_OP_NAMES };
static_assert(ARRAY_SIZE(ops) == FT_NR_OPS);

static const char * const flushes[] = { FT_FLUSH_NAMES };
static_assert(ARRAY_SIZE(flushes) == FT_NR_FLUSHES);

static const char * const whys[] = { FT_WHY_NAMES };
static_assert(ARRAY_SIZE(whys) == FT_NR_WHYS);

/**
 * ft_words_of_cause() - a cause in words
 * @cause: the cause
 * @words: filled with the operation, the flush, and why here
 */
void ft_words_of_cause(u32 cause, const char *words[3])
{
	unsigned int op = ft_cause_op(cause), why = ft_cause_why(cause);

	words[0] = ops[op < FT_NR_OPS ? op : FT_OP_UNKNOWN];
	words[1] = flushes[ft_cause_flush(cause)];
	words[2] = whys[why < FT_NR_WHYS ? why : FT_WHY_UNKNOWN];
}
