// SPDX-License-Identifier: GPL-2.0-only
/* A table of some files of another one. Last step of reading a table, if it is asked for: keep one volume of it. */

#include "input/snapshot.h"
#include "input/volume.h"

static bool is_named(const struct volume *volume, const char *wanted)
{
	char dev[32];

	snprintf(dev, sizeof(dev), "%u:%u", volume->major, volume->minor);
	return !strcmp(volume->path, wanted) || !strcmp(dev, wanted);
}

static noreturn void refuse(const struct table *table, const char *name)
{
	char *names = NULL;

	if (!table->n_volumes)
		die("%s: there is no volume, and so none for --volume", name);
	for (size_t i = 0; i < table->n_volumes; i++) {
		const struct volume *v = &table->volumes[i];

		xappend(&names, "%s%s (%u:%u)", i ? ", " : "", v->path, v->major, v->minor);
	}
	die("%s: the volumes are %s: expected --volume with one of them", name, names);
}

/**
 * table_pick() - make a table of some files of another one
 * @table: the result, with all volumes; shares its text, names and writers with @whole. To be freed with table_unpick()
 * @whole: the other one; must stay valid as long as @table
 * @is_picked: by file
 */
void table_pick(struct table *table, const struct table *whole, const bool *is_picked)
{
	AUTO_FREE uint32_t *files = xcalloc(whole->n_files, sizeof(*files)), *extents = xcalloc(whole->n_extents, sizeof(*extents));
	size_t n = 0;

	for (size_t i = 0; i < whole->n_extents; i++)
		n += is_picked[whole->extents[i].file];
	*table = *whole;
	table->volumes = xcalloc(whole->n_volumes, sizeof(*table->volumes));
	table->files = xcalloc(whole->n_files, sizeof(*table->files));
	table->extents = xcalloc(n, sizeof(*table->extents));
	table->order = xcalloc(whole->n_order < n ? whole->n_order : n, sizeof(*table->order));
	table->causes = whole->causes ? xcalloc(n, sizeof(*table->causes)) : NULL;
	table->n_files = table->n_extents = table->n_order = 0;
	for (size_t i = 0; i < whole->n_files; i++) {
		files[i] = (uint32_t)table->n_files;
		if (is_picked[i])
			table->files[table->n_files++] = whole->files[i];
	}
	for (size_t v = 0; v < whole->n_volumes; v++) {
		table->volumes[v] = whole->volumes[v];
		table->volumes[v].first = table->n_extents;
		for (size_t i = whole->volumes[v].first; i < whole->volumes[v].end; i++) {
			if (!is_picked[whole->extents[i].file])
				continue;
			extents[i] = (uint32_t)table->n_extents;
			if (whole->causes)
				table->causes[table->n_extents] = whole->causes[i];
			table->extents[table->n_extents] = whole->extents[i];
			table->extents[table->n_extents++].file = files[whole->extents[i].file];
		}
		table->volumes[v].end = table->n_extents;
	}
	for (size_t i = 0; i < whole->n_order; i++)
		if (is_picked[whole->extents[whole->order[i]].file])
			table->order[table->n_order++] = extents[whole->order[i]];
}

/**
 * table_unpick() - release a table of some files of another one
 * @table: as left by table_pick()
 */
void table_unpick(struct table *table)
{
	free(table->volumes);
	free(table->files);
	free(table->extents);
	free(table->order);
	free(table->causes);
	*table = (struct table){ 0 };
}

/**
 * volume_only() - make a volume the only one of a table whose files are all on it
 * @table: the table
 * @volume: its index
 */
void volume_only(struct table *table, size_t volume)
{
	table->volumes[0] = table->volumes[volume];
	table->n_volumes = 1;
	for (size_t i = 0; i < table->n_files; i++)
		table->files[i].volume = 0;
}

/**
 * volume_keep() - take all other volumes out of a table
 * @table: the table; changed
 * @name: its name for messages
 * @wanted: the mount point of the volume, or its device number MAJOR:MINOR; NULL: all are kept
 *
 * A text has only one number of stale files: it stays. Ends the program if there is no such volume.
 */
void volume_keep(struct table *table, const char *name, const char *wanted)
{
	struct table part;
	size_t i;

	if (!wanted)
		return;
	for (i = 0; i < table->n_volumes && !is_named(&table->volumes[i], wanted); i++)
		;
	if (i == table->n_volumes)
		refuse(table, name);
	AUTO_FREE bool *is_picked = xcalloc(table->n_files, sizeof(*is_picked));
	for (size_t k = 0; k < table->n_files; k++)
		is_picked[k] = table->files[k].volume == i;
	table_pick(&part, table, is_picked);
	table_unpick(table);
	*table = part;
	volume_only(table, i);
	table->first_volume = i;
	table->n_left_out = table->volumes->left_out;
	if (snapshot_is(&table->text))
		table->n_stale = table->volumes->stale;
}
