// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the breaks of a snapshot in sums, by kind of cause and extension, or by the process that
 * wrote the data. Those with the most breaks come first. A fragment that begins with a break counts with all of
 * its blocks.
 */

#include "model/causes.h"
#include "output/sums.h"

const char *const sums_causes_columns[] = { "dev", "op", "flush", "why_here", "breaks", "blocks", "files", "extension", NULL };
const char *const sums_processes_columns[] = { "dev", "breaks", "blocks", "files", "comm", "pid", "cgroup", NULL };

/**
 * struct sum - breaks that are counted together; one break while they are collected
 * @volume: index into table.volumes
 * @key: the kind of cause, or the first entry of the process among table.writers
 * @ext: the extension of the files, "" for none; also if it does not matter
 * @file: index of the file in the listing
 * @breaks: number of breaks
 * @blks: blocks in the fragments that begin with them
 * @files: files with such breaks
 */
struct sum {
	uint32_t volume;
	uint32_t key;
	const char *ext;
	uint32_t file;
	uint64_t breaks;
	uint64_t blks;
	uint64_t files;
};

static const char *ext_of(const struct table *table, const struct listed_file *f)
{
	return f->file == NO_FILE ? "" : table->files[f->file].ext;
}

/* One entry for each break, by file. To be freed. */
static struct sum *collect(const struct table *table, const struct listing *list, bool by_writer, size_t *n)
{
	struct sum *sums = xcalloc(list->n_extents, sizeof(*sums)), *sum = NULL;
	const struct listed_extent *written = NULL;

	*n = 0;
	for (size_t i = 0; i < list->n_extents; i++) {
		const struct listed_extent *e = &list->extents[i];
		const struct listed_file *f = &list->files[e->file];

		if (f->is_omitted || !e->is_written)
			continue;
		if (written && written->file != e->file) {
			written = NULL;
			sum = NULL;
		}
		if (written && e->lba != written->lba + (uint64_t)written->blks) {
			uint32_t cause = cause_complete(table, e->cause);

			sum = &sums[(*n)++];
			*sum = (struct sum){
				.volume = f->volume,
				.key = by_writer ? ft_cause_writer(cause) : cause & CAUSE_KIND,
				.ext = by_writer ? "" : ext_of(table, f),
				.file = e->file,
				.breaks = 1,
			};
		}
		/* the first fragment begins with no break */
		if (sum)
			sum->blks += e->blks;
		written = e;
	}
	return sums;
}

static int compare(const struct sum *x, const struct sum *y)
{
	return FIRST(ORDER(x->volume, y->volume), FIRST(ORDER(x->key, y->key), strcmp(x->ext, y->ext)));
}

static int by_what(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	return FIRST(compare(x, y), ORDER(x->file, y->file));
}

static int by_number(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	return FIRST(ORDER(y->breaks, x->breaks), compare(x, y));
}

/* Add up what is equal. Return: the number of sums. */
static size_t add_up(struct sum *sums, size_t n)
{
	struct sum *to = NULL;
	size_t n_sums = 0;

	qsort(sums, n, sizeof(*sums), by_what);
	for (size_t i = 0; i < n; i++) {
		if (!to || compare(to, &sums[i])) {
			to = &sums[n_sums++];
			*to = sums[i];
			to->files = 1;
			continue;
		}
		to->files += sums[i].file != to->file;
		to->file = sums[i].file;
		to->breaks += sums[i].breaks;
		to->blks += sums[i].blks;
	}
	qsort(sums, n_sums, sizeof(*sums), by_number);
	return n_sums;
}

static void put_numbers(struct sheet *sheet, const struct sum *sum)
{
	sheet_number(sheet, sum->breaks);
	sheet_number(sheet, sum->blks);
	sheet_number(sheet, sum->files);
}

/**
 * sums_put_causes() - write the breaks by cause and extension
 * @sheet: with &sums_causes_columns
 * @table: the table; it has causes
 * @list: all files and extents
 */
void sums_put_causes(struct sheet *sheet, const struct table *table, const struct listing *list)
{
	size_t n;
	AUTO_FREE struct sum *sums = collect(table, list, false, &n);

	n = add_up(sums, n);
	for (size_t i = 0; i < n; i++) {
		sheet_dev(sheet, &table->volumes[sums[i].volume]);
		sheet_word(sheet, cause_op_name(sums[i].key));
		sheet_word(sheet, cause_flush_name(sums[i].key));
		sheet_word(sheet, cause_why_name(sums[i].key));
		put_numbers(sheet, &sums[i]);
		sheet_name(sheet, *sums[i].ext ? sums[i].ext : NULL);
	}
}

/**
 * sums_put_processes() - write the breaks by the process that wrote the data
 * @sheet: with &sums_processes_columns
 * @table: the table; it has causes
 * @list: all files and extents
 */
void sums_put_processes(struct sheet *sheet, const struct table *table, const struct listing *list)
{
	size_t n;
	AUTO_FREE struct sum *sums = collect(table, list, true, &n);

	n = add_up(sums, n);
	for (size_t i = 0; i < n; i++) {
		const struct writer *w = &table->writers[sums[i].key];
		bool is_process = sums[i].key > FT_SNAP_WRITER_SEVERAL;

		sheet_dev(sheet, &table->volumes[sums[i].volume]);
		put_numbers(sheet, &sums[i]);
		if (is_process)
			sheet_name(sheet, w->comm);
		else
			sheet_word(sheet, sums[i].key == FT_SNAP_WRITER_SEVERAL ? "several" : "unknown");
		sheet_maybe(sheet, w->pid, is_process);
		sheet_name(sheet, is_process ? w->cgroup : NULL);
	}
}
