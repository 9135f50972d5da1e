// SPDX-License-Identifier: GPL-2.0-only
/* Part of a session: table -> runs -> layout -> picture -> PNG, SVG or PDF. */
#include "input/recording.h"
#include "input/zones.h"
#include "model/one_file.h"
#include "model/runs.h"
#include "model/space.h"
#include "names.h"
#include "outfile.h"
#include "picture/canvas.h"
#include "picture/file_view.h"
#include "picture/layout.h"
#include "picture/legend.h"
#include "picture/paint.h"
#include "picture/png_out.h"
#include "picture/vector_out.h"
#include "session.h"

/* Said once, also if the table is read again. */
static void report_colors(struct session *s, const struct runs *runs)
{
	AUTO_FREE char *trouble = colors_trouble(&s->colors, runs->counts);

	if (trouble && !s->trouble_was_said)
		warn("--color-by %s: %s", s->options.color_by, trouble);
	s->trouble_was_said = trouble;
}

/*
 * Said once, also if the picture is drawn again, but never beside a picture on standard output. If nobody can read it, the picture
 * is there all the same.
 */
static void report_picture(struct session *s)
{
	if (s->picture_was_said || outfile_same(s->options.output, "-"))
		return;
	AUTO_FREE char *path = text_visible(s->options.output);
	printf("wrote %s\n", path);
	fflush(stdout);
	s->picture_was_said = true;
}

static void write_picture(struct canvas *canvas, const char *path)
{
	struct text png = { 0 };

	canvas_end(canvas);
	if (canvas->form != CANVAS_PNG) {
		vector_out_write(canvas, path);
		return;
	}
	png_out_encode(canvas, &png);
	png_out_write(&png, path);
	text_free(&png);
}

/* A file that is not there may come later if the table is read again; the last picture stays. */
static void draw_file(struct session *s, const struct table *table)
{
	struct canvas canvas;
	uint32_t file;
	AUTO_FREE char *trouble = one_file_find(table, s->source.name, *s->options.operands, &file);

	if (trouble && !s->options.interval_ns)
		die("%s", trouble);
	if (trouble && !s->trouble_was_said)
		warn("%s", trouble);
	s->trouble_was_said = trouble;
	if (s->trouble_was_said)
		return;
	file_view_draw(&canvas, table, s->source.name, file, &table->text, &s->colors, &s->img, vector_out_form(s->options.output));
	write_picture(&canvas, s->options.output);
	report_picture(s);
	canvas_free(&canvas);
}

/* Files that match may come later if the table is read again, or at another moment of a recording. */
static void check_selection(struct session *s, const struct selection *selection)
{
	static const char nothing[] = "--only %s: no watched file of %s matches; give a part of a path, or a glob";
	bool is_empty = !selection->table.n_files;

	if (is_empty && !s->options.interval_ns && !s->server.answers.recording.dir)
		die(nothing, s->options.lens.only, s->source.name);
	if (is_empty && !s->nothing_was_said)
		warn(nothing, s->options.lens.only, s->source.name);
	s->nothing_was_said = is_empty;
}

/* A picture of no volume would be empty. If the table is read again, one may come. */
static void require_volume(const struct session *s, const struct table *table)
{
	if (table->n_volumes || s->options.interval_ns)
		return;
	/* that was said */
	if (s->source.waiting)
		exit(EXIT_FAILURE);
	die("%s: no directory is watched, so there is nothing to draw; watch one: echo 'add DIR' >%s",
	    s->source.name, MODULE_FILE("targets"));
}

/**
 * session_use_file() - draw the file that the command line names
 * @s: the session
 * @table: the table
 */
void session_use_file(struct session *s, struct table *table)
{
	require_volume(s, table);
	draw_file(s, table);
}

/**
 * session_show() - fill a view
 * @s: the session
 * @view: the result
 * @table: the table; taken over
 * @states: F2FS's own state, by volume, or NULL; taken over
 *
 * The table and the states are moved to the view.
 */
void session_show(struct session *s, struct serve_view *view, struct table *table, struct f2fs_state *states)
{
	view->own_coloring = s->colors.source->name;
	serve_view_fill(view, table, states, &s->options.lens, &s->colors, s->source.name);
	if (view->has_selection)
		check_selection(s, &view->selection);
	report_colors(s, &view->runs);
}

static void draw(struct session *s, const struct serve_view *view)
{
	const struct options *o = &s->options;
	const struct runs *runs = &view->runs;
	struct img_conf img = s->img;
	AUTO(canvas_free) struct canvas canvas;
	AUTO(layout_free) struct layout layout;
	char when[TIME_TEXT_MAX];

	format_text_time(when, &view->table.text);
	if (!img.section && view->states && view->table.n_volumes)
		img.section = space_section_size(&view->states[0]);
	layout_init(&layout, runs, &img, view->colors.n_rules + legend_more_lines(&img, &o->lens, &view->colors, view->states));
	paint(&canvas, &layout, runs, &view->colors, when, vector_out_form(o->output));
	write_picture(&canvas, o->output);
	report_picture(s);
}

/* To be freed with zones_free(). */
static struct zones *read_zones(const struct session *s, const struct table *table)
{
	if (!s->state.is_live && !s->state.dir)
		die("%s: has no zones, for --layout zones; copy what the device said of them: --f2fs-state DIR", s->source.name);
	return zones_read(table, s->state.dir, true);
}

/**
 * session_use_view() - draw a table
 * @s: the session
 * @table: the table; taken over
 */
void session_use_view(struct session *s, struct table *table)
{
	AUTO(serve_view_free) struct serve_view view = { 0 };
	struct zones *zones = NULL;

	require_volume(s, table);
	session_show(s, &view, table, s->states);
	s->states = NULL;
	if (s->img.layout == LAYOUT_ZONES)
		view.runs.zones = zones = read_zones(s, view.runs.table);
	draw(s, &view);
	zones_free(zones, view.runs.table->n_volumes);
}

/**
 * session_begin_drawing() - read the colours and sizes of pictures and pages
 * @s: the session
 *
 * The colours and sizes of pictures and pages; options of the command line override img.cnf.
 */
void session_begin_drawing(struct session *s)
{
	struct options *o = &s->options;

	if (!o->color_by)
		o->color_by = "kind";
	colors_init(&s->colors, o->color_by);
	if (s->command->draws_one_file && !s->colors.source->needs_causes && !s->colors.source->range_rule)
		die_usage("--color-by %s: not valid for one file; give cause, why, process, age or heat", o->color_by);
	for (size_t i = 0; i < o->n_color_confs; i++)
		colors_read(&s->colors, o->color_conf[i]);
	s->needs_heat = !strcmp(o->color_by, "heat") || o->with_reads;
	if (s->needs_heat)
		s->colors.heat = &s->heat;
	img_conf_read(&s->img, o->img_conf);
	for (size_t i = 0; i < N_IMG_OPTIONS; i++)
		if (o->img_keys[i])
			img_conf_set(&s->img, option_defs[OPT_LAYOUT + i].name, o->img_keys[i]);
}
