/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: export a table, or the listings of a snapshot, as text, JSON or CSV. */
#ifndef EXPORT_H
#define EXPORT_H

#include "input/table.h"
#include "model/space.h"
#include "output/sheet.h"

/**
 * enum export_list - what is listed
 * @LIST_TABLE: written extents by volume and address, as `table` of debugfs
 * @LIST_EXTENTS: all extents by file and offset, as `extents`
 * @LIST_FILES: files, the worst first, as `files`
 * @N_LISTS: number of lists
 */
enum export_list {
	LIST_TABLE,
	LIST_EXTENTS,
	LIST_FILES,
	N_LISTS,
};

void export_write(const char *path, const char *name, const struct table *table, enum export_list list,
		  enum sheet_form form, const struct space *spaces);

#endif
