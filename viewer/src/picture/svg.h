/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the elements of an SVG. Texts are texts, so that they can be selected and searched. */
#pragma once

#include "picture/canvas.h"

void svg_fill(FILE *file, double x, double y, double w, double h, uint32_t rgb);
void svg_text(FILE *file, double x, double y, double w, double size, uint32_t rgb, const char *text);
void svg_image(FILE *file, size_t x, size_t y, size_t w, size_t h, const struct text *png);
void svg_write(FILE *file, const struct canvas *canvas, double scale);
