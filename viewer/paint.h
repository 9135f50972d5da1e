/* SPDX-License-Identifier: GPL-2.0-only */
/* Fourth station of the pipeline: a layout and runs -> pixels. */
#ifndef PAINT_H
#define PAINT_H

#include "canvas.h"
#include "color.h"
#include "layout.h"
#include "runs.h"

void paint(struct canvas *canvas, const struct layout *layout, const struct runs *runs,
	   const struct colors *colors, const char *when);

#endif
