// SPDX-License-Identifier: GPL-2.0-only
/* First step of the pipeline, for F2FS's own state: whether it is read at all, and what happens if it is not there. */

#include "input/f2fs_source.h"
#include "input/source.h"

/**
 * f2fs_source_init() - decide where F2FS's state comes from
 * @source: the result
 * @table: name of the table
 * @dir: folder with copies of F2FS's files, or NULL
 * @is_required: it is needed; it always is if there is a folder
 *
 * If it is not required, it is read where the table is that of the running module.
 */
void f2fs_source_init(struct f2fs_source *source, const char *table, const char *dir, bool is_required)
{
	*source = (struct f2fs_source){
		.dir = dir,
		.is_required = is_required || dir,
		.is_live = source_is_live(table),
	};
}

static bool is_wanted(const struct f2fs_source *source, const struct table *table)
{
	uint64_t segments = 0;

	for (size_t i = 0; i < table->n_volumes; i++)
		segments += (table->volumes[i].end_blk - table->volumes[i].first_blk) / F2FS_SEGMENT_BLKS;
	return source->is_required || (source->is_live && segments <= F2FS_MAX_UNASKED_SEGMENTS);
}

static bool is_any_known(const struct f2fs_state *states, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (states[i].segments.n)
			return true;
	return false;
}

/**
 * f2fs_source_read() - read F2FS's state of all volumes
 * @source: where it comes from
 * @table: the table with the volumes
 *
 * Ends the program if the state is required and cannot be read.
 *
 * Return: by volume, to be freed with f2fs_states_free(); NULL if it is not required and is not read, was refused
 * or is not there.
 */
struct f2fs_state *f2fs_source_read(struct f2fs_source *source, const struct table *table)
{
	struct f2fs_state *states;
	char *trouble;

	if (!is_wanted(source, table))
		return NULL;
	states = f2fs_states_read(table, source->dir, &trouble);
	if (trouble && source->is_required)
		die("%s", trouble);
	if (trouble && !source->was_refused)
		warn("%s; going on without F2FS's state", trouble);
	if (trouble)
		source->was_refused = true;
	if (!trouble && (source->is_required || is_any_known(states, table->n_volumes)))
		return states;
	free(trouble);
	f2fs_states_free(states, table->n_volumes);
	return NULL;
}
