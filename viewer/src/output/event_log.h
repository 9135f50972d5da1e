/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: write an event file of a recording; input/events.h has the format. */
#pragma once

#include <zstd.h>

#include "input/events.h"

/**
 * struct event_log - an event file that is being written
 * @path: its name; NULL: none is open
 * @bytes: its size
 * @n: events in it
 */
struct event_log {
	char *path;
	uint64_t bytes;
	uint64_t n;
	/* private: */
	int fd;
	uint64_t last_ms;	/* time of the last event */
	ZSTD_CCtx *zstd;
};

void event_log_open(struct event_log *log, const char *path);
void event_log_add(struct event_log *log, const struct event *events, size_t n, uint64_t until_ns, bool lost);
void event_log_close(struct event_log *log);
