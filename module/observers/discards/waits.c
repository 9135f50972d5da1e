// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long blocks wait to be discarded, or reset.
 *
 * That is summed up over all of them, without a time for each: at every event of F2FS's queue, its
 * blocks times the time since the last event are added. What is on the device is taken off again.
 * F2FS merges, splits and shortens commands at will, so a table of them could be neither exact nor
 * bounded.
 */

#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/spinlock.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>

#include "f2fs/state.h"
#include "observers/discards/counts.h"

/**
 * ft_discards_add_time() - so many blocks have waited for some time
 * @t: the sum
 * @blocks: how many
 * @ns: for how long, in nanoseconds
 *
 * Context: any.
 */
void ft_discards_add_time(struct ft_block_time *t, u64 blocks, u64 ns)
{
	t->ms += div_u64_rem(blocks * div_u64(ns, NSEC_PER_USEC) + t->us, USEC_PER_MSEC, &t->us);
}

/**
 * ft_discards_advance() - sum up to now how long blocks have waited
 * @d: what is counted of a volume, locked
 * @sb: its super block, which does not go away meanwhile
 *
 * F2FS reports a change before it makes it. So what is in the queue now has been there since the
 * event before.
 *
 * Context: any.
 */
void ft_discards_advance(struct ft_discarded *d, const struct super_block *sb)
{
	u64 now = ktime_get_ns();

	d->pending = ft_state_pending_discards(sb, &d->commands);
	if (!d->now) {
		d->first = d->pending;
		d->none = now;
	} else {
		ft_discards_add_time(&d->waited, d->pending, now - d->now);
	}
	d->now = now;
	if (!d->pending)
		d->none = now;
}
