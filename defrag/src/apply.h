/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: carry out a plan, step by step. */
#pragma once

#include "input/source.h"
#include "options.h"
#include "plan.h"

/**
 * struct resisted - ranges of a file that were not moved, or not joined
 * @file: index into table.files
 * @ranges: how many of them
 * @why: a sentence without its full stop
 */
struct resisted {
	uint32_t file;
	uint64_t ranges;
	char *why;
};

/**
 * struct result - what became of a plan
 * @moved_blks: blocks that were written anew
 * @moved: ranges that were moved
 * @moved_twice: ranges that were moved again, because a segment had ended in them
 * @whole: ranges that were not fragmented any more
 * @resisted: what was not moved, by file
 * @n_resisted: number of @resisted
 * @stopped: why the work ended early, or NULL
 * @before: the figures of the files that were worked on, from the plan
 * @after: likewise, from a new snapshot, or from FIEMAP
 * @from_fiemap: @after is from FIEMAP: the module could not be read
 * @n_files: files that were worked on
 * @n_lost: those of them that could not be found again
 * @device_kb: what the device wrote meanwhile, for all processes
 * @device_is_known: @device_kb is set
 * @seconds: how long it took
 * @left_seconds: of these, how long it waited because others used the disk
 */
struct result {
	uint64_t moved_blks;
	uint64_t moved;
	uint64_t moved_twice;
	uint64_t whole;
	struct resisted *resisted;
	size_t n_resisted;
	char *stopped;
	struct requests before;
	struct requests after;
	bool from_fiemap;
	size_t n_files;
	size_t n_lost;
	uint64_t device_kb;
	bool device_is_known;
	double seconds;
	double left_seconds;
	/* private: */
	size_t cap_resisted;
};

void apply_ask_volumes(struct plan *plan, const struct options *options);
char *apply_ask(struct plan *plan, uint32_t file);
void apply_plan(struct result *result, struct plan *plan, const struct options *options, struct source *source);
void apply_free(struct result *result);
