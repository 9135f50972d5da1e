/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The extent map of one file: which volume block holds which file block. Knows
 * nothing of F2FS, tracepoints or debugfs, so that it can be tested alone.
 */
#ifndef FT_EXTMAP_H
#define FT_EXTMAP_H

#include <linux/maple_tree.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/* The LBA of an extent that is allocated but holds no data yet. */
#define FT_LBA_UNWRITTEN	U32_MAX
/* One past the highest file block an F2FS file can have. */
#define FT_LBLK_END		U32_MAX
/*
 * What one extent costs in memory at the most, in bytes: a leaf of the maple
 * tree has 256 bytes and 16 slots, a hole before the extent takes a slot too.
 * selftests/65_memory.sh counts: 18 in order, 38 at random between holes.
 */
#define FT_BYTES_PER_EXTENT	40

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
 * struct ft_extmap - the extents of one file
 * @mt: file blocks to extents, see extmap.c for the encoding
 * @nr: number of extents, unwritten ones included; two extents of one kind that
 *	continue each other in the file and on the volume are always one
 */
struct ft_extmap {
	struct maple_tree mt;
	unsigned long nr;
};

static inline u32 ft_extent_end(const struct ft_extent *ext)
{
	return ext->lblk + ext->len;
}

void ft_extmap_init(struct ft_extmap *map, spinlock_t *lock);
void ft_extmap_destroy(struct ft_extmap *map);
int ft_extmap_store(struct ft_extmap *map, const struct ft_extent *ext);
int ft_extmap_reserve(struct ft_extmap *map, u32 lblk, u32 end, int max_gaps);
int ft_extmap_erase(struct ft_extmap *map, u32 lblk, u32 end);
bool ft_extmap_lookup(struct ft_extmap *map, u32 lblk, struct ft_extent *ext);
bool ft_extmap_next(struct ft_extmap *map, u32 from, struct ft_extent *ext);

#endif
