// SPDX-License-Identifier: GPL-2.0-only
/* A table, be it binary, and all that the viewer works out of it: colours, runs, the measures of the picture, figures. */
#include <stdlib.h>
#include <string.h>

#include "conf.h"
#include "frame.h"
#include "input/snapshot.h"
#include "input/table.h"
#include "model/color.h"
#include "model/figures.h"
#include "model/runs.h"
#include "picture/layout.h"

void target(char *text, size_t len)
{
	struct text copy = { .buf = xreallocarray(NULL, len + 1, 1), .len = len };
	struct colors colors;
	struct img_conf img;
	struct table table;
	struct runs runs;
	struct figures *figures;
	struct layout layout;

	memcpy(copy.buf, text, len + 1);
	colors_init(&colors, "kind");
	img_conf_read(&img, NULL);
	if (snapshot_is(&copy))
		snapshot_parse(&table, "snapshot", &copy);
	else
		table_parse(&table, "table", &copy, false);
	colors_learn(&colors, &table);
	runs_build(&runs, &table, &colors);
	layout_init(&layout, &runs, &img, colors.n_rules);
	layout_free(&layout);
	runs_free(&runs);
	figures = figures_of(&table, NULL);
	free(figures_worst(figures, table.n_files));
	free(figures);
	table_free(&table);
	colors_free(&colors);
}
