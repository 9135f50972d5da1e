/* SPDX-License-Identifier: GPL-2.0-only */
/* Last step of the pipeline: pixels -> a PNG file that is written as a whole or not at all. */
#ifndef PNG_OUT_H
#define PNG_OUT_H

#include "picture/canvas.h"

void png_out_write(const struct canvas *canvas, const char *path);

#endif
