/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: rows of named values as text, JSON or CSV. */
#pragma once

#include "input/table.h"
#include "output/json.h"

/**
 * enum sheet_form - how rows are written
 * @FORM_TEXT: values with blanks between them, as debugfs has them
 * @FORM_JSON: objects with commas between them
 * @FORM_CSV: RFC 4180, after a row with the names
 * @FORM_COLUMNS: not rows, see columns.c
 */
enum sheet_form {
	FORM_TEXT,
	FORM_JSON,
	FORM_CSV,
	FORM_COLUMNS,
};

/**
 * struct sheet - rows of values being written
 * @file: output
 * @json: for JSON: an array that the rows are values of
 * @names: names of the columns; NULL after the last one
 * @form: the form of the rows
 */
struct sheet {
	FILE *file;
	struct json *json;
	const char *const *names;
	enum sheet_form form;
	/* private: */
	size_t column;
};

void sheet_begin(struct sheet *sheet, struct json *json, const char *const *names, enum sheet_form form);
void sheet_dev(struct sheet *sheet, const struct volume *volume);
void sheet_number(struct sheet *sheet, uint64_t number);
void sheet_maybe(struct sheet *sheet, uint64_t number, bool is_known);
void sheet_mean(struct sheet *sheet, uint64_t sum, uint64_t n);
void sheet_flag(struct sheet *sheet, bool flag);
void sheet_word(struct sheet *sheet, const char *word);
void sheet_words(struct sheet *sheet, const char *word);
void sheet_put_escaped(FILE *file, const char *name);
void sheet_name(struct sheet *sheet, const char *name);
