// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: what has changed from one moment of a recording to another: the extra requests of each file, and the blocks
 * that belong to another place of a file.
 *
 * A file is known by its volume and its inode number; so it may have another name. If an inode number was given to another file
 * meanwhile, both are taken for one.
 */

#include "input/inodes.h"
#include "output/serve_compare.h"

/**
 * serve_extra() - how much more than a contiguous one a file takes to be read
 * @view: the table
 * @file: index into its files
 *
 * Return: in requests.
 */
int64_t serve_extra(const struct serve_view *view, size_t file)
{
	return (int64_t)(view->runs.figures[file].requests - view->runs.figures[file].ideal);
}

/**
 * serve_compare_files() - find how files have changed
 * @view: the table
 * @before: that of another moment
 * @gone: set to the files of @before that are not in @view, by index; to be freed
 * @n_gone: set to how many these are
 *
 * Return: by index into the files of @view, how many extra requests a file has more than in @before, where one that was not there
 * has none; to be freed.
 */
int64_t *serve_compare_files(const struct serve_view *view, const struct serve_view *before, uint32_t **gone, size_t *n_gone)
{
	const struct table *now = view->runs.table, *then = before->runs.table;
	int64_t *changes = xcalloc(now->n_files, sizeof(*changes));
	AUTO_FREE bool *is_there = xcalloc(then->n_files, sizeof(*is_there));
	AUTO(inodes_free) struct inodes inodes = { 0 };
	size_t i;

	/* 0 is no index */
	for (i = 0; i < then->n_files; i++) {
		const struct volume *old = &then->volumes[then->files[i].volume];
		uint32_t volume = table_volume_at(now, old->major, old->minor);

		if (volume < now->n_volumes)
			*inodes_at(&inodes, volume, then->files[i].ino) = (uint32_t)i + 1;
	}
	for (i = 0; i < now->n_files; i++) {
		uint32_t same = inodes_find(&inodes, now->files[i].volume, now->files[i].ino);

		changes[i] = serve_extra(view, i) - (same ? serve_extra(before, same - 1) : 0);
		if (same)
			is_there[same - 1] = true;
	}
	*gone = xcalloc(then->n_files, sizeof(**gone));
	for (i = 0, *n_gone = 0; i < then->n_files; i++)
		if (!is_there[i])
			(*gone)[(*n_gone)++] = (uint32_t)i;
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
	*APPEND(o->list, o->n, o->cap) = (struct owned){ end, ino, delta };
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

/* The owners that a range had: none where the volume, or what is shown of it, did not reach. */
static void find_old_owners(struct owners *o, const struct serve_view *before, const struct volume *volume, uint64_t first, uint64_t end)
{
	size_t index = table_volume_at(before->runs.table, volume->major, volume->minor), i;
	uint64_t at = first;

	for (i = 0; i < before->runs.n_parts; i++) {
		const struct part *part = &before->runs.parts[i];
		uint64_t from = part->first_blk > at ? part->first_blk : at, until = part->end_blk < end ? part->end_blk : end;

		if (part->volume != index || from >= until)
			continue;
		if (from > at)
			add_owner(o, from, 0, 0);
		serve_view_walk(before, i, from, until, add_piece, o);
		at = until;
	}
	if (at < end)
		add_owner(o, end, 0, 0);
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
	size_t i = 0, k = 0;

	serve_view_walk(view, part, first, end, add_piece, &now);
	find_old_owners(&then, before, volume, first, end);
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
