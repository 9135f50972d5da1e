// SPDX-License-Identifier: GPL-2.0-only
/*
 * Used instead of report.c: the plan, and what became of it, as JSON for other programs.
 * Names are in UTF-8 with \ooo for other bytes, as the viewer writes them. Sizes are in bytes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forecast.h"
#include "model/causes.h"
#include "names.h"
#include "report.h"
#include "report_json.h"
#include "util.h"

static void put_string(const char *text)
{
	char *utf8 = text ? name_text(text) : NULL;

	if (utf8)
		put_json_string(stdout, utf8);
	else
		fputs("null", stdout);
	free(utf8);
}

/* A member after others. */
static void put_text(const char *key, const char *text)
{
	printf(",\"%s\":", key);
	put_string(text);
}

static void put_number(const char *key, uint64_t value)
{
	printf(",\"%s\":%ju", key, (uintmax_t)value);
}

/* === Files === */

static void put_causes(struct plan *plan, uint32_t file)
{
	size_t n, i;
	struct cause_sum *sums = report_causes(plan, file, &n);

	fputs(",\"causes\":[", stdout);
	for (i = 0; i < n; i++)
		printf("%s{\"op\":\"%s\",\"flush\":\"%s\",\"why\":\"%s\",\"breaks\":%ju}", i ? "," : "",
		       cause_op_name(sums[i].cause), cause_flush_name(sums[i].cause), cause_why_name(sums[i].cause),
		       (uintmax_t)sums[i].breaks);
	putchar(']');
	free(sums);
}

static void put_again(const struct again *again)
{
	if (!again->breaks) {
		fputs(",\"hopeless\":null", stdout);
		return;
	}
	printf(",\"hopeless\":{\"op\":\"%s\",\"breaks\":%ju", cause_op_names[again->op], (uintmax_t)again->breaks);
	put_text("remedy", again_remedy(again));
	putchar('}');
}

static void put_ranges(const struct plan *plan, const struct file_plan *f)
{
	size_t i;

	fputs(",\"ranges\":[", stdout);
	for (i = f->first; i < f->end; i++) {
		const struct range *r = &plan->ranges[i];

		printf("%s{\"offset\":%ju,\"end\":%ju,\"bytes\":%ju,\"requests\":%ju,\"requests_after\":%ju,"
		       "\"heat\":%g,\"saved\":%.6f,\"gain\":%.6f,\"chosen\":%s}", i > f->first ? "," : "",
		       (uintmax_t)(r->first_blk * BLK_BYTES), (uintmax_t)(r->end_blk * BLK_BYTES),
		       (uintmax_t)(r->blks * BLK_BYTES), (uintmax_t)r->requests, (uintmax_t)r->after, r->heat,
		       range_weighed(r), r->gain, r->chosen ? "true" : "false");
	}
	putchar(']');
}

static void put_file(struct plan *plan, uint32_t file)
{
	const struct file_plan *f = &plan->files[file];

	fputs("{\"path\":", stdout);
	put_string(plan->table->files[file].path);
	put_number("ino", plan->table->files[file].ino);
	put_number("breaks", f->now.breaks);
	put_number("requests", f->now.requests);
	put_number("requests_after", f->now.requests - f->saved);
	put_number("bytes", f->blks * BLK_BYTES);
	put_text("left_alone", f->refused);
	put_again(&f->again);
	put_causes(plan, file);
	put_ranges(plan, f);
	putchar('}');
}

/* === Volumes === */

static void put_reader(struct plan *plan, uint32_t volume)
{
	const struct reader *reader = &plan->volumes[volume].reader;
	struct forecast forecast;

	if (!reader->read_blks) {
		fputs(",\"reader\":null", stdout);
		return;
	}
	forecast_find(&forecast, plan, volume);
	printf(",\"reader\":{\"direct\":%s", reader->is_direct ? "true" : "false");
	put_number("read_bytes", reader->read_blks * BLK_BYTES);
	put_number("ahead_bytes", reader->ahead_blks * BLK_BYTES);
	put_number("requests", forecast.now.most);
	put_number("requests_least", forecast.now.least);
	put_number("requests_after", forecast.after.most);
	put_number("requests_after_least", forecast.after.least);
	putchar('}');
}

static void put_volume(struct plan *plan, uint32_t volume)
{
	const struct volume *on = &plan->table->volumes[volume];
	const struct volume_plan *v = &plan->volumes[volume];
	uint64_t free_segments;
	uint32_t *files;
	size_t n, i;

	printf("{\"dev\":\"%u:%u\"", on->major, on->minor);
	put_text("path", on->path);
	put_text("left_alone", v->refused);
	put_number("request_bytes", v->request_blks * BLK_BYTES);
	put_number("breaks", v->now.breaks);
	put_number("requests", v->now.requests);
	put_number("requests_ideal", v->now.ideal);
	put_number("requests_after", v->now.requests - v->saved);
	put_reader(plan, volume);
	printf(",\"gain_percent\":%.3f,\"saved\":%.6f", report_percent(v->saved, v->now.requests), v->weighed);
	put_number("bytes", v->blks * BLK_BYTES);
	put_number("segments", report_segments(v, on->segment_blks, v->blks));
	if (device_f2fs(&v->device, "free_segments", &free_segments))
		put_number("free_segments", free_segments);
	else
		fputs(",\"free_segments\":null", stdout);
	fputs(",\"files\":[", stdout);
	files = report_files(plan, volume, &n);
	for (i = 0; i < n; i++) {
		fputs(i ? ",\n" : "\n", stdout);
		put_file(plan, files[i]);
	}
	free(files);
	fputs("]}", stdout);
}

/* === The result === */

static void put_requests(const char *key, const struct requests *r)
{
	printf(",\"%s\":{\"breaks\":%ju,\"requests\":%ju}", key, (uintmax_t)r->breaks, (uintmax_t)r->requests);
}

static void put_ranges_of(const struct plan *plan, uint32_t file, uint64_t ranges, const char *why, bool *is_first)
{
	fputs(*is_first ? "\n{\"path\":" : ",\n{\"path\":", stdout);
	*is_first = false;
	put_string(plan->table->files[file].path);
	put_number("ranges", ranges);
	put_text("why", why);
	putchar('}');
}

/* The files that the plan leaves alone, and those that resisted. */
static void put_not_moved(const struct plan *plan, const struct result *r)
{
	bool is_first = true;
	size_t i;

	fputs(",\"not_moved\":[", stdout);
	for (i = 0; i < plan->table->n_files; i++) {
		char *why = plan->files[i].n_left ? plan_why_left(plan, (uint32_t)i) : NULL;

		if (why)
			put_ranges_of(plan, (uint32_t)i, plan->files[i].n_left, why, &is_first);
		free(why);
	}
	for (i = 0; i < r->n_resisted; i++)
		put_ranges_of(plan, r->resisted[i].file, r->resisted[i].ranges, r->resisted[i].why, &is_first);
	putchar(']');
}

static void put_result(const struct plan *plan, const struct result *r)
{
	printf("{\"moved_ranges\":%ju", (uintmax_t)r->moved);
	put_number("moved_bytes", r->moved_blks * BLK_BYTES);
	put_number("moved_twice", r->moved_twice);
	put_number("joined_by_others", r->whole);
	if (r->device_is_known)
		put_number("device_bytes", r->device_kb * 1024);
	else
		fputs(",\"device_bytes\":null", stdout);
	printf(",\"seconds\":%.3f,\"seconds_left_to_others\":%.3f", r->seconds, r->left_seconds);
	put_text("ended_early", r->stopped);
	put_text("truth", r->from_fiemap ? "fiemap" : "snapshot");
	put_requests("before", &r->before);
	put_requests("after", &r->after);
	put_number("lost_files", r->n_lost);
	put_not_moved(plan, r);
	putchar('}');
}

/**
 * report_json() - print a plan, and what became of it
 * @plan: the plan
 * @result: the result; NULL: the plan was not carried out
 *
 * Ends the program if standard output cannot be written.
 */
void report_json(struct plan *plan, const struct result *result)
{
	bool is_first = true;
	uint32_t i;

	printf("{\"format\":\"fragtrace defrag 1\",\"time\":%.3f,\"stale\":%ju,\"causes\":%s,\"volumes\":[",
	       (double)plan->table->text.time_ms / 1e3, (uintmax_t)plan->table->n_stale,
	       plan->table->causes ? "true" : "false");
	for (i = 0; i < plan->table->n_volumes; i++) {
		if (!plan->volumes[i].n_files)
			continue;
		fputs(is_first ? "\n" : ",\n", stdout);
		is_first = false;
		put_volume(plan, i);
	}
	fputs("],\n\"result\":", stdout);
	if (result)
		put_result(plan, result);
	else
		fputs("null", stdout);
	puts("}");
	if (fflush(stdout))
		die("<stdout>: %s", strerror(errno));
}
