/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: write an event file of a recording; input/events.h has the format. */
#pragma once

#include "input/events.h"
#include "output/packed.h"

/**
 * struct event_log - an event file that is being written
 * @path: its name; NULL: none is open
 * @file: its content
 * @n: events in it
 */
struct event_log {
	char *path;
	struct packed file;
	uint64_t n;
	/* private: */
	uint64_t last_ms;	/* time of the last event */
};

void event_log_open(struct event_log *log, const char *path);
void event_log_add(struct event_log *log, const struct event *events, size_t n, uint64_t until_ns, bool lost);
void event_log_close(struct event_log *log);
