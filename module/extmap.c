// SPDX-License-Identifier: GPL-2.0-only
/*
 * The extent map of one file, on the kernel's maple tree.
 *
 * In: ranges stored, reserved and erased by inode.c. Out: extents, looked up
 * by file block or walked in order.
 *
 * An entry of the tree spans the file blocks of one extent. Its value is not
 * the extent's LBA but the distance from file block to LBA (mod 2^32), which
 * is the same for each block of the extent:
 *
 *	blocks 10..19 at LBA 110..119	-> entry [10, 19] = 100
 *	blocks 20..24 at LBA 120..124	-> entry [20, 24] = 100, the same extent
 *	blocks 25..29 at LBA 300..304	-> entry [25, 29] = 275, another one
 *
 * So an overwrite in the middle of an extent needs no repair of the parts that
 * remain, and two neighbours are one extent exactly if their values are equal.
 *
 * All functions are called with the lock given to ft_extmap_init() held, and
 * allocate without sleeping.
 */

#include <linux/build_bug.h>
#include <linux/gfp.h>
#include <linux/xarray.h>

#include "extmap.h"

/* === Encoding ============================================================= */

#define ENTRY_WRITTEN	(1UL << 32)
#define ENTRY_UNWRITTEN	(2UL << 32)
#define ENTRY_ENCODED	(4UL << 32)

static_assert(BITS_PER_LONG == 64);

static void *encode(const struct ft_extent *ext)
{
	if (ext->lba == FT_LBA_UNWRITTEN)
		return xa_mk_value(ENTRY_UNWRITTEN);
	return xa_mk_value((ext->encoded ? ENTRY_ENCODED : ENTRY_WRITTEN) |
			   (u32)(ext->lba - ext->lblk));
}

static void decode(const struct ma_state *mas, void *entry,
		   struct ft_extent *ext)
{
	unsigned long value = xa_to_value(entry);

	ext->lblk = mas->index;
	ext->len = mas->last - mas->index + 1;
	ext->lba = value == ENTRY_UNWRITTEN ? FT_LBA_UNWRITTEN :
					      (u32)value + ext->lblk;
	ext->encoded = value & ENTRY_ENCODED;
}

/* === Changing ranges ====================================================== */

/*
 * Find what storing @entry over [*@first, *@last] does to its surroundings:
 * widen the range over neighbours that continue it, and return by how many
 * extents the map grows (negative: shrinks).
 */
static long measure(struct ft_extmap *map, void *entry, unsigned long *first,
		    unsigned long *last)
{
	unsigned long lo = *first, hi = *last;
	bool left_done = false, right_done = false;
	long grow = entry ? 1 : 0;
	void *old;

	MA_STATE(mas, &map->mt, lo, lo);

	mas_for_each(&mas, old, hi) {
		grow--;
		/* what sticks out on either side stays, or becomes one with us */
		if (mas.index < lo) {
			left_done = true;
			if (old == entry)
				*first = mas.index;
			else
				grow++;
		}
		if (mas.last > hi) {
			right_done = true;
			if (old == entry)
				*last = mas.last;
			else
				grow++;
		}
	}
	if (!entry)
		return grow;

	if (!left_done && lo > 0) {
		mas_set(&mas, lo - 1);
		if (mas_walk(&mas) == entry) {
			*first = mas.index;
			grow--;
		}
	}
	if (!right_done) {
		mas_set(&mas, hi + 1);
		if (mas_walk(&mas) == entry) {
			*last = mas.last;
			grow--;
		}
	}
	return grow;
}

static int store_range(struct ft_extmap *map, unsigned long first,
		       unsigned long last, void *entry)
{
	long grow = measure(map, entry, &first, &last);
	int err;

	MA_STATE(mas, &map->mt, first, last);

	err = mas_store_gfp(&mas, entry, GFP_NOWAIT | __GFP_NOWARN);
	if (!err)
		map->nr += grow;
	return err;
}

/**
 * ft_extmap_store() - put an extent into the map, over whatever was there
 * @map: the map
 * @ext: the extent, written or unwritten
 *
 * Context: atomic, the map's lock held.
 * Return: 0, or -ENOMEM with the map unchanged.
 */
int ft_extmap_store(struct ft_extmap *map, const struct ft_extent *ext)
{
	return store_range(map, ext->lblk, ext->lblk + ext->len - 1UL,
			   encode(ext));
}

/**
 * ft_extmap_reserve() - make the holes in a range unwritten extents
 * @map: the map
 * @lblk: first file block of the range
 * @end: its end, exclusive
 * @max_gaps: how many holes to fill at the most, so that the work is bounded
 *
 * Context: atomic, the map's lock held.
 * Return: 0, -E2BIG if there were more holes than @max_gaps, or -ENOMEM; in
 * both cases some holes may have been filled.
 */
int ft_extmap_reserve(struct ft_extmap *map, u32 lblk, u32 end, int max_gaps)
{
	while (lblk < end) {
		struct ft_extent next, gap = {
			.lblk = lblk,
			.lba = FT_LBA_UNWRITTEN,
		};
		bool found = ft_extmap_next(map, lblk, &next);
		int err;

		gap.len = (found ? min(next.lblk, end) : end) - lblk;
		if (found && next.lblk <= lblk) {
			lblk = ft_extent_end(&next);
			continue;
		}
		if (max_gaps-- == 0)
			return -E2BIG;
		err = ft_extmap_store(map, &gap);
		if (err)
			return err;
		lblk += gap.len;
	}
	return 0;
}

/**
 * ft_extmap_erase() - make a range a hole
 * @map: the map
 * @lblk: first file block of the range
 * @end: its end, exclusive; %FT_LBLK_END for all that follows
 *
 * Takes time in proportion to the number of extents in the range.
 *
 * Context: atomic, the map's lock held.
 * Return: 0, or -ENOMEM with the map unchanged.
 */
int ft_extmap_erase(struct ft_extmap *map, u32 lblk, u32 end)
{
	struct ft_extent ext;

	if (!ft_extmap_next(map, lblk, &ext) || ext.lblk >= end)
		return 0;
	return store_range(map, lblk, end - 1UL, NULL);
}

/* === Looking ============================================================== */

/**
 * ft_extmap_lookup() - find the extent that holds a file block
 * @map: the map
 * @lblk: the file block
 * @ext: on success, the whole extent
 *
 * Context: atomic, the map's lock held.
 * Return: false if @lblk is in a hole.
 */
bool ft_extmap_lookup(struct ft_extmap *map, u32 lblk, struct ft_extent *ext)
{
	void *entry;

	MA_STATE(mas, &map->mt, lblk, lblk);

	entry = mas_walk(&mas);
	if (!entry)
		return false;
	decode(&mas, entry, ext);
	return true;
}

/**
 * ft_extmap_next() - find the first extent that ends after a file block
 * @map: the map
 * @from: the file block
 * @ext: on success, the whole extent; it may begin before @from
 *
 * Context: atomic, the map's lock held.
 * Return: false if there is none.
 */
bool ft_extmap_next(struct ft_extmap *map, u32 from, struct ft_extent *ext)
{
	void *entry;

	MA_STATE(mas, &map->mt, from, from);

	entry = mas_find(&mas, FT_LBLK_END);
	if (!entry)
		return false;
	decode(&mas, entry, ext);
	return true;
}

/* === Life ================================================================= */

/**
 * ft_extmap_init() - make an empty map
 * @map: the map
 * @lock: the lock that callers of all other functions hold
 */
void ft_extmap_init(struct ft_extmap *map, spinlock_t *lock)
{
	mt_init_flags(&map->mt, MT_FLAGS_LOCK_EXTERN);
	mt_set_external_lock(&map->mt, lock);
	map->nr = 0;
}

/**
 * ft_extmap_destroy() - free all extents
 * @map: the map, to be initialised anew before it is used again
 *
 * Takes time in proportion to the number of extents.
 *
 * Context: atomic, the map's lock held.
 */
void ft_extmap_destroy(struct ft_extmap *map)
{
	__mt_destroy(&map->mt);
	map->nr = 0;
}
