/* SPDX-License-Identifier: GPL-2.0-only */
/* Last step of the pipeline: pixels -> PNG data in memory -> a file that is written as a whole or not at all. */
#pragma once

#include "picture/canvas.h"
#include "util.h"

void png_out_encode(const struct canvas *canvas, struct text *png);
void png_out_url(FILE *file, const struct text *png);
void png_out_write(const struct text *png, const char *path);
