// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests of a user for everything that is watched: resync, audit.
 *
 * In: commands from debugfs, and the period of audits. Out: marks in the records,
 * for the workers. The user waits until all marks are gone.
 */

#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "core/base.h"
#include "core/volume.h"
#include "maps/inode.h"
#include "scan/audit.h"
#include "watch/path.h"
#include "watch/resync.h"
#include "watch/target.h"

static void run_periodic(struct work_struct *work);
static DECLARE_DELAYED_WORK(periodic_work, run_periodic);
static DEFINE_MUTEX(run_lock);		/* one audit at a time */
static unsigned int audit_secs;
static bool running;		/* until the module is unloaded */

/* === Waiting ============================================================== */

/* Wait until @nr is 0, the volume is gone or the module is unloaded. */
static int wait_for(struct ft_volume *vol, const atomic_t *nr)
{
	return wait_event_interruptible(ft_settled, ft_volume_gone(vol) ||
					!READ_ONCE(running) || !atomic_read(nr)) ? -EINTR : 0;
}

/* Call @func for the volume of the target at @path, or for all volumes. */
static int for_volumes(const char *path, int (*func)(struct ft_volume *vol))
{
	struct ft_volume **vols;
	int nr = ft_target_volumes(path, &vols), i, err = 0;

	if (nr < 0)
		return nr;
	for (i = 0; i < nr; i++) {
		if (!err)
			err = func(vols[i]);
		ft_volume_put(vols[i]);
	}
	kfree(vols);
	return err;
}

/* === Resync =============================================================== */

/*
 * Request a scan of everything, and wait for it. While marks are being set,
 * maps/names.c marks what it finds, whether its directory is marked or not. A second
 * resync would make the first one wait longer, so there is only one at a time.
 */
static int resync(struct ft_volume *vol)
{
	int err = mutex_lock_interruptible(&vol->resync_lock);

	if (err)
		return err;
	mutex_lock(&vol->ns_lock);
	vol->asking = true;
	mutex_unlock(&vol->ns_lock);
	ft_volume_visit(vol, ft_inode_request_resync, NULL);
	mutex_lock(&vol->ns_lock);
	vol->asking = false;
	mutex_unlock(&vol->ns_lock);
	err = wait_for(vol, &vol->nr_resyncs);
	mutex_unlock(&vol->resync_lock);
	return err;
}

/**
 * ft_resync_all() - scan everything again, and wait for it
 * @path: a watched directory; its whole volume is scanned. %NULL for all.
 *
 * Files that go stale or appear later are not waited for: on a busy volume there
 * may never be a moment when nothing is stale.
 *
 * Context: process; may wait long, a signal ends it.
 * Return: 0 when each file has been exact since, or was scanned several times
 * without success; -ENOENT if @path is not watched, -ENOMEM, -EINTR.
 */
int ft_resync_all(const char *path)
{
	return for_volumes(path, resync);
}

/* === Audit ================================================================ */

static int audit(struct ft_volume *vol)
{
	ft_path_mark_hidden(vol);
	ft_volume_visit(vol, ft_inode_request_audit, NULL);
	return wait_for(vol, &vol->nr_audits);
}

/**
 * ft_resync_audit() - audit everything that is watched, and wait for it
 * @path: a watched directory; its whole volume is audited. %NULL for all.
 *
 * Context: process; may wait long, a signal ends the waiting.
 * Return: 0, also if files differ; -ENOENT if @path is not watched; -EINTR.
 */
int ft_resync_audit(const char *path)
{
	int err = mutex_lock_interruptible(&run_lock);

	if (err)
		return err;
	ft_audit_begin();
	err = for_volumes(path, audit);
	ft_audit_end(!err);
	mutex_unlock(&run_lock);
	return err;
}

/* Plan the next periodic audit, if there is to be one. */
static void plan_next(void)
{
	unsigned int secs = READ_ONCE(audit_secs);

	if (READ_ONCE(running) && secs)
		queue_delayed_work(ft_wq, &periodic_work, msecs_to_jiffies(1000 * (u64)secs));
}

static void run_periodic(struct work_struct *work)
{
	ft_resync_audit(NULL);
	plan_next();
}

static int set_audit_secs(const char *val, const struct kernel_param *kp)
{
	int err = param_set_uint_minmax(val, kp, 0, 1000000);

	if (!err) {
		cancel_delayed_work(&periodic_work);
		plan_next();
	}
	return err;
}

static const struct kernel_param_ops audit_secs_ops = {
	.set = set_audit_secs,
	.get = param_get_uint,
};

module_param_cb(audit_secs, &audit_secs_ops, &audit_secs, 0644);
MODULE_PARM_DESC(audit_secs, "compare all maps with F2FS this often, in seconds (default: 0, never)");

/**
 * ft_resync_init() - start the periodic audits, if audit_secs is set
 */
void ft_resync_init(void)
{
	WRITE_ONCE(running, true);
	plan_next();
}

/**
 * ft_resync_exit() - end the periodic audits, drop the report
 *
 * Context: process; no reader or writer of the report is left.
 */
void ft_resync_exit(void)
{
	/* set_audit_secs() runs with this lock held, too */
	kernel_param_lock(THIS_MODULE);
	WRITE_ONCE(running, false);
	kernel_param_unlock(THIS_MODULE);
	wake_up_all(&ft_settled);
	cancel_delayed_work_sync(&periodic_work);
	ft_audit_forget();
}
