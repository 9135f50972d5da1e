/* SPDX-License-Identifier: GPL-2.0-only */
/* Part of the legend: the pieces of its lines, and its parts. */
#pragma once

#include "picture/legend.h"

#define TITLE_ROWS 2	/* in lines of text, at the scale of the legend */
#define LINE_H (LETTER_H + 1)
#define SWATCH_H 7

/**
 * struct legend - the position of the next line, and the data for all lines
 * @canvas: the picture
 * @layout: its measures
 * @runs: for the totals
 * @colors: the rules
 * @folded: the blocks that are not drawn; NULL: all are
 * @has_folded: a column is for them
 * @y: upper edge of the next line, pixels from the top
 */
struct legend {
	struct canvas *canvas;
	const struct layout *layout;
	const struct runs *runs;
	const struct colors *colors;
	const struct folded *folded;
	bool has_folded;
	double y;
};

double legend_x(const struct legend *l, size_t col);
void legend_right(struct legend *l, size_t col, uint32_t rgb, const char *text);
void legend_number(struct legend *l, size_t col, uint64_t value);
void legend_share(struct legend *l, size_t col, uint64_t value, uint64_t all);
void legend_swatch(struct legend *l, size_t col, uint32_t rgb);
void legend_text(struct legend *l, size_t col, uint32_t rgb, const char *text);
void legend_name(struct legend *l, size_t col, const char *name);
void legend_next(struct legend *l);
void legend_half(struct legend *l);
void legend_line(struct legend *l, uint32_t rgb, const char *fmt, ...) PRINTF_LIKE(3, 4);
void legend_separator(struct legend *l);

/* legend_title.c */
void legend_heading(struct legend *l, const char *title, const char *mark);
void legend_heat(struct legend *l);
void legend_title(struct legend *l, const char *when);

/* legend_counts.c */
void legend_rules(struct legend *l);
void legend_free_space(struct legend *l);
