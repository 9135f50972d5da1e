/* SPDX-License-Identifier: GPL-2.0-only */
/* Fourth station of the pipeline, upper part: title and legend. */
#ifndef LEGEND_H
#define LEGEND_H

#include <stddef.h>
#include <stdint.h>

#include "canvas.h"
#include "color.h"
#include "plan.h"
#include "runs.h"

/* Width of the legend, in letters. */
#define LEGEND_COLS 102

/* The inks and papers of the picture; none is the colour of a box. */
#define RGB_PAGE 0xecebe6
#define RGB_INK 0x202124
#define RGB_FAINT 0x6b6b68
#define RGB_RULE 0xd2d1cb
#define RGB_FREE 0xffffff

size_t legend_height(size_t scale, size_t n_rules);
void legend_draw(struct canvas *canvas, const struct plan *plan, const struct table *table,
		 const struct runs *runs, const struct colors *colors, const struct img_conf *img,
		 const char *when);

#endif
