/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: what helps against breaks. */
#pragma once

#include "model/causes.h"

/**
 * enum advice - what helps against a break
 * @ADVICE_NONE: nothing that is known
 * @ADVICE_PLACE: let F2FS rewrite in place
 * @ADVICE_LOG: no atomic writes, and that
 * @ADVICE_CUT: do not cut files within a block
 * @ADVICE_LARGER: write more at a time
 * @ADVICE_SPACE: more free segments
 * @NR_ADVICES: how many there are
 */
enum advice {
	ADVICE_NONE,
	ADVICE_PLACE,
	ADVICE_LOG,
	ADVICE_CUT,
	ADVICE_LARGER,
	ADVICE_SPACE,
	NR_ADVICES
};

enum advice advice_of(const struct table *table, const struct file_break *b);
const char *advice_key(enum advice advice);
const char *advice_text(enum advice advice);
void advice_count(uint64_t counts[NR_ADVICES], const struct table *table, const struct file_break *breaks, size_t n);
