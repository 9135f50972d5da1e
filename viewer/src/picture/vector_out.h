/* SPDX-License-Identifier: GPL-2.0-only */
/* Last step of the pipeline: a recorded picture -> an SVG or PDF file that is written as a whole or not at all. */
#pragma once

#include <stdbool.h>

#include "picture/canvas.h"

enum canvas_form vector_out_form(const char *path);
void vector_out_write(const struct canvas *canvas, const char *path);
