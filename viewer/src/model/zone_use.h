/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: what F2FS has in a zone, and where that differs from what the device says of it. */
#pragma once

#include "input/zones.h"
#include "model/space.h"

/**
 * enum zone_stay - why F2FS would not collect a zone
 * @ZONE_COLLECTED: it would
 * @ZONE_OUTSIDE: it is outside of the main area
 * @ZONE_SECTIONS: F2FS collects sections, and the zone is not one: so are devices without zones
 * @ZONE_DEAD: it is offline or read-only
 * @ZONE_UNKNOWN: whether a log is in it is not known
 * @ZONE_HAS_LOG: a log is in it
 * @ZONE_NO_VALID: no block is valid; a zone that was written is reset without being collected
 * @ZONE_ALL_VALID: all blocks that can be written are valid
 * @N_ZONE_STAYS: number of values
 */
enum zone_stay {
	ZONE_COLLECTED,
	ZONE_OUTSIDE,
	ZONE_SECTIONS,
	ZONE_DEAD,
	ZONE_UNKNOWN,
	ZONE_HAS_LOG,
	ZONE_NO_VALID,
	ZONE_ALL_VALID,
	N_ZONE_STAYS,
};

/**
 * struct zone_use - what F2FS has in a zone
 * @begin: first block of the zone in the main area
 * @end: the end of these blocks; @begin: the zone is outside of the main area
 * @valid: valid blocks, by the type of their segment
 * @all: the sum of @valid
 * @unwritten: valid blocks at or after the write pointer
 * @logs: by log, whether it is in the zone
 * @n_logs: how many are
 * @next: by log, the block that it writes next; UINT64_MAX: not known, or not in the zone
 * @is_chosen: background collection has chosen it
 * @stay: why it would not be collected
 * @gain: if it would, the blocks that can be written in it after that, less those that have to be moved
 * @age_s: how much older its data is than the newest segment of the volume, by F2FS's clock in seconds; UINT64_MAX: not known
 */
struct zone_use {
	uint64_t begin;
	uint64_t end;
	uint64_t valid[F2FS_N_TYPES];
	uint64_t all;
	uint64_t unwritten;
	bool logs[F2FS_N_LOGS];
	size_t n_logs;
	uint64_t next[F2FS_N_LOGS];
	bool is_chosen;
	enum zone_stay stay;
	uint64_t gain;
	uint64_t age_s;
};

/**
 * enum zone_flaw - how F2FS and the device differ
 * @ZONE_AGREES: they do not
 * @ZONE_CHANGED: the zone has changed while both were read, so it is not compared
 * @ZONE_LOST: it is offline or read-only
 * @ZONE_BEHIND: the write pointer is behind the log
 * @ZONE_AHEAD: the write pointer is ahead of the log
 * @ZONE_UNWRITTEN: there are valid blocks at or after the write pointer
 * @ZONE_NOT_RESET: no block is valid, no log is in it, and it is not empty
 * @ZONE_LEFT: it is written in part, and no log is in it
 * @N_ZONE_FLAWS: number of values
 */
enum zone_flaw {
	ZONE_AGREES,
	ZONE_CHANGED,
	ZONE_LOST,
	ZONE_BEHIND,
	ZONE_AHEAD,
	ZONE_UNWRITTEN,
	ZONE_NOT_RESET,
	ZONE_LEFT,
	N_ZONE_FLAWS,
};

/**
 * struct zone_finding - a difference
 * @flaw: what it is
 * @blks: by how many blocks; 0 where that has no meaning
 * @log: whose log, of those that are about one
 */
struct zone_finding {
	enum zone_flaw flaw;
	uint64_t blks;
	size_t log;
};

/**
 * enum zone_limit - which limit of a device is reached
 * @ZONE_NO_LIMIT: none
 * @ZONE_MAX_OPEN: that of open zones
 * @ZONE_MAX_ACTIVE: that of zones that are open or closed, which says more
 * @N_ZONE_LIMITS: number of values
 */
enum zone_limit {
	ZONE_NO_LIMIT,
	ZONE_MAX_OPEN,
	ZONE_MAX_ACTIVE,
	N_ZONE_LIMITS,
};

/**
 * struct zone_opens - the open zones of a device, also those that are not in the volume
 * @open: how many are open
 * @active: how many are open or closed
 * @idle: how many of those that count for the limit are in the volume without a log in them; UINT64_MAX: not known
 * @limit: which limit is reached
 */
struct zone_opens {
	uint64_t open;
	uint64_t active;
	uint64_t idle;
	enum zone_limit limit;
};

const char *zone_condition_name(size_t condition);
const char *zone_flaw_key(enum zone_flaw flaw);
/* Room for the number of a device and a zone. */
#define ZONE_NAME_MAX 48

const struct zone *zone_at(const struct zones *zones, uint64_t lba, char name[static ZONE_NAME_MAX]);
void zone_use_of(struct zone_use *use, const struct space *space, const struct zone *zone);
void zone_opens_of(struct zone_opens *opens, const struct space *space, const struct zone_device *d);
struct zone_finding zone_find(const struct zone_use *use, const struct space *space, const struct zone *zone);
