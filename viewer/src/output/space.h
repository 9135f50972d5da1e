/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the free space of volumes as text, JSON and metrics. */
#pragma once

#include <stdio.h>

#include "model/space.h"
#include "output/json.h"

void space_print(const struct table *table, const struct space *spaces);
void space_put_json(struct json *json, const struct table *table, const struct space *spaces);
void space_put_metrics(FILE *file, const struct table *table, const struct space *spaces);
