/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A mounted F2FS that is watched.
 */
#ifndef FT_VOLUME_H
#define FT_VOLUME_H

#include <linux/fs.h>
#include <linux/fsnotify_backend.h>
#include <linux/kdev_t.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/rhashtable.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "core/bounds.h"

struct ft_gc;
struct ft_inode;
struct ft_logs;
struct ft_tally;
struct ft_worker;
struct ft_writers;

/*
 * Where the state of an observer is. Kbuild defines FT_EACH_OBSERVER(x, ...): x of each
 * name, and the other argument after each, here a comma.
 */
#define FT_SLOT(name)	FT_SLOT_##name
enum ft_slot { FT_EACH_OBSERVER(FT_SLOT, ,) FT_NR_OBSERVERS };

/* The state that an observer has of a volume; NULL if it is off. */
#define ft_observed(vol, name)	((vol)->observed[FT_SLOT_##name])

/**
 * struct ft_reading - an inode that a worker is reading
 * @node: in vol->reading
 * @ino: its number
 */
struct ft_reading {
	struct list_head node;
	u32 ino;
};

/**
 * struct ft_volume - a mounted F2FS with a watched directory
 * @node: in the list of volumes, under RCU
 * @ref: one for the list, one for @mark, one per user
 * @sb: the super block; valid while !ft_volume_gone(), and while its s_umount is
 *	held
 * @live_sb: the same, but NULL once it is going away
 * @info: F2FS's own state of it; only compared
 * @sb_lock: protects @live_sb against use of @sb
 * @forget: frees @logs to @observed at the end; %NULL if there are none
 * @dev: its device number
 * @more_devs: its other devices, if it has several; 0 from their end on
 * @mountpoint: where it was mounted when it was found
 * @sit_blkaddr: first block of the segment information table; before it are checkpoints
 * @nat_blkaddr: first block of the node address table
 * @ssa_blkaddr: first block of the segment summaries
 * @main_blkaddr: first block of the main area
 * @blocks: end of the volume, in blocks
 * @segment_blocks: blocks in a segment
 * @mark: reports changes of names, and the end of the mount
 * @inodes: struct ft_inode by inode number
 * @nr_inodes: files in it
 * @nr_dirs: directories in it
 * @nr_stale: files in it that are stale
 * @nr_left_out: files in it that are left out because memory is short
 * @nr_refused: names that are left out for that, with what they lead to
 * @nr_nodes: nodes of @inodes that are charged, protected by its lock
 * @nr_unread: directories in it whose names are not all known yet
 * @nr_audits: files in it that wait to be audited
 * @nr_resyncs: files and directories in it that a resync waits for
 * @ns_lock: protects names
 * @links: struct ft_link by parent and name
 * @names_seed: seed for the hash of each name
 * @dropped: directories that lost their last name, a reference to each, linked by
 *	their @next_dropped, protected by @ns_lock
 * @drop_work: removes @dropped and all below
 * @end_work: drops all that is left of a detached volume
 * @resync_lock: held while a resync waits for @nr_resyncs to become 0
 * @asking: a resync is marking all records of the volume now, protected by
 *	@ns_lock
 * @nr_targets: targets on it, protected by ft_targets_lock
 * @names_moved: a directory moved that may be above a target
 * @queue_lock: protects @queue, @worker, @nr_late and changes of @workers, @epoch and
 *	@settled_epoch
 * @queue: inodes that wait for the worker, by due time
 * @parked_due: when the last parked inodes may be tried, in jiffies, protected by
 *	@queue_lock, as is
 * @nr_parked: how many may be tried then
 * @nr_queued: their number, those at work and those in @dropped included
 * @worker: the worker that takes them
 * @work: runs it
 * @workers: all workers, including those whose last step is late; under RCU
 * @nr_late: number of late ones
 * @sampled: pause between two files of the sample (scan/sample.c), in jiffies; 0: there is
 *	none. Protected by @queue_lock, as is
 * @sample_due: when the next one is due, in jiffies
 * @sample_ino: number of the last one; belongs to @worker
 * @sample_hurry: how many files the sample still takes without that pause; belongs to
 *	@worker
 * @unsound: the sample has found a map that differed
 * @reading: inodes that they are reading, protected by @queue_lock
 * @logs: which files got which blocks recently; this and the next three are %NULL if
 *	no causes are wanted
 * @writers: processes that wrote to it
 * @tally: counts of healed breaks and of pairs
 * @gc: what garbage collection has done
 * @observed: the states of observers (core/observer.h), %NULL if they are off
 * @counted_since: since when they count, in seconds since 1970
 * @nr_traced: events extent_change that were fired
 * @gc_writer: number of the process that collects garbage, or did so last
 * @gc_foreground: a task waits, or waited, for that
 * @epoch: grows before a worker waits until F2FS has made all changes that it has
 *	reported
 * @settled_epoch: F2FS has made all that it reported in this epoch and before
 */
struct ft_volume {
	struct list_head node;
	refcount_t ref;

	struct super_block *sb;
	struct super_block *live_sb;
	const void *info;
	struct mutex sb_lock;
	void (*forget)(struct ft_volume *vol);
	dev_t dev;
	dev_t more_devs[FT_MAX_DEVICES - 1];
	char *mountpoint;
	u32 sit_blkaddr;
	u32 nat_blkaddr;
	u32 ssa_blkaddr;
	u32 main_blkaddr;
	u32 blocks;
	u32 segment_blocks;

	struct fsnotify_mark mark;

	struct xarray inodes;
	atomic_t nr_inodes;
	atomic_t nr_dirs;
	atomic_t nr_stale;
	atomic_t nr_left_out;
	atomic_t nr_refused;
	u32 nr_nodes;
	atomic_t nr_unread;
	atomic_t nr_audits;
	atomic_t nr_resyncs;

	struct mutex ns_lock;
	struct rhashtable links;
	u32 names_seed;
	struct ft_inode *dropped;
	struct work_struct drop_work;
	struct work_struct end_work;
	struct mutex resync_lock;
	bool asking;
	bool names_moved;
	unsigned int nr_targets;

	spinlock_t queue_lock;
	struct rb_root_cached queue;
	unsigned long parked_due;
	unsigned int nr_parked;
	atomic_t nr_queued;
	struct ft_worker *worker;
	struct delayed_work *work;
	struct list_head workers;
	unsigned int nr_late;
	unsigned long sampled;
	unsigned long sample_due;
	unsigned long sample_ino;
	u32 sample_hurry;
	bool unsound;
	struct list_head reading;
	struct ft_logs *logs;
	struct ft_writers *writers;
	struct ft_tally *tally;
	struct ft_gc *gc;
	void *observed[FT_NR_OBSERVERS];
	u64 counted_since[FT_NR_OBSERVERS];
	atomic_t nr_traced;
	u32 gc_writer;
	bool gc_foreground;
	u32 epoch;
	u32 settled_epoch;
};

extern struct list_head ft_volumes;

struct ft_volume *ft_volume_new(struct super_block *sb, const char *mountpoint);
void ft_volume_free(struct ft_volume *vol);
void ft_volume_list(struct ft_volume *vol);
void ft_volume_unlist(struct ft_volume *vol);
struct ft_volume *ft_volume_find(const struct super_block *sb);
struct ft_volume *ft_volume_find_info(const void *info);
struct ft_volume *ft_volume_find_dev(dev_t dev);
struct ft_volume *ft_volume_nth(unsigned int n);

/* The statement after it must not leave the loop: each volume is held meanwhile. */
#define ft_for_each_volume(vol, n) \
	for (n = 0; ((vol) = ft_volume_nth(n)); ft_volume_put(vol), n++)

void ft_volume_visit(struct ft_volume *vol,
		     void (*func)(struct ft_inode *rec, void *arg), void *arg);
void ft_volume_visit_all(void (*func)(struct ft_inode *rec, void *arg), void *arg);
void ft_volume_get(struct ft_volume *vol);
void ft_volume_put(struct ft_volume *vol);
void ft_volume_await_freed(void);
struct super_block *ft_volume_hold_sb(struct ft_volume *vol);
void ft_volume_drop_sb(struct super_block *sb);

void ft_volume_read_begin(struct ft_volume *vol, struct ft_reading *reading);
void ft_volume_read_end(struct ft_volume *vol, struct ft_reading *reading);
void ft_volume_await_read(struct ft_volume *vol, unsigned long ino);

/* Is the super block going away? If not, sb_lock or queue_lock keeps it. */
static inline bool ft_volume_gone(const struct ft_volume *vol)
{
	return !READ_ONCE(vol->live_sb);
}

/* How many files and directories are left out because memory is short? */
static inline unsigned int ft_volume_left_out(const struct ft_volume *vol)
{
	return atomic_read(&vol->nr_left_out) + atomic_read(&vol->nr_refused);
}

/*
 * Has F2FS made all changes that it had reported in this epoch of a file? The numbers
 * may wrap: only those between the two of the volume are not settled.
 */
static inline bool ft_volume_epoch_settled(const struct ft_volume *vol, u32 epoch)
{
	u32 settled = READ_ONCE(vol->settled_epoch);

	return epoch - settled - 1 >= READ_ONCE(vol->epoch) - settled;
}

static inline struct ft_volume *ft_mark_volume(struct fsnotify_mark *mark)
{
	return container_of(mark, struct ft_volume, mark);
}

#endif
