// SPDX-License-Identifier: GPL-2.0-only
/*
 * fragtrace defrag: rewrite what is worth it of the files that fragtrace watches.
 * The pipeline: table and heat -> selected files -> windows and their requests -> plan -> report, or work and its
 * result.
 */

#include "apply.h"
#include "commands.h"
#include "input/f2fs_state.h"
#include "input/source.h"
#include "input/table.h"
#include "plan.h"
#include "report.h"
#include "report_json.h"
#include "select.h"
#include "weight.h"

#define HEAT MODULE_FILE("heat")

static int carry_out(struct plan *plan, const struct options *options, struct source *source)
{
	struct result result;
	int status = EXIT_SUCCESS;

	if (options->form != FORM_JSON)
		report_plan(plan);
	if (!plan->n_chosen) {
		if (options->form == FORM_JSON)
			report_json(plan, &(struct result){ 0 });
		return EXIT_NOTHING;
	}
	apply_plan(&result, plan, options, source);
	if (result.stopped || result.n_resisted)
		status = EXIT_BAD;
	if (options->form == FORM_JSON)
		report_json(plan, &result);
	else
		report_result(plan, &result);
	apply_free(&result);
	return status;
}

static int only_plan(struct plan *plan, const struct options *options)
{
	if (options->form == FORM_JSON)
		report_json(plan, NULL);
	else
		report_plan(plan);
	return plan->n_chosen ? EXIT_SUCCESS : EXIT_NOTHING;
}

static void check(struct options *o)
{
	if (o->all && (o->heat || o->hot_percent < 100.0 || o->like_fragpicker))
		die_usage("--all: plans for all ranges alike; leave out --heat, --hot and --like");
	if (!o->all && !o->heat && o->table)
		die_usage("%s: does not have what is read; give --heat FILE, or --all: plan for all ranges alike", o->table);
	if (!o->table && o->n_operands && access(DEFAULT_SNAPSHOT, F_OK) && source_may_be(*o->operands))
		die_usage("%s: is a table; name it after -t", *o->operands);
	if (o->apply && o->table)
		die_usage("--apply: works on what is mounted now; leave out -t");
	if (!o->apply && (o->rate_bytes || o->share_percent < 100.0 || o->way != WAY_AUTO))
		die_usage("--rate, --share and --way: say how to write; give --apply, too");
	if (o->apply && geteuid())
		die("--apply: only root may move blocks");
	o->spare_hopeless = !o->like_fragpicker && (!o->all || o->spare_hopeless);
	if (!o->all && !o->heat)
		o->heat = HEAT;
}

/**
 * defrag_run() - the command: plan a rewrite, or carry it out
 * @given: the command line
 *
 * Return: the exit status.
 */
int defrag_run(const struct options *given)
{
	struct options options = *given;
	AUTO(source_free) struct source source;
	AUTO(table_free) struct table table;
	AUTO(weights_free) struct weights weights;
	AUTO(plan_free) struct plan plan;

	check(&options);
	source_init(&source, options.table ? options.table : DEFAULT_SNAPSHOT);
	/* a source that cannot be read the first time ends the program */
	source_read_table(&source, &table, false);
	source_report(&source);
	if (!options.table)
		free(f2fs_modes_read(&table, NULL));
	AUTO_FREE bool *meant = select_files(&options, &table);
	weights_init(&weights, &options);
	if (options.hot_percent < 100.0)
		weights_choose(&weights, &table, meant, options.hot_percent);
	plan_build(&plan, &table, meant, &options, &weights);
	if (!options.table)
		apply_ask_volumes(&plan, &options);
	plan_choose(&plan, &options, options.table ? NULL : apply_ask);
	return options.apply ? carry_out(&plan, &options, &source) : only_plan(&plan, &options);
}
