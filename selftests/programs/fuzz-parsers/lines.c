// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parsers of fiemap-check for the texts `table`, `extents` and `files`. All three parse each text,
 * because each must also handle the text of another.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../fiemap-check/fiemap-check.h"
#include "frame.h"

#define NR_FILES 8

/* Replacements of functions of fiemap-check's main.c, which also has its main(). */
void die(const char *fmt, ...)
{
	(void)fmt;
	exit(2);
}

void problem(const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
}

void *grow(void *v, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return v;
	*cap = *cap * 2 + 8;
	v = realloc(v, *cap * size);
	if (!v)
		abort();
	return v;
}

void add_run(struct runs *runs, struct run run)
{
	runs->v = grow(runs->v, runs->n, &runs->cap, sizeof(*runs->v));
	runs->v[runs->n++] = run;
}

static void read_as(void (*reader)(struct files *, char *, const struct options *), const char *text, size_t len)
{
	static const struct options opt = { .no_paths = true };
	struct file file[NR_FILES] = { { 0 } };
	struct files files = { .v = file, .n = NR_FILES };
	char *copy = malloc(len + 1);
	size_t i;

	memcpy(copy, text, len + 1);
	for (i = 0; i < NR_FILES; i++)
		file[i] = (struct file){ .major = 254, .ino = i + 4 };
	reader(&files, copy, &opt);
	for (i = 0; i < NR_FILES; i++) {
		free(file[i].table.v);
		free(file[i].extents.v);
	}
	free(copy);
}

void target(char *text, size_t len)
{
	read_as(text_table, text, len);
	read_as(text_extents, text, len);
	read_as(text_files, text, len);
}
