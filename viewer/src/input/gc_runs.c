// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the debugfs file `gc_runs`. It has garbage collections, and who waited for them.
 *
 *	# fragtrace gc_runs 2
 *	254:0 lost 0
 *	254:0 sum writer 18 0 301442000 18 4640 18 18
 *	254:0 choice writer greedy 18 17 21600 18432 4640 2160 0 0
 *	254:0 process 12 201442000 2 31442000 812 rocksdb:low
 *	254:0 wait 29787377 1795805719 own 17 812 rocksdb:low
 *	254:0 run 17 1795805719 writer fg 0 29787377 1 30 1 1 13 14 0 0 812 rocksdb:low
 */
#include "input/fields.h"
#include "input/gc_runs.h"

static bool parse_run(struct gc_line *l, char *at)
{
	const char *type;

	if (!take_fields(&at, "nnwwsnnnnnnnnnnw.", &l->number, &l->when, &l->reason, &type, &l->err, &l->ns, &l->victims, &l->blocks,
			 &l->segments, &l->sections, &l->free, &l->free_after, &l->waits, &l->waited, &l->pid, &l->comm))
		return false;
	l->is_foreground = !strcmp(type, "fg");
	return l->err <= 0 && l->err > -4096;
}

static bool read_line(void *result, char *at)
{
	struct gc_runs *runs = result;
	struct gc_line *l = APPEND(runs->lines, runs->n, runs->cap);
	static const char *const abouts[N_GC_ABOUTS] = { "lost", "sum", "choice", "process", "wait", "run" };
	const char *about;

	*l = (struct gc_line){ .reason = "", .policy = "", .comm = "" };
	if (!take_fields(&at, "dw", &l->major, &l->minor, &about))
		return false;
	l->about = (enum gc_about)index_of(about, abouts, N_GC_ABOUTS);
	switch (l->about) {
	case GC_LOST:
		return take_fields(&at, "s.", &l->lost);
	case GC_SUM:
		return take_fields(&at, "wnnnnnnn.", &l->reason, &l->runs, &l->empty, &l->ns, &l->victims, &l->blocks, &l->segments,
				   &l->sections);
	case GC_CHOICE:
		return take_fields(&at, "wwnnnnnnnn.", &l->reason, &l->policy, &l->victims, &l->found, &l->limit, &l->looked, &l->blocks,
				   &l->best_blocks, &l->gain, &l->best_gain);
	case GC_PROCESS:
		return take_fields(&at, "nnnnnw.", &l->runs, &l->ns, &l->waits, &l->waited, &l->pid, &l->comm);
	case GC_WAIT:
		return take_fields(&at, "nnwnnw.", &l->ns, &l->when, &l->reason, &l->number, &l->pid, &l->comm);
	case GC_RUN:
		return parse_run(l, at);
	case N_GC_ABOUTS:
		break;
	}
	return false;
}

/**
 * gc_runs_read() - read and parse a file `gc_runs`, as observed_read()
 * @runs: the result; to be freed with gc_runs_free()
 * @name: the file
 */
void gc_runs_read(struct gc_runs *runs, const char *name)
{
	static const struct observed format = {
		.file = "gc_runs", .version = 2, .lines = "lost, sum, choice, process, wait or run", .read = read_line,
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
