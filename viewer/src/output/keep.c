// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: delete the oldest of a recording.
 *
 * A snapshot, the events after it and F2FS's state of that time go together, the snapshot first: what remains if
 * the program is killed is not read without it, and goes the next time. The last snapshot always stays.
 */
#include <ftw.h>

#include "input/recording.h"
#include "output/keep.h"

/* What --keep accepts without overflow. */
#define MAX_LIMIT UINT32_MAX

/* Folders that are open at once while one is deleted. */
#define MOST_OPEN 16

/* === The option === */

/* The multiple of a unit, 0 if it is none. */
static uint64_t scale_of(char unit, const char *units, const uint64_t *scales)
{
	const char *found = unit ? strchr(units, unit) : NULL;

	return found ? scales[found - units] : 0;
}

/**
 * keep_parse() - parse the argument of --keep
 * @arg: a size (M, G, T), an age (s, m, h, d), or both with a comma
 * @bytes: set to the size if there is one
 * @ms: set to the age if there is one
 *
 * Return: false if it is neither.
 */
bool keep_parse(const char *arg, uint64_t *bytes, int64_t *ms)
{
	static const uint64_t sizes[] = { 1 << 20, 1 << 30, UINT64_C(1) << 40 };
	static const uint64_t ages[] = { 1000, 60000, 3600000, 86400000 };
	const char *at = arg;

	*bytes = 0;
	*ms = 0;
	do {
		unsigned long long value;
		uint64_t size, age;
		char *end;

		errno = 0;
		value = strtoull(at, &end, 10);
		size = scale_of(*end, "MGT", sizes);
		age = scale_of(*end, "smhd", ages);
		if (*at < '0' || *at > '9' || errno || !value || value > MAX_LIMIT || (!size && !age) ||
		    (end[1] && end[1] != ',') || (size ? *bytes : (uint64_t)*ms))
			return false;
		if (size)
			*bytes = value * size;
		else
			*ms = (int64_t)(value * age);
		at = end + 2;
		if (!end[1])
			return true;
	} while (true);
}

/* === The folder === */

/* What has one time in its name. */
struct group {
	int64_t time_ms;
	uint64_t bytes;
	bool has_snapshot;
};

static uint64_t size_of(const char *path)
{
	struct dirent *entry;
	uint64_t bytes = 0;
	struct stat st;
	AUTO_CLOSEDIR DIR *dir = NULL;

	if (lstat(path, &st))
		return 0;
	if (!S_ISDIR(st.st_mode))
		return (uint64_t)st.st_blocks * 512;
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		AUTO_FREE char *sub = xasprintf("%s/%s", path, entry->d_name);

		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			bytes += size_of(sub);
	}
	return bytes;
}

static int delete_one(const char *path, const struct stat *st, int type, struct FTW *place)
{
	(void)st, (void)type, (void)place;
	remove(path);
	return 0;
}

static bool is_snapshot(const char *suffix)
{
	return !strncmp(suffix, ".snapshot", 9) || !strncmp(suffix, ".table", 6);
}

static int by_time(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return ORDER(x->time_ms, y->time_ms);
}

static void enter(struct group **list, size_t *n, size_t *cap, const char *dir, const char *name)
{
	const char *suffix;
	int64_t time_ms = recorded_time_of(name, &suffix);
	size_t i;

	if (time_ms < 0)
		return;
	for (i = 0; i < *n && (*list)[i].time_ms != time_ms; i++)
		;
	if (i == *n)
		*APPEND(*list, *n, *cap) = (struct group){ .time_ms = time_ms };
	AUTO_FREE char *path = xasprintf("%s/%s", dir, name);
	(*list)[i].bytes += size_of(path);
	(*list)[i].has_snapshot |= is_snapshot(suffix);
}

/* Delete the files of a time: the snapshots, or the rest. */
static void delete_some(const char *dir, int64_t time_ms, bool snapshots)
{
	AUTO_CLOSEDIR DIR *stream = opendir(dir);
	struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		const char *suffix;

		if (recorded_time_of(entry->d_name, &suffix) == time_ms && is_snapshot(suffix) == snapshots) {
			AUTO_FREE char *path = xasprintf("%s/%s", dir, entry->d_name);

			nftw(path, delete_one, MOST_OPEN, FTW_DEPTH | FTW_PHYS);
		}
	}
}

/**
 * keep_apply() - delete what is beyond the limits
 * @dir: the folder of a recording
 * @bytes: what it may take; 0: no limit
 * @ms: all moments that are older than this go; 0: no limit
 * @now_ms: the time, in ms since 1970
 */
void keep_apply(const char *dir, uint64_t bytes, int64_t ms, int64_t now_ms)
{
	AUTO_FREE struct group *list = NULL;
	size_t n = 0, cap = 0;
	AUTO_CLOSEDIR DIR *stream = bytes || ms ? opendir(dir) : NULL;
	struct dirent *entry;
	uint64_t total = 0;

	if (!stream)
		return;
	while ((entry = readdir(stream)))
		enter(&list, &n, &cap, dir, entry->d_name);
	sort(list, n, sizeof(*list), by_time);
	for (size_t i = 0; i < n; i++)
		total += list[i].bytes;
	for (size_t i = 0; i + 1 < n; i++) {
		/* what belongs to a time reaches to the next one */
		bool is_old = ms && list[i + 1].time_ms < now_ms - ms;

		if (list[i].has_snapshot && !is_old && (!bytes || total <= bytes))
			break;
		delete_some(dir, list[i].time_ms, true);
		delete_some(dir, list[i].time_ms, false);
		total -= list[i].bytes;
	}
}
