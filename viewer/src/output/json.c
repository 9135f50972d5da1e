// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: JSON, written value by value, without a tree in memory: a table may have ten million records.
 * What this file knows is where commas belong, and how strings are written.
 */

#include "names.h"
#include "output/json.h"

/**
 * json_value() - begin a value that the caller writes
 * @json: the JSON
 * @key: its key; NULL in an array
 *
 * Return: where it is to be written.
 */
FILE *json_value(struct json *json, const char *key)
{
	if (json->has_any >> json->depth & 1)
		putc_unlocked(',', json->file);
	json->has_any |= 1u << json->depth;
	if (json->has_line)
		putc_unlocked('\n', json->file);
	json->has_line = false;
	if (key) {
		putc_unlocked('"', json->file);
		fputs_unlocked(key, json->file);
		fputs_unlocked("\":", json->file);
	}
	return json->file;
}

static struct json *begin(struct json *json, const char *key, bool is_array)
{
	putc_unlocked(is_array ? '[' : '{', json_value(json, key));
	json->depth++;
	json->has_any &= ~(1u << json->depth);
	json->is_array &= ~(1u << json->depth);
	json->is_array |= (uint32_t)is_array << json->depth;
	return json;
}

/**
 * json_begin() - begin an object that other programs read, with its format and version
 * @json: the result
 * @file: where to
 * @what: what it is
 * @version: of the format
 */
void json_begin(struct json *json, FILE *file, const char *what, uint64_t version)
{
	*json = (struct json){ .file = file };
	json_object(json, NULL);
	json_format(json, "format", "fragtrace %s", what);
	json_number(json, "version", version);
}

/**
 * json_object() - begin an object; JSON_OBJECT() also ends it
 * @json: the JSON
 * @key: its key; NULL in an array
 *
 * Return: @json.
 */
struct json *json_object(struct json *json, const char *key)
{
	return begin(json, key, false);
}

/**
 * json_array() - begin an array; JSON_ARRAY() also ends it
 * @json: the JSON
 * @key: its key; NULL in an array
 *
 * Return: @json.
 */
struct json *json_array(struct json *json, const char *key)
{
	return begin(json, key, true);
}

/**
 * json_end() - end the last object or array that was begun
 * @json: the JSON; a line ends after the outermost one
 */
void json_end(struct json *json)
{
	if (json->has_line)
		putc_unlocked('\n', json->file);
	json->has_line = false;
	putc_unlocked(json->is_array >> json->depth & 1 ? ']' : '}', json->file);
	if (!--json->depth)
		putc_unlocked('\n', json->file);
}

/**
 * json_leave() - the same at the end of a block, see JSON_OBJECT()
 * @json: the JSON
 */
void json_leave(struct json **json)
{
	json_end(*json);
}

/**
 * json_end_all() - end all that was begun
 * @json: the JSON; may be one that nothing was written to
 */
void json_end_all(struct json *json)
{
	while (json->depth)
		json_end(json);
}

/**
 * json_line() - let the next value, or the next end, begin on a new line
 * @json: the JSON
 */
void json_line(struct json *json)
{
	json->has_line = true;
}

/**
 * json_number() - write a number
 * @json: the JSON
 * @key: its key; NULL in an array
 * @number: the number
 */
void json_number(struct json *json, const char *key, uint64_t number)
{
	put_number(json_value(json, key), number);
}

/**
 * json_signed() - write a number that may be below 0
 * @json: the JSON
 * @key: its key; NULL in an array
 * @number: the number
 */
void json_signed(struct json *json, const char *key, int64_t number)
{
	fprintf(json_value(json, key), "%jd", (intmax_t)number);
}

/**
 * json_maybe() - write a number, or null
 * @json: the JSON
 * @key: its key; NULL in an array
 * @number: the number
 * @is_known: it is known
 */
void json_maybe(struct json *json, const char *key, uint64_t number, bool is_known)
{
	if (is_known)
		json_number(json, key, number);
	else
		fputs_unlocked("null", json_value(json, key));
}

/**
 * json_real() - write a number with decimals
 * @json: the JSON
 * @key: its key; NULL in an array
 * @number: the number
 * @decimals: number of digits after the point
 */
void json_real(struct json *json, const char *key, double number, int decimals)
{
	fprintf(json_value(json, key), "%.*f", decimals, number);
}

/**
 * json_flag() - write true or false
 * @json: the JSON
 * @key: its key; NULL in an array
 * @flag: which
 */
void json_flag(struct json *json, const char *key, bool flag)
{
	fputs_unlocked(flag ? "true" : "false", json_value(json, key));
}

/**
 * json_text() - write a string that is also safe inside a script element
 * @json: the JSON
 * @key: its key; NULL in an array
 * @text: UTF-8; NULL: null
 */
void json_text(struct json *json, const char *key, const char *text)
{
	FILE *file = json_value(json, key);

	if (!text) {
		fputs_unlocked("null", file);
		return;
	}
	putc_unlocked('"', file);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(file, "\\%c", c);
		else if (c < ' ' || c == 0x7f || strchr("<>&", c))
			fprintf(file, "\\u%04x", c);
		else
			putc_unlocked(c, file);
	}
	putc_unlocked('"', file);
}

/**
 * json_name() - write a path, or another name: what is no UTF-8, and each backslash, as \ooo
 * @json: the JSON
 * @key: its key; NULL in an array
 * @name: its bytes; NULL: null
 */
void json_name(struct json *json, const char *key, const char *name)
{
	AUTO_FREE char *text = name ? name_text(name) : NULL;

	json_text(json, key, text);
}

/**
 * json_visible() - write a name as people read it, see name_visible()
 * @json: the JSON
 * @key: its key; NULL in an array
 * @name: its bytes; NULL: null
 */
void json_visible(struct json *json, const char *key, const char *name)
{
	AUTO_FREE char *text = name ? name_visible(name) : NULL;

	json_text(json, key, text);
}

/**
 * json_say() - begin to write sentences that become a string
 * @said: where they are kept, until json_said()
 *
 * Return: where to write them.
 */
FILE *json_say(struct text *said)
{
	FILE *file = open_memstream(&said->buf, &said->len);

	if (!file)
		die("no memory for sentences");
	return file;
}

/**
 * json_said() - write the sentences, in an object as "said"
 * @json: the JSON
 * @file: what json_say() has returned; closed
 * @said: what it was given; freed
 */
void json_said(struct json *json, FILE *file, struct text *said)
{
	if (fclose(file))
		die("no memory for sentences");
	json_text(json, "said", said->buf);
	text_free(said);
}

/**
 * json_format() - write a string that is made like by printf(), of characters that need no escape
 * @json: the JSON
 * @key: its key; NULL in an array
 * @fmt: format, then its arguments
 */
void json_format(struct json *json, const char *key, const char *fmt, ...)
{
	FILE *file = json_value(json, key);
	va_list args;

	putc_unlocked('"', file);
	va_start(args, fmt);
	vfprintf(file, fmt, args);
	va_end(args);
	putc_unlocked('"', file);
}
