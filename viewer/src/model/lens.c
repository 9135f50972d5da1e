// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: which blocks and which files of a table are drawn.
 *
 * A range of blocks only limits the walk through the runs: fragments keep their figures and colours, and the
 * picture is a part of the whole one. Files that do not match are taken out of the table: all figures and
 * colours are those of the others.
 */

#include "input/volume.h"
#include "model/color.h"
#include "model/lens.h"

/* So many volumes are named in a message. */
#define MAX_RANGES 4

/* === Blocks === */

/* Read the digits of an address, if there are any. Return: what follows. */
static const char *read_blk(const char *at, uint64_t *blk, bool *is_there)
{
	char *end;

	*is_there = *at >= '0' && *at <= '9';
	if (!*is_there)
		return at;
	*blk = strtoull(at, &end, 10);
	return end;
}

/**
 * lens_read_range() - read a range of block addresses
 * @lens: its range is set
 * @arg: A-B, A- or -B
 *
 * Return: false if it is none.
 */
bool lens_read_range(struct lens *lens, const char *arg)
{
	const char *at;

	lens->range = arg;
	lens->first = 0;
	lens->last = UINT64_MAX;
	errno = 0;
	at = read_blk(arg, &lens->first, &lens->has_first);
	if (*at == '-')
		at = read_blk(at + 1, &lens->last, &lens->has_last);
	else
		at = "?";
	return !*at && !errno && (lens->has_first || lens->has_last) && lens->first <= lens->last;
}

static noreturn void refuse_range(const struct lens *lens, const struct table *table, const char *name)
{
	char *ranges = NULL;
	size_t i;

	if (!table->n_volumes)
		die_usage("--lba %s: %s has no volume", lens->range, name);
	for (i = 0; i < table->n_volumes && i < MAX_RANGES; i++) {
		const struct volume *v = &table->volumes[i];

		xappend(&ranges, "%s%ju to %ju", i ? ", " : "", (uintmax_t)v->first_blk, (uintmax_t)(v->end_blk - 1));
	}
	die_usage("--lba %s: no volume of %s has these blocks; expected addresses of one: %s%s", lens->range, name,
		  ranges, i < table->n_volumes ? ", ..." : "");
}

static bool has_blk(const struct table *table, uint64_t blk)
{
	for (size_t i = 0; i < table->n_volumes; i++)
		if (blk >= table->volumes[i].first_blk && blk < table->volumes[i].end_blk)
			return true;
	return false;
}

/**
 * lens_parts() - the parts of volumes that are drawn
 * @lens: what was asked for
 * @table: the table
 * @name: of the table, for messages
 * @n: set to the number of parts
 *
 * Volumes without a block of the range have no part. Ends the program if the range goes beyond all volumes.
 *
 * Return: in the order of volumes; to be freed.
 */
struct part *lens_parts(const struct lens *lens, const struct table *table, const char *name, size_t *n)
{
	struct part *parts = xcalloc(table->n_volumes, sizeof(*parts));

	*n = 0;
	for (size_t i = 0; i < table->n_volumes; i++) {
		struct part part = { i, table->volumes[i].first_blk, table->volumes[i].end_blk };

		if (lens->range && part.first_blk < lens->first)
			part.first_blk = lens->first;
		if (lens->range && part.end_blk > lens->last)
			part.end_blk = lens->last + 1;
		if (!lens->range || part.first_blk < part.end_blk)
			parts[(*n)++] = part;
	}
	if (!lens->range || (*n && (!lens->has_first || has_blk(table, lens->first)) &&
			     (!lens->has_last || has_blk(table, lens->last))))
		return parts;
	free(parts);
	refuse_range(lens, table, name);
}

/* === Files === */

static void add_other(struct selection *s, size_t volume, const struct extent *e)
{
	size_t n = s->begins[volume + 1];

	if (n > s->begins[volume] && s->others[n - 1].end == e->lba)
		s->others[n - 1].end += e->blks;
	else
		s->others[s->begins[volume + 1]++] = (struct stretch){ e->lba, e->lba + (uint64_t)e->blks };
}

/**
 * selection_make() - separate the files that match from the others
 * @s: the result; to be freed with selection_free()
 * @whole: the table; must stay valid as long as @s
 * @only: a part of the paths, or a glob, see path_is_shown()
 */
void selection_make(struct selection *s, const struct table *whole, const char *only)
{
	AUTO_FREE bool *is_picked = xcalloc(whole->n_files, sizeof(*is_picked));

	*s = (struct selection){ .n_all_files = whole->n_files };
	s->others = xcalloc(whole->n_extents, sizeof(*s->others));
	s->begins = xcalloc(whole->n_volumes + 1, sizeof(*s->begins));
	for (size_t i = 0; i < whole->n_files; i++)
		is_picked[i] = path_is_shown(whole->files[i].path, only);
	table_pick(&s->table, whole, is_picked);
	for (size_t v = 0; v < whole->n_volumes; v++) {
		s->begins[v + 1] = s->begins[v];
		for (size_t i = whole->volumes[v].first; i < whole->volumes[v].end; i++)
			if (!is_picked[whole->extents[i].file])
				add_other(s, v, &whole->extents[i]);
	}
}

/**
 * selection_free() - release a selection
 * @s: as left by selection_make()
 */
void selection_free(struct selection *s)
{
	free(s->others);
	free(s->begins);
	table_unpick(&s->table);
	*s = (struct selection){ 0 };
}
