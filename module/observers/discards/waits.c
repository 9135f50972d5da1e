// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long blocks wait to be discarded, or reset.
 *
 * That is summed up over all of them, without a time for each: at every event of F2FS's queue, its
 * blocks times the time since the last event are added, but for those on the device.
 * F2FS merges, splits and shortens commands at will, so a table of them could be neither exact nor
 * bounded.
 */

#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/spinlock.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>

#include "f2fs/state.h"
#include "observers/discards/counts.h"

/* So many blocks have waited for so many nanoseconds. */
static void add_time(struct ft_block_time *t, u64 blocks, u64 ns)
{
	u32 rest;
	u64 ms = div_u64_rem(div_u64(ns, NSEC_PER_USEC), USEC_PER_MSEC, &rest);

	t->ms += blocks * ms + div_u64_rem(blocks * rest + t->us, USEC_PER_MSEC, &t->us);
}

/**
 * ft_discards_advance() - sum up to now how long blocks have waited
 * @d: what is counted of a volume, locked
 * @sb: its super block; its s_umount is held, or F2FS is in one of its events
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
		add_time(&d->waited, d->pending, now - d->now);
	}
	d->now = now;
	if (!d->pending)
		d->none = now;
}

/**
 * ft_discards_on_device() - sum up to now how long blocks have been on the device
 * @d: what is counted of a volume, locked
 * @blocks: how many come to it now; negative: how many leave it
 *
 * Context: any.
 */
void ft_discards_on_device(struct ft_discarded *d, s64 blocks)
{
	u64 now = ktime_get_ns();

	add_time(&d->on_device_for, d->on_device, now - d->device_now);
	d->device_now = now;
	/* fewer leave if the volume is watched anew */
	d->on_device += max_t(s64, blocks, -(s64)d->on_device);
}
