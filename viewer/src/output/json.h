/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: JSON, written value by value. */
#pragma once

#include "util.h"

/**
 * struct json - JSON that is being written
 * @file: where to
 *
 * A value of an object has a key, which is written as it is; one of an array has none: NULL.
 */
struct json {
	FILE *file;
	/* private: */
	unsigned int depth;
	uint32_t has_any;	/* by depth: a value is there */
	uint32_t is_array;	/* likewise */
	bool has_line;
};

/* Begin an object or an array that ends at the end of this block. */
#define JSON_OBJECT(json, key) JSON_IN(json_object(json, key), __LINE__)
#define JSON_ARRAY(json, key) JSON_IN(json_array(json, key), __LINE__)
#define JSON_IN(begun, line) JSON_IN_LINE(begun, line)
#define JSON_IN_LINE(begun, line) AUTO(json_leave) struct json *json_of_##line = begun

void json_begin(struct json *json, FILE *file, const char *what, uint64_t version);
struct json *json_object(struct json *json, const char *key);
struct json *json_array(struct json *json, const char *key);
void json_end(struct json *json);
void json_leave(struct json **json);
void json_end_all(struct json *json);
void json_line(struct json *json);
FILE *json_value(struct json *json, const char *key);
void json_number(struct json *json, const char *key, uint64_t number);
void json_signed(struct json *json, const char *key, int64_t number);
void json_maybe(struct json *json, const char *key, uint64_t number, bool is_known);
void json_real(struct json *json, const char *key, double number, int decimals);
void json_flag(struct json *json, const char *key, bool flag);
void json_text(struct json *json, const char *key, const char *text);
void json_name(struct json *json, const char *key, const char *name);
void json_visible(struct json *json, const char *key, const char *name);
FILE *json_say(struct text *said);
void json_said(struct json *json, FILE *file, struct text *said);
void json_format(struct json *json, const char *key, const char *fmt, ...) PRINTF_LIKE(3, 4);
