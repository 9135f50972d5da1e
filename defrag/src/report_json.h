/* SPDX-License-Identifier: GPL-2.0-only */
/* Used instead of report.c: the plan, and what became of it, as JSON for other programs. */
#pragma once

#include "apply.h"
#include "plan.h"

void report_json(struct plan *plan, const struct result *result);
