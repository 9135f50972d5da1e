/* SPDX-License-Identifier: GPL-2.0-only */
/* Third step of the pipeline: which ranges are worth a rewrite, most requests saved per byte first. */
#pragma once

#include "again.h"
#include "device.h"
#include "input/table.h"
#include "model.h"
#include "options.h"
#include "by_file.h"
#include "reader.h"
#include "weight.h"

/* No more is moved together: it is done in one step, for whose end writers of the file may wait. */
#define JOINED_MIB 16

/**
 * struct range - a fragmented window, a whole one that is moved together with others, or the part of a window that is worth a rewrite
 * @file: index into table.files
 * @chosen: it is to be rewritten
 * @first_blk: its first written block in the file (inclusive)
 * @end_blk: end of its last written block (exclusive)
 * @blks: written blocks: what a rewrite costs
 * @requests: requests to read the window now; if it is 1, it is whole, and moved only to be next to others
 * @after: requests to read it after a rewrite
 * @is_late: the range begins at the first break of the window, whose blocks before that stay where they are
 * @is_early: likewise, it ends at the last break
 * @is_joined: it is moved together with the range before it, because readers go on from that
 * @heals_edge: there is a break between the two
 * @heat: weight of its breaks, the mean; of a whole window, of the heaviest break at its edges
 * @gain: requests saved, times their weight, per MiB written
 */
struct range {
	uint32_t file;
	bool chosen;
	bool is_late;
	bool is_early;
	bool is_joined;
	bool heals_edge;
	uint64_t first_blk;
	uint64_t end_blk;
	uint64_t blks;
	uint64_t requests;
	uint64_t after;
	double heat;
	double gain;
};

/**
 * struct file_plan - what is planned for a file
 * @now: its figures
 * @again: whether it breaks again soon
 * @first: its first range in plan.ranges
 * @end: end of its ranges
 * @n_chosen: chosen ranges
 * @blks: blocks to write
 * @saved: requests that this saves
 * @n_left: ranges that are worth it but were left alone, see plan_why_left()
 * @n_long: those of them of which too many would have to be moved together
 * @n_unfit: ranges that are worth it but did not fit into the budget
 * @refused: why it must not be moved, a sentence without its full stop; or NULL
 * @generation: of its inode, when it was asked for
 * @asked: @refused and @generation are known
 */
struct file_plan {
	struct requests now;
	struct again again;
	size_t first;
	size_t end;
	size_t n_chosen;
	uint64_t blks;
	uint64_t saved;
	size_t n_left;
	size_t n_long;
	size_t n_unfit;
	char *refused;
	unsigned int generation;
	bool asked;
};

/**
 * struct volume_plan - the sums over the files of a volume
 * @device: its device
 * @request_blks: size of a request
 * @min_gain: requests that a range has to save per MiB written
 * @reader: the reader whose requests are foreseen; @reader.read_blks is 0 if there is none
 * @now: the figures of its files
 * @n_files: files that the arguments name
 * @n_dear: files that take more requests than they need
 * @n_chosen: chosen ranges
 * @n_chosen_files: files with chosen ranges
 * @n_unfit: ranges that did not fit into the budget
 * @blks: blocks to write
 * @saved: requests that this saves
 * @weighed: the same, each break by its weight
 * @refused: why nothing of it must be moved, a sentence without its full stop; or NULL
 * @way: how blocks are to be moved there
 */
struct volume_plan {
	struct device device;
	uint64_t request_blks;
	double min_gain;
	struct reader reader;
	struct requests now;
	size_t n_files;
	size_t n_dear;
	size_t n_chosen;
	size_t n_chosen_files;
	size_t n_unfit;
	uint64_t blks;
	uint64_t saved;
	double weighed;
	char *refused;
	enum way way;
};

/**
 * struct plan - the plan for a table
 * @table: the table
 * @mib_blks: blocks in a MiB: gains are for each
 * @weights: what is known of readers
 * @by_file: its extents by file
 * @volumes: by index into table.volumes
 * @files: by index into table.files
 * @ranges: all windows that are fragmented, and whole ones that are to be moved with others, by file and offset
 * @n_ranges: number of @ranges
 * @n_chosen: chosen ranges
 */
struct plan {
	const struct table *table;
	double mib_blks;
	const struct weights *weights;
	struct by_file by_file;
	struct volume_plan *volumes;
	struct file_plan *files;
	struct range *ranges;
	size_t n_ranges;
	size_t n_chosen;
	/* private: */
	size_t cap_ranges;
};

/*
 * May a file be moved? Return NULL, or why not, to be freed. Sets plan.files[file].generation.
 */
typedef char *(*plan_ask)(struct plan *plan, uint32_t file);

void plan_build(struct plan *plan, const struct table *table, const bool *meant, const struct options *options,
		const struct weights *weights);
void plan_choose(struct plan *plan, const struct options *options, plan_ask ask);
double range_weighed(const struct plan *plan, const struct range *range);
const struct range *ranges_joined(const struct range *range, const struct range *end, uint64_t *blks);
char *plan_why_left(const struct plan *plan, uint32_t file);
void plan_free(struct plan *plan);
