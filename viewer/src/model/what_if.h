/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: a recording with events -> what garbage collection would have moved if it chose its sections otherwise. */
#pragma once

#include "input/recording.h"
#include "model/collector.h"

/**
 * struct what_if_volume - a volume
 * @dev: its number, as in events
 * @first: its first block
 * @n: blocks
 * @unit: segments of a section
 * @use: by block, enum block_use
 * @is_seen: by block, whether it had other data at the last snapshot
 * @type: by segment, enum f2fs_type, at the next snapshot
 * @in_segment: by segment, blocks in use
 * @in_use: by section, blocks in use
 * @nodes: by section, nodes
 * @n_free: sections that are not in use
 * @is_lfs: F2FS never fills holes
 * @begun: by section, whether F2FS has begun to empty it
 * @last: by log of data, the block that F2FS has written last
 * @is_new: by log of data, whether its segment was free when F2FS opened it
 * @written: blocks of files that were written
 * @moved: blocks of files that F2FS has moved
 * @sections: how many it has begun to empty so
 * @models: as the model has it, by enum collector_choice
 */
struct what_if_volume {
	uint32_t dev, first, n, unit;
	uint8_t *use;
	bool *is_seen;
	uint8_t *type;
	uint16_t *in_segment;
	uint32_t *in_use, *nodes;
	uint32_t n_free;
	bool is_lfs;
	bool *begun;
	uint32_t last[N_DATA_LOGS];
	bool is_new[N_DATA_LOGS];
	uint64_t written, moved, sections;
	struct collector models[N_CHOICES];
};

/**
 * struct what_if - what is asked of a recording, and the answer
 * @choices: the models there are, by enum collector_choice
 * @volumes: those with a state of F2FS
 * @n: number of @volumes
 * @cap: room for so many
 * @first_ns: the beginning
 * @last_ns: the end
 * @known_ns: how much of that has events
 * @n_gaps: how often there is something missing
 */
struct what_if {
	bool choices[N_CHOICES];
	struct what_if_volume *volumes;
	size_t n, cap;
	uint64_t first_ns, last_ns, known_ns;
	size_t n_gaps;
};

#define FOR_EACH_MODEL(c, v) \
	for (struct collector *c = (v)->models; c < (v)->models + N_CHOICES; c++) \
		if (c->n)

void what_if_read(struct what_if *what_if, const struct recording *recording);
void what_if_free(struct what_if *what_if);
