// SPDX-License-Identifier: GPL-2.0-only
/* Helpers for all other files: messages, checked memory, reading of whole files. */

#include "clock.h"
#include "names.h"
#include "util.h"

#define READ_START (1u << 20)

const char *program = "fragtrace";

/* After note_interrupts(): a signal that ends the program has come. */
volatile sig_atomic_t is_interrupted;

/* Called before each message. */
static void (*leave_screen)(void);

/**
 * on_signals() - set a handler for the signals that end the program
 * @handler: the handler; set without SA_RESTART, so that waiting calls return
 */
void on_signals(void (*handler)(int))
{
	struct sigaction sa = { .sa_handler = handler };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	/* nohup must keep working */
	if (signal(SIGHUP, SIG_IGN) != SIG_IGN)
		sigaction(SIGHUP, &sa, NULL);
}

static void on_interrupt(int sig)
{
	is_interrupted = 1;
}

/**
 * note_interrupts() - from now on, a signal that ends the program only sets is_interrupted
 */
void note_interrupts(void)
{
	on_signals(on_interrupt);
}

/**
 * parse_number() - read a number without a sign
 * @text: the text
 * @most: the largest number that is valid
 * @number: the result
 *
 * Return: false if it is no such number.
 */
bool parse_number(const char *text, uint64_t most, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *number <= most;
}

/**
 * before_messages() - set a function to be called before each message
 * @function: the function; for instance, one that restores the terminal
 */
void before_messages(void (*function)(void))
{
	leave_screen = function;
}

/* A message is one line. It may quote any input, so that each byte of it is checked. */
static void say(const char *name, size_t line, const char *fmt, va_list ap)
{
	AUTO_FREE char *text = NULL, *visible = NULL, *visible_name = name ? text_visible(name) : NULL;

	if (leave_screen)
		leave_screen();
	if (vasprintf(&text, fmt, ap) < 0)
		return;
	visible = text_visible(text);
	fprintf(stderr, "%s: ", program);
	if (name)
		fprintf(stderr, "%s:%zu: ", visible_name, line);
	fprintf(stderr, "%s\n", visible);
}

/**
 * warn() - print a message and go on
 * @fmt: the error and what was expected, without a newline
 */
void warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(NULL, 0, fmt, ap);
	va_end(ap);
}

/**
 * die() - print a message and end the program
 * @fmt: the error and what was expected, without a newline
 *
 * Calls exit() with status 1, which also removes an unfinished file.
 */
noreturn void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(NULL, 0, fmt, ap);
	va_end(ap);
	exit(1);
}

/**
 * die_usage() - print a message about the command line and end the program
 * @fmt: the error and what was expected, without a newline
 *
 * Calls exit() with EXIT_USAGE.
 */
noreturn void die_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(NULL, 0, fmt, ap);
	va_end(ap);
	exit(EXIT_USAGE);
}

/**
 * die_at() - print a message about one line of an input file and end the program
 * @name: the file
 * @line: the line, counted from 1
 * @fmt: the error and what was expected, without a newline
 */
noreturn void die_at(const char *name, size_t line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(name, line, fmt, ap);
	va_end(ap);
	exit(1);
}

/**
 * auto_free() - free what a variable points to, at the end of its block; see AUTO_FREE
 * @variable: the address of the variable
 */
void auto_free(void *variable)
{
	void *memory;

	memcpy(&memory, variable, sizeof(memory));
	free(memory);
}

/**
 * auto_close() - close a file, at the end of the block of a variable; see AUTO_CLOSE
 * @fd: the variable; below 0: there is no file
 */
void auto_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/**
 * auto_fclose() - close a stream, likewise
 * @file: the variable; NULL: there is no stream
 */
void auto_fclose(FILE **file)
{
	if (*file)
		fclose(*file);
}

/**
 * auto_closedir() - close a folder, likewise
 * @dir: the variable; NULL: there is no folder
 */
void auto_closedir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/**
 * xreallocarray() - reallocarray() that does not fail
 * @old: memory to resize, or NULL
 * @n: number of elements
 * @size: bytes in an element
 *
 * Return: the memory. The program ends if there is none, or if @n * @size overflows.
 */
void *xreallocarray(void *old, size_t n, size_t size)
{
	void *p = reallocarray(old, n ? n : 1, size);

	if (!p)
		die("no memory for %zu x %zu bytes", n, size);
	return p;
}

/**
 * xcalloc() - calloc() that does not fail
 * @n: number of elements
 * @size: bytes in an element
 *
 * Return: zeroed memory. The program ends if there is none.
 */
void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		die("no memory for %zu x %zu bytes", n, size);
	return p;
}

/**
 * grow() - make room in an array for one more element
 * @old: the array, or NULL
 * @cap: number of elements it has room for; updated
 * @n: elements in use
 * @size: bytes in an element
 *
 * Return: the array, with room for at least @n + 1 elements.
 */
void *grow(void *old, size_t *cap, size_t n, size_t size)
{
	if (n < *cap)
		return old;
	*cap = *cap ? *cap * 2 : 64;
	return xreallocarray(old, *cap, size);
}

/**
 * sort() - qsort() that also takes an array without elements, which may be NULL
 * @array: the array
 * @n: number of elements
 * @size: bytes in an element
 * @compare: as for qsort()
 */
void sort(void *array, size_t n, size_t size, int (*compare)(const void *a, const void *b))
{
	if (n)
		qsort(array, n, size, compare);
}

/**
 * xasprintf() - asprintf() that does not fail
 * @fmt: as for printf
 *
 * Return: a new string. The program ends if there is no memory.
 */
char *xasprintf(const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	xappend_args(&s, fmt, ap);
	va_end(ap);
	return s;
}

/**
 * xappend() - put something at the end of a string
 * @text: the string, which becomes another one; NULL: it is empty
 * @fmt: as for printf
 *
 * The program ends if there is no memory.
 */
void xappend(char **text, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	xappend_args(text, fmt, ap);
	va_end(ap);
}

/**
 * xappend_args() - the same with the arguments of another function
 * @text: the string
 * @fmt: as for printf
 * @ap: the arguments
 */
void xappend_args(char **text, const char *fmt, va_list ap)
{
	size_t len = *text ? strlen(*text) : 0;
	AUTO_FREE char *more = NULL;

	if (vasprintf(&more, fmt, ap) < 0)
		die("no memory for a string");
	*text = xreallocarray(*text, len + strlen(more) + 1, 1);
	strcpy(*text + len, more);
}

/**
 * grouped() - a number with a comma between thousands
 * @buf: buffer for the text
 * @value: the number
 *
 * Return: the text, inside @buf.
 */
const char *grouped(char buf[GROUPED_MAX], uint64_t value)
{
	char *p = buf + GROUPED_MAX - 1;
	int digits = 0;

	*p = '\0';
	do {
		if (digits && digits % 3 == 0)
			*--p = ',';
		*--p = (char)('0' + value % 10);
		digits++;
	} while (value /= 10);
	return p;
}

/**
 * flush_stdout() - end the program if standard output cannot be written
 */
void flush_stdout(void)
{
	if (fflush(stdout) || ferror(stdout))
		die("<stdout>: %s", strerror(errno));
}

/**
 * put_number() - write a number, as %ju does, in a fraction of its time
 * @file: output
 * @number: the number
 */
void put_number(FILE *file, uint64_t number)
{
	char buf[24], *end = buf + sizeof(buf), *p = end;

	do
		*--p = (char)('0' + number % 10);
	while (number /= 10);
	fwrite_unlocked(p, 1, (size_t)(end - p), file);
}

/**
 * plural() - the end of a counted word
 * @n: the number
 *
 * Return: "s", or "" for 1.
 */
const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB" };

/**
 * format_count() - a number of things, such as "1 file" or "2,000 files"
 * @buf: buffer for the text
 * @n: the number
 * @what: one of them
 *
 * Return: @buf.
 */
const char *format_count(char buf[COUNTED_MAX], uint64_t n, const char *what)
{
	snprintf(buf, COUNTED_MAX, "%s %s%s", GROUPED(n), what, plural(n));
	return buf;
}

/**
 * format_bytes() - a number of bytes, in the same form as bytes_text() of fragsnap.py
 * @buf: buffer for the text, such as 1.5 GiB: one decimal below 100 unless it is a whole number
 * @bytes: the number, not always a whole one
 *
 * What is not 0 is never shown as 0.
 *
 * Return: @buf.
 */
const char *format_bytes(char buf[BYTES_MAX], double bytes)
{
	double value = bytes / 1024.0;
	size_t i = 0;

	/* a value that rounds to 1024 is 1 of the next unit */
	for (; value >= 1023.5 && i + 1 < ARRAY_LEN(units); i++)
		value /= 1024.0;
	if (value > 0.0 && value < 0.05)
		snprintf(buf, BYTES_MAX, "<0.1 %s", units[i]);
	else
		snprintf(buf, BYTES_MAX, "%.*f %s", value >= 99.95 || value == (double)(uint64_t)value ? 0 : 1,
			 value, units[i]);
	return buf;
}

/**
 * format_bytes_fine() - a number of bytes with up to five digits, for labels whose steps are powers of two
 * @buf: buffer for the text, such as 1.25 MiB
 * @bytes: the number
 */
void format_bytes_fine(char buf[BYTES_MAX], uint64_t bytes)
{
	double value = (double)bytes / 1024.0;
	size_t i = 0;

	for (; value >= 1024.0 && i + 1 < ARRAY_LEN(units); i++)
		value /= 1024.0;
	snprintf(buf, BYTES_MAX, "%.5g %s", value, units[i]);
}

/**
 * format_duration() - a time as a text, such as 1.2 s
 * @buf: buffer for the text
 * @ns: the time in nanoseconds
 *
 * Return: @buf.
 */
const char *format_duration(char buf[SHARE_MAX], double ns)
{
	if (ns < 1e6)
		snprintf(buf, SHARE_MAX, "%.0f µs", ns / 1e3);
	else if (ns < 1e9)
		snprintf(buf, SHARE_MAX, "%.1f ms", ns / 1e6);
	else
		snprintf(buf, SHARE_MAX, "%.1f s", ns / 1e9);
	return buf;
}

/**
 * format_share() - a part of a whole in percent, in the same form as share_text() of style.py
 * @buf: buffer for the text, such as 12.5 %: one decimal unless it is a whole number
 * @part: the part
 * @whole: the whole; if it is 0, the share is 0 %
 *
 * Only nothing is shown as 0 %, and only the whole as 100 %.
 *
 * Return: @buf.
 */
const char *format_share(char buf[SHARE_MAX], uint64_t part, uint64_t whole)
{
	double share = whole ? 100.0 * (double)part / (double)whole : 0.0;
	char number[SHARE_MAX];

	if (part && share < 0.05) {
		snprintf(buf, SHARE_MAX, "<0.1 %%");
	} else if (part < whole && share >= 99.95) {
		snprintf(buf, SHARE_MAX, ">99.9 %%");
	} else {
		snprintf(number, sizeof(number), "%.*f", share == (double)(uint64_t)share ? 0 : 1, share);
		snprintf(buf, SHARE_MAX, "%s%.2s %%", GROUPED(strtoull(number, NULL, 10)), number + strcspn(number, "."));
	}
	return buf;
}

/**
 * monotonic_ns() - read a clock that is never set
 *
 * Return: nanoseconds since a moment in the past.
 */
int64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

/**
 * format_time() - a moment as text, such as 2026-05-04 03:02:01.5 UTC
 * @buf: buffer for the result
 * @seconds: since 1970
 * @us: microseconds after that, which are left out if they are 0
 *
 * Return: @buf, in local time, with the name of its zone.
 */
const char *format_time(char buf[TIME_TEXT_MAX], int64_t seconds, unsigned int us)
{
	char zone[16], fraction[16] = "";
	struct tm tm;

	if (!clock_parts(seconds, &tm) || !strftime(buf, TIME_TEXT_MAX, "%Y-%m-%d %H:%M:%S", &tm) || !strftime(zone, sizeof(zone), "%Z", &tm)) {
		snprintf(buf, TIME_TEXT_MAX, "an unknown time");
		return buf;
	}
	for (size_t n = us ? (size_t)snprintf(fraction, sizeof(fraction), ".%06u", us) : 0; n && fraction[n - 1] == '0'; n--)
		fraction[n - 1] = '\0';
	snprintf(buf + strlen(buf), TIME_TEXT_MAX - strlen(buf), "%s %s", fraction, zone);
	return buf;
}

/**
 * format_text_time() - when a text was taken
 * @buf: buffer for the result
 * @text: the text
 *
 * Return: @buf.
 */
const char *format_text_time(char buf[TIME_TEXT_MAX], const struct text *text)
{
	const char *what = text->is_time_of_file && !text->has_time ? "file of " : "";
	char time[TIME_TEXT_MAX];

	snprintf(buf, TIME_TEXT_MAX, "%s%.*s", what, TIME_TEXT_MAX - 9, format_time(time, text->time_ms / 1000, 0));
	return buf;
}

static uint64_t input_max;
static const char *input_remedy = "--max-input sets the limit, which is half of the memory otherwise";

/**
 * input_limit() - how large one input may be, unpacked
 *
 * Return: bytes; half of the memory of the machine if set_input_limit() was not called.
 */
uint64_t input_limit(void)
{
	if (!input_max)
		input_max = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
	return input_max;
}

/**
 * set_input_limit() - set how large one input may be
 * @bytes: the limit, above 0
 * @remedy: what to do with a larger one; NULL: set the limit
 */
void set_input_limit(uint64_t bytes, const char *remedy)
{
	input_max = bytes;
	if (remedy)
		input_remedy = remedy;
}

/**
 * input_too_large() - end the program because an input is larger than the limit
 * @name: name of the input
 */
noreturn void input_too_large(const char *name)
{
	char size[BYTES_MAX];

	if (input_limit() < 1024)
		snprintf(size, sizeof(size), "%ju bytes", (uintmax_t)input_limit());
	else
		format_bytes(size, (double)input_limit());
	die("%s: the input is larger than %s; expected less; %s", name, size, input_remedy);
}

/**
 * slurp() - read a file to its end, in as few calls as possible
 * @text: the result; to be freed with text_free()
 * @fd: the file to read; stays open
 *
 * Return: 0, or the errno of the call that failed; EFBIG if the file is larger than input_limit().
 */
int slurp(struct text *text, int fd)
{
	struct stat st;
	size_t cap = READ_START;
	ssize_t n;

	*text = (struct text){ 0 };
	if (fstat(fd, &st))
		return errno;
	/* files of debugfs seem to be regular, have size 0 and no time of change */
	if (S_ISREG(st.st_mode) && st.st_size > 0) {
		text->time_ms = clock_ms(&st.st_mtim);
		text->is_time_of_file = true;
		if ((uintmax_t)st.st_size > input_limit() || (uintmax_t)st.st_size >= SIZE_MAX / 2)
			return EFBIG;
		cap = (size_t)st.st_size + 2;
	}
	text->buf = xreallocarray(NULL, cap, 1);
	for (;;) {
		n = read(fd, text->buf + text->len, cap - text->len - 1);
		if (n == 0)
			break;
		if (n < 0 && errno == EINTR)
			continue;
		if (n > 0)
			text->len += (size_t)n;
		if (n < 0 || text->len > input_limit()) {
			int err = n < 0 ? errno : EFBIG;

			text_free(text);
			return err;
		}
		if (text->len + 1 == cap)
			text->buf = grow(text->buf, &cap, cap, 1);
	}
	text->buf[text->len] = '\0';
	return 0;
}

/**
 * slurp_file() - read a file by its name
 * @text: the result; to be freed with text_free()
 * @path: the file
 *
 * Return: 0, or the errno of the call that failed; EFBIG if the file is larger than input_limit().
 */
int slurp_file(struct text *text, const char *path)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? errno : slurp(text, fd);
}

/**
 * take_line() - end a line where its newline is
 * @line: the line
 *
 * Return: the next line.
 */
char *take_line(char *line)
{
	size_t len = strcspn(line, "\n");
	char *next = line + len + !!line[len];

	line[len] = '\0';
	return next;
}

/**
 * text_free() - release what slurp() read
 * @text: may be empty
 */
void text_free(struct text *text)
{
	free(text->buf);
	*text = (struct text){ 0 };
}

/* The edit distance of two words; only the first 31 letters count. */
/**
 * index_of() - find a word
 * @word: the word
 * @names: some words, none of them NULL
 * @n: how many
 *
 * Return: where it is, or @n.
 */
size_t index_of(const char *word, const char *const *names, size_t n)
{
	size_t i = 0;

	while (i < n && strcmp(names[i], word))
		i++;
	return i;
}

static size_t edit_distance(const char *a, const char *b)
{
	size_t row[32], na = strnlen(a, 31), nb = strnlen(b, 31), i, j;

	for (j = 0; j <= nb; j++)
		row[j] = j;
	for (i = 1; i <= na; i++) {
		size_t diag = row[0];

		row[0] = i;
		for (j = 1; j <= nb; j++) {
			size_t best = diag + (a[i - 1] != b[j - 1]);

			diag = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[nb];
}

/* More typing errors than one in so many letters make another word. */
#define LETTERS_PER_ERROR 3

/**
 * nearest() - find the valid name that is most similar to a mistyped one
 * @word: what was typed
 * @names: the valid names
 * @n: number of @names, at least 1
 *
 * Return: one of @names, or NULL if none is similar.
 */
const char *nearest(const char *word, const char *const *names, size_t n)
{
	size_t best = 0, best_distance = SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		size_t distance = edit_distance(word, names[i]);

		if (distance < best_distance) {
			best_distance = distance;
			best = i;
		}
	}
	return best_distance == 1 || best_distance <= strnlen(word, 31) / LETTERS_PER_ERROR ? names[best] : NULL;
}

/**
 * put_base64() - write bytes in base64
 * @file: output
 * @data: the bytes
 * @n: how many
 */
void put_base64(FILE *file, const void *data, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *bytes = data;

	for (size_t i = 0; i < n; i += 3) {
		uint32_t group = (uint32_t)bytes[i] << 16;

		if (i + 1 < n)
			group |= (uint32_t)bytes[i + 1] << 8;
		if (i + 2 < n)
			group |= bytes[i + 2];
		putc(digits[group >> 18], file);
		putc(digits[group >> 12 & 63], file);
		putc(i + 1 < n ? digits[group >> 6 & 63] : '=', file);
		putc(i + 2 < n ? digits[group & 63] : '=', file);
	}
}
