/* SPDX-License-Identifier: GPL-2.0-only */
/* Before the pipeline: a folder that fragtrace record wrote -> the snapshot of a moment. */
#pragma once

#include "input/moment.h"
#include "input/replay.h"
#include "util.h"

#define RECORDING_PREFIX "fragtrace-"

/**
 * struct recorded - a snapshot of a recording, and the events after it
 * @time_ms: when it was complete
 * @snapshot: its path; NULL in a list of what is not read
 * @events: the path of the events, or NULL
 * @state: the folder with F2FS's own state of that time, or NULL
 */
struct recorded {
	int64_t time_ms;
	char *snapshot;
	char *events;
	char *state;
};

/**
 * struct recording - a recording
 * @dir: its folder
 * @list: by time
 * @n: number of @list
 */
struct recording {
	const char *dir;
	struct recorded *list;
	size_t n;
};

/**
 * struct span - for which moments a table can be rebuilt from one snapshot and the events after it
 * @first_ns: the first moment: that of the snapshot
 * @last_ns: the last moment, at most that before the next snapshot
 * @next_ns: the next moment that can be rebuilt, that of the next snapshot; UINT64_MAX: none
 * @n_lost: how many events were lost after @last_ns; 0: not known, or none
 * @has_gap: what happened from @last_ns to @next_ns is not known
 */
struct span {
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t next_ns;
	uint32_t n_lost;
	bool has_gap;
};

int64_t recorded_time_of(const char *name, const char **suffix);
int64_t recorded_snapshot_time(const char *name, const char **suffix);
bool recording_is(const char *path);
bool recording_has_any(const char *dir);
void recording_open(struct recording *recording, const char *dir);
void recording_read(const struct recording *recording, const struct moment *moment, struct text *text);
char *recording_snapshot(const char *dir, const struct moment *moment);
const struct recorded *recording_before(const struct recording *recording, const struct moment *moment);
void recording_span(const struct recording *recording, size_t i, struct span *span);
void recording_follow(const struct recording *recording, size_t i, struct span *span, const struct replay_follower *follower);
char *recorded_counts(const char *path, const char *name);
char *recorded_state(const char *path);
void recording_close(struct recording *recording);
