// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the files of debugfs that observers fill: heads, lines, and the words of a line.
 */
#include "input/fields.h"
#include "input/source.h"
#include "input/table.h"
#include "input/unpack.h"
#include "names.h"

static const char unknown[] = "# not known: ";

/* A number of a line, and what ends it; after the last one of a line a space may be missing. */
static bool take_number(char **at, char end, uint64_t *value)
{
	char *from = *at;

	errno = 0;
	*value = strtoull(from, at, 10);
	if (*at == from || errno || *from < '0' || *from > '9' || (**at != end && (end != ' ' || **at)))
		return false;
	*at += !!**at;
	return true;
}

static bool take_signed(char **at, int64_t *value)
{
	bool is_negative = **at == '-';
	uint64_t number;

	*at += is_negative;
	if (!take_number(at, ' ', &number) || number > INT64_MAX)
		return false;
	*value = is_negative ? -(int64_t)number : (int64_t)number;
	return true;
}

static bool take_device(char **at, unsigned int *major, unsigned int *minor)
{
	uint64_t first, second;

	if (!take_number(at, ':', &first) || !take_number(at, ' ', &second) || first > UINT_MAX || second > UINT_MAX)
		return false;
	*major = (unsigned int)first;
	*minor = (unsigned int)second;
	return true;
}

static bool take_word(char **at, const char **word)
{
	size_t len = strcspn(*at, " ");
	char *from = *at, *end = from + len;

	*at = end + !!*end;
	*word = from;
	return len && !path_unescape(from, from, end);
}

static bool take_path(char **at, struct file *file)
{
	char *path = *at;

	*at += strlen(path);
	if (!*path || path_unescape(path, path, *at))
		return false;
	file_set_path(file, path);
	return true;
}

/**
 * take_fields() - read fields of a line
 * @at: where they are; set to what comes after them
 * @form: a letter for each field, with where it is to be put:
 *	n: a number (uint64_t), c: one with a colon after it, s: one that may have a sign (int64_t), _: one that is left out,
 *	d: a device (two unsigned int), w: a word, whose escapes are replaced (const char *), p: a path, up to the end of the line
 *	(path, extension and mark of a struct file), .: the end of the line
 *
 * Return: false if one is not there.
 */
bool take_fields(char **at, const char *form, ...)
{
	unsigned int *major;
	uint64_t ignored;
	bool good = true;
	va_list to;

	va_start(to, form);
	for (; *form && good; form++) {
		switch (*form) {
		case 'n': good = take_number(at, ' ', va_arg(to, uint64_t *)); break;
		case 'c': good = take_number(at, ':', va_arg(to, uint64_t *)); break;
		case 's': good = take_signed(at, va_arg(to, int64_t *)); break;
		case '_': good = take_number(at, ' ', &ignored); break;
		case 'w': good = take_word(at, va_arg(to, const char **)); break;
		case 'p': good = take_path(at, va_arg(to, struct file *)); break;
		case 'd':
			major = va_arg(to, unsigned int *);
			good = take_device(at, major, va_arg(to, unsigned int *));
			break;
		default: good = !**at;
		}
	}
	va_end(to);
	return good;
}

/**
 * observed_parse() - parse the text of a file that an observer fills
 * @observed: which
 * @name: its path, for messages
 * @text: its content, unpacked, which what @observed->read keeps may point into
 * @result: passed on
 *
 * Ends the program at the first line that does not match the format, or if the module has counted nothing.
 */
void observed_parse(const struct observed *observed, const char *name, struct text *text, void *result)
{
	AUTO_FREE char *magic = xasprintf("# fragtrace %s %u", observed->file, observed->version);
	size_t number = 0;
	char *line, *next;

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

/**
 * observed_read() - read and parse a file that an observer fills
 * @observed: which
 * @name: its path, or that of a copy
 * @text: set to its content; to be freed by the caller
 * @result: passed on
 *
 * Ends the program if the file cannot be read, and as observed_parse().
 */
void observed_read(const struct observed *observed, const char *name, struct text *text, void *result)
{
	int err = slurp_file(text, name);

	if (err == EFBIG)
		input_too_large(name);
	if (err == EISDIR)
		die("%s: cannot read: %s; give a copy of the file %s of debugfs", name, strerror(err), observed->file);
	if (err)
		die("%s: cannot read: %s%s", name, strerror(err), source_hint(name, err));
	if (is_packed(text))
		unpack(text, name);
	observed_parse(observed, name, text, result);
}

/**
 * observed_since() - when the counts of a volume began
 * @text: as observed_parse() has left it, whose lines end with a NUL
 * @major: device number
 * @minor: device number
 *
 * Return: seconds since 1970; -1 if the file does not say it.
 */
int64_t observed_since(const struct text *text, unsigned int major, unsigned int minor)
{
	unsigned int of_major, of_minor;
	int64_t when;

	for (const char *line = text->buf; line < text->buf + text->len && *line == '#'; line += strlen(line) + 1)
		if (sscanf(line, "# since %u:%u %" SCNd64, &of_major, &of_minor, &when) == 3 && of_major == major && of_minor == minor)
			return when;
	return -1;
}
