/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: what observers of the module have counted, as the commands say it, for a served page. */
#pragma once

#include "input/source.h"
#include "output/serve_recording.h"
#include "output/sheet.h"

/* Lines of each table of an answer. */
#define SERVE_MAX_LINES 100

/**
 * struct serve_counts - a command whose answer the page has, too
 * @command: its name
 * @file: of the module, which the parameter that switches the counts on has, too
 * @put: writes the answer about a file, of each table of JSON so many lines at most
 */
struct serve_counts {
	const char *command;
	const char *file;
	void (*put)(FILE *out, const char *path, enum sheet_form form, size_t most);
};

const struct serve_counts *serve_counts_of(const char *command);
char *serve_counts_answer(const struct serve_counts *counts, const struct source *source, const struct serve_recording *recording,
			  const struct moment *moment, struct text *json);

/* In cost.c, ledger.c and gc.c. */
void cost_put(FILE *out, const char *path, enum sheet_form form, size_t most);
void ledger_put(FILE *out, const char *path, enum sheet_form form, size_t most);
void gc_put(FILE *out, const char *path, enum sheet_form form, size_t most);
