// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the extents of each file of a table, in file order.
 * The extents of a table are in the order of the volume. Of most files these have rising offsets; the
 * table has the order of the others.
 */
#include <stdlib.h>

#include "pieces.h"
#include "util.h"

static void put(struct pieces *p, size_t *next, uint32_t extent)
{
	uint32_t file = p->table->extents[extent].file;

	p->extents[p->begins[file] + next[file]++] = extent;
}

/**
 * pieces_init() - sort the extents by file
 * @p: the result; to be freed with pieces_free()
 * @table: the table; must stay valid
 */
void pieces_init(struct pieces *p, const struct table *table)
{
	size_t *next = xcalloc(table->n_files, sizeof(*next)), i;

	*p = (struct pieces){ .table = table };
	p->begins = xcalloc(table->n_files + 1, sizeof(*p->begins));
	p->extents = xcalloc(table->n_extents, sizeof(*p->extents));
	for (i = 0; i < table->n_extents; i++)
		p->begins[table->extents[i].file + 1]++;
	for (i = 0; i < table->n_files; i++)
		p->begins[i + 1] += p->begins[i];
	for (i = 0; i < table->n_extents; i++)
		if (table->files[table->extents[i].file].in_order)
			put(p, next, (uint32_t)i);
	for (i = 0; i < table->n_order; i++)
		put(p, next, table->order[i]);
	free(next);
}

/**
 * pieces_of() - the extents of one file
 * @p: all of them
 * @file: index into table.files
 * @n: set to their number
 *
 * Return: the extents in file order; valid until the next call.
 */
const struct piece *pieces_of(struct pieces *p, uint32_t file, size_t *n)
{
	const uint32_t *extents = p->extents + p->begins[file];
	size_t i;

	*n = p->begins[file + 1] - p->begins[file];
	if (*n > p->cap_file) {
		p->cap_file = *n;
		p->file = xreallocarray(p->file, *n, sizeof(*p->file));
	}
	for (i = 0; i < *n; i++) {
		const struct extent *e = &p->table->extents[extents[i]];

		p->file[i] = (struct piece){ .offset = e->offset, .lba = e->lba, .blks = e->blks, .extent = extents[i] };
	}
	return p->file;
}

/**
 * pieces_free() - release the extents
 * @p: as left by pieces_init()
 */
void pieces_free(struct pieces *p)
{
	free(p->begins);
	free(p->extents);
	free(p->file);
	*p = (struct pieces){ 0 };
}
