// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: convert paths, which may contain any byte, to text that programs and people read.
 * The module escapes paths as in /proc/self/mountinfo. Text for other programs is UTF-8. Each byte
 * that is not part of a valid character becomes \ooo, three octal digits, and so does each
 * backslash. This can always be reversed, and most names stay unchanged.
 *
 * Text for people has no characters that act on a terminal, that begin a new line, or that change the
 * order of the text around them: a name must not forge text. They become \ooo as well.
 */
#include <wchar.h>

#include "names.h"
#include "util.h"

static int is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* The length of the character at the start of a text: 1 to 4 bytes; 0 if there is no valid UTF-8 character, or the text ends. */
static size_t utf8_length(const char *text)
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
	int byte = 0;

	if (end - p < 4 || p[1] > '3')
		return -1;
	for (int i = 1; i < 4; i++) {
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

/* === Text for people === */

static uint32_t code_point(const char *text, size_t n)
{
	static const unsigned char first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t code = (unsigned char)*text & first_bits[n];

	for (size_t i = 1; i < n; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	return code;
}

/*
 * Control characters, the ends of lines and paragraphs, and the characters that set the direction of
 * text, or that are invisible. The same as HIDDEN of fragsnap.py.
 */
static bool is_hidden(uint32_t code)
{
	static const struct { uint32_t first, last; } hidden[] = {
		{ 0x0000, 0x001f }, { 0x007f, 0x009f }, { 0x00ad, 0x00ad }, { 0x061c, 0x061c },
		{ 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },
		{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe007f },
	};

	for (size_t i = 0; i < ARRAY_LEN(hidden); i++)
		if (code >= hidden[i].first && code <= hidden[i].last)
			return true;
	return false;
}

/* Can the terminal show this character in the encoding of the locale? */
static bool is_in_locale(const char *text, size_t n)
{
	mbstate_t state = { 0 };
	wchar_t wc;

	return mbrtowc(&wc, text, n, &state) == n && wcwidth(wc) > 0;
}

/* Escape each byte of the hidden and invalid characters, and of those that @show does not accept. */
static char *escape(const char *text, bool (*show)(const char *text, size_t n))
{
	char *out = xreallocarray(NULL, strlen(text) + 1, 4), *to = out;

	while (*text) {
		size_t n = utf8_length(text);

		if (n && !is_hidden(code_point(text, n)) && show(text, n)) {
			memcpy(to, text, n);
			to += n;
			text += n;
			continue;
		}
		for (n = n ? n : 1; n; n--)
			to += sprintf(to, "\\%03o", (unsigned char)*text++);
	}
	*to = '\0';
	return out;
}

static bool show_all(const char *text, size_t n)
{
	return true;
}

static bool show_in_name(const char *text, size_t n)
{
	return *text != '\\';
}

static bool show_in_locale(const char *text, size_t n)
{
	return *text != '\\' && is_in_locale(text, n);
}

/**
 * text_visible() - a text that is safe on a terminal, such as a message
 * @text: any bytes
 *
 * Return: the text in UTF-8, in one line. Backslashes stay, so it cannot always be reversed. To be freed.
 */
char *text_visible(const char *text)
{
	return escape(text, show_all);
}

/**
 * name_visible() - a name as people read it in a page or a picture
 * @path: its bytes
 *
 * Return: the name in UTF-8, in one line. Can be reversed. To be freed.
 */
char *name_visible(const char *path)
{
	return escape(path, show_in_name);
}

/**
 * name_printable() - a name that a terminal can show
 * @path: its bytes
 *
 * Return: as name_visible(), but only with characters that the encoding of the locale has. To be freed.
 */
char *name_printable(const char *path)
{
	return escape(path, show_in_locale);
}

/**
 * name_put() - write a name for a terminal
 * @out: output
 * @name: its bytes
 */
void name_put(FILE *out, const char *name)
{
	AUTO_FREE char *text = name_printable(name);

	fputs(text, out);
}
