/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: what a command that reads a table has from one reading to the next. */
#pragma once

#include "commands.h"
#include "conf.h"
#include "input/f2fs_source.h"
#include "input/heat.h"
#include "input/source.h"
#include "model/color.h"
#include "options.h"
#include "output/record.h"
#include "output/serve.h"

/**
 * struct session - state that lasts from one reading to the next
 * @options: the command line
 * @command: the command
 * @lba: the block that is asked for
 * @needs_heat: colours or columns need the counts of reads
 * @heat_path: the file with them; NULL: a recording has those of each of its snapshots
 * @snapshot: the snapshot of a recording that is the table, or NULL
 * @recorded_state: the folder with F2FS's state that was recorded with the table; NULL: none, or another one is named
 * @source: where the table is
 * @state: where F2FS's own state is
 * @states: F2FS's own state, by volume, or NULL
 * @recorder: what keeps tables
 * @server: what serves them
 * @colors: the colours
 * @heat: the counts of reads
 * @img: sizes of pictures
 * @trouble_was_said: so that it is said once; and likewise the next three
 * @picture_was_said: where the picture is
 * @nothing_was_said: that no file matches
 * @heat_was_read: there were counts of reads before
 * @heat_was_missed: it was said that they are gone
 */
struct session {
	struct options options;
	const struct command *command;
	uint64_t lba;
	bool needs_heat;
	char *heat_path;
	char *snapshot;
	char *recorded_state;
	struct source source;
	struct f2fs_source state;
	struct f2fs_state *states;
	struct recorder recorder;
	struct server server;
	struct colors colors;
	struct heat heat;
	struct img_conf img;
	bool trouble_was_said;
	bool picture_was_said;
	bool nothing_was_said;
	bool heat_was_read;
	bool heat_was_missed;
};

/* The counts of reads are those that a recording has. */
static inline bool session_has_heat(const struct session *s)
{
	return s->needs_heat && !s->heat_path;
}

int64_t session_next_reading(int64_t last_ns, int64_t interval_ns);
bool session_read_once(struct session *s);
void session_take_snapshot(struct session *s);

/* session_draw.c */
void session_begin_drawing(struct session *s);
void session_show(struct session *s, struct serve_view *view, struct table *table, struct f2fs_state *states);
void session_use_file(struct session *s, struct table *table);
void session_use_view(struct session *s, struct table *table);

/* session_serve.c */
void session_use_serve(struct session *s, struct table *table);
void session_run_serve(struct session *s);
