// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: conditions on a table, for scripts.
 * A condition is VALUE COMPARISON NUMBER, as in split>1.2, or fragmented>=10% for a share of the files.
 */
#include <ctype.h>
#include <float.h>

#include "input/figures.h"
#include "output/condition.h"

#define FORM "give split, fragmented, breaks, extents, stale, left_out or stopped, then >, >=, <, <=, = or !=, then a number"

static const char *const value_names[N_VALUES] = { "split", "fragmented", "breaks", "extents", "stale", "left_out", "stopped" };

/* The longer ones come first. */
enum { AT_LEAST, AT_MOST, NOT_EQUAL, MORE, LESS, EQUAL, N_COMPARISONS };
static const char *const comparisons[N_COMPARISONS] = { ">=", "<=", "!=", ">", "<", "=" };

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

/* The index of the name that a text begins with, or @n. */
static size_t find_name(const char **p, const char *const *names, size_t n)
{
	size_t i;

	*p = skip_blanks(*p);
	for (i = 0; i < n; i++) {
		if (strncmp(*p, names[i], strlen(names[i])))
			continue;
		*p = skip_blanks(*p + strlen(names[i]));
		break;
	}
	return i;
}

/**
 * condition_parse() - parse a condition
 * @condition: the result
 * @text: as typed; must stay valid
 *
 * Ends the program if it is none.
 */
void condition_parse(struct condition *condition, const char *text)
{
	const char *p = text;
	size_t value = find_name(&p, value_names, N_VALUES);
	char *end;

	*condition = (struct condition){ .text = text, .value = (enum condition_value)value };
	condition->comparison = find_name(&p, comparisons, N_COMPARISONS);
	if (value == N_VALUES || condition->comparison == N_COMPARISONS || !isdigit((unsigned char)*p))
		die_usage("%s: %s; " FORM, text, strpbrk(text, "<>=") ? "no condition" : "neither a table that is there nor a condition");
	condition->number = strtod(p, &end);
	if (*end == '%') {
		condition->is_share = true;
		end++;
	}
	if (*skip_blanks(end))
		die_usage("%s: no condition; " FORM, text);
	if (condition->is_share && value != VALUE_FRAGMENTED && value != VALUE_STALE)
		die_usage("%s: only fragmented and stale are shares of the files; leave out %%", text);
}

/**
 * totals_find() - compute the values of a table
 * @totals: the result
 * @table: the table
 */
void totals_find(struct totals *totals, const struct table *table)
{
	AUTO_FREE struct figures *figures = figures_of(table, NULL, NULL);
	struct figures sum = figures_sum(figures, table->n_files);

	*totals = (struct totals){ .files = (double)table->n_files };
	for (size_t i = 0; i < table->n_files; i++)
		totals->values[VALUE_FRAGMENTED] += figures[i].fragments > 1;
	totals->values[VALUE_SPLIT] = figures_split(&sum);
	totals->values[VALUE_BREAKS] = (double)sum.fragments - (double)table->n_files;
	totals->values[VALUE_EXTENTS] = (double)table->n_extents;
	totals->values[VALUE_STALE] = (double)table->n_stale;
	totals->values[VALUE_LEFT_OUT] = (double)table->n_left_out;
	for (size_t i = 0; i < table->n_volumes; i++)
		totals->values[VALUE_STOPPED] += table->volumes[i].stopped;
}

/**
 * totals_print() - print the values, one "name value" a line
 * @totals: the values
 */
void totals_print(const struct totals *totals)
{
	for (size_t i = 0; i < N_VALUES; i++)
		if (i == VALUE_SPLIT && !(totals->files > 0.0))
			printf("%s -\n", value_names[i]);
		else
			printf("%s %.*f\n", value_names[i], i == VALUE_SPLIT ? 3 : 0, totals->values[i]);
	flush_stdout();
}

static double value_of(const struct condition *condition, const struct totals *totals)
{
	double value = totals->values[condition->value];

	if (!condition->is_share)
		return value;
	return totals->files > 0.0 ? 100.0 * value / totals->files : 0.0;
}

static bool holds_for(const struct condition *condition, double value)
{
	switch (condition->comparison) {
	case AT_LEAST: return value >= condition->number;
	case AT_MOST: return value <= condition->number;
	case NOT_EQUAL: return value > condition->number || value < condition->number;
	case MORE: return value > condition->number;
	case LESS: return value < condition->number;
	default: return !(value > condition->number || value < condition->number);
	}
}

/**
 * condition_holds() - does a condition hold?
 * @condition: the condition
 * @totals: the values
 *
 * Return: true if it does.
 */
bool condition_holds(const struct condition *condition, const struct totals *totals)
{
	return holds_for(condition, value_of(condition, totals));
}

/**
 * condition_report() - report that a condition holds, with as many digits as show it
 * @condition: the condition
 * @totals: the values
 * @name: name of the table for messages
 */
void condition_report(const struct condition *condition, const struct totals *totals, const char *name)
{
	int decimals = condition->value == VALUE_SPLIT ? 3 : condition->is_share;
	char value[64];

	do
		snprintf(value, sizeof(value), "%.*f", decimals, value_of(condition, totals));
	while (!holds_for(condition, strtod(value, NULL)) && decimals++ < DBL_DIG);
	warn("%s: %s is %s%s, so %s holds", name, value_names[condition->value], value, condition->is_share ? " %" : "",
	     condition->text);
}
