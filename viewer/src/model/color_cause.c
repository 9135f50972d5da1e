// SPDX-License-Identifier: GPL-2.0-only
/* Colours by the cause of a fragment: by the operation, or by the reason. */

#include "model/causes.h"
#include "model/color.h"

#define UNKNOWN "unknown"

/**
 * struct cause_part - a part of a cause
 * @names: its possible values
 * @n: number of @names
 * @first: the first value that gets a rule; earlier ones are unknown, or no break
 * @is_why: the reason, not the operation
 */
struct cause_part {
	const char *const *names;
	unsigned int n;
	unsigned int first;
	bool is_why;
};

static const struct cause_part op = { cause_op_names, FT_NR_OPS, FT_OP_UNKNOWN + 1, false };
static const struct cause_part why = { cause_why_names, FT_NR_WHYS, FT_WHY_UNKNOWN + 1, true };
static const struct color_class classes[] = { { 0, UNKNOWN, RGB_UNKNOWN }, { 0, "no break: begins its file", RGB_NEUTRAL } };

static unsigned int value_of(const struct cause_part *part, uint32_t cause)
{
	return part->is_why ? (unsigned int)ft_cause_why(cause) : (unsigned int)ft_cause_op(cause);
}

/* Each value that breaks have gets a rule, always of the same colour. */
static void add_rules(struct colors *colors, const struct table *table, const struct cause_part *part)
{
	bool met[FT_NR_OPS + FT_NR_WHYS] = { false };

	_Static_assert(FT_NR_OPS - 1 <= N_DISTINCT && FT_NR_WHYS - 2 <= N_DISTINCT, "too few colours");
	for (size_t i = 0; i < table->n_extents; i++)
		if (ft_cause_why(table->causes[i]) != FT_WHY_NONE)
			met[value_of(part, table->causes[i])] = true;
	for (unsigned int v = part->first; v < part->n; v++)
		if (met[v] && !colors_find(colors, part->names[v]))
			colors_add_plain(colors, 2, part->names[v], colors_distinct(v - part->first));
}

static void learn(struct colors *colors, const struct table *table)
{
	const struct cause_part *part = colors->source->part;

	if (table->causes)
		add_rules(colors, table, part);
	free(colors->rule_of);
	colors->rule_of = xcalloc(part->n, sizeof(*colors->rule_of));
	for (unsigned int v = 0; v < part->n; v++) {
		const struct rule *rule = colors_find(colors, part->names[v]);

		if (!rule)
			rule = colors_find(colors, UNKNOWN);
		colors->rule_of[v] = (uint8_t)(rule - colors->rules);
	}
}

static size_t rule(const struct colors *colors, const struct fragment *f)
{
	if (!f->is_break)
		return colors->n_rules - 1;
	return colors->rule_of[value_of(colors->source->part, cause_of_break(f->table, f->extent))];
}

const struct color_source color_cause = {
	.name = "cause",
	.heading = "what broke the file",
	.meaning = "the 8 blocks after a break have the colour of its operation, the rest is grey; blocks are counted up to the next break",
	.counts = "breaks",
	.needs_causes = true,
	.near_break = NEAR_AFTER,
	.classes = classes,
	.n_classes = ARRAY_LEN(classes),
	.part = &op,
	.learn = learn,
	.rule = rule,
};

const struct color_source color_why = {
	.name = "why",
	.heading = "why it does not follow",
	.meaning = "the 8 blocks after a break have the colour of its reason, the rest is grey; blocks are counted up to the next break",
	.counts = "breaks",
	.needs_causes = true,
	.near_break = NEAR_AFTER,
	.classes = classes,
	.n_classes = ARRAY_LEN(classes),
	.part = &why,
	.learn = learn,
	.rule = rule,
};
