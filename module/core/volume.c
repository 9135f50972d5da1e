// SPDX-License-Identifier: GPL-2.0-only
/*
 * A volume: a mounted F2FS with watched directories in it.
 *
 * A volume must never keep its file system from being unmounted: it holds no
 * reference to the mount or the super block. A user of the super block takes
 * s_umount first, by trylock; umount needs that lock.
 */

#include <linux/array_size.h>
#include <linux/fs.h>
#include <linux/rculist.h>
#include <linux/string.h>

#include "core/base.h"
#include "core/memory.h"
#include "core/volume.h"

LIST_HEAD(ft_volumes);			/* under RCU */
static DEFINE_SPINLOCK(volumes_lock);	/* protects changes of ft_volumes */

static atomic_t nr_volumes = ATOMIC_INIT(0);	/* not freed yet */
static unsigned int nr_gone;	/* how often one was taken off the list; volumes_lock held */

/* === Finding ============================================================== */

/**
 * ft_volume_list() - let others find a volume from now on
 * @vol: the volume
 */
void ft_volume_list(struct ft_volume *vol)
{
	guard(ft_spinlock)(&volumes_lock);
	list_add_tail_rcu(&vol->node, &ft_volumes);
}

/**
 * ft_volume_unlist() - undo ft_volume_list()
 * @vol: the volume
 */
void ft_volume_unlist(struct ft_volume *vol)
{
	guard(ft_spinlock)(&volumes_lock);
	list_del_rcu(&vol->node);
	nr_gone++;
}

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
 * ft_volume_find_info() - the volume whose F2FS has this state
 * @info: struct f2fs_sb_info
 *
 * For functions of F2FS that do not get the super block.
 *
 * Context: RCU read section.
 * Return: as ft_volume_find().
 */
struct ft_volume *ft_volume_find_info(const void *info)
{
	struct ft_volume *vol;

	list_for_each_entry_rcu(vol, &ft_volumes, node)
		if (vol->info == info)
			return vol;
	return NULL;
}

static bool is_on(const struct ft_volume *vol, dev_t dev)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(vol->more_devs) && vol->more_devs[i]; i++)
		if (vol->more_devs[i] == dev)
			return true;
	return vol->dev == dev;
}

/**
 * ft_volume_find_dev() - the volume that has a device
 * @dev: the device
 *
 * Context: RCU read section.
 * Return: as ft_volume_find(); %NULL also once it is going away.
 */
struct ft_volume *ft_volume_find_dev(dev_t dev)
{
	struct ft_volume *vol;

	list_for_each_entry_rcu(vol, &ft_volumes, node)
		if (is_on(vol, dev) && !ft_volume_gone(vol))
			return vol;
	return NULL;
}

/**
 * ft_volume_nth() - a volume by its position in the list
 * @n: the position, from 0
 *
 * The list may change between two calls: one may be missed then, or seen twice.
 *
 * Context: any.
 * Return: the volume, to be given back by ft_volume_put(); NULL at the end.
 */
struct ft_volume *ft_volume_nth(unsigned int n)
{
	struct ft_volume *vol;

	guard(ft_rcu)();
	list_for_each_entry_rcu(vol, &ft_volumes, node)
		if (!n--)
			return refcount_inc_not_zero(&vol->ref) ? vol : NULL;
	return NULL;
}

/**
 * ft_volume_visit() - call a function for each record of a volume
 * @vol: the volume
 * @func: called in an RCU read section, which it may interrupt while it has a reference
 * @arg: for it
 *
 * Context: process; may sleep between two calls.
 */
void ft_volume_visit(struct ft_volume *vol,
		     void (*func)(struct ft_inode *rec, void *arg), void *arg)
{
	struct ft_inode *rec;
	unsigned long ino;

	rcu_read_lock();
	xa_for_each(&vol->inodes, ino, rec) {
		func(rec, arg);
		if (need_resched()) {
			rcu_read_unlock();
			cond_resched();
			rcu_read_lock();
		}
	}
	rcu_read_unlock();
}

static unsigned int count_gone(void)
{
	guard(ft_spinlock)(&volumes_lock);
	return nr_gone;
}

/**
 * ft_volume_visit_all() - ft_volume_visit() for all volumes
 * @func: as there; twice for some records, if a volume goes away meanwhile
 * @arg: for it
 *
 * Context: process; may sleep between two calls.
 */
void ft_volume_visit_all(void (*func)(struct ft_inode *rec, void *arg), void *arg)
{
	struct ft_volume *vol;
	unsigned int n, gone;

	/* when one goes, those behind it move up, and one is missed */
	do {
		gone = count_gone();
		ft_for_each_volume(vol, n)
			ft_volume_visit(vol, func, arg);
	} while (gone != count_gone());
}

/* === Life ================================================================= */

/**
 * ft_volume_new() - create a volume
 * @sb: its super block, s_umount held
 * @mountpoint: where it is mounted
 *
 * Return: the volume, for ft_volume_free() as long as it has no names, for
 * ft_volume_put() from then on; %NULL if memory is short.
 */
struct ft_volume *ft_volume_new(struct super_block *sb, const char *mountpoint)
{
	struct ft_volume *vol = ft_mem_zalloc(sizeof(*vol), GFP_KERNEL);
	size_t size = strlen(mountpoint) + 1;

	if (!vol)
		return NULL;
	vol->mountpoint = ft_mem_zalloc(size, GFP_KERNEL);
	if (!vol->mountpoint) {
		ft_mem_free(vol, sizeof(*vol));
		return NULL;
	}
	memcpy(vol->mountpoint, mountpoint, size);
	vol->sb = sb;
	vol->live_sb = sb;
	vol->info = sb->s_fs_info;
	vol->dev = sb->s_dev;
	vol->epoch = 1;
	mutex_init(&vol->sb_lock);
	mutex_init(&vol->resync_lock);
	xa_init(&vol->inodes);
	refcount_set(&vol->ref, 1);
	atomic_inc(&nr_volumes);
	return vol;
}

/**
 * ft_volume_free() - free a volume without references
 * @vol: the volume
 */
void ft_volume_free(struct ft_volume *vol)
{
	xa_destroy(&vol->inodes);
	if (vol->forget)
		vol->forget(vol);
	ft_mem_free(vol->mountpoint, strlen(vol->mountpoint) + 1);
	ft_mem_free(vol, sizeof(*vol));
	if (atomic_dec_and_test(&nr_volumes))
		wake_up_all(&ft_settled);
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
	rhashtable_destroy(&vol->links);
	ft_volume_free(vol);
}

/**
 * ft_volume_await_freed() - wait until all volumes are freed
 *
 * Context: process, all volumes detached.
 */
void ft_volume_await_freed(void)
{
	wait_event(ft_settled, !atomic_read(&nr_volumes));
}

/* === The super block ====================================================== */

/**
 * ft_volume_hold_sb() - keep the super block for a moment
 * @vol: the volume
 *
 * Never waits for umount. Umount waits only until the caller calls
 * ft_volume_drop_sb().
 *
 * Return: the super block with s_umount held shared, or NULL: not now, or
 * (see ft_volume_gone()) never again.
 */
struct super_block *ft_volume_hold_sb(struct ft_volume *vol)
{
	struct super_block *sb = vol->sb;

	guard(mutex)(&vol->sb_lock);
	if (ft_volume_gone(vol) || !down_read_trylock(&sb->s_umount))
		return NULL;
	/* on a frozen volume, iput() might wait for the thaw */
	if (sb->s_flags & SB_ACTIVE && sb->s_writers.frozen == SB_UNFROZEN)
		return sb;
	ft_volume_drop_sb(sb);
	return NULL;
}

/**
 * ft_volume_drop_sb() - undo ft_volume_hold_sb()
 * @sb: the super block
 */
void ft_volume_drop_sb(struct super_block *sb)
{
	up_read(&sb->s_umount);
}

/* === Inodes being read ==================================================== */

/**
 * ft_volume_read_begin() - an inode is going to be read by its number
 * @vol: the volume
 * @reading: the inode; it has a name, until ft_volume_read_end() or longer
 *
 * Context: process, ns_lock held.
 */
void ft_volume_read_begin(struct ft_volume *vol, struct ft_reading *reading)
{
	lockdep_assert_held(&vol->ns_lock);
	guard(ft_spinlock)(&vol->queue_lock);
	list_add(&reading->node, &vol->reading);
}

/**
 * ft_volume_read_end() - it has been read
 * @vol: the volume
 * @reading: the inode
 *
 * Context: process.
 */
void ft_volume_read_end(struct ft_volume *vol, struct ft_reading *reading)
{
	guard(ft_spinlock)(&vol->queue_lock);
	list_del(&reading->node);
	wake_up_all(&ft_settled);
}

static bool is_being_read(struct ft_volume *vol, unsigned long ino)
{
	const struct ft_reading *reading;

	guard(ft_spinlock)(&vol->queue_lock);
	list_for_each_entry(reading, &vol->reading, node)
		if (reading->ino == ino)
			return true;
	return false;
}

/**
 * ft_volume_await_read() - an inode has lost a name: wait until nobody is reading it
 * @vol: the volume
 * @ino: its number, which may be used for something else after that
 *
 * Context: process; ns_lock was held when the name was removed.
 */
void ft_volume_await_read(struct ft_volume *vol, unsigned long ino)
{
	wait_event(ft_settled, !is_being_read(vol, ino));
}
