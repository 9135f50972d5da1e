/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: a recording with events -> how soon garbage collection has moved what was written, and who wrote it. */
#pragma once

#include "input/events.h"
#include "input/recording.h"

/* A block that is moved again within so many seconds: collection runs in circles. */
#define MOVES_CIRCLE_S 600

/* The ages of blocks that are told apart: below so many seconds, or older than all. */
#define N_MOVES_AGES 17
extern const uint32_t moves_ages[N_MOVES_AGES - 1];

/* More processes than these are counted together. */
#define MOVES_MAX_WRITERS 1024

/* The first two writers. */
enum { MOVES_OTHERS, MOVES_EARLIER, MOVES_N_FIXED };

/**
 * struct moves_writer - the blocks that a process wrote
 * @comm: its name
 * @pid: the process; 0 if it was none, or several
 * @written: how many it wrote
 * @moved: how many of them collection has moved; each counts once, until it is written again
 * @moves: how often collection has moved them
 * @again: how many of @moves came less than %MOVES_CIRCLE_S after the last one of the same block
 * @ages: @moved by the time since it was written; none of %MOVES_EARLIER
 */
struct moves_writer {
	char comm[EVENT_COMM + 1];
	uint32_t pid;
	uint64_t written, moved, moves, again;
	uint64_t ages[N_MOVES_AGES];
};

/**
 * struct moves - what garbage collection has moved
 * @writers: %MOVES_OTHERS: all others; %MOVES_EARLIER: nobody knows when it was written, before the recording or a gap; then
 *	processes, those of which most was moved first
 * @n: number of @writers
 * @first_ns: the beginning
 * @last_ns: the end
 * @known_ns: how much of that has events
 * @n_gaps: how often there is something missing
 * @n_lost: events that are missing, as far as that is known
 */
struct moves {
	struct moves_writer *writers;
	size_t n;
	uint64_t first_ns, last_ns, known_ns;
	size_t n_gaps;
	uint64_t n_lost;
};

void moves_read(struct moves *moves, const struct recording *recording);
void moves_free(struct moves *moves);
