/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: a table as a few numbers per volume, for Prometheus. */
#pragma once

#include <stdio.h>

#include "input/table.h"
#include "model/space.h"

void prometheus_write(const char *path, const struct table *table, const struct space *spaces);
void put_prometheus_label(FILE *file, const char *path);
