/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: what F2FS discards and resets, for Prometheus. */
#pragma once

#include "input/discards.h"
#include "output/prometheus.h"

void discards_put_metrics(struct metrics *m, const struct table *table, const struct discards *all);
