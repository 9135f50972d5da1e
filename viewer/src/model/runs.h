/* SPDX-License-Identifier: GPL-2.0-only */
/* Second step of the pipeline: extents -> the runs of a volume, and totals. */
#pragma once

#include "input/figures.h"
#include "input/table.h"
#include "model/color.h"
#include "model/lens.h"
#include "model/space.h"

/* run.first of blocks that belong to no watched file */
#define NO_EXTENT SIZE_MAX

/**
 * struct run - adjacent blocks of one shade: a fragment, a part of one where its colours change, free space, or what
 *	is not watched
 * @first: index of its first extent, or NO_EXTENT where no watched file has them
 * @n: number of its extents; they are contiguous in the table
 * @lba: first block address
 * @blks: length, at least 1
 * @shade: see struct colors, or SHADE_FREE, SHADE_OTHER, SHADE_NODES, SHADE_LEFT_OUT
 */
struct run {
	size_t first;
	size_t n;
	uint64_t lba;
	uint64_t blks;
	uint8_t shade;
};

/**
 * struct gap - a free run
 * @part: index of its part
 * @lba: first block address
 * @blks: length
 */
struct gap {
	size_t part;
	uint64_t lba;
	uint64_t blks;
};

/**
 * struct near - the blocks of an extent that are near a break, at most those of a fragment without a pale part
 * @first: number of its first blocks
 * @last: number of its last blocks
 */
struct near {
	uint8_t first;
	uint8_t last;
};

/**
 * struct runs - all runs of a table, and totals
 * @table: the table, with all its blocks; only files that are drawn
 * @colors: the rules
 * @lens: what is drawn
 * @selection: if files are left out, where these are; NULL: none are
 * @parts: the blocks that are drawn; numbers of volumes in pictures are indices into it
 * @n_parts: number of @parts
 * @states: by volume, what F2FS knows of all blocks; NULL: not read
 * @zones: by volume, the zones of its devices, set by the caller; NULL: not read
 * @shades: by extent, its shade; where colours change within a fragment, see runs_shade()
 * @near: by extent, which of its blocks are near a break; NULL: the source does not ask
 * @starts: by extent, enum start
 * @counts: by rule, of all blocks
 * @total: of all files and blocks
 * @drawn: as @counts, but of what is drawn: files with a block there, fragments that have one there
 * @drawn_total: of all files that have a block drawn
 * @figures: by file
 * @sum: of @figures
 * @free_blks: blocks that belong to no watched file and, where F2FS's state was read, are not valid
 * @free_gaps: number of free runs
 * @free_longest: blocks in the longest free run
 * @gaps: the free runs that have room for a segment of the first volume, by part and LBA
 * @n_gaps: number of @gaps
 * @other_blks: valid blocks of data that belong to no watched file; 0 where F2FS's state was not read
 * @node_blks: valid blocks of nodes, likewise
 * @left_out_blks: blocks of files that are left out
 *
 * Free and other blocks are those that are drawn.
 */
struct runs {
	const struct table *table;
	const struct colors *colors;
	const struct lens *lens;
	const struct selection *selection;
	struct part *parts;
	size_t n_parts;
	const struct f2fs_state *states;
	const struct zones *zones;
	uint8_t *shades;
	struct near *near;
	uint8_t *starts;
	struct count counts[MAX_RULES];
	struct count total;
	struct count drawn[MAX_RULES];
	struct count drawn_total;
	struct figures *figures;
	struct figures sum;
	uint64_t free_blks;
	uint64_t free_gaps;
	uint64_t free_longest;
	struct gap *gaps;
	size_t n_gaps;
	uint64_t other_blks;
	uint64_t node_blks;
	uint64_t left_out_blks;
	/* private: */
	size_t cap_gaps;
};

/**
 * struct run_walk - a position in the runs of a part of a volume
 * @runs: the runs
 * @volume: the volume
 * @end_blk: where the walk ends
 * @has_ranges: shades change within fragments
 * @segments: with the bits of its valid blocks; NULL: not known
 * @next: the next extent
 * @lba: the next block address
 * @other: the next stretch of files that are left out
 * @end_other: their end
 */
struct run_walk {
	const struct runs *runs;
	const struct volume *volume;
	uint64_t end_blk;
	bool has_ranges;
	const struct f2fs_segments *segments;
	size_t next;
	uint64_t lba;
	const struct stretch *other;
	const struct stretch *end_other;
};

void runs_build(struct runs *runs, const struct table *table, const struct selection *selection,
		const struct colors *colors, const struct f2fs_state *states);
void runs_color_all(struct runs *runs);
void runs_narrow(struct runs *runs, const struct lens *lens, const struct colors *colors, const char *name);
void runs_free(struct runs *runs);

struct run_walk runs_walk(const struct runs *runs, size_t part);
const struct volume *runs_volume(const struct runs *runs, size_t part);
bool runs_next(struct run_walk *walk, struct run *run);
uint8_t runs_shade(const struct runs *runs, size_t extent, uint64_t blk, uint64_t *end);
