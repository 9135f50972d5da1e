// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: what has changed from one moment of a recording to another: the extra requests of each file, and the blocks
 * that belong to another place of a file.
 *
 * A file is known by its volume and its inode number; so it may have another name. If an inode number was given to another file
 * meanwhile, both are taken for one.
 */
#include <stdlib.h>

#include "input/inodes.h"
#include "output/serve_compare.h"
#include "util.h"

/* The index of a volume of another table, or table->n_volumes. */
static size_t volume_of(const struct table *table, const struct volume *other)
{
	size_t i;

	for (i = 0; i < table->n_volumes; i++)
		if (table->volumes[i].major == other->major && table->volumes[i].minor == other->minor)
			break;
	return i;
}

static int64_t extra_of(const struct serve_view *view, size_t file)
{
	return (int64_t)(view->runs.figures[file].requests - view->runs.figures[file].ideal);
}

/**
 * serve_compare_files() - find how files have changed
 * @view: the table
 * @before: that of another moment
 * @n_gone: how many files of @before are not in @view
 *
 * Return: by index into the files of @view, how many extra requests a file has more than in @before, where one that was not there
 * has none; to be freed.
 */
int64_t *serve_compare_files(const struct serve_view *view, const struct serve_view *before, size_t *n_gone)
{
	const struct table *now = view->runs.table, *then = before->runs.table;
	int64_t *changes = xcalloc(now->n_files, sizeof(*changes));
	struct inodes inodes = { 0 };
	size_t i;

	/* 0 is no index */
	for (i = 0; i < then->n_files; i++) {
		size_t volume = volume_of(now, &then->volumes[then->files[i].volume]);

		if (volume < now->n_volumes)
			*inodes_at(&inodes, (uint32_t)volume, then->files[i].ino) = (uint32_t)i + 1;
	}
	*n_gone = then->n_files;
	for (i = 0; i < now->n_files; i++) {
		uint32_t same = inodes_find(&inodes, now->files[i].volume, now->files[i].ino);

		changes[i] = extra_of(view, i) - (same ? extra_of(before, same - 1) : 0);
		*n_gone -= same != 0;
	}
	inodes_free(&inodes);
	return changes;
}

/* === Blocks === */

/* Blocks with one owner; @delta: block address minus offset. No inode: no watched file has them. */
struct owned {
	uint64_t end;
	uint64_t ino;
	uint64_t delta;
};

/* The owners of a range, in the order of addresses. */
struct owners {
	const struct table *table;
	struct owned *list;
	size_t n;
	size_t cap;
};

static void add_owner(struct owners *o, uint64_t end, uint64_t ino, uint64_t delta)
{
	struct owned *last = o->n ? &o->list[o->n - 1] : NULL;

	if (last && last->ino == ino && last->delta == delta) {
		last->end = end;
		return;
	}
	o->list = grow(o->list, &o->cap, o->n, sizeof(*o->list));
	o->list[o->n++] = (struct owned){ end, ino, delta };
}

static void add_piece(void *arg, const struct range_piece *piece)
{
	struct owners *o = arg;
	const struct extent *e = piece->extent == NO_EXTENT ? NULL : &o->table->extents[piece->extent];

	if (e)
		add_owner(o, piece->lba + piece->blks, o->table->files[e->file].ino, (uint64_t)e->lba - e->offset);
	else
		add_owner(o, piece->lba + piece->blks, 0, 0);
}

/* The part of a volume that has a range, or runs.n_parts. */
static size_t part_of(const struct serve_view *view, const struct volume *volume, uint64_t first, uint64_t end)
{
	size_t index = volume_of(view->runs.table, volume), i;

	for (i = 0; i < view->runs.n_parts; i++) {
		const struct part *part = &view->runs.parts[i];

		if (part->volume == index && part->first_blk <= first && part->end_blk >= end)
			break;
	}
	return i;
}

/**
 * serve_compare_blocks() - find blocks that have changed
 * @view: the table
 * @before: that of another moment; a range that is not in it had no owners
 * @part: index of the part of a volume, in @view
 * @first: first block address, within the part
 * @end: end of the block addresses (exclusive)
 * @fn: called for blocks that belong to another file, to another place of it, to one or to none where it was the other way, in the
 *	order of addresses
 * @arg: for @fn
 */
void serve_compare_blocks(const struct serve_view *view, const struct serve_view *before, size_t part, uint64_t first, uint64_t end,
			  changed_fn fn, void *arg)
{
	const struct volume *volume = &view->runs.table->volumes[view->runs.parts[part].volume];
	struct owners now = { .table = view->runs.table }, then = { .table = before->runs.table };
	size_t old_part = part_of(before, volume, first, end), i = 0, k = 0;

	serve_view_walk(view, part, first, end, add_piece, &now);
	if (old_part < before->runs.n_parts)
		serve_view_walk(before, old_part, first, end, add_piece, &then);
	else
		add_owner(&then, end, 0, 0);
	while (first < end) {
		const struct owned *a = &now.list[i], *b = &then.list[k];
		uint64_t until = a->end < b->end ? a->end : b->end;

		if (a->ino != b->ino || a->delta != b->delta)
			fn(arg, first, until - first);
		i += a->end == until;
		k += b->end == until;
		first = until;
	}
	free(now.list);
	free(then.list);
}
