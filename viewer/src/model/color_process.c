// SPDX-License-Identifier: GPL-2.0-only
/* Colours by the process that wrote a fragment. The processes with the most fragments get colours. */

#include "model/causes.h"
#include "model/color.h"

/* Number of processes with their own colour. The rules after them: others, several, unknown. */
#define MAX_PROCESSES 8
#define OTHER "other processes"
#define SEVERAL "several"
#define UNKNOWN "unknown"
#define N_OTHERS 3

struct process {
	uint32_t writer;
	uint64_t extents;
};

static const struct color_class last = { 0, UNKNOWN, RGB_UNKNOWN };

static void process_init(struct colors *colors)
{
	_Static_assert(MAX_PROCESSES + 2 <= N_DISTINCT, "too few colours");
	colors_add_plain(colors, 1, OTHER, colors_distinct(MAX_PROCESSES));
	colors_add_plain(colors, 1, SEVERAL, colors_distinct(MAX_PROCESSES + 1));
}

/* === Which processes === */

static int by_extents(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return FIRST(ORDER(y->extents, x->extents), ORDER(x->writer, y->writer));
}

static struct process *count_processes(const struct table *table)
{
	struct process *found = xcalloc(table->n_writers, sizeof(*found));

	for (size_t i = 0; i < table->n_writers; i++)
		found[i].writer = (uint32_t)i;
	for (size_t i = 0; i < table->n_extents; i++)
		found[table->writers[ft_cause_writer(table->causes[i])].same_as].extents++;
	qsort(found, table->n_writers, sizeof(*found), by_extents);
	return found;
}

/* Processes come first, in order of appearance. */
static void add_process(struct colors *colors, const char *name)
{
	size_t n = colors->n_rules - N_OTHERS;

	if (n < MAX_PROCESSES && !colors_find(colors, name))
		colors_add_plain(colors, N_OTHERS, name, colors_distinct(n));
}

/* The rule of each writer. */
static void find_rules(struct colors *colors, const struct table *table)
{
	free(colors->rule_of);
	colors->rule_of = xcalloc(table->n_writers, sizeof(*colors->rule_of));
	for (size_t i = 0; i < table->n_writers; i++) {
		AUTO_FREE char *name = writer_name(table, (uint32_t)i);
		const struct rule *rule = colors_find(colors, name);

		if (!rule)
			rule = colors_find(colors, OTHER);
		colors->rule_of[i] = (uint8_t)(rule - colors->rules);
	}
}

static void process_learn(struct colors *colors, const struct table *table)
{
	if (!table->causes)
		return;
	AUTO_FREE struct process *found = count_processes(table);
	for (size_t i = 0; i < table->n_writers && found[i].extents; i++) {
		AUTO_FREE char *name = writer_name(table, found[i].writer);

		add_process(colors, name);
	}
	find_rules(colors, table);
}

static size_t process_rule(const struct colors *colors, const struct fragment *f)
{
	if (!f->table->causes)
		return colors->n_rules - 1;
	return colors->rule_of[ft_cause_writer(f->table->causes[f->extent])];
}

const struct color_source color_process = {
	.name = "process",
	.heading = "process",
	.meaning = "colours tell which process wrote the data of the fragment",
	.counts = "fragments",
	.needs_causes = true,
	.classes = &last,
	.n_classes = 1,
	.init = process_init,
	.learn = process_learn,
	.rule = process_rule,
};
