// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads that are timed: from the submission of the first bio to the end of the last one.
 *
 * In: reads and their bios, from latency.c; the ends of bios, from the block layer. Out: the
 * cells and fits of the volume, and what was waited for of the file.
 */

#include <linux/atomic.h>
#include <linux/bio.h>
#include <linux/bitops.h>
#include <linux/blk-mq.h>
#include <linux/hash.h>
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "core/base.h"
#include "core/bounds.h"
#include "core/memory.h"
#include "maps/inode.h"
#include "observers/latency/counts.h"
#include "observers/latency/times.h"

/* A read that takes longer is in the histograms, but no price is fitted to it. */
#define FIT_MAX_US	(4 * USEC_PER_SEC)

#define TIMED_BITS	9
#define FLIGHT_BITS	10

/**
 * struct ft_timed - a read that is timed
 * @pending: its bios that have not ended, 1 while more may come, and 1; 0: not in use
 * @number: changes with each use
 * @submitted: when its first bio was, in nanoseconds
 * @ended: when the last bio that has ended did
 * @waited: when the last one did while somebody waited; or 0
 * @before: the read of the same task before, if that was timed
 * @before_number: its number
 * @before_ended: when the last of its bios had ended that had when this one was submitted
 * @sb: the volume; only compared
 * @task: who has submitted it; only compared
 * @pid: his number
 * @ino: the file
 * @bytes: in its bios
 * @extra: bios that begin elsewhere than the last one ended
 * @length: its place in the tables
 * @one: one bio serves all of it
 * @direct: it is a direct read
 * @failed: a bio has failed, or its end was not seen
 */
struct ft_timed {
	atomic_t pending;
	u32 number;
	u64 submitted;
	u64 ended;
	u64 waited;
	struct ft_timed *before;
	u32 before_number;
	u64 before_ended;
	const struct super_block *sb;
	const struct task_struct *task;
	pid_t pid;
	u32 ino;
	u32 bytes;
	u32 extra;
	u8 length;
	bool one;
	bool direct;
	bool failed;
};

/**
 * struct flight - a bio that has not ended
 * @bio: the bio; only compared. NULL: not in use
 * @timed: its read
 */
struct flight {
	const struct bio *bio;
	struct ft_timed *timed;
};

/**
 * struct tables - what is under way
 * @timed: reads
 * @flight: bios of these
 */
struct tables {
	struct ft_timed timed[BIT(TIMED_BITS)];
	struct flight flight[BIT(FLIGHT_BITS)];
};

static struct tables *tables;
static atomic_t in_flight = ATOMIC_INIT(0);
static atomic_t next_timed = ATOMIC_INIT(0);

/* Does the task that has submitted a read sleep for I/O? */
static bool is_waiting(const struct ft_timed *t)
{
	struct task_struct *task;

	if (t->direct)
		return true;
	task = pid_task(find_pid_ns(t->pid, &init_pid_ns), PIDTYPE_PID);
	return task && task == t->task && task->in_iowait;
}

/* When a read has ended, so far; 0 if it is not in the table any more. */
static u64 when_ended(const struct ft_timed *t, u32 number)
{
	u64 ended = t ? READ_ONCE(t->ended) : 0;

	smp_rmb(); /* pairs with that of claim() */
	return t && READ_ONCE(t->number) == number ? ended : 0;
}

/* A device may serve one request after the other: then a read begins when the one before ends. */
static void add_fit(u64 *sums, const struct ft_timed *t, u64 before)
{
	u64 from = max(t->submitted, before);
	u64 y = div_u64(max(t->ended, from) - from, NSEC_PER_USEC);
	u64 x = t->extra, l = DIV_ROUND_UP(t->bytes, FT_BLOCK_SIZE);

	if (y > FIT_MAX_US)
		return;
	sums[FT_SUM_N]++;
	sums[FT_SUM_X] += x;
	sums[FT_SUM_L] += l;
	sums[FT_SUM_Y] += y;
	sums[FT_SUM_XX] += x * x;
	sums[FT_SUM_XL] += x * l;
	sums[FT_SUM_LL] += l * l;
	sums[FT_SUM_XY] += x * y;
	sums[FT_SUM_LY] += l * y;
	sums[FT_SUM_YY] += y * y;
}

static void add(struct ft_read_times *times, const struct ft_timed *t)
{
	unsigned int share = min(fls(t->extra), FT_LATENCY_SHARES - 1);
	struct ft_read_cell *c = &times->cells[t->length][share];
	u64 before = when_ended(t->before, t->before_number) ?: t->before_ended;
	u64 ns = t->ended - t->submitted;
	unsigned long flags;

	raw_spin_lock_irqsave(&times->lock, flags);
	if (t->failed) {
		c->failed++;
	} else {
		c->reads++;
		c->took += ns;
		c->buckets[min_t(unsigned int, fls64(div_u64(ns, NSEC_PER_USEC)),
				 FT_LATENCY_BUCKETS - 1)]++;
		if (t->waited) {
			c->waits++;
			c->waited += t->waited - t->submitted;
		}
		if (before)
			add_fit(times->fits[t->length], t, before);
	}
	raw_spin_unlock_irqrestore(&times->lock, flags);
}

/* A bio of a read has ended, or no more will come. In an RCU read section. */
static void put(struct ft_timed *t)
{
	struct ft_counts *own;
	struct ft_inode *rec;
	struct ft_reads *f;

	if (atomic_dec_return(&t->pending) > 1)
		return;
	rec = t->ended ? ft_inode_find_file(t->sb, t->ino) : NULL;
	if (rec) {
		add(ft_latency_of(rec), t);
		own = ft_counts_own(rec, FT_SLOT_latency);
		f = own ? (struct ft_reads *)own->nr : &ft_latency_of(rec)->rest;
		if (!t->failed) {
			atomic64_inc(&f->timed[!t->one]);
			if (t->waited)
				atomic64_add(t->waited - t->submitted, &f->waited[!t->one]);
		}
	}
	atomic_set_release(&t->pending, 0);
}

/* One that is not in use, or NULL. They take turns, so the end of the read before is known. */
static struct ft_timed *claim(void)
{
	unsigned int home = atomic_inc_return(&next_timed), i;
	struct ft_timed *t;

	for (i = 0; i < FT_MAX_LATENCY_SEARCHED; i++) {
		t = &tables->timed[(home + i) % BIT(TIMED_BITS)];
		if (atomic_read(&t->pending) || atomic_cmpxchg(&t->pending, 0, 2))
			continue;
		WRITE_ONCE(t->number, t->number + 1);
		smp_wmb(); /* a reader of the old end sees the new number */
		t->ended = 0;
		t->waited = 0;
		t->bytes = 0;
		t->extra = 0;
		t->failed = false;
		return t;
	}
	return NULL;
}

/**
 * ft_times_end() - no more bios of a read come
 * @t: the read
 *
 * Context: a probe, in the task that has submitted it.
 */
void ft_times_end(struct ft_timed *t)
{
	guard(ft_rcu)();
	put(t);
}

/**
 * ft_times_begin() - the first bio of a read is submitted: take its times
 * @r: the read
 * @rec: its file
 * @one: one bio serves all of it
 *
 * Context: a probe, in the task that submits it; RCU read section.
 */
void ft_times_begin(struct ft_read *r, struct ft_inode *rec, bool one)
{
	struct ft_timed *t;
	u64 before;

	/* another task may have had the same address */
	if (r->pid != current->pid)
		r->last = NULL;
	r->pid = current->pid;
	before = when_ended(r->last, r->last_number);
	t = claim();

	if (t) {
		t->before_ended = before;
		t->before = r->last;
		t->before_number = r->last_number;
		t->sb = r->inode->i_sb;
		t->task = current;
		t->pid = current->pid;
		t->ino = rec->ino;
		t->length = r->length;
		t->one = one;
		t->direct = r->direct;
		t->submitted = ktime_get_ns();
		r->last_number = t->number;
	} else {
		atomic64_inc(&ft_latency_of(rec)->lost);
	}
	/* of those in one piece two are timed in a row: the time of the second is exact */
	r->follow = one && !r->follow;
	r->timed = t;
	r->last = t;
}

/* The entry that @is has near that of a bio; a free one, NULL, is taken for the bio. */
static __always_inline struct flight *find(const struct bio *bio, const struct bio *is)
{
	unsigned int home = hash_ptr(bio, FLIGHT_BITS), i;
	struct flight *f;

	for (i = 0; i < FT_MAX_LATENCY_SEARCHED; i++) {
		f = &tables->flight[(home + i) % BIT(FLIGHT_BITS)];
		if (READ_ONCE(f->bio) == is && (is || !cmpxchg(&f->bio, NULL, bio)))
			return f;
	}
	return NULL;
}

/**
 * ft_times_fly() - a bio of a read that is timed is about to be submitted
 * @r: the read
 * @bio: the bio
 * @rec: its file
 * @broken: it does not go on where the last one ended
 *
 * Context: a probe, in the task that submits it; RCU read section.
 */
void ft_times_fly(struct ft_read *r, const struct bio *bio, struct ft_inode *rec, bool broken)
{
	struct ft_timed *t = r->timed, *stale = NULL;
	struct flight *f = find(bio, bio);

	t->extra += broken;
	/* the end of an earlier bio there was not reported: it was refused at once */
	if (f)
		stale = f->timed;
	else
		f = find(bio, NULL);
	if (!f) {
		/* without this bio its time is not known */
		t->failed = true;
		atomic64_inc(&ft_latency_of(rec)->lost);
		return;
	}
	f->timed = t;
	t->bytes += bio->bi_iter.bi_size;
	atomic_inc(&t->pending);
	if (stale) {
		stale->failed = true;
		put(stale);
	} else {
		atomic_inc(&in_flight);
	}
}

static void landed(struct flight *f, bool failed)
{
	struct ft_timed *t = f->timed;
	u64 now = ktime_get_ns();

	/* from here on another bio may have this place */
	smp_store_release(&f->bio, NULL);
	atomic_dec(&in_flight);
	guard(ft_rcu)();
	if (failed)
		t->failed = true;
	WRITE_ONCE(t->ended, now);
	if (is_waiting(t))
		WRITE_ONCE(t->waited, now);
	put(t);
}

/* A bio ends, on any device, maybe in an interrupt. */
static noinline void find_landed(const struct bio *bio, bool failed)
{
	struct flight *f = find(bio, bio);

	if (f)
		landed(f, failed);
}

/**
 * ft_times_request_complete() - a driver that takes requests ends one, with its bios in turn
 * @unused: of the probe
 * @rq: the request
 * @error: of all these bios
 * @bytes: how much of it has ended
 *
 * Context: any; the probe of block_rq_complete.
 */
void ft_times_request_complete(void *unused, struct request *rq, blk_status_t error,
			       unsigned int bytes)
{
	const struct bio *bio;

	if (likely(!atomic_read(&in_flight)))
		return;
	for (bio = rq->bio; bio && bio->bi_iter.bi_size <= bytes; bio = bio->bi_next) {
		bytes -= bio->bi_iter.bi_size;
		find_landed(bio, error);
	}
}

/**
 * ft_times_bio_complete() - a driver that takes bios, as device-mapper does, ends one
 * @unused: of the probe
 * @q: of the device
 * @bio: the bio
 *
 * Context: any; the probe of block_bio_complete.
 */
void ft_times_bio_complete(void *unused, struct request_queue *q, struct bio *bio)
{
	if (unlikely(atomic_read(&in_flight)))
		find_landed(bio, bio->bi_status);
}

/**
 * ft_times_reset() - all times of a volume begin again
 * @t: the times
 *
 * Context: process.
 */
void ft_times_reset(struct ft_read_times *t)
{
	raw_spin_lock_irq(&t->lock);
	memset(t->cells, 0, sizeof(t->cells));
	memset(t->fits, 0, sizeof(t->fits));
	raw_spin_unlock_irq(&t->lock);
	atomic64_set(&t->other, 0);
	atomic64_set(&t->lost, 0);
}

/**
 * ft_times_clear() - forget what was under way when the probes were detached
 *
 * Context: process; no probe runs.
 */
void ft_times_clear(void)
{
	memset(tables, 0, sizeof(*tables));
	atomic_set(&in_flight, 0);
}

/**
 * ft_times_init() - make the tables
 *
 * Context: process; may sleep.
 * Return: 0; -ENOMEM.
 */
int ft_times_init(void)
{
	tables = ft_mem_zalloc(sizeof(*tables), GFP_KERNEL);
	return tables ? 0 : -ENOMEM;
}

/**
 * ft_times_exit() - undo ft_times_init(), also if it has failed or was not called
 *
 * Context: process; no probe runs.
 */
void ft_times_exit(void)
{
	ft_mem_free(tables, sizeof(*tables));
}
