// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: rows of named values as text, JSON or CSV.
 * The values of a row come one by one, in the order of the columns; the last one ends the row. Names may contain
 * any byte, see names.c; in a text they are escaped as the module does it.
 */

#include "names.h"
#include "output/sheet.h"

static const char *const separators[] = { " ", NULL, "," };
static const char *const nothing[] = { "-", "null", "" };
static const char *const ends[] = { "\n", NULL, "\r\n" };

/**
 * sheet_begin() - begin to write rows
 * @sheet: the result
 * @json: where to; for JSON an array has begun there
 * @names: names of the columns; NULL after the last one
 * @form: the form of the rows
 */
void sheet_begin(struct sheet *sheet, struct json *json, const char *const *names, enum sheet_form form)
{
	FILE *file = json->file;

	*sheet = (struct sheet){ .file = file, .json = json, .names = names, .form = form };
	if (form == FORM_TEXT)
		fputs_unlocked("# ", file);
	for (size_t i = 0; form != FORM_JSON && names[i]; i++)
		fprintf(file, "%s%s", names[i], names[i + 1] ? separators[form] : ends[form]);
}

/* Begin a row, if this is its first value. Return: the name of the column. */
static const char *begin_row(struct sheet *s)
{
	if (!s->column && s->form == FORM_JSON) {
		json_line(s->json);
		json_object(s->json, NULL);
	}
	return s->names[s->column];
}

/* Write what is before a value. */
static void begin_value(struct sheet *s)
{
	if (s->form == FORM_JSON)
		json_value(s->json, begin_row(s));
	else if (s->column)
		fputs_unlocked(separators[s->form], s->file);
}

/* Write what is after a value. */
static void end_value(struct sheet *s)
{
	if (s->names[++s->column])
		return;
	if (s->form == FORM_JSON)
		json_end(s->json);
	else
		fputs_unlocked(ends[s->form], s->file);
	s->column = 0;
}

/* Write that there is no value. */
static void put_none(struct sheet *s)
{
	begin_value(s);
	fputs_unlocked(nothing[s->form], s->file);
	end_value(s);
}

/**
 * sheet_dev() - write a device number: a string
 * @s: the rows
 * @volume: on the device
 */
void sheet_dev(struct sheet *s, const struct volume *volume)
{
	begin_value(s);
	fputs_unlocked(s->form == FORM_JSON ? "\"" : "", s->file);
	put_number(s->file, volume->major);
	putc_unlocked(':', s->file);
	put_number(s->file, volume->minor);
	fputs_unlocked(s->form == FORM_JSON ? "\"" : "", s->file);
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
 * sheet_maybe() - write a number, or that there is none
 * @s: the rows
 * @number: the number
 * @is_known: there is one
 */
void sheet_maybe(struct sheet *s, uint64_t number, bool is_known)
{
	if (is_known)
		sheet_number(s, number);
	else
		put_none(s);
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
	putc_unlocked('.', s->file);
	putc_unlocked((char)('0' + tenths % 10), s->file);
	end_value(s);
}

/**
 * sheet_flag() - write whether something is so
 * @s: the rows
 * @flag: it is
 */
void sheet_flag(struct sheet *s, bool flag)
{
	begin_value(s);
	fputs_unlocked(flag ? "true" : "false", s->file);
	end_value(s);
}

/**
 * sheet_word() - write a word that needs no escape
 * @s: the rows
 * @word: letters; NULL: there is none
 */
void sheet_word(struct sheet *s, const char *word)
{
	if (!word) {
		put_none(s);
		return;
	}
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
		fputs_unlocked(word ? word : nothing[s->form], s->file);
	else if (word)
		fprintf(s->file, "[\"%s\"]", word);
	else
		fputs_unlocked("[]", s->file);
	end_value(s);
}

/* Add quotes where they are necessary, and double quotes inside. */
static void put_csv(FILE *file, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs_unlocked(text, file);
		return;
	}
	putc_unlocked('"', file);
	for (; *text; text++) {
		if (*text == '"')
			putc_unlocked('"', file);
		putc_unlocked(*text, file);
	}
	putc_unlocked('"', file);
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
 * @name: its bytes; NULL: there is none
 */
void sheet_name(struct sheet *s, const char *name)
{
	AUTO_FREE char *text = s->form == FORM_CSV && name ? name_text(name) : NULL;

	if (!name) {
		put_none(s);
		return;
	}
	if (s->form == FORM_JSON) {
		json_name(s->json, begin_row(s), name);
	} else {
		begin_value(s);
		(s->form == FORM_CSV ? put_csv : sheet_put_escaped)(s->file, text ? text : name);
	}
	end_value(s);
}
