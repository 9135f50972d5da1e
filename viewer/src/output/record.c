// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: a folder of snapshots, one for each change of the table.
 *
 * A binary snapshot is stored unchanged as fragtrace-SECONDS.mmm.snapshot.zst. The name has the time of
 * the copy in seconds since 1970, rounded up. A text is stored as fragtrace-SECONDS.mmm.table.zst, with the time of
 * the reading. Its second line is then a comment with the same time:
 *
 *	# fragtrace table 1
 *	# time 1795232523.042
 *	# volume 254:0 main_blkaddr=5120 blocks=262144 segment_blocks=512 path=/mnt/f2fs
 *
 * A table has changed if it differs in any byte from the newest snapshot in the folder, no matter
 * which program wrote that.
 */
#include "input/recording.h"
#include "input/snapshot.h"
#include "input/unpack.h"
#include "module/format/snapshot.h"
#include "output/keep.h"
#include "output/packed.h"
#include "output/record.h"

#define BINARY_SUFFIX ".snapshot.zst"
#define TEXT_SUFFIX ".table.zst"
#define MAX_TIME 64

/* The default of zstd. */
#define LEVEL 3

/* The text in three parts: before the time stamp, the time stamp, after it. */
struct parts {
	const char *first, *rest, *suffix;
	size_t first_len, rest_len, time_len;
	bool is_binary;
	char time[MAX_TIME];
};

static void split(struct parts *parts, const struct text *text)
{
	*parts = (struct parts){ .first = text->buf, .is_binary = snapshot_is(text) };
	if (parts->is_binary) {
		parts->suffix = BINARY_SUFFIX;
		parts->first_len = offsetof(struct ft_snap_header, time);
		parts->rest = text->buf + offsetof(struct ft_snap_header, time) + sizeof(uint64_t);
	} else {
		parts->suffix = TEXT_SUFFIX;
		parts->rest = (const char *)memchr(text->buf, '\n', text->len) + 1;
		parts->first_len = (size_t)(parts->rest - parts->first);
		if (!strncmp(parts->rest, TIME_MARK, strlen(TIME_MARK)))
			parts->rest = (const char *)memchr(parts->rest, '\n', text->len - parts->first_len) + 1;
	}
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
	parts->time_len = (size_t)snprintf(parts->time, sizeof(parts->time), TIME_MARK "%" PRId64 ".%03d\n",
					   time_ms / 1000, (int)(time_ms % 1000));
}

/* === The newest snapshot === */

/* A folder that is not there yet is made for the first snapshot. */
static void find_newest(struct recorder *recorder)
{
	int64_t newest = -1;
	AUTO_CLOSEDIR DIR *dir = opendir(recorder->dir);
	struct dirent *entry;
	const char *suffix;

	if (!dir && errno == ENOENT)
		return;
	if (!dir)
		die("%s: cannot record there: %s", recorder->dir, strerror(errno));
	while ((entry = readdir(dir))) {
		int64_t time_ms = recorded_snapshot_time(entry->d_name, &suffix);

		if (time_ms <= newest)
			continue;
		newest = time_ms;
		free(recorder->newest);
		recorder->newest = xasprintf("%s/%s", recorder->dir, entry->d_name);
	}
}

/* The time of a text that was stored is in its second line. */
static bool is_same(const char *newest, const struct parts *parts)
{
	AUTO(text_free) struct text text = { .has_time = true };
	struct parts old = { 0 };

	if (!newest || slurp_file(&text, newest))
		return false;
	if (is_packed(&text))
		unpack(&text, newest);
	text.has_time = true;
	if (snapshot_is(&text) != parts->is_binary || !memchr(text.buf, '\n', text.len))
		return false;
	split(&old, &text);
	return old.first_len == parts->first_len && old.rest_len == parts->rest_len &&
	       !memcmp(old.first, parts->first, old.first_len) && !memcmp(old.rest, parts->rest, old.rest_len);
}

/* === Writing === */

static char *name_at(const struct recorder *recorder, int64_t time_ms, const char *suffix)
{
	return xasprintf("%s/" RECORDING_PREFIX "%" PRId64 ".%03d%s", recorder->dir, time_ms / 1000,
			 (int)(time_ms % 1000), suffix);
}

static bool is_taken(const struct recorder *recorder, int64_t time_ms)
{
	AUTO_FREE char *binary = name_at(recorder, time_ms, BINARY_SUFFIX);
	AUTO_FREE char *text = name_at(recorder, time_ms, TEXT_SUFFIX);

	return !access(binary, F_OK) || !access(text, F_OK);
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
	struct packed packed;

	outfile_open(&packed.out, path, "snapshot");
	packed_begin(&packed, LEVEL);
	packed_put(&packed, parts->first, parts->first_len, ZSTD_e_continue);
	packed_put(&packed, parts->time, parts->time_len, ZSTD_e_continue);
	packed_put(&packed, parts->rest, parts->rest_len, ZSTD_e_continue);
	packed_end(&packed);
	outfile_close(&packed.out);
}

/* A time after everything in the copy. */
static int64_t time_after(const struct text *text)
{
	uint64_t ns;

	if (!snapshot_is(text))
		return text->time_ms;
	memcpy(&ns, text->buf + offsetof(struct ft_snap_header, time), sizeof(ns));
	return (int64_t)((ns + 999999) / 1000000);
}

/**
 * recorder_open() - begin to record into a folder
 * @recorder: the result
 * @dir: the folder; created with the first snapshot if it does not exist
 * @keep_bytes: the oldest goes when it is larger than this; 0: no limit
 * @keep_ms: what is older than this goes; 0: no limit
 */
void recorder_open(struct recorder *recorder, const char *dir, uint64_t keep_bytes, int64_t keep_ms)
{
	*recorder = (struct recorder){ .dir = dir, .keep_bytes = keep_bytes, .keep_ms = keep_ms };
	find_newest(recorder);
}

/**
 * recorder_add() - store a table if it differs from the newest one
 * @recorder: the folder
 * @text: the table as it was read, text or binary; it was parsed before
 * @always: store it even if it does not differ
 *
 * Ends the program if it cannot be written; no partial file remains.
 *
 * Return: whether it was stored; @recorder->newest is its name then.
 */
bool recorder_add(struct recorder *recorder, const struct text *text, bool always)
{
	int64_t time_ms = time_after(text);
	struct parts parts;
	char *path;

	split(&parts, text);
	if (!always && is_same(recorder->newest, &parts))
		return false;
	if (mkdir(recorder->dir, 0777) && errno != EEXIST)
		die("%s: cannot make the folder: %s", recorder->dir, strerror(errno));
	path = free_name(recorder, &parts, time_ms);
	write_snapshot(path, &parts);
	free(recorder->newest);
	recorder->newest = path;
	keep_apply(recorder->dir, recorder->keep_bytes, recorder->keep_ms, time_ms);
	return true;
}

static void add_packed(const struct recorder *recorder, const char *name, const struct text *text)
{
	AUTO_FREE char *path = recorded_counts(recorder->newest, name);
	struct packed packed;

	outfile_open(&packed.out, path, "counts");
	packed_begin(&packed, LEVEL);
	packed_put(&packed, text->buf, text->len, ZSTD_e_continue);
	packed_end(&packed);
	outfile_close(&packed.out);
}

static void put_counts(const char *path, const struct text *text)
{
	struct outfile out;

	outfile_open(&out, path, "counts");
	if (fwrite(text->buf, 1, text->len, out.file) != text->len)
		outfile_failed(&out);
	outfile_close(&out);
}

/**
 * recorder_add_counts() - store what the module has counted until now, in place of what was stored before
 * @recorder: the folder, after recorder_add()
 * @source: where the table was read; what is not beside it is not stored
 * @of_newest: store it of the newest snapshot, too
 */
void recorder_add_counts(const struct recorder *recorder, const struct source *source, bool of_newest)
{
	static const struct {
		const char *name;
		bool of_snapshots, of_end;
	} files[] = {
		{ "discards", true, true }, { "gc", false, true }, { "gc_runs", true, true }, { "heat", true, false },
		{ "latency", true, true }, { "ledger", true, true },
	};

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		AUTO_FREE char *path = xasprintf("%s/%s", recorder->dir, files[i].name);
		AUTO(text_free) struct text text = { 0 };

		if (!files[i].of_end && !of_newest)
			continue;
		if (!source_read_counts(source, files[i].name, &text)) {
			if (files[i].of_end && unlink(path) && errno != ENOENT)
				die("%s: cannot remove what was counted before: %s", path, strerror(errno));
			continue;
		}
		if (of_newest && files[i].of_snapshots)
			add_packed(recorder, files[i].name, &text);
		if (files[i].of_end)
			put_counts(path, &text);
	}
}

/**
 * recorder_beside() - the name of another file of the newest snapshot
 * @recorder: the folder, after recorder_add() has stored a snapshot
 * @suffix: what the name ends with
 *
 * Return: the name; to be freed.
 */
char *recorder_beside(const struct recorder *recorder, const char *suffix)
{
	const char *name = strrchr(recorder->newest, '/') + 1, *end;

	recorded_time_of(name, &end);
	return xasprintf("%.*s%s", (int)(end - recorder->newest), recorder->newest, suffix);
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
