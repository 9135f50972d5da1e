/* SPDX-License-Identifier: GPL-2.0-only */
/* Second station of the pipeline: extents -> what lies on the volume, run after run, and totals. */
#ifndef RUNS_H
#define RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "color.h"
#include "table.h"

/* run.rule of blocks that no watched file owns */
#define RULE_FREE UINT16_MAX

/**
 * struct run - neighbouring blocks that look the same: a fragment, or free space
 * @blks: length, at least 1
 * @rule: index into colors.rules, or RULE_FREE
 * @tone: enum tone; TONE_CONTIGUOUS for free space
 */
struct run {
	uint64_t blks;
	uint16_t rule;
	uint8_t tone;
};

/**
 * struct count - the totals of one rule, nothing left out
 * @files: number of files, [0] contiguous, [1] fragmented
 * @blks: blocks of these files
 * @fragments: fragments of these files
 */
struct count {
	uint64_t files[2];
	uint64_t blks[2];
	uint64_t fragments[2];
};

/**
 * struct runs - all volumes, run by run
 * @runs: the runs of a volume fill it from its first block to its end, without gap or overlap
 * @n_runs: number of @runs
 * @first: by volume, index of its first run; one more entry ends the last volume
 * @counts: by rule
 * @total: sum of @counts
 * @free_blks: blocks that no watched file owns
 * @free_gaps: number of free runs
 * @free_longest: blocks in the longest free run
 */
struct runs {
	struct run *runs;
	size_t n_runs;
	size_t *first;
	struct count counts[MAX_RULES];
	struct count total;
	uint64_t free_blks;
	uint64_t free_gaps;
	uint64_t free_longest;
};

void runs_build(struct runs *runs, const struct table *table, const struct colors *colors);
void runs_free(struct runs *runs);

#endif
