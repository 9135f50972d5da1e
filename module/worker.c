// SPDX-License-Identifier: GPL-2.0-only
/*
 * The workers of a volume: they take inodes from its queue in turn, one step each.
 *
 * In: the queue of a volume. Out: steps of scan.c and walk.c, dead records let
 * go of. A volume has one worker, and beside it those whose last step is late
 * (worker.h says what becomes of them).
 */

#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "fragtrace.h"
#include "inode.h"
#include "memory.h"
#include "names.h"
#include "queue.h"
#include "scan.h"
#include "volume.h"
#include "worker.h"

/* A step that was killed, and has gone on for so long after that, is late. */
#define STEP_LATE	msecs_to_jiffies(300)
/* More of them would mean that the volume as a whole is stuck. */
#define MAX_LATE	32

static void run_worker(struct work_struct *work);
static void watch_step(struct work_struct *work);

/* === Life ================================================================= */

static struct ft_worker *new_worker(struct ft_volume *vol)
{
	struct ft_worker *w = kvzalloc(sizeof(*w), GFP_KERNEL | __GFP_NOWARN);

	if (!w)
		return NULL;
	w->vol = vol;
	spin_lock_init(&w->lock);
	INIT_DELAYED_WORK(&w->work, run_worker);
	INIT_DELAYED_WORK(&w->watchdog, watch_step);
	return w;
}

/* No probe knows it any more. */
static void free_worker(struct ft_worker *w)
{
	cancel_delayed_work_sync(&w->watchdog);
	kvfree(w);
}

/**
 * ft_worker_start() - give a volume its worker
 * @vol: the volume; nobody else knows it yet
 *
 * Return: 0 or -ENOMEM.
 */
int ft_worker_start(struct ft_volume *vol)
{
	INIT_LIST_HEAD(&vol->workers);
	vol->worker = new_worker(vol);
	if (!vol->worker)
		return -ENOMEM;
	list_add_rcu(&vol->worker->node, &vol->workers);
	return 0;
}

/* === The watchdog ========================================================= */

/* Another worker takes over from one that is late. False if none can be had. */
static bool take_over(struct ft_worker *w)
{
	struct ft_volume *vol = w->vol;
	struct ft_worker *next;

	/* so that rmmod says "in use" and does not wait */
	if (!try_module_get(THIS_MODULE))
		return false;
	next = new_worker(vol);
	if (!next) {
		module_put(THIS_MODULE);
		return false;
	}
	/* the late one's */
	ft_volume_get(vol);
	spin_lock(&vol->queue_lock);
	if (vol->nr_late < MAX_LATE && w->running && !w->late) {
		w->late = true;
		vol->nr_late++;
		list_add_rcu(&next->node, &vol->workers);
		vol->worker = next;
		next = NULL;
		/* it ends after this run, and its memory with it */
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
	/* bounded, and needed more than a map is: charged, not refused */
	ft_mem_add(sizeof(*w));
	ft_count(FT_STEPS_LATE);
	/* who detaches the volume waits for the worker, which is another one now */
	wake_up_all(&ft_settled);
	return true;
}

/* A step takes long. */
static void watch_step(struct work_struct *work)
{
	struct ft_worker *w = container_of(to_delayed_work(work),
					   struct ft_worker, watchdog);
	unsigned long again = 0;
	bool late = false;

	spin_lock(&w->lock);
	if (!w->sb) {
		/* it has just ended */
	} else if (time_before(jiffies, w->since + FT_STEP_LIMIT)) {
		/* another one has begun, and with it the time */
	} else if (!w->killed) {
		w->killed = true;
		if (w->killable)
			send_sig(SIGKILL, w->killable, 1);
		again = STEP_LATE;
	} else {
		/* if there is no active reference left umount waits already */
		if (!w->active && atomic_inc_not_zero(&w->sb->s_active)) {
			w->active = true;
			up_read_non_owner(&w->sb->s_umount);
		}
		late = true;
	}
	spin_unlock(&w->lock);

	/* who is late already stays so until the step has ended */
	if (late && !READ_ONCE(w->late) && !take_over(w))
		again = FT_STEP_LIMIT;
	if (again)
		queue_delayed_work(ft_wq, &w->watchdog, again);
}

/* === Running ============================================================== */

/*
 * If the inode of a record is gone let go of it; else return false.
 *
 * It is asked under the lock: ft_inode_remove() holds it from calling the record dead
 * to queueing it once more. Seen too early, the table's reference would be put before
 * the one of that queueing is taken.
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

	ft_scan_cancel(rec);
	/* the directory may be made again */
	if (READ_ONCE(rec->target_path))
		ft_target_kick();
	ft_names_forget(rec);
	ft_inode_put(rec);	/* the table's */
	return true;
}

static void requeue(struct ft_inode *rec)
{
	ft_inode_lock(rec);
	if (ft_inode_followed(rec))
		ft_queue_add(rec);
	spin_unlock(&rec->lock);
}

static void take_steps(struct ft_worker *w)
{
	struct ft_volume *vol = w->vol;
	struct ft_inode *rec;
	enum ft_step step;

	/* who is late leaves the queue to others, but for what nobody else drops */
	while (!READ_ONCE(w->late) || ft_volume_gone(vol)) {
		rec = ft_queue_take(vol);
		if (!rec)
			break;
		step = FT_STEP_LAST;
		if (!forget(rec) && !ft_volume_gone(vol))
			step = ft_scan_step(w, rec);
		if (step == FT_STEP_AGAIN)
			requeue(rec);
		ft_queue_give_back(rec, step == FT_STEP_MORE);
		ft_inode_put(rec);
		cond_resched();
	}
}

/* The step of a late worker has ended at last. */
static void leave(struct ft_worker *w)
{
	struct ft_volume *vol = w->vol;

	spin_lock(&vol->queue_lock);
	list_del_rcu(&w->node);
	vol->nr_late--;
	spin_unlock(&vol->queue_lock);
	synchronize_rcu();
	free_worker(w);
	ft_mem_add(-(long)sizeof(*w));
	ft_volume_put(vol);
	/* who unloads the module waits for this function by means of ft_wq */
	module_put(THIS_MODULE);
}

static void run_worker(struct work_struct *work)
{
	struct ft_worker *w = container_of(to_delayed_work(work),
					   struct ft_worker, work);
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

/* Is the worker between two runs? If it is late another one is the worker. */
static bool rests(struct ft_volume *vol)
{
	bool rests;

	spin_lock(&vol->queue_lock);
	rests = !vol->worker->running;
	spin_unlock(&vol->queue_lock);
	return rests;
}

/**
 * ft_worker_stop() - let go of all inodes, and end the worker
 * @vol: the volume; it is gone, and nobody adds an inode any more
 *
 * Workers that are late end by themselves.
 *
 * Context: process. Waits for one step, but for no more than the watchdog allows.
 */
void ft_worker_stop(struct ft_volume *vol)
{
	struct ft_inode *rec;
	unsigned long ino;

	wait_event(ft_settled, rests(vol));
	cancel_delayed_work_sync(&vol->worker->work);
	xa_for_each(&vol->inodes, ino, rec) {
		ft_inode_remove(rec);
		cond_resched();
	}
	/* the volume is gone: one run drops all that is queued, and does not wait */
	take_steps(vol->worker);
	spin_lock(&vol->queue_lock);
	list_del_rcu(&vol->worker->node);
	spin_unlock(&vol->queue_lock);
	synchronize_rcu();
	free_worker(vol->worker);
	vol->worker = NULL;
}
