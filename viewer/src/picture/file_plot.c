// SPDX-License-Identifier: GPL-2.0-only
/*
 * Used instead of the layouts for one file: the plot of its offsets against block addresses.
 *
 * The offset in the file goes to the right, the block address up: a file in one piece is an even slope, and a
 * break is a jump. Blocks are cells: a pixel has the mean colour of the blocks that lie there, so that 10^6
 * extents take no longer than their number. Breaks are lines as long as there is room between them; a strip
 * below counts all of them.
 */

#include "picture/axis.h"
#include "picture/file_plot.h"
#include "picture/legend.h"

/* Lengths on a screen, pixels. */
#define STRIP_H 36
#define STRIP_GAP 8
#define BIN_W 4
#define BLOCK_H 4	/* the least height of a block */
#define LINK_GAP 4	/* breaks are lines if they are so far from each other, on average */
#define RING 5		/* around the last block */
#define LEAST_STEP 26	/* between two lines */
#define CUT 16		/* of the mark for what an axis leaves out */

/* The colour of lines at segments. */
#define RGB_LINE colors_themed(0xe6e6e6)

/* Room for labels, in letters. */
#define END_COLS 16
#define OFFSET_COLS 13

/* The height of the plot in parts of its width. */
#define HEIGHT(w) (2 * (w) / 5)

/* === Measures === */

/**
 * file_plot_x() - where a block of the file is
 * @plot: the plot
 * @offset: the block; the end of the file is the right edge
 *
 * Return: pixels from the left of the picture.
 */
size_t file_plot_x(const struct file_plot *plot, uint64_t offset)
{
	return plot->x + (size_t)plot_axis_px(&plot->across, (double)offset);
}

/* The height of the axis: below it is room for the lowest block, which is drawn higher than it is. */
static size_t up_h(const struct file_plot *plot)
{
	return plot->h - layout_px(plot->layout->img, BLOCK_H);
}

/* Where the lower edge of a block is, pixels from the top. */
static size_t lba_y(const struct file_plot *plot, double lba)
{
	return plot->y + up_h(plot) - (size_t)plot_axis_px(&plot->up, lba);
}

/* The addresses of an extent. */
static struct plot_band used_lba(const void *arg, size_t i)
{
	const struct extent *e = &((const struct one_file *)arg)->table.extents[i];

	return (struct plot_band){ .first = e->lba, .end = e->lba + (uint64_t)e->blks };
}

/* A file may begin with a hole. */
static bool has_lead(const struct one_file *one)
{
	return one->parts[0].offset > 0;
}

static struct plot_band used_offset(const void *arg, size_t i)
{
	const struct one_file *one = arg;
	const struct file_part *part = &one->parts[i - (i && has_lead(one))];

	if (!i && has_lead(one))
		return (struct plot_band){ .first = 0, .end = 1 };
	return (struct plot_band){ .first = part->offset, .end = part->offset + part->blks };
}

static void find_axes(struct file_plot *plot)
{
	const struct one_file *one = plot->one;
	size_t cut = layout_px(plot->layout->img, CUT);

	plot_axis_init(&plot->up, up_h(plot), cut, layout_px(plot->layout->img, LEAST_STEP), used_lba, one, one->table.n_extents);
	plot_axis_init(&plot->across, plot->w, cut, (size_t)(OFFSET_COLS * LETTER_W * plot->layout->axis_scale), used_offset, one,
		       one->n_parts + has_lead(one));
}

/* Lines are at the beginnings of segments: of each, or of every second, fourth, ...; within a segment, closer. */
static void find_step(struct file_plot *plot)
{
	double least = plot_axis_per_px(&plot->up) * LEAST_STEP * plot->layout->axis_scale;

	plot->step = plot->one->table.volumes[0].segment_blks;
	while ((double)plot->step < least)
		plot->step *= 2;
	while (plot->step % 2 == 0 && (double)(plot->step / 2) >= least)
		plot->step /= 2;
}

static void count_breaks(struct file_plot *plot)
{
	const struct one_file *one = plot->one;

	plot->n_bins = (plot->w + plot->bin - 1) / plot->bin;
	plot->counts = xcalloc(plot->n_bins * MAX_RULES, sizeof(*plot->counts));
	AUTO_FREE uint32_t *sums = xcalloc(plot->n_bins, sizeof(*sums));
	for (uint32_t i = 0; i < one->n_jumps; i++) {
		size_t extent = one->jumps[i].extent;
		size_t bin = (file_plot_x(plot, one->table.extents[extent].offset) - plot->x) / plot->bin;

		plot->counts[bin * MAX_RULES + SHADE_RULE(plot->runs->shades[extent])]++;
		if (++sums[bin] > plot->most)
			plot->most = sums[bin];
	}
}

/**
 * file_plot_init() - compute the measures of a plot
 * @plot: its page, file, runs, colours and upper edge are set; all else is set here
 *
 * To be released with file_plot_free().
 *
 * Return: the lower edge, with its labels, pixels from the top.
 */
size_t file_plot_init(struct file_plot *plot)
{
	const struct layout *l = plot->layout;
	double letter = LETTER_W * l->axis_scale;

	plot->x = l->margin + axis_lba_width(l, plot->runs);
	plot->w = l->width - l->margin - (size_t)(END_COLS * letter) - plot->x;
	plot->h = HEIGHT(plot->w);
	plot->strip_y = plot->y + plot->h + layout_px(l->img, STRIP_GAP);
	plot->strip_h = layout_px(l->img, STRIP_H);
	plot->bin = layout_px(l->img, BIN_W);
	plot->has_links = plot->one->n_jumps <= plot->w / layout_px(l->img, LINK_GAP);
	plot->most = 0;
	find_axes(plot);
	find_step(plot);
	count_breaks(plot);
	return plot->strip_y + plot->strip_h + (size_t)(2 * LETTER_H * l->axis_scale);
}

/**
 * file_plot_free() - release a plot
 * @plot: as left by file_plot_init()
 */
void file_plot_free(struct file_plot *plot)
{
	free(plot->counts);
}

/* === Cells === */

/*
 * The colours of a column: by row, the blocks and the sums of their colours, and whether there is a line; of the
 * whole, what is written and what is not.
 */
struct column {
	const struct file_plot *plot;
	struct canvas *canvas;
	size_t x;
	double *blks;
	double *rgb[3];
	double written;
	double unwritten;
	bool *is_line;
};

static uint32_t mean_of(const struct column *c, size_t row)
{
	uint32_t rgb = 0;

	for (size_t i = 0; i < 3; i++)
		rgb = rgb << 8 | (uint32_t)(c->rgb[i][row] / c->blks[row] + 0.5);
	return rgb;
}

/* What has no blocks takes the whole height, mixed by share. */
static uint32_t background_of(const struct column *c)
{
	const struct plot_axis *across = &c->plot->across;
	size_t x = c->x - c->plot->x;
	double all = plot_axis_value(across, x + 1) - plot_axis_value(across, x);
	double hole = all - c->written - c->unwritten;

	/* shares are sums of fractions */
	if (hole < all / 1e6)
		hole = 0;
	if (hole + c->unwritten <= 0)
		return RGB_FREE;
	return colors_diluted(colors_themed(hole > c->unwritten ? RGB_HOLE : RGB_UNWRITTEN), (hole + c->unwritten) / all);
}

static void flush_column(struct column *c)
{
	const struct file_plot *plot = c->plot;
	uint32_t background = background_of(c);

	for (size_t row = 0; row < plot->h; row++) {
		uint32_t rgb = c->is_line[row] && background == RGB_FREE ? RGB_LINE : background;

		canvas_cell(c->canvas, c->x, plot->y + row, 1, 1, c->blks[row] > 0 ? mean_of(c, row) : rgb);
		c->blks[row] = c->rgb[0][row] = c->rgb[1][row] = c->rgb[2][row] = 0;
	}
	c->written = c->unwritten = 0;
	c->x++;
}

/* Add blocks of one colour from one block address to another, at least BLOCK_H high. */
static void add_blks(struct column *c, double lba, double end, uint32_t rgb)
{
	const struct file_plot *plot = c->plot;
	size_t top = lba_y(plot, end) - plot->y, bottom = lba_y(plot, lba) - plot->y;
	size_t least = layout_px(plot->layout->img, BLOCK_H), row;

	if (bottom < top + least)
		bottom = top + least;
	for (row = top; row < bottom; row++) {
		c->blks[row] += end - lba;
		c->rgb[0][row] += (end - lba) * (rgb >> 16);
		c->rgb[1][row] += (end - lba) * (rgb >> 8 & 0xff);
		c->rgb[2][row] += (end - lba) * (rgb & 0xff);
	}
}

/* Add a part of the file, of one colour, to all columns that it lies in. */
static void add_part(struct column *c, const struct file_part *part, uint32_t rgb)
{
	const struct file_plot *plot = c->plot;
	double at = (double)part->offset, end = (double)(part->offset + part->blks);
	size_t first = file_plot_x(plot, part->offset);

	while (c->x < first)
		flush_column(c);
	while (at < end) {
		double column_end = plot_axis_value(&plot->across, c->x - plot->x + 1);
		double next = end < column_end || c->x + 1 == plot->x + plot->w ? end : column_end;

		if (part->extent == NOT_WRITTEN) {
			c->unwritten += next - at;
		} else {
			const struct extent *e = &plot->one->table.extents[part->extent];
			double lba = (double)e->lba + at - (double)e->offset;

			c->written += next - at;
			add_blks(c, lba, lba + next - at, rgb);
		}
		at = next;
		if (at < end)
			flush_column(c);
	}
}

/* An extent may have more than one colour. */
static void add_colors(struct column *c, const struct file_part *part)
{
	uint64_t end = part->offset + part->blks, shade_end;
	struct file_part piece = *part;
	uint32_t rgb;

	for (; piece.offset < end; piece.offset = shade_end) {
		rgb = colors_rgb(c->plot->colors, runs_shade(c->plot->runs, part->extent, piece.offset, &shade_end));
		piece.blks = shade_end - piece.offset;
		add_part(c, &piece, rgb);
	}
}

/* The first line of a band, at its lowest block address or above it. */
static uint64_t first_line(const struct file_plot *plot, const struct plot_band *band)
{
	uint64_t first_blk = plot->one->table.volumes[0].first_blk;

	return first_blk + (band->first - first_blk + plot->step - 1) / plot->step * plot->step;
}

static bool *find_lines(const struct file_plot *plot)
{
	bool *is_line = xcalloc(plot->h + 1, sizeof(*is_line));

	for (size_t i = 0; i < plot->up.n; i++)
		for (uint64_t at = first_line(plot, &plot->up.bands[i]); at <= plot->up.bands[i].end; at += plot->step)
			is_line[lba_y(plot, (double)at) - plot->y] = true;
	return is_line;
}

static void draw_cells(const struct file_plot *plot, struct canvas *canvas)
{
	struct column c = { .plot = plot, .canvas = canvas, .x = plot->x, .is_line = find_lines(plot) };

	c.blks = xcalloc(plot->h, sizeof(*c.blks));
	for (size_t i = 0; i < 3; i++)
		c.rgb[i] = xcalloc(plot->h, sizeof(*c.rgb[i]));
	for (size_t i = 0; i < plot->one->n_parts; i++)
		if (plot->one->parts[i].extent == NOT_WRITTEN)
			add_part(&c, &plot->one->parts[i], RGB_FREE);
		else
			add_colors(&c, &plot->one->parts[i]);
	while (c.x < plot->x + plot->w)
		flush_column(&c);
	canvas_show_cells(canvas, plot->x, plot->y, plot->w, plot->h);
	free(c.blks);
	free(c.is_line);
	for (size_t i = 0; i < 3; i++)
		free(c.rgb[i]);
}

/* === What is left out === */

static void cut_across(const struct file_plot *plot, struct canvas *canvas, size_t y, size_t h)
{
	for (size_t i = 1; i < plot->across.n; i++)
		canvas_fill(canvas, (double)(plot->x + plot->across.bands[i].px - plot->across.cut), (double)y,
			    (double)plot->across.cut, (double)h, RGB_PAGE);
}

/* Addresses that no block of the file has are said between the bands. */
static void draw_cuts(const struct file_plot *plot, struct canvas *canvas)
{
	double scale = plot->layout->axis_letters, cut = (double)plot->up.cut;

	for (size_t i = 1; i < plot->up.n; i++) {
		const struct plot_band *band = &plot->up.bands[i];
		double top = (double)(plot->y + up_h(plot) - band->px);
		AUTO_FREE char *text = xasprintf("%s without a block of this file", BLKS(plot->one->table.volumes, band->first - band[-1].end));

		canvas_fill(canvas, (double)plot->x, top, (double)plot->w, cut, RGB_PAGE);
		canvas_text(canvas, (double)plot->x + LETTER_W * scale, top + (cut - DIGIT_H * scale) / 2, scale, RGB_LABEL,
			    text);
	}
	cut_across(plot, canvas, plot->y, plot->h);
}

/* === Breaks === */

static double pen_of(const struct file_plot *plot)
{
	return (double)layout_px(plot->layout->img, 1);
}

static void draw_links(const struct file_plot *plot, struct canvas *canvas)
{
	const struct one_file *one = plot->one;

	for (size_t i = 0; plot->has_links && i < one->n_jumps; i++) {
		const struct file_jump *jump = &one->jumps[i];
		bool is_up = jump->to > jump->from;
		size_t x = file_plot_x(plot, one->table.extents[jump->extent].offset);
		size_t top = lba_y(plot, (double)(is_up ? jump->to : jump->from));
		size_t bottom = lba_y(plot, (double)(is_up ? jump->from : jump->to));

		canvas_fill(canvas, (double)x, (double)top, pen_of(plot), (double)(bottom - top),
			    colors_rgb(plot->colors, plot->runs->shades[jump->extent]));
	}
}

static void draw_frame(struct canvas *canvas, double x, double y, double w, double h, double pen, uint32_t rgb)
{
	canvas_fill(canvas, x, y, w, pen, rgb);
	canvas_fill(canvas, x, y + h - pen, w, pen, rgb);
	canvas_fill(canvas, x, y, pen, h, rgb);
	canvas_fill(canvas, x + w - pen, y, pen, h, rgb);
}

static double right_of(const struct file_plot *plot)
{
	return (double)(plot->x + plot->w) + LETTER_W * plot->layout->axis_scale;
}

/* A ring around the last written block, and its address on the right. Return: where that is, pixels from the top. */
static double draw_last(const struct file_plot *plot, struct canvas *canvas, const struct extent *last)
{
	double scale = plot->layout->axis_scale, ring = (double)layout_px(plot->layout->img, RING);
	uint64_t lba = last->lba + (uint64_t)last->blks - 1;
	double x = (double)file_plot_x(plot, last->offset + (uint64_t)last->blks);
	double y = (double)lba_y(plot, (double)lba + 1);
	char text[48];

	draw_frame(canvas, x - ring, y - ring + pen_of(plot), 2 * ring, 2 * ring, pen_of(plot), RGB_INK);
	snprintf(text, sizeof(text), "\342\227\204 LBA %ju", (uintmax_t)lba);
	canvas_text(canvas, right_of(plot), y - LETTER_H * scale, plot->layout->axis_letters, RGB_INK, "   last block");
	canvas_text(canvas, right_of(plot), y - DIGIT_H * scale / 2 + LETTER_H * scale / 2, plot->layout->axis_letters, RGB_INK,
		    text);
	return y;
}

/* An address is on the left, the number of its segment on the right. */
static void draw_label(const struct file_plot *plot, struct canvas *canvas, uint64_t at, bool is_line, double last_y)
{
	const struct volume *v = &plot->one->table.volumes[0];
	double scale = plot->layout->axis_letters, half = DIGIT_H * scale / 2, tick = LETTER_W * plot->layout->axis_scale / 2;
	double y = (double)lba_y(plot, (double)at);
	uint64_t blk = at - v->first_blk;
	char text[48];

	snprintf(text, sizeof(text), "%ju", (uintmax_t)at);
	canvas_text_right(canvas, (double)plot->x - 4 * tick / 3, y - half, scale, RGB_LABEL, text);
	canvas_fill(canvas, (double)plot->x - tick, y, tick, pen_of(plot), RGB_FAINT);
	if ((is_line && blk % v->segment_blks) || (y > last_y - 2 * LETTER_H * scale && y < last_y + 2 * LETTER_H * scale))
		return;
	snprintf(text, sizeof(text), "segment %ju", (uintmax_t)(blk / v->segment_blks));
	canvas_text(canvas, right_of(plot), y - half, scale, RGB_LABEL, text);
}

/* Labels are at lines, or at the begin of a band that has none. */
static void draw_labels(const struct file_plot *plot, struct canvas *canvas, double last_y)
{
	for (size_t i = 0; i < plot->up.n; i++) {
		const struct plot_band *band = &plot->up.bands[i];
		uint64_t at = first_line(plot, band);

		if (at > band->end)
			draw_label(plot, canvas, band->first, false, last_y);
		for (; at <= band->end; at += plot->step)
			draw_label(plot, canvas, at, true, last_y);
	}
}

/* === The strip and the offsets === */

static void draw_strip(const struct file_plot *plot, struct canvas *canvas)
{
	double scale = plot->layout->axis_scale, x, y, w, h;

	canvas_fill(canvas, (double)plot->x, (double)plot->strip_y, (double)plot->w, (double)plot->strip_h, RGB_FREE);
	cut_across(plot, canvas, plot->strip_y, plot->strip_h);
	for (size_t i = 0; i < plot->n_bins; i++) {
		uint64_t below = 0;

		x = (double)(plot->x + i * plot->bin);
		w = (double)((i + 1) * plot->bin > plot->w ? plot->w - i * plot->bin : plot->bin);
		for (size_t r = 0; r < plot->colors->n_rules; r++) {
			uint64_t n_breaks = plot->counts[i * MAX_RULES + r];
			size_t from, to;

			if (!n_breaks)
				continue;
			from = (size_t)(below * plot->strip_h / plot->most);
			below += n_breaks;
			to = (size_t)(below * plot->strip_h / plot->most);
			/* one break among thousands is seen */
			if (to == from)
				to = from + 1;
			y = (double)(plot->strip_y + plot->strip_h - to);
			h = (double)(to - from);
			canvas_fill(canvas, x, y, w, h, colors_tone(&plot->colors->rules[r], TONE_FRAG_A));
		}
	}
	y = (double)plot->strip_y + LETTER_H * scale;
	AUTO_FREE char *text = plot->most ? xasprintf("at most %s", GROUPED(plot->most)) : xasprintf("none");
	canvas_text(canvas, right_of(plot), y, plot->layout->axis_letters, RGB_LABEL, "breaks:");
	canvas_text(canvas, right_of(plot), y + LETTER_H * scale, plot->layout->axis_letters, RGB_LABEL, text);
}

/* In a band that does not begin with the file, the first offset is said, and of the others how far they are from it. */
static void draw_offset(const struct file_plot *plot, struct canvas *canvas, uint64_t first, uint64_t at)
{
	double scale = plot->layout->axis_scale, y = (double)(plot->strip_y + plot->strip_h), tick = LETTER_W * scale / 2;
	double x = (double)file_plot_x(plot, at);
	char text[BYTES_MAX + 1] = "+";

	/* the step is a power of two: one decimal would not tell 1.25 MiB from 1.2 */
	format_bytes_fine(text + (first && at > first), (at > first ? at - first : at) * plot->one->table.volumes->blk_bytes);
	canvas_fill(canvas, x, y, pen_of(plot), tick, RGB_FAINT);
	canvas_text(canvas, x, y + tick + LETTER_H * scale / 4, plot->layout->axis_letters, RGB_LABEL, text);
}

static void draw_offsets(const struct file_plot *plot, struct canvas *canvas)
{
	double room = OFFSET_COLS * LETTER_W * plot->layout->axis_scale, per_px = plot_axis_per_px(&plot->across);
	uint64_t step = 1;

	while ((double)step / per_px < room)
		step *= 2;
	for (size_t i = 0; i < plot->across.n; i++) {
		const struct plot_band *band = &plot->across.bands[i];
		size_t end = plot->x + band->px + band->n_px;

		/* none reaches into the next band */
		for (uint64_t at = band->first; at <= band->end && (at == band->first || i + 1 == plot->across.n ||
							   (double)file_plot_x(plot, at) + room <= (double)end); at += step)
			draw_offset(plot, canvas, band->first, at);
	}
}

/**
 * file_plot_draw() - draw the plot with its labels
 * @plot: the plot
 * @canvas: the picture
 */
void file_plot_draw(const struct file_plot *plot, struct canvas *canvas)
{
	const struct one_file *one = plot->one;
	size_t i = one->n_parts - 1;

	while (one->parts[i].extent == NOT_WRITTEN)
		i--;
	draw_cells(plot, canvas);
	draw_cuts(plot, canvas);
	draw_links(plot, canvas);
	draw_labels(plot, canvas, draw_last(plot, canvas, &one->table.extents[one->parts[i].extent]));
	draw_strip(plot, canvas);
	draw_offsets(plot, canvas);
}
