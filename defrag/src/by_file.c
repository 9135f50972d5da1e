// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the extents of each file of a table, in file order.
 * The extents of a table are in the order of the volume. Of most files these have rising offsets; the
 * table has the order of the others.
 */

#include "by_file.h"

static void put(struct by_file *p, size_t *next, uint32_t extent)
{
	uint32_t file = p->table->extents[extent].file;

	p->extents[p->begins[file] + next[file]++] = extent;
}

/**
 * by_file_init() - sort the extents by file
 * @p: the result; to be freed with by_file_free()
 * @table: the table; must stay valid
 */
void by_file_init(struct by_file *p, const struct table *table)
{
	size_t *next = xcalloc(table->n_files, sizeof(*next)), i;

	*p = (struct by_file){ .table = table };
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
 * by_file_extents() - the extents of one file
 * @p: all of them
 * @file: index into table.files
 * @n: set to their number
 *
 * Return: the extents in file order; valid until the next call.
 */
const struct file_extent *by_file_extents(struct by_file *p, uint32_t file, size_t *n)
{
	const uint32_t *extents = p->extents + p->begins[file];

	*n = p->begins[file + 1] - p->begins[file];
	if (*n > p->cap_file) {
		p->cap_file = *n;
		p->file = xreallocarray(p->file, *n, sizeof(*p->file));
	}
	for (size_t i = 0; i < *n; i++) {
		const struct extent *e = &p->table->extents[extents[i]];

		p->file[i] = (struct file_extent){ .offset = e->offset, .lba = e->lba, .blks = e->blks, .extent = extents[i] };
	}
	return p->file;
}

/**
 * by_file_free() - release the extents
 * @p: as left by by_file_init()
 */
void by_file_free(struct by_file *p)
{
	free(p->begins);
	free(p->extents);
	free(p->file);
	*p = (struct by_file){ 0 };
}
