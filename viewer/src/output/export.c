// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: export tables as JSON or CSV, and also the texts `extents` and `files` of debugfs.
 * A table was parsed by table.c or snapshot.c. Both have the same columns here. A table with known
 * causes has four more columns. Texts of extents and files are exported line by line, and each field
 * is checked.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/causes.h"
#include "names.h"
#include "outfile.h"
#include "output/export.h"
#include "output/space.h"

/* === Formats === */

/**
 * enum column_type - what a field may hold, and how JSON shows it
 * @COL_DEV: major:minor; a string
 * @COL_NUMBER: a number
 * @COL_ADDRESS: a number, or - for none; a number or null
 * @COL_MEAN: a number with one decimal
 * @COL_WORD: a word; a string
 * @COL_CAUSE: a word, or - where nothing is broken; a string or null
 * @COL_PROCESS: COMM:PID, escaped like a path, or a word, or -; a string or null
 * @COL_FLAGS: words with commas between, or - for none; an array
 * @COL_PATH: the rest of the line, escaped as in mountinfo; a string, see names.c
 */
enum column_type {
	COL_DEV,
	COL_NUMBER,
	COL_ADDRESS,
	COL_MEAN,
	COL_WORD,
	COL_CAUSE,
	COL_PROCESS,
	COL_FLAGS,
	COL_PATH,
};

#define MAX_COLUMNS 15

struct column {
	const char *name;
	enum column_type type;
};

struct format {
	const char *name;
	struct column columns[MAX_COLUMNS];	/* the column of the path is the last one */
	int version;
};

static const struct format table_format = {
	"table", {
		{ "dev", COL_DEV }, { "lba", COL_NUMBER }, { "length", COL_NUMBER },
		{ "offset", COL_NUMBER }, { "ino", COL_NUMBER }, { "state", COL_WORD },
		{ "path", COL_PATH },
	}, 1
};

static const struct format table_causes_format = {
	"table", {
		{ "dev", COL_DEV }, { "lba", COL_NUMBER }, { "length", COL_NUMBER },
		{ "offset", COL_NUMBER }, { "ino", COL_NUMBER }, { "state", COL_WORD },
		{ "op", COL_CAUSE }, { "flush", COL_CAUSE }, { "why_here", COL_CAUSE },
		{ "process", COL_PROCESS }, { "path", COL_PATH },
	}, 1
};

static const struct format volume_format = {
	"volume", {
		{ "dev", COL_DEV }, { "main_blkaddr", COL_NUMBER }, { "blocks", COL_NUMBER },
		{ "segment_blocks", COL_NUMBER }, { "path", COL_PATH },
	}, 1
};

/* The texts that are exported line by line. */
static const struct format listings[] = {
	{ "extents", {
		{ "dev", COL_DEV }, { "ino", COL_NUMBER }, { "offset", COL_NUMBER },
		{ "offset_end", COL_NUMBER }, { "lba", COL_ADDRESS }, { "lba_end", COL_ADDRESS },
		{ "length", COL_NUMBER }, { "flags", COL_FLAGS }, { "path", COL_PATH },
	}, 1 },
	{ "extents", {
		{ "dev", COL_DEV }, { "ino", COL_NUMBER }, { "offset", COL_NUMBER },
		{ "offset_end", COL_NUMBER }, { "lba", COL_ADDRESS }, { "lba_end", COL_ADDRESS },
		{ "length", COL_NUMBER }, { "flags", COL_FLAGS }, { "op", COL_CAUSE },
		{ "flush", COL_CAUSE }, { "why_here", COL_CAUSE }, { "process", COL_PROCESS },
		{ "path", COL_PATH },
	}, 2 },
	{ "files", {
		{ "dev", COL_DEV }, { "ino", COL_NUMBER }, { "map", COL_WORD },
		{ "blocks", COL_NUMBER }, { "extents", COL_NUMBER }, { "fragments", COL_NUMBER },
		{ "mean_fragment", COL_MEAN }, { "mean_distance", COL_MEAN },
		{ "requests_128k", COL_NUMBER }, { "ideal_128k", COL_NUMBER },
		{ "path", COL_PATH },
	}, 1 },
	{ "files", {
		{ "dev", COL_DEV }, { "ino", COL_NUMBER }, { "map", COL_WORD },
		{ "blocks", COL_NUMBER }, { "extents", COL_NUMBER }, { "fragments", COL_NUMBER },
		{ "mean_fragment", COL_MEAN }, { "mean_distance", COL_MEAN },
		{ "requests_128k", COL_NUMBER }, { "ideal_128k", COL_NUMBER },
		{ "op", COL_CAUSE }, { "flush", COL_CAUSE }, { "why_here", COL_CAUSE },
		{ "path", COL_PATH },
	}, 2 },
};

/* A field: for a path its decoded bytes and a NUL, for any other the text of debugfs. */
struct value {
	const char *text;
	size_t len;
};

static bool is_none(const struct value *v)
{
	return v->len == 1 && *v->text == '-';
}

/* === Reading a line === */

struct reader {
	const char *name;
	size_t line;
	const char *p, *end;
	char *path;		/* a buffer for the longest path up to now */
	size_t path_size;
};

#define DIGITS "0123456789"

static bool is_made_of(const struct value *v, const char *letters)
{
	return v->len && strspn(v->text, letters) >= v->len;
}

/* Digits without leading zeros, as JSON requires, that fit into 64 bits. */
static bool is_number(const char *text, size_t len)
{
	return len && len < 20 && strspn(text, DIGITS) >= len && (len == 1 || *text != '0');
}

static bool is_mean(const struct value *v)
{
	return v->len > 2 && v->text[v->len - 2] == '.' && is_number(v->text, v->len - 2) &&
	       strchr(DIGITS, v->text[v->len - 1]);
}

static bool is_dev(const struct value *v)
{
	size_t n = strspn(v->text, DIGITS);

	return n < v->len && v->text[n] == ':' && is_number(v->text, n) &&
	       is_number(v->text + n + 1, v->len - n - 1);
}

static bool is_good(const struct value *v, enum column_type type)
{
	switch (type) {
	case COL_DEV: return is_dev(v);
	case COL_NUMBER: return is_number(v->text, v->len);
	case COL_ADDRESS: return is_none(v) || is_number(v->text, v->len);
	case COL_MEAN: return is_mean(v);
	case COL_WORD: return is_made_of(v, "abcdefghijklmnopqrstuvwxyz_");
	case COL_CAUSE: return is_none(v) || is_made_of(v, "abcdefghijklmnopqrstuvwxyz_");
	case COL_FLAGS: return is_none(v) || is_made_of(v, "abcdefghijklmnopqrstuvwxyz_,");
	default: return v->len;
	}
}

/* Decode an escaped name into r->path. */
static bool read_name(struct reader *r, struct value *v)
{
	if (v->len >= r->path_size) {
		r->path_size = v->len + 1;
		r->path = xreallocarray(r->path, r->path_size, 1);
	}
	if (path_unescape(r->path, v->text, v->text + v->len))
		return false;
	v->text = r->path;
	return true;
}

static bool is_name(enum column_type type)
{
	return type == COL_PATH || type == COL_PROCESS;
}

static struct value next_value(struct reader *r, const struct column *c)
{
	static const char *const forms[] = {
		[COL_DEV] = "MAJOR:MINOR",	[COL_NUMBER] = "a number",
		[COL_ADDRESS] = "a number or -",	[COL_MEAN] = "a number with one decimal",
		[COL_WORD] = "a word",		[COL_CAUSE] = "a word or -",
		[COL_PROCESS] = "COMM:PID, a word, or -",	[COL_FLAGS] = "words with commas between, or -",
		[COL_PATH] = "a path with \\040, \\011, \\012 and \\134 as escapes",
	};
	const char *space = memchr(r->p, ' ', (size_t)(r->end - r->p));
	struct value v = { r->p, (size_t)(r->end - r->p) };
	size_t len;

	if (c->type != COL_PATH && space)
		v.len = (size_t)(space - r->p);
	if (!v.len)
		die_at(r->name, r->line, "the line ends before the %s, expected %s", c->name,
		       forms[c->type]);
	len = v.len;
	if (!is_good(&v, c->type) || (is_name(c->type) && !read_name(r, &v)))
		die_at(r->name, r->line, "the %s is \"%.*s\", expected %s", c->name,
		       (int)(v.len < 40 ? v.len : 40), v.text, forms[c->type]);
	r->p += len + (c->type != COL_PATH && space);
	return v;
}

/* === Writing === */

static void json_flags(FILE *file, const struct value *v)
{
	size_t i;

	if (is_none(v)) {
		fputs("[]", file);
		return;
	}
	fputs("[\"", file);
	for (i = 0; i < v->len; i++) {
		if (v->text[i] == ',')
			fputs("\",\"", file);
		else
			putc(v->text[i], file);
	}
	fputs("\"]", file);
}

static void json_name(FILE *file, const char *name)
{
	char *text = name_text(name);

	put_json_string(file, text);
	free(text);
}

static void json_value(FILE *file, const struct value *v, const struct column *c, bool first)
{
	fprintf(file, "%s\"%s\":", first ? "{" : ",", c->name);
	if (is_none(v) && c->type != COL_FLAGS && c->type != COL_PATH) {
		fputs("null", file);
		return;
	}
	switch (c->type) {
	case COL_DEV:
	case COL_WORD:
	case COL_CAUSE:
		fprintf(file, "\"%.*s\"", (int)v->len, v->text);
		break;
	case COL_FLAGS:
		json_flags(file, v);
		break;
	case COL_PROCESS:
		json_name(file, v->text);
		break;
	case COL_PATH:
		json_name(file, v->text);
		putc('}', file);
		break;
	default:
		fwrite(v->text, 1, v->len, file);
	}
}

/* RFC 4180: add quotes where they are necessary, and double quotes inside. */
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

static void csv_name(FILE *file, const char *name)
{
	char *text = name_text(name);

	csv_text(file, text);
	free(text);
}

static void csv_value(FILE *file, const struct value *v, const struct column *c, bool first)
{
	if (!first)
		putc(',', file);
	if (c->type == COL_PATH) {
		csv_name(file, v->text);
		fputs("\r\n", file);
	} else if (c->type == COL_PROCESS && !is_none(v)) {
		csv_name(file, v->text);
	} else if (c->type == COL_FLAGS && memchr(v->text, ',', v->len)) {
		fprintf(file, "\"%.*s\"", (int)v->len, v->text);
	} else if (!is_none(v)) {
		fwrite(v->text, 1, v->len, file);
	}
}

typedef void (*put_value)(FILE *file, const struct value *v, const struct column *c, bool first);

/* === Tables === */

/* The fields of one record. buf has the text of numbers. */
struct record {
	struct value values[MAX_COLUMNS];
	size_t n;
	char buf[256];
	size_t used;
};

static void add_number(struct record *r, uint64_t number)
{
	char *end = r->buf + sizeof(r->buf) - r->used, *p = end;

	do
		*--p = (char)('0' + number % 10);
	while (number /= 10);
	r->used += (size_t)(end - p);
	r->values[r->n++] = (struct value){ p, (size_t)(end - p) };
}

static void add_text(struct record *r, const char *text)
{
	r->values[r->n++] = (struct value){ text, strlen(text) };
}

static void put_values(FILE *file, const struct format *format, const struct record *r, put_value put)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		put(file, &r->values[i], &format->columns[i], !i);
}

static void put_volumes(FILE *file, const struct table *table)
{
	char dev[32];
	size_t i;

	for (i = 0; i < table->n_volumes; i++) {
		const struct volume *v = &table->volumes[i];
		struct record r = { .n = 0 };

		snprintf(dev, sizeof(dev), "%u:%u", v->major, v->minor);
		add_text(&r, dev);
		add_number(&r, v->first_blk);
		add_number(&r, v->end_blk);
		add_number(&r, v->segment_blks);
		add_text(&r, v->path);
		fputs(i ? ",\n" : "", file);
		put_values(file, &volume_format, &r, json_value);
	}
}

/* The path of a file without a name has a mark at its end, as in debugfs. NULL for others; to be freed. */
static char *deleted_path(const struct file *file)
{
	return file->deleted ? xasprintf("%s%s", file->path, DELETED_MARK) : NULL;
}

/* Add the cause of a break, or empty fields for other extents. @process is to be freed. */
static void add_cause(struct record *r, const struct table *table, size_t i, enum place place, char **process)
{
	uint32_t cause = cause_of_break(table, i);
	bool is_break = place == PLACE_BREAK;

	*process = is_break ? writer_name(table, ft_cause_writer(cause)) : NULL;
	add_text(r, is_break ? cause_op_name(cause) : "-");
	add_text(r, is_break ? cause_flush_name(cause) : "-");
	add_text(r, is_break ? cause_why_name(cause) : "-");
	add_text(r, is_break ? *process : "-");
}

static const struct format *format_of(const struct table *table)
{
	return table->causes ? &table_causes_format : &table_format;
}

static void put_extents(FILE *file, const struct table *table, put_value put, const char *between)
{
	uint8_t *places = xcalloc(table->n_extents, sizeof(*places));
	size_t i;

	if (table->causes)
		free(figures_of(table, places));
	for (i = 0; i < table->n_extents; i++) {
		const struct extent *e = &table->extents[i];
		const struct file *of = &table->files[e->file];
		const struct volume *v = &table->volumes[of->volume];
		struct record r = { .n = 0 };
		char *path = deleted_path(of), *process = NULL, dev[32];

		snprintf(dev, sizeof(dev), "%u:%u", v->major, v->minor);
		add_text(&r, dev);
		add_number(&r, e->lba);
		add_number(&r, e->blks);
		add_number(&r, e->offset);
		add_number(&r, of->ino);
		add_text(&r, of->fragmented ? "fragmented" : "contiguous");
		if (table->causes)
			add_cause(&r, table, i, places[i], &process);
		add_text(&r, path ? path : of->path);
		fputs(i ? between : "", file);
		put_values(file, format_of(table), &r, put);
		free(process);
		free(path);
	}
	free(places);
}

/* === Texts, line by line === */

/* Find the format of a text by its name. The version comes after the name. */
static const struct format *listing_of(const struct text *text, const char **version)
{
	static const char magic[] = "# fragtrace ";
	size_t i;

	for (i = 0; i < ARRAY_LEN(listings) && !strncmp(text->buf, magic, strlen(magic)); i++) {
		size_t n = strlen(listings[i].name);

		*version = text->buf + strlen(magic) + n + 1;
		if (!strncmp(text->buf + strlen(magic), listings[i].name, n) && (*version)[-1] == ' ')
			return &listings[i];
	}
	return NULL;
}

/* Find the format of a text by name and version. Versions of a text are adjacent and begin with 1. */
static const struct format *format_of_listing(const char *name, const struct text *text)
{
	const char *version;
	const struct format *format = listing_of(text, &version), *f;
	size_t n = strcspn(version, "\n");

	for (f = format; f < listings + ARRAY_LEN(listings) && !strcmp(f->name, format->name); f++)
		if (n == 1 && *version == '0' + f->version)
			return f;
	die_at(name, 1, "the %s has version %.*s, this program reads versions 1 to %d", format->name,
	       (int)(n < 24 ? n : 24), version, f[-1].version);
}

static void put_line(FILE *file, struct reader *r, const struct format *format, put_value put)
{
	const struct column *c = format->columns;
	struct value v;

	for (;; c++) {
		v = next_value(r, c);
		put(file, &v, c, c == format->columns);
		if (c->type == COL_PATH)
			return;
	}
}

static void put_lines(FILE *file, const char *name, const struct text *text, put_value put,
		      const char *between)
{
	const char *line = text->buf, *end = text->buf + text->len, *newline;
	const struct format *format = format_of_listing(name, text);
	struct reader r = { .name = name, .line = 1 };
	bool first = true;

	for (; line < end; line = newline + 1, r.line++) {
		newline = memchr(line, '\n', (size_t)(end - line));
		if (!newline)
			die_at(name, r.line, "the text is cut short, expected a newline at its end");
		if (memchr(line, '\0', (size_t)(newline - line)))
			die_at(name, r.line, "a NUL byte in the line, expected text");
		if (*line == '#')
			continue;
		r.p = line;
		r.end = newline;
		if (!first)
			fputs(between, file);
		first = false;
		put_line(file, &r, format, put);
	}
	free(r.path);
}

/* === Files === */

static void json_begin(FILE *file, const struct format *format, const struct text *text)
{
	fprintf(file, "{\"format\":\"fragtrace %s\",\"version\":%d,\"time\":%jd.%03d,\n", format->name,
		format->version, (intmax_t)(text->time_ms / 1000), (int)(text->time_ms % 1000));
}

static void csv_heading(FILE *file, const struct format *format)
{
	const struct column *c;

	for (c = format->columns; c->type != COL_PATH; c++)
		fprintf(file, "%s,", c->name);
	fprintf(file, "%s\r\n", c->name);
}

/**
 * export_json() - write a table as JSON
 * @path: output file; "-" is standard output
 * @table: the table
 * @spaces: by volume, or NULL: F2FS's state was not read
 *
 * One object; each extent is an object in its array, on its own line. Ends the program if it
 * cannot be written.
 */
void export_json(const char *path, const struct table *table, const struct space *spaces)
{
	struct outfile out;

	outfile_open(&out, path, "JSON text");
	json_begin(out.file, format_of(table), &table->text);
	fputs("\"volumes\":[\n", out.file);
	put_volumes(out.file, table);
	if (spaces) {
		fputs("\n],\n\"space\":[\n", out.file);
		space_put_json(out.file, table, spaces);
	}
	fputs("\n],\n\"records\":[\n", out.file);
	put_extents(out.file, table, json_value, ",\n");
	fputs("\n]}\n", out.file);
	outfile_close(&out);
}

/**
 * export_csv() - write a table as CSV
 * @path: output file; "-" is standard output
 * @table: the table
 *
 * The names of the columns, then one line per extent. Ends the program if it cannot be written.
 */
void export_csv(const char *path, const struct table *table)
{
	struct outfile out;

	outfile_open(&out, path, "CSV text");
	csv_heading(out.file, format_of(table));
	put_extents(out.file, table, csv_value, "");
	outfile_close(&out);
}

/**
 * export_is_listing() - is this a text of extents or files?
 * @text: the content of the file
 *
 * Return: true if it goes to export_listing_json() and export_listing_csv().
 */
bool export_is_listing(const struct text *text)
{
	const char *version;

	return listing_of(text, &version);
}

/**
 * export_listing_json() - write a text of extents or files as JSON
 * @path: output file; "-" is standard output
 * @name: name of the text for messages
 * @text: the text
 *
 * Ends the program if the text does not match its format, or if the output cannot be written.
 */
void export_listing_json(const char *path, const char *name, const struct text *text)
{
	struct outfile out;

	outfile_open(&out, path, "JSON text");
	json_begin(out.file, format_of_listing(name, text), text);
	fputs("\"records\":[\n", out.file);
	put_lines(out.file, name, text, json_value, ",\n");
	fputs("\n]}\n", out.file);
	outfile_close(&out);
}

/**
 * export_listing_csv() - write a text of extents or files as CSV
 * @path: output file; "-" is standard output
 * @name: name of the text for messages
 * @text: the text
 */
void export_listing_csv(const char *path, const char *name, const struct text *text)
{
	struct outfile out;

	outfile_open(&out, path, "CSV text");
	csv_heading(out.file, format_of_listing(name, text));
	put_lines(out.file, name, text, csv_value, "");
	outfile_close(&out);
}
