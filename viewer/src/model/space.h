/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the free space of a volume, and what F2FS can do with it. */
#pragma once

#include "input/f2fs_state.h"
#include "input/table.h"

/* Free runs are counted by powers of two: [i] has those of 2^i to 2^(i+1)-1 blocks. */
#define SPACE_RUN_CLASSES 33
/* Dirty segments are counted by valid blocks: [i] has those of 64i+1 to 64i+64, the last one to 511. */
#define SPACE_FILL_CLASSES 8
#define SPACE_FILL_STEP (F2FS_SEGMENT_BLKS / SPACE_FILL_CLASSES)
/* The sections that garbage collection would pick first. */
#define SPACE_MAX_PICKS 5

/**
 * enum use - what F2FS says of a block
 * @USE_FREE: not valid
 * @USE_DATA: valid, in a segment of data
 * @USE_NODE: valid, in a segment of nodes
 * @N_USES: number of uses
 */
enum use {
	USE_FREE,
	USE_DATA,
	USE_NODE,
	N_USES,
};

/**
 * struct space_type - the segments of a type that are not empty
 * @full: segments that are valid in whole
 * @dirty: segments that are valid in part, and where no log writes
 * @valid: valid blocks
 * @ssr_blks: blocks of @dirty that are not valid: room to write between the others; none with mode=lfs
 * @head: the segment where the log of this type writes; -1: not known
 * @next: the block in @head that it writes next; -1: not known
 * @head_room: blocks of @head that are not valid
 */
struct space_type {
	uint64_t full;
	uint64_t dirty;
	uint64_t valid;
	uint64_t ssr_blks;
	int64_t head;
	int64_t next;
	uint64_t head_room;
};

/**
 * struct space_pick - a section that garbage collection would pick
 * @section: its number
 * @valid: valid blocks that it would have to move
 * @cost: F2FS's cost: the valid blocks, or that of cost-benefit; the least is picked
 */
struct space_pick {
	uint64_t section;
	uint64_t valid;
	uint64_t cost;
};

/**
 * struct space_picks - the sections of the least costs
 * @first: sorted by cost, then by number
 * @n: number of @first
 * @n_least: how many sections have the cost of the first one
 */
struct space_picks {
	struct space_pick first[SPACE_MAX_PICKS];
	size_t n;
	uint64_t n_least;
};

/**
 * struct space_file - a watched file with blocks in a part of a volume
 * @file: index into table.files
 * @blks: its blocks there
 */
struct space_file {
	uint32_t file;
	uint64_t blks;
};

/**
 * struct space - the free space of a volume
 * @volume: the volume
 * @state: where the figures are from; its segments may be none: then nothing else is known
 * @segs_per_sec: segments in a section; 0: not known, 1 is assumed
 * @secs_per_zone: sections in a zone; 0: not known
 * @capacity: blocks of a section that can be written, from its begin on
 * @valid: valid blocks, by enum use; [USE_FREE] has those that are not valid, but can be written
 * @unusable: blocks beyond the capacity of their section
 * @types: by enum f2fs_type
 * @full: segments that are valid in whole
 * @dirty: segments that are valid in part, and where no log writes
 * @heads: segments where logs write, if they are known
 * @empty: segments without a valid block, and where no log writes: free or prefree. Those beyond the capacity of their section
 *	are in none of these four
 * @knows_heads: log heads are known
 * @has_runs: free runs and watched blocks are known
 * @run_count: free runs by length
 * @run_blks: their blocks
 * @n_runs: free runs
 * @longest: the longest free run, blocks
 * @longest_lba: its first block
 * @fill: dirty segments by their valid blocks
 * @watched: blocks of the table, by what F2FS says of them; [USE_FREE] and [USE_NODE] moved between
 *	both readings
 * @candidates: sections that garbage collection may pick
 * @chosen: sections that background collection has already chosen; foreground collection takes them first
 * @first_chosen: the first of them
 * @greedy: what foreground collection would pick
 * @has_mtime: cost-benefit is known
 * @newest: the latest time of a segment with valid blocks, by F2FS's clock; only if @has_mtime
 * @cost_benefit: what background collection would pick
 */
struct space {
	const struct volume *volume;
	const struct f2fs_state *state;
	uint64_t segs_per_sec;
	uint64_t secs_per_zone;
	uint64_t capacity;
	uint64_t valid[N_USES];
	uint64_t unusable;
	struct space_type types[F2FS_N_TYPES];
	uint64_t full;
	uint64_t dirty;
	uint64_t heads;
	uint64_t empty;
	bool knows_heads;
	bool has_runs;
	uint64_t run_count[SPACE_RUN_CLASSES];
	uint64_t run_blks[SPACE_RUN_CLASSES];
	uint64_t n_runs;
	uint64_t longest;
	uint64_t longest_lba;
	uint64_t fill[SPACE_FILL_CLASSES];
	uint64_t watched[N_USES];
	uint64_t candidates;
	uint64_t chosen;
	uint64_t first_chosen;
	struct space_picks greedy;
	bool has_mtime;
	uint64_t newest;
	struct space_picks cost_benefit;
};

uint64_t space_use_end(const struct f2fs_segments *segments, uint64_t blk, uint64_t end, enum use *use);
uint64_t space_section_size(const struct f2fs_state *state);
struct space *space_of(const struct table *table, const struct f2fs_state *states);
uint64_t space_prefree(const struct space *space);
void space_section(const struct space *space, uint64_t section, uint64_t *begin, uint64_t *end);
struct space_file *space_files(const struct volume *v, const struct table *table, uint64_t begin, uint64_t end, size_t *n);
