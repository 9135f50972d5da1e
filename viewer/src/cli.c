// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: parse a command line, and write help, from the tables of commands and options. */
#include <getopt.h>

#include "cli.h"
#include "input/source.h"

#define WIDTH 80
#define HELP_COLUMN 26
/* getopt_long() returns this and the number of the option for one without a letter. */
#define LONG 256

/* === Help === */

/**
 * cli_print() - print a text, and end the program if it cannot be written
 * @text: the text
 */
void cli_print(const char *text)
{
	fputs(text, stdout);
	flush_stdout();
}

/* Print a text in lines of at most 80 columns, which begin at the indent; there may be something up to the column. */
static void print_wrapped(const char *text, int indent, int column)
{
	bool is_begin = true;

	if (indent && column > indent - 2) {
		putchar('\n');
		column = 0;
	}
	printf("%*s", indent - column, "");
	for (column = indent; *text; text += strspn(text, " ")) {
		int n = (int)strcspn(text, " ");

		if (!is_begin && column + 1 + n > WIDTH) {
			printf("\n%*s", indent, "");
			column = indent;
			is_begin = true;
		}
		column += printf("%s%.*s", is_begin ? "" : " ", n, text);
		is_begin = false;
		text += n;
	}
	putchar('\n');
}

static void print_option(const struct option_def *def)
{
	int column = printf(def->letter ? "  -%c, " : "      ", def->letter);

	column += printf("--%s%s%s", def->name, def->arg ? " " : "", def->arg ? def->arg : "");
	print_wrapped(def->help, HELP_COLUMN, column);
}

static noreturn void help(const struct command *command)
{
	const enum option_id *id;

	printf("usage: %s [OPTION...]%s%s\n", program, *command->operands ? " " : "", command->operands);
	print_wrapped(command->summary, 0, 0);
	if (command->about)
		print_wrapped(command->about, 0, 0);
	putchar('\n');
	for (id = command->options; *id; id++)
		print_option(&option_defs[*id]);
	print_option(&option_defs[OPT_HELP]);
	cli_print("");
	exit(0);
}

/* === Completion === */

/* The option that a word is, as it is typed. */
static const struct option_def *option_of(const struct command *command, const char *word)
{
	const enum option_id *id;

	for (id = command->options; *id; id++) {
		const struct option_def *def = &option_defs[*id];

		if ((word[0] == '-' && word[1] == '-' && !strcmp(word + 2, def->name)) ||
		    (word[0] == '-' && word[1] && word[1] == def->letter && !word[2]))
			return def;
	}
	return NULL;
}

/**
 * cli_complete() - print what may stand at a place of a command line
 * @command: the command
 * @previous: the word before
 * @word: what was typed of it
 *
 * A line for each word; the line "FILES" stands for files and folders.
 */
void cli_complete(const struct command *command, const char *previous, const char *word)
{
	const struct option_def *def = option_of(command, previous);
	const enum option_id *id;

	if (def && def->arg)
		puts(def->words ? def->words : "FILES");
	else if (*word != '-')
		puts("FILES");
	else
		for (id = command->options; *id; id++)
			printf("--%s\n", option_defs[*id].name);
}

/* === Parsing === */

static void set_option(struct options *options, const struct option_def *def, const char *arg)
{
	if ((def->arg && !*arg) || !def->read((char *)options + def->at, def->arg ? arg : def->name))
		die_usage("--%s %s: not valid; give %s", def->name, !def->arg || *arg ? arg : "''",
			  def->form ? def->form : def->arg);
}

/* What getopt_long() takes. */
static void fill_longs(struct option *longs, char *shorts, const struct command *command)
{
	size_t i;

	/* for ':' where an argument is missing */
	*shorts++ = ':';
	for (i = 0; command->options[i]; i++) {
		const struct option_def *def = &option_defs[command->options[i]];

		longs[i] = (struct option){ def->name, def->arg ? required_argument : no_argument, NULL,
					 LONG + (int)command->options[i] };
		if (!def->letter)
			continue;
		*shorts++ = def->letter;
		if (def->arg)
			*shorts++ = ':';
	}
	longs[i] = (struct option){ "help", no_argument, NULL, LONG + OPT_HELP };
	strcpy(shorts, "h");
}

/* How many options of a command begin like this word? */
static int count_like(const struct command *command, const char *word)
{
	size_t n = strcspn(word, "=");
	int count = 0;

	if (n < 3 || strncmp(word, "--", 2))
		return 0;
	for (int i = 0; command->options[i]; i++)
		count += !strncmp(option_defs[command->options[i]].name, word + 2, n - 2);
	return count;
}

/* For getopt_long(), an option of one letter may stand anywhere in a word. */
static noreturn void refuse(const struct command *command, bool lacks_argument, const char *word)
{
	bool is_letter = optopt && optopt < LONG;
	int alike = is_letter ? 0 : count_like(command, word);
	char letter[] = { '-', (char)optopt, '\0' };

	die_usage("%s: %s; see %s --help", is_letter ? letter : word,
		  lacks_argument ? "needs an argument" : !alike ? "not an option here" :
		  alike > 1 && !optopt ? "is ambiguous" : "takes no argument", program);
}

/* A table that is not named by -t is the first operand. */
static void take_table(struct options *options, const struct command *command)
{
	if (!command->takes_table || options->table || !options->n_operands)
		return;
	if (command->most && options->n_operands <= command->most && (command->least || !source_may_be(*options->operands)))
		return;
	options->table = *options->operands++;
	options->n_operands--;
}

/**
 * cli_parse() - parse the arguments of a command
 * @options: the result; has the defaults
 * @command: the command
 * @argc: number of @argv
 * @argv: what messages begin with, then the arguments
 *
 * Ends the program after --help, and on an argument that is not valid.
 */
void cli_parse(struct options *options, const struct command *command, int argc, char **argv)
{
	struct option longs[MAX_COMMAND_OPTIONS + 2] = { 0 };
	char shorts[2 * MAX_COMMAND_OPTIONS + 3];
	const char *last = strrchr(command->operands, ' ');
	int c;

	fill_longs(longs, shorts, command);
	opterr = 0;
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (c == 'h' || c == LONG + OPT_HELP)
			help(command);
		if (c == '?' || c == ':')
			refuse(command, c == ':', argv[optind - 1]);
		set_option(options, c < LONG ? option_of(command, (char []){ '-', (char)c, '\0' }) : &option_defs[c - LONG], optarg);
	}
	options->operands = argv + optind;
	options->n_operands = (size_t)(argc - optind);
	for (size_t i = 0; i < options->n_operands; i++)
		if (!*options->operands[i])
			die_usage("'': an argument is empty; see %s --help", program);
	take_table(options, command);
	if (options->n_operands > command->most)
		die_usage("%s: unexpected argument; see %s --help", options->operands[command->most], program);
	if (options->n_operands < command->least)
		die_usage("%s: missing; see %s --help", last ? last + 1 : command->operands, program);
}
