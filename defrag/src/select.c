// SPDX-License-Identifier: GPL-2.0-only
/*
 * First step of the pipeline after reading: the arguments -> which files of the table are meant.
 * An argument is the path of a file, a directory with all below it, or what the viewer takes: the end of
 * a path in whole components, or a glob.
 */

#include "model/color.h"
#include "select.h"

/* Is a path this directory, or below it? */
static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	while (n > 1 && dir[n - 1] == '/')
		n--;
	if (strncmp(path, dir, n))
		return false;
	return !path[n] || path[n] == '/' || dir[n - 1] == '/';
}

static bool is_meant(const char *path, const char *arg, const char *real)
{
	return is_below(path, arg) || (real && is_below(path, real)) || path_matches(path, arg);
}

/* The absolute path of an argument that exists; a saved table may be of another machine. */
static char *real_path(const struct options *options, const char *arg)
{
	return !options->table && !access(arg, F_OK) ? realpath(arg, NULL) : NULL;
}

/**
 * select_files() - find the files that the arguments name
 * @options: the command line
 * @table: the table
 *
 * Ends the program if an argument names no file.
 *
 * Return: by index into table.files: is it meant? To be freed.
 */
bool *select_files(const struct options *options, const struct table *table)
{
	bool *chosen = xcalloc(table->n_files, sizeof(*chosen)), found;
	char *real;

	if (!options->n_operands)
		memset(chosen, true, table->n_files * sizeof(*chosen));
	for (size_t i = 0; i < options->n_operands; i++) {
		const char *arg = options->operands[i];

		real = real_path(options, arg);
		found = false;
		for (size_t k = 0; k < table->n_files; k++) {
			if (!is_meant(table->files[k].path, arg, real))
				continue;
			chosen[k] = true;
			found = true;
		}
		free(real);
		if (!found)
			die("no watched file with blocks is called %s, or is below it", arg);
	}
	return chosen;
}
