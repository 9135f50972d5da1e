// SPDX-License-Identifier: GPL-2.0-only
/* Part of a session: what the server asks for, and its readings. */
#include "input/recording.h"
#include "input/zones.h"
#include "picture/canvas.h"
#include "picture/file_view.h"
#include "picture/png_out.h"
#include "session.h"

/* For the server: the picture of one file. */
static void plot(void *arg, const struct serve_view *view, size_t file, FILE *out)
{
	struct session *s = arg;
	struct img_conf img = s->img;
	AUTO(text_free) struct text png = { 0 };
	AUTO(canvas_free) struct canvas canvas;

	img.theme = THEME_LIGHT;
	file_view_draw(&canvas, view->runs.table, view->name, (uint32_t)file, &view->table.text, answers_colors(&s->server.answers, "cause"), &img, CANVAS_PNG);
	png_out_encode(&canvas, &png);
	fwrite(png.buf, 1, png.len, out);
}

/* Read the counts that the recording has for a moment. Return: why there are none; to be freed. */
static char *read_recorded_heat(struct session *s, const struct moment *moment, int64_t *time_ms)
{
	struct heat heat;
	char *trouble = serve_recording_heat(&s->server.answers.recording, moment, &heat, time_ms);

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
	AUTO_FREE char *dir = NULL;
	char *trouble = serve_recording_read(&s->server.answers.recording, at, &table, &states, &state_ms, &dir);

	if (trouble)
		return trouble;
	if (session_has_heat(s))
		trouble = read_recorded_heat(s, at, &heat_ms);
	if (trouble) {
		f2fs_states_free(states, table.n_volumes);
		table_free(&table);
		return trouble;
	}
	session_show(s, view, &table, states ? states : f2fs_source_read(&s->state, &table));
	if (dir || s->state.dir)
		view->zones = zones_read(&view->table, dir ? dir : s->state.dir, false);
	serve_recording_discards(&s->server.answers.recording, at, &view->discards);
	view->state_ms = state_ms;
	view->heat_ms = heat_ms;
	return NULL;
}

/**
 * session_use_serve() - give a table to the server
 * @s: the session
 * @table: the table; taken over
 *
 * For the server, which takes the table over. A recording has F2FS's state, too.
 */
void session_use_serve(struct session *s, struct table *table)
{
	struct serve_view *view = answers_new_view(&s->server.answers);
	char *trouble = NULL;

	if (s->server.answers.recording.dir) {
		table_free(table);
		trouble = show_moment(s, view, NULL);
	} else {
		session_show(s, view, table, f2fs_source_read(&s->state, table));
		if (s->state.is_live || s->state.dir)
			view->zones = zones_read(&view->table, s->state.dir, false);
	}
	if (!trouble) {
		answers_add_view(&s->server.answers, view, "");
		return;
	}
	if (view->generation == 1)
		die("%s", trouble);
	warn("%s", trouble);
	free(view);
	free(trouble);
}

/**
 * session_run_serve() - serve until it is interrupted
 * @s: the session
 *
 * Requests are answered between readings. The URL is printed when there is something to show.
 */
void session_run_serve(struct session *s)
{
	const struct options *o = &s->options;
	int64_t next_ns = monotonic_ns();

	server_open(&s->server, &o->listen, o->interval_ns);
	s->server.answers.own_colors = &s->colors;
	s->server.answers.plot = plot;
	s->server.answers.plot_type = "image/png";
	s->server.answers.show = show_moment;
	s->server.answers.arg = s;
	s->server.answers.source = &s->source;
	if (recording_is(o->table))
		s->server.answers.recording = (struct serve_recording){ o->table, &o->lens, o->volume, o->f2fs_state };
	/* the counts of reads are those of one moment */
	if (session_has_heat(s))
		s->server.answers.most = 1;
	session_read_once(s);
	server_announce(&s->server, &o->listen);
	for (;;) {
		next_ns = session_next_reading(next_ns, o->interval_ns);
		if (!server_run(&s->server, o->interval_ns ? next_ns : 0))
			break;
		session_read_once(s);
	}
	server_close(&s->server);
}
