// SPDX-License-Identifier: GPL-2.0-only
/*
 * Last part of reading a table: put the extents of each file into file order.
 * A table is sorted by LBA. The extents of most files have rising offsets in that order. Only the
 * other files are sorted here. Only they can have one block in two places.
 */

#include "input/order.h"

/* Sort key: the offset in the file in the upper bits, the index of the extent in the lower ones. */
#define KEY(offset, index) ((uint64_t)(offset) << 32 | (index))

static int by_key(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return ORDER(x, y);
}

/* For each file, where its keys begin in the array of keys; one more entry ends the last file. */
static size_t *find_begins(const struct table *table)
{
	size_t *begins = xcalloc(table->n_files + 1, sizeof(*begins));

	for (size_t i = 0; i < table->n_extents; i++) {
		uint32_t file = table->extents[i].file;

		begins[file + 1] += !table->files[file].in_order;
	}
	for (size_t i = 0; i < table->n_files; i++)
		begins[i + 1] += begins[i];
	return begins;
}

/* Sort by file, and the extents of each file by offset. */
static uint64_t *sort_keys(const struct table *table, const size_t *begins)
{
	uint64_t *keys = xcalloc(begins[table->n_files], sizeof(*keys));
	AUTO_FREE size_t *next = xcalloc(table->n_files, sizeof(*next));

	for (size_t i = 0; i < table->n_extents; i++) {
		const struct extent *e = &table->extents[i];

		if (!table->files[e->file].in_order)
			keys[begins[e->file] + next[e->file]++] = KEY(e->offset, (uint32_t)i);
	}
	for (size_t i = 0; i < table->n_files; i++)
		if (next[i])
			qsort(keys + begins[i], next[i], sizeof(*keys), by_key);
	return keys;
}

static void check_once(const struct table *table, const char *name, const struct extent *prev,
		       const struct extent *e)
{
	const struct file *file = &table->files[e->file];
	const struct volume *v = &table->volumes[file->volume];

	if (e->file == prev->file && e->offset < prev->offset + (uint64_t)prev->blks)
		die("%s: block %u of inode %ju on %u:%u is in two places; expected one extent for each "
		    "block of a file", name, e->offset, (uintmax_t)file->ino, v->major, v->minor);
}

/**
 * order_build() - sort the extents of each file by offset, and reject duplicate blocks
 * @table: the table; all but @table->order is set
 * @name: name of the table for messages
 */
void order_build(struct table *table, const char *name)
{
	uint64_t *keys;

	if (table->n_extents > UINT32_MAX)
		die("%s: %zu extents; expected at most %u", name, table->n_extents, UINT32_MAX);
	AUTO_FREE size_t *begins = find_begins(table);
	table->n_order = begins[table->n_files];
	if (table->n_order) {
		keys = sort_keys(table, begins);
		table->order = xcalloc(table->n_order, sizeof(*table->order));
		for (size_t i = 0; i < table->n_order; i++) {
			table->order[i] = (uint32_t)keys[i];
			if (i)
				check_once(table, name, &table->extents[table->order[i - 1]],
					   &table->extents[table->order[i]]);
		}
		free(keys);
	}
}
