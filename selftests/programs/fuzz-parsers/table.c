// SPDX-License-Identifier: GPL-2.0-only
/*
 * A table or binary snapshot, and everything that the viewer computes from it: colours, runs, the
 * measures of the picture, figures, breaks.
 */
#include <stdlib.h>
#include <string.h>

#include "conf.h"
#include "frame.h"
#include "input/snapshot.h"
#include "input/table.h"
#include "model/color.h"
#include "input/figures.h"
#include "model/groups.h"
#include "model/runs.h"
#include "picture/layout.h"

static void lay_out(const struct table *table, const char *by)
{
	struct colors colors;
	struct img_conf img;
	struct layout layout;
	struct runs runs;

	img_conf_read(&img, NULL);
	colors_init(&colors, by);
	colors_learn(&colors, table);
	runs_build(&runs, table, NULL, &colors, NULL);
	layout_init(&layout, &runs, &img, colors.n_rules);
	layout_free(&layout);
	runs_free(&runs);
	colors_free(&colors);
}

static void add_up(const struct table *table)
{
	uint8_t *starts = xcalloc(table->n_extents, sizeof(*starts));
	struct figures *figures = figures_of(table, starts, NULL);
	struct breaks breaks;
	struct groups groups;
	size_t n;

	free(figures_worst(figures, table->n_files));
	breaks_find(&breaks, table, starts);
	groups_find(&groups, table, &breaks);
	free(breaks_sum(breaks.all, breaks.n, CAUSE_KIND, &n));
	groups_free(&groups);
	breaks_free(&breaks);
	free(figures);
	free(starts);
}

void target(char *text, size_t len)
{
	static const char *const by[] = { "kind", "cause", "why", "process", "age" };
	struct text copy = { .buf = xreallocarray(NULL, len + 1, 1), .len = len };
	struct table table;
	size_t i;

	memcpy(copy.buf, text, len + 1);
	if (snapshot_is(&copy))
		snapshot_parse(&table, "snapshot", &copy);
	else
		table_parse(&table, "table", &copy, false);
	for (i = 0; i < ARRAY_LEN(by); i++)
		lay_out(&table, by[i]);
	add_up(&table);
	table_free(&table);
}
