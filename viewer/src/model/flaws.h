/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: what is wrong with a table or missing in it, in words for all outputs. */
#pragma once

#include "input/table.h"

char *flaws_of(const struct table *table);
