// SPDX-License-Identifier: GPL-2.0-only
/* Last step of reading a table, if it is asked for: keep one volume of it. */

#include "input/snapshot.h"
#include "input/volume.h"
#include "util.h"

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

/* Return: by index, the new index of each file that is kept; to be freed. */
static uint32_t *keep_files(struct table *table, size_t volume)
{
	uint32_t *files = xcalloc(table->n_files, sizeof(*files));
	size_t n = 0;

	for (size_t i = 0; i < table->n_files; i++) {
		if (table->files[i].volume != volume)
			continue;
		files[i] = (uint32_t)n;
		table->files[n] = table->files[i];
		table->files[n++].volume = 0;
	}
	table->n_files = n;
	return files;
}

static void keep_extents(struct table *table, const struct volume *volume, const uint32_t *files)
{
	size_t n = 0;

	for (size_t i = volume->first; i < volume->end; i++, n++) {
		table->extents[n] = table->extents[i];
		table->extents[n].file = files[table->extents[n].file];
		if (table->causes)
			table->causes[n] = table->causes[i];
	}
	table->n_extents = n;
}

static void keep_order(struct table *table, const struct volume *volume)
{
	size_t n = 0;

	for (size_t i = 0; i < table->n_order; i++)
		if (table->order[i] >= volume->first && table->order[i] < volume->end)
			table->order[n++] = table->order[i] - (uint32_t)volume->first;
	table->n_order = n;
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
	struct volume volume;
	size_t i;

	if (!wanted)
		return;
	for (i = 0; i < table->n_volumes && !is_named(&table->volumes[i], wanted); i++)
		;
	if (i == table->n_volumes)
		refuse(table, name);
	volume = table->volumes[i];
	AUTO_FREE uint32_t *files = keep_files(table, i);
	keep_extents(table, &volume, files);
	keep_order(table, &volume);
	volume.end -= volume.first;
	volume.first = 0;
	table->volumes[0] = volume;
	table->n_volumes = 1;
	table->first_volume = i;
	table->n_left_out = volume.left_out;
	if (snapshot_is(&table->text))
		table->n_stale = volume.stale;
}
