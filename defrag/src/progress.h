/* SPDX-License-Identifier: GPL-2.0-only */
/* Part of carrying out a plan: how far it is, on a terminal; and not faster than allowed. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct progress - how far the work is
 * @all_blks: blocks of the plan
 * @passed_blks: blocks that were moved or passed over
 * @written_blks: blocks that were moved
 * @rate_bytes: how much may be written per second; 0: no limit
 * @begun_ns: when it began
 */
struct progress {
	uint64_t all_blks;
	uint64_t passed_blks;
	uint64_t written_blks;
	uint64_t rate_bytes;
	int64_t begun_ns;
	/* private: */
	int64_t shown_ns;
	bool is_terminal;
};

void progress_begin(struct progress *progress, uint64_t all_blks, uint64_t rate_bytes);
void progress_add(struct progress *progress, uint64_t passed_blks, uint64_t written_blks);
void progress_pause(const struct progress *progress, const volatile sig_atomic_t *stop);
void progress_end(struct progress *progress);

#endif
