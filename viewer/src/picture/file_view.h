/* SPDX-License-Identifier: GPL-2.0-only */
/* Fourth step of the pipeline, for one file: where each of its blocks is, and why it is fragmented. */
#pragma once

#include <stdbool.h>

#include "conf.h"
#include "model/one_file.h"
#include "model/runs.h"
#include "picture/canvas.h"

void file_view_draw(struct canvas *canvas, const struct table *table, const char *name, uint32_t file,
		    const struct text *text, struct colors *colors, const struct img_conf *img, enum canvas_form form);
