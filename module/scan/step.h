/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A worker, and the step that it is in.
 *
 * A step calls F2FS while the super block is held. F2FS may keep it waiting, and a
 * user who may write to a file can decide for how long: the lock of the inode is
 * held while data is copied from the user's memory. So a step tries that lock
 * first, and a watchdog limits the rest. FIEMAP holds the lock, too, and others wait
 * for it, or are refused: fiemap.c ends it after 5 ms.
 *
 *   after 100 ms   the worker gets SIGKILL: F2FS then ends its loops over blocks,
 *                  and the next step goes on from there
 *   after 400 ms   s_umount is dropped, and an active reference holds the super
 *                  block instead: remount, freeze and sync go on. Umount does not
 *                  wait for this reference, but a task that holds the lock of an
 *                  inode keeps the mount busy anyway. The worker is late: another
 *                  one takes over the queue, and the late one ends after its
 *                  step. Until then it holds a reference to the module. If it
 *                  waits for the disk, so would all others: only one takes over.
 *
 * These are the times for blocks of 4 KiB, see %FT_STEP_LIMIT.
 */
#ifndef FT_STEP_H
#define FT_STEP_H

#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "core/base.h"
#include "core/extmap.h"
#include "core/queue.h"

/*
 * A step is killed after this time. KCSAN makes FIEMAP many times as slow. In a compressed
 * file FIEMAP looks up all addresses of the node after the last block: there are as many
 * more as a block is larger.
 */
#define FT_STEP_LIMIT		msecs_to_jiffies((IS_ENABLED(CONFIG_KCSAN) ? 1000 : 100) * \
						 (FT_BLOCK_SIZE / SZ_4K))

/* How many extents one step can store. */
#define FT_EXTENTS_PER_STEP	4096
/* The number of look-ups that FIEMAP may do before it reports an extent. */
#define FT_LOOKUPS_KEPT		4

struct ft_inode;
struct ft_volume;
struct inode;
struct super_block;
struct task_struct;

/**
 * struct ft_worker - a worker, which takes the steps of a volume
 * @node: in vol->workers
 * @work: runs the worker
 * @watchdog: fires when a step takes long
 * @vol: the volume
 * @running: @work is running; changed with vol->queue_lock held
 * @late: another worker has taken over; protected by vol->queue_lock
 * @lock: protects @sb, @active, @task, @since, @killable and @killed
 * @sb: the super block that the step holds; %NULL between steps
 * @active: it is held by an active reference, not by s_umount
 * @task: the task that is in the step; %NULL between steps
 * @since: when the step began, in jiffies
 * @killable: the worker's task while SIGKILL ends what it does; events of this
 *	task are answers to the step
 * @killed: the watchdog has sent SIGKILL
 * @ino: the inode that the step is about
 * @nr: extents in @found
 * @overflow: there were more extents
 * @unclear: a compressed cluster whose blocks are not known
 * @reached: end of what it has looked up, a file block
 * @nr_calls: how often it has looked up blocks or a hole
 * @since_lock: when it did so first, in nanoseconds
 * @in_time: it has ended because it held the lock of the inode for long enough
 * @clusters: the file may have compressed clusters
 * @cut: then it may end only after this file block
 * @in_hole: there was a hole at the end of it
 * @counts: the step begins with the file, so @nr_blocks may become all of them
 * @complete: it has looked up all blocks of the file
 * @nr_blocks: how many blocks it has looked up that are not holes
 * @counted: end of these, a file block
 * @pending: the last blocks it has looked up; perhaps not reported yet
 * @nr_lookups: number of results in @lookups, with those that were overwritten
 * @lookups: the results of its last look-ups
 * @found: the extents that it reported
 * @names: names that were read in a directory (dir.c)
 * @sample: the file of the sample (sample.c) that it has taken; %NULL if there is none
 * @sample_ns: how long its audit has taken so far, in nanoseconds
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
	struct task_struct *task;
	unsigned long since;
	struct task_struct *killable;
	bool killed;

	u32 ino;
	u32 reached;
	bool clusters;
	bool counts;
	u32 cut;

	/* what F2FS has answered in this step */
	struct_group(answers,
		unsigned int nr;
		bool overflow;
		bool unclear;
		bool in_time;
		bool in_hole;
		bool complete;
		u32 nr_calls;
		u64 since_lock;
		u32 nr_blocks;
		u32 counted;
		struct ft_extent pending;
		unsigned int nr_lookups;
		struct ft_extent lookups[FT_LOOKUPS_KEPT];
	);
	struct ft_inode *sample;
	u64 sample_ns;
	union {
		struct ft_extent found[FT_EXTENTS_PER_STEP];
		char names[FT_EXTENTS_PER_STEP * sizeof(struct ft_extent)];
	};
};

/* Is this an error that will pass: F2FS or memory is not available now? */
static inline bool ft_step_may_pass(int err)
{
	return err == -EBUSY || err == -ENOMEM;
}

struct inode *ft_step_begin(struct ft_worker *w, struct ft_inode *rec);
void ft_step_end(struct ft_worker *w, struct inode *inode);
bool ft_step_lock_is_free(struct inode *inode, bool shared);
bool ft_step_lock_shared(struct inode *inode);
void ft_step_killable(struct ft_worker *w);
void ft_step_not_killable(struct ft_worker *w);

#endif
