/* SPDX-License-Identifier: GPL-2.0-only */
/* Used instead of report.c: the plan, and what became of it, as JSON for other programs. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include "apply.h"
#include "plan.h"

void report_json(struct plan *plan, const struct result *result);

#endif
