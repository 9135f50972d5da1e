// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the answers to what the page asks, and the tables that they are made from. serve.c gives them over
 * HTTP, ../page/reader.c to a page that reads a file itself. What each answer has is in serve_view.c and
 * serve_list.c.
 *
 * A question about another moment of a recording makes another table, see serve_recording.c; the last ones are kept.
 */

#include "output/answers.h"
#include "output/serve_counts.h"
#include "output/why.h"

/* A question about a table, and maybe another one before it; and where its answer is written. */
struct asking {
	const struct question *question;
	const struct answers *answers;
	const struct serve_view *view;
	const struct serve_view *before;
	FILE *file;
	struct json *json;
};

/* === Answers === */

static const char *value_of(const struct asking *r, const char *name)
{
	return r->question->value(r->question->arg, name);
}

/* The arguments of a question are numbers without sign. Return: false if there is none, or it is above the limit. */
static bool read_number(const struct asking *r, const char *name, uint64_t max, uint64_t *value)
{
	const char *arg = value_of(r, name);

	return arg && parse_number(arg, max, value);
}

/* The file that an argument MAJOR:MINOR INO names. Return: false if it is malformed. */
static bool read_file(const struct asking *r, const char *name, size_t *file)
{
	const struct table *table = r->view->runs.table;
	const char *arg = value_of(r, name);
	unsigned int major, minor, found;
	unsigned long ino;
	char rest;

	*file = NO_LIT;
	if (!arg || !*arg)
		return true;
	if (strlen(arg) > 40 || sscanf(arg, "%u:%u %lu%c", &major, &minor, &ino, &rest) != 3)
		return false;
	found = table_file_at(table, major, minor, ino);
	if (found < table->n_files)
		*file = found;
	return true;
}

/* A block address within a part. */
static bool read_place(const struct asking *r, uint64_t *part, uint64_t *first)
{
	const struct runs *runs = &r->view->runs;

	return runs->n_parts && read_number(r, "volume", runs->n_parts - 1, part) &&
	       read_number(r, "first", BLK_MAX, first) && *first >= runs->parts[*part].first_blk &&
	       *first < runs->parts[*part].end_blk;
}

/* Each of these writes an answer. Return: why it cannot, or NULL. */
static const char *answer_page(const struct asking *r)
{
	r->answers->page(r->file, r->view);
	return NULL;
}

static const char *answer_table(const struct asking *r)
{
	serve_put_table(r->json, r->view);
	return NULL;
}

static const char *answer_cells(const struct asking *r)
{
	struct serve_cells cells = { .before = r->before };
	uint64_t part;

	if (!read_place(r, &part, &cells.first) || !read_number(r, "per", BLK_MAX, &cells.per) || !cells.per ||
	    !read_number(r, "n", SERVE_MAX_CELLS, &cells.n) || !cells.n || !read_file(r, "lit", &cells.lit))
		return "expected volume=, first= (a block of it), per= (blocks in a cell), n= (cells, at most 16384)\n";
	cells.part = (size_t)part;
	serve_put_cells(r->json, r->view, &cells);
	return NULL;
}

static const char *answer_blocks(const struct asking *r)
{
	uint64_t part, first, end;

	if (!read_place(r, &part, &first) || !read_number(r, "end", (uint64_t)BLK_MAX + 1, &end) || end <= first ||
	    end > r->view->runs.parts[part].end_blk)
		return "expected volume=, first= and end= (blocks of it)\n";
	serve_put_blocks(r->json, r->view, (size_t)part, first, end);
	return NULL;
}

static const char *answer_files(const struct asking *r)
{
	const char *sort = value_of(r, "sort");
	struct serve_list list = {
		.sort = N_SORTS, .find = value_of(r, "find"),
		.folder = value_of(r, "folder"),
		.before = r->before,
	};
	bool is_one = value_of(r, "key");
	uint64_t n, down = 1, from = 0;

	for (size_t i = 0; i < N_SORTS; i++)
		if ((!sort || !strcmp(sort, serve_sorts[i])) && (i != SORT_CHANGE || r->before)) {
			list.sort = (enum serve_sort)i;
			break;
		}
	if (list.sort == N_SORTS || !read_number(r, "n", SERVE_MAX_FILES, &n) || !read_file(r, "key", &list.only) ||
	    (value_of(r, "down") &&
	     !read_number(r, "down", 1, &down)) ||
	    (value_of(r, "from") &&
	     !read_number(r, "from", UINT32_MAX, &from)))
		return "expected n= (at most 1000), sort= (extra, path, fragments, split or blocks; with since= also change), "
		       "down= (0 or 1), from= (the index of a file)\n";
	list.from = (size_t)from;
	list.n = is_one && list.only == NO_LIT ? 0 : (size_t)n;
	list.is_down = down;
	serve_put_files(r->json, r->view, &list);
	return NULL;
}

static const char *answer_fragments(const struct asking *r)
{
	uint64_t first = 0;
	size_t file;

	if (!read_file(r, "key", &file) || file == NO_LIT ||
	    (value_of(r, "first") &&
	     !read_number(r, "first", UINT32_MAX, &first)))
		return "expected key= (DEV INO of a file), first= (the index of a fragment)\n";
	serve_put_fragments(r->json, r->view, file, (size_t)first);
	return NULL;
}

static const char *answer_plot(const struct asking *r)
{
	size_t file;

	if (!read_file(r, "key", &file) || file == NO_LIT)
		return "expected key= (DEV INO of a file)\n";
	r->answers->plot(r->answers->arg, r->view, file, r->file);
	return NULL;
}

static const char *answer_why(const struct asking *r)
{
	size_t file;

	if (!read_file(r, "key", &file) || file == NO_LIT)
		return "expected key= (DEV INO of a file)\n";
	why_one(r->file, r->view->runs.table, r->view->name, (uint32_t)file);
	return NULL;
}

static const struct {
	const char *name;
	const char *type;
	const char *(*answer)(const struct asking *asking);
} kinds[] = {
	{ "", "text/html; charset=utf-8", answer_page },
	{ "table", "application/json", answer_table },
	{ "cells", "application/json", answer_cells },
	{ "blocks", "application/json", answer_blocks },
	{ "files", "application/json", answer_files },
	{ "fragments", "application/json", answer_fragments },
	{ "plot", NULL, answer_plot },
	{ "why", "text/plain; charset=utf-8", answer_why },
};

/* === Tables === */

static void drop(struct served *served)
{
	if (!served->view)
		return;
	serve_view_free(served->view);
	free(served->view);
	*served = (struct served){ 0 };
}

static uint64_t all_extents(const struct answers *answers)
{
	uint64_t n = 0;

	for (size_t i = 0; i < SERVE_MAX_VIEWS; i++)
		n += answers->served[i].view ? answers->served[i].view->table.n_extents : 0;
	return n;
}

/* The one that was not used for the longest time. */
static struct served *oldest(struct answers *answers)
{
	struct served *found = NULL;

	for (size_t i = 0; i < SERVE_MAX_VIEWS; i++)
		if (answers->served[i].view && (!found || answers->served[i].used < found->used))
			found = &answers->served[i];
	return found;
}

static struct served *find_served(struct answers *answers, const char *at)
{
	for (size_t i = 0; i < SERVE_MAX_VIEWS; i++)
		if (answers->served[i].view && !strcmp(answers->served[i].at, at))
			return &answers->served[i];
	return NULL;
}

/**
 * answers_new_view() - begin a table
 * @answers: what answers
 *
 * Return: to be filled by serve_view_fill(), then for answers_add_view(), or to be freed with free() if it is empty.
 */
struct serve_view *answers_new_view(struct answers *answers)
{
	struct serve_view *view = xcalloc(1, sizeof(*view));

	view->generation = ++answers->generation;
	view->interval_ns = answers->interval_ns;
	view->has_moments = answers->recording.dir;
	return view;
}

/**
 * answers_add_view() - show a table
 * @answers: what answers
 * @view: the table; owned by @answers afterwards
 * @at: its moment as questions name it; an empty one replaces the table that is shown first
 */
void answers_add_view(struct answers *answers, struct serve_view *view, const char *at)
{
	struct served *same = find_served(answers, at);
	size_t n = 0, i;

	if (same)
		drop(same);
	for (i = 0; i < SERVE_MAX_VIEWS; i++)
		n += answers->served[i].view != NULL;
	for (; n && (n >= answers->most || all_extents(answers) + view->table.n_extents > SERVE_MAX_EXTENTS); n--)
		drop(oldest(answers));
	for (i = 0; answers->served[i].view; i++)
		;
	answers->served[i] = (struct served){ .view = view, .used = ++answers->used };
	snprintf(answers->served[i].at, SERVE_AT_MAX, "%s", at);
}

/*
 * Find the table that a question is about: that of the moment in an argument, or the one that was shown first.
 *
 * Return: NULL, or why there is none, to be freed.
 */
static char *find_view(struct answers *answers, const char *name, const char *at, struct serve_view **found, enum answer_status *status)
{
	struct served *served = find_served(answers, at);
	struct serve_view *view;
	struct moment moment;
	char *trouble;

	if (served) {
		served->used = ++answers->used;
		*found = served->view;
		return NULL;
	}
	*status = ANSWER_NONE;
	if (!answers->recording.dir)
		return xasprintf("no table of that moment: this is no recording");
	if (strlen(at) >= SERVE_AT_MAX || (*at && !moment_parse(&moment, at))) {
		*status = ANSWER_WRONG;
		return xasprintf("%s=: expected " MOMENT_FORM, name);
	}
	view = answers_new_view(answers);
	trouble = answers->show(answers->arg, view, *at ? &moment : NULL);
	if (trouble) {
		free(view);
		return trouble;
	}
	answers_add_view(answers, view, at);
	*found = view;
	return NULL;
}

/**
 * answers_colors() - find the rules of a colour source
 * @answers: what answers
 * @by: its name
 *
 * Return: the rules; NULL if a page cannot switch to such ones.
 */
struct colors *answers_colors(struct answers *answers, const char *by)
{
	size_t i = index_of(by, serve_colorings, N_COLORINGS);

	if (answers->own_colors && !strcmp(by, answers->own_colors->source->name))
		return answers->own_colors;
	if (i == N_COLORINGS)
		return NULL;
	if (!answers->colors[i].n_rules)
		colors_init(&answers->colors[i], serve_colorings[i]);
	return &answers->colors[i];
}

/* Other colours than the last answer had. Return: false if there are none of that name. */
static bool recolor(struct answers *answers, struct serve_view *view, const char *by)
{
	struct colors *colors;

	if (!strcmp(by, view->colors.source->name))
		return true;
	colors = answers_colors(answers, by);
	if (!colors)
		return false;
	serve_view_color(view, colors);
	view->generation = ++answers->generation;
	return true;
}

/* === Questions === */

static void refuse(struct answer *answer, enum answer_status status, char *why)
{
	*answer = (struct answer){ .status = status, .type = "text/plain; charset=utf-8" };
	answer->text.buf = xasprintf("%s%s", why, why[strlen(why) - 1] == '\n' ? "" : "\n");
	answer->text.len = strlen(answer->text.buf);
	free(why);
}

static void answer_about(const struct answers *answers, const struct serve_view *view, const struct serve_view *before,
			 const struct question *question, size_t which, struct answer *answer)
{
	struct asking asking = { .question = question, .answers = answers, .view = view, .before = before };
	struct json json = { 0 };
	const char *trouble;

	*answer = (struct answer){ .type = kinds[which].type ? kinds[which].type : answers->plot_type, .generation = view->generation };
	if (question->known == view->generation) {
		answer->status = ANSWER_KNOWN;
		return;
	}
	asking.file = json.file = open_memstream(&answer->text.buf, &answer->text.len);
	if (!asking.file) {
		refuse(answer, ANSWER_NO_MEMORY, xasprintf("no memory"));
		return;
	}
	asking.json = &json;
	trouble = kinds[which].answer(&asking);
	if (!fclose(asking.file) && !trouble)
		return;
	text_free(&answer->text);
	refuse(answer, trouble ? ANSWER_WRONG : ANSWER_NO_MEMORY, xasprintf("%s", trouble ? trouble : "no memory"));
}

/*
 * Find the table that a question is about, and the one that it is compared with if the question names one.
 *
 * Return: as find_view() does.
 */
static char *find_views(struct answers *answers, const char *at, const char *since, struct serve_view **view,
			struct serve_view **before, enum answer_status *status)
{
	char *trouble = NULL;

	if (since && answers->most < 2) {
		*status = ANSWER_NONE;
		return xasprintf("with counts of reads, one table is kept at a time, so moments are not compared");
	}
	if (since)
		trouble = find_view(answers, "since", since, before, status);
	if (!trouble)
		trouble = find_view(answers, "at", at ? at : "", view, status);
	/* the second table may have left no room for the first one */
	if (trouble || !since || find_served(answers, since))
		return trouble;
	*status = ANSWER_NONE;
	return xasprintf("no room for both tables: together they have more than %d extents", SERVE_MAX_EXTENTS);
}

static void answer_table_of(struct answers *answers, const struct question *question, size_t which, struct answer *answer)
{
	const char *at = question->value(question->arg, "at"), *by = question->value(question->arg, "by");
	struct serve_view *view = NULL, *before = NULL;
	enum answer_status status;
	char *trouble = find_views(answers, at, question->value(question->arg, "since"), &view, &before, &status);

	if (!trouble && !recolor(answers, view, by ? by : view->own_coloring)) {
		status = ANSWER_WRONG;
		trouble = xasprintf("expected by= (kind, severity, size, cause, why, process or age)");
	}
	if (trouble)
		refuse(answer, status, trouble);
	else
		answer_about(answers, view, before, question, which, answer);
}

/* What does not depend on the table that is shown, and grows while the recording is written. */
static void answer_recording(const struct answers *answers, const struct question *question, struct answer *answer)
{
	char *(*find)(const struct serve_recording *recording, size_t first, struct text *json) =
		strcmp(question->what, "curve") ? serve_recording_spans : serve_recording_curve;
	const struct asking asking = { .question = question };
	uint64_t first = 0;
	char *trouble;

	*answer = (struct answer){ .type = "application/json" };
	if (!answers->recording.dir) {
		refuse(answer, ANSWER_NONE, xasprintf("this is no recording"));
		return;
	}
	if (question->value(question->arg, "first") && !read_number(&asking, "first", UINT32_MAX, &first)) {
		refuse(answer, ANSWER_WRONG, xasprintf("expected first= (the index of a snapshot)"));
		return;
	}
	trouble = find(&answers->recording, (size_t)first, &answer->text);
	if (trouble)
		refuse(answer, ANSWER_NONE, trouble);
}

/* What is counted does not depend on the table that is shown; of a recording, on its moment. */
static void answer_counts(const struct answers *answers, const struct question *question, const struct serve_counts *counts,
			  struct answer *answer)
{
	const char *at = question->value(question->arg, "at");
	struct moment moment = answers->source->at;
	char *trouble;

	*answer = (struct answer){ .type = "application/json" };
	if (at && *at && (strlen(at) >= SERVE_AT_MAX || !moment_parse(&moment, at))) {
		refuse(answer, ANSWER_WRONG, xasprintf("at=: expected " MOMENT_FORM));
		return;
	}
	trouble = serve_counts_answer(counts, answers->source, &answers->recording, &moment, &answer->text);
	if (trouble)
		refuse(answer, ANSWER_NONE, trouble);
}

/**
 * answers_give() - answer a question
 * @answers: the tables
 * @question: the question
 * @answer: the answer; its text is to be freed with text_free()
 */
void answers_give(struct answers *answers, const struct question *question, struct answer *answer)
{
	const struct serve_counts *counts = serve_counts_of(question->what);

	if (counts) {
		answer_counts(answers, question, counts, answer);
		return;
	}
	if (!strcmp(question->what, "recording") || !strcmp(question->what, "curve")) {
		answer_recording(answers, question, answer);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(question->what, kinds[i].name) && (*question->what || answers->page)) {
			answer_table_of(answers, question, i, answer);
			return;
		}
	refuse(answer, ANSWER_NONE, xasprintf("expected table, cells, blocks, files, fragments, plot, why, recording, curve, cost, ledger or gc"));
}

/**
 * answers_free() - free all tables, and the colours that were asked for
 * @answers: what answers
 */
void answers_free(struct answers *answers)
{
	for (size_t i = 0; i < SERVE_MAX_VIEWS; i++)
		drop(&answers->served[i]);
	for (size_t i = 0; i < N_COLORINGS; i++)
		colors_free(&answers->colors[i]);
}
