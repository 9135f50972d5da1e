/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the debugfs file `gc_runs`, garbage collections and who waited for them. */
#pragma once

#include "util.h"

/* What a line is about. */
enum gc_about { GC_SUM, GC_PROCESS, GC_WAIT, GC_RUN, N_GC_ABOUTS };

/**
 * struct gc_line - a line
 * @about: what
 * @major: device number
 * @minor: device number
 * @reason: of sums and of a collection: why it ran, in the word of the file; of a wait: how, own or lock
 * @is_foreground: of a collection
 * @err: of a collection: its result, 0 or an error
 * @number: of a collection, or of that which was waited for, 0: of none
 * @when: seconds since 1970
 * @runs: how many collections; of a process: in its own calls
 * @empty: how many of them found nothing to clean
 * @ns: how long they took together; of a wait: how long that was
 * @victims: how often segments were chosen
 * @blocks: how many of their blocks were in use
 * @segments: freed segments
 * @sections: freed sections
 * @free: free sections when it began
 * @free_after: and when it ended
 * @waits: how often others waited, or the process did
 * @waited: how long, in nanoseconds
 * @pid: process; 0: all others
 * @comm: its name
 */
struct gc_line {
	enum gc_about about;
	unsigned int major, minor;
	const char *reason;
	bool is_foreground;
	int err;
	uint64_t number, when, runs, empty, ns, victims, blocks, segments, sections, free, free_after, waits, waited, pid;
	const char *comm;
};

/**
 * struct gc_runs - the content of `gc_runs`
 * @lines: by volume and enum gc_about, in the order of the file
 * @n: how many
 * @lost: waits that were not measured, a number or all
 */
struct gc_runs {
	struct gc_line *lines;
	size_t n;
	const char *lost;
	/* private: */
	size_t cap;
	struct text text;
};

void gc_runs_read(struct gc_runs *runs, const char *name);
void gc_runs_free(struct gc_runs *runs);
