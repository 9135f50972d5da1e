// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the files of debugfs that observers fill: heads, lines, and the words of a line.
 */
#include "input/fields.h"
#include "input/source.h"
#include "input/unpack.h"
#include "names.h"

static const char unknown[] = "# not known: ";

/**
 * take_number() - read a number of a line, and what ends it
 * @at: where it is; set to what comes after it
 * @end: the character after it; after the last word of a line a space may be missing
 * @value: the number
 *
 * Return: false if there is none.
 */
bool take_number(char **at, char end, uint64_t *value)
{
	char *from = *at;

	errno = 0;
	*value = strtoull(from, at, 10);
	if (*at == from || errno || *from < '0' || *from > '9' || (**at != end && (end != ' ' || **at)))
		return false;
	*at += !!**at;
	return true;
}

/**
 * take_word() - read a word of a line and the space after it, and replace its escapes
 * @at: where it is; set to what comes after it
 * @word: the word
 *
 * Return: false if there is none.
 */
bool take_word(char **at, const char **word)
{
	size_t len = strcspn(*at, " ");
	char *from = *at, *end = from + len;

	*at = end + !!*end;
	*word = from;
	return len && !path_unescape(from, from, end);
}

/**
 * observed_read() - read a file that an observer fills
 * @observed: which
 * @name: its path, or that of a copy
 * @text: set to its content, which what @observed->read keeps may point into; to be freed by the caller
 * @result: passed on
 *
 * Ends the program if the file cannot be read, at the first line that does not match the format, or if the module has counted
 * nothing.
 */
void observed_read(const struct observed *observed, const char *name, struct text *text, void *result)
{
	AUTO_FREE char *magic = xasprintf("# fragtrace %s %u", observed->file, observed->version);
	size_t number = 0;
	char *line, *next;
	int err;

	err = slurp_file(text, name);
	if (err == EFBIG)
		input_too_large(name);
	if (err == EISDIR)
		die("%s: cannot read: %s; give a copy of the file %s of debugfs", name, strerror(err), observed->file);
	if (err)
		die("%s: cannot read: %s%s", name, strerror(err), source_hint(name, err));
	if (is_packed(text))
		unpack(text, name);
	for (line = text->buf; *line; line = next) {
		next = take_line(line);
		if (!number++ && strcmp(line, magic) != 0)
			break;
		if (!strncmp(line, unknown, strlen(unknown)))
			die("%s: %s; load it with %s=1", name, line + strlen(unknown), observed->file);
		if (*line == '#' ? observed->read_head && !observed->read_head(result, line) : !observed->read(result, line))
			die_at(name, number, "expected: a line %s of this format", observed->lines);
	}
	if (*line || !number)
		die_at(name, 1, "expected the line \"%s\"; give a copy of the file %s of debugfs%s", magic, observed->file,
		       observed->or_else ? observed->or_else : "");
}
