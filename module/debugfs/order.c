// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order of the lines of a copy: extents by LBA or by file, files by their
 * fragmentation.
 */

#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "core/base.h"
#include "debugfs/snapshot.h"

/* Bits of an LBA that one pass over all extents sorts by. */
#define DIGIT_BITS	11
#define DIGITS		(1 << DIGIT_BITS)

/* Let others run now and then: there may be tens of millions of extents. */
static void breathe(size_t i)
{
	if (!(i & (SZ_64K - 1)))
		cond_resched();
}

/*
 * One pass: sort from @from to @to, stable, by the bits of the LBA at @shift.
 * Returns false if these bits are equal in all: nothing was moved.
 */
static bool sort_by_digit(struct ft_snapshot *snap, const u32 *from, u32 *to,
			  size_t nr, unsigned int shift, u32 *count)
{
	u32 sum = 0, n;
	size_t i;

#define DIGIT_OF(x)	((ft_snap_extent(snap, x)->lba >> shift) & (DIGITS - 1))
	memset(count, 0, DIGITS * sizeof(*count));
	for (i = 0; i < nr; i++) {
		count[DIGIT_OF(from[i])]++;
		breathe(i);
	}
	if (!nr || count[DIGIT_OF(from[0])] == nr)
		return false;
	for (i = 0; i < DIGITS; i++) {
		n = count[i];
		count[i] = sum;
		sum += n;
	}
	for (i = 0; i < nr; i++) {
		to[count[DIGIT_OF(from[i])]++] = from[i];
		breathe(i);
	}
	return true;
#undef DIGIT_OF
}

/*
 * Sort the extents of one volume by LBA. There may be millions: sort() would
 * compare each of them 20 times.
 */
static int sort_by_lba(struct ft_snapshot *snap, u32 *order, size_t nr)
{
	u32 *count = kmalloc_array(DIGITS, sizeof(*count), GFP_KERNEL);
	struct ft_vec other = { };
	u32 *from = order, *to;
	unsigned int shift;
	int err = count ? ft_vec_make_room(&other, nr, sizeof(*order)) : -ENOMEM;

	to = other.data;
	for (shift = 0; shift < 32 && !err; shift += DIGIT_BITS) {
		if (sort_by_digit(snap, from, to, nr, shift, count))
			swap(from, to);
	}
	if (!err && from != order)
		memcpy(order, from, nr * sizeof(*order));
	ft_vec_free(&other);
	kfree(count);
	return err;
}

/* Returns which of two overlapping extents has lost its blocks. */
static u32 loser(struct ft_snapshot *snap, u32 a, u32 b)
{
	const struct ft_snap_file *x, *y;

	x = ft_snap_file(snap, ft_snap_extent(snap, a)->file);
	y = ft_snap_file(snap, ft_snap_extent(snap, b)->file);
	if ((x->flags ^ y->flags) & FT_SNAP_STALE)
		return x->flags & FT_SNAP_STALE ? a : b;
	/* the extent that was copied first is older */
	return min(a, b);
}

/*
 * A block may have gone from one file to another between the copies of the two,
 * or before F2FS was asked about both. It must not be listed twice: the extent
 * that has lost blocks is left out, and its file is marked stale. Returns the
 * number of extents that remain.
 */
static size_t drop_lost(struct ft_snapshot *snap, u32 *order, size_t nr)
{
	u32 end = 0, lost;
	size_t i, kept = 0;

	for (i = 0; i < nr; i++) {
		const struct ft_snap_extent *ext = ft_snap_extent(snap, order[i]);

		if (unlikely(ext->lba < end)) {
			lost = loser(snap, order[kept - 1], order[i]);
			ft_snap_file(snap, ft_snap_extent(snap, lost)->file)->flags |=
				FT_SNAP_STALE;
			if (lost == order[i])
				continue;
			kept--;
		}
		end = ext->lba + ext->len;
		order[kept++] = order[i];
	}
	cond_resched();
	return kept;
}

static int list_by_lba(struct ft_snapshot *snap)
{
	u32 *order = snap->order.data;
	size_t i, begin, file = 0;
	int err = 0;
	u32 volume;

	for (volume = 0; volume < snap->volumes.nr && !err; volume++) {
		begin = snap->order.nr;
		for (; file < snap->files.nr &&
		       ft_snap_file(snap, file)->volume == volume; file++) {
			struct ft_snap_file *f = ft_snap_file(snap, file);

			for (i = f->first; i < f->first + f->nr; i++)
				if (ft_snap_extent(snap, i)->lba != FT_SNAP_UNWRITTEN)
					order[snap->order.nr++] = i;
			cond_resched();
		}
		err = sort_by_lba(snap, order + begin, snap->order.nr - begin);
		if (!err)
			snap->order.nr = begin + drop_lost(snap, order + begin,
							   snap->order.nr - begin);
	}
	return err;
}

/* The worst file takes most additional requests when it is read as a whole. */
static int by_badness(const void *a, const void *b, const void *priv)
{
	struct ft_snapshot *snap = (struct ft_snapshot *)priv;
	u32 i = *(const u32 *)a, j = *(const u32 *)b;
	const struct ft_snap_file *x = ft_snap_file(snap, i);
	const struct ft_snap_file *y = ft_snap_file(snap, j);
	u64 x_extra = x->requests - x->ideal, y_extra = y->requests - y->ideal;

	/* sort_r() does not reschedule */
	cond_resched();
	return ft_compare(y_extra, x_extra) ?: ft_compare(y->fragments, x->fragments) ?:
	       ft_compare(i, j);
}

static void list_by_badness(struct ft_snapshot *snap)
{
	u32 *order = snap->order.data;
	size_t i;

	for (i = 0; i < snap->files.nr; i++)
		if (!(ft_snap_file(snap, i)->flags & FT_SNAP_OMITTED))
			order[snap->order.nr++] = i;
	sort_r(order, snap->order.nr, sizeof(*order), by_badness, NULL, snap);
}

/**
 * ft_snapshot_order() - put the lines of a copy in the order of its view
 * @snap: the copy, complete except for the order
 *
 * Context: process; may sleep.
 * Return: 0 or -ENOMEM.
 */
int ft_snapshot_order(struct ft_snapshot *snap)
{
	bool files = snap->view == FT_VIEW_FILES;
	size_t nr = files ? snap->files.nr : snap->extents.nr;

	if (ft_vec_make_room(&snap->order, nr, sizeof(u32)))
		return -ENOMEM;
	if (files) {
		list_by_badness(snap);
	} else if (snap->view == FT_VIEW_EXTENTS) {
		for (snap->order.nr = 0; snap->order.nr < nr; snap->order.nr++)
			((u32 *)snap->order.data)[snap->order.nr] = snap->order.nr;
	} else {
		return list_by_lba(snap);
	}
	return 0;
}
