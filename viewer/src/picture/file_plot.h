/* SPDX-License-Identifier: GPL-2.0-only */
/* Used instead of the layouts for one file: the plot of its offsets against block addresses. */
#pragma once

#include "model/one_file.h"
#include "model/runs.h"
#include "picture/canvas.h"
#include "picture/layout.h"
#include "picture/plot_axis.h"

/* What has no blocks on the volume. */
#define RGB_HOLE 0xd9d7ce
#define RGB_UNWRITTEN 0xbcd2ee

/**
 * struct file_plot - the plot of one file; all lengths in pixels
 * @layout: the page
 * @one: the file
 * @runs: the runs of its table
 * @colors: the rules
 * @x: left edge
 * @y: upper edge
 * @w: width
 * @h: height
 * @strip_y: upper edge of the strip that counts breaks
 * @strip_h: its height
 * @bin: width of a bar in the strip
 * @n_bins: number of bars
 * @counts: by bar, then by rule: breaks
 * @most: of all bars, the largest number of breaks
 * @across: offsets in the file, to the right
 * @up: block addresses, up
 * @step: from one line to the next, blocks
 * @has_links: breaks are drawn as lines, too
 */
struct file_plot {
	const struct layout *layout;
	const struct one_file *one;
	const struct runs *runs;
	const struct colors *colors;
	size_t x;
	size_t y;
	size_t w;
	size_t h;
	size_t strip_y;
	size_t strip_h;
	size_t bin;
	size_t n_bins;
	uint32_t *counts;
	uint64_t most;
	struct plot_axis across;
	struct plot_axis up;
	uint64_t step;
	bool has_links;
};

size_t file_plot_init(struct file_plot *plot);
void file_plot_draw(const struct file_plot *plot, struct canvas *canvas);
void file_plot_free(struct file_plot *plot);

size_t file_plot_x(const struct file_plot *plot, uint64_t offset);
