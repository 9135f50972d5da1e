// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: a folder of snapshots, one for each change of the table.
 *
 * A snapshot is the file fragtrace-SECONDS.mmm.table.gz, the time being that of the reading, since
 * 1970: the text as it was read, and the same time once more in a comment behind its first line.
 *
 *	# fragtrace table 1
 *	# time 1795232523.042
 *	# volume 254:0 main_blkaddr=5120 blocks=262144 segment_blocks=512 path=/mnt/f2fs
 *
 * What counts as a change is found by comparing with the newest snapshot in the folder, byte by
 * byte, whoever wrote it.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "input/table.h"
#include "outfile.h"
#include "output/record.h"

#define PREFIX "fragtrace-"
#define SUFFIX ".table.gz"
#define MAX_TIME_LINE 64

/* Tables shrink to a tenth at zlib's fastest, and a better level takes several times as long. */
#define MODE "wb1"

/* A text as it is stored: its first line, the time, all the rest. */
struct parts {
	const char *first, *rest;
	size_t first_len, rest_len;
	char time_line[MAX_TIME_LINE];
};

static void split(struct parts *parts, const char *name, const struct text *text)
{
	static const char magic[] = "# fragtrace table ";
	const char *end = text->buf + text->len;

	if (!text->len || end[-1] != '\n')
		die("%s: the table is cut short, expected a newline at its end", name);
	if (strncmp(text->buf, magic, strlen(magic)) ||
	    strtoul(text->buf + strlen(magic), NULL, 10) != TABLE_VERSION)
		die_at(name, 1, "only tables of version %d are recorded, expected the first line "
		       "to be \"%s%d\"", TABLE_VERSION, magic, TABLE_VERSION);
	parts->first = text->buf;
	parts->rest = memchr(text->buf, '\n', text->len);
	parts->rest++;
	parts->first_len = (size_t)(parts->rest - parts->first);
	if (text->has_time) {
		parts->rest = memchr(parts->rest, '\n', (size_t)(end - parts->rest));
		parts->rest++;
	}
	parts->rest_len = (size_t)(end - parts->rest);
}

/* === The newest snapshot === */

/* Its time as a number of ms, or -1 for any other file. */
static int64_t time_of(const char *name)
{
	long long seconds;
	int n = -1, ms;

	if (sscanf(name, PREFIX "%lld.%3d" SUFFIX "%n", &seconds, &ms, &n) != 2 || n < 0 || name[n])
		return -1;
	return seconds < 0 || seconds > INT64_MAX / 2000 || ms < 0 ? -1 : seconds * 1000 + ms;
}

static void find_newest(struct recorder *recorder)
{
	int64_t newest = -1;
	DIR *dir = opendir(recorder->dir);
	struct dirent *entry;

	if (!dir)
		die("%s: cannot record there: %s", recorder->dir, strerror(errno));
	while ((entry = readdir(dir))) {
		if (time_of(entry->d_name) <= newest)
			continue;
		newest = time_of(entry->d_name);
		free(recorder->newest);
		recorder->newest = xasprintf("%s/%s", recorder->dir, entry->d_name);
	}
	closedir(dir);
}

static bool holds_next(gzFile gz, const char *expected, size_t len)
{
	char buf[1 << 16];

	while (len) {
		size_t want = len < sizeof(buf) ? len : sizeof(buf);

		if (gzread(gz, buf, (unsigned int)want) != (int)want || memcmp(buf, expected, want))
			return false;
		expected += want;
		len -= want;
	}
	return true;
}

static bool is_same(const char *snapshot, const struct parts *parts)
{
	gzFile gz = snapshot ? gzopen(snapshot, "rb") : NULL;
	char line[MAX_TIME_LINE];
	bool same;

	if (!gz)
		return false;
	same = holds_next(gz, parts->first, parts->first_len) && gzgets(gz, line, sizeof(line)) &&
	       holds_next(gz, parts->rest, parts->rest_len) && gzgetc(gz) == -1;
	gzclose(gz);
	return same;
}

/* === Writing === */

/* No two tables have the same time, also where the clock is set back: the later one is moved. */
static char *free_name(const struct recorder *recorder, struct parts *parts, int64_t time_ms)
{
	char *path = NULL;

	do {
		int64_t seconds = time_ms / 1000;
		int ms = (int)(time_ms++ % 1000);

		free(path);
		path = xasprintf("%s/" PREFIX "%" PRId64 ".%03d" SUFFIX, recorder->dir, seconds, ms);
		snprintf(parts->time_line, sizeof(parts->time_line), "# time %" PRId64 ".%03d\n",
			 seconds, ms);
	} while (!access(path, F_OK));
	return path;
}

static void write_snapshot(const char *path, const struct parts *parts)
{
	struct outfile out;
	gzFile gz;
	int fd;

	outfile_open(&out, path, "snapshot");
	fd = dup(fileno(out.file));
	gz = fd < 0 ? NULL : gzdopen(fd, MODE);
	if (!gz)
		outfile_failed(&out);
	/* what fails stays failed until gzclose() */
	gzfwrite(parts->first, 1, parts->first_len, gz);
	gzputs(gz, parts->time_line);
	gzfwrite(parts->rest, 1, parts->rest_len, gz);
	if (gzclose(gz) != Z_OK)
		outfile_failed(&out);
	outfile_close(&out);
}

/**
 * recorder_open() - begin to record into a folder
 * @recorder: the result
 * @dir: the folder; made if it is not there
 */
void recorder_open(struct recorder *recorder, const char *dir)
{
	*recorder = (struct recorder){ .dir = dir };
	if (mkdir(dir, 0777) && errno != EEXIST)
		die("%s: cannot make the folder: %s", dir, strerror(errno));
	find_newest(recorder);
}

/**
 * recorder_add() - keep a table, if it is another than the newest one
 * @recorder: the folder
 * @name: what to call the table in messages
 * @text: the table
 *
 * Ends the program where it cannot be written; nothing unfinished is left then.
 */
void recorder_add(struct recorder *recorder, const char *name, const struct text *text)
{
	struct parts parts;
	char *path;

	split(&parts, name, text);
	if (is_same(recorder->newest, &parts))
		return;
	path = free_name(recorder, &parts, text->time_ms);
	write_snapshot(path, &parts);
	free(recorder->newest);
	recorder->newest = path;
}

/**
 * recorder_close() - stop recording
 * @recorder: as left by recorder_open(); the snapshots stay
 */
void recorder_close(struct recorder *recorder)
{
	free(recorder->newest);
	*recorder = (struct recorder){ 0 };
}
