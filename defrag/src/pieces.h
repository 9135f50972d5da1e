/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the extents of each file of a table, in file order. */
#ifndef PIECES_H
#define PIECES_H

#include <stddef.h>
#include <stdint.h>

#include "input/table.h"
#include "model.h"

/**
 * struct pieces - the extents of all files
 * @table: the table
 * @begins: by file: its first entry in @extents; one more entry ends the last file
 * @extents: indices into table.extents, by file and offset
 */
struct pieces {
	const struct table *table;
	size_t *begins;
	uint32_t *extents;
	/* private: */
	struct piece *file;
	size_t cap_file;
};

void pieces_init(struct pieces *pieces, const struct table *table);
void pieces_free(struct pieces *pieces);
const struct piece *pieces_of(struct pieces *pieces, uint32_t file, size_t *n);

#endif
