// SPDX-License-Identifier: GPL-2.0-only
/*
 * Used instead of report.c: the plan, and what became of it, as JSON for other programs.
 * Names are in UTF-8 with \ooo for other bytes, as the viewer writes them. Sizes are in bytes.
 */

#include "forecast.h"
#include "model/causes.h"
#include "output/json.h"
#include "report.h"
#include "report_json.h"

/* The JSON, on standard output. */
static struct json json;

/* === Files === */

static void put_causes(struct plan *plan, uint32_t file)
{
	size_t n;
	AUTO_FREE struct cause_sum *sums = report_causes(plan, file, &n);

	JSON_ARRAY(&json, "causes");
	for (size_t i = 0; i < n; i++) {
		JSON_OBJECT(&json, NULL);
		json_text(&json, "op", cause_op_name(sums[i].cause));
		json_text(&json, "flush", cause_flush_name(sums[i].cause));
		json_text(&json, "why_here", cause_why_name(sums[i].cause));
		json_number(&json, "breaks", sums[i].breaks);
	}
}

static void put_again(const struct again *again)
{
	if (!again->breaks) {
		json_text(&json, "hopeless", NULL);
		return;
	}
	JSON_OBJECT(&json, "hopeless");
	json_text(&json, "op", cause_op_names[again->op]);
	json_number(&json, "breaks", again->breaks);
	json_text(&json, "remedy", advice_text(again->advice));
}

static void put_ranges(const struct plan *plan, const struct file_plan *f)
{
	JSON_ARRAY(&json, "ranges");
	for (size_t i = f->first; i < f->end; i++) {
		const struct range *r = &plan->ranges[i];

		JSON_OBJECT(&json, NULL);
		json_number(&json, "offset", r->first_blk * table_blk_bytes(plan->table));
		json_number(&json, "end", r->end_blk * table_blk_bytes(plan->table));
		json_number(&json, "bytes", r->blks * table_blk_bytes(plan->table));
		json_number(&json, "requests", r->requests);
		json_number(&json, "requests_after", r->after);
		fprintf(json_value(&json, "heat"), "%g", r->heat);
		json_real(&json, "saved", range_weighed(plan, r), 6);
		json_real(&json, "gain", r->gain, 6);
		json_flag(&json, "chosen", r->chosen);
	}
}

static void put_file(struct plan *plan, uint32_t file)
{
	const struct file_plan *f = &plan->files[file];

	json_line(&json);
	JSON_OBJECT(&json, NULL);
	json_name(&json, "path", plan->table->files[file].path);
	json_number(&json, "ino", plan->table->files[file].ino);
	json_number(&json, "breaks", f->now.breaks);
	json_number(&json, "requests", f->now.requests);
	json_number(&json, "requests_after", f->now.requests - f->saved);
	json_number(&json, "bytes", f->blks * table_blk_bytes(plan->table));
	json_name(&json, "left_alone", f->refused);
	put_again(&f->again);
	put_causes(plan, file);
	put_ranges(plan, f);
}

/* === Volumes === */

static void put_reader(struct plan *plan, uint32_t volume)
{
	const struct reader *reader = &plan->volumes[volume].reader;
	struct forecast forecast;

	if (!reader->read_blks) {
		json_text(&json, "reader", NULL);
		return;
	}
	forecast_find(&forecast, plan, volume);
	JSON_OBJECT(&json, "reader");
	json_flag(&json, "direct", reader->is_direct);
	json_number(&json, "read_bytes", reader->read_blks * table_blk_bytes(plan->table));
	json_number(&json, "ahead_bytes", reader->ahead_blks * table_blk_bytes(plan->table));
	json_number(&json, "requests", forecast.now.most);
	json_number(&json, "requests_least", forecast.now.least);
	json_number(&json, "requests_after", forecast.after.most);
	json_number(&json, "requests_after_least", forecast.after.least);
}

static void put_volume(struct plan *plan, uint32_t volume)
{
	const struct volume *on = &plan->table->volumes[volume];
	const struct volume_plan *v = &plan->volumes[volume];
	uint64_t free_segments = 0;
	bool is_known = device_f2fs(&v->device, "free_segments", &free_segments);
	size_t n;

	json_line(&json);
	JSON_OBJECT(&json, NULL);
	json_format(&json, "dev", "%u:%u", on->major, on->minor);
	json_name(&json, "path", on->path);
	json_name(&json, "left_alone", v->refused);
	json_number(&json, "request_bytes", v->request_blks * table_blk_bytes(plan->table));
	json_number(&json, "breaks", v->now.breaks);
	json_number(&json, "requests", v->now.requests);
	json_number(&json, "requests_ideal", v->now.ideal);
	json_number(&json, "requests_after", v->now.requests - v->saved);
	put_reader(plan, volume);
	json_real(&json, "gain_percent", report_percent(v->saved, v->now.requests), 3);
	json_real(&json, "saved", v->weighed, 6);
	json_number(&json, "bytes", v->blks * table_blk_bytes(plan->table));
	json_number(&json, "segments", report_segments(v, on->segment_blks, v->blks));
	json_maybe(&json, "free_segments", free_segments, is_known);
	JSON_ARRAY(&json, "files");
	AUTO_FREE uint32_t *files = report_files(plan, volume, &n);
	for (size_t i = 0; i < n; i++)
		put_file(plan, files[i]);
}

/* === The result === */

static void put_requests(const char *key, const struct requests *r)
{
	JSON_OBJECT(&json, key);
	json_number(&json, "breaks", r->breaks);
	json_number(&json, "requests", r->requests);
}

static void put_ranges_of(const struct plan *plan, uint32_t file, uint64_t ranges, const char *why)
{
	json_line(&json);
	JSON_OBJECT(&json, NULL);
	json_name(&json, "path", plan->table->files[file].path);
	json_number(&json, "ranges", ranges);
	json_name(&json, "why", why);
}

/* The files that the plan leaves alone, and those that resisted. */
static void put_not_moved(const struct plan *plan, const struct result *r)
{
	JSON_ARRAY(&json, "not_moved");
	for (size_t i = 0; i < plan->table->n_files; i++) {
		AUTO_FREE char *why = plan->files[i].n_left ? plan_why_left(plan, (uint32_t)i) : NULL;

		if (why)
			put_ranges_of(plan, (uint32_t)i, plan->files[i].n_left, why);
	}
	for (size_t i = 0; i < r->n_resisted; i++)
		put_ranges_of(plan, r->resisted[i].file, r->resisted[i].ranges, r->resisted[i].why);
}

static void put_result(const struct plan *plan, const struct result *r)
{
	JSON_OBJECT(&json, "result");
	json_number(&json, "moved_ranges", r->moved);
	json_number(&json, "moved_bytes", r->moved_blks * table_blk_bytes(plan->table));
	json_number(&json, "moved_twice", r->moved_twice);
	json_number(&json, "joined_by_others", r->whole);
	json_maybe(&json, "device_bytes", r->device_kb * 1024, r->device_is_known);
	json_real(&json, "seconds", r->seconds, 3);
	json_real(&json, "seconds_left_to_others", r->left_seconds, 3);
	json_name(&json, "ended_early", r->stopped);
	json_text(&json, "truth", r->from_fiemap ? "fiemap" : "snapshot");
	put_requests("before", &r->before);
	put_requests("after", &r->after);
	json_number(&json, "lost_files", r->n_lost);
	put_not_moved(plan, r);
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
	json = (struct json){ .file = stdout };
	json_object(&json, NULL);
	json_text(&json, "format", "fragtrace defrag 1");
	json_real(&json, "time", (double)plan->table->text.time_ms / 1e3, 3);
	json_number(&json, "stale", plan->table->n_stale);
	json_flag(&json, "causes", plan->table->causes);
	json_array(&json, "volumes");
	for (uint32_t i = 0; i < plan->table->n_volumes; i++)
		if (plan->volumes[i].n_files)
			put_volume(plan, i);
	json_end(&json);
	json_line(&json);
	if (result)
		put_result(plan, result);
	else
		json_text(&json, "result", NULL);
	json_end(&json);
	flush_stdout();
}
