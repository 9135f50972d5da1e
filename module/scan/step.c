// SPDX-License-Identifier: GPL-2.0-only
/*
 * One step of a scan: hold the super block and the inode, for a short time.
 *
 * In: an inode that a worker has taken. Out: the inode of F2FS, for file.c and
 * dir.c. A step leaves no reference after its end, so that umount never fails. It
 * uses nothing that needs a path, since a path pins the mount: inodes are found by
 * number, and directories are read without an open file. A step does not wait for
 * a lock that a user can hold either: it tries the lock of the inode, and comes
 * again later. The watchdog (see step.h) limits what F2FS waits for.
 */

#include <linux/delay.h>
#include <linux/exportfs.h>
#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/sched/signal.h>

#include "core/base.h"
#include "core/volume.h"
#include "f2fs/state.h"
#include "maps/inode.h"
#include "maps/names.h"
#include "scan/step.h"

/* How often the lock of an inode is tried in one step, and how far apart. */
#define LOCK_TRIES		16
#define LOCK_PAUSE_US		50

/* === The super block ====================================================== */

/* The time limit begins now. w->lock is held. */
static void start_watchdog(struct ft_worker *w)
{
	w->since = jiffies;
	w->killed = false;
	mod_delayed_work(ft_wq, &w->watchdog, FT_STEP_LIMIT);
}

/* Returns NULL if the super block is not available now. */
static struct super_block *hold_sb(struct ft_worker *w)
{
	struct super_block *sb = ft_volume_hold_sb(w->vol);

	if (!sb)
		return NULL;
	guard(ft_spinlock)(&w->lock);
	w->sb = sb;
	w->task = current;
	start_watchdog(w);
	return sb;
}

/*
 * @w holds no inode any more. This may unmount the file system, if all other
 * references were dropped during a late step.
 */
static void drop_sb(struct ft_worker *w)
{
	struct super_block *sb;
	bool active;

	cancel_delayed_work(&w->watchdog);
	spin_lock(&w->lock);
	sb = w->sb;
	active = w->active;
	w->sb = NULL;
	w->task = NULL;
	w->active = false;
	spin_unlock(&w->lock);

	if (!active) {
		ft_volume_drop_sb(sb);
		return;
	}
	/* the watchdog has dropped the lock that this task had taken */
	rwsem_release(&sb->s_umount.dep_map, _THIS_IP_);
	deactivate_super(sb);
}

/* === Inodes by number ===================================================== */

/*
 * Get the inode of a record, also if it is not in memory. The export operation for
 * file servers reads an inode by its number; the number must still belong to it.
 * It does while the record has a name: a task that removes a name of the inode being
 * read waits in maps/names.c before the inode is freed. Only this task does, as reading may
 * wait for the disk.
 *
 * Returns an ERR_PTR: -ENOENT or -ESTALE if the inode is gone, others may pass.
 */
static struct inode *get_inode(struct ft_volume *vol, struct super_block *sb, struct ft_inode *rec)
{
	struct fid fid = { .i32 = { .ino = rec->ino } };
	struct inode *inode = ilookup(sb, rec->ino);
	struct ft_reading reading = { .ino = rec->ino };
	struct dentry *dentry;
	bool named;

	if (inode)
		return inode;

	mutex_lock(&vol->ns_lock);
	named = !ft_inode_is_dead(rec) && (!hlist_empty(&rec->links) || ft_inode_is_target(rec));
	if (named)
		ft_volume_read_begin(vol, &reading);
	mutex_unlock(&vol->ns_lock);
	if (!named)
		return ERR_PTR(-ENOENT);

	inode = ERR_PTR(-ENOENT);
	dentry = sb->s_export_op->fh_to_dentry(sb, &fid, 2, FILEID_INO32_GEN);
	if (IS_ERR(dentry)) {
		inode = ERR_CAST(dentry);
	} else if (dentry) {
		inode = igrab(d_inode(dentry)) ?: inode;
		dput(dentry);
	}
	ft_volume_read_end(vol, &reading);
	return inode;
}

/**
 * ft_step_lock_is_free() - is the lock of an inode free?
 * @inode: the inode
 * @shared: FIEMAP shares the lock with readers
 *
 * F2FS takes this lock for FIEMAP, and has no trylock for it. A task that takes it
 * right after this test keeps the worker waiting; the watchdog limits the effect
 * on other files. The test itself takes the lock only beside readers: calls that
 * F2FS refuses while it is held are refused then anyway.
 *
 * Context: process; may sleep for a moment.
 * Return: true if it was free.
 */
bool ft_step_lock_is_free(struct inode *inode, bool shared)
{
	unsigned int n;

	for (n = 0; n < LOCK_TRIES; n++) {
		if (!inode_is_locked(inode))
			return true;
		if (shared && inode_trylock_shared(inode)) {
			inode_unlock_shared(inode);
			return true;
		}
		usleep_range(LOCK_PAUSE_US, 2 * LOCK_PAUSE_US);
	}
	return false;
}

/**
 * ft_step_lock_shared() - lock an inode unless others hold its lock
 * @inode: the inode
 *
 * Context: process; may sleep for a moment.
 * Return: true if it is locked, shared.
 */
bool ft_step_lock_shared(struct inode *inode)
{
	unsigned int n;

	for (n = 0; n < LOCK_TRIES; n++) {
		if (inode_trylock_shared(inode))
			return true;
		usleep_range(LOCK_PAUSE_US, 2 * LOCK_PAUSE_US);
	}
	return false;
}

/**
 * ft_step_begin() - begin a step: hold the super block, and get the inode
 * @w: the worker
 * @rec: the record of the inode; @w has taken it
 *
 * Context: process; @w is running. Takes ns_lock.
 * Return: the inode, until ft_step_end(); or an ERR_PTR: -EBUSY if it is not
 * available now, -ESHUTDOWN if F2FS has stopped, -ENOENT or -ESTALE if the inode is
 * gone, others may pass.
 */
struct inode *ft_step_begin(struct ft_worker *w, struct ft_inode *rec)
{
	struct super_block *sb = hold_sb(w);
	struct inode *inode;

	if (!sb)
		return ERR_PTR(-EBUSY);
	if (ft_state_stopped(sb))
		inode = ERR_PTR(-ESHUTDOWN);
	else
		inode = get_inode(w->vol, sb, rec);
	if (IS_ERR(inode))
		drop_sb(w);
	else
		ft_names_own(rec, inode);
	return inode;
}

/**
 * ft_step_end() - end a step: drop the inode and the super block
 * @w: the worker
 * @inode: the inode
 *
 * Context: process; @w is running.
 */
void ft_step_end(struct ft_worker *w, struct inode *inode)
{
	iput(inode);
	drop_sb(w);
}

/* === SIGKILL by the watchdog or an answer ================================= */

/**
 * ft_step_killable() - from now on SIGKILL ends what the step asks of F2FS
 * @w: the worker, between ft_step_begin() and ft_step_end()
 *
 * The watchdog sends it after the time limit, which starts again here; fiemap.c does
 * when it has all blocks.
 *
 * Context: process; @w is running.
 */
void ft_step_killable(struct ft_worker *w)
{
	allow_kernel_signal(SIGKILL);
	guard(ft_spinlock)(&w->lock);
	w->killable = current;
	start_watchdog(w);
}

/**
 * ft_step_not_killable() - undo ft_step_killable()
 * @w: the worker
 *
 * Context: process; @w is running. No signal is pending when it returns.
 */
void ft_step_not_killable(struct ft_worker *w)
{
	spin_lock(&w->lock);
	w->killable = NULL;
	spin_unlock(&w->lock);
	disallow_signal(SIGKILL);
}
