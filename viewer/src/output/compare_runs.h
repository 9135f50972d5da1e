/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the figures of two groups of runs, for fragtrace compare. */
#pragma once

#include "output/verdict.h"

/* The parts of the answer. The first one has what is asked for; the other ones say where fragments are from. */
enum answer_part { FIGURES, CAUSES, EXTENSIONS, N_PARTS };

enum figure { BLOCKS, FRAGMENTS, EXTRA, AMPLIFICATION, WAITED, VICTIMS, LOST, N_FIGURES };

/**
 * struct figure_form - how a figure is shown
 * @key: its name in JSON
 * @text: and in sentences
 * @unit: as finely as it is compared
 * @decimals: digits after the point; 0: a count
 */
struct figure_form {
	const char *key;
	const char *text;
	double unit;
	int decimals;
};

extern const struct figure_form figure_forms[N_FIGURES];

/**
 * struct row - a figure of all runs, or the breaks of a cause or an extension
 * @name: its name
 * @figure: which, of the part FIGURES; others are counts as BLOCKS
 * @values: by run
 * @d: the difference between the groups
 */
struct row {
	char *name;
	enum figure figure;
	double *values;
	struct difference d;
};

/**
 * struct rows - a part of the answer
 * @all: its rows
 * @n: how many
 */
struct rows {
	struct row *all;
	size_t n;
	/* private: */
	size_t cap;
};

/**
 * struct compared - two groups of runs
 * @names: of the groups, as typed
 * @runs: the paths of all runs, those of the first group first
 * @n: how many
 * @n_runs: by group
 * @parts: the figures of the runs
 * @has_causes: every run has them
 */
struct compared {
	const char *names[2];
	char **runs;
	size_t n;
	size_t n_runs[2];
	struct rows parts[N_PARTS];
	bool has_causes;
	/* private: */
	size_t cap;
};

void compared_read(struct compared *c, char *const groups[2]);
void compared_free(struct compared *c);
