/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the answers to what the page asks, and the tables that they are made from. */
#pragma once

#include "input/source.h"
#include "output/serve_recording.h"
#include "output/serve_view.h"
#include "util.h"

/* Room for a moment in a question. */
#define SERVE_AT_MAX 64

/* So many tables are kept, as long as they have no more extents in all than this. */
#define SERVE_MAX_VIEWS 8
#define SERVE_MAX_EXTENTS 8000000

/**
 * struct served - the table of a moment
 * @view: the table; NULL: none
 * @at: the moment as questions name it; empty: the one that is shown first
 * @used: larger than that of all tables that were asked for before
 */
struct served {
	struct serve_view *view;
	char at[SERVE_AT_MAX];
	uint64_t used;
};

/**
 * struct answers - the tables that answers are made from
 * @source: where the table that is shown is
 * @recording: it has the tables of other moments; its folder is NULL if there is none
 * @most: how many tables are kept
 * @interval_ns: from one table to the next; 0: there is only one
 * @page: writes the page; NULL: it is elsewhere
 * @own_colors: the rules of the table that is shown first, which others keep; NULL: those of the first colour source
 * @plot: writes a picture of one file
 * @plot_type: what that is, as in MIME
 * @show: fills a view with a moment; NULL stands for the one that is shown first. Returns NULL, or why there is none,
 *	to be freed
 * @arg: for these
 */
struct answers {
	const struct source *source;
	struct serve_recording recording;
	size_t most;
	int64_t interval_ns;
	void (*page)(FILE *out, const struct serve_view *view);
	struct colors *own_colors;
	void (*plot)(void *arg, const struct serve_view *view, size_t file, FILE *out);
	const char *plot_type;
	char *(*show)(void *arg, struct serve_view *view, const struct moment *moment);
	void *arg;
	/* private: */
	struct colors colors[N_COLORINGS];	/* by index into serve_colorings, if they were asked for */
	struct served served[SERVE_MAX_VIEWS];
	uint64_t used;
	uint64_t generation;
};

/**
 * struct question - what the page asks
 * @what: table, cells, blocks, files, fragments, plot, why, recording, curve, cost, ledger or gc; empty: the page
 * @value: finds an argument by its name, or NULL
 * @arg: for @value
 * @known: generation of the table that is known already; 0: none
 */
struct question {
	const char *what;
	const char *(*value)(const void *arg, const char *name);
	const void *arg;
	uint64_t known;
};

/**
 * enum answer_status - what became of a question
 * @ANSWER_OK: the answer is there
 * @ANSWER_KNOWN: it is known already
 * @ANSWER_WRONG: the question is not valid
 * @ANSWER_NONE: there is no such thing, or no table of that moment
 * @ANSWER_NO_MEMORY: no memory
 */
enum answer_status {
	ANSWER_OK,
	ANSWER_KNOWN,
	ANSWER_WRONG,
	ANSWER_NONE,
	ANSWER_NO_MEMORY,
};

/**
 * struct answer - the answer to a question
 * @status: what became of it
 * @type: what @text is, as in MIME
 * @text: the answer, or why there is none
 * @generation: of the table that it is about; 0: of none
 */
struct answer {
	enum answer_status status;
	const char *type;
	struct text text;
	uint64_t generation;
};

void answers_give(struct answers *answers, const struct question *question, struct answer *answer);
struct serve_view *answers_new_view(struct answers *answers);
void answers_add_view(struct answers *answers, struct serve_view *view, const char *at);
struct colors *answers_colors(struct answers *answers, const char *by);
void answers_free(struct answers *answers);
