/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: letters as dots, 5 wide and 9 high, for a cell of 6 x 10. */
#ifndef FONT_H
#define FONT_H

#include <stdbool.h>

#define FONT_COLS 5
#define FONT_ROWS 9
#define FONT_CELL_W 6
#define FONT_CELL_H 10

bool font_dot(char c, int col, int row);

#endif
