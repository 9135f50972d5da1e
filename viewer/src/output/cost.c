// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: what breaks cost those who read, by the debugfs file `latency`. Times of reads become the price of a
 * request, by a straight line fitted to them; counts of requests and prices become the cost of a volume and of its files.
 */
#include <math.h>

#include "commands.h"
#include "input/latency.h"
#include "input/source.h"
#include "input/table.h"
#include "names.h"
#include "output/counted.h"
#include "output/json.h"
#include "output/prometheus.h"
#include "output/serve_counts.h"
#include "outfile.h"

#define MAX_FILES 10	/* listed in sentences */
#define MAX_EXTENSIONS 5	/* likewise */
#define MIN_READS 8	/* to fit a line to */

/* A straight line fitted to times: what a request more takes, in microseconds, and what half its interval is. */
struct price {
	bool is_known;
	bool is_pooled;	/* from reads of all lengths */
	double us;
	double half;
	double reads;
};

/* How long breaks have kept readers waiting, in nanoseconds, and the interval of that; known if the prices are. */
struct cost {
	bool is_known;
	double ns, low, high;
};

/* Sums about the means of reads of one length, or added up over all lengths. */
struct moments {
	double n, xx, xl, ll, xy, ly, yy;
	unsigned int groups;
};

/*
 * A line of an answer: a file, the rest of a volume ("*"), or all files of an extension.
 * @path: of the file, which may be deleted; NULL: of all with @ext, of which there are @n_files
 */
struct ranked {
	const char *path;
	const char *ext;
	bool is_deleted;
	size_t n_files;
	struct cost cost;
	double waited;
	uint64_t reads, requests, extra;
};

/* What is known of a volume: its prices and sums; its files and its rest, and extensions, those first that cost most. */
struct costs {
	struct price prices[LATENCY_LENGTHS];
	double waited_for[LATENCY_LENGTHS];	/* which share of the reads in several pieces is */
	struct ranked all;
	struct ranked *files, *extensions;
	size_t n_files, n_extensions;
};

/* === Prices === */

static void add_moments(struct moments *m, const uint64_t fit[LATENCY_SUMS])
{
	double n = (double)fit[0], x = (double)fit[1], l = (double)fit[2], y = (double)fit[3];

	if (n < 2)
		return;
	m->groups++;
	m->n += n;
	m->xx += (double)fit[4] - x * x / n;
	m->xl += (double)fit[5] - x * l / n;
	m->ll += (double)fit[6] - l * l / n;
	m->xy += (double)fit[7] - x * y / n;
	m->ly += (double)fit[8] - l * y / n;
	m->yy += (double)fit[9] - y * y / n;
}

/* By least squares: time by pieces and, if it differs, by length. */
static struct price fit_line(const struct moments *m)
{
	struct price price = { .reads = m->n };
	bool by_length = m->ll > 0.5 && m->xx * m->ll - m->xl * m->xl > 1e-9 * m->xx * m->ll;
	double xx = by_length ? m->xx - m->xl * m->xl / m->ll : m->xx;
	double xy = by_length ? m->xy - m->xl * m->ly / m->ll : m->xy;
	double yy = by_length ? m->yy - m->ly * m->ly / m->ll : m->yy;
	double free = m->n - m->groups - 1 - by_length;

	if (m->n < MIN_READS || free < 1 || xx < 0.5)
		return price;
	price.is_known = true;
	price.us = xy / xx;
	price.half = 1.96 * sqrt(fmax(yy - xy * xy / xx, 0) / free / xx);
	return price;
}

static void find_prices(struct costs *costs, const struct latency_volume *volume)
{
	struct moments all = { 0 };
	struct price pooled;

	for (size_t i = 0; i < LATENCY_LENGTHS; i++)
		add_moments(&all, volume->fits[i]);
	pooled = fit_line(&all);
	pooled.is_pooled = true;
	for (size_t i = 0; i < LATENCY_LENGTHS; i++) {
		struct moments own = { 0 };

		add_moments(&own, volume->fits[i]);
		costs->prices[i] = fit_line(&own);
		/* one that may be nothing is no better than that of all lengths */
		if (!costs->prices[i].is_known || costs->prices[i].us < costs->prices[i].half)
			costs->prices[i] = pooled;
	}
}

/* === Costs === */

static uint64_t sum(const uint64_t *counts)
{
	uint64_t n = 0;

	for (size_t i = 0; i < LATENCY_LENGTHS; i++)
		n += counts[i];
	return n;
}

/* What the breaks of a file cost its readers. A price that is below nothing by chance costs nothing, and no cost is above the wait. */
static struct cost cost_of(const struct costs *costs, const struct latency_counts *counts, double waited)
{
	struct cost cost = { .is_known = true };

	for (size_t i = 0; i < LATENCY_LENGTHS; i++) {
		const struct price *p = &costs->prices[i];
		double waits_us = (double)counts->extra[i] * costs->waited_for[i] * 1000;

		cost.is_known &= p->is_known || !counts->extra[i];
		cost.ns += waits_us * fmax(p->us, 0);
		cost.low += waits_us * fmax(p->us - p->half, 0);
		cost.high += waits_us * fmax(p->us + p->half, 0);
	}
	cost.ns = fmin(cost.ns, waited);
	cost.low = fmin(cost.low, waited);
	cost.high = fmin(cost.high, waited);
	return cost;
}

static void add_line(struct ranked *sum, const struct ranked *more)
{
	sum->cost.is_known &= more->cost.is_known;
	sum->cost.ns += more->cost.ns;
	sum->cost.low += more->cost.low;
	sum->cost.high += more->cost.high;
	sum->n_files += more->n_files;
	sum->waited += more->waited;
	sum->reads += more->reads;
	sum->requests += more->requests;
	sum->extra += more->extra;
}

static int by_cost(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return FIRST(ORDER(y->cost.ns, x->cost.ns), strcmp(x->path ? x->path : x->ext, y->path ? y->path : y->ext));
}

static int by_ext(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return strcmp(x->ext, y->ext);
}

static void find_files(struct costs *costs, const struct latency *latency, const struct latency_volume *volume)
{
	costs->files = xcalloc(latency->n_files + 1, sizeof(*costs->files));
	for (size_t i = 0; i < latency->n_files; i++) {
		const struct latency_file *f = &latency->files[i];
		uint64_t reads = sum(f->counts.reads), extra = sum(f->counts.extra);
		double waited = latency_waited(volume, &f->counts);

		if (f->major != volume->major || f->minor != volume->minor)
			continue;
		costs->files[costs->n_files] = (struct ranked){
			.path = f->path, .ext = f->ext, .is_deleted = f->is_deleted, .n_files = 1,
			.cost = cost_of(costs, &f->counts, waited), .waited = waited, .reads = reads, .extra = extra,
			.requests = reads + extra + f->counts.cut,
		};
		add_line(&costs->all, &costs->files[costs->n_files++]);
	}
}

static void find_extensions(struct costs *costs)
{
	struct ranked *list = xcalloc(costs->n_files + 1, sizeof(*list));
	size_t n = 0, k = 0;

	for (size_t i = 0; i < costs->n_files; i++)
		if (strcmp(costs->files[i].path, "*"))
			list[k++] = costs->files[i];
	qsort(list, k, sizeof(*list), by_ext);
	for (size_t i = 0; i < k; i++) {
		struct ranked one = list[i];

		if (n && !strcmp(list[n - 1].ext, one.ext)) {
			add_line(&list[n - 1], &one);
			continue;
		}
		one.path = NULL;
		one.is_deleted = false;
		list[n++] = one;
	}
	costs->extensions = list;
	costs->n_extensions = n;
}

static void find_costs(struct costs *costs, const struct latency *latency, const struct latency_volume *volume)
{
	*costs = (struct costs){ .all.cost.is_known = true };
	find_prices(costs, volume);
	for (size_t i = 0; i < LATENCY_LENGTHS; i++) {
		const struct latency_sum *split = &volume->times[i].split;

		costs->waited_for[i] = split->reads ? (double)split->waits / (double)split->reads : 0;
	}
	find_files(costs, latency, volume);
	qsort(costs->files, costs->n_files, sizeof(*costs->files), by_cost);
	find_extensions(costs);
	qsort(costs->extensions, costs->n_extensions, sizeof(*costs->extensions), by_cost);
}

static void free_costs(struct costs *costs)
{
	free(costs->files);
	free(costs->extensions);
}

/* A deleted file may be named by its path with the mark, as answers have it, or without. */
static bool is_named(const char *path, bool is_deleted, const char *named)
{
	size_t len = strlen(path);

	return !strncmp(path, named, len) && (!named[len] || (is_deleted && !strcmp(named + len, DELETED_MARK)));
}

/* === Sentences === */

static void say_cost(FILE *out, const struct ranked *line, const char *readers)
{
	const struct cost *cost = &line->cost;

	if (!line->requests) {
		fputs("nothing was read", out);
		return;
	}
	fprintf(out, "%s requests that were made instead of %s cost %s ", GROUPED(line->requests),
		GROUPED(line->requests - line->extra), readers);
	if (!cost->is_known) {
		fprintf(out, "an unknown part of %s", DURATION(line->waited));
		return;
	}
	fprintf(out, "%s (%s to %s) of %s", DURATION(cost->ns), DURATION(cost->low), DURATION(cost->high),
		DURATION(line->waited));
	if (line->waited > 0)
		fprintf(out, " (%.1f %%)", 100 * cost->ns / line->waited);
}

static void say_prices(FILE *out, const struct latency *latency, const struct costs *costs, const struct latency_volume *volume)
{
	bool said = false;
	size_t i;

	for (i = 0; i < LATENCY_LENGTHS; i++) {
		const struct price *p = &costs->prices[i];
		bool is_last = i == LATENCY_LENGTHS - 1;

		if (!p->is_known || !volume->fits[i][0] || (p->is_pooled && said))
			continue;
		if (p->is_pooled)
			fprintf(out, "  a request more takes %.0f µs (%.0f to %.0f), by %.0f reads of all lengths\n", p->us,
				p->us - p->half, p->us + p->half, p->reads);
		else
			fprintf(out, "  in reads of %s%s a request more takes %.0f µs (%.0f to %.0f), by %.0f reads\n",
				is_last ? "more than " : "", BYTES((uint64_t)latency->blk_bytes << (i - is_last)), p->us,
				p->us - p->half, p->us + p->half, p->reads);
		said |= p->is_pooled;
	}
	for (i = 0; i < LATENCY_LENGTHS && !costs->prices[i].is_known; i++)
		;
	if (i == LATENCY_LENGTHS)
		fputs("  what a request more takes is not known yet: too few reads of similar length were made in different "
		      "numbers of requests\n", out);
}

static char *name_of(const struct ranked *line)
{
	if (!line->path && !*line->ext)
		return xasprintf("all %s files without an extension", GROUPED(line->n_files));
	if (!line->path)
		return xasprintf("all %s files *%s", GROUPED(line->n_files), line->ext);
	AUTO_FREE char *name = name_printable(!strcmp(line->path, "*") ? "all other files" : line->path);
	return xasprintf("%s%s", name, line->is_deleted ? DELETED_MARK : "");
}

static void say_line(FILE *out, const struct ranked *line)
{
	AUTO_FREE char *name = name_of(line);

	fprintf(out, "  %s: ", name);
	say_cost(out, line, line->path ? "its readers" : "their readers");
	fputc('\n', out);
}

static void say_lines(FILE *out, const struct costs *costs, const char *named)
{
	size_t i, said = 0;

	for (i = 0; !named && i < costs->n_extensions && said < MAX_EXTENSIONS; i++) {
		if (costs->extensions[i].n_files < 2 || !costs->extensions[i].extra)
			continue;
		say_line(out, &costs->extensions[i]);
		said++;
	}
	for (i = 0, said = 0; i < costs->n_files && said < MAX_FILES; i++) {
		const struct ranked *f = &costs->files[i];

		if (named ? !is_named(f->path, f->is_deleted, named) : !f->extra)
			continue;
		say_line(out, f);
		said++;
	}
}

static void say_volume(FILE *out, const struct latency *latency, const struct latency_volume *volume, const struct costs *costs,
		       const char *named, bool with_lines)
{
	say_counted(out, &latency->text, volume->major, volume->minor);
	fputs(": ", out);
	say_cost(out, &costs->all, "those who read");
	fputs(costs->all.requests ? " that they waited\n" : "\n", out);
	say_prices(out, latency, costs, volume);
	if (with_lines)
		say_lines(out, costs, named);
	if (volume->lost)
		fprintf(out, "  reads that were not timed, as too many were under way: %s\n", GROUPED(volume->lost));
	if (volume->failed)
		fprintf(out, "  timed reads that have failed, and count for nothing: %s\n", GROUPED(volume->failed));
}

/* Has the file that was named, if one was, counts on this volume? */
static bool is_asked_for(const struct latency *latency, const struct latency_volume *volume, const char *named)
{
	for (size_t i = 0; named && i < latency->n_files; i++) {
		const struct latency_file *f = &latency->files[i];

		if (f->major == volume->major && f->minor == volume->minor && is_named(f->path, f->is_deleted, named))
			return true;
	}
	return !named;
}

/* === JSON === */

/* Without prices there is no cost. */
static void put_sums(struct json *json, const struct ranked *line)
{
	json_number(json, "reads", line->reads);
	json_number(json, "requests", line->requests);
	json_number(json, "extra", line->extra);
	if (line->cost.is_known) {
		json_real(json, "cost_s", line->cost.ns / 1e9, 6);
		json_real(json, "cost_low_s", line->cost.low / 1e9, 6);
		json_real(json, "cost_high_s", line->cost.high / 1e9, 6);
	}
	json_real(json, "waited_s", line->waited / 1e9, 6);
}

static void put_lines(struct json *json, const char *key, const struct ranked *list, size_t n)
{
	JSON_ARRAY(json, key);
	for (size_t i = 0; i < n; i++) {
		AUTO_FREE char *name = name_of(&list[i]);

		JSON_OBJECT(json, NULL);
		json_text(json, "name", name);
		if (list[i].path) {
			AUTO_FREE char *whole = xasprintf("%s%s", list[i].path, list[i].is_deleted ? DELETED_MARK : "");

			json_name(json, "path", whole);
		} else {
			json_name(json, "extension", list[i].ext);
			json_number(json, "files", list[i].n_files);
		}
		put_sums(json, &list[i]);
	}
}

static void put_volume(struct json *json, const struct latency *latency, const struct latency_volume *volume, const struct costs *costs,
		       size_t most)
{
	struct text said = { 0 };
	FILE *saying = json_say(&said);

	say_volume(saying, latency, volume, costs, NULL, false);
	json_object(json, NULL);
	put_counted(json, &latency->text, volume->major, volume->minor);
	json_said(json, saying, &said);
	json_number(json, "block_bytes", latency->blk_bytes);
	put_sums(json, &costs->all);
	json_number(json, "lost", volume->lost);
	json_number(json, "failed", volume->failed);
	json_array(json, "prices");
	for (size_t i = 0; i < LATENCY_LENGTHS; i++) {
		const struct price *p = &costs->prices[i];

		if (!p->is_known)
			continue;
		JSON_OBJECT(json, NULL);
		json_number(json, "blocks", UINT64_C(1) << i);
		json_real(json, "us", p->us, 3);
		json_real(json, "low_us", p->us - p->half, 3);
		json_real(json, "high_us", p->us + p->half, 3);
		json_real(json, "reads", p->reads, 0);
		json_flag(json, "pooled", p->is_pooled);
	}
	json_end(json);
	put_lines(json, "extensions", costs->extensions, (size_t)min_of(costs->n_extensions, most));
	put_lines(json, "files", costs->files, (size_t)min_of(costs->n_files, most));
	json_end(json);
}

/* === Metrics === */

/* What JSON has of a volume. The times are estimates, which may fall: no counters. */
static const struct cost_metric {
	const char *name, *help;
	size_t at;	/* in struct ranked */
	enum { COUNT_OF_ALL, TIME_OF_ALL, TIME_BY_PRICES } what;
} cost_metrics[] = {
	{ "fragtrace_cost_reads_total", "Reads of watched files: batches of readahead, single pages and direct reads.",
	  offsetof(struct ranked, reads), COUNT_OF_ALL },
	{ "fragtrace_cost_requests_total", "Requests that they took.", offsetof(struct ranked, requests), COUNT_OF_ALL },
	{ "fragtrace_cost_extra_requests_total", "Those of them that breaks have added.", offsetof(struct ranked, extra), COUNT_OF_ALL },
	{ "fragtrace_cost_waited_seconds", "How long readers have waited, estimated by the reads that were timed; see fragtrace cost.",
	  offsetof(struct ranked, waited), TIME_OF_ALL },
	{ "fragtrace_cost_breaks_seconds", "How much of that breaks cost, estimated; none until the price of a request is known.",
	  offsetof(struct ranked, cost.ns), TIME_BY_PRICES },
	{ "fragtrace_cost_breaks_low_seconds", "The low end of its interval of 95 %.", offsetof(struct ranked, cost.low), TIME_BY_PRICES },
	{ "fragtrace_cost_breaks_high_seconds", "The high end.", offsetof(struct ranked, cost.high), TIME_BY_PRICES },
};

static void put_metric(const struct metrics *m, const struct cost_metric *metric, const struct volume *v, const struct ranked *all)
{
	const void *value = (const char *)all + metric->at;

	if (metric->what == COUNT_OF_ALL)
		metrics_sample(m, v, NULL, NULL, *(const uint64_t *)value);
	else if (metric->what == TIME_OF_ALL || all->cost.is_known)
		metrics_seconds(m, v, NULL, NULL, *(const double *)value);
}

/**
 * cost_put_metrics() - write what breaks cost those who read, on all volumes, as metrics
 * @m: the metrics
 * @table: the table
 * @path: the file
 *
 * Writes nothing if files were removed meanwhile: a counter that seems to fall has begun anew for Prometheus.
 */
void cost_put_metrics(struct metrics *m, const struct table *table, const char *path)
{
	AUTO_FREE struct costs *costs = xcalloc(table->n_volumes, sizeof(*costs));
	AUTO(latency_free) struct latency latency;

	latency_read(&latency, path);
	for (size_t i = 0; i < table->n_volumes; i++)
		for (size_t k = 0; k < latency.n_volumes; k++)
			if (latency.volumes[k].major == table->volumes[i].major && latency.volumes[k].minor == table->volumes[i].minor)
				find_costs(&costs[i], &latency, &latency.volumes[k]);
	for (size_t i = 0; !latency.is_torn && i < ARRAY_LEN(cost_metrics); i++) {
		metrics_begin(m, cost_metrics[i].name, cost_metrics[i].help);
		for (size_t k = 0; k < table->n_volumes; k++)
			if (costs[k].files)
				put_metric(m, &cost_metrics[i], &table->volumes[k], &costs[k].all);
	}
	for (size_t i = 0; i < table->n_volumes; i++)
		free_costs(&costs[i]);
}

/* === The command === */

/* Sentences only about volumes that have the file that is named, if one is. */
static void put(FILE *out, const struct latency *latency, const char *named, enum sheet_form form, size_t most)
{
	struct json json = { 0 };

	if (form == FORM_JSON) {
		json_begin(&json, out, "cost", 1);
		json_array(&json, "volumes");
	}
	for (const struct latency_volume *v = latency->volumes; v < latency->volumes + latency->n_volumes; v++) {
		struct costs costs;

		find_costs(&costs, latency, v);
		if (form == FORM_JSON)
			put_volume(&json, latency, v, &costs, most);
		else if (is_asked_for(latency, v, named))
			say_volume(out, latency, v, &costs, named, true);
		free_costs(&costs);
	}
	json_end_all(&json);
}

/* cost_put() - write what breaks cost, with the arguments of gc_put(). */
void cost_put(FILE *out, const char *path, enum sheet_form form, size_t most)
{
	AUTO(latency_free) struct latency latency;

	latency_read(&latency, path);
	put(out, &latency, NULL, form, most);
}

/**
 * cost_run() - say what breaks cost those who read
 * @options: the command line; its operand is a file, if there is one
 *
 * Ends the program if the counts cannot be read, or the answer cannot be written.
 *
 * Return: the exit status.
 */
int cost_run(const struct options *options)
{
	const char *named = options->n_operands ? *options->operands : NULL;
	AUTO(latency_free) struct latency latency;
	struct outfile out;
	bool found = !named;

	latency_read(&latency, options->table ? options->table : DEFAULT_LATENCY);
	for (size_t i = 0; i < latency.n_volumes; i++)
		found |= is_asked_for(&latency, &latency.volumes[i], named);
	if (!found)
		die("%s: no reads of it were counted; name a watched file by its whole path", named);
	outfile_open(&out, "-", "answer");
	put(out.file, &latency, named, options->form, SIZE_MAX);
	outfile_close(&out);
	return 0;
}
