/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: a model of F2FS's logs and of its garbage collection. */
#pragma once

#include "input/f2fs_state.h"

/* No block, segment or section. */
#define COLLECTOR_NONE UINT32_MAX

/* Logs of data: the types before those of nodes. */
#define N_DATA_LOGS F2FS_HOT_NODE

/**
 * enum collector_choice - how the model chooses what it collects
 * @CHOICE_F2FS: greedy in the foreground; in the background by cost and benefit, or with atgc by age
 * @CHOICE_GREEDY: the section with the fewest blocks in use
 * @CHOICE_COST_BENEFIT: get_cb_cost() of F2FS: few blocks in use, or old
 * @CHOICE_ATGC: atgc_lookup_victim() of F2FS, without its threshold of age: the best of the oldest sections
 * @CHOICE_HOT_COLD: as @CHOICE_GREEDY; blocks that are rewritten sooner than the mean have a log of their own
 */
enum collector_choice {
	CHOICE_F2FS,
	CHOICE_GREEDY,
	CHOICE_COST_BENEFIT,
	CHOICE_ATGC,
	CHOICE_HOT_COLD,
	N_CHOICES,
};

/**
 * enum block_use - what a block of the volume has
 * @BLOCK_FREE: nothing
 * @BLOCK_NODE: a node; it is in no model
 * @BLOCK_OTHER: data of a directory, or of a file that is not watched
 * @BLOCK_WATCHED: data of a watched file
 */
enum block_use {
	BLOCK_FREE,
	BLOCK_NODE,
	BLOCK_OTHER,
	BLOCK_WATCHED,
};

/**
 * struct collector - a model of the main area of a volume
 * @choice: how it chooses
 * @is_atgc: F2FS chooses by age in the background
 * @use: by block of the volume, enum block_use; the caller's
 * @n: number of segments
 * @unit: segments of a section
 * @place: by block of the volume, in which block of the model its data is
 * @block: by block of the model, which block of the volume has its data
 * @valid: by segment, blocks in use
 * @type: by segment, enum f2fs_type
 * @mtime: by segment, the mean of when its blocks came or went, in seconds, as F2FS has it
 * @in_use: by section, blocks in use
 * @n_free: sections without any
 * @n_nodes: how many of these nodes take
 * @head: by log, the segment that it fills
 * @next: by log, the first block in it that may be free
 * @is_new: by log, whether it was free when it was opened
 * @holes_limit: where no more sections are free, logs go on in the holes of segments
 * @last: the section that was opened last
 * @victim: the section that is being collected
 * @oldest: the least of @mtime
 * @now: the time
 * @born: by block of the volume, how many blocks had been written when it was; only %CHOICE_HOT_COLD
 * @written: blocks that were written
 * @lives: the sum of how long blocks lived until they were rewritten, in blocks that were written
 * @n_lives: how many that were
 * @moved: blocks of watched files that were moved
 * @others: other blocks that were moved
 * @sections: how many were collected
 */
struct collector {
	enum collector_choice choice;
	bool is_atgc;
	const uint8_t *use;
	uint32_t n, unit;
	uint32_t *place, *block;
	uint16_t *valid;
	uint8_t *type;
	uint64_t *mtime;
	uint32_t *in_use;
	uint32_t n_free, n_nodes;
	uint32_t head[N_DATA_LOGS], next[N_DATA_LOGS];
	bool is_new[N_DATA_LOGS];
	uint32_t holes_limit;
	uint32_t last, victim;
	uint64_t oldest, now;
	uint64_t *born;
	uint64_t written, lives, n_lives;
	uint64_t moved, others, sections;
};

extern const char *const collector_choices[N_CHOICES];

void collector_init(struct collector *c, enum collector_choice choice, const struct f2fs_state *state, uint32_t unit, uint64_t now);
void collector_begin(struct collector *c, const uint8_t *use, const struct f2fs_status *status);
void collector_write(struct collector *c, uint32_t block, uint32_t old, enum f2fs_type log);
void collector_shift(struct collector *c, uint32_t block, uint32_t old);
void collector_drop(struct collector *c, uint32_t block);
bool collector_collect(struct collector *c, bool is_foreground);
void collector_collect_until(struct collector *c, uint64_t space);
void collector_free(struct collector *c);

/* The sections that are free for data. */
static inline uint32_t collector_room(const struct collector *c)
{
	return c->n_free - (uint32_t)min_of(c->n_free, c->n_nodes);
}

/* The blocks of a section from one of a segment on. */
static inline uint32_t collector_rest(uint32_t unit, uint32_t segment, uint32_t next)
{
	return (unit - segment % unit) * F2FS_SEGMENT_BLKS - next;
}
