/* SPDX-License-Identifier: GPL-2.0-only */
/* Fourth step of the pipeline: a layout and runs -> pixels. */
#pragma once

#include <stdbool.h>

#include "model/color.h"
#include "model/runs.h"
#include "picture/canvas.h"
#include "picture/layout.h"

void paint(struct canvas *canvas, const struct layout *layout, const struct runs *runs,
	   const struct colors *colors, const char *when, enum canvas_form form);
