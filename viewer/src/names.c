// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: convert paths, which may contain any byte, to text that other programs read.
 * The module escapes paths as in /proc/self/mountinfo. Text for other programs is UTF-8. Each byte
 * that is not part of a valid character becomes \ooo, three octal digits, and so does each
 * backslash. This can always be reversed, and most names stay unchanged.
 */
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "names.h"
#include "util.h"

static int is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/**
 * utf8_length() - the length of the character at the start of a text
 * @text: the text
 *
 * Return: bytes, 1 to 4; 0 if there is no valid UTF-8 character, or the text ends.
 */
size_t utf8_length(const char *text)
{
	unsigned char a = (unsigned char)text[0], b;

	if (a < 0x80)
		return a != 0;
	b = (unsigned char)text[1];
	if (a < 0xc2 || a > 0xf4 || !is_continuation((char)b))
		return 0;
	if (a < 0xe0)
		return 2;
	if (!is_continuation(text[2]))
		return 0;
	/* overlong, or a surrogate of UTF-16 */
	if (a < 0xf0)
		return (a == 0xe0 && b < 0xa0) || (a == 0xed && b >= 0xa0) ? 0 : 3;
	if (!is_continuation(text[3]))
		return 0;
	/* overlong, or beyond the last code point */
	return (a == 0xf0 && b < 0x90) || (a == 0xf4 && b >= 0x90) ? 0 : 4;
}

/* The value of an escape, or -1 if it is invalid: a path has no NUL, and a byte has eight bits. */
static int escaped_byte(const char *p, const char *end)
{
	int byte = 0, i;

	if (end - p < 4 || p[1] > '3')
		return -1;
	for (i = 1; i < 4; i++) {
		if (p[i] < '0' || p[i] > '7')
			return -1;
		byte = byte << 3 | (p[i] - '0');
	}
	return byte ? byte : -1;
}

/**
 * path_unescape() - decode a path that is escaped as in /proc/self/mountinfo
 * @to: buffer for the result and a NUL: one byte more than the escaped path
 * @from: the path
 * @end: its end
 *
 * Return: NULL, or the first invalid escape.
 */
const char *path_unescape(char *to, const char *from, const char *end)
{
	while (from < end) {
		int byte;

		if (*from != '\\') {
			*to++ = *from++;
			continue;
		}
		byte = escaped_byte(from, end);
		if (byte < 0)
			return from;
		*to++ = (char)byte;
		from += 4;
	}
	*to = '\0';
	return NULL;
}

/**
 * name_text() - a path as text
 * @path: its bytes
 *
 * Return: the path in UTF-8, see above; to be freed.
 */
char *name_text(const char *path)
{
	char *text = xreallocarray(NULL, strlen(path) + 1, 4), *to = text;

	while (*path) {
		size_t n = *path == '\\' ? 0 : utf8_length(path);

		if (n) {
			memcpy(to, path, n);
			to += n;
			path += n;
		} else {
			to += sprintf(to, "\\%03o", (unsigned char)*path++);
		}
	}
	*to = '\0';
	return text;
}

/**
 * name_printable() - a name that a terminal can show
 * @path: its bytes
 *
 * Return: the name in the encoding of the locale. Unprintable bytes and backslashes become \ooo. To be
 * freed.
 */
char *name_printable(const char *path)
{
	char *out = xreallocarray(NULL, strlen(path) + 1, 4), *to = out;
	mbstate_t state = { 0 };

	while (*path) {
		wchar_t wc;
		size_t n = mbrtowc(&wc, path, strlen(path), &state);

		if (n < (size_t)-2 && *path != '\\' && wcwidth(wc) > 0) {
			memcpy(to, path, n);
			to += n;
			path += n;
			continue;
		}
		to += sprintf(to, "\\%03o", (unsigned char)*path++);
		state = (mbstate_t){ 0 };
	}
	*to = '\0';
	return out;
}

/**
 * put_json_string() - write a string as JSON that is also safe inside a script element
 * @file: output
 * @text: UTF-8
 */
void put_json_string(FILE *file, const char *text)
{
	putc('"', file);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(file, "\\%c", c);
		else if (c < ' ' || c == 0x7f || strchr("<>&", c))
			fprintf(file, "\\u%04x", c);
		else
			putc(c, file);
	}
	putc('"', file);
}
