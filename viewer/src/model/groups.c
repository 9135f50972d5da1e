// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: files and their breaks by volume and extension. */

#include "model/groups.h"

static int by_extension(const void *a, const void *b, void *priv)
{
	const struct file *files = priv;
	const struct file *x = &files[*(const uint32_t *)a], *y = &files[*(const uint32_t *)b];

	return FIRST(ORDER(x->volume, y->volume), strcmp(x->ext, y->ext));
}

static int by_breaks(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return FIRST(ORDER(x->volume, y->volume), FIRST(ORDER(y->n_breaks, x->n_breaks), strcmp(x->ext, y->ext)));
}

static void add_file(struct group *group, const struct breaks *breaks, uint32_t file)
{
	size_t n = breaks->begins[file + 1] - breaks->begins[file];

	group->files++;
	group->fragmented += n > 0;
	if (n)
		memcpy(group->breaks + group->n_breaks, breaks->all + breaks->begins[file], n * sizeof(*breaks->all));
	group->n_breaks += n;
}

/**
 * groups_find() - sort files by volume and extension
 * @groups: the result; to be freed with groups_free()
 * @table: the table; must stay valid as long as @groups
 * @breaks: its breaks
 */
void groups_find(struct groups *groups, const struct table *table, const struct breaks *breaks)
{
	AUTO_FREE uint32_t *files = xcalloc(table->n_files, sizeof(*files));
	struct group *group = NULL;

	*groups = (struct groups){
		.all = xcalloc(table->n_files, sizeof(*groups->all)),
		.breaks = xcalloc(breaks->n, sizeof(*groups->breaks)),
	};
	for (size_t i = 0; i < table->n_files; i++)
		files[i] = (uint32_t)i;
	qsort_r(files, table->n_files, sizeof(*files), by_extension, table->files);
	for (size_t i = 0; i < table->n_files; i++) {
		const struct file *file = &table->files[files[i]];

		if (!group || by_extension(&files[i - 1], &files[i], table->files)) {
			struct file_break *room = group ? group->breaks + group->n_breaks : groups->breaks;

			group = &groups->all[groups->n++];
			*group = (struct group){ .ext = file->ext, .volume = file->volume, .breaks = room };
		}
		add_file(group, breaks, files[i]);
	}
	qsort(groups->all, groups->n, sizeof(*groups->all), by_breaks);
}

/**
 * groups_of_volume() - find the end of the groups of a volume
 * @groups: the groups
 * @first: the first group of that volume
 *
 * Return: how many groups the volume has.
 */
size_t groups_of_volume(const struct groups *groups, size_t first)
{
	size_t n = 1;

	while (first + n < groups->n && groups->all[first + n].volume == groups->all[first].volume)
		n++;
	return n;
}

/**
 * groups_free() - release the groups
 * @groups: as left by groups_find()
 */
void groups_free(struct groups *groups)
{
	free(groups->all);
	free(groups->breaks);
	*groups = (struct groups){ 0 };
}
