/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: record snapshots, and the events between them. */
#pragma once

#include <stdint.h>

#include "input/source.h"
#include "output/record.h"

void record_live(struct source *source, struct recorder *recorder, int64_t interval_ns, uint64_t keep_bytes);
