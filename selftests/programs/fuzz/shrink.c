// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reduce a plan that fails to a short one that still fails: delta debugging over its lines.
 *
 * In: a plan and a command that tries one. Out: the shortest plan found in the given time; each shorter
 * one is written when it is found. Settings for the creation of the volume are removed like other lines,
 * so that the remaining ones matter. First, all threads become one if the failure survives that. A plan
 * that fails only sometimes is tried several times.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "fuzz.h"

/**
 * struct text - lines
 * @line: the lines
 * @nr: number of lines
 */
struct text {
	char **line;
	size_t nr;
};

/**
 * struct shrink - a plan that is being reduced
 * @best: the shortest one that failed
 * @out: the file to store it in
 * @command: tries a plan
 * @repeats: number of successful tries before a plan counts as good
 * @end: time to stop
 * @tried: number of tried plans
 */
struct shrink {
	struct text best;
	const char *out;
	const char *command;
	unsigned int repeats;
	time_t end;
	unsigned int tried;
};

static void read_text(struct text *text, const char *path)
{
	FILE *in = fopen(path, "r");
	size_t size = 0, cap = 0;
	char *line = NULL;

	if (!in)
		die("%s: %s", path, strerror(errno));
	while (getline(&line, &size, in) > 0) {
		if (*line == '#')
			continue;
		if (text->nr == cap) {
			cap = cap * 2 + 256;
			text->line = realloc(text->line, cap * sizeof(*text->line));
			if (!text->line)
				die("out of memory");
		}
		text->line[text->nr++] = strdup(line);
	}
	free(line);
	fclose(in);
}

static void write_text(const struct text *text, const char *path)
{
	FILE *out = fopen(path, "w");
	size_t i;

	if (!out)
		die("%s: %s", path, strerror(errno));
	for (i = 0; i < text->nr; i++)
		fputs(text->line[i], out);
	if (fclose(out))
		die("%s: %s", path, strerror(errno));
}

static bool time_is_over(const struct shrink *s)
{
	return time(NULL) >= s->end;
}

/* Does this plan fail? If so it becomes the best one. */
static bool fails(struct shrink *s, const struct text *text)
{
	unsigned int again;
	char *path, *command;
	bool failed = false;

	if (asprintf(&path, "%s.try", s->out) < 0 || asprintf(&command, "%s %s >/dev/null 2>&1", s->command, path) < 0)
		die("out of memory");
	write_text(text, path);
	for (again = 0; again < s->repeats && !failed && !time_is_over(s); again++) {
		int status = system(command);

		s->tried++;
		failed = WIFEXITED(status) && WEXITSTATUS(status) == 1;
	}
	remove(path);
	free(path);
	free(command);
	if (failed)
		write_text(text, s->out);
	return failed;
}

/* Make a plan the best one; its lines are shared, not copied. */
static void adopt(struct shrink *s, struct text *text)
{
	free(s->best.line);
	s->best = *text;
}

/* All lines except [from, to). */
static struct text without(const struct text *text, size_t from, size_t to)
{
	struct text rest = { .line = malloc((text->nr + 1) * sizeof(*rest.line)) };

	if (!rest.line)
		die("out of memory");
	memcpy(rest.line, text->line, from * sizeof(*rest.line));
	memcpy(rest.line + from, text->line + to, (text->nr - to) * sizeof(*rest.line));
	rest.nr = text->nr - (to - from);
	return rest;
}

static bool try_without(struct shrink *s, size_t from, size_t to)
{
	struct text rest = without(&s->best, from, to);

	if (fails(s, &rest)) {
		adopt(s, &rest);
		return true;
	}
	free(rest.line);
	return false;
}

static void try_one_thread(struct shrink *s)
{
	struct text text = without(&s->best, 0, 0);
	size_t i;

	for (i = 0; i < text.nr; i++) {
		char *space = strchr(text.line[i], ' ');

		if (!space || *text.line[i] < '0' || *text.line[i] > '9')
			continue;
		if (asprintf(&text.line[i], "0%s", space) < 0)
			die("out of memory");
	}
	if (fails(s, &text))
		adopt(s, &text);
	else
		free(text.line);
}

/* Try to remove pieces of a size, from the last to the first; return true if one was removed. */
static bool cut_pieces(struct shrink *s, size_t size)
{
	size_t to = s->best.nr;
	bool cut = false;

	while (to && !time_is_over(s)) {
		size_t from = to > size ? to - size : 0;

		cut |= try_without(s, from, to);
		to = from;
	}
	return cut;
}

/**
 * plan_shrink() - reduce a plan
 * @from: the plan
 * @to: the file for the shortest one
 * @seconds: the time limit
 * @command: run with the name of a plan as last word; status 1 means that it fails
 *
 * Return: exit status of the program: 0, or 2 if the plan does not fail at all
 */
int plan_shrink(const char *from, const char *to, unsigned int seconds, const char *command)
{
	struct shrink s = { .out = to, .command = command, .end = time(NULL) + seconds, .repeats = 1 };
	size_t size, before;

	read_text(&s.best, from);
	before = s.best.nr;
	if (!fails(&s, &s.best)) {
		s.repeats = 4;
		if (!fails(&s, &s.best)) {
			printf("# did not fail again in %u tries\n", s.tried);
			return 2;
		}
	}
	try_one_thread(&s);
	for (size = (s.best.nr + 1) / 2; size && !time_is_over(&s);)
		if (!cut_pieces(&s, size) || size > 1)
			size /= 2;
	printf("# cut from %zu to %zu lines in %u tries\n", before, s.best.nr, s.tried);
	return 0;
}
