/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: parse the command line. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf.h"
#include "input/moment.h"
#include "model/color.h"
#include "model/lens.h"
#include "output/condition.h"
#include "output/export.h"
#include "output/serve.h"

#define N_IMG_OPTIONS 5
#define MAX_COLOR_CONFS 16
#define MAX_CONDITIONS 16

/**
 * struct options - the parsed command line
 * @table: the text to read; "-" is standard input
 * @png: the picture to draw, or NULL: none; "-" is standard output
 * @says_picture: say that it is written
 * @at: the moment of a recording; its end by default
 * @has_at: @at was given
 * @record: folder for snapshots, or NULL
 * @events: keep the events between them, too
 * @keep_bytes: the oldest of @record goes when the folder is larger than this; 0: no limit
 * @keep_ms: what is older than this goes; 0: no limit
 * @html: page to write, or NULL; "-" is standard output
 * @json: file for all records as JSON, or NULL; "-" is standard output
 * @csv: file for all records as CSV, or NULL; "-" is standard output
 * @list: what @json and @csv list
 * @prometheus: file for metrics, or NULL; "-" is standard output
 * @serve: serve the page over HTTP
 * @serve_at: where, if @serve
 * @filter: files that @top shows, or NULL: all
 * @conditions: the program fails if one of these holds
 * @n_conditions: number of @conditions
 * @top: show the worst files instead of a picture
 * @why: explain why files are fragmented instead of drawing a picture
 * @why_file: the file for @why; NULL: all files, by extension
 * @block: the block whose owner is printed instead of a picture
 * @has_block: @block was given
 * @space: print the free space of volumes instead of a picture
 * @f2fs_state: folder with F2FS's own state, or NULL
 * @volume: the only volume that is shown: its mount point or device number; NULL: all
 * @lens: which blocks and files are drawn
 * @file: draw this file alone, in a picture of its own; NULL: draw blocks
 * @color_by: name of the colour source
 * @needs_heat: a picture or a page shows the counts of reads
 * @heat: these counts; NULL: those of the recording
 * @color_conf: arguments of -c
 * @n_color_confs: number of @color_conf
 * @img_conf: argument of -i, or NULL
 * @img_keys: values of options that are also keys of img.cnf, or NULL; see options_read_img()
 * @interval_ns: from one reading to the next; 0: read once only
 * @count: number of readings if there is an interval; 0: no end
 */
struct options {
	const char *table;
	const char *png;
	bool says_picture;
	struct moment at;
	bool has_at;
	const char *record;
	bool events;
	uint64_t keep_bytes;
	int64_t keep_ms;
	const char *volume;
	struct lens lens;
	const char *file;
	const char *color_by;
	bool needs_heat;
	char *heat;
	const char *color_conf[MAX_COLOR_CONFS];
	size_t n_color_confs;
	const char *img_conf;
	const char *img_keys[N_IMG_OPTIONS];
	const char *html;
	const char *json;
	const char *csv;
	enum export_list list;
	const char *prometheus;
	bool serve;
	struct serve_address serve_at;
	const char *filter;
	struct condition conditions[MAX_CONDITIONS];
	size_t n_conditions;
	bool top;
	bool why;
	const char *why_file;
	uint64_t block;
	bool has_block;
	bool space;
	const char *f2fs_state;
	int64_t interval_ns;
	unsigned long count;
};

void options_read(struct options *options, int argc, char **argv);
void options_free(struct options *options);
void options_read_colors(const struct options *options, struct colors *colors);
void options_read_img(const struct options *options, struct img_conf *img);

#endif
