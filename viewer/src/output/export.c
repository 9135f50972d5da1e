// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: any text of debugfs's table, extents and files, as JSON or CSV.
 * Line in, line out; each field is checked on its way. Which of the three it is, and what its
 * columns are, the first line of the text decides.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "outfile.h"
#include "output/export.h"

/* === Formats === */

/**
 * enum column_type - what a field may hold, and how JSON shows it
 * @COL_DEV: major:minor; a string
 * @COL_NUMBER: a number
 * @COL_ADDRESS: a number, or - for none; a number or null
 * @COL_MEAN: a number with one decimal
 * @COL_WORD: a word; a string
 * @COL_FLAGS: words with commas between, or - for none; an array
 * @COL_PATH: the rest of the line, escaped as in mountinfo; a string, see names.c
 */
enum column_type {
	COL_DEV,
	COL_NUMBER,
	COL_ADDRESS,
	COL_MEAN,
	COL_WORD,
	COL_FLAGS,
	COL_PATH,
};

#define MAX_COLUMNS 12

struct column {
	const char *name;
	enum column_type type;
};

struct format {
	const char *name;
	struct column columns[MAX_COLUMNS];	/* the path ends them */
};

static const struct format formats[] = {
	{ "table", {
		{ "dev", COL_DEV }, { "lba", COL_NUMBER }, { "length", COL_NUMBER },
		{ "offset", COL_NUMBER }, { "ino", COL_NUMBER }, { "state", COL_WORD },
		{ "path", COL_PATH },
	} },
	{ "extents", {
		{ "dev", COL_DEV }, { "ino", COL_NUMBER }, { "offset", COL_NUMBER },
		{ "offset_end", COL_NUMBER }, { "lba", COL_ADDRESS }, { "lba_end", COL_ADDRESS },
		{ "length", COL_NUMBER }, { "flags", COL_FLAGS }, { "path", COL_PATH },
	} },
	{ "files", {
		{ "dev", COL_DEV }, { "ino", COL_NUMBER }, { "map", COL_WORD },
		{ "blocks", COL_NUMBER }, { "extents", COL_NUMBER }, { "fragments", COL_NUMBER },
		{ "mean_fragment", COL_MEAN }, { "mean_distance", COL_MEAN },
		{ "requests_128k", COL_NUMBER }, { "ideal_128k", COL_NUMBER },
		{ "path", COL_PATH },
	} },
};

/* The lines that say which volumes a table is about, in the same terms. */
static const char volume_mark[] = "# volume ";
static const struct format volume_format = {
	"volume", {
		{ "dev", COL_DEV }, { "main_blkaddr", COL_NUMBER }, { "blocks", COL_NUMBER },
		{ "segment_blocks", COL_NUMBER }, { "path", COL_PATH },
	},
};

/* === Reading === */

/* One line being read; field is the current one, of len bytes. */
struct reader {
	const char *name;
	size_t line;
	const char *p, *end;
	const char *field;
	size_t len;
};

static bool is_made_of(const struct reader *r, const char *letters)
{
	return r->len && strspn(r->field, letters) >= r->len;
}

#define DIGITS "0123456789"

/* Digits without a 0 before them, as JSON wants its numbers, and few enough for 64 bits. */
static bool is_number(const char *field, size_t len)
{
	return len && len < 20 && strspn(field, DIGITS) >= len && (len == 1 || *field != '0');
}

static bool is_none(const struct reader *r)
{
	return r->len == 1 && *r->field == '-';
}

static bool is_mean(const struct reader *r)
{
	return r->len > 2 && r->field[r->len - 2] == '.' && is_number(r->field, r->len - 2) &&
	       strchr(DIGITS, r->field[r->len - 1]);
}

static bool is_dev(const struct reader *r)
{
	size_t n = strspn(r->field, DIGITS);

	return n < r->len && r->field[n] == ':' && is_number(r->field, n) &&
	       is_number(r->field + n + 1, r->len - n - 1);
}

static bool is_path(const struct reader *r)
{
	size_t i;

	for (i = 0; i < r->len; i++)
		if (r->field[i] == '\\' &&
		    (r->len - i < 4 || strspn(r->field + i + 1, "01234567") < 3))
			return false;
	return r->len;
}

static bool is_good(const struct reader *r, enum column_type type)
{
	switch (type) {
	case COL_DEV: return is_dev(r);
	case COL_NUMBER: return is_number(r->field, r->len);
	case COL_ADDRESS: return is_none(r) || is_number(r->field, r->len);
	case COL_MEAN: return is_mean(r);
	case COL_WORD: return is_made_of(r, "abcdefghijklmnopqrstuvwxyz_");
	case COL_FLAGS: return is_none(r) || is_made_of(r, "abcdefghijklmnopqrstuvwxyz_,");
	default: return is_path(r);
	}
}

/* The fields of a volume line have their names before them, but for the first. */
static void skip_name(struct reader *r, const struct column *c, bool named)
{
	size_t n = strlen(c->name);

	if (!named || c->type == COL_DEV)
		return;
	if ((size_t)(r->end - r->p) <= n || strncmp(r->p, c->name, n) || r->p[n] != '=')
		die_at(r->name, r->line, "found \"%.*s\" where \"%s=\" should be",
		       (int)(r->end - r->p < 24 ? r->end - r->p : 24), r->p, c->name);
	r->p += n + 1;
}

static void next_field(struct reader *r, const struct column *c)
{
	static const char *const forms[] = {
		[COL_DEV] = "MAJOR:MINOR",	[COL_NUMBER] = "a number",
		[COL_ADDRESS] = "a number or -",	[COL_MEAN] = "a number with one decimal",
		[COL_WORD] = "a word",		[COL_FLAGS] = "words with commas between, or -",
		[COL_PATH] = "a path with \\040, \\011, \\012 and \\134 as escapes",
	};
	const char *space = memchr(r->p, ' ', (size_t)(r->end - r->p));

	r->field = r->p;
	r->len = (size_t)(r->end - r->p);
	if (c->type != COL_PATH && space)
		r->len = (size_t)(space - r->p);
	if (!r->len)
		die_at(r->name, r->line, "the line ends before the %s, expected %s", c->name,
		       forms[c->type]);
	if (!is_good(r, c->type))
		die_at(r->name, r->line, "the %s is \"%.*s\", expected %s", c->name,
		       (int)(r->len < 40 ? r->len : 40), r->field, forms[c->type]);
	r->p += r->len + (c->type != COL_PATH && space);
}

/* The bytes of the path that the current field is. To be freed. */
static char *unescaped(const struct reader *r)
{
	char *path = xreallocarray(NULL, r->len + 1, 1), *to = path;
	size_t i;

	for (i = 0; i < r->len; i++) {
		if (r->field[i] != '\\') {
			*to++ = r->field[i];
			continue;
		}
		*to++ = (char)((r->field[i + 1] - '0') << 6 | (r->field[i + 2] - '0') << 3 |
			       (r->field[i + 3] - '0'));
		i += 3;
	}
	*to = '\0';
	return path;
}

static char *path_text(const struct reader *r)
{
	char *path = unescaped(r), *text = name_text(path);

	free(path);
	return text;
}

/* === Writing === */

static void json_flags(FILE *file, const struct reader *r)
{
	size_t i;

	if (is_none(r)) {
		fputs("[]", file);
		return;
	}
	fputs("[\"", file);
	for (i = 0; i < r->len; i++) {
		if (r->field[i] == ',')
			fputs("\",\"", file);
		else
			putc(r->field[i], file);
	}
	fputs("\"]", file);
}

static void json_field(FILE *file, const struct reader *r, const struct column *c, bool first)
{
	char *text;

	fprintf(file, "%s\"%s\":", first ? "{" : ",", c->name);
	switch (c->type) {
	case COL_DEV:
	case COL_WORD:
		fprintf(file, "\"%.*s\"", (int)r->len, r->field);
		break;
	case COL_FLAGS:
		json_flags(file, r);
		break;
	case COL_PATH:
		text = path_text(r);
		put_json_string(file, text);
		free(text);
		putc('}', file);
		break;
	default:
		if (is_none(r))
			fputs("null", file);
		else
			fwrite(r->field, 1, r->len, file);
	}
}

/* RFC 4180: quotes where they are needed, and doubled within. */
static void csv_text(FILE *file, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, file);
		return;
	}
	putc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', file);
		putc(*text, file);
	}
	putc('"', file);
}

static void csv_field(FILE *file, const struct reader *r, const struct column *c, bool first)
{
	char *text;

	if (!first)
		putc(',', file);
	if (c->type == COL_PATH) {
		text = path_text(r);
		csv_text(file, text);
		free(text);
		fputs("\r\n", file);
	} else if (c->type == COL_FLAGS && memchr(r->field, ',', r->len)) {
		fprintf(file, "\"%.*s\"", (int)r->len, r->field);
	} else if (!is_none(r)) {
		fwrite(r->field, 1, r->len, file);
	}
}

typedef void (*put_field)(FILE *file, const struct reader *r, const struct column *c, bool first);

static void put_record(FILE *file, struct reader *r, const struct format *format, put_field put)
{
	bool named = format == &volume_format;
	const struct column *c = format->columns;

	for (;; c++) {
		skip_name(r, c, named);
		next_field(r, c);
		put(file, r, c, c == format->columns);
		if (c->type == COL_PATH)
			return;
	}
}

/* === Texts === */

static const struct format *format_of(const char *name, const struct text *text)
{
	static const char magic[] = "# fragtrace ";
	size_t i, n;

	for (i = 0; i < ARRAY_LEN(formats) && !strncmp(text->buf, magic, strlen(magic)); i++) {
		const char *p = text->buf + strlen(magic);

		n = strlen(formats[i].name);
		if (strncmp(p, formats[i].name, n) || p[n] != ' ')
			continue;
		p += n + 1;
		n = strcspn(p, "\n");
		if (n != 1 || *p != '1')
			die_at(name, 1, "the %s has version %.*s, this program reads version 1",
			       formats[i].name, (int)(n < 24 ? n : 24), p);
		return &formats[i];
	}
	die_at(name, 1, "this is no fragtrace text, expected the first line to be \"%stable 1\", "
	       "or extents or files instead of table", magic);
}

/* All records of a text, or all lines that name a volume. */
static void put_records(FILE *file, const char *name, const struct text *text,
			const struct format *format, put_field put, const char *between)
{
	const char *line = text->buf, *end = text->buf + text->len, *newline;
	size_t skip = format == &volume_format ? strlen(volume_mark) : 0;
	struct reader r = { .name = name, .line = 1 };
	bool first = true;

	for (; line < end; line = newline + 1, r.line++) {
		newline = memchr(line, '\n', (size_t)(end - line));
		if (!newline)
			die_at(name, r.line, "the text is cut short, expected a newline at its end");
		if (memchr(line, '\0', (size_t)(newline - line)))
			die_at(name, r.line, "a NUL byte in the line, expected text");
		if (skip ? strncmp(line, volume_mark, skip) != 0 : *line == '#')
			continue;
		r.p = line + skip;
		r.end = newline;
		if (!first)
			fputs(between, file);
		first = false;
		put_record(file, &r, format, put);
	}
}

/**
 * export_json() - write a text as JSON
 * @path: where to; "-" is standard output
 * @name: what to call the text in messages
 * @text: table, extents or files, as read
 *
 * One object; each record is an object in its array, on a line of its own. Ends the program where
 * the text is not as its format says, or cannot be written.
 */
void export_json(const char *path, const char *name, const struct text *text)
{
	const struct format *format = format_of(name, text);
	struct outfile out;

	outfile_open(&out, path, "JSON text");
	fprintf(out.file, "{\"format\":\"fragtrace %s\",\"version\":1,\"time\":%jd.%03d,\n",
		format->name, (intmax_t)(text->time_ms / 1000), (int)(text->time_ms % 1000));
	if (format == formats) {
		fputs("\"volumes\":[\n", out.file);
		put_records(out.file, name, text, &volume_format, json_field, ",\n");
		fputs("\n],\n", out.file);
	}
	fputs("\"records\":[\n", out.file);
	put_records(out.file, name, text, format, json_field, ",\n");
	fputs("\n]}\n", out.file);
	outfile_close(&out);
}

/**
 * export_csv() - write a text as CSV
 * @path: where to; "-" is standard output
 * @name: what to call the text in messages
 * @text: table, extents or files, as read
 *
 * The names of the columns, then one line per record. Ends the program where the text is not as
 * its format says, or cannot be written.
 */
void export_csv(const char *path, const char *name, const struct text *text)
{
	const struct format *format = format_of(name, text);
	const struct column *c;
	struct outfile out;

	outfile_open(&out, path, "CSV text");
	for (c = format->columns; c->type != COL_PATH; c++)
		fprintf(out.file, "%s,", c->name);
	fprintf(out.file, "%s\r\n", c->name);
	put_records(out.file, name, text, format, csv_field, "");
	outfile_close(&out);
}
