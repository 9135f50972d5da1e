/* SPDX-License-Identifier: GPL-2.0-only */
/* Last step of the pipeline: the plan, and what became of it, as text for a terminal. */
#pragma once

#include <stdint.h>

#include "apply.h"
#include "model/causes.h"
#include "plan.h"

uint32_t *report_files(const struct plan *plan, uint32_t volume, size_t *n);
uint64_t report_segments(const struct volume_plan *volume, uint64_t segment_blks, uint64_t blks);
double report_percent(uint64_t part, uint64_t all);

struct cause_sum *report_causes(struct plan *plan, uint32_t file, size_t *n);

void report_plan(struct plan *plan);
void report_result(const struct plan *plan, const struct result *result);
