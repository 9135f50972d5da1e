// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: how it stands, in a few lines, and what to type next. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "commands.h"
#include "input/source.h"
#include "names.h"
#include "output/top.h"
#include "util.h"

/* More targets than these are counted. */
#define MAX_TARGETS 3

/* A line of `targets` after its head: dev ino state files path. */
static void print_target(const char *line)
{
	char dev[32], state[32], path[4096], *visible;
	unsigned long files;

	if (sscanf(line, "%31s %*s %31s %lu %4095s", dev, state, &files, path) != 4)
		return;
	visible = text_visible(path);
	printf("  %s: %s", visible, state);
	if (strcmp(state, "waiting"))
		printf(", %lu file%s followed on %s", files, plural(files), dev);
	putchar('\n');
	free(visible);
}

static void print_targets(const struct source *source)
{
	struct text text;
	size_t n = 0;
	char *line;

	if (!source_read_beside(source, "targets", &text))
		return;
	for (line = strtok(text.buf, "\n"); line; line = strtok(NULL, "\n"))
		if (*line != '#' && n++ < MAX_TARGETS)
			print_target(line);
	if (n > MAX_TARGETS)
		printf("  and %zu more\n", n - MAX_TARGETS);
	text_free(&text);
}

static int next(const char *text)
{
	cli_print(text);
	return EXIT_SUCCESS;
}

/**
 * status_run() - print how it stands: what is watched, and what to type next
 *
 * Return: the exit status.
 */
int status_run(void)
{
	static const char elsewhere[] = "Without it: fragtrace view TABLE draws a saved snapshot, a mailed text or a recording. "
		"All commands: fragtrace --help\n";
	struct top top = { 0 };
	struct source source;
	struct table table;
	char *summary;

	if (access("/sys/module/fragtrace", F_OK)) {
		puts("The module fragtrace is not loaded. As root: modprobe fragtrace path=DIR (a directory on F2FS)");
		return next(elsewhere);
	}
	if (access(DEFAULT_SNAPSHOT, R_OK)) {
		puts("The module fragtrace is loaded, but debugfs cannot be read: are you root, and is it mounted?");
		return next(elsewhere);
	}
	source_init(&source, DEFAULT_SNAPSHOT);
	source_read_table(&source, &table, false);
	if (!table.n_volumes)
		puts("The module fragtrace is loaded, but no directory is watched, or none is mounted:");
	else
		puts("The module fragtrace watches:");
	print_targets(&source);
	if (table.n_volumes) {
		top_add(&top, &table);
		summary = top_summary(&top, 1);
		puts(summary);
		free(summary);
		top_free(&top);
		next("Next: fragtrace top, why, view, serve or defrag; all commands: fragtrace --help\n");
	} else {
		table_free(&table);
		next("Next, as root: echo 'add DIR' >" DEBUGFS "/fragtrace/targets; all commands: fragtrace --help\n");
	}
	source_free(&source);
	return EXIT_SUCCESS;
}
