// SPDX-License-Identifier: GPL-2.0-only
/* Part of carrying out a plan: how far it is, on a terminal; and not faster than allowed. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "model.h"
#include "progress.h"
#include "util.h"

/* How often the line is drawn again. */
#define SHOW_NS (NSEC_PER_SEC / 4)

/**
 * progress_begin() - begin
 * @p: the result
 * @all_blks: blocks of the plan
 * @rate_bytes: how much may be written per second; 0: no limit
 */
void progress_begin(struct progress *p, uint64_t all_blks, uint64_t rate_bytes)
{
	*p = (struct progress){
		.all_blks = all_blks,
		.rate_bytes = rate_bytes,
		.begun_ns = monotonic_ns(),
		.is_terminal = isatty(STDERR_FILENO),
	};
}

static void show(const struct progress *p, int64_t now_ns)
{
	double seconds = (double)(now_ns - p->begun_ns) / 1e9;
	double rate = seconds > 0.0 ? (double)p->passed_blks / seconds : 0.0;
	uint64_t left = rate > 0.0 ? (uint64_t)((double)(p->all_blks - p->passed_blks) / rate) : 0;
	char done[BYTES_MAX], all[BYTES_MAX], speed[BYTES_MAX];

	format_bytes(done, (double)p->passed_blks);
	format_bytes(all, (double)p->all_blks);
	format_bytes(speed, rate);
	fprintf(stderr, "\r\033[K%s of %s, %s/s, %ju:%02ju:%02ju left", done, all, speed, (uintmax_t)(left / 3600),
		(uintmax_t)(left / 60 % 60), (uintmax_t)(left % 60));
	fflush(stderr);
}

/**
 * progress_add() - a step has ended
 * @p: the progress
 * @passed_blks: blocks of the step
 * @written_blks: those of them that were written
 */
void progress_add(struct progress *p, uint64_t passed_blks, uint64_t written_blks)
{
	int64_t now_ns = monotonic_ns();

	p->passed_blks += passed_blks;
	p->written_blks += written_blks;
	if (!p->is_terminal || now_ns - p->shown_ns < SHOW_NS)
		return;
	p->shown_ns = now_ns;
	show(p, now_ns);
}

/**
 * progress_pause() - wait until more may be written
 * @p: the progress
 * @stop: set by a signal: do not wait any longer
 */
void progress_pause(const struct progress *p, const volatile sig_atomic_t *stop)
{
	int64_t at_ns;
	struct timespec t;

	if (!p->rate_bytes)
		return;
	at_ns = p->begun_ns + (int64_t)((double)(p->written_blks * BLK_BYTES) / (double)p->rate_bytes * 1e9);
	/* short sleeps: a signal may come between the test and the sleep */
	while (!*stop && monotonic_ns() < at_ns) {
		int64_t rest_ns = at_ns - monotonic_ns();

		if (rest_ns <= 0)
			break;
		if (rest_ns > NSEC_PER_SEC / 10)
			rest_ns = NSEC_PER_SEC / 10;
		t = (struct timespec){ .tv_nsec = rest_ns };
		nanosleep(&t, NULL);
	}
}

/**
 * progress_end() - remove the line
 * @p: the progress
 */
void progress_end(struct progress *p)
{
	if (p->is_terminal)
		fputs("\r\033[K", stderr);
}
