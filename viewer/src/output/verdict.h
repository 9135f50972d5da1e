/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: is a figure larger in one group of runs than in another? */
#pragma once

#include "util.h"

/* How often the intervals of all figures that are asked for together hold together. */
#define CONFIDENCE 0.95

/**
 * enum verdict - what can be said of a figure
 * @VERDICT_NONE: its interval has no difference in it as well
 * @VERDICT_SAME: it is the same in every run
 * @VERDICT_MORE: there is more of it in the second group
 * @VERDICT_LESS: there is less
 * @VERDICT_FEW: a group has one run, or so few that half as much and twice as much are both possible
 */
enum verdict {
	VERDICT_NONE,
	VERDICT_SAME,
	VERDICT_MORE,
	VERDICT_LESS,
	VERDICT_FEW,
};

/**
 * struct group_of_runs - a figure in the runs of a group
 * @values: by run
 * @n: how many runs, at least one
 */
struct group_of_runs {
	const double *values;
	size_t n;
};

/**
 * struct difference - a figure in two groups
 * @verdict: what can be said
 * @is_ratio: every run has some of it, so that groups are compared by factors; otherwise by differences
 * @has_interval: both groups have two runs at least
 * @typical: of each group: the geometric mean, or the mean if not @is_ratio
 * @change: how much more the second group has, as a share of the first one (0.12: by 12 %), or in units of the figure
 * @low: the end of the interval of @change
 * @high: the other one
 */
struct difference {
	enum verdict verdict;
	bool is_ratio;
	bool has_interval;
	double typical[2];
	double change;
	double low;
	double high;
};

bool verdict_is_same(const struct group_of_runs groups[2]);
void verdict_find(struct difference *d, const struct group_of_runs groups[2], double unit, size_t n_figures);
