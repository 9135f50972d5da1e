/* SPDX-License-Identifier: GPL-2.0-only */
/* Before the pipeline: read the text from a file of debugfs, a recorded file, or stdin. */
#pragma once

#include "input/moment.h"
#include "input/table.h"
#include "util.h"

#define DEBUGFS "/sys/kernel/debug"
#define PROCFS "/proc"

/* Where the running module has a file: in procfs, if the kernel has no debugfs for it. */
#define MODULE_FILE(name) (source_is_in_procfs() ? PROCFS "/fragtrace/" name : DEBUGFS "/fragtrace/" name)

/**
 * struct source - a text that is read repeatedly
 * @path: where it is; "-" is standard input
 * @name: its name for messages
 * @at: the moment, if @path is a recording
 * @volume: the mount point or device number of the only volume that is wanted; NULL: all
 * @trouble: why it cannot be read at the moment, or NULL
 * @waiting: a target whose volume is not mounted, if the table has no volume; or NULL
 */
struct source {
	const char *path;
	const char *name;
	struct moment at;
	const char *volume;
	char *trouble;
	char *waiting;
	/* private: */
	bool was_read;
	bool was_reported;
	bool waiting_was_reported;
};

bool source_is_in_procfs(void);
bool source_is_live(const char *path);
bool source_may_be(const char *path);
void source_init(struct source *source, const char *path);
void source_free(struct source *source);
const char *source_hint(const char *path, int err);
bool source_read_table(struct source *source, struct table *table, bool keep);
void source_parse(struct table *table, const char *name, struct text *text, bool keep);
char *source_beside(const struct source *source, const char *name);
char *source_counts_path(const struct source *source, const char *name);
bool source_read_counts(const struct source *source, const char *name, struct text *text);
bool source_read_beside(const struct source *source, const char *name, struct text *text);
void source_report(struct source *source);
