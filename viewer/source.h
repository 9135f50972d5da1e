/* SPDX-License-Identifier: GPL-2.0-only */
/* Before the pipeline: where the text comes from; a file of debugfs, a recorded one, or stdin. */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>

#include "util.h"

#define DEBUGFS "/sys/kernel/debug"

/**
 * struct source - a text that is read again and again
 * @path: where it is; "-" is standard input
 * @name: what to call it in messages
 */
struct source {
	const char *path;
	const char *name;
	/* private: */
	bool was_read;
	bool is_gone;
};

void source_init(struct source *source, const char *path);
bool source_read(struct source *source, struct text *text);

#endif
