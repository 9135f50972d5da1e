// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: is a figure larger in one group of runs than in another?
 *
 * The interval is Welch's (B. L. Welch, The generalization of "Student's" problem when several different population variances
 * are involved, Biometrika 34, 1947): the groups may vary by different amounts. If one has many more runs than the other and they
 * vary alike, it is too short: then Student's is the wider one, and taken. Counts vary by factors rather than by sums, so
 * logarithms are compared. Where a run has none of a figure, there is no logarithm, and values are compared as they are.
 * Of n figures, each interval has the confidence 1 - 0.05 / n (Bonferroni): so all of a table
 * hold together in 95 of 100 comparisons.
 */
#include <math.h>

#include "output/verdict.h"

#define PI 3.14159265358979323846
#define STEPS 128	/* of an integral; even */
#define HALVINGS 50
/* A factor beyond this is as good as any. */
#define MAX_LOG 20.0

/* The mean of a group, its variance, and how many degrees of freedom that has. */
struct mean {
	double mean, variance, freedom;
};

/* The integral of cos(x)^power from 0 to @end, by Simpson's rule. */
static double integral(double end, double power)
{
	double sum = 1 + pow(cos(end), power);

	for (int i = 1; i < STEPS; i++)
		sum += (i % 2 ? 4 : 2) * pow(cos(end * i / STEPS), power);
	return sum * end / STEPS / 3;
}

/*
 * What Student's t exceeds, on both sides, with probability @alpha. With t = sqrt(freedom) tan(x), its density is that of
 * cos(x)^(freedom - 1).
 */
static double student(double alpha, double freedom)
{
	double whole = exp(lgamma(freedom / 2) - lgamma((freedom + 1) / 2)) * sqrt(PI) / 2, low = 0, high = PI / 2;

	for (int i = 0; i < HALVINGS; i++) {
		double middle = (low + high) / 2;

		if (integral(middle, freedom - 1) < (1 - alpha) * whole)
			low = middle;
		else
			high = middle;
	}
	return sqrt(freedom) * tan(low);
}

/*
 * A figure is known to its unit, and varies at least as much as that makes it: 1/12 of the square of a unit (Sheppard). So runs
 * that happen to be equal are not taken for an exact mean.
 */
static struct mean mean_of(const struct group_of_runs *group, double unit, bool is_ratio)
{
	double n = (double)group->n, squares = 0;
	struct mean m = { .freedom = n - 1 };

	for (size_t i = 0; i < group->n; i++)
		m.mean += (is_ratio ? log(group->values[i]) : group->values[i]) / n;
	for (size_t i = 0; i < group->n; i++) {
		double off = (is_ratio ? log(group->values[i]) : group->values[i]) - m.mean;

		squares += off * off;
	}
	if (is_ratio)
		unit /= exp(m.mean);
	m.variance = fmax(group->n > 1 ? squares / (n - 1) : 0, unit * unit / 12);
	return m;
}

/* Half the interval of the difference of two means, with probability @alpha of being outside. */
static double half_of(const struct mean m[2], double alpha)
{
	double a = m[0].variance / (m[0].freedom + 1), b = m[1].variance / (m[1].freedom + 1), freedom = m[0].freedom + m[1].freedom;
	double welch = (a + b) * (a + b) / (a * a / m[0].freedom + b * b / m[1].freedom);
	double pooled = (m[0].variance * m[0].freedom + m[1].variance * m[1].freedom) / freedom;

	pooled *= 1 / (m[0].freedom + 1) + 1 / (m[1].freedom + 1);
	return fmax(student(alpha, welch) * sqrt(a + b), student(alpha, freedom) * sqrt(pooled));
}

static double change_of(double difference, bool is_ratio)
{
	return is_ratio ? expm1(fmin(difference, MAX_LOG)) : difference;
}

/**
 * verdict_is_same() - is a figure the same in every run of both groups?
 * @groups: both
 *
 * Return: true if it is: then it says nothing by chance, and counts for no other one.
 */
bool verdict_is_same(const struct group_of_runs groups[2])
{
	double first = groups[0].values[0];

	for (size_t g = 0; g < 2; g++)
		for (size_t i = 0; i < groups[g].n; i++)
			if (groups[g].values[i] < first || groups[g].values[i] > first)
				return false;
	return true;
}

/**
 * verdict_find() - compare a figure in two groups of runs
 * @d: the result
 * @groups: both; values are 0 or more
 * @unit: what the figure is known to: 1 for a count
 * @n_figures: how many figures are asked for together
 */
void verdict_find(struct difference *d, const struct group_of_runs groups[2], double unit, size_t n_figures)
{
	double middle, half;
	struct mean m[2];

	*d = (struct difference){ .is_ratio = true };
	for (size_t g = 0; g < 2; g++)
		for (size_t i = 0; i < groups[g].n; i++)
			d->is_ratio &= groups[g].values[i] > 0;
	for (size_t g = 0; g < 2; g++) {
		m[g] = mean_of(&groups[g], unit, d->is_ratio);
		d->typical[g] = d->is_ratio ? exp(m[g].mean) : m[g].mean;
	}
	middle = m[1].mean - m[0].mean;
	d->change = change_of(middle, d->is_ratio);
	d->has_interval = groups[0].n > 1 && groups[1].n > 1;
	if (!d->has_interval) {
		d->verdict = VERDICT_FEW;
		return;
	}
	half = half_of(m, (1 - CONFIDENCE) / (double)n_figures);
	d->low = change_of(middle - half, d->is_ratio);
	d->high = change_of(middle + half, d->is_ratio);
	if (verdict_is_same(groups))
		d->verdict = VERDICT_SAME;
	else if (d->low > 0 || d->high < 0)
		d->verdict = d->low > 0 ? VERDICT_MORE : VERDICT_LESS;
	else if (d->is_ratio && d->low < -0.5 && d->high > 1)
		d->verdict = VERDICT_FEW;
}
