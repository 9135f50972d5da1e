// SPDX-License-Identifier: GPL-2.0-only
/* fragtrace: which of its commands is meant. */
#include <libgen.h>

#include "cli.h"
#include "commands.h"

static bool is_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help");
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static noreturn void help(void)
{
	cli_print("usage: fragtrace [COMMAND [OPTION...] [OPERAND...]]\n"
		  "Where the blocks of F2FS files lie, and why; without a command: what is watched.\n\n");
	for (size_t i = 0; i < N_COMMANDS; i++)
		printf("  %-10s%s\n", commands[i].name, commands[i].summary);
	cli_print("\nfragtrace COMMAND --help has the options. Most commands read a TABLE as well, a saved snapshot, a mailed text\n"
		  "or a recording: their help says which.\n"
		  "Exit status: 0 success; 1 error; 2 wrong command line; 3 of check, compare and defrag, 4 of compare and defrag: see there.\n");
	exit(EXIT_SUCCESS);
}

/* A program in the folder of this one has priority: perhaps neither is installed. */
static noreturn void start(const char *name, char **argv)
{
	char self[PATH_MAX] = "", *path;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	path = xasprintf("%s/%s", n > 0 ? dirname(self) : ".", name);
	execv(path, argv);
	execvp(name, argv);
	die("%s: %s; is it installed?", name, strerror(errno));
}

static noreturn void complete(int argc, char **argv)
{
	const struct command *command = argc > 1 ? find_command(argv[0]) : NULL;

	if (command && !command->program)
		cli_complete(command, argv[argc - 2], argv[argc - 1]);
	for (size_t i = 0; argc == 1 && i < N_COMMANDS; i++)
		puts(commands[i].name);
	exit(EXIT_SUCCESS);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct options options;
	int status = EXIT_SUCCESS;

	program = argv[0] = xasprintf("fragtrace %s", command->name);
	if (command->program)
		start(command->program, argv);
	options_set_defaults(&options);
	cli_parse(&options, command, argc, argv);
	if (command->start)
		status = command->start(&options);
	else
		command_run(command, &options);
	free(argv[0]);
	return status;
}

int main(int argc, char **argv)
{
	static const char prefix[] = "fragtrace-";
	static char help_option[] = "--help";
	const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
	const struct command *command = NULL;

	/* fragtrace-view is fragtrace view */
	if (!strncmp(name, prefix, strlen(prefix)))
		command = find_command(name + strlen(prefix));
	if (argc > 2 && !strcmp(argv[1], "--complete"))
		complete(argc - 2, argv + 2);
	if (argc > 1 && !strcmp(argv[1], "--version")) {
		cli_print("fragtrace " VERSION "\n");
		return EXIT_SUCCESS;
	}
	if (command)
		return run(command, argc, argv);
	if (argc < 2) {
		program = argv[0];
		status_run();
		return EXIT_SUCCESS;
	}
	if (is_help(argv[1]) && (strcmp(argv[1], "help") || argc == 2 || is_help(argv[2])))
		help();
	/* fragtrace help view is fragtrace view --help */
	if (!strcmp(argv[1], "help")) {
		argv[1] = argv[2];
		argv[2] = help_option;
	}
	command = find_command(argv[1]);
	if (!command)
		die_usage("%s: no such command; see fragtrace --help", *argv[1] ? argv[1] : "''");
	return run(command, argc - 1, argv + 1);
}
