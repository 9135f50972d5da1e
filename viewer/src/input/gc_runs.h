/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the debugfs file `gc_runs`, garbage collections and who waited for them. */
#pragma once

#include "util.h"

/* The process that has all kernel threads. */
#define KERNEL_THREADS 2

/* What a line is about. */
enum gc_about { GC_LOST, GC_SUM, GC_CHOICE, GC_PROCESS, GC_WAIT, GC_RUN, N_GC_ABOUTS };

/**
 * struct gc_line - a line
 * @about: what
 * @major: device number
 * @minor: device number
 * @reason: of sums and of a collection: why it ran, in the word of the file; of a wait: how, own or lock
 * @policy: of choices: the formula that victims are compared by, in the word of the file
 * @is_foreground: of a collection
 * @err: of a collection: its result, 0 or an error
 * @lost: waits that may have been missed; negative: none can be seen
 * @number: of a collection, or of that during which a wait began
 * @when: when a collection began, or a wait ended, in seconds since 1970
 * @runs: how many collections; of a process: in its own calls
 * @empty: how many of them found nothing to clean
 * @ns: how long they took together; of a wait: how long that was
 * @victims: how many sections were chosen
 * @found: how many of them F2FS has found by @policy
 * @limit: how many sections F2FS itself looks at, at most, for all of them
 * @looked: how many the module has looked at
 * @blocks: how many of their blocks were in use
 * @best_blocks: and of the best sections there were
 * @gain: what the formula says of the victims
 * @best_gain: and of the best ones
 * @segments: segments that F2FS has freed at once, as it does not in the background
 * @sections: likewise sections
 * @free: free sections when it began
 * @free_after: and when it ended
 * @waits: how often others waited, or the process did
 * @waited: how long, in nanoseconds
 * @pid: process; 0: all others; KERNEL_THREADS: all of these
 * @comm: its name
 */
struct gc_line {
	enum gc_about about;
	unsigned int major, minor;
	const char *reason, *policy;
	bool is_foreground;
	int64_t err, lost;
	uint64_t number, when, runs, empty, ns, victims, blocks, segments, sections, free, free_after, waits, waited, pid;
	uint64_t found, limit, looked, best_blocks, gain, best_gain;
	const char *comm;
};

/**
 * struct gc_runs - the content of `gc_runs`
 * @lines: by volume and enum gc_about, in the order of the file
 * @n: how many
 */
struct gc_runs {
	struct gc_line *lines;
	size_t n;
	/* private: */
	size_t cap;
	struct text text;
};

void gc_runs_read(struct gc_runs *runs, const char *name);
void gc_runs_free(struct gc_runs *runs);
