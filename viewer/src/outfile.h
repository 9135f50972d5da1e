/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: a file that is written as a whole or not at all. */
#pragma once

#include "util.h"

/**
 * struct outfile - a file being written
 * @file: the stream to write to
 * @path: its name, or "<stdout>"; for messages
 * @what: kind of content, for messages: "picture"
 */
struct outfile {
	FILE *file;
	const char *path;
	const char *what;
	/* private: */
	char *final;
	int nameless;
};

bool outfile_same(const char *a, const char *b);
bool outfile_is_input(const char *path, const char *input);
void outfile_open(struct outfile *out, const char *path, const char *what);
void outfile_close(struct outfile *out);
void outfile_abandon(void);
noreturn void outfile_failed(const struct outfile *out);
