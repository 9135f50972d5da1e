/* SPDX-License-Identifier: GPL-2.0-only */
/* Part of the plot of one file: an axis that leaves out what would take nearly all of it. */
#pragma once

#include "util.h"

#define PLOT_MAX_BANDS 8

/**
 * struct plot_band - values that are drawn, to one scale
 * @first: the first one
 * @end: end of them (exclusive)
 * @px: where they begin, pixels from the beginning of the axis
 * @n_px: pixels
 */
struct plot_band {
	uint64_t first;
	uint64_t end;
	size_t px;
	size_t n_px;
};

/**
 * struct plot_axis - an axis
 * @bands: what is drawn; between two bands is a mark for what is left out
 * @n: number of @bands, at least 1
 * @cut: pixels of a mark
 * @px: pixels in all
 */
struct plot_axis {
	struct plot_band bands[PLOT_MAX_BANDS];
	size_t n;
	size_t cut;
	size_t px;
};

/* Values that are used, by index: in order, and without overlap. */
typedef struct plot_band (*plot_used_fn)(const void *arg, size_t i);

void plot_axis_init(struct plot_axis *axis, size_t px, size_t cut, size_t least, plot_used_fn used, const void *arg,
		    size_t n);
double plot_axis_px(const struct plot_axis *axis, double value);
double plot_axis_value(const struct plot_axis *axis, size_t px);
double plot_axis_per_px(const struct plot_axis *axis);
