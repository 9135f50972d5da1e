/* SPDX-License-Identifier: GPL-2.0-only */
/* First step of the pipeline, for F2FS's own state: whether it is read at all, and what happens if it is not there. */
#pragma once

#include <stdbool.h>

#include "input/f2fs_state.h"

/**
 * struct f2fs_source - where F2FS's state comes from, from one reading to the next
 * @dir: folder with copies of its files, or NULL: the running kernel
 * @is_required: it was asked for: the program ends if it cannot be read
 * @is_live: the table is that of the running module
 * @was_refused: this was said once
 */
struct f2fs_source {
	const char *dir;
	bool is_required;
	bool is_live;
	bool was_refused;
};

void f2fs_source_init(struct f2fs_source *source, const char *table, const char *dir, bool is_required);
struct f2fs_state *f2fs_source_read(struct f2fs_source *source, const struct table *table);
