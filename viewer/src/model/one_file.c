// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: one file of a table, in its own order, with what has no blocks.
 * Written blocks are those of the table, so that all numbers agree with those of other outputs. What is
 * allocated but not written comes from the snapshot; a text does not have it.
 */
#include <sys/sysmacros.h>

#include "input/snapshot.h"
#include "input/volume.h"
#include "model/color.h"
#include "model/one_file.h"
#include "model/overlay.h"

/* So many files are named in a message. */
#define MAX_NAMES 5

/* === Which file === */

static char *several_match(const struct table *table, const char *path, const uint32_t *found, size_t n)
{
	char *message = xasprintf("%s: %zu watched files match; expected more of the path of one of them: ", path, n);
	size_t i;

	for (i = 0; i < n && i < MAX_NAMES; i++) {
		const struct file *file = &table->files[found[i]];

		xappend(&message, "%s%s%s", i ? ", " : "", file->path, file->deleted ? DELETED_MARK : "");
	}
	xappend(&message, "%s", i < n ? ", ..." : "");
	return message;
}

/* How well a file matches; 0: not at all. */
static int rank_of(const struct file *file, const char *path)
{
	bool is_whole = !strcmp(file->path, path);

	if (!is_whole && !path_matches(file->path, path))
		return 0;
	return file->deleted ? 1 : is_whole ? 3 : 2;
}

/**
 * one_file_without_blocks() - is a file watched that has no blocks?
 * @table: the table; only a snapshot knows
 * @name: name of the table for messages
 * @path: the path, the end of it in whole components, or a glob
 *
 * Return: a sentence that says so, to be freed; or NULL.
 */
char *one_file_without_blocks(const struct table *table, const char *name, const char *path)
{
	AUTO(listing_free) struct listing list = { 0 };

	if (!snapshot_is(&table->text))
		return NULL;
	snapshot_list(&list, table, name);
	for (size_t i = 0; i < list.n_files; i++) {
		const struct listed_file *f = &list.files[i];

		if (f->file == NO_FILE && !f->is_omitted && (!strcmp(f->path, path) || path_matches(f->path, path)))
			return xasprintf("%s has no written blocks on the volume: it is empty, or has holes alone, or its data is in the inode", path);
	}
	return NULL;
}

static bool has_inode(const struct table *table, const struct stat *st, uint32_t *file)
{
	*file = table_file_at(table, major(st->st_dev), minor(st->st_dev), st->st_ino);
	return *file < table->n_files;
}

/**
 * one_file_by_inode() - find a file that the shell shows under another path: a relative one, a link, a bind mount, an overlay
 * @table: the table
 * @path: a path of this system
 * @file: set to its index in table->files
 *
 * Return: false if there is none.
 */
bool one_file_by_inode(const struct table *table, const char *path, uint32_t *file)
{
	struct stat st;

	return !stat(path, &st) && (has_inode(table, &st, file) || (!overlay_stat(path, &st) && has_inode(table, &st, file)));
}

/**
 * one_file_find() - find a file by its path
 * @table: the table
 * @name: name of the table for messages
 * @path: the path, the end of it in whole components, or a glob
 * @file: set to its index in table->files, if one file matches
 *
 * A whole path goes before the end of one, a file with a name before a deleted one, and both before an inode.
 *
 * Return: NULL, or why there is not one file: a message, to be freed.
 */
char *one_file_find(const struct table *table, const char *name, const char *path, uint32_t *file)
{
	AUTO_FREE uint32_t *found = xcalloc(table->n_files, sizeof(*found));
	char *trouble = NULL;
	int best = 1;
	size_t n = 0;

	for (uint32_t i = 0; i < table->n_files; i++) {
		int rank = rank_of(&table->files[i], path);

		if (rank < best)
			continue;
		if (rank > best)
			n = 0;
		best = rank;
		found[n++] = i;
	}
	if (n == 1)
		*file = found[0];
	else if (n)
		trouble = several_match(table, path, found, n);
	else if (one_file_by_inode(table, path, file))
		n = 1;
	else
		trouble = one_file_without_blocks(table, name, path);
	if (!n && !trouble)
		trouble = xasprintf("%s: no watched file of %s that has blocks is called so; expected a path, "
				    "the end of one, or a glob", path, name);
	return trouble;
}

/* === Its table === */

static void make_table(struct table *table, const struct table *whole, uint32_t file)
{
	AUTO_FREE bool *is_picked = xcalloc(whole->n_files, sizeof(*is_picked));

	is_picked[file] = true;
	table_pick(table, whole, is_picked);
	volume_only(table, whole->files[file].volume);
}

/* === Its parts === */

static int by_offset(const void *a, const void *b)
{
	const struct file_part *x = a, *y = b;

	return ORDER(x->offset, y->offset);
}

/* What is not written, and whether the file is stale. */
static void add_unwritten(struct one_file *one, const struct table *whole, const char *name, uint32_t file,
			  size_t *cap)
{
	AUTO(listing_free) struct listing list = { 0 };

	if (!whole->text.buf || !snapshot_is(&whole->text))
		return;
	snapshot_list_file(&list, whole, name, file);
	one->is_complete = true;
	one->is_stale = list.files[0].is_stale;
	for (size_t i = 0; i < list.n_extents; i++) {
		const struct listed_extent *e = &list.extents[i];

		if (e->is_written)
			continue;
		*APPEND(one->parts, one->n_parts, *cap) = (struct file_part){ e->offset, e->blks, NOT_WRITTEN };
		one->unwritten_blks += e->blks;
	}
}

/* === Its breaks === */

static void find_jumps(struct one_file *one)
{
	const struct extent *prev = NULL;

	/* at most one for each extent */
	one->jumps = xcalloc(one->table.n_extents, sizeof(*one->jumps));
	for (size_t i = 0; i < one->n_parts; i++) {
		uint64_t end = prev ? prev->lba + (uint64_t)prev->blks : 0;
		const struct extent *e;

		if (one->parts[i].extent == NOT_WRITTEN)
			continue;
		e = &one->table.extents[one->parts[i].extent];
		if (prev && e->lba != end)
			one->jumps[one->n_jumps++] = (struct file_jump){ one->parts[i].extent, end, e->lba, 0 };
		if (one->n_jumps)
			one->jumps[one->n_jumps - 1].blks += e->blks;
		prev = e;
	}
}

/**
 * file_jump_distance() - how far a break goes
 * @jump: the break
 *
 * Return: blocks, up or down.
 */
uint64_t file_jump_distance(const struct file_jump *jump)
{
	return jump->to > jump->from ? jump->to - jump->from : jump->from - jump->to;
}

/**
 * one_file_make() - take one file out of a table
 * @one: the result; to be freed with one_file_free()
 * @whole: the table; must stay valid as long as @one
 * @name: name of the table for messages
 * @file: index of the file
 */
void one_file_make(struct one_file *one, const struct table *whole, const char *name, uint32_t file)
{
	size_t cap;

	*one = (struct one_file){ 0 };
	make_table(&one->table, whole, file);
	cap = one->n_parts = one->table.n_extents;
	one->parts = xcalloc(cap, sizeof(*one->parts));
	for (size_t i = 0; i < one->n_parts; i++)
		one->parts[i] = (struct file_part){ one->table.extents[i].offset, one->table.extents[i].blks, i };
	add_unwritten(one, whole, name, file, &cap);
	if (one->is_complete)
		one->table.n_stale = one->is_stale;
	qsort(one->parts, one->n_parts, sizeof(*one->parts), by_offset);
	find_jumps(one);
	for (size_t i = 0; i < one->n_parts; i++) {
		const struct file_part *part = &one->parts[i];

		if (part->offset > one->end)
			one->hole_blks += part->offset - one->end;
		if (part->offset + part->blks > one->end)
			one->end = part->offset + part->blks;
	}
}

/**
 * one_file_free() - release a file
 * @one: as left by one_file_make()
 */
void one_file_free(struct one_file *one)
{
	table_unpick(&one->table);
	free(one->parts);
	free(one->jumps);
	*one = (struct one_file){ 0 };
}
