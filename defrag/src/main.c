// SPDX-License-Identifier: GPL-2.0-only
/*
 * fragtrace-defrag: rewrite what is worth it of the files that fragtrace watches.
 * The pipeline: table and heat -> selected files -> windows and their requests -> plan -> report, or work and its
 * result.
 */
#include <stdlib.h>
#include <unistd.h>

#include "apply.h"
#include "input/source.h"
#include "input/table.h"
#include "options.h"
#include "plan.h"
#include "report.h"
#include "report_json.h"
#include "select.h"
#include "util.h"
#include "weight.h"

/* What the exit status says; 1 is an error, EXIT_USAGE one of the command line. */
enum { DONE = 0, PARTLY = 3, NOTHING_WORTH_IT = 4 };

static int carry_out(struct plan *plan, const struct options *options, struct source *source)
{
	struct result result;
	int status = DONE;

	if (!options->json)
		report_plan(plan);
	if (!plan->n_chosen) {
		if (options->json)
			report_json(plan, &(struct result){ 0 });
		return NOTHING_WORTH_IT;
	}
	apply_plan(&result, plan, options, source);
	if (result.stopped || result.n_resisted)
		status = PARTLY;
	if (options->json)
		report_json(plan, &result);
	else
		report_result(plan, &result);
	apply_free(&result);
	return status;
}

static int only_plan(struct plan *plan, const struct options *options)
{
	if (options->json)
		report_json(plan, NULL);
	else
		report_plan(plan);
	return plan->n_chosen ? DONE : NOTHING_WORTH_IT;
}

int main(int argc, char **argv)
{
	struct options options;
	struct source source;
	struct table table;
	struct weights weights;
	struct plan plan;
	bool *meant;
	int status;

	program = "fragtrace-defrag";
	options_read(&options, argc, argv);
	if (options.apply && geteuid())
		die("--apply: only root may move blocks");
	source_init(&source, options.table);
	/* a source that cannot be read the first time ends the program */
	source_read_table(&source, &table, false);
	source_report(&source);
	meant = select_files(&options, &table);
	weights_init(&weights, &options);
	if (options.hot_percent < 100.0)
		weights_choose(&weights, &table, meant, options.hot_percent);
	plan_build(&plan, &table, meant, &options, &weights);
	if (options.is_live)
		apply_ask_volumes(&plan, &options);
	plan_choose(&plan, &options, options.is_live ? apply_ask : NULL);
	status = options.apply ? carry_out(&plan, &options, &source) : only_plan(&plan, &options);
	plan_free(&plan);
	weights_free(&weights);
	free(meant);
	table_free(&table);
	source_free(&source);
	return status;
}
