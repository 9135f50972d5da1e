/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The extent map of one file: which volume block holds which file block. Knows
 * nothing of F2FS, tracepoints or debugfs, so that it can be tested alone.
 */
#ifndef FT_EXTMAP_H
#define FT_EXTMAP_H

#include <linux/bits.h>
#include <linux/types.h>

/* The LBA of an extent that is allocated but holds no data yet. */
#define FT_LBA_UNWRITTEN	U32_MAX
/*
 * One past the highest file block a map can have. With blocks of 4 KiB the
 * nodes of an F2FS file hold 923 + 2 * 1018 + 2 * 1018^2 + 1018^3 addresses,
 * which is less.
 */
#define FT_LBLK_END		BIT(30)
/* A map of so few entries, see extmap.c, takes no memory besides the struct. */
#define FT_FEW_ENTRIES		2

struct ft_leaf;

/**
 * struct ft_extent - blocks that are neighbours in the file and on the volume
 * @lblk: first file block
 * @len: length in blocks, at least 1
 * @lba: volume block of @lblk, or %FT_LBA_UNWRITTEN
 * @encoded: they hold a cluster that F2FS has compressed; @lblk is the place of
 *	their address in the file's nodes, one behind the cluster's first block
 */
struct ft_extent {
	u32 lblk;
	u32 len;
	u32 lba;
	bool encoded;
};

/**
 * struct ft_finger - an entry of a map, kept while the map does not change
 * @leaf: the leaf it is in
 * @lo: first file block of the leaf
 * @hi: end of the leaf, exclusive; equal to @lo: points nowhere
 * @at: its index in the leaf
 */
struct ft_finger {
	struct ft_leaf *leaf;
	u32 lo;
	u32 hi;
	u32 at;
};

/**
 * struct ft_extmap - the extents of one file
 * @root: the topmost node of the tree, or @few
 * @few: the only leaf as long as it is small
 * @finger: the entry that was used last: the next block is mostly near
 * @height: levels of the tree above its leaves
 * @bytes: memory taken by nodes
 * @nr: number of extents, unwritten ones included; two extents of one kind that
 *	continue each other in the file and on the volume are always one
 */
struct ft_extmap {
	void *root;
	u64 few[1 + FT_FEW_ENTRIES];
	struct ft_finger finger;
	u32 height;
	u32 bytes;
	u32 nr;
};

static inline u32 ft_extent_end(const struct ft_extent *ext)
{
	return ext->lblk + ext->len;
}

int ft_extmap_setup(void);
void ft_extmap_cleanup(void);
void ft_extmap_init(struct ft_extmap *map);
void ft_extmap_drop(struct ft_extmap *map);
void ft_extmap_move(struct ft_extmap *to, struct ft_extmap *from);
int ft_extmap_store(struct ft_extmap *map, const struct ft_extent *ext);
bool ft_extmap_go_on(struct ft_extmap *map, u32 lblk, u32 old_lba, u32 lba);
int ft_extmap_reserve(struct ft_extmap *map, u32 lblk, u32 end, int max_gaps);
int ft_extmap_erase(struct ft_extmap *map, u32 lblk, u32 end);
u32 ft_extmap_leaves_from(struct ft_extmap *map, u32 lblk);
bool ft_extmap_lookup(struct ft_extmap *map, u32 lblk, struct ft_extent *ext);
bool ft_extmap_holds(struct ft_extmap *map, const struct ft_extent *ext);
bool ft_extmap_next(struct ft_extmap *map, u32 from, struct ft_extent *ext);
bool ft_extmap_next_by(struct ft_extmap *map, struct ft_finger *finger,
		       u32 from, struct ft_extent *ext);

#endif
