// SPDX-License-Identifier: GPL-2.0-only
/*
 * fragtrace-view: draw where the blocks of F2FS files lie.
 * The main loop runs the pipeline: source -> table -> runs -> layout -> picture -> PNG, SVG or PDF.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conf.h"
#include "input/f2fs_source.h"
#include "input/heat.h"
#include "input/pairs.h"
#include "input/recording.h"
#include "input/source.h"
#include "input/table.h"
#include "model/color.h"
#include "model/one_file.h"
#include "model/runs.h"
#include "model/space.h"
#include "names.h"
#include "options.h"
#include "outfile.h"
#include "output/condition.h"
#include "output/export.h"
#include "output/html.h"
#include "output/prometheus.h"
#include "output/record.h"
#include "output/record_live.h"
#include "output/serve.h"
#include "output/space.h"
#include "output/top_screen.h"
#include "output/why.h"
#include "picture/canvas.h"
#include "picture/file_view.h"
#include "picture/layout.h"
#include "picture/legend.h"
#include "picture/paint.h"
#include "picture/png_out.h"
#include "picture/vector_out.h"
#include "util.h"

/* State that lasts from one reading to the next. */
struct session {
	struct options options;
	struct source source;
	struct f2fs_source state;
	struct recorder recorder;
	struct server server;
	struct colors colors;
	struct colors other_colors[N_COLORINGS];
	struct heat heat;
	struct img_conf img;
	bool trouble_was_said;
	bool picture_was_said;
	bool heat_was_read;
	bool heat_was_missed;
};

/* === One reading === */

/* Said once, also if the table is read again. */
static void report_colors(struct session *s, const struct runs *runs)
{
	char *trouble = colors_trouble(&s->colors, runs->counts);

	if (trouble && !s->trouble_was_said)
		warn("--color-by %s: %s", s->options.color_by, trouble);
	s->trouble_was_said = trouble;
	free(trouble);
}

/* Said once, also if the picture is drawn again. If nobody can read it, the picture is there all the same. */
static void report_picture(struct session *s)
{
	char *path;

	if (!s->options.says_picture || s->picture_was_said)
		return;
	path = text_visible(s->options.png);
	printf("wrote %s\n", path);
	fflush(stdout);
	free(path);
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

static void draw(struct session *s, const struct table *table, const struct selection *selection,
		 const struct f2fs_state *states)
{
	const struct lens *lens = &s->options.lens;
	struct img_conf img = s->img;
	struct canvas canvas;
	struct layout layout;
	struct runs runs;
	struct text png = { 0 };
	char when[TIME_TEXT_MAX];

	/* a server may only have asked whether any file matches */
	if (!s->options.png && !s->options.html)
		return;
	format_text_time(when, &table->text);
	colors_learn(&s->colors, table);
	runs_build(&runs, table, selection, &s->colors, states);
	runs_narrow(&runs, lens, &s->colors, s->source.name);
	report_colors(s, &runs);
	if (!img.section && states && table->n_volumes)
		img.section = space_section_size(&states[0]);
	layout_init(&layout, &runs, &img, s->colors.n_rules + legend_more_lines(&img, lens, &s->colors, states));
	/* a page makes its picture dark itself */
	if (s->options.html) {
		img.theme = THEME_LIGHT;
		paint(&canvas, &layout, &runs, &s->colors, when, CANVAS_PNG);
		png_out_encode(&canvas, &png);
	}
	if (s->options.png) {
		if (s->options.html)
			canvas_free(&canvas);
		img.theme = s->img.theme;
		paint(&canvas, &layout, &runs, &s->colors, when, vector_out_form(s->options.png));
		write_picture(&canvas, s->options.png);
	}
	canvas_free(&canvas);
	if (s->options.html)
		html_write(s->options.html, &png, &layout, &runs, &s->colors, s->options.interval_ns);
	report_picture(s);
	text_free(&png);
	layout_free(&layout);
	runs_free(&runs);
}

/* A file that is not there may come later if the table is read again; the last picture stays. */
static void draw_file(struct session *s, const struct table *table)
{
	struct one_file one;
	struct canvas canvas;
	struct runs runs;
	uint32_t file;
	char *trouble = one_file_find(table, s->source.name, s->options.file, &file), when[TIME_TEXT_MAX];

	if (trouble && !s->options.interval_ns)
		die("%s", trouble);
	if (trouble && !s->trouble_was_said)
		warn("%s", trouble);
	s->trouble_was_said = trouble;
	free(trouble);
	if (s->trouble_was_said)
		return;
	format_text_time(when, &table->text);
	one_file_make(&one, table, s->source.name, file);
	colors_learn(&s->colors, &one.table);
	runs_build(&runs, &one.table, NULL, &s->colors, NULL);
	file_view_paint(&canvas, &one, &runs, &s->colors, &s->img, when, vector_out_form(s->options.png));
	write_picture(&canvas, s->options.png);
	report_picture(s);
	canvas_free(&canvas);
	runs_free(&runs);
	one_file_free(&one);
}

/* Files that match may come later if the table is read again. */
static void draw_only(struct session *s, const struct table *table, const struct f2fs_state *states)
{
	const char *only = s->options.lens.only;
	struct selection selection;

	selection_make(&selection, table, only);
	if (!selection.table.n_files && !s->options.interval_ns)
		die("--only %s: no watched file of %s matches, expected a part of a path, or a glob", only,
		    s->source.name);
	draw(s, &selection.table, &selection, states);
	selection_free(&selection);
}

/* A picture of no volume would be empty. If the table is read again, one may come. */
static void require_volume(const struct session *s, const struct table *table)
{
	const struct options *o = &s->options;

	if (table->n_volumes || o->interval_ns || o->serve || !(o->png || o->html))
		return;
	/* that was said */
	if (s->source.waiting)
		exit(EXIT_FAILURE);
	die("%s: no directory is watched, so there is nothing to draw; watch one: echo 'add DIR' >" DEBUGFS "/fragtrace/targets",
	    s->source.name);
}

static void write_outputs(struct session *s, const struct table *table)
{
	const struct options *o = &s->options;
	bool needs_state = !o->file && (o->json || o->prometheus || o->png || o->html);
	struct f2fs_state *states = needs_state ? f2fs_source_read(&s->state, table) : NULL;
	struct space *spaces = states ? space_of(table, states) : NULL;

	require_volume(s, table);
	if (o->record && recorder_add(&s->recorder, &table->text, false))
		recorder_add_heat(&s->recorder, &s->source);
	if (o->json)
		export_json(o->json, s->source.name, table, o->list, spaces);
	if (o->csv)
		export_csv(o->csv, s->source.name, table, o->list);
	if (o->prometheus)
		prometheus_write(o->prometheus, table, spaces);
	if (o->file)
		draw_file(s, table);
	else if (o->lens.only)
		draw_only(s, table, states);
	else if (o->png || o->html)
		draw(s, table, NULL, states);
	free(spaces);
	f2fs_states_free(states, table->n_volumes);
}

/* The table and the states are moved to the view. */
static void show(struct session *s, struct serve_view *view, struct table *table, struct f2fs_state *states)
{
	view->own_coloring = s->colors.source->name;
	serve_view_fill(view, table, states, &s->options.lens, &s->colors, s->source.name);
	report_colors(s, &view->runs);
}

/* For the server: colours that the page can switch to. */
static struct colors *colors_by(void *arg, const char *by)
{
	struct session *s = arg;
	size_t i;

	if (!strcmp(by, s->colors.source->name))
		return &s->colors;
	for (i = 0; i < N_COLORINGS && strcmp(serve_colorings[i], by); i++)
		;
	if (i == N_COLORINGS)
		return NULL;
	if (!s->other_colors[i].n_rules)
		colors_init(&s->other_colors[i], serve_colorings[i]);
	return &s->other_colors[i];
}

/* For the server: the picture of --file. */
static void plot(void *arg, const struct serve_view *view, size_t file, FILE *out)
{
	struct session *s = arg;
	struct colors *colors = colors_by(s, "cause");
	struct img_conf img = s->img;
	struct text png = { 0 };
	struct one_file one;
	struct canvas canvas;
	struct runs runs;
	char when[TIME_TEXT_MAX];

	img.theme = THEME_LIGHT;
	format_text_time(when, &view->table.text);
	one_file_make(&one, view->runs.table, s->source.name, (uint32_t)file);
	colors_learn(colors, &one.table);
	runs_build(&runs, &one.table, NULL, colors, NULL);
	file_view_paint(&canvas, &one, &runs, colors, &img, when, CANVAS_PNG);
	png_out_encode(&canvas, &png);
	fwrite(png.buf, 1, png.len, out);
	text_free(&png);
	canvas_free(&canvas);
	runs_free(&runs);
	one_file_free(&one);
}

/* Where it is not said which counts of reads to show, a recording has those of each of its snapshots. */
static bool has_recorded_heat(const struct session *s)
{
	return s->options.needs_heat && !s->options.heat;
}

/* Read the counts that the recording has for a moment. Return: why there are none; to be freed. */
static char *read_recorded_heat(struct session *s, const struct moment *moment, int64_t *time_ms)
{
	struct heat heat;
	char *trouble = serve_recording_heat(&s->server.recording, moment, &heat, time_ms);

	heat_free(trouble ? &heat : &s->heat);
	if (!trouble)
		s->heat = heat;
	return trouble;
}

/* For the server. */
static char *show_moment(void *arg, struct serve_view *view, const struct moment *moment)
{
	struct session *s = arg;
	const struct moment *at = moment ? moment : &s->source.at;
	int64_t state_ms = 0, heat_ms = 0;
	struct f2fs_state *states;
	struct table table;
	char *trouble = serve_recording_read(&s->server.recording, at, &table, &states, &state_ms);

	if (trouble)
		return trouble;
	if (has_recorded_heat(s))
		trouble = read_recorded_heat(s, at, &heat_ms);
	if (trouble) {
		f2fs_states_free(states, table.n_volumes);
		table_free(&table);
		return trouble;
	}
	show(s, view, &table, states ? states : f2fs_source_read(&s->state, &table));
	view->state_ms = state_ms;
	view->heat_ms = heat_ms;
	return NULL;
}

/* The table is moved to the server. A recording has F2FS's state, too. */
static void show_first(struct session *s, struct table *table)
{
	struct serve_view *view = server_new_view(&s->server);
	char *trouble = NULL;

	if (s->server.recording.dir) {
		table_free(table);
		trouble = show_moment(s, view, NULL);
	} else {
		show(s, view, table, f2fs_source_read(&s->state, table));
	}
	if (!trouble) {
		server_add_view(&s->server, view, "");
		return;
	}
	if (view->generation == 1)
		die("%s", trouble);
	warn("%s", trouble);
	free(view);
	free(trouble);
}

/* The outputs are complete when the program ends because of a condition. */
static void check_conditions(const struct session *s, const struct table *table)
{
	const struct options *o = &s->options;
	struct totals totals;
	size_t i;

	if (!o->n_conditions)
		return;
	totals_find(&totals, table);
	for (i = 0; i < o->n_conditions; i++) {
		if (!condition_holds(&o->conditions[i], &totals))
			continue;
		condition_report(&o->conditions[i], &totals, s->source.name);
		exit(EXIT_CONDITION);
	}
}

/* The counts of the snapshot that the moment was rebuilt from. */
static char *heat_of_moment(const struct session *s)
{
	const struct recorded *found;
	struct recording recording;
	char *path;

	recording_open(&recording, s->source.path);
	found = recording_before(&recording, &s->source.at);
	path = xasprintf("%s", found ? found->heat : s->source.path);
	recording_close(&recording);
	return path;
}

/* Like the table, the counts of reads may come again if they were there before. */
static bool read_heat(struct session *s)
{
	struct heat heat;
	char *path = has_recorded_heat(s) ? heat_of_moment(s) : NULL;
	char *trouble = heat_read(&heat, path ? path : s->options.heat);

	free(path);
	if (trouble && !s->heat_was_read)
		die("%s", trouble);
	if (trouble && !s->heat_was_missed)
		warn("%s; waiting until it is back", trouble);
	s->heat_was_missed = trouble;
	s->heat_was_read = true;
	if (trouble) {
		free(trouble);
		heat_free(&heat);
		return false;
	}
	heat_free(&s->heat);
	s->heat = heat;
	return true;
}

/* Return: false if there is nothing to read at the moment; this is reported once. */
static bool read_once(struct session *s)
{
	struct table table;
	bool is_there = source_read_table(&s->source, &table, s->options.record);

	source_report(&s->source);
	if (!is_there)
		return false;
	/* the server reads those of a recording itself */
	if (s->colors.heat && !(s->options.serve && has_recorded_heat(s)) && !read_heat(s)) {
		table_free(&table);
		return false;
	}
	write_outputs(s, &table);
	check_conditions(s, &table);
	if (s->options.serve)
		show_first(s, &table);
	else
		table_free(&table);
	return true;
}

/* The file by_pair is beside a snapshot, in debugfs or in a copy of its files. */
static void read_pairs(const struct source *source, struct pairs *pairs)
{
	const char *slash = strrchr(source->path, '/');
	struct text text;

	*pairs = (struct pairs){ 0 };
	if (slash && !strcmp(slash, "/snapshot") && source_read_beside(source, "by_pair", &text))
		pairs_read(pairs, "by_pair", &text);
}

static void say_why(struct session *s)
{
	struct table table;
	struct pairs pairs;

	/* a source that cannot be read the first time ends the program */
	source_read_table(&s->source, &table, false);
	source_report(&s->source);
	if (s->options.why_file) {
		why_file(stdout, &table, s->source.name, s->options.why_file);
	} else {
		read_pairs(&s->source, &pairs);
		why_all(stdout, &table, &pairs);
		pairs_free(&pairs);
	}
	table_free(&table);
}

static void say_owner(struct session *s)
{
	struct f2fs_state *states;
	struct table table;

	source_read_table(&s->source, &table, false);
	source_report(&s->source);
	states = f2fs_source_read(&s->state, &table);
	why_block(stdout, &table, states, s->options.block);
	f2fs_states_free(states, table.n_volumes);
	table_free(&table);
}

static void print_space(struct session *s)
{
	struct f2fs_state *states;
	struct space *spaces;
	struct table table;

	/* a source that cannot be read the first time ends the program */
	source_read_table(&s->source, &table, false);
	source_report(&s->source);
	states = f2fs_source_read(&s->state, &table);
	spaces = space_of(&table, states);
	space_print(&table, spaces);
	free(spaces);
	f2fs_states_free(states, table.n_volumes);
	table_free(&table);
}

/* === Repeated reading === */

static volatile sig_atomic_t repeating;

/* An interrupt is the normal end of repeated reading. Any other run dies of the signal. */
static void on_signal(int sig)
{
	outfile_abandon();
	if (repeating)
		_exit(0);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void sleep_until(int64_t at_ns)
{
	struct timespec t = { .tv_sec = at_ns / NSEC_PER_SEC, .tv_nsec = at_ns % NSEC_PER_SEC };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/* Readings begin at even intervals. A reading that takes longer delays the next ones. */
static int64_t next_reading(int64_t last_ns, int64_t interval_ns)
{
	int64_t now_ns = monotonic_ns();

	return last_ns + interval_ns < now_ns ? now_ns : last_ns + interval_ns;
}

static void read_repeatedly(struct session *s)
{
	int64_t next_ns = monotonic_ns();
	unsigned long done = 0;

	for (;;) {
		done += read_once(s);
		if (s->options.count && done == s->options.count)
			return;
		next_ns = next_reading(next_ns, s->options.interval_ns);
		sleep_until(next_ns);
	}
}

/* Requests are answered between readings. The URL is printed when there is something to show. */
static void serve(struct session *s)
{
	const struct options *o = &s->options;
	int64_t next_ns = monotonic_ns();
	size_t i;

	server_open(&s->server, &o->serve_at, o->interval_ns);
	s->server.colors = colors_by;
	s->server.plot = plot;
	s->server.arg = s;
	if (recording_is(o->table))
		server_set_recording(&s->server, &(struct serve_recording){ o->table, &o->lens, o->volume, o->f2fs_state },
				     show_moment);
	/* the counts of reads are those of one moment */
	if (has_recorded_heat(s))
		s->server.most = 1;
	read_once(s);
	server_announce(&s->server, &o->serve_at);
	for (;;) {
		next_ns = next_reading(next_ns, o->interval_ns);
		if (!server_run(&s->server, o->interval_ns ? next_ns : 0))
			break;
		read_once(s);
	}
	server_close(&s->server);
	for (i = 0; i < N_COLORINGS; i++)
		colors_free(&s->other_colors[i]);
}

int main(int argc, char **argv)
{
	struct session s = { 0 };

	options_read(&s.options, argc, argv);
	source_init(&s.source, s.options.table);
	s.source.at = s.options.at;
	s.source.volume = s.options.volume;
	f2fs_source_init(&s.state, s.options.table, s.options.f2fs_state, s.options.space);
	options_read_colors(&s.options, &s.colors);
	if (s.options.needs_heat)
		s.colors.heat = &s.heat;
	options_read_img(&s.options, &s.img);
	if (s.options.record)
		recorder_open(&s.recorder, s.options.record, s.options.keep_bytes, s.options.keep_ms);
	atexit(outfile_abandon);
	repeating = s.options.interval_ns > 0;
	on_signals(on_signal);
	if (s.options.events)
		record_live(&s.source, &s.recorder, s.options.interval_ns, s.options.keep_bytes);
	else if (s.options.serve)
		serve(&s);
	else if (s.options.top)
		top_screen_run(&s.source, s.options.interval_ns, s.options.count, s.options.filter);
	else if (s.options.why)
		say_why(&s);
	else if (s.options.has_block)
		say_owner(&s);
	else if (s.options.space)
		print_space(&s);
	else if (repeating)
		read_repeatedly(&s);
	else
		read_once(&s);
	source_free(&s.source);
	recorder_close(&s.recorder);
	colors_free(&s.colors);
	heat_free(&s.heat);
	options_free(&s.options);
	return 0;
}
