// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: how much a range is read, from the module's file heat.
 * What a break costs is the second request for two neighbouring blocks. So the weight of a range is how often
 * two neighbours in it were read together. A read of n blocks of a window has n - 1 pairs of neighbours, and
 * the window has one less than its blocks: the counts of reads and blocks are all that is needed. Random reads
 * of single blocks weigh nothing: no rewrite makes them faster.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heat.h"
#include "util.h"

#define HEAT_VERSION 1

/* === Reading === */

static int by_place(const void *a, const void *b)
{
	const struct heat_window *x = a, *y = b;

	if (x->major != y->major)
		return x->major < y->major ? -1 : 1;
	if (x->minor != y->minor)
		return x->minor < y->minor ? -1 : 1;
	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void read_comment(struct heat *heat, const char *name, size_t n, const char *line)
{
	unsigned int version;

	if (n == 1 && (sscanf(line, "# fragtrace heat %u", &version) != 1 || version != HEAT_VERSION))
		die_at(name, n, "expected \"# fragtrace heat %d\"", HEAT_VERSION);
	if (!strncmp(line, "# not known", 11))
		die("%s: nothing is known of readers, expected a module that was loaded with heat=1, or --all: plan for all "
		    "ranges alike", name);
	if (!strncmp(line, "# windows ", 10) &&
	    (sscanf(line, "# windows blocks=%" SCNu64, &heat->window_blks) != 1 || !heat->window_blks))
		die_at(name, n, "expected \"# windows blocks=NUMBER\"");
}

static void read_line(struct heat *heat, const char *name, size_t n, const char *line)
{
	struct heat_window w;
	uint64_t offset;
	int end = 0;

	if (n == 1 || *line == '#') {
		read_comment(heat, name, n, line);
		return;
	}
	if (!heat->window_blks)
		die_at(name, n, "expected a line \"# windows blocks=NUMBER\" before");
	if (sscanf(line, "%u:%u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %*u %*u %n", &w.major, &w.minor, &w.ino,
		   &offset, &w.reads, &w.blks, &end) != 6 || !end || !line[end] || offset % heat->window_blks)
		die_at(name, n, "expected \"dev ino offset reads blocks requests overwrites path\"");
	w.number = offset / heat->window_blks;
	heat->windows = grow(heat->windows, &heat->cap, heat->n, sizeof(*heat->windows));
	heat->windows[heat->n++] = w;
}

static void read_all(struct heat *heat, const char *name)
{
	FILE *file = fopen(name, "re");
	char *line = NULL;
	size_t cap = 0, n = 0;

	if (!file)
		die("%s: cannot open: %s; say --all to plan for all ranges alike", name, strerror(errno));
	while (getline(&line, &cap, file) >= 0)
		read_line(heat, name, ++n, line);
	if (ferror(file))
		die("%s: cannot read: %s", name, strerror(errno));
	if (!n)
		die("%s: is empty, expected \"# fragtrace heat %d\"", name, HEAT_VERSION);
	free(line);
	fclose(file);
	if (heat->n)
		qsort(heat->windows, heat->n, sizeof(*heat->windows), by_place);
}

/**
 * heat_init() - read the counts of the module
 * @heat: the result; to be freed with heat_free()
 * @options: the command line
 *
 * Ends the program if they are asked for and cannot be read.
 */
void heat_init(struct heat *heat, const struct options *options)
{
	*heat = (struct heat){ .known = options->heat != NULL, .by_bytes = options->like_fragpicker };
	if (heat->known)
		read_all(heat, options->heat);
}

/**
 * heat_free() - release the counts
 * @heat: as left by heat_init()
 */
void heat_free(struct heat *heat)
{
	free(heat->windows);
	*heat = (struct heat){ 0 };
}

/* === Weights === */

static struct heat_window place_of(const struct heat *heat, const struct table *table, uint32_t file, uint64_t blk)
{
	const struct file *f = &table->files[file];
	const struct volume *v = &table->volumes[f->volume];

	return (struct heat_window){
		.major = v->major,
		.minor = v->minor,
		.ino = f->ino,
		.number = blk / heat->window_blks,
	};
}

static int fewer_blks(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/**
 * heat_choose() - only the windows that make up a part of all that is read are hot
 * @heat: as left by heat_init()
 * @table: the table
 * @meant: by index into @table->files: count the reads of this file
 * @percent: the part
 *
 * Windows that are read as much as the last one of them are hot, too.
 */
void heat_choose(struct heat *heat, const struct table *table, const bool *meant, double percent)
{
	uint64_t *blks = xcalloc(heat->n, sizeof(*blks));
	double left = 0.0;
	size_t n = 0, i;
	uint32_t file;

	for (file = 0; file < table->n_files && heat->n; file++) {
		struct heat_window first = place_of(heat, table, file, 0);
		size_t low = 0, high = heat->n;

		while (low < high) {
			size_t mid = low + (high - low) / 2;

			if (by_place(&heat->windows[mid], &first) < 0)
				low = mid + 1;
			else
				high = mid;
		}
		for (; meant[file] && low < heat->n && heat->windows[low].major == first.major &&
		       heat->windows[low].minor == first.minor && heat->windows[low].ino == first.ino; low++) {
			blks[n++] = heat->windows[low].blks;
			left += (double)heat->windows[low].blks;
		}
	}
	qsort(blks, n, sizeof(*blks), fewer_blks);
	left *= percent / 100.0;
	for (i = 0; i < n && left > 0.0; i++) {
		heat->least_blks = blks[i];
		left -= (double)blks[i];
	}
	free(blks);
}

/* How often the blocks of a window were read, or two neighbours together; @len: its blocks before the end of the file. */
static double weight(const struct heat *heat, const struct heat_window *w, uint64_t len)
{
	if (w->blks < heat->least_blks)
		return 0.0;
	if (heat->by_bytes)
		return (double)w->blks / (double)len;
	return w->blks > w->reads && len > 1 ? (double)(w->blks - w->reads) / (double)(len - 1) : 0.0;
}

/**
 * heat_of() - the weight of the requests of a range
 * @heat: as left by heat_init()
 * @table: the table
 * @file: index into table.files
 * @first_blk: its first block in the file (inclusive)
 * @end_blk: its end (exclusive)
 * @file_end: end of the file's last block (exclusive)
 *
 * Return: how often the range is read, the mean over its blocks; 1 if nothing is known of readers.
 */
double heat_of(const struct heat *heat, const struct table *table, uint32_t file, uint64_t first_blk, uint64_t end_blk,
	       uint64_t file_end)
{
	uint64_t blk = first_blk, next;
	double sum = 0.0;

	if (!heat->known)
		return 1.0;
	for (; blk < end_blk && heat->n; blk = next) {
		struct heat_window key = place_of(heat, table, file, blk), *w;
		uint64_t begin = key.number * heat->window_blks, end = begin + heat->window_blks;

		next = end < end_blk ? end : end_blk;
		w = bsearch(&key, heat->windows, heat->n, sizeof(key), by_place);
		if (w)
			sum += (double)(next - blk) * weight(heat, w, (end < file_end ? end : file_end) - begin);
	}
	return sum / (double)(end_blk - first_blk);
}
