/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What garbage collection has done to a volume.
 */
#ifndef FT_GC_H
#define FT_GC_H

#include <linux/limits.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "core/bounds.h"
#include "core/record.h"

struct ft_inode;
struct ft_volume;

/**
 * enum ft_victim_kind - the purpose for which F2FS has chosen a segment
 * @FT_VICTIM_BG: to clean it, in the background
 * @FT_VICTIM_FG: to clean it while a task waits
 * @FT_VICTIM_SSR: for a log, which fills the holes
 * @FT_NR_VICTIM_KINDS: how many there are
 */
enum ft_victim_kind {
	FT_VICTIM_BG,
	FT_VICTIM_FG,
	FT_VICTIM_SSR,
	FT_NR_VICTIM_KINDS
};

/**
 * enum ft_victim_policy - the policy by which F2FS has chosen it
 * @FT_POLICY_UNKNOWN: by a policy that is not known here
 * @FT_POLICY_GREEDY: the fewest blocks in use
 * @FT_POLICY_COST_BENEFIT: few of them, and not changed for long
 * @FT_POLICY_AGE: old enough, and few of them
 * @FT_NR_POLICIES: how many there are
 */
enum ft_victim_policy {
	FT_POLICY_UNKNOWN,
	FT_POLICY_GREEDY,
	FT_POLICY_COST_BENEFIT,
	FT_POLICY_AGE,
	FT_NR_POLICIES
};

/* Their names, in the order of the enum. */
#define FT_POLICY_NAMES "unknown", "greedy", "cost_benefit", "age"

/**
 * struct ft_victim - segments that F2FS has chosen together
 * @segment: the first of them
 * @segments: how many
 * @valid: blocks of them that are in use
 * @kind: enum ft_victim_kind
 * @policy: enum ft_victim_policy
 */
struct ft_victim {
	u32 segment;
	u32 segments;
	u32 valid;
	u8 kind;
	u8 policy;
};

/* Garbage collection in the background, and while a task waits: counted apart. */
#define FT_GC_KINDS	2

/* Chains of the hash table of victims. */
#define FT_GC_CHAINS	1024
/* No victim. */
#define FT_GC_NONE	U16_MAX
/* Pairs of a victim and a file whose moved blocks are counted. */
#define FT_GC_SHARES	2048

/**
 * struct ft_gc_victim - segments that F2FS has chosen to clean together
 * @when: in seconds since 1970
 * @number: counted from the first of the volume
 * @segment: the first of them
 * @segments: how many
 * @valid: blocks of them that were in use
 * @moved: blocks of data that have been moved out of them since
 * @watched: those of them that belong to watched files
 * @kind: enum ft_victim_kind
 * @policy: enum ft_victim_policy
 * @node: they hold nodes, which are in no map
 * @next: index of the next older one in the same chain, or %FT_GC_NONE
 */
struct ft_gc_victim {
	u64 when;
	u32 number;
	u32 segment;
	u32 segments;
	u32 valid;
	u32 moved;
	u32 watched;
	u8 kind;
	u8 policy;
	bool node;
	u16 next;
};

/**
 * struct ft_gc_share - the blocks of a file that were moved out of a victim
 * @victim: number of the victim
 * @segment: its first segment
 * @ino: the inode number of the file
 * @blocks: how many; there may be several shares of the same two
 */
struct ft_gc_share {
	u32 victim;
	u32 segment;
	u32 ino;
	u32 blocks;
};

/**
 * struct ft_gc_sums - counts since the volume is watched
 * @victims: how often segments were chosen, by enum ft_victim_kind
 * @moved: blocks of data that were moved, by the kind of their victim
 * @watched: those of them that belong to watched files
 * @unknown: those without a known victim: it is not kept any more, or there was none
 */
struct ft_gc_sums {
	u64 victims[FT_NR_VICTIM_KINDS];
	u64 moved[FT_GC_KINDS];
	u64 watched[FT_GC_KINDS];
	u64 unknown;
};

/**
 * struct ft_gc - the garbage collection of a volume
 * @lock: protects all of this, and what is kept of the files of the volume
 * @sums: the sums
 * @newest: index of the last of @victim
 * @nr: how many there are
 * @last: index of the victim out of which the last block was moved
 * @segments: how many segments victims have
 * @chosen: how many victims there have been
 * @newest_share: index of the last of @share
 * @nr_shares: how many there are
 * @chain: index of the newest victim in each chain, or %FT_GC_NONE
 * @victim: a ring
 * @share: a ring
 */
struct ft_gc {
	spinlock_t lock;
	struct ft_gc_sums sums;
	u32 newest;
	u32 nr;
	u32 last;
	u32 segments;
	u32 chosen;
	u32 newest_share;
	u32 nr_shares;
	u16 chain[FT_GC_CHAINS];
	struct ft_gc_victim victim[FT_GC_VICTIMS];
	struct ft_gc_share share[FT_GC_SHARES];
};

void ft_gc_init(void);
struct ft_gc *ft_gc_new(void);
void ft_gc_chose(struct ft_volume *vol, struct ft_victim *chosen);
bool ft_gc_chosen(struct ft_volume *vol, u32 lba);
void ft_gc_moved(struct ft_volume *vol, struct ft_inode *rec, u32 lba);
u32 *ft_gc_moved_of(const struct ft_inode *rec);

#endif
