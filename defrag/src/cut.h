/* SPDX-License-Identifier: GPL-2.0-only */
/* Part of the third step of the pipeline: the ranges of a file, where they begin and end, and what they gain. */
#pragma once

#include "plan.h"

void cut_file(struct plan *plan, uint32_t file, const struct file_extent *extents, size_t n);
