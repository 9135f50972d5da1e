// SPDX-License-Identifier: GPL-2.0-only
/*
 * Part of the plot of one file: an axis that leaves out what would take nearly all of it.
 *
 * One block far from the others would make a line of all that is near it. If less than a twentieth of the axis
 * would remain for what is not in the largest gaps, these are left out. The bands between them have one scale;
 * narrow ones are wider, so that their labels fit.
 */
#include "picture/plot_axis.h"

/* Gaps are left out if the rest is below this part of the whole; each is larger than this part of the rest. */
#define LEAST_REST 20
#define LEAST_GAP 8

static uint64_t gap_before(plot_used_fn used, const void *arg, size_t i)
{
	uint64_t end = used(arg, i - 1).end, first = used(arg, i).first;

	return first > end ? first - end : 0;
}

/* Return: larger gaps than this are left out. What is left without them decides again, as long as they are few. */
static uint64_t longest_kept(plot_used_fn used, const void *arg, size_t n, uint64_t whole)
{
	uint64_t least = whole / LEAST_GAP, kept = whole, rest, left = whole, gap;
	size_t n_gaps = 0, n_before;

	do {
		n_before = n_gaps;
		n_gaps = 0;
		rest = whole;
		for (size_t i = 1; i < n; i++) {
			gap = gap_before(used, arg, i);
			n_gaps += gap > least;
			rest -= gap > least ? gap : 0;
		}
		if (n_gaps >= PLOT_MAX_BANDS)
			break;
		kept = least;
		left = rest;
		least = rest / LEAST_GAP;
	} while (n_gaps > n_before);
	return left * LEAST_REST < whole ? kept : whole;
}

/* The band with the most pixels, which has the scale of all that are not narrow. */
static const struct plot_band *widest_band(const struct plot_axis *axis)
{
	const struct plot_band *widest = axis->bands;

	for (size_t i = 1; i < axis->n; i++)
		if (axis->bands[i].n_px > widest->n_px)
			widest = &axis->bands[i];
	return widest;
}

/* Share the pixels; those that are left over by rounding go to the widest band. */
static void set_px(struct plot_axis *axis, size_t least)
{
	uint64_t left = axis->px - (axis->n - 1) * axis->cut, sum = 0, room, all;
	struct plot_band *widest;
	size_t px = 0;

	for (size_t i = 0; i < axis->n; i++)
		sum += axis->bands[i].end - axis->bands[i].first;
	room = left;
	all = sum;
	for (size_t i = 0; i < axis->n; i++) {
		struct plot_band *band = &axis->bands[i];
		uint64_t span = band->end - band->first;

		band->n_px = (double)span * (double)left < (double)least * (double)sum && axis->n > 1 ? least : 0;
		if (band->n_px) {
			room -= least;
			all -= span;
		}
	}
	for (size_t i = 0; i < axis->n; i++) {
		struct plot_band *band = &axis->bands[i];

		if (!band->n_px)
			band->n_px = (size_t)((double)(band->end - band->first) * (double)room / (double)all);
		left -= band->n_px;
	}
	widest = axis->bands + (widest_band(axis) - axis->bands);
	widest->n_px += left;
	for (size_t i = 0; i < axis->n; i++) {
		axis->bands[i].px = px;
		px += axis->bands[i].n_px + axis->cut;
	}
}

/**
 * plot_axis_init() - choose what is drawn
 * @axis: the result
 * @px: its pixels
 * @cut: pixels of the mark for what is left out
 * @least: pixels of a band at least
 * @used: tells values that are used
 * @arg: argument of @used
 * @n: how many of these there are, at least 1
 */
void plot_axis_init(struct plot_axis *axis, size_t px, size_t cut, size_t least, plot_used_fn used, const void *arg,
		    size_t n)
{
	uint64_t first = used(arg, 0).first, kept = longest_kept(used, arg, n, used(arg, n - 1).end - first);

	*axis = (struct plot_axis){ .bands[0].first = first, .n = 1, .px = px, .cut = cut };
	for (size_t i = 1; i < n; i++) {
		if (gap_before(used, arg, i) <= kept)
			continue;
		axis->bands[axis->n - 1].end = used(arg, i - 1).end;
		axis->bands[axis->n++].first = used(arg, i).first;
	}
	axis->bands[axis->n - 1].end = used(arg, n - 1).end;
	/* in a narrow picture, marks and narrow bands take half of it */
	if (axis->n * (least + cut) > px / 2)
		least = px / 2 / axis->n > cut ? px / 2 / axis->n - cut : 1;
	set_px(axis, least);
}

/**
 * plot_axis_px() - where a value is
 * @axis: the axis
 * @value: the value; the end of a band is the end of its pixels
 *
 * Return: pixels from the beginning of the axis.
 */
double plot_axis_px(const struct plot_axis *axis, double value)
{
	const struct plot_band *band = axis->bands + axis->n - 1;
	double span;

	while (band > axis->bands && value < (double)band->first)
		band--;
	span = (double)(band->end - band->first);
	value -= (double)band->first;
	return (double)band->px + (value < span ? value : span) * (double)band->n_px / span;
}

/**
 * plot_axis_value() - the reverse of plot_axis_px()
 * @axis: the axis
 * @px: pixels from the beginning of the axis; not within a mark
 *
 * Return: the value.
 */
double plot_axis_value(const struct plot_axis *axis, size_t px)
{
	const struct plot_band *band = axis->bands + axis->n - 1;

	while (band > axis->bands && px < band->px)
		band--;
	return (double)band->first + (double)(px - band->px) * (double)(band->end - band->first) / (double)band->n_px;
}

/**
 * plot_axis_per_px() - the scale of an axis
 * @axis: the axis
 *
 * Return: how much a pixel stands for.
 */
double plot_axis_per_px(const struct plot_axis *axis)
{
	const struct plot_band *widest = widest_band(axis);

	return (double)(widest->end - widest->first) / (double)widest->n_px;
}
