// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: a table as a few numbers per volume, for Prometheus.
 * Writes a file for the textfile collector of its node exporter. Files are counted, not named: they
 * come and go, and each name would be a time series for ever. Only a few extensions are named.
 */
#include <ctype.h>

#include "input/figures.h"
#include "model/advice.h"
#include "model/groups.h"
#include "names.h"
#include "outfile.h"
#include "output/prometheus.h"
#include "output/space.h"
#include "output/zones.h"

/* Extensions that are named: those with the most breaks on a volume. */
#define MAX_EXTENSIONS 5

/* The values of a volume. If there are two, [0] is for contiguous, [1] for fragmented files. */
struct sums {
	uint64_t size[1];
	uint64_t files[2];
	uint64_t bytes[2];
	uint64_t fragments[1];
	uint64_t requests[1];
	uint64_t ideal[1];
	uint64_t left_out[1];
	uint64_t stopped[1];
};

/* The position of the values of a metric in struct sums: one, or two with different label state. */
struct metric {
	const char *name;
	const char *help;
	size_t at;
	size_t n;
};

#define METRIC(name, member, help) \
	{ name, help, offsetof(struct sums, member), ARRAY_LEN(((struct sums *)NULL)->member) }

static const struct metric metrics[] = {
	METRIC("fragtrace_volume_size_bytes", size, "Size of the main area of the F2FS volume."),
	METRIC("fragtrace_files", files, "Watched files that have blocks."),
	METRIC("fragtrace_file_bytes", bytes, "Written blocks of watched files."),
	METRIC("fragtrace_fragments", fragments,
	       "Runs of blocks that follow each other in their file and on the volume."),
	METRIC("fragtrace_read_requests", requests,
	       "Requests of at most 128 KiB that reading all watched files takes."),
	METRIC("fragtrace_read_requests_ideal", ideal,
	       "The same if no watched file were fragmented."),
	METRIC("fragtrace_left_out", left_out,
	       "Files and directories that are in no other value, because fragtrace's memory was short."),
	METRIC("fragtrace_stopped", stopped, "1 if F2FS has stopped on the volume, after an error or a shutdown."),
};

/* === Numbers === */

static struct sums *sums_of(const struct table *table, const struct figures *figures)
{
	struct sums *sums = xcalloc(table->n_volumes, sizeof(*sums));

	for (size_t i = 0; i < table->n_volumes; i++) {
		sums[i].size[0] = (table->volumes[i].end_blk - table->volumes[i].first_blk) *
				  table->volumes[i].blk_bytes;
		sums[i].left_out[0] = table->volumes[i].left_out;
		sums[i].stopped[0] = table->volumes[i].stopped;
	}
	for (size_t i = 0; i < table->n_files; i++) {
		struct sums *sum = &sums[table->files[i].volume];
		bool fragmented = figures[i].fragments > 1;

		sum->files[fragmented]++;
		sum->bytes[fragmented] += figures[i].blks * table->volumes[table->files[i].volume].blk_bytes;
		sum->fragments[0] += figures[i].fragments;
		sum->requests[0] += figures[i].requests;
		sum->ideal[0] += figures[i].ideal;
	}
	return sums;
}

/* === Text === */

/* Write the value of a label, without its quotes. */
static void put_label(FILE *file, const char *path)
{
	AUTO_FREE char *text = name_text(path);
	const char *p;

	for (p = text; *p; p++) {
		if (*p == '\n')
			fputs("\\n", file);
		else if (*p == '\\' || *p == '"')
			fprintf(file, "\\%c", *p);
		else
			putc(*p, file);
	}
}

/**
 * metrics_begin() - begin a metric
 * @m: the metrics
 * @name: its name; that of one that only grows, until counting begins anew, ends with _total
 * @help: what it is, in a sentence
 */
void metrics_begin(struct metrics *m, const char *name, const char *help)
{
	static const char counter[] = "_total";
	size_t len = strlen(name);
	bool is_counter = len >= strlen(counter) && !strcmp(name + len - strlen(counter), counter);

	m->name = name;
	fprintf(m->file, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, is_counter ? "counter" : "gauge");
}

static void begin_sample(const struct metrics *m, const struct volume *v)
{
	fprintf(m->file, "%s{device=\"%u:%u\",mountpoint=\"", m->name, v->major, v->minor);
	put_label(m->file, v->path);
}

static void begin_value(const struct metrics *m, const struct volume *v, const char *label, const char *value)
{
	begin_sample(m, v);
	if (label) {
		fprintf(m->file, "\",%s=\"", label);
		put_label(m->file, value);
	}
	fputs("\"} ", m->file);
}

/**
 * metrics_sample() - write the value that a volume has of a metric
 * @m: the metrics
 * @v: the volume
 * @label: another label, or NULL
 * @value: its value
 * @n: the number
 */
void metrics_sample(const struct metrics *m, const struct volume *v, const char *label, const char *value, uint64_t n)
{
	begin_value(m, v, label, value);
	fprintf(m->file, "%ju\n", (uintmax_t)n);
}

/**
 * metrics_seconds() - write the value that a volume has of a metric that is a time
 * @m: the metrics
 * @v: the volume
 * @label: another label, or NULL
 * @value: its value
 * @ns: the time, in nanoseconds
 */
void metrics_seconds(const struct metrics *m, const struct volume *v, const char *label, const char *value, double ns)
{
	begin_value(m, v, label, value);
	fprintf(m->file, "%.9f\n", ns / 1e9);
}

static void put_metric(struct metrics *m, const struct metric *metric, const struct table *table, const struct sums *sums)
{
	static const char *const states[] = { "contiguous", "fragmented" };

	metrics_begin(m, metric->name, metric->help);
	for (size_t i = 0; i < table->n_volumes; i++) {
		const uint64_t *values = (const uint64_t *)((const char *)&sums[i] + metric->at);

		for (size_t k = 0; k < metric->n; k++)
			metrics_sample(m, &table->volumes[i], metric->n > 1 ? "state" : NULL, states[k], values[k]);
	}
}

/* === Breaks === */

static void put_break_samples(const struct metrics *m, const struct volume *v, const char *ext, const struct file_break *breaks, size_t n)
{
	size_t n_sums;
	AUTO_FREE struct cause_sum *sums = breaks_sum(breaks, n, CAUSE_KIND, &n_sums);

	for (size_t i = 0; i < n_sums; i++) {
		begin_sample(m, v);
		fputs("\",extension=\"", m->file);
		put_label(m->file, ext);
		fprintf(m->file, "\",op=\"%s\",flush=\"%s\",why_here=\"%s\"} %ju\n", cause_op_name(sums[i].cause),
			cause_flush_name(sums[i].cause), cause_why_name(sums[i].cause), (uintmax_t)sums[i].breaks);
	}
}

/*
 * A random or counted extension, as in tmp.k3Xq9Z and a.part17, would add time series for each file.
 * The extension of several files is not such a one; nor is one without digits and capital letters.
 */
static bool is_lasting(const struct group *group)
{
	const char *p;

	if (group->files > 1)
		return true;
	for (p = group->ext; *p; p++)
		if (isdigit((unsigned char)*p) || isupper((unsigned char)*p))
			return false;
	return true;
}

/* The first extensions by name, the others together. */
static void put_volume_breaks(const struct metrics *m, const struct volume *v, const struct group *groups, size_t n)
{
	size_t n_breaks = 0, n_others = 0, named = 0;

	for (size_t i = 0; i < n; i++)
		n_breaks += groups[i].n_breaks;
	AUTO_FREE struct file_break *others = xcalloc(n_breaks, sizeof(*others));
	for (size_t i = 0; i < n; i++) {
		const struct group *group = &groups[i];

		if (named < MAX_EXTENSIONS && is_lasting(group)) {
			put_break_samples(m, v, *group->ext ? group->ext : "-", group->breaks,
					  group->n_breaks);
			named++;
		} else if (group->n_breaks) {
			memcpy(others + n_others, group->breaks, group->n_breaks * sizeof(*others));
			n_others += group->n_breaks;
		}
	}
	put_break_samples(m, v, "other", others, n_others);
}

static void put_volume_advice(const struct metrics *m, const struct table *table, const struct group *groups, size_t n)
{
	uint64_t counts[NR_ADVICES] = { 0 };

	for (size_t i = 0; i < n; i++)
		advice_count(counts, table, groups[i].breaks, groups[i].n_breaks);
	for (enum advice i = 0; i < NR_ADVICES; i++)
		metrics_sample(m, &table->volumes[groups->volume], "advice", advice_key(i), counts[i]);
}

/* Label values are words of the module, except extensions. Only a few extensions are used. */
static void put_breaks(struct metrics *m, const struct table *table, const uint8_t *starts)
{
	AUTO(groups_free) struct groups groups;
	AUTO(breaks_free) struct breaks breaks;
	size_t n;

	breaks_find(&breaks, table, starts);
	groups_find(&groups, table, &breaks);
	metrics_begin(m, "fragtrace_breaks", "Fragments that are not the first of their file, by why they begin there.");
	for (size_t i = 0; i < groups.n; i += n) {
		n = groups_of_volume(&groups, i);
		put_volume_breaks(m, &table->volumes[groups.all[i].volume], &groups.all[i], n);
	}
	metrics_begin(m, "fragtrace_breaks_by_advice", "The same, by what helps against them; see fragtrace why.");
	for (size_t i = 0; i < groups.n; i += n) {
		n = groups_of_volume(&groups, i);
		put_volume_advice(m, table, &groups.all[i], n);
	}
}

/* === Counts of the module === */

static void put_counts(struct metrics *m, const struct table *table, const struct source *source)
{
	static const struct {
		const char *file;
		void (*put)(struct metrics *m, const struct table *table, const char *path);
	} counts[] = {
		{ "discards", discards_put_metrics }, { "latency", cost_put_metrics },
		{ "ledger", ledger_put_metrics }, { "gc_runs", gc_put_metrics },
	};

	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		AUTO_FREE char *path = source_counts_path(source, counts[i].file);

		if (path)
			counts[i].put(m, table, path);
	}
}

/**
 * prometheus_write() - write the sums of a table
 * @path: output file; "-" is standard output
 * @table: the table
 * @spaces: by volume, or NULL: F2FS's state was not read
 * @zones: by volume; NULL if @spaces is
 * @source: where the table was read; what the module counts is beside it
 *
 * Uses the text format of Prometheus. Ends the program if writing fails.
 */
void prometheus_write(const char *path, const struct table *table, const struct space *spaces, const struct zones *zones,
		      const struct source *source)
{
	AUTO_FREE uint8_t *starts = xcalloc(table->n_extents, sizeof(*starts));
	AUTO_FREE struct figures *figures = figures_of(table, starts, NULL);
	AUTO_FREE struct sums *sums = sums_of(table, figures);
	struct metrics m;
	struct outfile out;

	outfile_open(&out, path, "metrics");
	m.file = out.file;
	metrics_begin(&m, "fragtrace_table_timestamp_seconds", "When the table was read, in seconds since 1970.");
	fprintf(out.file, "%s %jd.%03d\n", m.name, (intmax_t)(table->text.time_ms / 1000), (int)(table->text.time_ms % 1000));
	metrics_begin(&m, "fragtrace_stale_files", "Watched files whose blocks may have moved since fragtrace read them.");
	fprintf(out.file, "%s %ju\n", m.name, (uintmax_t)table->n_stale);
	for (size_t i = 0; i < ARRAY_LEN(metrics); i++)
		put_metric(&m, &metrics[i], table, sums);
	if (table->causes)
		put_breaks(&m, table, starts);
	if (spaces) {
		space_put_metrics(&m, table, spaces);
		zones_put_metrics(&m, table, spaces, zones);
	}
	put_counts(&m, table, source);
	outfile_close(&out);
}
