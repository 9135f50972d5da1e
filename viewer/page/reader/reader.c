// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reader of a page that opens files: the library of fragtrace, compiled to WebAssembly, without HTTP, cairo and pango.
 * worker.js calls it, in a thread of its own of the browser.
 *
 * An input that is refused ends the program, as on the command line; then worker.js says what it said, and the page begins
 * anew. Memory is limited by the linker (reader.mk), an input by PAGE_MAX_INPUT.
 */
#include <emscripten.h>
#include <stdlib.h>
#include <string.h>

#include "apart.h"
#include "input/recording.h"
#include "input/source.h"
#include "input/zones.h"
#include "output/answers.h"
#include "output/page_file.h"
#include "output/perfetto.h"
#include "picture/file_view.h"
#include "picture/svg.h"
#include "util.h"

#define POINTS_PER_INCH 72.0

/* The input, what it is shown with, the question's arguments, and the last answer. */
static struct {
	struct answers answers;
	struct lens lens;
	struct source source;
	const char *arguments;
	struct answer answer;
} reader;

/* As an SVG: the browser has the fonts. */
static void plot(void *arg, const struct serve_view *view, size_t file, FILE *out)
{
	AUTO(canvas_free) struct canvas canvas;
	struct img_conf img;

	img_conf_read(&img, NULL);
	file_view_draw(&canvas, view->runs.table, view->name, (uint32_t)file, &view->table.text, answers_colors(&reader.answers, "cause"), &img,
		       CANVAS_SVG);
	canvas_end(&canvas);
	svg_write(out, &canvas, POINTS_PER_INCH / (double)canvas.dpi);
}

/* The table and the states are moved to the view. */
static void show(struct serve_view *view, struct table *table, struct f2fs_state *states)
{
	view->own_coloring = serve_colorings[0];
	serve_view_fill(view, table, states, &reader.lens, answers_colors(&reader.answers, serve_colorings[0]), reader.source.name);
}

static char *show_moment(void *arg, struct serve_view *view, const struct moment *moment)
{
	struct f2fs_state *states;
	int64_t state_ms = 0;
	AUTO_FREE char *dir = NULL;
	struct table table;
	char *trouble;

	trouble = serve_recording_read(&reader.answers.recording, moment ? moment : &reader.source.at, &table, &states, &state_ms, &dir);
	if (trouble)
		return trouble;
	show(view, &table, states);
	if (dir)
		view->zones = zones_read(&view->table, dir, false);
	serve_recording_discards(&reader.answers.recording, moment ? moment : &reader.source.at, &view->discards);
	view->state_ms = state_ms;
	return NULL;
}

/**
 * reader_open() - read an input
 * @path: a table or a snapshot, or the folder of a recording
 *
 * To be called once, before all questions. Ends the program if it is none of these.
 */
EMSCRIPTEN_KEEPALIVE void reader_open(const char *path)
{
	struct answers *answers = &reader.answers;
	struct serve_view *view;
	struct table table;
	char *trouble;

	set_input_limit(PAGE_MAX_INPUT, PAGE_MAX_REMEDY);
	source_init(&reader.source, xasprintf("%s", path));
	*answers = (struct answers){ .most = SERVE_MAX_VIEWS, .plot = plot, .plot_type = "image/svg+xml",
				       .show = show_moment, .source = &reader.source };
	if (recording_is(path))
		answers->recording = (struct serve_recording){ .dir = reader.source.path, .lens = &reader.lens };
	view = answers_new_view(answers);
	if (answers->recording.dir) {
		trouble = show_moment(NULL, view, NULL);
		if (trouble)
			die("%s", trouble);
	} else {
		if (!source_read_table(&reader.source, &table, false))
			die("%s", reader.source.waiting ? reader.source.waiting : reader.source.trouble);
		show(view, &table, NULL);
	}
	if (!view->table.n_volumes)
		die("%s: no directory is watched, so there is nothing to show", path);
	answers_add_view(answers, view, "");
}

/* The arguments are NAME, NUL, VALUE, NUL, ... and an empty name. */
static const char *argument(const void *arg, const char *name)
{
	const char *at;

	for (at = reader.arguments; *at; at += strlen(at) + 1) {
		const char *value = at + strlen(at) + 1;

		if (!strcmp(at, name))
			return value;
		at = value;
	}
	return NULL;
}

/* The whole recording as a trace. */
static void give_trace(void)
{
	char *trouble;

	reader.answer = (struct answer){ .type = "application/json" };
	trouble = run_apart(perfetto_put, reader.answers.recording.dir, &reader.answer.text);
	if (trouble)
		reader.answer = (struct answer){ .status = ANSWER_NONE, .type = "text/plain; charset=utf-8",
						 .text = { .buf = trouble, .len = strlen(trouble) } };
}

/**
 * reader_ask() - answer a question
 * @what: what is asked, see struct question; of a recording also "trace"
 * @arguments: its arguments: names and values with a NUL after each, then a NUL
 *
 * Return: enum answer_status; the answer is there until the next question.
 */
EMSCRIPTEN_KEEPALIVE int reader_ask(const char *what, const char *arguments)
{
	const struct question question = { .what = what, .value = argument };

	text_free(&reader.answer.text);
	reader.arguments = arguments;
	if (reader.answers.recording.dir && !strcmp(what, "trace"))
		give_trace();
	else
		answers_give(&reader.answers, &question, &reader.answer);
	return reader.answer.status;
}

/**
 * reader_type() - what the last answer is
 *
 * Return: as in MIME.
 */
EMSCRIPTEN_KEEPALIVE const char *reader_type(void)
{
	return reader.answer.type;
}

/**
 * reader_answer() - the last answer
 *
 * Return: its bytes.
 */
EMSCRIPTEN_KEEPALIVE const char *reader_answer(void)
{
	return reader.answer.text.buf;
}

/**
 * reader_length() - the length of the last answer
 *
 * Return: how many bytes it has.
 */
EMSCRIPTEN_KEEPALIVE size_t reader_length(void)
{
	return reader.answer.text.len;
}
