/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the debugfs file `discards`, what F2FS discards and resets, and what waits for that. */
#pragma once

#include "util.h"

/* What is counted apart. */
enum discard_op { DISCARDS, RESETS, N_DISCARD_OPS };

/**
 * struct discard_sums - of discards or of resets
 * @queued: ranges that F2FS has queued
 * @queued_blks: their blocks
 * @commands: what it has begun to issue
 * @issued: requests that the device got
 * @blks: their blocks
 * @ended: those that have ended, and were timed
 * @failed: of these, with an error
 * @took_us: how long the device took for them
 * @worst_us: for one of them, at most
 * @lost: those that were not timed
 */
struct discard_sums {
	uint64_t queued, queued_blks, commands, issued, blks, ended, failed, took_us, worst_us, lost;
};

/**
 * struct discard_thread - who issues
 * @issued: requests, by enum discard_op
 * @blks: their blocks
 * @comm: its name
 * @is_rest: it stands for all others
 */
struct discard_thread {
	uint64_t issued[N_DISCARD_OPS], blks[N_DISCARD_OPS];
	const char *comm;
	bool is_rest;
};

/**
 * struct discard_volume - a volume
 * @major: device number
 * @minor: device number
 * @commands: in F2FS's queue
 * @pending: blocks of these
 * @on_device: of these, issued and not ended
 * @since_ms: for how long the queue has not been empty
 * @waited_ms: of each block, how long it was in the queue before it was issued, together
 * @left: blocks that left it without being issued
 * @removed: commands that F2FS has removed from it
 * @sums: by enum discard_op
 * @threads: who issued
 * @n: how many
 */
struct discard_volume {
	unsigned int major, minor;
	uint64_t commands, pending, on_device, since_ms, waited_ms, left, removed;
	struct discard_sums sums[N_DISCARD_OPS];
	struct discard_thread *threads;
	size_t n;
	/* private: */
	size_t cap;
};

/**
 * struct discards - the content of `discards`
 * @volumes: in the order of the file
 * @n: how many
 * @blk_bytes: size of a block
 */
struct discards {
	struct discard_volume *volumes;
	size_t n;
	uint64_t blk_bytes;
	/* private: */
	size_t cap;
	struct text text;
};

void discards_read(struct discards *discards, const char *name);
struct discard_volume *discards_of(const struct discards *discards, unsigned int major, unsigned int minor);
void discards_since(struct discards *discards, const struct discards *first);
void discards_free(struct discards *discards);
