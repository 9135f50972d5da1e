/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the table that a served page shows, and answers to what the page asks about it. */
#pragma once

#include "input/f2fs_state.h"
#include "input/zones.h"
#include "model/color.h"
#include "model/lens.h"
#include "model/runs.h"
#include "output/json.h"

/* The limits of one answer. */
#define SERVE_MAX_CELLS 16384
#define SERVE_MAX_FILES 1000
#define SERVE_MAX_PIECES 12
#define SERVE_MAX_FRAGMENTS 1000

/**
 * enum serve_sort - the order of a list of files
 * @SORT_EXTRA: by extra requests, the order of figures_worst()
 * @SORT_PATH: by path
 * @SORT_FRAGMENTS: by fragments
 * @SORT_SPLIT: by split factor
 * @SORT_BLOCKS: by blocks
 * @SORT_CHANGE: by extra requests that a file has more than at another moment
 * @N_SORTS: number of orders
 */
enum serve_sort {
	SORT_EXTRA,
	SORT_PATH,
	SORT_FRAGMENTS,
	SORT_SPLIT,
	SORT_BLOCKS,
	SORT_CHANGE,
	N_SORTS,
};

extern const char *const serve_sorts[N_SORTS];

#define N_COLORINGS 7
#define N_PLAIN_COLORINGS 3

extern const char *const serve_colorings[N_COLORINGS];

/**
 * struct serve_view - a table, and what is computed from it once
 * @table: the table
 * @selection: of files, if @has_selection
 * @has_selection: some files are left out
 * @states: what F2FS knows, or NULL
 * @zones: by volume, of the same time, or NULL
 * @discards: of a recording, what was discarded, see serve_recording_discards()
 * @state_ms: of a recording, when F2FS knew that, in ms since 1970
 * @heat_ms: of a recording, when what is read had been counted; 0: its counts are not shown
 * @runs: its runs
 * @colors: the rules, as they were when it was filled
 * @own_coloring: name of the colour source that --color-by names
 * @lens: what is shown
 * @name: of the table, for messages
 * @shades: by index into table.files, its shade in the list
 * @first_blks: by index into table.files, its first block address; BLK_MAX if it has none
 * @generation: counts the tables that the server has shown
 * @interval_ns: from one table to the next; 0: there is only one
 * @has_moments: there are tables of other moments, see serve_recording.c
 */
struct serve_view {
	struct table table;
	struct selection selection;
	bool has_selection;
	struct f2fs_state *states;
	struct zones *zones;
	struct text discards;
	int64_t state_ms;
	int64_t heat_ms;
	struct runs runs;
	struct colors colors;
	const char *own_coloring;
	const struct lens *lens;
	const char *name;
	uint8_t *shades;
	uint32_t *first_blks;
	uint64_t generation;
	int64_t interval_ns;
	bool has_moments;
};

/**
 * struct serve_cells - a request for cells
 * @part: index of the part of a volume
 * @first: first block address, within the part
 * @per: blocks in a cell, at least 1
 * @n: number of cells, 1 to SERVE_MAX_CELLS
 * @lit: index into table.files of a file whose cells are asked for, or NO_LIT
 * @before: the table of another moment, to ask for cells that have changed since; NULL: none
 */
struct serve_cells {
	size_t part;
	uint64_t first;
	uint64_t per;
	uint64_t n;
	size_t lit;
	const struct serve_view *before;
};

#define NO_LIT SIZE_MAX

/**
 * struct range_piece - a piece of a range: blocks of one extent, or of one use that no watched file has
 * @lba: first block address
 * @blks: number of blocks
 * @extent: index of the extent, or NO_EXTENT
 * @shade: its shade, see struct colors
 */
struct range_piece {
	uint64_t lba;
	uint64_t blks;
	size_t extent;
	uint8_t shade;
};

typedef void (*range_fn)(void *arg, const struct range_piece *piece);

/**
 * struct serve_list - a request for files
 * @sort: their order
 * @is_down: the largest first
 * @find: only paths that have this text or match this glob, or NULL
 * @folder: only files below this folder, and those of each folder in it as one; its path ends with a slash; NULL: all
 * @from: index of the first one
 * @n: how many at most
 * @only: index into table.files of the only file that is asked for, or NO_LIT
 * @before: the table of another moment, to ask for what has changed since; NULL: none
 */
struct serve_list {
	enum serve_sort sort;
	bool is_down;
	const char *find;
	const char *folder;
	size_t from;
	size_t n;
	size_t only;
	const struct serve_view *before;
};

void serve_view_fill(struct serve_view *view, struct table *table, struct f2fs_state *states, const struct lens *lens,
		     struct colors *colors, const char *name);
void serve_view_color(struct serve_view *view, struct colors *colors);
void serve_view_free(struct serve_view *view);

void serve_view_walk(const struct serve_view *view, size_t part, uint64_t first, uint64_t end, range_fn fn, void *arg);

void serve_put_table(struct json *json, const void *view);
void serve_put_cells(struct json *json, const struct serve_view *view, const struct serve_cells *cells);
void serve_put_blocks(struct json *json, const struct serve_view *view, size_t part, uint64_t first, uint64_t end);
void serve_put_fragments(struct json *json, const struct serve_view *view, size_t which, size_t first);
void serve_put_files(struct json *json, const struct serve_view *view, const struct serve_list *list);
