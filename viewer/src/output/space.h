/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the free space of volumes as text, JSON and metrics. */
#pragma once

#include <stdio.h>

#include "model/space.h"
#include "output/json.h"

struct metrics;

extern const char *const space_log_names[F2FS_N_LOGS];
extern const char *const space_log_keys[F2FS_N_LOGS];

void space_print_notes(FILE *out, const struct space *space);
void space_put_notes(struct json *json, const struct space *space);
void space_put_files(struct json *json, const struct volume *v, const struct table *table, uint64_t begin, uint64_t end);
void space_print(const struct table *table, const struct space *spaces);
void space_put_json(struct json *json, const struct table *table, const struct space *spaces);
void space_put_metrics(struct metrics *m, const struct table *table, const struct space *spaces);
