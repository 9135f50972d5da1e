/* SPDX-License-Identifier: GPL-2.0-only */
/* Part of the fourth step: a strip above boxes that shows the volume to scale, since folded boxes do not. */
#pragma once

#include <stdbool.h>

#include "picture/canvas.h"
#include "picture/layout.h"

/**
 * struct strip - what each column of pixels stands for, in shares of its blocks
 * @part: the blocks of the whole strip
 * @n: number of columns; 0: there is no strip
 * @used: by column, blocks of files
 * @drawn: by column, those of them that are drawn, not folded
 */
struct strip {
	const struct part *part;
	size_t n;
	double *used;
	double *drawn;
};

void strip_begin(struct strip *strip, const struct layout *layout, const struct grid *grid, const struct part *part);
void strip_add(struct strip *strip, const struct piece *piece);
void strip_end(struct strip *strip, struct canvas *canvas, const struct layout *layout, const struct grid *grid);
