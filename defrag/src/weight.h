/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: what a break weighs, by how much is read around it. */
#pragma once

#include "input/heat.h"
#include "input/table.h"
#include "options.h"

/**
 * struct weights - what is known of readers
 * @known: false if every range weighs the same
 * @by_bytes: whether the weight is that of FragPicker
 * @heat: the counts of the module
 * @least_blks: windows with fewer blocks counted are not hot
 */
struct weights {
	bool known;
	bool by_bytes;
	struct heat heat;
	uint64_t least_blks;
};

void weights_init(struct weights *weights, const struct options *options);
void weights_choose(struct weights *weights, const struct table *table, const bool *meant, double percent);
double weight_of_break(const struct weights *weights, const struct table *table, uint32_t file, uint64_t blk,
		       uint64_t file_end, uint64_t breaks, bool in_place);
double weight_of_edge(const struct weights *weights, const struct table *table, uint32_t file, uint64_t blk,
		      uint64_t file_end);
double weight_of_fragmented_edge(const struct weights *weights, const struct table *table, uint32_t file, uint64_t blk,
			     uint64_t file_end, uint64_t breaks);
double weight_of_bytes(const struct weights *weights, const struct table *table, uint32_t file, uint64_t first_blk,
		       uint64_t end_blk, uint64_t file_end);
void weights_free(struct weights *weights);
