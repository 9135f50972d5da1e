// SPDX-License-Identifier: GPL-2.0-only
/*
 * Last step of the pipeline: the plan, and what became of it, as text for a terminal.
 * Long lists end with the number of what is not shown; --json has everything.
 */
#include <locale.h>

#include "forecast.h"
#include "model/causes.h"
#include "names.h"
#include "output/phrases.h"
#include "report.h"

/* The limits of what is listed one by one. */
#define MAX_ENTRIES 20
#define MAX_RANGES 4
#define MAX_KINDS 3
#define MAX_RESISTED 20

/* === Words === */

/* "requests 40 -> 10 (75 % fewer)", as other shares */
static void put_requests(uint64_t before, uint64_t after)
{
	printf("requests %s -> %s", GROUPED(before), GROUPED(after));
	if (after <= before)
		printf(" (%s fewer)", SHARE(before - after, before));
}

/**
 * report_percent() - a part of a whole
 * @part: the part
 * @all: the whole
 *
 * Return: percent; 0 of nothing.
 */
double report_percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0.0;
}

/**
 * report_segments() - the free segments that are needed, in whole sections
 * @volume: the plan of the volume
 * @segment_blks: blocks in a segment
 * @blks: blocks to write
 *
 * Return: the number of segments.
 */
uint64_t report_segments(const struct volume_plan *volume, uint64_t segment_blks, uint64_t blks)
{
	uint64_t section_blks = segment_blks * volume->device.section_segments;

	return (blks + section_blks - 1) / section_blks * volume->device.section_segments;
}

/* === The order of files === */

/* Chosen files come first, what saves more before what saves less; then those left alone, the worst first. */
static int by_saving(const void *a, const void *b, void *priv)
{
	const struct plan *plan = priv;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct file_plan *x = &plan->files[i], *y = &plan->files[k];
	uint64_t x_extra = x->now.requests - x->now.ideal, y_extra = y->now.requests - y->now.ideal;

	return FIRST(ORDER(!x->n_chosen, !y->n_chosen),
		     FIRST(ORDER(y->saved, x->saved), FIRST(ORDER(y_extra, x_extra), ORDER(i, k))));
}

/**
 * report_files() - the fragmented files of a volume, those first that save most
 * @plan: the plan
 * @volume: index into table.volumes
 * @n: set to their number
 *
 * Return: indices into table.files; to be freed.
 */
uint32_t *report_files(const struct plan *plan, uint32_t volume, size_t *n)
{
	uint32_t *files = xcalloc(plan->table->n_files, sizeof(*files)), i;

	*n = 0;
	for (i = 0; i < plan->table->n_files; i++)
		if (plan->table->files[i].volume == volume && plan->files[i].end > plan->files[i].first)
			files[(*n)++] = i;
	qsort_r(files, *n, sizeof(*files), by_saving, (void *)(uintptr_t)plan);
	return files;
}

/* === The plan of a file === */

/**
 * report_causes() - the breaks of a file by kind of cause
 * @plan: the plan
 * @file: index into table.files
 * @n: set to their number
 *
 * Return: the sums, those of the most breaks first; to be freed. None if the table has no causes.
 */
struct cause_sum *report_causes(struct plan *plan, uint32_t file, size_t *n)
{
	const struct table *table = plan->table;
	size_t n_extents, found = 0;
	const struct file_extent *p = by_file_extents(&plan->by_file, file, &n_extents);
	AUTO_FREE struct file_break *breaks = xcalloc(n_extents, sizeof(*breaks));

	for (size_t i = 1; table->causes && i < n_extents; i++)
		if (p[i].lba != p[i - 1].lba + p[i - 1].blks)
			breaks[found++] = (struct file_break){
				.extent = (uint32_t)p[i].extent,
				.cause = cause_of_break(table, p[i].extent),
			};
	return breaks_sum(breaks, found, CAUSE_KIND, n);
}

static void put_causes(struct plan *plan, uint32_t file)
{
	size_t n, i;
	AUTO_FREE struct cause_sum *sums = report_causes(plan, file, &n);

	for (i = 0; i < n && i < MAX_KINDS; i++) {
		AUTO_FREE char *kind = phrase_kind(sums[i].cause);

		printf("    %s: %s.\n", COUNT(sums[i].breaks, "break"), kind);
	}
	if (i < n)
		printf("    and %s.\n", COUNT(n - i, "other cause"));
}

/* ", requests 16 -> 1, used 2.5 times"; @end: of the ranges of the file */
static void put_gain(const struct plan *plan, const struct range *r, const struct range *end)
{
	if (r->requests == 1 && (r->heals_edge || (r + 1 < end && r[1].heals_edge)))
		printf(", whole, fragmented at its edge, met %.1f times", r->heat);
	else if (r->requests == 1)
		fputs(", whole, read together with others", stdout);
	else
		printf(", requests %s -> %s", GROUPED(r->requests), GROUPED(r->after));
	if (r->requests > 1 && plan->weights->known)
		printf(", used %.1f times", r->heat);
}

/* "    at 128 KiB: 64 KiB, requests 16 -> 1, used 2.5 times"; whole ranges come last: they are moved because of the others. */
static void put_ranges(const struct plan *plan, const struct file_plan *f)
{
	size_t shown = 0;

	for (int whole = 0; whole < 2; whole++) {
		for (size_t i = f->first; i < f->end && shown < MAX_RANGES; i++) {
			const struct range *r = &plan->ranges[i];

			if (!r->chosen || (r->requests == 1) != whole)
				continue;
			printf("    at %s: %s", BLKS(plan->table->volumes, r->first_blk), BLKS(plan->table->volumes, r->blks));
			put_gain(plan, r, plan->ranges + f->end);
			putchar('\n');
			shown++;
		}
	}
	if (f->n_chosen > shown)
		printf("    and %s\n", COUNT(f->n_chosen - shown, "more range"));
}

static void put_again(const struct again *again, bool is_moved)
{
	const char *remedy = advice_text(again->advice);

	printf("%s%s of %s by %s, so it will break again%s%s.\n",
	       is_moved ? "    moved, though hopeless: " : "    hopeless: ", COUNT(again->breaks, "recent break"),
	       GROUPED(again->all), cause_op_names[again->op], remedy ? "; " : "", remedy ? remedy : "");
}

static void put_long(const struct plan *plan, uint32_t file)
{
	AUTO_FREE char *why = plan_why_left(plan, file);

	printf("    left alone: %s, since %s.\n", COUNT(plan->files[file].n_long, "range"), why);
}

/* ": 1 range, 24 KiB to write, requests 34 -> 33 (2.9 % fewer), 1 break"; @f: of a file, or the sum of some */
static void put_figures(const struct plan *plan, const struct file_plan *f)
{
	fputs(": ", stdout);
	if (f->n_chosen) {
		printf("%s, %s to write, ", COUNT(f->n_chosen, "range"), BLKS(plan->table->volumes, f->blks));
		put_requests(f->now.requests, f->now.requests - f->saved);
	} else {
		printf("%s%s", COUNT(f->now.requests, "request"),
		       f->n_left ? ", left alone" : f->n_unfit ? ", not within the budget" : ", not worth it");
	}
	printf(", %s\n", COUNT(f->now.breaks, "break"));
}

static void put_file(struct plan *plan, uint32_t file)
{
	const struct file_plan *f = &plan->files[file];

	fputs("  ", stdout);
	name_put(stdout, plan->table->files[file].path);
	put_figures(plan, f);
	if (f->again.breaks)
		put_again(&f->again, f->n_chosen);
	else if (f->refused)
		printf("    left alone: %s.\n", f->refused);
	else if (f->n_long)
		put_long(plan, file);
	put_causes(plan, file);
	put_ranges(plan, f);
}

/* === Files of which the same is said === */

#define NO_CAUSE 0	/* a break has another one */

/* The first of them, the cause of most of its breaks, and the sum of the others. */
struct entry {
	uint32_t first;
	uint32_t last;
	uint32_t cause;
	size_t n_others;
	struct file_plan others;
};

static uint32_t main_cause(struct plan *plan, uint32_t file)
{
	size_t n;
	AUTO_FREE struct cause_sum *sums = report_causes(plan, file, &n);

	return n ? sums->cause : NO_CAUSE;
}

static bool is_like(const struct file_plan *x, const struct file_plan *y)
{
	return !x->n_chosen == !y->n_chosen && !x->n_left == !y->n_left && !x->n_unfit == !y->n_unfit && !x->n_long == !y->n_long &&
	       !x->again.breaks == !y->again.breaks && x->again.op == y->again.op && x->again.advice == y->again.advice &&
	       !strcmp(x->refused ? x->refused : "", y->refused ? y->refused : "");
}

static void add_like(struct entry *entry, const struct file_plan *f, uint32_t file)
{
	struct file_plan *sum = &entry->others;

	entry->n_others++;
	entry->last = file;
	sum->now.requests += f->now.requests;
	sum->now.breaks += f->now.breaks;
	sum->n_chosen += f->n_chosen;
	sum->n_left += f->n_left;
	sum->n_unfit += f->n_unfit;
	sum->blks += f->blks;
	sum->saved += f->saved;
}

static void put_entry(struct plan *plan, const struct entry *entry)
{
	put_file(plan, entry->first);
	if (!entry->n_others)
		return;
	if (entry->n_others > 1) {
		printf("  and %s like this", COUNT(entry->n_others, "file"));
	} else {
		fputs("  like this, ", stdout);
		name_put(stdout, plan->table->files[entry->last].path);
	}
	put_figures(plan, &entry->others);
}

static void put_files(struct plan *plan, uint32_t volume)
{
	struct entry entries[MAX_ENTRIES] = { 0 };
	size_t n, n_entries = 0, left = 0, k;
	AUTO_FREE uint32_t *files = report_files(plan, volume, &n);

	for (size_t i = 0; i < n; i++) {
		const struct file_plan *f = &plan->files[files[i]];
		uint32_t cause = main_cause(plan, files[i]);
		bool says_why = cause != NO_CAUSE || f->refused || f->n_long;

		for (k = 0; k < n_entries && !(entries[k].cause == cause && is_like(&plan->files[entries[k].first], f)); k++)
			;
		if (k < n_entries && says_why)
			add_like(&entries[k], f, files[i]);
		else if (n_entries < MAX_ENTRIES)
			entries[n_entries++] = (struct entry){ .first = files[i], .cause = cause };
		else
			left++;
	}
	for (k = 0; k < n_entries; k++)
		put_entry(plan, &entries[k]);
	if (left)
		printf("  and %s\n", COUNT(left, "more file"));
}

/* === The plan of a volume === */

/* "  who reads all of it in order, buffered, 4 KiB at once: requests 35 -> 33 (5.7 % fewer)" */
static void put_reader(struct plan *plan, uint32_t volume)
{
	const struct reader *reader = &plan->volumes[volume].reader;
	struct forecast forecast;

	if (!reader->read_blks)
		return;
	forecast_find(&forecast, plan, volume);
	printf("  who reads all of it in order, %s, %s at once: ", reader->is_direct ? "direct" : "buffered",
	       BLKS(plan->table->volumes, reader->read_blks));
	put_requests(forecast.now.most, forecast.after.most);
	if (forecast.now.least < forecast.now.most || forecast.after.least < forecast.after.most)
		printf("; as few as %s -> %s where pages follow each other in memory", GROUPED(forecast.now.least),
		       GROUPED(forecast.after.least));
	putchar('\n');
}

static void put_free_segments(const struct volume_plan *v, uint64_t needed)
{
	uint64_t free_segments;

	printf("needs %s", COUNT(needed, "free segment"));
	if (device_f2fs(&v->device, "free_segments", &free_segments))
		printf("; %s %s free", GROUPED(free_segments), free_segments == 1 ? "is" : "are");
	putchar('\n');
}

static void put_sums(const struct plan *plan, uint32_t volume)
{
	const struct volume_plan *v = &plan->volumes[volume];

	if (!v->n_chosen) {
		puts(v->n_unfit ? "  nothing that is worth a rewrite fits into the budget" : "  nothing is worth a rewrite");
		return;
	}
	printf("  worth a rewrite: %s in %s, ", COUNT(v->n_chosen, "range"), COUNT(v->n_chosen_files, "file"));
	put_requests(v->now.requests, v->now.requests - v->saved);
	printf(", %s to write, ", BLKS(plan->table->volumes, v->blks));
	put_free_segments(v, report_segments(v, plan->table->volumes[volume].segment_blks, v->blks));
	if (plan->weights->known && !plan->weights->by_bytes)
		printf("  the reads and overwrites that were counted would have saved %s of their requests\n",
		       GROUPED((uint64_t)(v->weighed + 0.5)));
}

static void put_volume(struct plan *plan, uint32_t volume)
{
	const struct volume *on = &plan->table->volumes[volume];
	const struct volume_plan *v = &plan->volumes[volume];

	name_put(stdout, on->path);
	printf(": %s, %s, requests of %s: %s, if no file were fragmented %s; %s take%s more than needed\n",
	       COUNT(v->n_files, "file"), BLKS(on, v->now.blks), BLKS(on, v->request_blks), GROUPED(v->now.requests),
	       GROUPED(v->now.ideal), COUNT(v->n_dear, "file"), v->n_dear == 1 ? "s" : "");
	if (v->refused)
		printf("  left alone: %s\n", v->refused);
	put_sums(plan, volume);
	put_reader(plan, volume);
	put_files(plan, volume);
}

/* === Begin and end === */

/**
 * report_plan() - print a plan
 * @plan: the plan
 *
 * Ends the program if standard output cannot be written.
 */
void report_plan(struct plan *plan)
{
	setlocale(LC_CTYPE, "");
	for (uint32_t i = 0; i < plan->table->n_volumes; i++)
		if (plan->volumes[i].n_files)
			put_volume(plan, i);
	if (!plan->table->n_files)
		puts("No watched file has blocks.");
	if (plan->table->n_stale)
		printf("%s may have changed since: fragtrace has marked them as stale.\n",
		       COUNT(plan->table->n_stale, "file"));
	flush_stdout();
}

static void put_resisted(const struct plan *plan, const struct result *r)
{
	size_t i;

	for (i = 0; i < r->n_resisted && i < MAX_RESISTED; i++) {
		printf("  not moved: %s of ", COUNT(r->resisted[i].ranges, "range"));
		name_put(stdout, plan->table->files[r->resisted[i].file].path);
		printf(": %s\n", r->resisted[i].why);
	}
	if (i < r->n_resisted)
		printf("  and %s\n", COUNT(r->n_resisted - i, "more reason"));
}

/**
 * report_result() - print what became of a plan
 * @plan: the plan
 * @r: the result
 *
 * Ends the program if standard output cannot be written.
 */
void report_result(const struct plan *plan, const struct result *r)
{
	printf("moved: %s of %s, %s in %.1f s", COUNT(r->moved, "range"), GROUPED(plan->n_chosen),
	       BLKS(plan->table->volumes, r->moved_blks), r->seconds);
	if (r->left_seconds > 0.0)
		printf(", %.1f of them left to others", r->left_seconds);
	if (r->device_is_known)
		printf("; the device wrote %s meanwhile, of all processes", BYTES(r->device_kb * 1024));
	putchar('\n');
	if (r->moved_twice)
		printf("  %s moved again, since a segment had ended there\n", COUNT(r->moved_twice, "range"));
	if (r->whole)
		printf("  %s had been joined by others\n", COUNT(r->whole, "range"));
	put_resisted(plan, r);
	if (r->stopped)
		printf("ended early: %s; the rest of the plan is not done\n", r->stopped);
	printf("now, by %s, of %s worked on: breaks %ju -> %ju, ", r->from_fiemap ? "FIEMAP" : "a new snapshot",
	       COUNT(r->n_files - r->n_lost, "file"), (uintmax_t)r->before.breaks, (uintmax_t)r->after.breaks);
	put_requests(r->before.requests, r->after.requests);
	putchar('\n');
	if (r->n_lost)
		printf("%s could not be found again\n", COUNT(r->n_lost, "file"));
	flush_stdout();
}
