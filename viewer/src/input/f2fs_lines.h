/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: read texts of F2FS line by line; for f2fs_segments.c and f2fs_status.c. */
#pragma once

#include "util.h"

/* No line of F2FS's texts is longer: one of segment_bits has about 230 letters. */
#define F2FS_LINE_MAX 1024

/**
 * struct f2fs_lines - a text that is read line by line
 * @name: name of the text, for messages
 * @file: where it is read from
 * @number: of the current line, counted from 1
 * @text: the current line, without its newline
 * @p: for the parser: the rest of the line
 * @trouble: why the text was refused, "NAME:LINE: ..."; or NULL
 */
struct f2fs_lines {
	const char *name;
	FILE *file;
	size_t number;
	char text[F2FS_LINE_MAX];
	const char *p;
	char *trouble;
};

bool f2fs_lines_next(struct f2fs_lines *lines);
bool f2fs_lines_refuse(struct f2fs_lines *lines, const char *what);
bool f2fs_lines_number(struct f2fs_lines *lines, uint64_t most, uint64_t *value);
