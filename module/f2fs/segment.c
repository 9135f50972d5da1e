// SPDX-License-Identifier: GPL-2.0-only
/*
 * F2FS's own information on the segments of a volume: its tables in memory, read
 * without its locks.
 *
 * In: addresses of blocks. Out: hints why a block was allocated there. The values
 * may change while they are read; no map depends on them. The tables stay at their
 * place from mount to umount.
 *
 * Context of all functions: a probe, with the super block in use by its caller; or
 * the super block held (ft_volume_hold_sb()).
 */

#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "core/bounds.h"
#include "core/volume.h"
#include "f2fs/private.h"
#include "f2fs/segment.h"

/* The log of cold data, and other logs whose segments have that type, too. */
#define LOG_COLD_DATA	2
#define LOG_PINNED	6
#define LOG_ATGC	7

/* The way in which a log allocates: one block after another; else it fills holes. */
#define ALLOC_LFS	0

static unsigned int type_of(const struct seg_entry *entry)
{
	/* F2FS changes the number of valid blocks in the same word */
	return data_race((u32)entry->type);
}

static u32 valid_of(const struct seg_entry *entry)
{
	/* either number is a hint */
	return data_race((u32)entry->valid_blocks);
}

static const struct seg_entry *entry_of(const struct ft_volume *vol, u32 lba)
{
	const struct super_block *sb = READ_ONCE(vol->live_sb);

	if (!sb || lba < vol->main_blkaddr)
		return NULL;
	return ft_f2fs_segment(sb, ft_segment_of(vol, lba));
}

/**
 * ft_segment_log() - the log that a segment belongs or belonged to
 * @vol: the volume
 * @lba: a block in the segment
 *
 * Return: F2FS's number of the log (0: hot, 1: warm, 2: cold data), or -1 if the
 * block is not in the main area, or the volume is going away.
 */
int ft_segment_log(const struct ft_volume *vol, u32 lba)
{
	const struct seg_entry *entry = entry_of(vol, lba);

	return entry ? (int)type_of(entry) : -1;
}

/* Is this log in a segment, and filling its holes? */
static bool log_fills_holes(const struct super_block *sb, unsigned int log, u32 segment)
{
	u32 segno;
	u8 type;

	return ft_f2fs_log(sb, log, &segno, &type) && type != ALLOC_LFS && segno == segment;
}

/**
 * ft_segment_compare() - how do the segments of two blocks differ?
 * @vol: the volume
 * @prev: the block that comes first in the file
 * @lba: the other one, which has just been allocated
 *
 * Return: F2FS's number of the log that the segment of @lba belongs to. In addition
 * %FT_OTHER_LOG if the segment of @prev belongs to another one, %FT_FILLS_HOLES if a
 * log fills holes of the segment of @lba now (SSR, or ATGC's form of it). -1 if @lba
 * is not in the main area, or the volume is going away.
 */
int ft_segment_compare(const struct ft_volume *vol, u32 prev, u32 lba)
{
	const struct super_block *sb = READ_ONCE(vol->live_sb);
	u32 segment = ft_segment_of(vol, lba);
	const struct seg_entry *entry, *before;
	unsigned int log;

	if (!sb || lba < vol->main_blkaddr)
		return -1;
	entry = ft_f2fs_segment(sb, segment);
	if (!entry)
		return -1;
	log = type_of(entry);
	/* what is below the main area is in a segment beyond the last one */
	if (ft_segment_of(vol, prev) != segment) {
		before = ft_f2fs_segment(sb, ft_segment_of(vol, prev));
		if (!before || type_of(before) != log)
			return log | FT_OTHER_LOG;
	}
	if (log_fills_holes(sb, log, segment) ||
	    (log == LOG_COLD_DATA &&
	     (log_fills_holes(sb, LOG_PINNED, segment) || log_fills_holes(sb, LOG_ATGC, segment))))
		return log | FT_FILLS_HOLES;
	return log;
}

/**
 * ft_segment_is_valid() - is a block in use, as F2FS has it now?
 * @vol: the volume
 * @lba: the block
 *
 * Return: true if so; false also if that is not known.
 */
bool ft_segment_is_valid(const struct ft_volume *vol, u32 lba)
{
	const struct seg_entry *entry = entry_of(vol, lba);
	u32 at;

	if (!entry)
		return false;
	at = ft_segment_offset(vol, lba);
	/* F2FS numbers the bits of a byte from the highest one */
	return READ_ONCE(entry->cur_valid_map[at / 8]) & 0x80 >> at % 8;
}

/**
 * ft_segments_valid() - how many blocks of segments are in use
 * @vol: the volume
 * @first: number of the first segment
 * @segments: how many; no more than %FT_GC_SEGMENTS count
 * @mtime: set to the mean of the times at which their blocks were written, as F2FS takes it of a
 *	section; 0 if none is in use; not if %NULL
 *
 * Return: the number of blocks; a segment that is not there has none.
 */
u32 ft_segments_valid(const struct ft_volume *vol, u32 first, u32 segments, u64 *mtime)
{
	const bool weighs = FT_F2FS_MTIME_BY_BLOCKS && segments > 1;
	const struct super_block *sb = READ_ONCE(vol->live_sb);
	const struct seg_entry *entry;
	u32 valid = 0, used, n;
	u64 sum = 0;

	for (n = 0; sb && n < min_t(u32, segments, FT_GC_SEGMENTS); n++) {
		entry = ft_f2fs_segment(sb, first + n);
		used = entry ? valid_of(entry) : 0;
		valid += used;
		if (mtime && entry)
			/* likewise a hint */
			sum += data_race(entry->mtime) * (weighs ? used : 1);
	}
	if (mtime)
		*mtime = valid ? div_u64(sum, weighs ? valid : n) : 0;
	return valid;
}
