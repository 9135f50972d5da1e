/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the files of debugfs that observers fill, line by line, and the words of a line. */
#pragma once

#include "util.h"

/**
 * struct observed - a file of debugfs that an observer fills
 * @file: its name, which the parameter that switches it on has, too
 * @version: of its format
 * @lines: what its lines are, for messages
 * @or_else: what may be given instead of it, for messages; NULL: nothing
 * @read_head: read a line that begins with #; false if it does not match the format; NULL: none says more than names of fields
 * @read: read a line, without its end; false if it does not match the format. The line may be changed, and stays
 */
struct observed {
	const char *file;
	unsigned int version;
	const char *lines;
	const char *or_else;
	bool (*read_head)(void *result, const char *line);
	bool (*read)(void *result, char *line);
};

void observed_parse(const struct observed *observed, const char *name, struct text *text, void *result);
void observed_read(const struct observed *observed, const char *name, struct text *text, void *result);
int64_t observed_since(const struct text *text, unsigned int major, unsigned int minor);
bool take_fields(char **at, const char *form, ...);
