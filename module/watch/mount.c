// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaching volumes to a mounted F2FS, and detaching them.
 *
 * In: super blocks from target.c. Out: volumes. An fsnotify mark on the super
 * block reports its end: freeing_mark() below runs inside umount, before anything
 * of the super block is freed.
 */

#include <linux/buffer_head.h>
#include <linux/f2fs_fs.h>
#include <linux/magic.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "causes/gc.h"
#include "causes/logs.h"
#include "causes/tally.h"
#include "causes/writer.h"
#include "core/base.h"
#include "core/bounds.h"
#include "core/compat.h"
#include "core/memory.h"
#include "core/observer.h"
#include "core/queue.h"
#include "core/volume.h"
#include "f2fs/state.h"
#include "maps/inode.h"
#include "maps/names.h"
#include "probes/probe.h"
#include "scan/worker.h"
#include "watch/mount.h"

static struct fsnotify_group *group;
static atomic_t nr_ending = ATOMIC_INIT(0);	/* detached, records still there */

/* === Reading the volume's layout ========================================== */

/* A copy of the super block; if it is not cached, and @wait is not set, %NULL for now. */
static struct buffer_head *read_copy(struct super_block *sb, unsigned int copy, bool wait)
{
	struct buffer_head *bh;

	if (wait)
		return sb_bread(sb, copy);
	bh = sb_find_get_block(sb, copy);
	if (bh && buffer_uptodate(bh))
		return bh;
	brelse(bh);
	sb_breadahead(sb, copy);
	return NULL;
}

/*
 * Read from the super block on disk where the areas begin and the volume ends; not for
 * the first time, only where it ends: only that changes while it is mounted, and others
 * read the rest. s_umount is held.
 */
static int read_geometry(struct ft_volume *vol, bool first)
{
	const struct f2fs_super_block *raw;
	struct buffer_head *bh;
	unsigned int copy;

	for (copy = 0; copy < 2; copy++) {
		bh = read_copy(vol->sb, copy, first);
		if (!bh)
			continue;
		raw = (void *)bh->b_data + F2FS_SUPER_OFFSET;
		if (le32_to_cpu(raw->magic) == F2FS_SUPER_MAGIC) {
			if (first) {
				vol->sit_blkaddr = le32_to_cpu(raw->sit_blkaddr);
				vol->nat_blkaddr = le32_to_cpu(raw->nat_blkaddr);
				vol->ssa_blkaddr = le32_to_cpu(raw->ssa_blkaddr);
				vol->main_blkaddr = le32_to_cpu(raw->main_blkaddr);
				vol->segment_blocks = 1U << le32_to_cpu(raw->log_blocks_per_seg);
			}
			WRITE_ONCE(vol->blocks, vol->main_blkaddr +
				   le32_to_cpu(raw->segment_count_main) * vol->segment_blocks);
			brelse(bh);
			return 0;
		}
		brelse(bh);
	}
	return -EIO;
}

/**
 * ft_mount_measure() - read again where the volume ends
 * @vol: the volume; it may have been resized
 *
 * If that is not in memory now, the old end stays: a reader does not wait for a disk.
 * After a resize it is.
 *
 * Context: process; may sleep.
 */
void ft_mount_measure(struct ft_volume *vol)
{
	struct super_block *sb = ft_volume_hold_sb(vol);

	if (!sb)
		return;
	read_geometry(vol, false);
	ft_volume_drop_sb(sb);
}

/**
 * ft_mount_stopped() - has F2FS stopped, by a shutdown or an error?
 * @vol: the volume
 *
 * Until the next mount F2FS writes nothing, and what it reports of files may be
 * wrong. So nothing is asked of it.
 *
 * Context: process; may sleep.
 * Return: true if so; false also if the volume is being unmounted.
 */
bool ft_mount_stopped(struct ft_volume *vol)
{
	struct super_block *sb = ft_volume_hold_sb(vol);
	bool stopped;

	if (!sb)
		return false;
	stopped = ft_state_stopped(sb);
	ft_volume_drop_sb(sb);
	return stopped;
}

/**
 * ft_mount_may_be_mounted() - can a search for a volume succeed?
 *
 * Called again and again while a target waits. A path that is looked up may lead
 * through a slow mount or an automount: it is not looked up if there is nothing
 * to find.
 *
 * Context: process; may sleep.
 * Return: false if no F2FS that can be followed is mounted.
 */
bool ft_mount_may_be_mounted(void)
{
	struct file_system_type *type;
	bool mounted;

	/* otherwise get_fs_type() may load a module */
	if (!ft_attach_usable())
		return false;
	type = get_fs_type("f2fs");
	if (!type)
		return false;
	mounted = !hlist_empty(&type->fs_supers);
	module_put(type->owner);
	return mounted;
}

/* === What is kept besides the maps ========================================= */

/* Create what records causes of breaks, and the states of observers. */
static int remember(struct ft_volume *vol)
{
	if (!ft_observers_watch(vol))
		return -ENOMEM;
	if (!ft_causes_wanted())
		return 0;
	vol->logs = ft_logs_new();
	vol->writers = ft_writers_new();
	vol->tally = ft_tally_new();
	vol->gc = ft_gc_new();
	return vol->logs && vol->writers && vol->tally && vol->gc ? 0 : -ENOMEM;
}

static void forget(struct ft_volume *vol)
{
	ft_mem_free(vol->logs, sizeof(*vol->logs));
	ft_writers_free(vol->writers);
	ft_tally_free(vol->tally);
	ft_mem_free(vol->gc, sizeof(*vol->gc));
	ft_observers_forget(vol);
}

/* === Attaching ============================================================ */

/**
 * ft_mount_attach() - begin to follow a mounted F2FS
 * @sb: its super block, s_umount held
 * @mountpoint: where it is mounted
 * @loud: log why it cannot be followed
 *
 * Context: process, ft_targets_lock held.
 * Return: the volume, also if it was attached before; or an ERR_PTR: -ENOMEM,
 * -EIO if its super block cannot be read, -EOPNOTSUPP if its blocks are not of
 * one page.
 */
struct ft_volume *ft_mount_attach(struct super_block *sb, const char *mountpoint, bool loud)
{
	struct ft_volume *vol;
	unsigned int i;
	int err;

	static_assert(FT_MAX_DEVICES == MAX_DEVICES);
	rcu_read_lock();
	vol = ft_volume_find(sb);
	rcu_read_unlock();
	if (vol)
		return vol;

	if (sb->s_blocksize != FT_BLOCK_SIZE) {
		if (loud)
			pr_err("%s: blocks of %lu bytes are not supported, only %u\n",
			       mountpoint, sb->s_blocksize, FT_BLOCK_SIZE);
		return ERR_PTR(-EOPNOTSUPP);
	}
	vol = ft_volume_new(sb, mountpoint);
	if (!vol)
		return ERR_PTR(-ENOMEM);
	vol->forget = forget;
	for (i = 1; i < FT_MAX_DEVICES; i++)
		vol->more_devs[i - 1] = ft_state_device(sb, i);
	ft_queue_init(vol);
	err = remember(vol) ?: read_geometry(vol, true) ?: ft_worker_start(vol);
	if (err == -EIO && loud)
		pr_err("%s: its super block cannot be read\n", mountpoint);
	if (err)
		goto err_free;
	err = ft_names_init(vol);
	if (err)
		goto err_worker;

	fsnotify_init_mark(&vol->mark, group);
	vol->mark.mask = FS_CREATE | FS_DELETE | FS_RENAME;
	ft_volume_get(vol);
	err = ft_fsnotify_add_sb_mark(&vol->mark, sb);
	if (err) {
		ft_worker_stop(vol);
		/* free_mark() drops the reference just taken */
		fsnotify_put_mark(&vol->mark);
		ft_volume_put(vol);
		return ERR_PTR(err);
	}
	ft_volume_list(vol);
	return vol;

err_worker:
	ft_worker_stop(vol);
err_free:
	ft_volume_free(vol);
	return ERR_PTR(err);
}

/* === Detaching ============================================================ */

/* The mark is destroyed, by umount with s_umount held or by ft_mount_detach(). */
static void freeing_mark(struct fsnotify_mark *mark, struct fsnotify_group *g)
{
	struct ft_volume *vol = ft_mark_volume(mark);

	ft_volume_unlist(vol);
	mutex_lock(&vol->sb_lock);
	spin_lock(&vol->queue_lock);
	WRITE_ONCE(vol->live_sb, NULL);
	spin_unlock(&vol->queue_lock);
	mutex_unlock(&vol->sb_lock);
	wake_up_all(&ft_settled);
	/* target.c detaches the volume */
	ft_target_kick();
}

static void free_mark(struct fsnotify_mark *mark)
{
	ft_volume_put(ft_mark_volume(mark));
}

/* Drop all records. There may be a million, so no lock is held meanwhile. */
static void end_volume(struct work_struct *work)
{
	struct ft_volume *vol = container_of(work, struct ft_volume, end_work);

	/* after that no probe creates a record */
	synchronize_rcu();
	ft_names_stop(vol);
	ft_worker_stop(vol);
	ft_inode_flush_freed();
	ft_volume_put(vol);
	if (atomic_dec_and_test(&nr_ending)) {
		wake_up_all(&ft_settled);
		ft_target_kick();
	}
}

/**
 * ft_mount_detach() - stop following a volume, mounted or not
 * @vol: the volume; no target refers to it any more
 *
 * Its records are dropped later, see ft_mount_ending().
 *
 * Context: process, ft_targets_lock held.
 */
void ft_mount_detach(struct ft_volume *vol)
{
	fsnotify_destroy_mark(&vol->mark, group);
	/* umount may be destroying it at the same time */
	wait_event(ft_settled, ft_volume_gone(vol));
	fsnotify_put_mark(&vol->mark);
	atomic_inc(&nr_ending);
	INIT_WORK(&vol->end_work, end_volume);
	queue_work(ft_wq, &vol->end_work);
}

/**
 * ft_mount_ending() - are records of detached volumes still there?
 *
 * They use memory that a volume attached now would lack.
 *
 * Context: any. ft_settled is woken, and ft_target_kick() called, when this
 * becomes false.
 * Return: true if so.
 */
bool ft_mount_ending(void)
{
	return atomic_read(&nr_ending);
}

static const struct fsnotify_ops notify_ops = {
	.handle_event = ft_names_event,
	.freeing_mark = freeing_mark,
	.free_mark = free_mark,
};

/**
 * ft_mount_init() - prepare to follow volumes
 *
 * Return: 0 or the error of fsnotify.
 */
int ft_mount_init(void)
{
	group = fsnotify_alloc_group(&notify_ops, 0);
	return PTR_ERR_OR_ZERO(group);
}

/**
 * ft_mount_exit() - undo ft_mount_init()
 *
 * Context: process, all volumes detached. After it no callback of this module
 * runs.
 */
void ft_mount_exit(void)
{
	ft_inode_flush_freed();
	/* an umount may still be inside freeing_mark() */
	ft_volume_await_freed();
	fsnotify_wait_marks_destroyed();
	fsnotify_put_group(group);
}
