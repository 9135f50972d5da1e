/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: parse the command line of a command, and write its help, from the tables of options.c and main.c. */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"

#define MAX_COMMAND_OPTIONS 24

/**
 * struct option_def - an option of any command
 * @name: its long name
 * @letter: its short name, or 0
 * @arg: name of its argument; NULL: it has none
 * @help: what it does, for the help of its commands
 * @form: which arguments are valid, for messages; NULL: any that is not empty
 * @words: arguments that can be completed, separated by blanks; NULL: files
 * @at: offset of what it sets in struct options
 * @read: set it; returns false if the argument is not valid
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

/**
 * struct command - a command of the program
 * @name: its name
 * @operands: its operands, for its help
 * @summary: what it does, in a line
 * @about: more of it, or NULL
 * @least: number of operands that it needs
 * @most: number of operands that it takes
 * @takes_table: the first operand is the table, as after -t
 * @options: its options
 * @defaults: set what differs from 0, or NULL
 * @run: the command; returns its exit status
 * @program: the program that is started instead, or NULL
 */
struct command {
	const char *name;
	const char *operands;
	const char *summary;
	const char *about;
	size_t least;
	size_t most;
	bool takes_table;
	enum option_id options[MAX_COMMAND_OPTIONS];
	void (*defaults)(struct options *options);
	int (*run)(const struct options *options);
	const char *program;
};

void cli_parse(struct options *options, const struct command *command, int argc, char **argv);
void cli_complete(const struct command *command, const char *previous, const char *word);
void cli_print(const char *text);
void cli_print_wrapped(const char *text, int indent, int column);

#endif
