/* SPDX-License-Identifier: GPL-2.0-only */
/* After the work: the figures of the files that were worked on, as they are now. */
#pragma once

#include <stdbool.h>

#include "apply.h"
#include "input/source.h"
#include "plan.h"

void truth_find(struct result *result, const struct plan *plan, const bool *touched, struct source *source);
