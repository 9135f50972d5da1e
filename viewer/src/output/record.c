// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: a folder of snapshots, one for each change of the table.
 *
 * A binary snapshot is stored unchanged as fragtrace-SECONDS.mmm.snapshot.gz. The name has the time
 * of the reading in seconds since 1970. A text is stored as fragtrace-SECONDS.mmm.table.gz. Its second
 * line is then a comment with the same time:
 *
 *	# fragtrace table 1
 *	# time 1795232523.042
 *	# volume 254:0 main_blkaddr=5120 blocks=262144 segment_blocks=512 path=/mnt/f2fs
 *
 * A table has changed if it differs in any byte from the newest snapshot in the folder, no matter
 * which program wrote that.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "input/snapshot.h"
#include "module/snapshot_format.h"
#include "outfile.h"
#include "output/record.h"

#define PREFIX "fragtrace-"
#define BINARY_SUFFIX ".snapshot.gz"
#define TEXT_SUFFIX ".table.gz"
#define MAX_TIME 64

/* The fastest level of zlib shrinks tables to a tenth. Better levels take several times as long. */
#define MODE "wb1"

/* The text in three parts: before the time stamp, the time stamp, after it. */
struct parts {
	const char *first, *rest, *suffix;
	size_t first_len, rest_len, time_len;
	bool is_binary;
	char time[MAX_TIME];
};

static void split_binary(struct parts *parts, const struct text *text)
{
	parts->is_binary = true;
	parts->suffix = BINARY_SUFFIX;
	parts->first_len = offsetof(struct ft_snap_header, time);
	parts->rest = text->buf + offsetof(struct ft_snap_header, time) + sizeof(uint64_t);
}

static void split_lines(struct parts *parts, const struct text *text)
{
	parts->suffix = TEXT_SUFFIX;
	parts->rest = (const char *)memchr(text->buf, '\n', text->len) + 1;
	parts->first_len = (size_t)(parts->rest - parts->first);
	if (text->has_time)
		parts->rest = (const char *)memchr(parts->rest, '\n', text->len - parts->first_len) + 1;
}

static void split(struct parts *parts, const struct text *text)
{
	*parts = (struct parts){ .first = text->buf };
	if (snapshot_is(text))
		split_binary(parts, text);
	else
		split_lines(parts, text);
	parts->rest_len = (size_t)(text->buf + text->len - parts->rest);
}

static void set_time(struct parts *parts, int64_t time_ms)
{
	uint64_t ns = (uint64_t)time_ms * 1000000;

	if (parts->is_binary) {
		memcpy(parts->time, &ns, sizeof(ns));
		parts->time_len = sizeof(ns);
		return;
	}
	parts->time_len = (size_t)snprintf(parts->time, sizeof(parts->time), "# time %" PRId64 ".%03d\n",
					   time_ms / 1000, (int)(time_ms % 1000));
}

/* === The newest snapshot === */

/* The time in the name of a snapshot in ms, or -1 for other files. */
static int64_t time_of(const char *name)
{
	long long seconds;
	int n = -1, ms;

	if (sscanf(name, PREFIX "%lld.%3d%n", &seconds, &ms, &n) != 2 || n < 0 ||
	    (strcmp(name + n, BINARY_SUFFIX) && strcmp(name + n, TEXT_SUFFIX)))
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

static bool skip_time(gzFile gz, const struct parts *parts)
{
	char time[MAX_TIME];

	if (parts->is_binary)
		return gzread(gz, time, sizeof(uint64_t)) == sizeof(uint64_t);
	return gzgets(gz, time, sizeof(time));
}

static bool is_same(const char *snapshot, const struct parts *parts)
{
	gzFile gz = snapshot ? gzopen(snapshot, "rb") : NULL;
	bool same;

	if (!gz)
		return false;
	same = holds_next(gz, parts->first, parts->first_len) && skip_time(gz, parts) &&
	       holds_next(gz, parts->rest, parts->rest_len) && gzgetc(gz) == -1;
	gzclose(gz);
	return same;
}

/* === Writing === */

static char *name_at(const struct recorder *recorder, int64_t time_ms, const char *suffix)
{
	return xasprintf("%s/" PREFIX "%" PRId64 ".%03d%s", recorder->dir, time_ms / 1000,
			 (int)(time_ms % 1000), suffix);
}

static bool is_taken(const struct recorder *recorder, int64_t time_ms)
{
	char *binary = name_at(recorder, time_ms, BINARY_SUFFIX);
	char *text = name_at(recorder, time_ms, TEXT_SUFFIX);
	bool taken = !access(binary, F_OK) || !access(text, F_OK);

	free(binary);
	free(text);
	return taken;
}

/* Each table has its own time. If the time is taken, because the clock was set back, add 1 ms. */
static char *free_name(const struct recorder *recorder, struct parts *parts, int64_t time_ms)
{
	while (is_taken(recorder, time_ms))
		time_ms++;
	set_time(parts, time_ms);
	return name_at(recorder, time_ms, parts->suffix);
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
	/* gzclose() reports an error of these calls, too */
	gzfwrite(parts->first, 1, parts->first_len, gz);
	gzfwrite(parts->time, 1, parts->time_len, gz);
	gzfwrite(parts->rest, 1, parts->rest_len, gz);
	if (gzclose(gz) != Z_OK)
		outfile_failed(&out);
	outfile_close(&out);
}

/**
 * recorder_open() - begin to record into a folder
 * @recorder: the result
 * @dir: the folder; created if it does not exist
 */
void recorder_open(struct recorder *recorder, const char *dir)
{
	*recorder = (struct recorder){ .dir = dir };
	if (mkdir(dir, 0777) && errno != EEXIST)
		die("%s: cannot make the folder: %s", dir, strerror(errno));
	find_newest(recorder);
}

/**
 * recorder_add() - store a table if it differs from the newest one
 * @recorder: the folder
 * @text: the table as it was read, text or binary; it was parsed before
 *
 * Ends the program if it cannot be written; no partial file remains.
 */
void recorder_add(struct recorder *recorder, const struct text *text)
{
	struct parts parts;
	char *path;

	split(&parts, text);
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
