/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A worker, and the step that it is in.
 *
 * A step asks F2FS something while the super block is held. F2FS may keep it
 * waiting, and who may write a file decides for how long: the lock of the inode
 * is held while data is copied from the user's memory. So a step tries that lock
 * first, and a watchdog takes care of the rest:
 *
 *   after 100 ms   the worker gets SIGKILL: F2FS ends its loops over blocks then,
 *                  and the next step goes on from there
 *   after 400 ms   s_umount is let go of, and the super block is held by an active
 *                  reference instead: remount, freeze and sync go on. Umount does
 *                  not wait for that one, but who holds the lock of an inode has
 *                  the mount busy anyway. The worker is late: another one takes
 *                  over the queue, and the late one ends after its step. Until
 *                  then it has a reference to the module.
 */
#ifndef FT_WORKER_H
#define FT_WORKER_H

#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "extmap.h"

/* A step that goes on for so long is killed. */
#define FT_STEP_LIMIT		msecs_to_jiffies(100)

/* How many extents one step can take up. */
#define FT_EXTENTS_PER_STEP	4096
/* How far FIEMAP has looked ahead when it reports an extent, in look-ups. */
#define FT_LOOKUPS_KEPT		4

struct ft_inode;
struct ft_volume;
struct super_block;
struct task_struct;

/**
 * struct ft_worker - who takes the steps of a volume
 * @node: in vol->workers
 * @work: runs it
 * @watchdog: fires when a step takes long
 * @vol: the volume
 * @running: @work is running; changed with vol->queue_lock held
 * @late: another worker has taken over; protected by vol->queue_lock
 * @lock: protects @sb, @active, @since, @killable and @killed
 * @sb: the super block that the step holds; %NULL between steps
 * @active: it is held by an active reference, not by s_umount
 * @since: when the step began, in jiffies
 * @killable: the worker while SIGKILL would end what it does; whose events are
 *	answers to us
 * @killed: it has been sent
 * @ino: the inode that it asks about
 * @nr: extents in @found
 * @overflow: there were more
 * @unclear: a compressed cluster whose blocks are not known
 * @reached: what FIEMAP has looked up ends here, a file block
 * @in_hole: there was a hole at the end of it
 * @pending: what it has looked up last and may not have reported yet
 * @nr_lookups: how often it has looked up blocks
 * @lookups: what it found the last few times
 * @found: what it reported
 */
struct ft_worker {
	struct list_head node;
	struct delayed_work work;
	struct delayed_work watchdog;
	struct ft_volume *vol;
	bool running;
	bool late;

	spinlock_t lock;
	struct super_block *sb;
	bool active;
	unsigned long since;
	struct task_struct *killable;
	bool killed;

	u32 ino;
	unsigned int nr;
	bool overflow;
	bool unclear;
	u32 reached;
	bool in_hole;
	struct ft_extent pending;
	unsigned int nr_lookups;
	struct ft_extent lookups[FT_LOOKUPS_KEPT];
	struct ft_extent found[FT_EXTENTS_PER_STEP];
};

int ft_worker_start(struct ft_volume *vol);
void ft_worker_stop(struct ft_volume *vol);

#endif
