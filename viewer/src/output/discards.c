// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: what F2FS discards and which zones it resets, by the debugfs file `discards`; for the running module also
 * by F2FS's own files in sysfs and the options of the mount.
 */
#include <mntent.h>
#include <sys/sysmacros.h>

#include "commands.h"
#include "input/discards.h"
#include "input/f2fs_state.h"
#include "input/recording.h"
#include "input/source.h"
#include "input/sysfs.h"
#include "input/table.h"
#include "names.h"
#include "output/prometheus.h"
#include "output/json.h"
#include "outfile.h"

/* F2FS's files in sysfs. */
enum setting { PENDING, ISSUED, QUEUED, UNDISCARDED, GRANULARITY, N_SETTINGS };

static const char *const setting_names[N_SETTINGS] = {
	"pending_discard", "stat/issued_discard", "stat/queued_discard", "stat/undiscard_blks", "discard_granularity",
};

/* What is known of a volume besides: nothing of a copy. UINT64_MAX: not known. */
struct settings {
	char *mountpoint, *unit;
	bool is_discarding;
	uint64_t of_f2fs[N_SETTINGS];
	uint64_t device_most;	/* bytes that the device discards at a time; 0: it cannot */
};

static void settings_clear(struct settings *s)
{
	free(s->mountpoint);
	free(s->unit);
}

/* Of a volume that is mounted several times, the first one; the options are the same. */
static void read_mount(struct settings *s, const struct discard_volume *v)
{
	AUTO_FCLOSE FILE *file = fopen("/proc/self/mounts", "re");
	struct mntent *mount;
	struct stat st;

	while (file && !s->mountpoint && (mount = getmntent(file))) {
		const char *unit = hasmntopt(mount, "discard_unit");

		if (strcmp(mount->mnt_type, "f2fs") || stat(mount->mnt_fsname, &st) || st.st_rdev != makedev(v->major, v->minor))
			continue;
		s->mountpoint = xasprintf("%s", mount->mnt_dir);
		s->is_discarding = !hasmntopt(mount, "nodiscard");
		unit = unit ? strchr(unit, '=') : NULL;
		s->unit = unit ? xasprintf("%.*s", (int)strcspn(unit + 1, ","), unit + 1) : NULL;
	}
}

static void settings_read(struct settings *s, const struct discard_volume *v, bool is_live)
{
	const struct volume volume = { .major = v->major, .minor = v->minor };
	AUTO_FREE char *dev = is_live ? f2fs_device_name(&volume) : NULL;

	*s = (struct settings){ .device_most = UINT64_MAX };
	for (int i = 0; i < N_SETTINGS; i++)
		s->of_f2fs[i] = dev ? sysfs_number("/sys/fs/f2fs/%s/%s", dev, setting_names[i]) : UINT64_MAX;
	if (dev)
		s->device_most = sysfs_queue(v->major, v->minor, "discard_max_bytes");
	if (dev)
		read_mount(s, v);
}

/* === Sentences === */

static void say_threads(FILE *out, const struct discard_volume *v, enum discard_op op)
{
	const char *sep = ": ";

	for (size_t i = 0; i < v->n; i++) {
		const struct discard_thread *t = &v->threads[i];

		if (!t->issued[op])
			continue;
		AUTO_FREE char *name = t->is_rest ? xasprintf("all others") : name_printable(t->comm);
		fprintf(out, "%s%s by %s", sep, GROUPED(t->issued[op]), name);
		sep = ", ";
	}
	fputc('\n', out);
}

static void say_sums(FILE *out, const struct discards *all, const struct discard_volume *v, enum discard_op op)
{
	const struct discard_sums *s = &v->sums[op];

	if (!s->issued && op == RESETS)
		return;
	fprintf(out, "  issued: %s", COUNT(s->issued, op == RESETS ? "zone reset" : "discard"));
	if (s->issued)
		fprintf(out, " of %s", BYTES(s->blks * all->blk_bytes));
	if (s->ended)
		fprintf(out, ", %s on the device", DURATION((double)s->took_us * 1e3));
	if (s->ended && s->worst_us)
		fprintf(out, ", at most %s for one", DURATION((double)s->worst_us * 1e3));
	if (s->failed)
		fprintf(out, ", %s failed", GROUPED(s->failed));
	if (s->lost)
		fprintf(out, ", %s not timed", GROUPED(s->lost));
	say_threads(out, v, op);
}

/* What came into the queue has stayed there for so long, on average. */
static void say_queue(FILE *out, const struct discards *all, const struct discard_volume *v)
{
	uint64_t queued = v->sums[DISCARDS].queued_blks + v->sums[RESETS].queued_blks;
	/* some kernels reset zones without a queue */
	uint64_t were_there = v->left + v->pending + v->sums[DISCARDS].blks + (v->sums[RESETS].queued ? v->sums[RESETS].blks : 0);

	fprintf(out, "  queued: %s", BYTES(queued * all->blk_bytes));
	if (v->left)
		fprintf(out, ", of which %s left without a discard, as they were written again or given up", BYTES(v->left * all->blk_bytes));
	if (v->waited_ms && were_there)
		fprintf(out, "; a block waited %s on average", DURATION((double)v->waited_ms * 1e6 / (double)were_there));
	fputc('\n', out);
	if (v->pending)
		fprintf(out, "  pending: %s of %s; the queue has not been empty for %s\n", COUNT(v->commands, "command"),
			BYTES(v->pending * all->blk_bytes), DURATION((double)v->since_ms * 1e6));
	else
		fputs("  pending: nothing\n", out);
}

/* Why what is free is not discarded. */
static void say_why(FILE *out, const struct discards *all, const struct discard_volume *v, const struct settings *s)
{
	uint64_t granularity = s->of_f2fs[GRANULARITY];

	if (s->device_most == 0 && !v->pending && !v->sums[DISCARDS].queued && !v->sums[RESETS].queued && !v->sums[RESETS].issued)
		fputs("  The device cannot discard: F2FS queues nothing.\n", out);
	else if (s->mountpoint && !s->is_discarding)
		fputs("  It is mounted with nodiscard: F2FS queues only what fstrim asks for; what is free otherwise is not discarded.\n", out);
	else if (v->pending && granularity != UINT64_MAX && granularity > 1)
		fprintf(out, "  Free but not discarded: %s; F2FS's thread issues while the volume is idle, and %s or more at a time\n"
			     "  (discard_granularity=%" PRIu64 "): what is smaller waits for fstrim, umount, or a volume that is nearly full.\n",
			BYTES(v->pending * all->blk_bytes), BYTES(granularity * all->blk_bytes), granularity);
	else if (v->pending)
		fprintf(out, "  Free but not discarded: %s; F2FS's thread issues while the volume is idle.\n", BYTES(v->pending * all->blk_bytes));
}

static void say_volume(FILE *out, const struct discards *all, const struct discard_volume *v, const struct settings *s)
{
	AUTO_FREE char *name = s->mountpoint ? name_printable(s->mountpoint) : NULL;

	fprintf(out, "%u:%u", v->major, v->minor);
	if (name)
		fprintf(out, " (%s): mounted with %s%s%s", name, s->is_discarding ? "discard" : "nodiscard", s->unit ? ", discard_unit=" : "",
			s->unit ? s->unit : "");
	fputc('\n', out);
	for (int op = 0; op < N_DISCARD_OPS; op++)
		say_sums(out, all, v, (enum discard_op)op);
	say_queue(out, all, v);
	say_why(out, all, v, s);
}

/* === JSON === */

static void put_sums(struct json *json, const char *key, const struct discard_sums *s)
{
	JSON_OBJECT(json, key);
	json_number(json, "queued", s->queued);
	json_number(json, "queued_blocks", s->queued_blks);
	json_number(json, "commands", s->commands);
	json_number(json, "issued", s->issued);
	json_number(json, "blocks", s->blks);
	json_number(json, "ended", s->ended);
	json_number(json, "failed", s->failed);
	json_number(json, "took_us", s->took_us);
	json_number(json, "worst_us", s->worst_us);
	json_number(json, "not_timed", s->lost);
}

static void put_threads(struct json *json, const struct discard_volume *v)
{
	JSON_ARRAY(json, "threads");
	for (size_t i = 0; i < v->n; i++) {
		const struct discard_thread *t = &v->threads[i];

		if (!t->issued[DISCARDS] && !t->issued[RESETS])
			continue;
		JSON_OBJECT(json, NULL);
		if (!t->is_rest)
			json_name(json, "thread", t->comm);
		json_number(json, "discards", t->issued[DISCARDS]);
		json_number(json, "discard_blocks", t->blks[DISCARDS]);
		json_number(json, "resets", t->issued[RESETS]);
		json_number(json, "reset_blocks", t->blks[RESETS]);
	}
}

static void put_settings(struct json *json, const struct settings *s)
{
	if (s->mountpoint) {
		json_name(json, "mountpoint", s->mountpoint);
		json_flag(json, "discard", s->is_discarding);
		if (s->unit)
			json_text(json, "discard_unit", s->unit);
	}
	json_maybe(json, "device_discard_bytes", s->device_most, s->device_most != UINT64_MAX);
	for (int i = 0; i < N_SETTINGS; i++)
		json_maybe(json, strrchr(setting_names[i], '/') ? strrchr(setting_names[i], '/') + 1 : setting_names[i], s->of_f2fs[i], s->of_f2fs[i] != UINT64_MAX);
}

/* === Over time === */

/* What a volume has discarded from one snapshot of a recording to the next one, or after the last one. */
struct period {
	int64_t until_ms;	/* INT64_MAX: after the last snapshot */
	unsigned int major, minor;
	uint64_t pending;
	struct discard_sums sums[N_DISCARD_OPS];
};

struct history {
	struct period *list;
	size_t n, cap;
	bool is_recording;
};

static void history_free(struct history *h)
{
	free(h->list);
}

/* @before: what had been counted at the last snapshot; becomes what is in the file. */
static void add_periods(struct history *h, struct discards *before, const char *path, int64_t until_ms)
{
	AUTO(discards_free) struct discards counts;

	discards_read(&counts, path);
	discards_since(&counts, before);
	for (size_t i = 0; i < counts.n && before->blk_bytes; i++) {
		const struct discard_volume *v = &counts.volumes[i];
		struct period *p = APPEND(h->list, h->n, h->cap);

		*p = (struct period){ .until_ms = until_ms, .major = v->major, .minor = v->minor, .pending = v->pending };
		memcpy(p->sums, v->sums, sizeof(p->sums));
	}
	discards_free(before);
	discards_read(before, path);
}

/* @all: what was from the first snapshot on. */
static void history_read(struct history *h, struct discards *all, const char *dir)
{
	AUTO_FREE char *last = xasprintf("%s/discards", dir);
	AUTO(recording_close) struct recording recording = { 0 };
	AUTO(discards_free) struct discards first = { 0 }, before = { 0 };

	if (access(last, F_OK))
		die("%s: has no file discards; expected a recording of a module that was loaded with discards=1", dir);
	discards_read(all, last);
	if (recording_has_any(dir))
		recording_open(&recording, dir);
	for (size_t i = 0; i < recording.n; i++) {
		AUTO_FREE char *path = recorded_counts(recording.list[i].snapshot, "discards");

		if (access(path, F_OK))
			continue;
		if (!first.blk_bytes)
			discards_read(&first, path);
		add_periods(h, &before, path, recording.list[i].time_ms);
	}
	if (!first.blk_bytes)
		warn("%s: no snapshot has a file discards; this is all that was counted", dir);
	discards_since(all, &first);
	add_periods(h, &before, last, INT64_MAX);
	h->is_recording = true;
}

/* The next period of a volume from @i on, or NULL. */
static const struct period *period_of(const struct history *h, const struct discard_volume *of, size_t *i)
{
	while (*i < h->n) {
		const struct period *p = &h->list[(*i)++];

		if (p->major == of->major && p->minor == of->minor)
			return p;
	}
	return NULL;
}

/* The text has at most so many rows; each sums up as many periods as that takes. */
#define MOST_ROWS 24

static void say_history(FILE *out, const struct discards *all, const struct history *h, const struct discard_volume *of)
{
	size_t step = (h->n + MOST_ROWS - 1) / MOST_ROWS, n = 0, i = 0;
	uint64_t blks[N_DISCARD_OPS] = { 0 };
	const struct period *p;

	while ((p = period_of(h, of, &i))) {
		if (!n++)
			fprintf(out, "    %-24s %9s  %9s  %9s\n", "until", "discarded", "reset", "pending");
		for (int op = 0; op < N_DISCARD_OPS; op++)
			blks[op] += p->sums[op].blks;
		if (n % step && p->until_ms != INT64_MAX)
			continue;
		fprintf(out, "    %-24s %9s  %9s  %9s\n",
			p->until_ms == INT64_MAX ? "after that" : TIME_AT(p->until_ms * (int64_t)(NSEC_PER_SEC / 1000)),
			BYTES(blks[DISCARDS] * all->blk_bytes), BYTES(blks[RESETS] * all->blk_bytes), BYTES(p->pending * all->blk_bytes));
		memset(blks, 0, sizeof(blks));
	}
}

static void put_history(struct json *json, const struct history *h, const struct discard_volume *of)
{
	const struct period *p;
	size_t i = 0;

	JSON_ARRAY(json, "periods");
	while ((p = period_of(h, of, &i))) {
		JSON_OBJECT(json, NULL);
		json_maybe(json, "until_ms", (uint64_t)p->until_ms, p->until_ms != INT64_MAX);
		json_number(json, "pending_blocks", p->pending);
		put_sums(json, "discards", &p->sums[DISCARDS]);
		put_sums(json, "resets", &p->sums[RESETS]);
	}
}

static void put_volume(struct json *json, const struct discards *all, const struct discard_volume *v, const struct settings *s,
		       const struct history *history)
{
	JSON_OBJECT(json, NULL);
	json_format(json, "dev", "%u:%u", v->major, v->minor);
	json_number(json, "block_bytes", all->blk_bytes);
	put_settings(json, s);
	json_number(json, "pending_commands", v->commands);
	json_number(json, "pending_blocks", v->pending);
	json_number(json, "on_device_blocks", v->on_device);
	json_number(json, "pending_ms", v->since_ms);
	json_number(json, "waited_block_ms", v->waited_ms);
	json_number(json, "left_blocks", v->left);
	json_number(json, "removed_commands", v->removed);
	put_sums(json, "discards", &v->sums[DISCARDS]);
	put_sums(json, "resets", &v->sums[RESETS]);
	put_threads(json, v);
	if (history->is_recording)
		put_history(json, history, v);
}

/* === Metrics === */

/**
 * discards_put_metrics() - write what was discarded on all volumes as metrics
 * @m: the metrics
 * @table: the table
 * @path: the file
 */
void discards_put_metrics(struct metrics *m, const struct table *table, const char *path)
{
	static const char *const ops[N_DISCARD_OPS] = { "discard", "reset" };
	AUTO(discards_free) struct discards all;
	const struct discard_volume *d;

	discards_read(&all, path);
	metrics_begin(m, "fragtrace_discard_pending_bytes", "Free blocks that F2FS has queued to discard or reset, and not done so yet.");
	for (size_t i = 0; i < table->n_volumes; i++) {
		d = discards_of(&all, table->volumes[i].major, table->volumes[i].minor);
		if (d)
			metrics_sample(m, &table->volumes[i], NULL, NULL, d->pending * all.blk_bytes);
	}
	metrics_begin(m, "fragtrace_discard_bytes", "What the device was told to discard, and to reset, since fragtrace watches the volume.");
	for (size_t i = 0; i < table->n_volumes; i++) {
		d = discards_of(&all, table->volumes[i].major, table->volumes[i].minor);
		for (int op = 0; d && op < N_DISCARD_OPS; op++)
			metrics_sample(m, &table->volumes[i], "op", ops[op], d->sums[op].blks * all.blk_bytes);
	}
}

/* === The command === */

/**
 * discards_run() - say what was discarded and reset, and what waits for that; of a recording, what it has meanwhile
 * @options: the command line
 *
 * Ends the program if the file cannot be read, or the answer cannot be written.
 *
 * Return: the exit status.
 */
int discards_run(const struct options *options)
{
	AUTO(history_free) struct history history = { 0 };
	AUTO(discards_free) struct discards all;
	struct json json = { 0 };
	struct outfile out;

	if (options->table && recording_is(options->table))
		history_read(&history, &all, options->table);
	else
		discards_read(&all, options->table ? options->table : DEFAULT_DISCARDS);
	outfile_open(&out, "-", "answer");
	if (options->form == FORM_JSON) {
		json_begin(&json, out.file, "discards", 1);
		json_array(&json, "volumes");
	}
	for (size_t i = 0; i < all.n; i++) {
		AUTO(settings_clear) struct settings settings;

		settings_read(&settings, &all.volumes[i], !options->table);
		if (options->form == FORM_JSON) {
			put_volume(&json, &all, &all.volumes[i], &settings, &history);
			continue;
		}
		say_volume(out.file, &all, &all.volumes[i], &settings);
		say_history(out.file, &all, &history, &all.volumes[i]);
	}
	json_end_all(&json);
	outfile_close(&out);
	return 0;
}
