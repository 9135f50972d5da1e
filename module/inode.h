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

/* The map that a scan is building: rec->scanning is set. */
static inline struct ft_extmap *ft_built_map(struct ft_inode *rec)
{
	return &rec->vol->built;
}

/* What events changed meanwhile. */
static inline struct ft_extmap *ft_touched_map(struct ft_inode *rec)
{
	return &rec->vol->touched;
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
