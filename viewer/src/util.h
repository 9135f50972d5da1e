/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for all other files: messages, checked memory, reading of whole files; and the headers that nearly all need.
 * Nearly all headers of the program include it, some by others: a source that includes one of these need not.
 */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
/* For qsort(): which of two values comes first, and what decides if they are equal. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))
#define FIRST(order, next) ((order) ? (order) : (next))

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

static inline uint64_t min_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/**
 * enum exit_status - the exit statuses of all commands; 0 is success and 1 an error
 * @EXIT_USAGE: the command line is wrong
 * @EXIT_BAD: check: a condition holds, or an audit differed; compare: there is more; defrag: a part was not moved
 * @EXIT_NOTHING: compare: too few runs to tell; defrag: nothing is worth a rewrite
 */
enum exit_status {
	EXIT_USAGE = 2,
	EXIT_BAD = 3,
	EXIT_NOTHING = 4,
};

/**
 * struct text - the content of a file, in memory
 * @buf: @len bytes and one NUL after them; owned by this struct
 * @len: number of bytes, without the NUL
 * @time_ms: when it was taken, in ms since 1970: from a comment in the text, from the time of its file,
 *           or from the clock; 0: not known
 * @has_time: @time_ms is from a comment in the text
 * @is_time_of_file: @time_ms is only when its file was written, which may be a copy
 */
struct text {
	char *buf;
	size_t len;
	int64_t time_ms;
	bool has_time;
	bool is_time_of_file;
};

/* what messages begin with */
extern const char *program;

extern volatile sig_atomic_t is_interrupted;

void on_signals(void (*handler)(int));
void note_interrupts(void);
bool parse_number(const char *text, uint64_t most, uint64_t *number);
void before_messages(void (*function)(void));
void warn(const char *fmt, ...) PRINTF_LIKE(1, 2);
noreturn void die(const char *fmt, ...) PRINTF_LIKE(1, 2);
noreturn void die_usage(const char *fmt, ...) PRINTF_LIKE(1, 2);
noreturn void die_at(const char *name, size_t line, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* What is declared with these is released at the end of its block, if it is there; with AUTO(), by a function that takes its address. */
#define AUTO(function) __attribute__((cleanup(function), unused))
#define AUTO_FREE AUTO(auto_free)
#define AUTO_CLOSE AUTO(auto_close)
#define AUTO_FCLOSE AUTO(auto_fclose)
#define AUTO_CLOSEDIR AUTO(auto_closedir)
void auto_free(void *variable);
void auto_close(int *fd);
void auto_fclose(FILE **file);
void auto_closedir(DIR **dir);

void *xreallocarray(void *old, size_t n, size_t size);
void *xcalloc(size_t n, size_t size);
void *grow(void *old, size_t *cap, size_t n, size_t size);
/* The address of a new element at the end of an array; what is put there must not be read from the array. */
#define APPEND(array, n, cap) ((array) = grow(array, &(cap), n, sizeof(*(array))), &(array)[(n)++])
void sort(void *array, size_t n, size_t size, int (*compare)(const void *a, const void *b));
char *xasprintf(const char *fmt, ...) PRINTF_LIKE(1, 2);
void xappend(char **text, const char *fmt, ...) PRINTF_LIKE(2, 3);
void xappend_args(char **text, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);

/* room for the text of any number, with separators */
/* Buffers that live until the block ends: of GROUPED(1234) and the like. */
#define GROUPED_MAX 32
#define GROUPED(n) grouped((char [GROUPED_MAX]){ 0 }, n)
const char *grouped(char buf[GROUPED_MAX], uint64_t value);

void flush_stdout(void);
void put_number(FILE *file, uint64_t number);
void put_base64(FILE *file, const void *data, size_t n);

const char *plural(uint64_t n);

#define COUNTED_MAX 96
#define COUNT(n, what) format_count((char [COUNTED_MAX]){ 0 }, n, what)
const char *format_count(char buf[COUNTED_MAX], uint64_t n, const char *what);

#define BYTES_MAX 32
#define BYTES(bytes) format_bytes((char [BYTES_MAX]){ 0 }, (double)(bytes))
const char *format_bytes(char buf[BYTES_MAX], double bytes);
void format_bytes_fine(char buf[BYTES_MAX], uint64_t bytes);

#define SHARE_MAX 32
#define SHARE(part, whole) format_share((char [SHARE_MAX]){ 0 }, part, whole)
const char *format_share(char buf[SHARE_MAX], uint64_t part, uint64_t whole);

#define DURATION(ns) format_duration((char [SHARE_MAX]){ 0 }, ns)
const char *format_duration(char buf[SHARE_MAX], double ns);

#define NSEC_PER_SEC INT64_C(1000000000)
int64_t monotonic_ns(void);

#define TIME_TEXT_MAX 64
#define TIME_AT(ns) format_time((char [TIME_TEXT_MAX]){ 0 }, (int64_t)((ns) / NSEC_PER_SEC), (unsigned int)((ns) % NSEC_PER_SEC / 1000))
const char *format_time(char buf[TIME_TEXT_MAX], int64_t seconds, unsigned int us);
#define TIME_OF(text) format_text_time((char [TIME_TEXT_MAX]){ 0 }, text)
const char *format_text_time(char buf[TIME_TEXT_MAX], const struct text *text);

uint64_t input_limit(void);
void set_input_limit(uint64_t bytes, const char *remedy);
noreturn void input_too_large(const char *name);
int slurp(struct text *text, int fd);
int slurp_file(struct text *text, const char *path);
char *take_line(char *line);
void text_free(struct text *text);

size_t index_of(const char *word, const char *const *names, size_t n);
const char *nearest(const char *word, const char *const *names, size_t n);
