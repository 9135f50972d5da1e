// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fourth step of the pipeline, for one file: title and legend, the plot, and a list of breaks.
 * The legend counts all breaks; the list has all of a few, or the farthest of many.
 */

#include "model/causes.h"
#include "names.h"
#include "picture/file_plot.h"
#include "picture/file_view.h"
#include "picture/legend_line.h"

#define TEXT_LINES 7	/* below the title */
#define MAX_LISTED 12

/* Right ends of the columns of the list, in letters from the left; the cause begins at the last one. */
enum column {
	COL_NUMBER = 3,
	COL_OFFSET = 15,
	COL_BYTES = 25,
	COL_FROM = 37,
	COL_TO = 49,
	COL_DISTANCE = 61,
	COL_CAUSE = 63,
};

/**
 * struct view - the picture of one file
 * @legend: the position of the next line
 * @one: the file
 * @plot: its plot
 * @listed: the breaks in the list, by offset: indices into one->jumps
 * @n_listed: number of @listed
 * @flaw: see causes_flaw(); it is said once, above the list
 */
struct view {
	struct legend legend;
	const struct one_file *one;
	struct file_plot plot;
	size_t listed[MAX_LISTED];
	size_t n_listed;
	const char *flaw;
};

/* === Which breaks are listed === */

/* Replace the nearest break of a full list by one that is farther. */
static void consider(struct view *view, size_t jump)
{
	const struct file_jump *jumps = view->one->jumps;
	size_t nearest = 0;

	if (view->n_listed < MAX_LISTED) {
		view->listed[view->n_listed++] = jump;
		return;
	}
	for (size_t i = 1; i < MAX_LISTED; i++)
		if (file_jump_distance(&jumps[view->listed[i]]) < file_jump_distance(&jumps[view->listed[nearest]]))
			nearest = i;
	if (file_jump_distance(&jumps[jump]) <= file_jump_distance(&jumps[view->listed[nearest]]))
		return;
	/* the others stay sorted by offset */
	memmove(view->listed + nearest, view->listed + nearest + 1,
		(MAX_LISTED - 1 - nearest) * sizeof(*view->listed));
	view->listed[MAX_LISTED - 1] = jump;
}

/* === Sentences === */

/* "tail, sync, interleaved; by rocksdb:low:812"; to be freed */
static char *cause_text(const struct table *table, size_t extent)
{
	uint32_t cause = cause_of_break(table, extent);
	AUTO_FREE char *writer = writer_name(table, ft_cause_writer(cause)), *name = name_text(writer);

	if (cause == FT_CAUSE_UNKNOWN)
		return xasprintf("not seen: a scan found it");
	return xasprintf("%s, %s, %s; by %s", cause_op_name(cause), cause_flush_name(cause), cause_why_name(cause), name);
}

static void put_size(struct view *view, const char *when)
{
	const struct figures *f = &view->legend.runs->figures[0];
	const struct table *table = &view->one->table;
	const struct volume *v = &table->volumes[0];
	char stale[COUNTED_MAX + 64] = "";

	if (!view->one->is_complete && table->n_stale)
		snprintf(stale, sizeof(stale), "; %s stale, it is not known which", COUNT(table->n_stale, "file"));
	legend_line(&view->legend, RGB_INK, "%s: %s written (%s) in %s, the last one ends at %s%s%s", when, COUNT(f->blks, "block"),
		    BLKS(v, f->blks), COUNT(f->extents, "extent"), BLKS(v, view->one->end), v->stopped ? "; F2FS has stopped" : "", stale);
}

static void put_fragments(struct view *view)
{
	const struct figures *f = &view->legend.runs->figures[0];

	legend_line(&view->legend, RGB_INK, "%s; split factor %.3f: to read it by 128 KiB takes %s, ideally %s",
		    COUNT(f->fragments, "fragment"), figures_split(f), COUNT(f->requests, "request"), GROUPED(f->ideal));
}

static void put_last_block(struct view *view, const struct extent *last)
{
	const struct one_file *one = view->one;
	const struct file_jump *jump = one->n_jumps ? &one->jumps[one->n_jumps - 1] : NULL;
	uint64_t offset = last->offset + (uint64_t)last->blks - 1, lba = last->lba + (uint64_t)last->blks - 1;
	const struct volume *v = &one->table.volumes[0];
	uint64_t blks = jump ? jump->blks : view->legend.runs->figures[0].blks, distance;
	AUTO_FREE char *cause = NULL;

	legend_line(&view->legend, RGB_INK, "the last block (%s) is at LBA %s, in segment %s, in a fragment of %s",
		    GROUPED(offset), GROUPED(lba), GROUPED((lba - v->first_blk) / v->segment_blks), COUNT(blks, "block"));
	if (!jump) {
		legend_line(&view->legend, RGB_INK, "the file has no break: each written block follows the one before it");
		return;
	}
	distance = file_jump_distance(jump);
	if (!view->flaw)
		cause = cause_text(&one->table, jump->extent);
	legend_line(&view->legend, RGB_INK, "which is %s (%s) %s the end of the one before it%s%s", COUNT(distance, "block"),
		    BLKS(v, distance), jump->to > jump->from ? "after" : "before", cause ? ": " : "", cause ? cause : "");
}

static void put_scale(struct view *view)
{
	const struct file_plot *plot = &view->plot;
	double bin = plot_axis_per_px(&plot->across) * (double)plot->bin;
	const struct volume *v = &view->one->table.volumes[0];
	struct legend *l = &view->legend;

	/* breaks are between whole blocks */
	if (bin < 1)
		bin = 1;
	legend_line(l, RGB_FAINT, "to the right: offset in the file, 1 pixel = %s; up: block address (LBA), 1 pixel = %s; "
		    "a line every %s%s", BLKS(v, plot_axis_per_px(&plot->across)), BLKS(v, plot_axis_per_px(&plot->up)), BLKS(v, plot->step),
		    plot->across.n > 1 || plot->up.n > 1 ? "; large gaps are cut out" : "");
	if (!view->one->n_jumps)
		legend_line(l, RGB_FAINT, "bars are blocks of the file");
	else if (plot->has_links)
		legend_line(l, RGB_FAINT, "bars are blocks; a line to a bar is a break, and has its colour; below: number "
			    "of breaks in each %s", BLKS(v, bin));
	else
		legend_line(l, RGB_FAINT, "bars are blocks, colours are mixed by share; %s breaks are too many for lines; "
			    "below: their number in each %s", GROUPED(view->one->n_jumps), BLKS(v, bin));
}

/* What has no blocks on the volume. */
static void put_holes(struct view *view)
{
	const struct one_file *one = view->one;
	struct legend *l = &view->legend;
	AUTO_FREE char *holes = xasprintf("%s: %s", one->is_complete ? "hole" : "hole, or not written (a text does not tell)",
					  COUNT(one->hole_blks, "block"));
	AUTO_FREE char *unwritten = xasprintf("allocated, not written: %s", COUNT(one->unwritten_blks, "block"));

	legend_swatch(l, 0, colors_themed(RGB_HOLE));
	legend_text(l, 3, RGB_FAINT, holes);
	canvas_note(l->canvas, "%s", holes);
	if (one->is_complete) {
		legend_swatch(l, COL_FROM, colors_themed(RGB_UNWRITTEN));
		legend_text(l, COL_FROM + 3, RGB_FAINT, unwritten);
		canvas_note(l->canvas, "%s", unwritten);
	}
	legend_next(l);
}

static void draw_head(struct view *view, const char *when)
{
	const struct one_file *one = view->one;
	const struct file *file = &one->table.files[0];
	AUTO_FREE char *path = name_text(file->path), *title = xasprintf("fragtrace %s%s", path, file->deleted ? DELETED_MARK : "");
	size_t i = one->n_parts - 1;

	while (one->parts[i].extent == NOT_WRITTEN)
		i--;
	legend_heading(&view->legend, title, one->is_stale ? " (stale)" : "");
	put_size(view, when);
	put_fragments(view);
	put_last_block(view, &one->table.extents[one->parts[i].extent]);
	put_scale(view);
	if (view->legend.colors->heat)
		legend_heat(&view->legend);
	put_holes(view);
	legend_half(&view->legend);
	legend_rules(&view->legend);
}

/* === The list === */

static void put_heads(struct view *view)
{
	struct legend *l = &view->legend;
	const char *unknown = view->flaw ? "; why is unknown: " : "", *flaw = view->flaw ? view->flaw : "";

	if (view->n_listed == view->one->n_jumps)
		legend_line(l, RGB_INK, "all breaks%s%s", unknown, flaw);
	else
		legend_line(l, RGB_INK, "the %s farthest of %s breaks%s%s", GROUPED(view->n_listed), GROUPED(view->one->n_jumps), unknown, flaw);
	legend_right(l, COL_OFFSET, RGB_FAINT, "at block");
	legend_right(l, COL_BYTES, RGB_FAINT, "offset");
	legend_right(l, COL_FROM, RGB_FAINT, "expected LBA");
	legend_right(l, COL_TO, RGB_FAINT, "is at LBA");
	legend_right(l, COL_DISTANCE, RGB_FAINT, "distance");
	if (!view->flaw)
		legend_text(l, COL_CAUSE, RGB_FAINT, "operation, request, reason; process");
	legend_next(l);
	legend_half(l);
	legend_separator(l);
}

static void put_break(struct view *view, size_t i)
{
	const struct file_jump *jump = &view->one->jumps[view->listed[i]];
	const struct table *table = &view->one->table;
	uint64_t offset = table->extents[jump->extent].offset;
	AUTO_FREE char *cause = view->flaw ? NULL : cause_text(table, jump->extent), *distance = NULL;
	struct legend *l = &view->legend;

	distance = xasprintf("%s%s", jump->to > jump->from ? "+" : "-", GROUPED(file_jump_distance(jump)));
	legend_number(l, COL_NUMBER, i + 1);
	legend_number(l, COL_OFFSET, offset);
	legend_right(l, COL_BYTES, RGB_FAINT, BLKS(table->volumes, offset));
	/* where it would follow the block before the break, and where it is */
	legend_number(l, COL_FROM, jump->from);
	legend_number(l, COL_TO, jump->to);
	legend_right(l, COL_DISTANCE, RGB_INK, distance);
	if (cause)
		legend_text(l, COL_CAUSE, RGB_INK, cause);
	canvas_note(l->canvas, "break %zu: block=%ju expected=%ju at=%ju distance=%s%s%s", i + 1, (uintmax_t)offset,
		    (uintmax_t)jump->from, (uintmax_t)jump->to, distance, cause ? ": " : "", cause ? cause : "");
	legend_next(l);
}

/* The number of a listed break over its line, where there is room for it. */
static void put_numbers(struct view *view)
{
	const struct table *table = &view->one->table;
	double scale = view->plot.layout->axis_scale, end = 0;
	char text[24];

	for (size_t i = 0; i < view->n_listed; i++) {
		const struct file_jump *jump = &view->one->jumps[view->listed[i]];
		double x = (double)file_plot_x(&view->plot, table->extents[jump->extent].offset);
		double w = (double)(size_t)snprintf(text, sizeof(text), "%zu", i + 1) * LETTER_W * scale;

		x -= w / 2;
		if (x < end)
			continue;
		canvas_text(view->legend.canvas, x, (double)view->plot.y - LETTER_H * scale, scale, RGB_INK, text);
		end = x + w + LETTER_W * scale / 2;
	}
}

static void draw_list(struct view *view)
{
	if (!view->n_listed)
		return;
	put_numbers(view);
	put_heads(view);
	for (size_t i = 0; i < view->n_listed; i++)
		put_break(view, i);
}

/* === The page === */

/* Room for some lines of text and some halves of lines. */
static size_t room_of(const struct layout *l, size_t lines, size_t halves)
{
	return (size_t)((double)((2 * lines + halves) * LINE_H) * l->scale / 2);
}

static void paint_all(struct canvas *canvas, const struct one_file *one, const struct runs *runs,
		      const struct colors *colors, const struct img_conf *img, const char *when, enum canvas_form form)
{
	struct layout layout;
	struct view view = {
		.legend = { .canvas = canvas, .layout = &layout, .runs = runs, .colors = colors },
		.one = one,
		.flaw = causes_flaw(&one->table),
		.plot = { .layout = &layout, .one = one, .runs = runs, .colors = colors },
	};
	size_t bottom;

	colors_set_theme(img->theme == THEME_DARK);
	layout_page(&layout, img);
	for (size_t i = 0; i < one->n_jumps; i++)
		consider(&view, i);
	/* the heads and the sum of the legend; two halves, and the room for numbers over the plot */
	view.plot.y = layout.margin + room_of(&layout, TITLE_ROWS + TEXT_LINES + 3 + colors->n_rules + 1 -
				       legend_empty_lines(runs) + (colors->heat ? LEGEND_HEAT_LINES : 0), 2);
	bottom = file_plot_init(&view.plot);
	layout.height = bottom + layout.margin + (view.n_listed ? room_of(&layout, view.n_listed + 2, 2) : 0);
	canvas_init(canvas, layout.width, layout.height, RGB_PAGE, img, form);
	canvas->right = layout.width - layout.margin;
	view.legend.y = (double)layout.margin;
	draw_head(&view, when);
	file_plot_draw(&view.plot, canvas);
	view.legend.y = (double)bottom;
	legend_half(&view.legend);
	draw_list(&view);
	file_plot_free(&view.plot);
	colors_set_theme(false);
}

/**
 * file_view_draw() - draw a file of a table
 * @canvas: the result; to be freed with canvas_free()
 * @table: the table
 * @name: its name, for messages
 * @file: index into table.files
 * @text: has the time of the table
 * @colors: the rules, which learn from the file
 * @img: sizes
 * @form: what it is drawn for
 */
void file_view_draw(struct canvas *canvas, const struct table *table, const char *name, uint32_t file,
		    const struct text *text, struct colors *colors, const struct img_conf *img, enum canvas_form form)
{
	AUTO(one_file_free) struct one_file one;
	AUTO(runs_free) struct runs runs;

	one_file_make(&one, table, name, file);
	colors_learn(colors, &one.table);
	runs_build(&runs, &one.table, NULL, colors, NULL);
	/* there is room to colour all that the legend counts for a break */
	if (colors->source->near_break == NEAR_AFTER)
		runs_color_all(&runs);
	paint_all(canvas, &one, &runs, colors, img, TIME_OF(text), form);
}
