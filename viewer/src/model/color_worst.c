// SPDX-License-Identifier: GPL-2.0-only
/* Colours that tell files apart: those that cost a reader most have a colour each. */

#include "model/color.h"

/* Number of files with their own colour. The rules after them: other fragmented files, contiguous ones. */
#define MAX_FILES 10
#define OTHER "other fragmented files"
#define CONTIGUOUS "contiguous files"
#define N_OTHERS 2

static const struct color_class classes[] = { { 0, OTHER, RGB_UNKNOWN }, { 0, CONTIGUOUS, RGB_NEUTRAL } };
_Static_assert(ARRAY_LEN(classes) == N_OTHERS && MAX_FILES < N_DISTINCT, "too few colours");

static const char *name_of(const struct table *table, const struct file *file)
{
	const char *root = table->volumes[0].path;
	size_t n = strlen(root);

	return table->n_volumes == 1 && !strncmp(file->path, root, n) && file->path[n] == '/' ? file->path + n + 1 : file->path;
}

/* Files keep their colours when the table is read again; new ones get what is left. */
static void worst_learn(struct colors *colors, const struct table *table)
{
	AUTO_FREE struct figures *figures = figures_of(table, NULL, NULL);
	AUTO_FREE uint32_t *order = figures_worst(figures, table->n_files);

	free(colors->rule_of);
	colors->rule_of = xcalloc(table->n_files, sizeof(*colors->rule_of));
	for (size_t i = 0; i < table->n_files; i++) {
		const struct figures *f = &figures[order[i]];
		const char *name = name_of(table, &table->files[order[i]]);
		size_t n = colors->n_rules - N_OTHERS;

		if (f->fragments > 1 && n < MAX_FILES && !colors_find(colors, name))
			colors_add_plain(colors, N_OTHERS, name, colors_distinct(n));
	}
	for (size_t i = 0; i < table->n_files; i++) {
		const struct rule *rule = colors_find(colors, name_of(table, &table->files[i]));

		if (!rule)
			rule = colors_find(colors, figures[i].fragments > 1 ? OTHER : CONTIGUOUS);
		colors->rule_of[i] = (uint8_t)(rule - colors->rules);
	}
}

static size_t worst_rule(const struct colors *colors, const struct fragment *f)
{
	return colors->rule_of[f->table->extents[f->extent].file];
}

const struct color_source color_worst = {
	.name = "worst",
	.heading = "file",
	.meaning = "colours tell the files apart that take the most extra requests; a line is between two fragments of one file",
	.counts = "fragments",
	.classes = classes,
	.n_classes = N_OTHERS,
	.learn = worst_learn,
	.rule = worst_rule,
};
