/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: a table in columns of numbers, for programs such as fragtrace-plot. */
#pragma once

#include "input/heat.h"
#include "input/source.h"
#include "model/color.h"

void columns_write(const char *path, const struct source *source, const struct table *table, const struct colors *colors,
		   const struct heat *heat);
