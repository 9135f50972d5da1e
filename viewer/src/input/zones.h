/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the zones of the devices of a volume, as the block layer reports them. */
#pragma once

#include "input/f2fs_status.h"
#include "input/table.h"
#include "util.h"

/**
 * enum zone_condition - what the device says of a zone: the numbers of enum blk_zone_cond
 * @ZONE_CONVENTIONAL: it is written anywhere, and has no write pointer; so is a whole device without zones
 * @ZONE_EMPTY: nothing is written in it
 * @ZONE_OPEN_IMPLICITLY: a write has opened it
 * @ZONE_OPEN: a command has opened it
 * @ZONE_CLOSED: it is written in part, and takes no resource of an open one
 * @ZONE_READ_ONLY: it cannot be written any more
 * @ZONE_FULL: it cannot be written before it is reset
 * @ZONE_OFFLINE: it can be neither read nor written
 * @N_ZONE_CONDITIONS: the end of these numbers
 */
enum zone_condition {
	ZONE_CONVENTIONAL = 0,
	ZONE_EMPTY = 1,
	ZONE_OPEN_IMPLICITLY = 2,
	ZONE_OPEN = 3,
	ZONE_CLOSED = 4,
	ZONE_READ_ONLY = 13,
	ZONE_FULL = 14,
	ZONE_OFFLINE = 15,
	N_ZONE_CONDITIONS,
};

/**
 * struct zone - a zone, or a whole device that has none
 * @lba: its first block, counted over all devices of the volume
 * @blks: its size
 * @capacity: how many of its blocks, from the first one on, can be written
 * @pointer: the block that the device writes next; only of conditions with zone_has_pointer()
 * @condition: enum zone_condition
 * @has_changed: it was another one when F2FS's state began to be read, now or when it was recorded
 */
struct zone {
	uint64_t lba;
	uint64_t blks;
	uint64_t capacity;
	uint64_t pointer;
	uint8_t condition;
	bool has_changed;
};

/**
 * struct zone_device - a device of a volume
 * @name: its path
 * @blk_sectors: sectors of a block
 * @lba: its first block, counted over all devices
 * @end: the end of its blocks
 * @is_zoned: it has zones
 * @zones: those of the volume, then those after its end; if it has none, the device is one
 * @n: number of @zones in the volume
 * @n_outside: number of those after its end
 * @cap: for how many @zones has room
 * @max_open: how many zones may be open; 0: no limit; UINT64_MAX: not known
 * @max_active: how many may be open or closed, likewise
 */
struct zone_device {
	char *name;
	uint64_t blk_sectors;
	uint64_t lba;
	uint64_t end;
	bool is_zoned;
	struct zone *zones;
	size_t n;
	size_t n_outside;
	size_t cap;
	uint64_t max_open;
	uint64_t max_active;
};

/**
 * struct zones - the devices of a volume
 * @devices: in the order of block addresses
 * @n: number of @devices
 */
struct zones {
	struct zone_device devices[F2FS_MAX_DEVICES];
	size_t n;
};

static inline bool zone_has_pointer(const struct zone *zone)
{
	return (zone->condition >= ZONE_EMPTY && zone->condition <= ZONE_CLOSED) || zone->condition == ZONE_FULL;
}

/* By what the block layer says; all that are conventional are written in the same way. */
static inline uint8_t zone_condition(uint8_t type, uint8_t condition)
{
	enum { CONVENTIONAL = 1 };

	return type == CONVENTIONAL ? ZONE_CONVENTIONAL : condition;
}

void zones_add(struct zone_device *d, const struct zone *zone);
char *zones_ask(struct zone_device *d);
bool zones_any(const struct zones *zones);
char *zones_read_volume(struct zones *zones, const struct table *table, const struct volume *v, const char *dir);
struct zones *zones_read(const struct table *table, const char *dir, bool all_or_none);
void zones_compare(struct zones *zones, const struct zones *earlier, size_t n);

/* What was read is released also where nothing can be read, as in a page that opens files. */
static inline void zones_clear(struct zones *zones)
{
	while (zones->n) {
		struct zone_device *d = &zones->devices[--zones->n];

		free(d->name);
		free(d->zones);
	}
}

static inline void zones_free(struct zones *zones, size_t n)
{
	size_t i;

	for (i = 0; zones && i < n; i++)
		zones_clear(&zones[i]);
	free(zones);
}
