// SPDX-License-Identifier: GPL-2.0-only
/*
 * The workers of a volume: they take inodes from its queue in turn, one step each.
 *
 * In: the queue of a volume. Out: steps of file.c and dir.c; dead records are
 * released. A volume has one worker, and in addition those whose last step is late
 * (see step.h).
 */

#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>

#include "core/base.h"
#include "core/memory.h"
#include "core/queue.h"
#include "core/volume.h"
#include "maps/inode.h"
#include "maps/names.h"
#include "scan/scan.h"
#include "scan/worker.h"

/* A step is late if it has not ended so long after SIGKILL. */
#define STEP_LATE	msecs_to_jiffies(300)
/*
 * With more late steps the volume as a whole would be stuck; with more than one that
 * waits for the disk it is stuck anyway.
 */
#define MAX_LATE	32
#define MAX_LATE_ON_DISK	1

static void run_worker(struct work_struct *work);
static void watch_step(struct work_struct *work);

/* === Life ================================================================= */

static struct ft_worker *new_worker(struct ft_volume *vol)
{
	struct ft_worker *w = ft_mem_zalloc(sizeof(*w), GFP_KERNEL);

	if (!w)
		return NULL;
	w->vol = vol;
	spin_lock_init(&w->lock);
	INIT_DELAYED_WORK(&w->work, run_worker);
	INIT_DELAYED_WORK(&w->watchdog, watch_step);
	return w;
}

/* The worker is in no list any more: no probe finds it. */
static void free_worker(struct ft_worker *w)
{
	cancel_delayed_work_sync(&w->watchdog);
	ft_mem_free(w, sizeof(*w));
}

/**
 * ft_worker_start() - create the worker of a volume
 * @vol: the volume; nothing else uses it yet
 *
 * Return: 0 or -ENOMEM.
 */
int ft_worker_start(struct ft_volume *vol)
{
	INIT_LIST_HEAD(&vol->workers);
	vol->worker = new_worker(vol);
	if (!vol->worker)
		return -ENOMEM;
	vol->work = &vol->worker->work;
	list_add_rcu(&vol->worker->node, &vol->workers);
	ft_sample_start(vol);
	return 0;
}

/* === The watchdog ========================================================= */

/*
 * Another worker takes over from a late one, unless there are @most late ones. False if
 * that is not possible.
 */
static bool take_over(struct ft_worker *w, unsigned int most)
{
	struct ft_volume *vol = w->vol;
	struct ft_worker *next;

	/* rmmod fails with "in use" instead of waiting */
	if (READ_ONCE(vol->nr_late) >= most || !try_module_get(THIS_MODULE))
		return false;
	/* bounded, and more important than a map: charged, never refused */
	next = new_worker(vol);
	if (!next) {
		module_put(THIS_MODULE);
		return false;
	}
	/* for the late worker */
	ft_volume_get(vol);
	spin_lock(&vol->queue_lock);
	if (vol->nr_late < most && w->running && !w->late) {
		w->late = true;
		vol->nr_late++;
		list_add_rcu(&next->node, &vol->workers);
		vol->worker = next;
		vol->work = &next->work;
		next = NULL;
		/* the late worker is freed after this run: do not queue it again */
		cancel_delayed_work(&w->work);
		ft_queue_wake_worker(vol);
	}
	spin_unlock(&vol->queue_lock);
	if (next) {
		free_worker(next);
		ft_volume_put(vol);
		module_put(THIS_MODULE);
		return false;
	}
	ft_count(FT_STEPS_LATE);
	/* ft_worker_stop() waits for the current worker, which is another one now */
	wake_up_all(&ft_settled);
	return true;
}

/* The watchdog: a step takes long. */
static void watch_step(struct work_struct *work)
{
	struct ft_worker *w = container_of(to_delayed_work(work), struct ft_worker, watchdog);
	unsigned int most = MAX_LATE;
	unsigned long again = 0;
	bool late = false;

	spin_lock(&w->lock);
	if (!w->sb) {
		/* the step has just ended */
	} else if (time_before(jiffies, w->since + FT_STEP_LIMIT)) {
		/* another step has begun, its time limit is later */
	} else if (!w->killed) {
		w->killed = true;
		if (w->killable)
			send_sig(SIGKILL, w->killable, 1);
		again = STEP_LATE;
	} else {
		/* without an active reference left, umount waits already */
		if (!w->active && atomic_inc_not_zero(&w->sb->s_active)) {
			w->active = true;
			up_read_non_owner(&w->sb->s_umount);
		}
		late = true;
		if (w->task->in_iowait)
			most = MAX_LATE_ON_DISK;
	}
	spin_unlock(&w->lock);

	/* a late worker stays late until its step has ended */
	if (late && !READ_ONCE(w->late) && !take_over(w, most))
		again = FT_STEP_LIMIT;
	if (again)
		queue_delayed_work(ft_wq, &w->watchdog, again);
}

/* === Running ============================================================== */

/*
 * Release a record whose inode is gone; otherwise return false.
 *
 * The state is read under the lock: ft_inode_remove() holds it from marking the
 * record dead until the record is queued. Otherwise the table's reference might be
 * put before the reference of the queue is taken.
 */
static bool forget(struct ft_inode *rec)
{
	bool dead, first;

	ft_inode_lock(rec);
	dead = ft_inode_is_dead(rec);
	first = rec->state == FT_DEAD;
	if (first)
		ft_inode_change(rec, FT_FORGOTTEN);
	spin_unlock(&rec->lock);
	if (!first)
		return dead;

	ft_file_cancel(rec);
	/* the directory may be created again */
	if (ft_inode_is_target(rec))
		ft_target_kick();
	ft_names_forget(rec);
	ft_inode_put(rec);	/* the table's */
	return true;
}

static void requeue(struct ft_inode *rec, bool held)
{
	guard(ft_record)(rec);
	if (!ft_inode_followed(rec))
		; /* left out, or gone */
	else if (held)
		ft_queue_add_held(rec);
	else
		ft_queue_add(rec);
}

static void take_steps(struct ft_worker *w)
{
	struct ft_volume *vol = w->vol;
	struct ft_inode *rec;
	enum ft_step step;

	/* a late worker leaves the queue to others, unless the volume is gone */
	while (!READ_ONCE(w->late) || ft_volume_gone(vol)) {
		rec = ft_queue_take(vol);
		if (!rec && ft_sample_step(w))
			continue;
		if (!rec)
			break;
		step = FT_STEP_LAST;
		if (!forget(rec) && !ft_volume_gone(vol))
			step = ft_file_step(w, rec);
		if (step != FT_STEP_HELD)
			rec->held = 0;
		if (step == FT_STEP_AGAIN || step == FT_STEP_HELD)
			requeue(rec, step == FT_STEP_HELD);
		ft_queue_give_back(rec, step);
		ft_inode_put(rec);
		cond_resched();
	}
	if (w->sample)
		ft_sample_end(w);
}

/* End a late worker, whose step has ended. */
static void leave(struct ft_worker *w)
{
	struct ft_volume *vol = w->vol;

	spin_lock(&vol->queue_lock);
	list_del_rcu(&w->node);
	vol->nr_late--;
	spin_unlock(&vol->queue_lock);
	synchronize_rcu();
	free_worker(w);
	ft_volume_put(vol);
	/* unloading destroys ft_wq, which waits for the end of this function */
	module_put(THIS_MODULE);
}

static void run_worker(struct work_struct *work)
{
	struct ft_worker *w = container_of(to_delayed_work(work), struct ft_worker, work);
	struct ft_volume *vol = w->vol;
	bool late;

	spin_lock(&vol->queue_lock);
	w->running = true;
	spin_unlock(&vol->queue_lock);

	take_steps(w);

	spin_lock(&vol->queue_lock);
	late = w->late;
	w->running = false;
	if (!late)
		ft_queue_wake_worker(vol);
	spin_unlock(&vol->queue_lock);
	wake_up_all(&ft_settled);
	if (late)
		leave(w);
}

/* Is the worker between two runs? A late worker has been replaced by another. */
static bool is_idle(struct ft_volume *vol)
{
	guard(ft_spinlock)(&vol->queue_lock);
	return !vol->worker->running;
}

/**
 * ft_worker_stop() - release all inodes, and end the worker
 * @vol: the volume; it is gone, and no inode is added any more
 *
 * Late workers end by themselves.
 *
 * Context: process. Waits for one step, but for no more than the watchdog allows.
 */
void ft_worker_stop(struct ft_volume *vol)
{
	struct ft_inode *rec;
	unsigned long ino;

	wait_event(ft_settled, is_idle(vol));
	cancel_delayed_work_sync(&vol->worker->work);
	xa_for_each(&vol->inodes, ino, rec) {
		ft_inode_remove(rec);
		cond_resched();
	}
	/* the volume is gone: one run drops all that is queued, without waiting */
	take_steps(vol->worker);
	spin_lock(&vol->queue_lock);
	list_del_rcu(&vol->worker->node);
	spin_unlock(&vol->queue_lock);
	synchronize_rcu();
	free_worker(vol->worker);
	vol->worker = NULL;
}
