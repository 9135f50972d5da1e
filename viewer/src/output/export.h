/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: any text of debugfs's table, extents and files, as JSON or CSV. */
#ifndef EXPORT_H
#define EXPORT_H

#include "util.h"

void export_json(const char *path, const char *name, const struct text *text);
void export_csv(const char *path, const char *name, const struct text *text);

#endif
