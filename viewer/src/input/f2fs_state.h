/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: what F2FS itself knows about the volumes of a table, from /proc, /sys and the superblock. */
#pragma once

#include "input/f2fs_segments.h"
#include "input/f2fs_status.h"
#include "input/table.h"

#define F2FS_MAX_NOTES 8

/* The kernel makes the text of segment_bits as a whole: 14 MB for so many segments, which are 128 GiB. */
#define F2FS_MAX_UNASKED_SEGMENTS 65536
/* That of segment_info is half as large for so many segments, which are 2 TiB. */
#define F2FS_MAX_COPIED_SEGMENTS (16 * F2FS_MAX_UNASKED_SEGMENTS)

/* The end of the name of a folder with F2FS's state, beside the snapshot of that time. */
#define F2FS_STATE_SUFFIX ".f2fs"

/**
 * struct f2fs_state - F2FS's own state of one volume
 * @segments: its segments; none where nothing is known
 * @status: from debugfs; its @segments is 0 if it is not known
 * @victims: from victim_bits; none if it is not known
 * @super: from the superblock; its @segs_per_sec is 0 if it is not known
 * @is_lfs: its logs never write into holes of dirty segments: mode=lfs, which zoned devices have
 * @is_atgc: it was mounted with atgc
 * @sysfs_free: free segments, from sysfs; UINT64_MAX if it is not known
 * @unusable: blocks at the end of each section that cannot be written, since zones have less capacity than size: from sysfs
 * @notes: files that are missing, and what is not known without them
 * @n_notes: number of @notes
 */
struct f2fs_state {
	struct f2fs_segments segments;
	struct f2fs_status status;
	struct f2fs_victims victims;
	struct f2fs_super super;
	bool is_lfs;
	bool is_atgc;
	uint64_t sysfs_free;
	uint64_t unusable;
	char *notes[F2FS_MAX_NOTES];
	size_t n_notes;
};

void f2fs_modes_take(struct table *table, const struct f2fs_state *states);
char *f2fs_modes_read(struct table *table, const char *dir);
struct f2fs_state *f2fs_states_read(const struct table *table, const char *dir, char **trouble);
void f2fs_states_copy(const struct table *table, const char *dir);
FILE *f2fs_state_open(const struct table *table, const struct volume *v, const char *dir, const char *name);
char *f2fs_device_name(const struct volume *v);
void f2fs_states_free(struct f2fs_state *states, size_t n);
