// SPDX-License-Identifier: GPL-2.0-only
/* Part of carrying out a plan: how far it is, on a terminal; and not faster than allowed. */

#include "progress.h"

/* How often the line is drawn again. */
#define SHOW_NS (NSEC_PER_SEC / 4)
/* No pause is longer. */
#define MOST_NS (1e6 * NSEC_PER_SEC)
/* Who makes no request of the disk in this time does not use it. */
#define LOOK_NS (NSEC_PER_SEC / 50)

/**
 * progress_begin() - begin
 * @p: the result
 * @blk_bytes: size of a block
 * @all_blks: blocks of the plan
 * @rate_bytes: how much may be written per second; 0: no limit
 * @share_percent: how much of the time a step may take while others use the disk, at most 100
 */
void progress_begin(struct progress *p, uint64_t blk_bytes, uint64_t all_blks, uint64_t rate_bytes, double share_percent)
{
	*p = (struct progress){
		.blk_bytes = blk_bytes,
		.all_blks = all_blks,
		.rate_bytes = rate_bytes,
		.share_percent = share_percent,
		.begun_ns = monotonic_ns(),
		.is_terminal = isatty(STDERR_FILENO),
	};
}

static void show(const struct progress *p, int64_t now_ns)
{
	double seconds = (double)(now_ns - p->begun_ns) / 1e9;
	double rate = seconds > 0.0 ? (double)p->passed_blks / seconds : 0.0;
	uint64_t left = rate > 0.0 ? (uint64_t)((double)(p->all_blks - p->passed_blks) / rate) : 0;

	fprintf(stderr, "\r\033[K%s of %s, %s/s, %ju:%02ju:%02ju left", BYTES(p->passed_blks * p->blk_bytes),
		BYTES(p->all_blks * p->blk_bytes), BYTES(rate * (double)p->blk_bytes), (uintmax_t)(left / 3600),
		(uintmax_t)(left / 60 % 60), (uintmax_t)(left % 60));
	fflush(stderr);
}

/**
 * progress_add() - a step has ended, or blocks were passed over
 * @p: the progress
 * @passed_blks: blocks of the step
 * @written_blks: those of them that were written
 */
void progress_add(struct progress *p, uint64_t passed_blks, uint64_t written_blks)
{
	int64_t now_ns = monotonic_ns();

	p->ended_ns = now_ns;
	p->passed_blks += passed_blks;
	p->written_blks += written_blks;
	if (!p->is_terminal || now_ns - p->shown_ns < SHOW_NS)
		return;
	p->shown_ns = now_ns;
	show(p, now_ns);
}

/* Sleep, but not beyond this time, and not for long: a signal may come between the test and the sleep. */
static void doze(int64_t until_ns, int64_t most_ns)
{
	int64_t rest_ns = until_ns - monotonic_ns();
	struct timespec t = { .tv_nsec = rest_ns < most_ns ? rest_ns : most_ns };

	if (rest_ns > 0)
		nanosleep(&t, NULL);
}

/*
 * So that the last step was no more than the share of the time up to now, unless nobody else uses the disk. What it did in
 * the idle I/O class does not count: that was in the gaps that others left.
 */
static void leave_to_others(struct progress *p, const struct device *device)
{
	double rest_ns = (double)p->step_ns * (100.0 / p->share_percent - 1.0);
	int64_t until_ns = p->ended_ns + (rest_ns < MOST_NS ? (int64_t)rest_ns : (int64_t)MOST_NS);
	int64_t begun_ns = monotonic_ns();
	uint64_t before, now;

	if (begun_ns >= until_ns || !device_requests(device, &before))
		return;
	while (!is_interrupted && begun_ns < until_ns) {
		doze(until_ns, LOOK_NS);
		if (!device_requests(device, &now) || now == before)
			break;
		p->left_ns += monotonic_ns() - begun_ns;
		begun_ns = monotonic_ns();
		before = now;
	}
}

/**
 * progress_pause() - before a step: wait until more may be written, and others have had the disk
 * @p: the progress
 * @device: the device of the volume
 */
void progress_pause(struct progress *p, const struct device *device)
{
	int64_t at_ns = p->begun_ns;

	if (p->rate_bytes)
		at_ns += (int64_t)((double)(p->written_blks * p->blk_bytes) / (double)p->rate_bytes * 1e9);
	while (!is_interrupted && monotonic_ns() < at_ns)
		doze(at_ns, NSEC_PER_SEC / 10);
	leave_to_others(p, device);
	p->step_ns = 0;
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
