/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: parse a command line, and write help, from the tables of commands and options. */
#pragma once

#include "options.h"

/* With OPT_END. */
#define MAX_COMMAND_OPTIONS 25

/**
 * struct option_def - an option of any command
 * @name: its long name
 * @letter: its short name, or 0
 * @arg: name of its argument; NULL: it has none
 * @help: what it does, for the help of its commands
 * @form: which arguments are valid, for messages; NULL: any that is not empty
 * @words: arguments that can be completed, one a line; NULL: files
 * @at: offset of what it sets in struct options
 * @read: set it by its argument, or, if it has none, by its name; returns false if the argument is not valid
 */
struct option_def {
	const char *name;
	char letter;
	const char *arg;
	const char *help;
	const char *form;
	const char *words;
	size_t at;
	bool (*read)(void *to, const char *arg);
};

extern const struct option_def option_defs[N_OPTIONS];

struct session;

/**
 * enum needs_state - when a command needs F2FS's own state
 * @STATE_NEVER: it does not; the server reads it itself
 * @STATE_MODE: only whether F2FS rewrites in place, see f2fs_modes_read()
 * @STATE_IF_KNOWN: if it is known
 * @STATE_IN_JSON: if it is known, and JSON is written: of the forms of a table, JSON has it
 * @STATE_ALWAYS: it does nothing without it
 * @STATE_ITSELF: likewise, and it reads it itself
 */
enum needs_state {
	STATE_NEVER,
	STATE_MODE,
	STATE_IF_KNOWN,
	STATE_IN_JSON,
	STATE_ALWAYS,
	STATE_ITSELF,
};

/* More operands than anybody has. */
#define ANY_NUMBER SIZE_MAX

/**
 * struct command - a command of the program
 * @name: its name
 * @operands: its operands, for the help
 * @summary: what it does, in a line
 * @about: more of it, or NULL
 * @options: its options
 * @takes_table: the first operand may be the table of -t
 * @least: how many other operands there must be
 * @most: how many other operands there may be
 * @draws: it needs colours and sizes
 * @draws_one_file: it does, and what is coloured are the breaks of one file
 * @state: when it needs F2FS's own state
 * @prepare: checks operands and completes options, or NULL
 * @run: what is done between the beginning and the end; NULL: read once, or again and again
 * @use: what is done with each table, which it may take over; or NULL
 * @start: instead of these, the command as a whole; returns its exit status
 * @program: the program that is started instead, or NULL
 */
struct command {
	const char *name;
	const char *operands;
	const char *summary;
	const char *about;
	enum option_id options[MAX_COMMAND_OPTIONS];
	bool takes_table;
	size_t least;
	size_t most;
	bool draws;
	bool draws_one_file;
	enum needs_state state;
	void (*prepare)(struct session *s);
	void (*run)(struct session *s);
	void (*use)(struct session *s, struct table *table);
	int (*start)(const struct options *options);
	const char *program;
};

void cli_parse(struct options *options, const struct command *command, int argc, char **argv);
void cli_complete(const struct command *command, const char *previous, const char *word);
void cli_print(const char *text);
