// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sample: one file of a volume after the other is audited, for ever.
 *
 * In: files in state exact. Out: steps of file.c, which compares their maps with
 * FIEMAP. So a map that is wrong for a reason that no event and no check knows is
 * found, too (audit.c says it, and what follows from it).
 *
 * The worker of the volume takes these steps while no other inode is due. The file is
 * not queued: nobody waits for it. A file that is written to, changes, or is needed
 * for something else is left alone: its turn comes again. What the audits of the
 * sample cost is bounded by the pauses between them.
 */

#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/timer.h>
#include <linux/xarray.h>

#include "core/base.h"
#include "core/queue.h"
#include "core/volume.h"
#include "maps/inode.h"
#include "scan/scan.h"

/* How many records are looked at to find a file for the sample. */
#define MAX_LOOKED_AT	256
/*
 * After an audit the pause is so many times as long as it took, times sample_secs: by
 * default this takes 0.05 % of a CPU at most. Without sample_secs (sample_hurry), 3 %.
 */
#define PAUSE_SHARE	33

/* Between two steps of the same file. */
#define STEP_PAUSE	msecs_to_jiffies(20)

static unsigned int sample_secs = 60;

/* When the next file is due, if the last one took so long. */
static void set_due(struct ft_volume *vol, u64 ns)
{
	unsigned int secs = READ_ONCE(sample_secs);
	unsigned long pause = msecs_to_jiffies(1000 * secs);
	/* rounded up: most audits are short */
	unsigned long rest = nsecs_to_jiffies(PAUSE_SHARE * ns) + 1;

	lockdep_assert_held(&vol->queue_lock);
	WRITE_ONCE(vol->sampled, pause);
	if (READ_ONCE(vol->sample_hurry))
		pause = rest;
	else
		pause = round_jiffies_relative(max(pause, secs * rest));
	WRITE_ONCE(vol->sample_due, jiffies + pause);
}

/**
 * ft_sample_start() - prepare the sample of a volume
 * @vol: the volume; nothing else uses it yet
 */
void ft_sample_start(struct ft_volume *vol)
{
	spin_lock(&vol->queue_lock);
	set_due(vol, 0);
	spin_unlock(&vol->queue_lock);
	/* not always the same files first; the search begins anew at the last one */
	vol->sample_ino = get_random_u32() % max(READ_ONCE(vol->blocks) / 64, 1U);
}

static int set_sample_secs(const char *val, const struct kernel_param *kp)
{
	int err = param_set_uint_minmax(val, kp, 0, 1000000);
	struct ft_volume *vol;
	unsigned int n;

	if (err)
		return err;
	ft_for_each_volume(vol, n) {
		guard(ft_spinlock)(&vol->queue_lock);
		set_due(vol, 0);
		ft_queue_wake_worker(vol);
	}
	return 0;
}

static const struct kernel_param_ops sample_secs_ops = {
	.set = set_sample_secs,
	.get = param_get_uint,
};

module_param_cb(sample_secs, &sample_secs_ops, &sample_secs, 0644);
MODULE_PARM_DESC(sample_secs, "compare the map of one file with F2FS this often, in seconds (default: 60; 0: never)");

/* Take the next file of the sample, with a reference. %NULL if none is near. */
static struct ft_inode *next_file(struct ft_volume *vol)
{
	struct ft_inode *rec;
	unsigned int n;

	guard(ft_rcu)();
	for (n = 0; n < MAX_LOOKED_AT; n++) {
		rec = xa_find_after(&vol->inodes, &vol->sample_ino, ULONG_MAX, XA_PRESENT);
		if (!rec)
			vol->sample_ino = 0;
		if (!rec || !ft_inode_is_shown(rec))
			continue;
		guard(ft_record)(rec);
		if (rec->state == FT_EXACT && ft_queue_take_idle(rec))
			return rec;
	}
	return NULL;
}

/**
 * ft_sample_step() - take one step of the sample, if it is due
 * @w: the worker, which has nothing else to do now
 *
 * Context: process; may sleep. Takes ns_lock and rec->lock.
 * Return: false if nothing was due.
 */
bool ft_sample_step(struct ft_worker *w)
{
	struct ft_volume *vol = w->vol;
	u64 begun = ktime_get_ns();
	bool more;

	if (ft_volume_gone(vol))
		return false;
	if (!w->sample) {
		if (!READ_ONCE(vol->sampled) || time_before(jiffies, READ_ONCE(vol->sample_due)))
			return false;
		w->sample = next_file(vol);
		w->sample_ns = 0;
	}
	more = w->sample && ft_file_sample(w, w->sample) == FT_STEP_MORE &&
	       !ft_queue_wanted(w->sample);
	w->sample_ns += ktime_get_ns() - begun;
	if (more) /* writers wait for the lock of the file */
		schedule_timeout_uninterruptible(STEP_PAUSE);
	else
		ft_sample_end(w);
	return true;
}

/**
 * ft_sample_end() - give back the file of the sample, and set when the next one is due
 * @w: the worker
 *
 * Context: process.
 */
void ft_sample_end(struct ft_worker *w)
{
	struct ft_volume *vol = w->vol;

	if (w->sample) {
		ft_file_cancel(w->sample);
		ft_queue_give_back_idle(w->sample);
		ft_inode_put(w->sample);
		w->sample = NULL;
	}
	if (vol->sample_hurry)
		WRITE_ONCE(vol->sample_hurry, vol->sample_hurry - 1);
	guard(ft_spinlock)(&vol->queue_lock);
	set_due(vol, w->sample_ns);
}
