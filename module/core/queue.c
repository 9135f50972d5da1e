// SPDX-License-Identifier: GPL-2.0-only
/*
 * The inodes of a volume that wait for its worker, ordered by due time.
 *
 * In: inodes whose map is stale, directories to be read, dead records. Out: one
 * inode at a time, for scan/worker.c. Adding an inode and taking the first one cost the
 * same however many wait. Only one worker has a taken inode: if it is queued
 * meanwhile, it goes back into the tree when it is given back.
 */

#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/rbtree.h>

#include "core/base.h"
#include "core/queue.h"
#include "core/record.h"
#include "core/volume.h"

/* Changes close to each other are scanned together. */
#define ADD_DELAY	msecs_to_jiffies(20)
/* An audit holds the lock of a file for a fifth of the time. */
#define REST		msecs_to_jiffies(20)
/*
 * A file that goes stale again and again is scanned less and less often, up to this.
 * Scanning it takes at most 1/WORK_SHARE of the worker's time.
 */
#define MAX_STRIKES	6
#define WORK_SHARE	5
/* But it does not wait for minutes: no scan counts longer than this, in jiffies. */
#define MAX_SPENT	(10 * HZ)
static_assert(MAX_SPENT <= U16_MAX);
/*
 * An inode whose lock was held at FT_HELD_TRIES tries in a row is parked: a volume
 * tries only so many of these per period, however many wait. But each is tried once a
 * minute: the longest delay, in jiffies.
 */
#define PARKED_TRIES	16
#define PARKED_PERIOD	(ADD_DELAY << MAX_STRIKES)
#define MAX_PARKED	(60 * HZ)

static struct ft_inode *first_of(struct ft_volume *vol)
{
	struct rb_node *node = rb_first_cached(&vol->queue);

	return node ? rb_entry(node, struct ft_inode, queue.node) : NULL;
}

/*
 * Is a time before another one? They are the low bits of jiffies. All that waits is due within
 * minutes. What was due weeks ago may seem to be due later: then it waits longer, once. So does
 * all that is queued if no worker of a volume has run for weeks.
 */
static bool is_before(u32 a, u32 b)
{
	return (s32)(a - b) < 0;
}

static bool is_earlier(struct rb_node *a, const struct rb_node *b)
{
	return is_before(rb_entry(a, struct ft_queued, node)->due,
			 rb_entry(b, struct ft_queued, node)->due);
}

/* Among inodes that are due at the same time, the last one added comes last. */
static void insert(struct ft_inode *rec)
{
	struct ft_volume *vol = rec->vol;

	lockdep_assert_held(&vol->queue_lock);
	rb_add_cached(&rec->queue.node, &vol->queue, is_earlier);
	if (first_of(vol) == rec)
		ft_queue_wake_worker(vol);
}

/* From now on an inode waits for a worker, with a reference. */
static void wait(struct ft_inode *rec)
{
	rec->queue.waits = true;
	refcount_inc(&rec->ref);
	atomic_inc(&rec->vol->nr_queued);
	if (rec->is_dir)
		atomic_inc(&rec->vol->nr_unread);
}

/* Change when a queued inode is due. */
static void move(struct ft_inode *rec, u32 due)
{
	struct ft_queued *q = &rec->queue;

	lockdep_assert_held(&rec->vol->queue_lock);
	if (!q->taken)
		rb_erase_cached(&q->node, &rec->vol->queue);
	q->due = due;
	if (!q->taken)
		insert(rec);
}

/**
 * ft_queue_init() - prepare the queue of a volume
 * @vol: the volume
 */
void ft_queue_init(struct ft_volume *vol)
{
	spin_lock_init(&vol->queue_lock);
	INIT_LIST_HEAD(&vol->reading);
	vol->queue = RB_ROOT_CACHED;
	vol->parked_due = jiffies;
}

/**
 * ft_queue_wake_worker() - let the worker run when the first inode is due, or the sample
 * @vol: the volume; nothing is done if it is gone: ft_worker_stop() runs its worker
 *
 * Context: atomic, vol->queue_lock held.
 */
void ft_queue_wake_worker(struct ft_volume *vol)
{
	const struct ft_inode *rec = first_of(vol);
	unsigned long now = jiffies, delay = MAX_JIFFY_OFFSET;

	lockdep_assert_held(&vol->queue_lock);
	if (!rec && !vol->sampled)
		return;
	/* the sample may be due in years */
	if (vol->sampled)
		delay = time_before(now, vol->sample_due) ? vol->sample_due - now : 0;
	if (rec)
		delay = min_t(unsigned long, delay,
			      is_before(now, rec->queue.due) ? rec->queue.due - (u32)now : 0);
	if (!ft_volume_gone(vol))
		mod_delayed_work(ft_wq, vol->work, delay);
}

/**
 * ft_queue_add() - queue an inode for the worker
 * @rec: the inode; nothing changes if it waits already and is not parked
 *
 * Context: atomic, rec->lock held.
 */
void ft_queue_add(struct ft_inode *rec)
{
	struct ft_queued *q = &rec->queue;
	struct ft_volume *vol = rec->vol;
	unsigned long delay, rest;
	u32 now = jiffies, due;

	lockdep_assert_held(&rec->lock);
	guard(ft_spinlock)(&vol->queue_lock);
	if (!q->waits) {
		rest = (WORK_SHARE - 1UL) * q->spent;
		/* quiet for a second: reset the delay */
		if (is_before(q->due + rest + HZ, now)) {
			q->strikes = 0;
			rest = 0;
		}
		delay = max(ADD_DELAY << q->strikes, rest);
		if (q->strikes < MAX_STRIKES)
			q->strikes++;
		wait(rec);
		q->due = now + (ft_inode_is_dead(rec) ? 0 : delay);
		if (!q->taken)
			insert(rec);
	} else if (ft_inode_is_dead(rec) || q->parked) {
		/* dead, changed or asked for: it is due sooner */
		due = now;
		if (!ft_inode_is_dead(rec))
			due += PARKED_PERIOD;
		if (is_before(due, q->due))
			move(rec, due);
	}
}

/* When one more parked inode of the volume may be tried, in jiffies. */
static unsigned long next_parked(struct ft_volume *vol)
{
	lockdep_assert_held(&vol->queue_lock);
	if (time_before(vol->parked_due, jiffies)) {
		vol->parked_due = jiffies + PARKED_PERIOD;
		vol->nr_parked = 0;
	} else if (vol->nr_parked >= PARKED_TRIES &&
		   time_before(vol->parked_due, jiffies + MAX_PARKED)) {
		vol->parked_due += PARKED_PERIOD;
		vol->nr_parked = 0;
	}
	vol->nr_parked++;
	return vol->parked_due;
}

/**
 * ft_queue_add_held() - queue an inode whose lock others hold
 * @rec: the inode; the caller has taken it
 *
 * Context: process, rec->lock held.
 */
void ft_queue_add_held(struct ft_inode *rec)
{
	struct ft_volume *vol = rec->vol;
	u32 due;

	ft_queue_add(rec);
	if (rec->held < FT_HELD_TRIES)
		rec->held++;
	/* a resync, or an audit, waits for a number of tries */
	if (rec->held < FT_HELD_TRIES || ft_inode_is_dead(rec) || rec->resync || rec->audit)
		return;
	guard(ft_spinlock)(&vol->queue_lock);
	due = next_parked(vol);
	if (is_before(rec->queue.due, due))
		rec->queue.due = due;
	rec->queue.parked = true;
}

/**
 * ft_queue_has() - is an inode queued, or has a worker taken it?
 * @rec: the inode
 *
 * Context: atomic, rec->lock held.
 * Return: true if so; false stays so as long as the lock is held.
 */
bool ft_queue_has(const struct ft_inode *rec)
{
	lockdep_assert_held(&rec->lock);
	guard(ft_spinlock)(&rec->vol->queue_lock);
	return rec->queue.waits || rec->queue.taken;
}

/**
 * ft_queue_spent() - an inode has been scanned
 * @rec: the inode; the caller has taken it
 * @time: how long that took, in jiffies
 *
 * Context: process.
 */
void ft_queue_spent(struct ft_inode *rec, unsigned long time)
{
	struct ft_queued *q = &rec->queue;
	u32 now = jiffies, rest;

	guard(ft_spinlock)(&rec->vol->queue_lock);
	q->spent = min_t(unsigned long, time, MAX_SPENT);
	rest = now + (WORK_SHARE - 1) * q->spent;
	if (!q->waits)
		q->due = now;
	else if (is_before(q->due, rest))
		q->due = rest;	/* it was queued before @time was known */
}

/**
 * ft_queue_take() - take the inode that has been due for longest
 * @vol: the volume; if it is gone all inodes are due
 *
 * Context: process.
 * Return: the inode with a reference, to be given back and then put; %NULL if none
 * is due.
 */
struct ft_inode *ft_queue_take(struct ft_volume *vol)
{
	struct ft_inode *rec;

	guard(ft_spinlock)(&vol->queue_lock);
	rec = first_of(vol);
	if (!rec || (is_before(jiffies, rec->queue.due) && !ft_volume_gone(vol)))
		return NULL;
	rb_erase_cached(&rec->queue.node, &vol->queue);
	rec->queue.waits = false;
	rec->queue.parked = false;
	rec->queue.taken = true;
	return rec;
}

/**
 * ft_queue_give_back() - undo ft_queue_take(), except for the reference
 * @rec: the inode
 * @step: with FT_STEP_MORE the next step is due at once, after the inodes that are due
 *	already; with FT_STEP_REST soon
 *
 * Context: process.
 */
void ft_queue_give_back(struct ft_inode *rec, enum ft_step step)
{
	struct ft_queued *q = &rec->queue;
	struct ft_volume *vol = rec->vol;

	guard(ft_spinlock)(&vol->queue_lock);
	q->taken = false;
	if (step == FT_STEP_MORE || step == FT_STEP_REST) {
		if (!q->waits)
			wait(rec);
		q->due = jiffies;
		if (step == FT_STEP_REST)
			q->due += REST;
	}
	if (q->waits)
		insert(rec);
	if (rec->is_dir)
		atomic_dec(&vol->nr_unread);
	atomic_dec(&vol->nr_queued);
}

/* === The sample =========================================================== */

/**
 * ft_queue_take_idle() - take a file that nothing else needs now
 * @rec: the file
 *
 * It does not count as queued: nobody waits for it.
 *
 * Context: process, RCU read section, rec->lock held.
 * Return: true if it is taken, with a reference, until ft_queue_give_back_idle().
 */
bool ft_queue_take_idle(struct ft_inode *rec)
{
	lockdep_assert_held(&rec->lock);
	guard(ft_spinlock)(&rec->vol->queue_lock);
	if (rec->queue.waits || rec->queue.taken || !refcount_inc_not_zero(&rec->ref))
		return false;
	rec->queue.taken = true;
	return true;
}

/**
 * ft_queue_give_back_idle() - undo ft_queue_take_idle(), except for the reference
 * @rec: the file; its turn comes now if it was queued meanwhile
 *
 * Context: process.
 */
void ft_queue_give_back_idle(struct ft_inode *rec)
{
	guard(ft_spinlock)(&rec->vol->queue_lock);
	rec->queue.taken = false;
	if (rec->queue.waits)
		insert(rec);
}

/**
 * ft_queue_wanted() - was a file that is taken queued meanwhile?
 * @rec: the file
 *
 * Context: process.
 * Return: true if so.
 */
bool ft_queue_wanted(const struct ft_inode *rec)
{
	guard(ft_spinlock)(&rec->vol->queue_lock);
	return rec->queue.waits;
}
