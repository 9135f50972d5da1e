/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The second map of a file that is being scanned.
 */
#ifndef FT_REBUILD_H
#define FT_REBUILD_H

#include "audit.h"
#include "extmap.h"
#include "inode.h"

/* How many bytes of a file the first step of a scan covers. */
#define FT_SCAN_STEP_FIRST	(256ULL << 20)

/**
 * struct ft_rebuild - a scan of a file, from its first step to its last
 * @built: the map that it builds
 * @touched: blocks that events changed meanwhile, as unwritten extents
 * @from: the first block that it scans
 * @end: the end of what it scans, %FT_LBLK_END if that is all of the file
 * @pos: where the next step begins, in bytes; U64_MAX after the last one
 * @step: length of the next step, in bytes
 * @spent: time that all steps took, in jiffies
 * @last_lba: LBA of the last written block that it found, %FT_LBA_UNWRITTEN if an
 *	event has changed something since
 * @contradicted: it found a block elsewhere than events had put it
 * @audit: only compare the map with @built, do not replace it
 * @sample: nobody has requested this audit
 * @tries: how often they were compared
 * @resync_before: the inode's @resync when it began
 * @audit_before: the inode's @audit when it began
 * @sum: what the last comparison found
 *
 * @built, @touched and @contradicted are protected by the lock of the inode, the
 * rest by the worker that has taken it.
 */
struct ft_rebuild {
	struct ft_extmap built;
	struct ft_extmap touched;
	u32 from;
	u32 end;
	u64 pos;
	u64 step;
	unsigned long spent;
	u32 last_lba;
	bool contradicted;
	bool audit;
	bool sample;
	u8 tries;
	u8 resync_before;
	u8 audit_before;
	struct ft_audit_sum sum;
};

/* Does it scan only a part of the file, the one that is in doubt? */
static inline bool ft_rebuild_is_part(const struct ft_rebuild *rebuild)
{
	return rebuild->from || rebuild->end != FT_LBLK_END;
}

/* Is a scan building a second map? */
static inline bool ft_inode_scanning(const struct ft_inode *rec)
{
	return rec->rebuild;
}

/* The map that a scan is building. */
static inline struct ft_extmap *ft_built_map(struct ft_inode *rec)
{
	return &rec->rebuild->built;
}

/* The blocks that events changed meanwhile. */
static inline struct ft_extmap *ft_touched_map(struct ft_inode *rec)
{
	return &rec->rebuild->touched;
}

/* The memory of the second map, touched map included. */
static inline u64 ft_second_bytes(struct ft_inode *rec)
{
	return ft_built_map(rec)->bytes + ft_touched_map(rec)->bytes;
}

int ft_inode_scan_begin(struct ft_inode *rec, bool audit);
int ft_inode_scan_merge(struct ft_inode *rec, const struct ft_extent *ext,
			unsigned int nr);
bool ft_inode_scan_end(struct ft_inode *rec, int err);

#endif
