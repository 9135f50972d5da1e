/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the zones of volumes as text, JSON and metrics. */
#pragma once

#include "input/zones.h"
#include "model/space.h"
#include "output/prometheus.h"
#include "output/sheet.h"

void zones_write(const struct table *table, const struct space *spaces, const struct zones *zones, enum sheet_form form, bool says_time);
void zones_put_metrics(struct metrics *m, const struct table *table, const struct space *spaces, const struct zones *zones);
