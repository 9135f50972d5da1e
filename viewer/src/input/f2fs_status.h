/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: F2FS's debugfs file `status`, victim_bits of /proc/fs/f2fs, and the superblock. */
#pragma once

#include "input/f2fs_segments.h"

/* The logs that `status` may name after those of the six types: pinned files, age-based collection. */
#define F2FS_N_LOGS (F2FS_N_TYPES + 2)

/**
 * struct f2fs_status - what `status` has about one volume
 * @segments: of the main area; 0: nothing is known
 * @sections: of the main area
 * @zones: of the main area
 * @heads: the segment where each log writes: those of enum f2fs_type, pinned files, age-based
 *	collection; -1: none
 * @next: the block in that segment that each log writes next; -1: not known (before Linux 7)
 * @dirty: segments that are valid in part, and where no log writes
 * @prefree: segments without valid blocks that become free with the next checkpoint
 * @free: free segments
 * @reserved: segments that only garbage collection may use
 * @nodes: valid node blocks
 * @data: valid data blocks, also those that are only reserved
 */
struct f2fs_status {
	uint64_t segments;
	uint64_t sections;
	uint64_t zones;
	int64_t heads[F2FS_N_LOGS];
	int64_t next[F2FS_N_LOGS];
	uint64_t dirty;
	uint64_t prefree;
	uint64_t free;
	uint64_t reserved;
	uint64_t nodes;
	uint64_t data;
};

/**
 * struct f2fs_victims - the sections that background collection has chosen, from victim_bits
 * @n: number of sections; 0: not known
 * @chosen: by section
 */
struct f2fs_victims {
	size_t n;
	bool *chosen;
};

/* Of the superblock: so many devices, and letters of a path. */
#define F2FS_MAX_DEVICES 8
#define F2FS_DEVICE_PATH 64

/**
 * struct f2fs_super_device - a device of a volume that has several
 * @path: as mkfs.f2fs was given it
 * @segments: its segments; the first device has what comes before them, too
 */
struct f2fs_super_device {
	char path[F2FS_DEVICE_PATH + 1];
	uint32_t segments;
};

/**
 * struct f2fs_super - the sizes in a superblock
 * @segs_per_sec: segments in a section; 0: not known
 * @secs_per_zone: sections in a zone
 * @main_segments: segments of the main area
 * @main_blkaddr: its first block
 * @segment0_blkaddr: the first block of all segments
 * @is_zoned: it is on a zoned device
 * @devices: where it has several
 * @n_devices: number of @devices; 0: it has one
 */
struct f2fs_super {
	uint32_t segs_per_sec;
	uint32_t secs_per_zone;
	uint32_t main_segments;
	uint32_t main_blkaddr;
	uint32_t segment0_blkaddr;
	bool is_zoned;
	struct f2fs_super_device devices[F2FS_MAX_DEVICES];
	size_t n_devices;
};

char *f2fs_status_read(struct f2fs_status *status, FILE *file, const char *name, const char *dev,
		       uint64_t segments);
char *f2fs_victims_read(struct f2fs_victims *victims, FILE *file, const char *name);
char *f2fs_super_read(struct f2fs_super *super, FILE *file, const char *name, uint32_t blk_bytes);
struct f2fs_super f2fs_super_of(const char *device, uint32_t blk_bytes);
