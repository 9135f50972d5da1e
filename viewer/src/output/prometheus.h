/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: a table as a few numbers per volume, for Prometheus. */
#pragma once

#include <stdio.h>

#include "input/source.h"
#include "input/table.h"
#include "input/zones.h"
#include "model/space.h"

void prometheus_write(const char *path, const struct table *table, const struct space *spaces, const struct zones *zones,
		      const struct source *source);

/**
 * struct metrics - metrics that are written
 * @file: where to
 * @name: of the metric whose samples are written
 */
struct metrics {
	FILE *file;
	const char *name;
};

void metrics_begin(struct metrics *m, const char *name, const char *help);
void metrics_sample(const struct metrics *m, const struct volume *v, const char *label, const char *value, uint64_t n);
void metrics_seconds(const struct metrics *m, const struct volume *v, const char *label, const char *value, double ns);

void cost_put_metrics(struct metrics *m, const struct table *table, const char *path);
void ledger_put_metrics(struct metrics *m, const struct table *table, const char *path);
void gc_put_metrics(struct metrics *m, const struct table *table, const char *path);
void discards_put_metrics(struct metrics *m, const struct table *table, const char *path);
