// SPDX-License-Identifier: GPL-2.0-only
/* Colours by the cause of a fragment: by the operation, or by the reason. */

#include "model/causes.h"
#include "model/color.h"
#include "util.h"

#define UNKNOWN "unknown"

/**
 * struct part - a part of a cause
 * @names: its possible values
 * @n: number of @names
 * @first: the first value that gets a rule; earlier ones are unknown, or no break
 * @value: index into @names for a cause
 */
struct part {
	const char *const *names;
	unsigned int n;
	unsigned int first;
	unsigned int (*value)(uint32_t cause);
};

static unsigned int op_value(uint32_t cause)
{
	return ft_cause_op(cause);
}

static unsigned int why_value(uint32_t cause)
{
	return ft_cause_why(cause);
}

static const struct part ops = { cause_op_names, FT_NR_OPS, FT_OP_UNKNOWN + 1, op_value };
static const struct part whys = { cause_why_names, FT_NR_WHYS, FT_WHY_UNKNOWN + 1, why_value };

static void init(struct colors *colors)
{
	colors_add_plain(colors, 1, UNKNOWN, RGB_UNKNOWN);
	colors_set_last(colors, "no break: begins its file", RGB_NEUTRAL);
}

/* Each value that breaks have gets a rule, always of the same colour. */
static void add_rules(struct colors *colors, const struct table *table, const struct part *part)
{
	bool met[FT_NR_OPS + FT_NR_WHYS] = { false };

	_Static_assert(FT_NR_OPS - 1 <= N_DISTINCT && FT_NR_WHYS - 2 <= N_DISTINCT, "too few colours");
	for (size_t i = 0; i < table->n_extents; i++)
		if (ft_cause_why(table->causes[i]) != FT_WHY_NONE)
			met[part->value(table->causes[i])] = true;
	for (unsigned int v = part->first; v < part->n; v++)
		if (met[v] && !colors_find(colors, part->names[v]))
			colors_add_plain(colors, 2, part->names[v], colors_distinct(v - part->first));
}

static void learn(struct colors *colors, const struct table *table, const struct part *part)
{
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

static size_t rule(const struct colors *colors, const struct fragment *f, const struct part *part)
{
	if (!f->is_break)
		return colors->n_rules - 1;
	return colors->rule_of[part->value(cause_of_break(f->table, f->extent))];
}

static void learn_ops(struct colors *colors, const struct table *table)
{
	learn(colors, table, &ops);
}

static size_t op_rule(const struct colors *colors, const struct fragment *fragment)
{
	return rule(colors, fragment, &ops);
}

static void learn_whys(struct colors *colors, const struct table *table)
{
	learn(colors, table, &whys);
}

static size_t why_rule(const struct colors *colors, const struct fragment *fragment)
{
	return rule(colors, fragment, &whys);
}

const struct color_source color_cause = {
	.name = "cause",
	.heading = "what broke the file",
	.meaning = "the 8 blocks after a break have the colour of its operation, the rest is grey; blocks are counted up to the next break",
	.counts = "breaks",
	.needs_causes = true,
	.near_break = NEAR_AFTER,
	.init = init,
	.learn = learn_ops,
	.rule = op_rule,
};

const struct color_source color_why = {
	.name = "why",
	.heading = "why it does not follow",
	.meaning = "the 8 blocks after a break have the colour of its reason, the rest is grey; blocks are counted up to the next break",
	.counts = "breaks",
	.needs_causes = true,
	.near_break = NEAR_AFTER,
	.init = init,
	.learn = learn_whys,
	.rule = why_rule,
};
