/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the worst files on a terminal, or as text in a pipe, repeatedly. */
#pragma once

#include <stdint.h>

#include "input/source.h"
#include "output/top.h"

void top_screen_run(struct source *source, int64_t interval_ns, unsigned long count, const char *filter, enum top_key key);
