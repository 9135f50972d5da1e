/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: export a table, or the listings of a snapshot, as text, JSON or CSV. */
#pragma once

#include "input/table.h"
#include "model/space.h"
#include "output/sheet.h"

void export_write(const char *path, const char *name, const struct table *table, const char *kind,
		  enum sheet_form form, const struct space *spaces);
