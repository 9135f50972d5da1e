/* SPDX-License-Identifier: GPL-2.0-only */
/* Part of carrying out a plan: how far it is, on a terminal; and not faster than allowed. */
#pragma once

#include <signal.h>

#include "device.h"

/**
 * struct progress - how far the work is
 * @blk_bytes: size of a block
 * @all_blks: blocks of the plan
 * @passed_blks: blocks that were moved or passed over
 * @written_blks: blocks that were moved
 * @rate_bytes: how much may be written per second; 0: no limit
 * @share_percent: of the time, while others use the disk; 100: all of it
 * @step_ns: how long the last step was not in the idle I/O class; set by who does the step
 * @begun_ns: when it began
 * @left_ns: how long it has waited because others used the disk
 */
struct progress {
	uint64_t blk_bytes;
	uint64_t all_blks;
	uint64_t passed_blks;
	uint64_t written_blks;
	uint64_t rate_bytes;
	double share_percent;
	int64_t step_ns;
	int64_t begun_ns;
	int64_t left_ns;
	/* private: */
	int64_t ended_ns;
	int64_t shown_ns;
	bool is_terminal;
};

void progress_begin(struct progress *progress, uint64_t blk_bytes, uint64_t all_blks, uint64_t rate_bytes, double share_percent);
void progress_add(struct progress *progress, uint64_t passed_blks, uint64_t written_blks);
void progress_pause(struct progress *progress, const struct device *device);
void progress_end(struct progress *progress);
