// SPDX-License-Identifier: GPL-2.0-only
/*
 * A mounted F2FS with watched directories in it.
 *
 * A volume must never keep its file system from being unmounted: it holds no
 * reference to the mount or the super block. An fsnotify mark on the super
 * block tells of its end instead: freeing_mark() below runs inside umount,
 * before anything of the super block goes away. Who uses the super block takes
 * s_umount first (without waiting), which umount needs for itself.
 */

#include <linux/buffer_head.h>
#include <linux/f2fs_fs.h>
#include <linux/magic.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "compat.h"
#include "fragtrace.h"

LIST_HEAD(ft_volumes);			/* under RCU */
static DEFINE_SPINLOCK(volumes_lock);	/* protects changes of ft_volumes */

/* Woken when all that was wanted of a volume has been done, or it is gone. */
DECLARE_WAIT_QUEUE_HEAD(ft_settled);

static struct fsnotify_group *group;
static atomic_t nr_volumes = ATOMIC_INIT(0);	/* not freed yet */

/* === Finding ============================================================== */

/**
 * ft_volume_find() - the volume of a super block
 * @sb: the super block
 *
 * Context: RCU read section.
 * Return: the volume, valid until the end of the section; NULL if no directory
 * on it is watched.
 */
struct ft_volume *ft_volume_find(const struct super_block *sb)
{
	struct ft_volume *vol;

	list_for_each_entry_rcu(vol, &ft_volumes, node)
		if (vol->sb == sb)
			return vol;
	return NULL;
}

/**
 * ft_volume_get() - take a reference
 * @vol: the volume
 */
void ft_volume_get(struct ft_volume *vol)
{
	refcount_inc(&vol->ref);
}

/**
 * ft_volume_put() - give a reference back
 * @vol: the volume
 *
 * Context: process; may sleep.
 */
void ft_volume_put(struct ft_volume *vol)
{
	if (!refcount_dec_and_test(&vol->ref))
		return;
	synchronize_rcu();
	ft_names_destroy(vol);
	xa_destroy(&vol->inodes);
	kfree(vol->mountpoint);
	kfree(vol);
	if (atomic_dec_and_test(&nr_volumes))
		wake_up_all(&ft_settled);
}

/**
 * ft_volume_hold_sb() - keep the super block from going away for a moment
 * @vol: the volume
 *
 * Never waits for umount, so umount waits for no more than what the caller
 * does before ft_volume_drop_sb().
 *
 * Return: the super block with s_umount held shared, or NULL: not now, or
 * (see ft_volume_gone()) never again.
 */
struct super_block *ft_volume_hold_sb(struct ft_volume *vol)
{
	struct super_block *sb = NULL;

	mutex_lock(&vol->sb_lock);
	if (!ft_volume_gone(vol) && down_read_trylock(&vol->sb->s_umount))
		sb = vol->sb;
	mutex_unlock(&vol->sb_lock);

	/* on a frozen one, to let go of an inode might wait for the thaw */
	if (sb && (!(sb->s_flags & SB_ACTIVE) ||
		   sb->s_writers.frozen != SB_UNFROZEN)) {
		ft_volume_drop_sb(sb);
		sb = NULL;
	}
	return sb;
}

/**
 * ft_volume_drop_sb() - undo ft_volume_hold_sb()
 * @sb: the super block
 */
void ft_volume_drop_sb(struct super_block *sb)
{
	up_read(&sb->s_umount);
}

/**
 * ft_volume_stopped() - has F2FS stopped, by a shutdown or an error?
 * @vol: the volume
 *
 * Until the volume is mounted anew F2FS writes nothing, and what it says of files
 * need not be so. Nothing is asked of it.
 *
 * Context: process; may sleep.
 * Return: true if so; false also if that cannot be asked for now.
 */
bool ft_volume_stopped(struct ft_volume *vol)
{
	struct super_block *sb = ft_volume_hold_sb(vol);
	bool stopped;

	if (!sb)
		return false;
	stopped = ft_probe_stopped(sb);
	ft_volume_drop_sb(sb);
	return stopped;
}

/* === Attaching ============================================================ */

/*
 * Where the main area begins and the volume ends, from the disk's own words.
 * s_umount is held.
 */
static int read_geometry(struct ft_volume *vol)
{
	const struct f2fs_super_block *raw;
	struct buffer_head *bh;
	unsigned int copy;

	for (copy = 0; copy < 2; copy++) {
		bh = sb_bread(vol->sb, copy);
		if (!bh)
			continue;
		raw = (void *)bh->b_data + F2FS_SUPER_OFFSET;
		if (le32_to_cpu(raw->magic) == F2FS_SUPER_MAGIC) {
			vol->main_blkaddr = le32_to_cpu(raw->main_blkaddr);
			vol->segment_blocks =
				1U << le32_to_cpu(raw->log_blocks_per_seg);
			WRITE_ONCE(vol->blocks, vol->main_blkaddr +
				   le32_to_cpu(raw->segment_count_main) *
				   vol->segment_blocks);
			brelse(bh);
			return 0;
		}
		brelse(bh);
	}
	return -EIO;
}

/**
 * ft_volume_measure() - find out anew where the volume ends
 * @vol: the volume; it may have been resized
 *
 * If that cannot be asked for now the old answer stays.
 *
 * Context: process; may sleep.
 */
void ft_volume_measure(struct ft_volume *vol)
{
	struct super_block *sb = ft_volume_hold_sb(vol);

	if (!sb)
		return;
	read_geometry(vol);
	ft_volume_drop_sb(sb);
}

/**
 * ft_volume_attach() - begin to follow a mounted F2FS
 * @sb: its super block, s_umount held
 * @mountpoint: where it is mounted
 * @loud: say in the log why it cannot be followed
 *
 * Context: process, ft_targets_lock held.
 * Return: the volume, also if it was attached before; or an ERR_PTR: -ENOMEM,
 * -EIO if its super block cannot be read, -EOPNOTSUPP if its blocks are not of
 * 4096 bytes.
 */
struct ft_volume *ft_volume_attach(struct super_block *sb,
				   const char *mountpoint, bool loud)
{
	struct ft_volume *vol;
	int err;

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
	vol = kzalloc(sizeof(*vol), GFP_KERNEL);
	if (!vol)
		return ERR_PTR(-ENOMEM);
	vol->sb = sb;
	vol->live_sb = sb;
	vol->dev = sb->s_dev;
	vol->epoch = 1;
	mutex_init(&vol->sb_lock);
	mutex_init(&vol->resync_lock);
	xa_init(&vol->inodes);
	ft_queue_init(vol);
	refcount_set(&vol->ref, 1);

	err = read_geometry(vol);
	if (err) {
		if (loud)
			pr_err("%s: its super block cannot be read\n",
			       mountpoint);
		goto err_free;
	}
	err = -ENOMEM;
	vol->mountpoint = kstrdup(mountpoint, GFP_KERNEL);
	if (!vol->mountpoint)
		goto err_free;
	err = ft_names_init(vol);
	if (err)
		goto err_mountpoint;
	err = ft_worker_start(vol);
	if (err)
		goto err_names;

	atomic_inc(&nr_volumes);
	fsnotify_init_mark(&vol->mark, group);
	vol->mark.mask = FS_CREATE | FS_DELETE | FS_RENAME;
	ft_volume_get(vol);
	err = ft_fsnotify_add_sb_mark(&vol->mark, sb);
	if (err) {
		ft_worker_stop(vol);
		/* its last reference: free_mark() drops the one just taken */
		fsnotify_put_mark(&vol->mark);
		ft_volume_put(vol);
		return ERR_PTR(err);
	}
	spin_lock(&volumes_lock);
	list_add_tail_rcu(&vol->node, &ft_volumes);
	spin_unlock(&volumes_lock);
	return vol;

err_names:
	ft_names_destroy(vol);
err_mountpoint:
	kfree(vol->mountpoint);
err_free:
	kfree(vol);
	return ERR_PTR(err);
}

/* === Detaching ============================================================ */

/* The mark goes: by umount, with s_umount held, or by ft_volume_detach(). */
static void freeing_mark(struct fsnotify_mark *mark, struct fsnotify_group *g)
{
	struct ft_volume *vol = ft_mark_volume(mark);

	spin_lock(&volumes_lock);
	list_del_rcu(&vol->node);
	spin_unlock(&volumes_lock);

	mutex_lock(&vol->sb_lock);
	spin_lock(&vol->queue_lock);
	WRITE_ONCE(vol->live_sb, NULL);
	spin_unlock(&vol->queue_lock);
	mutex_unlock(&vol->sb_lock);
	wake_up_all(&ft_settled);
	/* target.c lets go of the rest */
	ft_target_kick();
}

static void free_mark(struct fsnotify_mark *mark)
{
	ft_volume_put(ft_mark_volume(mark));
}

/**
 * ft_volume_detach() - let go of a volume, be it mounted or not
 * @vol: the volume; no target refers to it any more
 *
 * Context: process, ft_targets_lock held. Waits for a step of the worker, for no
 * more than its watchdog allows.
 */
void ft_volume_detach(struct ft_volume *vol)
{
	fsnotify_destroy_mark(&vol->mark, group);
	/* it may be umount that is destroying it just now */
	wait_event(ft_settled, ft_volume_gone(vol));
	fsnotify_put_mark(&vol->mark);
	/* no probe may create an inode behind our back */
	synchronize_rcu();
	ft_names_stop(vol);
	ft_worker_stop(vol);
	ft_volume_put(vol);
}

static const struct fsnotify_ops notify_ops = {
	.handle_event = ft_names_event,
	.freeing_mark = freeing_mark,
	.free_mark = free_mark,
};

/**
 * ft_volume_init() - prepare to follow volumes
 *
 * Return: 0 or what fsnotify said.
 */
int ft_volume_init(void)
{
	group = fsnotify_alloc_group(&notify_ops, 0);
	return PTR_ERR_OR_ZERO(group);
}

/**
 * ft_volume_exit() - undo ft_volume_init()
 *
 * Context: process, all volumes detached. When it returns no callback of ours
 * is running and none will.
 */
void ft_volume_exit(void)
{
	ft_inode_flush_freed();
	/* an umount may still be on its way through freeing_mark() */
	wait_event(ft_settled, !atomic_read(&nr_volumes));
	fsnotify_wait_marks_destroyed();
	fsnotify_put_group(group);
}
