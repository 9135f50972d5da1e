/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: rows of named values as JSON or CSV. */
#ifndef SHEET_H
#define SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct sheet - rows of values being written
 * @file: output
 * @names: names of the columns; NULL after the last one
 * @is_csv: CSV, otherwise JSON objects with commas between them
 */
struct sheet {
	FILE *file;
	const char *const *names;
	bool is_csv;
	/* private: */
	size_t column;
	bool has_rows;
};

void sheet_begin(struct sheet *sheet, FILE *file, const char *const *names, bool is_csv);
void sheet_dev(struct sheet *sheet, unsigned int major, unsigned int minor);
void sheet_number(struct sheet *sheet, uint64_t number);
void sheet_mean(struct sheet *sheet, uint64_t sum, uint64_t n);
void sheet_word(struct sheet *sheet, const char *word);
void sheet_words(struct sheet *sheet, const char *word);
void sheet_name(struct sheet *sheet, const char *name);
void sheet_none(struct sheet *sheet);

#endif
