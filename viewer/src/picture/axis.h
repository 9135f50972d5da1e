/* SPDX-License-Identifier: GPL-2.0-only */
/* Part of the layouts: numbers beside a grid and in it. */
#pragma once

#include "picture/canvas.h"
#include "picture/layout.h"

size_t axis_lba_width(const struct layout *layout, const struct runs *runs);
size_t axis_every(const struct layout *layout, double space);
void axis_put_at(const struct layout *layout, struct canvas *canvas, const struct grid *grid,
		 size_t row, double x_end, uint32_t rgb, const char *text);
void axis_put(const struct layout *layout, struct canvas *canvas, const struct grid *grid,
	      size_t row, const char *text);

double fold_label_scale(const struct layout *layout, size_t cell);
size_t fold_label_width(double scale, size_t digits);
