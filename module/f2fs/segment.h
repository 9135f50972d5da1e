/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * F2FS's own information on the segments of a volume.
 */
#ifndef FT_SEGMENT_H
#define FT_SEGMENT_H

#include <linux/types.h>

#include "core/volume.h"

/* Results of ft_segment_compare(), besides the number of a log. */
#define FT_OTHER_LOG	0x100
#define FT_FILLS_HOLES	0x200

int ft_segment_log(const struct ft_volume *vol, u32 lba);
int ft_segment_compare(const struct ft_volume *vol, u32 prev, u32 lba);
bool ft_segment_is_valid(const struct ft_volume *vol, u32 lba);
u32 ft_segments_valid(const struct ft_volume *vol, u32 first, u32 segments, u64 *mtime);

/* The number of the segment that a block is in, counted from the main area. */
static inline u32 ft_segment_of(const struct ft_volume *vol, u32 lba)
{
	return (lba - vol->main_blkaddr) / vol->segment_blocks;
}

/* The offset of a block in its segment, whose size is a power of two. */
static inline u32 ft_segment_offset(const struct ft_volume *vol, u32 lba)
{
	return (lba - vol->main_blkaddr) & (vol->segment_blocks - 1);
}

/* The first block of the segment that a block is in. */
static inline u32 ft_segment_begin(const struct ft_volume *vol, u32 lba)
{
	return lba - ft_segment_offset(vol, lba);
}

#endif
