/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: does a file break again soon? */
#pragma once

#include "input/table.h"
#include "model.h"
#include "model/advice.h"
#include "module/format/cause.h"

/**
 * struct again - how a file keeps breaking
 * @op: what broke it most often recently
 * @advice: what helps against that
 * @breaks: recent breaks by rewriting; 0: the file is not expected to break again
 * @all: all its breaks
 */
struct again {
	enum ft_op op;
	enum advice advice;
	uint64_t breaks;
	uint64_t all;
};

void again_find(struct again *again, const struct table *table, const struct file_extent *extents, size_t n,
		uint64_t recent_s);
bool again_is_rewritten(const struct table *table, const struct file_extent *extents, size_t n);
