/* SPDX-License-Identifier: GPL-2.0-only */
/* Fourth station of the pipeline: runs -> pixels. */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "canvas.h"
#include "color.h"
#include "conf.h"
#include "runs.h"
#include "table.h"

void layout_draw(struct canvas *canvas, const struct table *table, const struct runs *runs,
		 const struct colors *colors, const struct img_conf *img, const char *when);

#endif
