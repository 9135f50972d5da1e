/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The extent map of one file: which volume block holds which file block, and why each
 * extent begins where it does (format/cause.h). It does not depend on F2FS, tracepoints
 * or debugfs, so that it can be tested alone.
 */
#ifndef FT_EXTMAP_H
#define FT_EXTMAP_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/types.h>

#include "core/bounds.h"

/* The LBA of an extent that is allocated but holds no data yet. */
#define FT_LBA_UNWRITTEN	U32_MAX
/*
 * One past the highest file block a map can have. With blocks of 4 KiB the
 * nodes of an F2FS file hold 923 + 2 * 1018 + 2 * 1018^2 + 1018^3 addresses,
 * which is less. With larger ones F2FS ends files at 16 TiB: that many of 16 KiB.
 */
#define FT_LBLK_END		BIT(30)

/* A map of so few entries, see extmap.c, needs no memory besides the struct. */
#define FT_FEW_ENTRIES		2

/* Leaves of a map that lose their causes while its lock is held. */
#define FT_LEAVES_AT_ONCE	64

/**
 * struct ft_extent - blocks that are neighbours in the file and on the volume
 * @lblk: first file block
 * @len: length in blocks, at least 1
 * @lba: volume block of @lblk, or %FT_LBA_UNWRITTEN
 * @cause: of the break where it begins; ft_extmap_store() does not read it
 * @encoded: the blocks hold a cluster that F2FS has compressed; @lblk is the place
 *	of their addresses in the file's nodes, one after the cluster's first block
 */
struct ft_extent {
	u32 lblk;
	u32 len;
	u32 lba;
	u32 cause;
	bool encoded;
};

/**
 * struct ft_leaf - entries in order, see extmap.c
 * @nr: how many, at least 1
 * @room: how many fit
 * @cause: of all its extents, if there is no array
 * @causes: of each entry, or %NULL
 * @entry: first file block << %FT_START_SHIFT | what the range is
 */
struct ft_leaf {
	u16 nr;
	u16 room;
	u32 cause;
	u32 *causes;
	aligned_u64 entry[];
};

#define FT_START_SHIFT	34
#define FT_WHAT_MASK	(BIT_ULL(FT_START_SHIFT) - 1)

/* What a range is: its kind, 0 for a hole; with WRITTEN the distance to its LBA. */
#define FT_WRITTEN	BIT_ULL(32)
#define FT_UNWRITTEN	BIT_ULL(33)

/**
 * struct ft_finger - an entry of a map, kept while the map does not change
 * @leaf: the leaf it is in
 * @lo: first file block of the leaf
 * @hi: end of the leaf, exclusive; if equal to @lo, the finger is not valid
 * @at: its index in the leaf
 * @spare: how many more blocks this entry can take from the next one; 0 if that was
 *	not computed, or if the finger is not valid or the entry not written
 */
struct ft_finger {
	struct ft_leaf *leaf;
	u32 lo;
	u32 hi;
	u32 at;
	u32 spare;
};

/**
 * struct ft_extmap - the extents of one file
 * @root: the topmost node of the tree, or @few
 * @few: the only leaf while it is small
 * @finger: the entry that was used last: the next block is usually near
 * @height: levels of the tree above its leaves
 * @nr: number of extents, unwritten ones included; two extents of one kind that
 *	continue each other in the file and on the volume are always one
 * @bytes: memory taken by nodes and causes
 */
struct ft_extmap {
	void *root;
	aligned_u64 few[2 + FT_FEW_ENTRIES];
	struct ft_finger finger;
	u32 height;
	u32 nr;
	u64 bytes;
};

/**
 * struct ft_around - a range of blocks and its neighbours
 * @first: LBA of its first block, %FT_LBA_UNWRITTEN if it has none
 * @last: likewise of its last block
 * @cause: of the extent that @first is in
 * @has_prev: there is a written block before it, not too far away,
 * @prev: and this is its LBA,
 * @prev_cause: the cause of its extent
 * @has_next: there is a written block after it, likewise,
 * @next: and this is its LBA,
 * @next_cause: the cause of its extent
 * @limit: nothing is written between the range and here; with @has_next, this is
 *	the block that is written
 */
struct ft_around {
	u32 first;
	u32 last;
	u32 cause;
	bool has_prev;
	u32 prev;
	u32 prev_cause;
	bool has_next;
	u32 next;
	u32 next_cause;
	u32 limit;
};

static inline u32 ft_extent_end(const struct ft_extent *ext)
{
	return ext->lblk + ext->len;
}

/**
 * ft_extmap_go_on() - store one more block of the run that was stored last
 * @map: the map
 * @lblk: the file block
 * @old_lba: where the map should have it now, %FT_LBA_UNWRITTEN if nowhere
 * @lba: where it is now
 *
 * For the most frequent case: the finger is at the run, the next entry gives up its
 * first block, and ft_extmap_expect() has checked that it can.
 *
 * Context: atomic, nothing else uses the map.
 * Return: true if the block was stored. False in any other case, also if the block
 * was not at @old_lba; nothing has changed then.
 */
static inline bool ft_extmap_go_on(struct ft_extmap *map, u32 lblk, u32 old_lba, u32 lba)
{
	u64 *entry, known, old = (u64)lblk << FT_START_SHIFT;
	struct ft_finger *f = &map->finger;

	if (!f->spare)
		return false;
	entry = &f->leaf->entry[f->at + 1];
	known = *entry;
	if (likely(old_lba == FT_LBA_UNWRITTEN))
		known &= ~FT_UNWRITTEN;	/* a hole then, unless it has an LBA */
	else
		old |= FT_WRITTEN | (u32)(old_lba - lblk);
	if (known != old || (u32)entry[-1] != lba - lblk)
		return false;
	*entry += BIT_ULL(FT_START_SHIFT);
	f->spare--;
	return true;
}

extern atomic_long_t ft_extmap_dropped;

int ft_extmap_setup(void);
void ft_extmap_cleanup(void);
void ft_extmap_init(struct ft_extmap *map);
void ft_extmap_expect(struct ft_extmap *map);
void ft_extmap_expect_nothing(struct ft_extmap *map);
void ft_extmap_drop(struct ft_extmap *map);
void ft_extmap_flush(void);
void ft_extmap_move(struct ft_extmap *to, struct ft_extmap *from);
int ft_extmap_store(struct ft_extmap *map, const struct ft_extent *ext);
bool ft_extmap_relocate(struct ft_extmap *map, u32 lblk, u32 old_lba, u32 lba,
			struct ft_around *around);
int ft_extmap_reserve(struct ft_extmap *map, u32 lblk, u32 end);
int ft_extmap_erase(struct ft_extmap *map, u32 lblk, u32 end);
u32 ft_extmap_lba(struct ft_extmap *map, u32 lblk);
bool ft_extmap_holds(struct ft_extmap *map, const struct ft_extent *ext);
bool ft_extmap_in_one(struct ft_extmap *map, u32 lblk, u32 end);
bool ft_extmap_next(struct ft_extmap *map, u32 from, struct ft_extent *ext);
bool ft_extmap_may_have_written(struct ft_extmap *map, u32 lblk, u32 end);
bool ft_extmap_before(struct ft_extmap *map, u32 lblk, u32 *lba);
void ft_extmap_around(struct ft_extmap *map, u32 lblk, u32 end, struct ft_around *around);
void ft_extmap_set_cause(struct ft_extmap *map, u32 lblk, u32 cause);
u32 ft_extmap_cause(struct ft_extmap *map, u32 lblk);
u32 ft_extmap_drop_causes(struct ft_extmap *map, u32 from, unsigned int max);
unsigned int ft_extmap_read(struct ft_extmap *map, u32 *from,
			    struct ft_extent *ext, unsigned int max);

#endif
