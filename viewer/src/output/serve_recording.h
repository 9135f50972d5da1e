/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: what a server reads of a recording. */
#pragma once

#include <stddef.h>

#include "input/f2fs_state.h"
#include "input/heat.h"
#include "input/moment.h"
#include "input/table.h"
#include "model/lens.h"

/* The limit of one answer. */
#define SERVE_MAX_SNAPSHOTS 1000

/* Points of a curve over the whole recording, about. */
#define SERVE_CURVE_POINTS 1024

/**
 * struct serve_recording - a recording that is served
 * @dir: its folder
 * @lens: what is shown
 * @volume: the only volume that is shown; NULL: all
 * @has_state: another state of F2FS is shown, not that of the recording
 */
struct serve_recording {
	const char *dir;
	const struct lens *lens;
	const char *volume;
	bool has_state;
};

char *serve_recording_read(const struct serve_recording *recording, const struct moment *moment, struct table *table,
			   struct f2fs_state **states, int64_t *state_ms, char **dir);
char *serve_recording_heat(const struct serve_recording *recording, const struct moment *moment, struct heat *heat,
			   int64_t *time_ms);
void serve_recording_discards(const struct serve_recording *recording, const struct moment *moment, struct text *text);
char *serve_recording_spans(const struct serve_recording *recording, size_t first, struct text *json);
char *serve_recording_curve(const struct serve_recording *recording, size_t first, struct text *json);
