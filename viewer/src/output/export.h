/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: export tables, and the texts `extents` and `files` of debugfs, as JSON or CSV. */
#ifndef EXPORT_H
#define EXPORT_H

#include <stdbool.h>

#include "input/table.h"
#include "model/space.h"
#include "util.h"

void export_json(const char *path, const struct table *table, const struct space *spaces);
void export_csv(const char *path, const struct table *table);

bool export_is_listing(const struct text *text);
void export_listing_json(const char *path, const char *name, const struct text *text);
void export_listing_csv(const char *path, const char *name, const struct text *text);

#endif
