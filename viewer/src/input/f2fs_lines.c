// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: read texts of F2FS line by line.
 * A text of /proc/fs/f2fs may have gigabytes, so only one line is in memory.
 */

#include "input/f2fs_lines.h"

/**
 * f2fs_lines_refuse() - refuse the text because of its current line
 * @lines: the text
 * @what: the error and the remedy
 *
 * Return: false.
 */
bool f2fs_lines_refuse(struct f2fs_lines *lines, const char *what)
{
	if (!lines->trouble)
		lines->trouble = xasprintf("%s:%zu: %s", lines->name, lines->number, what);
	return false;
}

/**
 * f2fs_lines_next() - read the next line
 * @lines: the text; its @trouble is set if the line is too long, cut, or has a NUL byte
 *
 * Return: false at the end of the text, or if there is trouble.
 */
bool f2fs_lines_next(struct f2fs_lines *lines)
{
	size_t len;

	if (lines->trouble)
		return false;
	memset(lines->text, 0, sizeof(lines->text));
	if (!fgets(lines->text, sizeof(lines->text), lines->file)) {
		if (ferror(lines->file))
			lines->trouble = xasprintf("%s: %s; expected a text of F2FS", lines->name, strerror(errno));
		return false;
	}
	lines->number++;
	lines->p = lines->text;
	len = strlen(lines->text);
	if (!len || lines->text[len - 1] != '\n')
		return f2fs_lines_refuse(lines, len + 1 == sizeof(lines->text) ?
					 "the line is too long; expected a text of F2FS" :
					 "the line is cut short or has a NUL byte, copy the file again");
	lines->text[len - 1] = '\0';
	return true;
}

/**
 * f2fs_lines_number() - read a decimal number
 * @lines: the text; its @p is set to the end of the number
 * @most: the largest value allowed
 * @value: set to the number
 *
 * Return: false if there is no such number.
 */
bool f2fs_lines_number(struct f2fs_lines *lines, uint64_t most, uint64_t *value)
{
	char *end;

	if (*lines->p < '0' || *lines->p > '9')
		return false;
	errno = 0;
	*value = strtoull(lines->p, &end, 10);
	lines->p = end;
	return !errno && *value <= most;
}
