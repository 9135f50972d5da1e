/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the module's tracepoints, in a tracefs instance of its own. */
#pragma once

#include "input/events.h"

/**
 * struct drained - what tracer_drain() got
 * @list: the events, in the order of time, those of a volume by number; valid until the next call
 * @n: number of @list
 * @until_ns: up to which moment all events are in @list and those before
 * @n_lost: how many events were lost before or among them
 * @begins_anew: the events of a volume were numbered anew, as it was unmounted or its directory was removed; then @n_lost is above 0,
 *	and how many were lost is not known
 * @was_unloaded: the module was unloaded, and tracefs has dropped what was not read: nothing else is set
 */
struct drained {
	const struct event *list;
	size_t n;
	uint64_t until_ns;
	uint64_t n_lost;
	bool begins_anew;
	bool was_unloaded;
};

struct tracer;

struct tracer *tracer_open(void);
void tracer_drain(struct tracer *tracer, struct drained *drained);
void tracer_stop(struct tracer *tracer);
void tracer_close(struct tracer *tracer);
void tracer_abandon(void);
