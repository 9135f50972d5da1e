/* SPDX-License-Identifier: GPL-2.0-only */
/* Fourth step of the pipeline, for one file: where each of its blocks is, and why it is fragmented. */
#ifndef FILE_VIEW_H
#define FILE_VIEW_H

#include <stdbool.h>

#include "conf.h"
#include "model/one_file.h"
#include "model/runs.h"
#include "picture/canvas.h"

void file_view_paint(struct canvas *canvas, const struct one_file *one, const struct runs *runs,
		     const struct colors *colors, const struct img_conf *img, const char *when,
		     enum canvas_form form);

#endif
