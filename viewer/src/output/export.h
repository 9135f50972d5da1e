/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: export a table, or the listings of a snapshot, as JSON or CSV. */
#ifndef EXPORT_H
#define EXPORT_H

#include "input/table.h"
#include "model/space.h"

/**
 * enum export_list - what is listed
 * @LIST_TABLE: written extents by volume and address, as `table` of debugfs
 * @LIST_EXTENTS: all extents by file and offset, as `extents`
 * @LIST_FILES: files, the worst first, as `files`
 * @LIST_CAUSES: breaks by kind of cause and extension
 * @LIST_BY_PROCESS: breaks by the process that wrote the data
 * @N_LISTS: number of lists
 */
enum export_list {
	LIST_TABLE,
	LIST_EXTENTS,
	LIST_FILES,
	LIST_CAUSES,
	LIST_BY_PROCESS,
	N_LISTS,
};

extern const char *const export_lists[N_LISTS];

void export_json(const char *path, const char *name, const struct table *table, enum export_list list,
		 const struct space *spaces);
void export_csv(const char *path, const char *name, const struct table *table, enum export_list list);

#endif
