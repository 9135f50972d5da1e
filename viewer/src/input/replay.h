/* SPDX-License-Identifier: GPL-2.0-only */
/* Before the pipeline: a snapshot and the events after it -> the snapshot of a later moment. */
#ifndef REPLAY_H
#define REPLAY_H

#include "input/events.h"
#include "util.h"

void replay(struct text *snapshot, const char *name, const struct events *events, uint64_t at_ns, struct text *next,
	    const char *next_name);

#endif
