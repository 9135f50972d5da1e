// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: what is watched, in a few lines, and what to type next. */

#include "cli.h"
#include "commands.h"
#include "input/source.h"
#include "names.h"
#include "output/top.h"

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
		printf(", %s followed on %s", COUNT(files, "file"), dev);
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

/**
 * status_run() - print what is watched, how fragmented it is, and what to type next
 */
void status_run(void)
{
	bool is_loaded = !access("/sys/module/fragtrace", F_OK);
	struct top top = { 0 };
	struct source source;
	struct table table;

	if (!is_loaded || access(DEFAULT_SNAPSHOT, R_OK)) {
		puts(is_loaded ? "The module fragtrace is loaded, but its files cannot be read: are you root, and is debugfs mounted?" :
		     "The module fragtrace is not loaded. As root: modprobe fragtrace path=DIR, or insmod fragtrace.ko path=DIR (a directory on F2FS)");
		printf("Without it: %s view TABLE draws a saved snapshot, a mailed text or a recording. All commands: %s --help\n", program, program);
		cli_print("");
		return;
	}
	source_init(&source, DEFAULT_SNAPSHOT);
	source_read_table(&source, &table, false);
	puts(table.n_volumes ? "The module fragtrace watches:" :
	     "The module fragtrace is loaded, but no directory is watched, or none is mounted.");
	print_targets(&source);
	top_add(&top, &table);
	AUTO_FREE char *summary = top_summary(&top, 1);
	printf("%s%s", top.table.n_volumes ? summary : "", top.table.n_volumes ? "\n" : "");
	if (top.table.n_volumes)
		printf("Next: %s top, why, view, serve or defrag", program);
	else
		printf("Next, as root: echo 'add DIR' >%s", MODULE_FILE("targets"));
	printf("; all commands: %s --help\n", program);
	cli_print("");
	top_free(&top);
	source_free(&source);
}
