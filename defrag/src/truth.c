// SPDX-License-Identifier: GPL-2.0-only
/*
 * After the work: the figures of the files that were worked on, as they are now.
 * They are from a new snapshot of the module; if that is gone, F2FS is asked by FIEMAP.
 */

#include "fiemap.h"
#include "input/inodes.h"
#include "by_file.h"
#include "truth.h"

/* How often a snapshot is read again if files of it are stale, every tenth of a second. */
#define MAX_READINGS 100

/* Files that cannot be found again are in neither sum. */
static void add_before(struct result *result, const struct requests *file)
{
	result->before.blks += file->blks;
	result->before.breaks += file->breaks;
	result->before.requests += file->requests;
	result->before.ideal += file->ideal;
}

/* === From the module === */

static bool read_exact(struct source *source, struct table *table)
{
	static const struct timespec pause = { .tv_nsec = 100000000 };

	for (int i = 0; i < MAX_READINGS; i++) {
		if (!source_read_table(source, table, false))
			return false;
		if (!table->n_stale || i + 1 == MAX_READINGS)
			return true;
		table_free(table);
		nanosleep(&pause, NULL);
	}
	return false;
}

static void sum_of_table(struct result *result, const struct plan *plan, const bool *touched,
			 const struct table *now)
{
	AUTO(inodes_free) struct inodes inodes = { 0 };
	AUTO(by_file_free) struct by_file extents;
	size_t n;

	by_file_init(&extents, now);
	for (size_t i = 0; i < now->n_files; i++)
		*inodes_at(&inodes, volume_dev(&now->volumes[now->files[i].volume]), now->files[i].ino) = (uint32_t)i + 1;
	for (size_t i = 0; i < plan->table->n_files; i++) {
		const struct file *file = &plan->table->files[i];
		const struct file_extent *all;
		uint32_t found;

		if (!touched[i])
			continue;
		found = inodes_find(&inodes, volume_dev(&plan->table->volumes[file->volume]), file->ino);
		if (!found) {
			result->n_lost++;
			continue;
		}
		all = by_file_extents(&extents, found - 1, &n);
		model_sum(&result->after, all, n, plan->volumes[file->volume].request_blks);
		add_before(result, &plan->files[i].now);
	}
}

/* === From F2FS === */

static bool sum_of_file(struct result *result, const struct plan *plan, const struct file *file)
{
	AUTO_CLOSE int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	uint64_t blk_bytes = table_blk_bytes(plan->table);
	AUTO(fiemap_free) struct fiemap_pieces map = { .blk_bytes = blk_bytes };
	struct stat st;
	bool good = fd >= 0 && !fstat(fd, &st) && st.st_ino == file->ino &&
		    !fiemap_read(&map, fd, 0, ((uint64_t)st.st_size + blk_bytes - 1) / blk_bytes);

	if (good)
		model_sum(&result->after, map.extents, map.n, plan->volumes[file->volume].request_blks);
	return good;
}

/**
 * truth_find() - set the figures before and after the work
 * @result: its members @before, @after, @from_fiemap and @n_lost are set
 * @plan: the plan
 * @touched: by index into table.files: it was worked on
 * @source: where the table of the plan was read; it may be gone
 */
void truth_find(struct result *result, const struct plan *plan, const bool *touched, struct source *source)
{
	struct table now;

	result->from_fiemap = !read_exact(source, &now);
	if (!result->from_fiemap) {
		sum_of_table(result, plan, touched, &now);
		table_free(&now);
		return;
	}
	for (size_t i = 0; i < plan->table->n_files; i++) {
		if (!touched[i])
			continue;
		if (sum_of_file(result, plan, &plan->table->files[i]))
			add_before(result, &plan->files[i].now);
		else
			result->n_lost++;
	}
}
