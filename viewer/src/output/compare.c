// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: did a change fragment files more? Two groups of runs of the same load, read by compare_runs.c, are compared
 * figure by figure, by verdict.c.
 */
#include <math.h>

#include "commands.h"
#include "names.h"
#include "output/compare_runs.h"
#include "output/json.h"
#include "outfile.h"

#define MAX_LINES 10	/* of each part but the first */

static const char *const titles[N_PARTS] = { "figure", "breaks by cause", "breaks by extension" };
static const char *const keys[N_PARTS] = { "figures", "causes", "extensions" };

/* === Verdicts === */

static void of_groups(const struct compared *c, const struct row *row, struct group_of_runs groups[2])
{
	groups[0] = (struct group_of_runs){ row->values, c->n_runs[0] };
	groups[1] = (struct group_of_runs){ row->values + c->n_runs[0], c->n_runs[1] };
}

/* What contributes most first; the other figures have their own order. */
static int by_contribution(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	double dx = fabs(x->d.typical[1] - x->d.typical[0]), dy = fabs(y->d.typical[1] - y->d.typical[0]);

	return FIRST(ORDER(dy, dx), strcmp(x->name, y->name));
}

static void judge(struct compared *c, enum answer_part part)
{
	struct rows *rows = &c->parts[part];
	struct group_of_runs groups[2];
	size_t varying = 0;

	for (size_t i = 0; i < rows->n; i++) {
		of_groups(c, &rows->all[i], groups);
		varying += !verdict_is_same(groups);
	}
	for (size_t i = 0; i < rows->n; i++) {
		of_groups(c, &rows->all[i], groups);
		verdict_find(&rows->all[i].d, groups, figure_forms[rows->all[i].figure].unit, varying ? varying : 1);
	}
	if (part != FIGURES)
		sort(rows->all, rows->n, sizeof(*rows->all), by_contribution);
}

static int status_of(const struct compared *c)
{
	const struct rows *rows = &c->parts[FIGURES];
	int status = EXIT_SUCCESS;

	for (size_t i = 0; i < rows->n; i++) {
		/* more data is no harm */
		if (rows->all[i].d.verdict == VERDICT_MORE && rows->all[i].figure != BLOCKS)
			return EXIT_BAD;
		if (rows->all[i].d.verdict == VERDICT_FEW)
			status = EXIT_NOTHING;
	}
	return status;
}

/* === Sentences === */

#define NUMBER_MAX 48
#define NUMBER(n, decimals) number((char [NUMBER_MAX]){ 0 }, n, decimals)

static const char *number(char buf[NUMBER_MAX], double n, int decimals)
{
	if (!decimals && (n >= 100 || fabs(n - round(n)) < 1e-6))
		return grouped(buf, (uint64_t)llround(n));
	snprintf(buf, NUMBER_MAX, "%.*f", decimals ? decimals : 1, n);
	return buf;
}

#define CHANGE(n, decimals, sign) change_text((char [NUMBER_MAX]){ 0 }, n, decimals, sign)

static const char *change_text(char buf[NUMBER_MAX], double n, int decimals, bool sign)
{
	char text[NUMBER_MAX];

	snprintf(text, sizeof(text), "%.*f", decimals, fabs(n));
	snprintf(buf, NUMBER_MAX, "%s%s%.4s", n < 0 ? "-" : sign ? "+" : "", GROUPED(strtoull(text, NULL, 10)),
		 text + strcspn(text, "."));
	return buf;
}

/* So many decimals that the ends of an interval are not 0. */
static int decimals_of(double low, double high)
{
	double least = fmin(fabs(low), fabs(high));

	if (least < 0.1)
		return 2;
	return least < 1 || fmax(fabs(low), fabs(high)) < 10;
}

static void say_verdict(FILE *out, const struct difference *d, size_t n_runs)
{
	double scale = d->is_ratio ? 100 : 1, change = scale * d->change, low = scale * d->low, high = scale * d->high;
	const char *unit = d->is_ratio ? " %" : "";
	int decimals = decimals_of(low, high);

	if (!d->has_interval) {
		fprintf(out, "cannot be told from one run%s (%s%s)", n_runs == 2 ? " each" : "",
			CHANGE(change, decimals_of(change, change), true), unit);
		return;
	}
	switch (d->verdict) {
	case VERDICT_SAME:
		fputs("the same in every run", out);
		break;
	case VERDICT_FEW:
		fprintf(out, "cannot be told from so few runs (%s to %s%s)", CHANGE(low, 0, true), CHANGE(high, 0, true), unit);
		break;
	case VERDICT_NONE:
		fprintf(out, "no difference to be seen (%s to %s%s)", CHANGE(low, decimals, true),
			CHANGE(high, decimals, true), unit);
		break;
	case VERDICT_MORE:
		fprintf(out, "more, by %s%s (%s to %s)", CHANGE(change, decimals, false), unit, CHANGE(low, decimals, false),
			CHANGE(high, decimals, false));
		break;
	case VERDICT_LESS:
		fprintf(out, "less, by %s%s (%s to %s)", CHANGE(-change, decimals, false), unit, CHANGE(-high, decimals, false),
			CHANGE(-low, decimals, false));
		break;
	}
}

static void say_part(FILE *out, const struct compared *c, enum answer_part part)
{
	const struct rows *rows = &c->parts[part];
	size_t i;

	if (!rows->n)
		return;
	fprintf(out, "\n  %-24s%12s%12s  B against A\n", titles[part], "A", "B");
	for (i = 0; i < rows->n && (part == FIGURES || i < MAX_LINES); i++) {
		const struct row *row = &rows->all[i];
		int decimals = figure_forms[row->figure].decimals;
		AUTO_FREE char *name = name_printable(*row->name ? row->name : "(no extension)");

		fprintf(out, "  %-24s%12s%12s  ", name, NUMBER(row->d.typical[0], decimals), NUMBER(row->d.typical[1], decimals));
		say_verdict(out, &row->d, c->n);
		fputc('\n', out);
	}
	if (i < rows->n)
		fprintf(out, "  and %zu more; --json has all\n", rows->n - i);
}

static void say_all(FILE *out, const struct compared *c)
{
	const struct difference *blocks = &c->parts[FIGURES].all[BLOCKS].d;
	char *names[2] = { name_printable(c->names[0]), name_printable(c->names[1]) };

	fprintf(out, "A: %s, %s; B: %s, %s\n", names[0], COUNT(c->n_runs[0], "run"), names[1], COUNT(c->n_runs[1], "run"));
	for (int part = 0; part < N_PARTS; part++)
		say_part(out, c, (enum answer_part)part);
	if (!c->has_causes)
		fputs("\nBreaks have no causes here: a text of a table does not have them; record snapshots.\n", out);
	if (blocks->verdict == VERDICT_MORE || blocks->verdict == VERDICT_LESS)
		fputs("\nThe files of A and B do not have equally many blocks: was it the same load?\n", out);
	if (c->n_runs[0] > 1 && c->n_runs[1] > 1)
		fputs("\nIn brackets: Welch's t intervals, of logarithms where every run has some. Those of a part hold together in 95 of 100\n"
		      "comparisons (Bonferroni).\n", out);
	else
		fputs("\nOne run does not say how much runs of the same load differ by chance. Repeat it, at least twice under A and under B,\n"
		      "better five times.\n", out);
	free(names[0]);
	free(names[1]);
}

/* === JSON === */

static void put_row(struct json *json, const struct compared *c, const struct row *row, enum answer_part part)
{
	static const char *const verdicts[] = {
		[VERDICT_NONE] = "no difference", [VERDICT_SAME] = "same", [VERDICT_MORE] = "more", [VERDICT_LESS] = "less",
		[VERDICT_FEW] = "too few runs",
	};
	const struct difference *d = &row->d;

	json_line(json);
	JSON_OBJECT(json, NULL);
	json_name(json, "name", part == FIGURES ? figure_forms[row->figure].key : row->name);
	json_text(json, "verdict", verdicts[d->verdict]);
	json_text(json, "scale", d->is_ratio ? "ratio" : "difference");
	json_real(json, "change", d->change, 6);
	if (d->has_interval) {
		json_real(json, "low", d->low, 6);
		json_real(json, "high", d->high, 6);
	}
	for (size_t g = 0; g < 2; g++) {
		json_real(json, g ? "b" : "a", d->typical[g], 4);
		JSON_ARRAY(json, g ? "runs_b" : "runs_a");
		for (size_t i = 0; i < c->n_runs[g]; i++)
			json_real(json, NULL, row->values[g * c->n_runs[0] + i], figure_forms[row->figure].decimals ? 4 : 0);
	}
}

static void put_all(FILE *out, const struct compared *c)
{
	struct json json;

	json_begin(&json, out, "compare", 1);
	json_real(&json, "confidence", CONFIDENCE, 2);
	for (size_t g = 0; g < 2; g++) {
		JSON_ARRAY(&json, g ? "b" : "a");
		for (size_t i = 0; i < c->n_runs[g]; i++)
			json_name(&json, NULL, c->runs[g * c->n_runs[0] + i]);
	}
	for (int part = 0; part < N_PARTS; part++) {
		JSON_ARRAY(&json, keys[part]);
		for (size_t i = 0; i < c->parts[part].n; i++)
			put_row(&json, c, &c->parts[part].all[i], (enum answer_part)part);
	}
	json_end(&json);
}

/**
 * compare_run() - say whether the runs of one group have more fragments than those of another
 * @options: the command line; its operands are the groups
 *
 * Ends the program if a run cannot be read, or the answer cannot be written.
 *
 * Return: the exit status: EXIT_BAD if there is more of a figure, EXIT_NOTHING if there are too few runs to tell.
 */
int compare_run(const struct options *options)
{
	AUTO(compared_free) struct compared c;
	struct outfile out;

	compared_read(&c, options->operands);
	for (int i = 0; i < N_PARTS; i++)
		judge(&c, (enum answer_part)i);
	outfile_open(&out, "-", "answer");
	if (options->form == FORM_JSON)
		put_all(out.file, &c);
	else
		say_all(out.file, &c);
	outfile_close(&out);
	return status_of(&c);
}
