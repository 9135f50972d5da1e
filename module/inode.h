/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inside of a record: what the files that work on its maps and its state
 * share. All of it is for callers that hold the lock of the record, or have just
 * let go of it.
 */
#ifndef FT_INODE_H
#define FT_INODE_H

#include <linux/lockdep.h>
#include <linux/processor.h>
#include <linux/sched.h>

#include "fragtrace.h"

/*
 * Between two steps under the lock of a record: let a writer have it that waits.
 * The spinlocks of many guests are not fair: who takes one again at once wins
 * against who looks at it in a loop, again and again. So stay away for as long as
 * such a loop takes for some rounds.
 */
static inline void ft_let_writers_go(void)
{
	unsigned int n;

	for (n = 0; n < 16; n++)
		cpu_relax();
	cond_resched();
}

/* How many bytes of a file the first step of a scan looks up. */
#define FT_SCAN_STEP_FIRST	(256ULL << 20)

/**
 * struct ft_rebuild - a scan of a file, from its first step to its last
 * @built: the map that it builds
 * @touched: blocks that events changed meanwhile, as unwritten extents
 * @pos: where the next step begins, in bytes; U64_MAX after the last one
 * @step: how far that step goes, in bytes
 * @spent: how long all steps took, in jiffies
 * @gen_before: the inode's @gen when it began
 * @contradicted: it found a block elsewhere than events had put it
 * @audit: the map is to be compared with @built, not replaced by it
 * @tries: how often it has been compared
 * @resync_before: the inode's @resync when it began
 * @audit_before: the inode's @audit when it began
 * @sum: what the last comparison found
 *
 * @built, @touched and @contradicted are protected by the lock of the inode, the
 * rest belongs to the worker that has taken it.
 */
struct ft_rebuild {
	struct ft_extmap built;
	struct ft_extmap touched;
	u64 pos;
	u64 step;
	unsigned long spent;
	u32 gen_before;
	bool contradicted;
	bool audit;
	u8 tries;
	u8 resync_before;
	u8 audit_before;
	struct ft_audit_sum sum;
};

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

/* What events changed meanwhile. */
static inline struct ft_extmap *ft_touched_map(struct ft_inode *rec)
{
	return &rec->rebuild->touched;
}

/* Do events still mean something to this record? */
static inline bool ft_inode_followed(const struct ft_inode *rec)
{
	return likely(!rec->dead && !rec->omitted);
}

/* What a scan takes besides the live map. */
static inline u64 ft_second_bytes(struct ft_inode *rec)
{
	return ft_built_map(rec)->bytes + ft_touched_map(rec)->bytes;
}

void ft_mem_charge(const struct ft_extmap *map, u32 old_nr, u64 old_bytes);
void ft_mem_charge_second(struct ft_inode *rec, u64 old_bytes);
bool ft_mem_allows_second(struct ft_inode *rec);
bool ft_mem_make_way(struct ft_inode *rec);
void ft_inode_stale(struct ft_inode *rec);
void ft_inode_untold(struct ft_inode *rec);
void ft_inode_exact(struct ft_inode *rec);
void ft_inode_grown(struct ft_inode *rec);
void ft_inode_drop_map(struct ft_inode *rec);
void ft_inode_drop_second(struct ft_inode *rec);

#endif
