// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the debugfs file `gc_runs`. It has garbage collections, and who waited for them.
 *
 *	# fragtrace gc_runs 1
 *	254:0 lost 0
 *	254:0 sum writer 18 0 301442000 18 4640 18 18
 *	254:0 process 12 201442000 2 31442000 812 rocksdb:low
 *	254:0 wait 29787377 1795805719 own 17 812 rocksdb:low
 *	254:0 run 17 1795805719 writer fg 0 29787377 1 30 1 1 13 14 0 0 812 rocksdb:low
 */
#include "input/fields.h"
#include "input/gc_runs.h"

static bool take_numbers(char **at, uint64_t *const numbers[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!take_number(at, ' ', numbers[i]))
			return false;
	return true;
}

static bool take_who(char **at, struct gc_line *l)
{
	return take_number(at, ' ', &l->pid) && take_word(at, &l->comm) && !**at;
}

/* A number with a sign, perhaps. */
static bool take_signed(char **at, int64_t *value)
{
	bool is_negative = **at == '-';
	uint64_t number;

	*at += is_negative;
	if (!take_number(at, ' ', &number) || number > INT64_MAX)
		return false;
	*value = is_negative ? -(int64_t)number : (int64_t)number;
	return true;
}

static bool parse_run(struct gc_line *l, char *at)
{
	uint64_t *const first[] = { &l->number, &l->when };
	uint64_t *const rest[] = { &l->ns, &l->victims, &l->blocks, &l->segments, &l->sections, &l->free, &l->free_after, &l->waits, &l->waited };
	const char *type;

	if (!take_numbers(&at, first, ARRAY_LEN(first)) || !take_word(&at, &l->reason) || !take_word(&at, &type))
		return false;
	l->is_foreground = !strcmp(type, "fg");
	return take_signed(&at, &l->err) && l->err <= 0 && l->err > -4096 && take_numbers(&at, rest, ARRAY_LEN(rest)) && take_who(&at, l);
}

static bool parse_line(struct gc_line *l, char *at)
{
	uint64_t *const sums[] = { &l->runs, &l->empty, &l->ns, &l->victims, &l->blocks, &l->segments, &l->sections };
	uint64_t *const process[] = { &l->runs, &l->ns, &l->waits, &l->waited };
	uint64_t *const wait[] = { &l->ns, &l->when };
	static const char *const abouts[N_GC_ABOUTS] = { "lost", "sum", "process", "wait", "run" };
	char about[8];
	int len = 0;
	size_t i;

	*l = (struct gc_line){ .reason = "", .comm = "" };
	if (sscanf(at, "%u:%u %7s %n", &l->major, &l->minor, about, &len) != 3 || !len)
		return false;
	at += len;
	for (i = 0; i < N_GC_ABOUTS && strcmp(abouts[i], about) != 0; i++)
		;
	l->about = (enum gc_about)i;
	switch (l->about) {
	case GC_LOST:
		return take_signed(&at, &l->lost) && !*at;
	case GC_SUM:
		return take_word(&at, &l->reason) && take_numbers(&at, sums, ARRAY_LEN(sums)) && !*at;
	case GC_PROCESS:
		return take_numbers(&at, process, ARRAY_LEN(process)) && take_who(&at, l);
	case GC_WAIT:
		return take_numbers(&at, wait, ARRAY_LEN(wait)) && take_word(&at, &l->reason) && take_number(&at, ' ', &l->number) &&
		       take_who(&at, l);
	case GC_RUN:
		return parse_run(l, at);
	case N_GC_ABOUTS:
		break;
	}
	return false;
}

static bool read_line(void *result, char *line)
{
	struct gc_runs *runs = result;

	runs->lines = grow(runs->lines, &runs->cap, runs->n, sizeof(*runs->lines));
	return parse_line(&runs->lines[runs->n++], line);
}

/**
 * gc_runs_read() - read and parse a file `gc_runs`, as observed_read()
 * @runs: the result; to be freed with gc_runs_free()
 * @name: the file
 */
void gc_runs_read(struct gc_runs *runs, const char *name)
{
	static const struct observed format = {
		.file = "gc_runs", .version = 1, .lines = "lost, sum, process, wait or run", .read = read_line,
		.or_else = ", or a recording with events",
	};

	*runs = (struct gc_runs){ 0 };
	observed_read(&format, name, &runs->text, runs);
}

/**
 * gc_runs_free() - release what gc_runs_read() has read
 * @runs: as left by it
 */
void gc_runs_free(struct gc_runs *runs)
{
	free(runs->lines);
	text_free(&runs->text);
	*runs = (struct gc_runs){ 0 };
}
