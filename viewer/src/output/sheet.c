// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: rows of named values as text, JSON or CSV.
 * The values of a row come one by one, in the order of the columns; the last one ends the row. Names may contain
 * any byte, see names.c; in a text they are escaped as the module does it.
 */
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "output/sheet.h"

static const char *const separators[] = { " ", ",", "," };
static const char *const nothing[] = { "-", "null", "" };
static const char *const ends[] = { "\n", "}", "\r\n" };

/**
 * sheet_begin() - begin to write rows
 * @sheet: the result
 * @file: output
 * @names: names of the columns; NULL after the last one
 * @form: the form of the rows
 */
void sheet_begin(struct sheet *sheet, FILE *file, const char *const *names, enum sheet_form form)
{
	size_t i;

	*sheet = (struct sheet){ .file = file, .names = names, .form = form };
	if (form == FORM_TEXT)
		fputs("# ", file);
	for (i = 0; form != FORM_JSON && names[i]; i++)
		fprintf(file, "%s%s", names[i], names[i + 1] ? separators[form] : ends[form]);
}

/* Write what is before a value. */
static void begin_value(struct sheet *s)
{
	if (s->form != FORM_JSON) {
		if (s->column)
			fputs(separators[s->form], s->file);
		return;
	}
	if (!s->column && s->has_rows)
		fputs(",\n", s->file);
	fputs(s->column ? ",\"" : "{\"", s->file);
	fputs(s->names[s->column], s->file);
	fputs("\":", s->file);
}

/* Write what is after a value. */
static void end_value(struct sheet *s)
{
	if (s->names[++s->column])
		return;
	fputs(ends[s->form], s->file);
	s->column = 0;
	s->has_rows = true;
}

static void put_number(FILE *file, uint64_t number)
{
	char buf[24], *end = buf + sizeof(buf), *p = end;

	do
		*--p = (char)('0' + number % 10);
	while (number /= 10);
	fwrite(p, 1, (size_t)(end - p), file);
}

/**
 * sheet_dev() - write a device number: a string
 * @s: the rows
 * @major: of the device
 * @minor: of the device
 */
void sheet_dev(struct sheet *s, unsigned int major, unsigned int minor)
{
	begin_value(s);
	fputs(s->form == FORM_JSON ? "\"" : "", s->file);
	put_number(s->file, major);
	putc(':', s->file);
	put_number(s->file, minor);
	fputs(s->form == FORM_JSON ? "\"" : "", s->file);
	end_value(s);
}

/**
 * sheet_number() - write a number
 * @s: the rows
 * @number: the number
 */
void sheet_number(struct sheet *s, uint64_t number)
{
	begin_value(s);
	put_number(s->file, number);
	end_value(s);
}

/**
 * sheet_mean() - write a mean with one decimal, as the module rounds it
 * @s: the rows
 * @sum: of the numbers
 * @n: how many there are; 0: the mean is 0
 */
void sheet_mean(struct sheet *s, uint64_t sum, uint64_t n)
{
	uint64_t tenths = n ? (20 * sum + n) / (2 * n) : 0;

	begin_value(s);
	put_number(s->file, tenths / 10);
	putc('.', s->file);
	putc((char)('0' + tenths % 10), s->file);
	end_value(s);
}

/**
 * sheet_word() - write a word that needs no escape
 * @s: the rows
 * @word: letters
 */
void sheet_word(struct sheet *s, const char *word)
{
	begin_value(s);
	fprintf(s->file, s->form == FORM_JSON ? "\"%s\"" : "%s", word);
	end_value(s);
}

/**
 * sheet_words() - write a list of at most one word: an array in JSON
 * @s: the rows
 * @word: the word, or NULL
 */
void sheet_words(struct sheet *s, const char *word)
{
	begin_value(s);
	if (s->form != FORM_JSON)
		fputs(word ? word : nothing[s->form], s->file);
	else if (word)
		fprintf(s->file, "[\"%s\"]", word);
	else
		fputs("[]", s->file);
	end_value(s);
}

/* Add quotes where they are necessary, and double quotes inside. */
static void put_csv(FILE *file, const char *text)
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

/**
 * sheet_put_escaped() - write a path as the module does
 * @file: output
 * @name: its bytes
 */
void sheet_put_escaped(FILE *file, const char *name)
{
	for (; *name; name++)
		fprintf(file, strchr(" \t\n\\", *name) ? "\\%03o" : "%c", (unsigned char)*name);
}

/**
 * sheet_name() - write a path, or another name
 * @s: the rows
 * @name: its bytes
 */
void sheet_name(struct sheet *s, const char *name)
{
	char *text = s->form == FORM_TEXT ? NULL : name_text(name);

	begin_value(s);
	if (!text)
		sheet_put_escaped(s->file, name);
	else if (s->form == FORM_CSV)
		put_csv(s->file, text);
	else
		put_json_string(s->file, text);
	end_value(s);
	free(text);
}

/**
 * sheet_none() - write that there is no value
 * @s: the rows
 */
void sheet_none(struct sheet *s)
{
	begin_value(s);
	fputs(nothing[s->form], s->file);
	end_value(s);
}
