/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: tables as JSON or CSV, and the texts of debugfs's extents and files, too. */
#ifndef EXPORT_H
#define EXPORT_H

#include <stdbool.h>

#include "input/table.h"
#include "util.h"

void export_json(const char *path, const struct table *table);
void export_csv(const char *path, const struct table *table);

bool export_is_listing(const struct text *text);
void export_listing_json(const char *path, const char *name, const struct text *text);
void export_listing_csv(const char *path, const char *name, const struct text *text);

#endif
