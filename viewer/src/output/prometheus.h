/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: a table as a few numbers per volume, for Prometheus. */
#ifndef PROMETHEUS_H
#define PROMETHEUS_H

#include "input/table.h"

void prometheus_write(const char *path, const struct table *table);

#endif
