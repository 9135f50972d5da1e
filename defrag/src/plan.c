// SPDX-License-Identifier: GPL-2.0-only
/*
 * Third step of the pipeline: which ranges are worth a rewrite, most requests saved per byte first.
 * A range is a window of the request size that more than one request has to read, or a part of it. A rewrite puts
 * its blocks next to each other, and leaves one. Only this matters where the distance between blocks costs
 * nothing: a file in many long fragments is no reason to write, and a break at the edge of a window is one only if
 * readers go on across it.
 */

#include "cut.h"
#include "model/causes.h"
#include "plan.h"

/* What a window has to save by default. */
#define REQUESTS_OF_WINDOW 0.5

/* === All ranges === */

static void add_file(struct plan *plan, uint32_t file, uint64_t recent_s)
{
	struct volume_plan *v = &plan->volumes[plan->table->files[file].volume];
	struct file_plan *f = &plan->files[file];
	struct model model = { .request_blks = v->request_blks };

	model.extents = by_file_extents(&plan->by_file, file, &model.n);
	model_sum(&f->now, model.extents, model.n, v->request_blks);
	again_find(&f->again, plan->table, model.extents, model.n, recent_s);
	f->first = plan->n_ranges;
	cut_file(plan, file, model.extents, model.n);
	f->end = plan->n_ranges;
	v->n_files++;
	v->n_dear += f->now.requests > f->now.ideal;
	v->now.blks += f->now.blks;
	v->now.breaks += f->now.breaks;
	v->now.requests += f->now.requests;
	v->now.ideal += f->now.ideal;
}

/*
 * To move a window takes two requests, and what it gains lasts for some of the periods in which reads are counted. FragPicker
 * knows no such limit.
 */
static double default_gain(const struct plan *plan, uint64_t request_blks)
{
	return plan->weights->by_bytes ? 0.0 : REQUESTS_OF_WINDOW * plan->mib_blks / (double)request_blks;
}

static void check_size(const struct volume *v, const char *option, uint64_t bytes)
{
	if (bytes % v->blk_bytes)
		die("%s: %ju bytes; %s has blocks of %u bytes, expected a multiple of that", option, (uintmax_t)bytes, v->path,
		    v->blk_bytes);
}

/**
 * plan_build() - find all ranges that may be worth a rewrite
 * @plan: the result, without a choice; to be freed with plan_free()
 * @table: the table; must stay valid
 * @meant: by index into @table->files: plan for this file
 * @options: the command line
 * @weights: what is known of readers; must stay valid
 */
void plan_build(struct plan *plan, const struct table *table, const bool *meant, const struct options *options,
		const struct weights *weights)
{
	uint64_t blk_bytes;

	*plan = (struct plan){ .table = table, .mib_blks = 1048576.0 / table_blk_bytes(table), .weights = weights };
	by_file_init(&plan->by_file, table);
	plan->volumes = xcalloc(table->n_volumes, sizeof(*plan->volumes));
	plan->files = xcalloc(table->n_files, sizeof(*plan->files));
	for (size_t i = 0; i < table->n_volumes; i++) {
		struct volume_plan *v = &plan->volumes[i];

		if (options->table)
			device_unknown(&v->device, &table->volumes[i]);
		else
			device_init(&v->device, &table->volumes[i]);
		blk_bytes = v->device.blk_bytes;
		check_size(&table->volumes[i], "--request", options->request_bytes);
		check_size(&table->volumes[i], "--reader", options->reader_bytes);
		v->reader = (struct reader){
			.is_direct = options->reader == READING_DIRECT,
			.read_blks = options->reader_bytes / blk_bytes,
			.ahead_blks = device_ahead_bytes(&v->device) / blk_bytes,
			.device_blks = v->device.max_sectors_kb * 1024 / blk_bytes,
		};
		v->request_blks = (options->request_bytes ? options->request_bytes :
				   device_request_bytes(&v->device)) / blk_bytes;
		v->min_gain = options->min_gain >= 0.0 ? options->min_gain : default_gain(plan, v->request_blks);
	}
	for (size_t i = 0; i < table->n_files; i++)
		if (meant[i])
			add_file(plan, (uint32_t)i, options->recent_s);
}

/* === The choice === */

/**
 * range_weighed() - the requests that a rewrite of a range saves, each break by its weight
 * @plan: its plan
 * @range: the range
 *
 * Return: that of the reads that were counted; without counts, requests of a sequential reader.
 */
double range_weighed(const struct plan *plan, const struct range *range)
{
	return range->gain * (double)range->blks / plan->mib_blks;
}

/* The order of the choice: by gain, then as in the table. */
static int by_gain(const void *a, const void *b)
{
	const struct range *x = *(const struct range *const *)a, *y = *(const struct range *const *)b;

	return FIRST(ORDER(y->gain, x->gain), ORDER(x, y));
}

/* Is a file left alone by what is known already? */
static bool is_spared(const struct plan *plan, uint32_t file, const struct options *options)
{
	return (plan->files[file].again.breaks && options->spare_hopeless) ||
	       plan->volumes[plan->table->files[file].volume].refused;
}

static bool may_move(struct plan *plan, uint32_t file, plan_ask ask)
{
	struct file_plan *f = &plan->files[file];

	if (!f->asked && ask)
		f->refused = ask(plan, file);
	f->asked = true;
	return !f->refused;
}

static void choose(struct plan *plan, struct range *r)
{
	struct file_plan *f = &plan->files[r->file];
	struct volume_plan *v = &plan->volumes[plan->table->files[r->file].volume];

	r->chosen = true;
	v->n_chosen_files += !f->n_chosen;
	f->n_chosen++;
	f->blks += r->blks;
	f->saved += r->requests - r->after;
	v->n_chosen++;
	v->blks += r->blks;
	v->saved += r->requests - r->after;
	v->weighed += range_weighed(plan, r);
	plan->n_chosen++;
}

/**
 * ranges_joined() - the ranges that are moved together
 * @range: the first of them
 * @end: end of all ranges of the file, or of the plan
 * @blks: set to their blocks
 *
 * Return: their end.
 */
const struct range *ranges_joined(const struct range *range, const struct range *end, uint64_t *blks)
{
	*blks = 0;
	do
		*blks += range++->blks;
	while (range < end && range->is_joined);
	return range;
}

/**
 * plan_choose() - choose the best ranges within the budget
 * @plan: as left by plan_build()
 * @options: the command line
 * @ask: asked once for each file that has a range worth it; NULL: all may be moved
 *
 * Ranges that are moved together are chosen together: a part of them would make a break that they do not count. Those that are
 * too long for one step are left alone. What does not fit into what is left of the budget is skipped; smaller ones may follow.
 */
void plan_choose(struct plan *plan, const struct options *options, plan_ask ask)
{
	uint64_t left = options->budget_bytes ? options->budget_bytes / table_blk_bytes(plan->table) : UINT64_MAX;
	struct range **order = xcalloc(plan->n_ranges, sizeof(struct range *));
	size_t n = 0;

	for (size_t i = 0; i < plan->n_ranges; i++)
		if (plan->ranges[i].gain > 0.0 && !plan->ranges[i].is_joined)
			order[n++] = &plan->ranges[i];
	qsort(order, n, sizeof(struct range *), by_gain);
	for (size_t i = 0; i < n; i++) {
		struct range *r = order[i];
		struct file_plan *f = &plan->files[r->file];
		struct volume_plan *v = &plan->volumes[plan->table->files[r->file].volume];
		uint64_t blks;
		const struct range *end = ranges_joined(r, plan->ranges + plan->n_ranges, &blks);
		size_t together = (size_t)(end - r);
		bool is_long = together > 1 && blks > JOINED_MIB * plan->mib_blks;

		if (r->gain < v->min_gain)
			continue;
		if (is_spared(plan, r->file, options)) {
			f->n_left += together;
		} else if (blks > left && !is_long) {
			f->n_unfit += together;
			v->n_unfit += together;
		} else if (!may_move(plan, r->file, ask)) {
			f->n_left += together;
		} else if (is_long) {
			f->n_left += together;
			f->n_long += together;
		} else {
			left -= blks;
			for (; r < end; r++)
				choose(plan, r);
		}
	}
	free(order);
}

/**
 * plan_why_left() - why ranges of a file that are worth it were left alone
 * @plan: as left by plan_choose()
 * @file: index into table.files; it has such ranges
 *
 * Return: a sentence without its full stop; to be freed.
 */
char *plan_why_left(const struct plan *plan, uint32_t file)
{
	const struct file_plan *f = &plan->files[file];
	const struct volume_plan *v = &plan->volumes[plan->table->files[file].volume];

	if (f->refused || v->refused)
		return xasprintf("%s", f->refused ? f->refused : v->refused);
	if (f->n_long)
		return xasprintf("more than %d MiB would have to be moved together", JOINED_MIB);
	return xasprintf("it will break again: %s of its %s breaks are recent, by %s", GROUPED(f->again.breaks),
			 GROUPED(f->again.all), cause_op_names[f->again.op]);
}

/**
 * plan_free() - release a plan
 * @plan: as left by plan_build()
 */
void plan_free(struct plan *plan)
{
	for (size_t i = 0; i < plan->table->n_files; i++)
		free(plan->files[i].refused);
	for (size_t i = 0; i < plan->table->n_volumes; i++) {
		device_free(&plan->volumes[i].device);
		free(plan->volumes[i].refused);
	}
	free(plan->volumes);
	free(plan->files);
	free(plan->ranges);
	by_file_free(&plan->by_file);
	*plan = (struct plan){ 0 };
}
