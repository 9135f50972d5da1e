/* SPDX-License-Identifier: GPL-2.0-only */
/* Before the pipeline: a snapshot and the events after it -> the snapshot of a later moment. */
#pragma once

#include "input/events.h"
#include "util.h"

struct replay_state;

/**
 * struct replay_follower - what goes through the events of a recording, see replay_state.h
 * @begin: called with the files of the snapshot; or NULL
 * @event: called with each event, which it has to apply
 * @end: called after the last one, when names are known; or NULL
 * @arg: for these
 */
struct replay_follower {
	void (*begin)(void *arg, const struct replay_state *s);
	void (*event)(void *arg, struct replay_state *s, const struct event *e);
	void (*end)(void *arg, const struct replay_state *s);
	void *arg;
};

void replay_follow(struct text *snapshot, const char *name, const struct events *events, uint64_t until_ns,
		   struct text *next, const char *next_name, const struct replay_follower *follower);
void replay(struct text *snapshot, const char *name, const struct events *events, uint64_t at_ns, struct text *next,
	    const char *next_name);
