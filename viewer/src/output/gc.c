// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: why garbage collection ran, how it chose, and whom it kept waiting, by the debugfs file `gc_runs`.
 */
#include "commands.h"
#include "input/gc_runs.h"
#include "input/recording.h"
#include "input/source.h"
#include "names.h"
#include "output/counted.h"
#include "output/json.h"
#include "output/moves.h"
#include "output/prometheus.h"
#include "output/serve_counts.h"
#include "output/what_if.h"
#include "outfile.h"

#define MAX_LINES 10	/* of each table */
#define WHEN(line) format_time((char [TIME_TEXT_MAX]){ 0 }, (int64_t)(line)->when, 0)

/* The reasons of the module in words. */
static const struct {
	const char *reason, *text;
} texts[] = {
	{ "idle", "F2FS's thread, while the volume is idle" },
	{ "urgent", "F2FS's thread, as gc_urgent told it" },
	{ "merged", "F2FS's thread, for writers that found too few free sections (gc_merge)" },
	{ "writer", "a writer found too few free sections" },
	{ "request", "a program asked for it by an ioctl" },
	{ "pinned", "a pinned file needed sections" },
	{ "other", "a mount with checkpoint=disable, or something else" },
};

static const char *text_of(const char *reason)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (!strcmp(texts[i].reason, reason))
			return texts[i].text;
	return reason;
}

/* A formula as the sentences have it. */
static const char *name_of(const char *policy)
{
	return !strcmp(policy, "cost_benefit") ? "cost-benefit" : policy;
}

/* The volume of the first line from *i on: *i is set to its end. */
static size_t next_volume(const struct gc_runs *runs, size_t *i)
{
	const struct gc_line *first = &runs->lines[*i];
	size_t from = *i;

	while (*i < runs->n && runs->lines[*i].major == first->major && runs->lines[*i].minor == first->minor)
		(*i)++;
	return from;
}

/* What processes have lost: in their own collections, and as they waited, which cannot be seen if @lost is negative. */
static void add_lost(struct gc_line *sum, const struct gc_line *l, size_t n)
{
	*sum = (struct gc_line){ 0 };
	for (size_t i = 0; i < n; i++)
		if (l[i].about == GC_LOST) {
			sum->lost = l[i].lost;
		} else if (l[i].about == GC_PROCESS) {
			sum->ns += l[i].ns;
			sum->waited += l[i].waited;
		}
}

/* === Sentences === */

static char *who(const struct gc_line *l)
{
	if (!l->pid)
		return xasprintf("all others");
	if (l->pid == KERNEL_THREADS)
		return xasprintf("kernel threads, such as write-back and checkpoints");
	AUTO_FREE char *name = name_printable(l->comm);
	return xasprintf("%s (pid %" PRIu64 ")", name, l->pid);
}

/* A time in a column of 10; µ has two bytes. */
static void put_ns(FILE *out, uint64_t ns)
{
	const char *text = ns ? DURATION((double)ns) : "0";

	fprintf(out, "%*s", strstr(text, "µ") ? 11 : 10, text);
}

static void say_sums(FILE *out, const struct gc_line *l, size_t n, bool with_tables)
{
	struct gc_line all = { 0 };

	for (size_t i = 0; i < n; i++)
		if (l[i].about == GC_SUM) {
			all.runs += l[i].runs;
			all.empty += l[i].empty;
			all.ns += l[i].ns;
		}
	if (!all.runs) {
		fputs(": no collection has run\n", out);
		return;
	}
	fprintf(out, ": %s took %s", COUNT(all.runs, "collection"), DURATION((double)all.ns));
	if (all.empty)
		fprintf(out, "; %s of them cleaned nothing", GROUPED(all.empty));
	fputc('\n', out);
	if (with_tables)
		fprintf(out, "  %10s%10s%10s%10s%15s%16s  why\n", "runs", "took", "nothing", "sections", "blocks in use", "sections freed");
	for (size_t i = 0; i < n; i++) {
		if (l[i].about != GC_SUM || !with_tables)
			continue;
		fprintf(out, "  %10s", GROUPED(l[i].runs));
		put_ns(out, l[i].ns);
		fprintf(out, "%10s%10s%15s%16s  %s\n", GROUPED(l[i].empty), GROUPED(l[i].victims), GROUPED(l[i].blocks),
			GROUPED(l[i].sections), text_of(l[i].reason));
	}
	if (with_tables)
		fputs("  nothing: runs that cleaned nothing, as nothing could be cleaned, or enough sections were free by then;\n", out);
	fputs("  sections: chosen to be cleaned; blocks in use: in them, to be moved; sections freed: at once in the foreground, later in the background\n", out);
}

/* The mean of a victim, of a gain in percent of the best that the formula can say. */
static void put_gain(FILE *out, const struct gc_line *l, uint64_t gain)
{
	double best = !strcmp(l->policy, "age") ? 1000000 : 10000;

	if (!strcmp(l->policy, "greedy"))
		fprintf(out, "%10s", "");
	else
		fprintf(out, "%8.1f %%", 100 * (double)gain / (double)l->victims / best);
}

/* There was no better victim by the formula that found all of these. */
static bool is_best(const struct gc_line *l)
{
	return l->found == l->victims && l->looked >= l->limit &&
	       (strcmp(l->policy, "greedy") != 0 ? l->gain == l->best_gain : l->blocks == l->best_blocks);
}

/* F2FS moved far more than it had to; in the background it looks for old sections on purpose. */
static bool is_far(const struct gc_line *l)
{
	return !strcmp(l->policy, "greedy") && strcmp(l->reason, "idle") != 0 && l->blocks > 2 * l->best_blocks &&
	       l->blocks - l->best_blocks >= 64 * l->victims;
}

static void say_far(FILE *out, const struct gc_line *l)
{
	fprintf(out, "  Far from the best: %s had %s in use, those with the fewest ", COUNT(l->victims, "victim"), COUNT(l->blocks, "block"));
	fprintf(out, "%s (%s).\n", GROUPED(l->best_blocks), text_of(l->reason));
}

static void say_choice(FILE *out, const struct gc_line *l, bool is_first)
{
	if (is_first)
		fprintf(out, "\n  How victims were chosen, beside the best that there was at that moment by each formula of F2FS; means of a victim:\n"
			"  %10s%10s%15s%15s%10s%10s  formula, why\n", "victims", "found", "blocks in use", "of the best", "gain", "of best");
	fprintf(out, "  %10s%10s%15.0f%15.0f", GROUPED(l->victims), GROUPED(l->found), (double)l->blocks / (double)l->victims,
		(double)l->best_blocks / (double)l->victims);
	put_gain(out, l, l->gain);
	put_gain(out, l, l->best_gain);
	fprintf(out, "  %s: %s\n", name_of(l->policy), text_of(l->reason));
}

/* All victims have a line greedy, those that F2FS searched for by age one of that. */
static void say_choices(FILE *out, const struct gc_line *l, size_t n, bool with_tables)
{
	uint64_t victims = 0, found = 0, best = 0, limit = 0, looked = 0;

	for (size_t i = 0; i < n; i++) {
		if (l[i].about != GC_CHOICE || !l[i].victims)
			continue;
		if (with_tables)
			say_choice(out, &l[i], !found && !victims);
		found += l[i].found;
		if (is_best(&l[i]))
			best += l[i].victims;
		if (strcmp(l[i].policy, "greedy") != 0)
			continue;
		victims += l[i].victims;
		limit += l[i].limit;
		looked += l[i].looked;
	}
	if (!victims)
		return;
	if (with_tables)
		fputs("  found: those that F2FS has found by this formula; gain: what it gives to a victim, in percent of the highest value\n", out);
	if (best == victims)
		fprintf(out, "  Each victim was the best by the formula that F2FS used.\n");
	if (found < victims)
		fprintf(out, "  F2FS took %s without a search: chosen before in the background, or asked for.\n", COUNT(victims - found, "victim"));
	if (looked < limit)
		fprintf(out, "  There may have been better ones: F2FS looks at up to %s, the module has looked at %s.\n", COUNT(limit, "section"),
			GROUPED(looked));
	for (size_t i = 0; i < n; i++)
		if (l[i].about == GC_CHOICE && is_far(&l[i]))
			say_far(out, &l[i]);
}

static void say_processes(FILE *out, const struct gc_line *l, size_t n, bool with_tables)
{
	struct gc_line sum;
	size_t i, k;

	add_lost(&sum, l, n);
	if (sum.lost < 0)
		fputs("  Who waits for a collection cannot be seen on this kernel.\n", out);
	else if (sum.lost)
		fprintf(out, "  Up to %s more were not measured: too many tasks waited.\n", COUNT((uint64_t)sum.lost, "wait"));
	if (!sum.ns && !sum.waited)
		return;
	fprintf(out, "\n  Processes lost %s: %s as they collected in their own calls, %s as they waited for a collection\n",
		DURATION((double)(sum.ns + sum.waited)), DURATION((double)sum.ns), DURATION((double)sum.waited));
	if (!with_tables)
		return;
	fprintf(out, "  %10s%10s%10s%10s%10s  process\n", "lost", "runs", "in them", "waits", "in them");
	for (i = 0, k = 0; i < n; i++) {
		if (l[i].about != GC_PROCESS || k++ >= MAX_LINES)
			continue;
		AUTO_FREE char *name = who(&l[i]);
		fputs("  ", out);
		put_ns(out, l[i].ns + l[i].waited);
		fprintf(out, "%10s", GROUPED(l[i].runs));
		put_ns(out, l[i].ns);
		fprintf(out, "%10s", GROUPED(l[i].waits));
		put_ns(out, l[i].waited);
		fprintf(out, "  %s\n", name);
	}
	if (k > MAX_LINES)
		fprintf(out, "  and %s more; --json has all\n", GROUPED(k - MAX_LINES));
}

static void say_waits(FILE *out, const struct gc_line *l, size_t n)
{
	const char *head = "\n  The longest times lost at once:\n";

	for (size_t i = 0; i < n; i++) {
		if (l[i].about != GC_WAIT)
			continue;
		AUTO_FREE char *name = who(&l[i]);
		fputs(head, out);
		head = "";
		fputs("  ", out);
		put_ns(out, l[i].ns);
		fputs("  ", out);
		fprintf(out, "%-23s  %s: ", WHEN(&l[i]), name);
		if (!strcmp(l[i].reason, "own"))
			fprintf(out, "collected in its own call, run %" PRIu64 "\n", l[i].number);
		else
			fprintf(out, "waited, from run %" PRIu64 " on\n", l[i].number);
	}
}

/* How a collection ended, if that needs a word. */
static const char *end_of(const struct gc_line *l)
{
	if (!l->err)
		return l->is_foreground ? "" : "; in the background";
	switch (-l->err) {
	case ENODATA:
		return l->victims ? "; then nothing more could be cleaned" : "; nothing could be cleaned";
	case EINVAL:
		return "; enough sections were free by then";
	case EAGAIN:
		return "; it has to be tried again";
	default:
		return "; it ended with an error: ";
	}
}

/* Free sections were there, but not for writers. */
static void say_reserve(FILE *out, const struct gc_line *l, size_t n)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < n; i++) {
		if (l[i].about != GC_RUN || (strcmp(l[i].reason, "writer") != 0 && strcmp(l[i].reason, "merged") != 0))
			continue;
		least = min_of(least, l[i].free);
		most = max_of(most, l[i].free);
	}
	if (least == UINT64_MAX)
		return;
	fprintf(out, "  Writers found too few with %s", GROUPED(least));
	if (most > least)
		fprintf(out, " to %s", GROUPED(most));
	fputs(" free sections: F2FS keeps so many in reserve, and for what is dirty.\n", out);
}

static void say_runs(FILE *out, const struct gc_line *l, size_t n, bool with_tables)
{
	uint64_t in_vain = 0;
	size_t i, k;

	for (i = 0, k = 0; i < n; i++) {
		if (l[i].about == GC_RUN && l[i].is_foreground && l[i].victims && !l[i].segments)
			in_vain++;
		if (l[i].about != GC_RUN || k++ >= MAX_LINES || !with_tables)
			continue;
		if (k == 1)
			fprintf(out, "\n  %10s  %-23s%10s%15s%16s%15s%10s  why\n", "run", "began", "took", "blocks in use", "sections freed", "sections free",
				"waited");
		fprintf(out, "  %10" PRIu64 "  %-23s", l[i].number, WHEN(&l[i]));
		put_ns(out, l[i].ns);
		fprintf(out, "%15s%16s%15s", GROUPED(l[i].blocks), GROUPED(l[i].sections), GROUPED(l[i].free_after));
		put_ns(out, l[i].waited);
		fprintf(out, "  %s%s%s\n", text_of(l[i].reason), end_of(&l[i]), strchr(end_of(&l[i]), ':') ? strerror((int)-l[i].err) : "");
	}
	if (k && with_tables)
		fputs("  Only runs that chose a section or took 1 ms; sections free: when the run ended; waited: those who have waited from this run on, together\n", out);
	if (k > MAX_LINES && with_tables)
		fprintf(out, "  and %s before them; --json has these\n", GROUPED(k - MAX_LINES));
	say_reserve(out, l, n);
	if (in_vain)
		fprintf(out, "  %s of the last %s freed nothing, in the foreground.\n", GROUPED(in_vain), COUNT(k, "run"));
}

static void say_volume(FILE *out, const struct text *text, const struct gc_line *l, size_t n, bool with_tables)
{
	say_counted(out, text, l->major, l->minor);
	say_sums(out, l, n, with_tables);
	say_choices(out, l, n, with_tables);
	say_processes(out, l, n, with_tables);
	if (with_tables)
		say_waits(out, l, n);
	say_runs(out, l, n, with_tables);
}

/* === JSON === */

static void put_choice(struct json *json, const struct gc_line *l)
{
	JSON_OBJECT(json, NULL);
	json_text(json, "reason", l->reason);
	json_text(json, "policy", l->policy);
	json_number(json, "victims", l->victims);
	json_number(json, "found", l->found);
	json_number(json, "limit", l->limit);
	json_number(json, "looked", l->looked);
	json_number(json, "blocks", l->blocks);
	json_number(json, "best_blocks", l->best_blocks);
	json_number(json, "gain", l->gain);
	json_number(json, "best_gain", l->best_gain);
}

static void put_line(struct json *json, const struct gc_line *l)
{
	bool has_runs = l->about == GC_SUM || l->about == GC_PROCESS, has_freed = l->about == GC_SUM || l->about == GC_RUN;

	JSON_OBJECT(json, NULL);
	if (l->about == GC_RUN || l->about == GC_WAIT) {
		json_number(json, "run", l->number);
		json_number(json, "when", l->when);
	}
	if (l->about != GC_PROCESS)
		json_text(json, l->about == GC_WAIT ? "how" : "reason", l->reason);
	if (l->about == GC_SUM)
		json_text(json, "meaning", text_of(l->reason));
	if (has_runs)
		json_number(json, "runs", l->runs);
	if (l->about == GC_SUM)
		json_number(json, "empty", l->empty);
	json_number(json, "ns", l->ns);
	if (has_freed) {
		json_number(json, "victims", l->victims);
		json_number(json, "blocks", l->blocks);
		json_number(json, "segments", l->segments);
		json_number(json, "sections", l->sections);
	}
	if (l->about == GC_RUN) {
		json_flag(json, "foreground", l->is_foreground);
		json_signed(json, "error", l->err);
		json_number(json, "free", l->free);
		json_number(json, "free_after", l->free_after);
	}
	if (l->about == GC_RUN || l->about == GC_PROCESS) {
		json_number(json, "waits", l->waits);
		json_number(json, "waited_ns", l->waited);
	}
	if (l->about != GC_SUM) {
		json_number(json, "pid", l->pid);
		json_name(json, "process", l->comm);
	}
	if (l->about == GC_PROCESS) {
		AUTO_FREE char *name = who(l);

		json_text(json, "name", name);
	}
}

static void put_volume(struct json *json, const struct text *text, const struct gc_line *l, size_t n)
{
	static const char *const keys[N_GC_ABOUTS] = { NULL, "reasons", "choices", "processes", "longest", "runs" };
	struct text said = { 0 };
	FILE *saying = json_say(&said);

	say_volume(saying, text, l, n, false);
	JSON_OBJECT(json, NULL);
	put_counted(json, text, l->major, l->minor);
	json_said(json, saying, &said);
	for (size_t i = 0; i < n; i++)
		if (l[i].about == GC_LOST)
			json_signed(json, "waits_lost", l[i].lost);
	for (int about = GC_SUM; about < N_GC_ABOUTS; about++) {
		JSON_ARRAY(json, keys[about]);
		for (size_t i = 0; i < n; i++)
			if (l[i].about == (enum gc_about)about)
				(about == GC_CHOICE ? put_choice : put_line)(json, &l[i]);
	}
}

/* === Metrics === */

static const struct gc_metric {
	const char *name, *help;
	enum gc_about about;	/* GC_CHOICE: the lines greedy, which have all victims; GC_PROCESS: not by reason */
	size_t at;	/* in struct gc_line */
	enum { NUMBER, BLOCKS, NANOSECONDS } unit;
} gc_metrics[] = {
	{ "fragtrace_gc_runs_total", "Garbage collections, by why they ran; see fragtrace gc.", GC_SUM, offsetof(struct gc_line, runs), NUMBER },
	{ "fragtrace_gc_seconds_total", "How long they took.", GC_SUM, offsetof(struct gc_line, ns), NANOSECONDS },
	{ "fragtrace_gc_victim_bytes_total", "Blocks in use of the sections that they cleaned, to be moved.",
	  GC_CHOICE, offsetof(struct gc_line, blocks), BLOCKS },
	{ "fragtrace_gc_best_victim_bytes_total", "The same of the sections with the fewest that there were instead.",
	  GC_CHOICE, offsetof(struct gc_line, best_blocks), BLOCKS },
	{ "fragtrace_gc_freed_sections_total", "Sections that they freed at once, as they do in the foreground.",
	  GC_SUM, offsetof(struct gc_line, sections), NUMBER },
	{ "fragtrace_gc_stopped_seconds_total",
	  "How long processes were stopped: they collected in their own calls, or waited for a collection.",
	  GC_PROCESS, 0, NANOSECONDS },
};

/* Of each reason, also of those that no collection had yet: a series that begins late has lost its beginning. */
static void put_reasons(const struct metrics *m, const struct gc_metric *metric, const struct volume *v, const struct gc_line *l, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		uint64_t value = 0;

		for (size_t k = 0; k < n; k++)
			if (l[k].about == metric->about && !strcmp(l[k].reason, texts[i].reason) && (!*l[k].policy || !strcmp(l[k].policy, "greedy")))
				value = *(const uint64_t *)((const char *)&l[k] + metric->at);
		if (metric->unit == NANOSECONDS)
			metrics_seconds(m, v, "reason", texts[i].reason, (double)value);
		else
			metrics_sample(m, v, "reason", texts[i].reason, metric->unit == BLOCKS ? value * v->blk_bytes : value);
	}
}

static void put_stopped(const struct metrics *m, const struct gc_metric *metric, const struct volume *v, const struct gc_line *l, size_t n)
{
	struct gc_line sum;

	add_lost(&sum, l, n);
	metrics_seconds(m, v, "how", "own", (double)sum.ns);
	if (sum.lost >= 0)
		metrics_seconds(m, v, "how", "lock", (double)sum.waited);
}

static void put_metric(struct metrics *m, const struct gc_metric *metric, const struct table *table, const struct gc_runs *runs)
{
	size_t from;

	metrics_begin(m, metric->name, metric->help);
	for (size_t i = 0; i < runs->n;) {
		from = next_volume(runs, &i);
		for (size_t k = 0; k < table->n_volumes; k++)
			if (table->volumes[k].major == runs->lines[from].major && table->volumes[k].minor == runs->lines[from].minor)
				(metric->about == GC_PROCESS ? put_stopped : put_reasons)(m, metric, &table->volumes[k], &runs->lines[from], i - from);
	}
}

/**
 * gc_put_metrics() - write why garbage collection ran, and whom it kept waiting, on all volumes, as metrics
 * @m: the metrics
 * @table: the table
 * @path: the file
 */
void gc_put_metrics(struct metrics *m, const struct table *table, const char *path)
{
	AUTO(gc_runs_free) struct gc_runs runs;

	gc_runs_read(&runs, path);
	for (size_t i = 0; i < ARRAY_LEN(gc_metrics); i++)
		put_metric(m, &gc_metrics[i], table, &runs);
}

/* === The command === */

/**
 * gc_put() - write why garbage collection ran
 * @out: where to
 * @path: the file
 * @form: JSON, or sentences
 * @most: lines of each table of JSON; the module keeps fewer
 *
 * Ends the program if the file cannot be read.
 */
void gc_put(FILE *out, const char *path, enum sheet_form form, size_t most)
{
	AUTO(gc_runs_free) struct gc_runs runs;
	struct json json = { 0 };
	size_t from;

	gc_runs_read(&runs, path);
	if (form == FORM_JSON) {
		json_begin(&json, out, "gc", 1);
		json_array(&json, "volumes");
	}
	for (size_t i = 0; i < runs.n;) {
		from = next_volume(&runs, &i);
		if (form == FORM_JSON)
			put_volume(&json, &runs.text, &runs.lines[from], i - from);
		else
			say_volume(out, &runs.text, &runs.lines[from], i - from, true);
	}
	json_end_all(&json);
}

/**
 * gc_run() - say why garbage collection ran, and whom it kept waiting; of a recording, what it has moved
 * @options: the command line
 *
 * Ends the program if the file cannot be read, or the answer cannot be written.
 *
 * Return: the exit status.
 */
int gc_run(const struct options *options)
{
	struct outfile out;

	if (options->what_if && !(options->table && recording_is(options->table)))
		die_usage("--what-if: expected the folder of a recording with events, as COUNTS or by -t");
	if (options->what_if) {
		what_if_write(options->table, options->what_if, options->form);
		return 0;
	}
	if (options->table && recording_is(options->table)) {
		moves_write(options->table, options->form);
		return 0;
	}
	outfile_open(&out, "-", "answer");
	gc_put(out.file, options->table ? options->table : DEFAULT_GC_RUNS, options->form, SIZE_MAX);
	outfile_close(&out);
	return 0;
}
