// SPDX-License-Identifier: GPL-2.0-only
/*
 * Latency: how long reads take on the device, and into how many requests breaks split them.
 *
 * In: reads that begin, from F2FS's tracepoints; their bios, from F2FS's (the page cache) and
 * the block layer's (direct reads); the ends of bios, from the block layer's. Out: for each
 * file how much is read in how many requests, for each volume times, in the file latency of
 * debugfs. fragtrace cost makes prices of them.
 *
 * Counts are of all reads. Times are taken of all reads that more than one bio serves, and of
 * 2 of %SAMPLE others: so most reads cost two or three short probes.
 *
 * A read is a batch of readahead, a page, or a direct read, as in observers/heat/. Its bios are
 * those that its task submits before its next read begins. A bio that goes on where the last
 * one ended on the device is not a break: F2FS has cut it, as a bio has 256 pages at most. What
 * the block layer does below, splitting or merging, is part of the time of a bio.
 *
 * Who waits is known when a bio ends: its read waits if it is direct, or if the task that has
 * submitted it sleeps for I/O at this moment. Readahead whose task does not is not waited for.
 *
 * No lock is taken but rec->lock, once for each file, and a raw one when a read has ended: that
 * may be in an interrupt.
 */

#include <linux/atomic.h>
#include <linux/bio.h>
#include <linux/bitops.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "core/base.h"
#include "core/bounds.h"
#include "core/memory.h"
#include "core/volume.h"
#include "debugfs/lines.h"
#include "maps/inode.h"
#include "observers/observers.h"
#include "probes/probing.h"

#include <trace/events/block.h>

static bool on;
module_param_named(latency, on, bool, 0444);
MODULE_PARM_DESC(latency, "measure how long reads take, with and without breaks (default: off)");

/* Of so many reads in one piece two that follow each other are timed. */
#define SAMPLE		64

/* Lengths of reads: up to 1, 2, 4, ... 64 blocks, and more. */
#define CLASSES		8
/* Pieces of reads: 1, 2, 3 to 4, 5 to 8, and more. */
#define SHARES		5
/* The last bucket has all that is longer, from 2^22 us (4 s) on. */
#define BUCKETS		24
/* A read that takes longer is in the histograms, but no price is fitted to it. */
#define FIT_MAX_US	(4 * USEC_PER_SEC)

#define READING_BITS	9
#define TIMED_BITS	9
#define FLIGHT_BITS	10

/* No file gets counts of its own when so many sixteenths of the budget are used. */
#define MOST_SIXTEENTHS	12

/**
 * struct ft_reads - what was read of a file
 * @rcu: when it is freed
 * @reads: reads that got to the device, by length
 * @extra: requests that breaks have added to them, by length
 * @cut: requests that go on where the last one ended
 * @bytes: in all of these requests
 * @timed: how many reads were timed that one bio serves, and that more do
 * @waited: how long these were waited for, in nanoseconds
 */
struct ft_reads {
	struct rcu_head rcu;
	atomic64_t reads[CLASSES];
	atomic64_t extra[CLASSES];
	atomic64_t cut;
	atomic64_t bytes;
	atomic64_t timed[2];
	atomic64_t waited[2];
};

#define NR_COUNTS	(2 * CLASSES + 6)

/**
 * struct cell - timed reads of similar length, in similarly many pieces
 * @reads: how many have succeeded
 * @failed: how many have not; nothing else has them
 * @waits: how many of @reads were waited for
 * @took: nanoseconds from their first request to the end of the last one
 * @waited: nanoseconds, to the last end at which somebody waited
 * @buckets: how many took 0, 1, 2 to 3, 4 to 7 microseconds, and so on
 */
struct cell {
	u64 reads;
	u64 failed;
	u64 waits;
	u64 took;
	u64 waited;
	u64 buckets[BUCKETS];
};

/**
 * enum sum - sums of reads, to which a straight line is fitted
 * @SUM_N: how many reads
 * @SUM_X: of the requests that breaks have added to each
 * @SUM_L: of their lengths, in blocks
 * @SUM_Y: of their times, in microseconds, each from the end of the read before on
 * @SUM_XX: of squares and products
 * @SUM_XL: likewise
 * @SUM_LL: likewise
 * @SUM_XY: likewise
 * @SUM_LY: likewise
 * @SUM_YY: likewise
 * @NR_SUMS: how many there are
 */
enum sum {
	SUM_N, SUM_X, SUM_L, SUM_Y, SUM_XX, SUM_XL, SUM_LL, SUM_XY, SUM_LY, SUM_YY,
	NR_SUMS
};

/**
 * struct times - the reads of a volume
 * @lock: protects @cells and @fits
 * @cells: by length and pieces
 * @fits: by length
 * @other: requests for data that are of no read: those of garbage collection and of
 *	writers of parts of blocks, and those whose task has no room in the table
 * @lost: reads that should have been timed: there was no room
 * @rest: the reads of files that have no counts of their own, or have no more
 */
struct times {
	raw_spinlock_t lock;
	struct cell cells[CLASSES][SHARES];
	u64 fits[CLASSES][NR_SUMS];
	atomic64_t other;
	atomic64_t lost;
	struct ft_reads rest;
};

/**
 * struct timed - a read that is timed
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
struct timed {
	atomic_t pending;
	u32 number;
	u64 submitted;
	u64 ended;
	u64 waited;
	struct timed *before;
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
 * struct reading - the read that a task submits now, or has submitted last
 * @owner: the task, and %ACTIVE while bios may come. All else is the owner's
 * @inode: the file; only compared, unless @direct
 * @next: where its next bio may begin, in bytes
 * @end: where the read ends
 * @sector: where the last bio has ended
 * @not: the bio that F2FS submits itself, within a direct read
 * @timed: its times, if they are taken
 * @last: the read before, if that was timed
 * @last_number: its number
 * @pid: the number of the task that had it
 * @since: when it has begun, in jiffies
 * @length: its place in the tables
 * @direct: it is a direct read
 * @begun: it has a bio
 * @follow: the next read of this task is timed
 */
struct reading {
	atomic_long_t owner;
	const struct inode *inode;
	u64 next;
	u64 end;
	sector_t sector;
	const struct bio *not;
	struct timed *timed;
	struct timed *last;
	u32 last_number;
	pid_t pid;
	u32 since;
	u8 length;
	bool direct;
	bool begun;
	bool follow;
};

#define ACTIVE	1L

/**
 * struct flight - a bio that has not ended
 * @bio: the bio; only compared. NULL: not in use
 * @timed: its read
 */
struct flight {
	const struct bio *bio;
	struct timed *timed;
};

/**
 * struct tables - all reads under way
 * @reading: by task
 * @timed: those that are timed
 * @flight: bios of these
 */
struct tables {
	struct reading reading[BIT(READING_BITS)];
	struct timed timed[BIT(TIMED_BITS)];
	struct flight flight[BIT(FLIGHT_BITS)];
};

static struct tables *tables;
static atomic_t in_flight = ATOMIC_INIT(0);
static atomic_t next_timed = ATOMIC_INIT(0);
/* Reads in one piece until the next one is timed. */
static DEFINE_PER_CPU(int, countdown);

/* === Counts of a file ===================================================== */

static struct times *times_of(const struct ft_inode *rec)
{
	return ft_observed(rec->vol, latency);
}

static noinline struct ft_reads *new_counts(struct ft_inode *rec)
{
	struct ft_reads *f = NULL;

	spin_lock(&rec->lock);
	if (ft_inode_followed(rec) && !rcu_access_pointer(rec->reads) &&
	    !ft_mem_uses_more_than(MOST_SIXTEENTHS)) {
		ft_mem_add_yielding(kmalloc_size_roundup(sizeof(*f)));
		f = kzalloc(sizeof(*f), GFP_NOWAIT | __GFP_NOWARN);
		if (f)
			rcu_assign_pointer(rec->reads, f);
		else
			ft_mem_add_yielding(-(long)kmalloc_size_roundup(sizeof(*f)));
	}
	f = rcu_dereference_protected(rec->reads, lockdep_is_held(&rec->lock));
	spin_unlock(&rec->lock);
	return f ?: &times_of(rec)->rest;
}

/* Valid until the end of the RCU read section. */
static __always_inline struct ft_reads *counts_of(struct ft_inode *rec)
{
	return rcu_dereference(rec->reads) ?: new_counts(rec);
}

static const atomic64_t *count_nr(const struct ft_reads *f, unsigned int i)
{
	return &f->reads[0] + i;
}

/* A file is left out, or is gone: its counts are added to those of the rest. rec->lock is held. */
static void drop_counts(struct ft_inode *rec)
{
	struct ft_reads *f = rcu_dereference_protected(rec->reads, true);
	struct times *t = times_of(rec);
	unsigned int i;

	if (!f)
		return;
	RCU_INIT_POINTER(rec->reads, NULL);
	for (i = 0; t && i < NR_COUNTS; i++)
		atomic64_add(atomic64_read(count_nr(f, i)), &t->rest.reads[0] + i);
	kfree_rcu(f, rcu);
	ft_mem_add_yielding(-(long)kmalloc_size_roundup(sizeof(*f)));
}

static void drop(struct ft_inode *rec, void *unused)
{
	spin_lock(&rec->lock);
	drop_counts(rec);
	spin_unlock(&rec->lock);
}

static void drop_all(void)
{
	if (ft_mem_uses_more_than(13))
		ft_volume_visit_all(drop, NULL);
}

/* === Reads that are timed ================================================= */

/* Does the task that has submitted a read sleep for I/O? */
static bool is_waiting(const struct timed *t)
{
	struct task_struct *task;

	if (t->direct)
		return true;
	task = pid_task(find_pid_ns(t->pid, &init_pid_ns), PIDTYPE_PID);
	return task && task == t->task && task->in_iowait;
}

/* When a read has ended, so far; 0 if it is not in the table any more. */
static u64 when_ended(const struct timed *t, u32 number)
{
	u64 ended = t ? READ_ONCE(t->ended) : 0;

	smp_rmb(); /* pairs with that of claim() */
	return t && READ_ONCE(t->number) == number ? ended : 0;
}

/* A device may serve one request after the other: then a read begins when the one before ends. */
static void add_fit(u64 *sums, const struct timed *t, u64 before)
{
	u64 from = max(t->submitted, before);
	u64 y = t->ended > from ? div_u64(t->ended - from, NSEC_PER_USEC) : 0;
	u64 x = t->extra, l = DIV_ROUND_UP(t->bytes, FT_BLOCK_SIZE);

	if (y > FIT_MAX_US)
		return;
	sums[SUM_N]++;
	sums[SUM_X] += x;
	sums[SUM_L] += l;
	sums[SUM_Y] += y;
	sums[SUM_XX] += x * x;
	sums[SUM_XL] += x * l;
	sums[SUM_LL] += l * l;
	sums[SUM_XY] += x * y;
	sums[SUM_LY] += l * y;
	sums[SUM_YY] += y * y;
}

static void add(struct times *times, const struct timed *t)
{
	struct cell *c = &times->cells[t->length][min(fls(t->extra), SHARES - 1)];
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
				 BUCKETS - 1)]++;
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
static void put(struct timed *t)
{
	struct ft_inode *rec;
	struct ft_reads *f;

	if (atomic_dec_return(&t->pending) > 1)
		return;
	rec = t->ended ? ft_inode_find_file(t->sb, t->ino) : NULL;
	if (rec) {
		add(times_of(rec), t);
		f = rcu_dereference(rec->reads) ?: &times_of(rec)->rest;
		if (!t->failed) {
			atomic64_inc(&f->timed[!t->one]);
			if (t->waited)
				atomic64_add(t->waited - t->submitted,
					     &f->waited[!t->one]);
		}
	}
	atomic_set_release(&t->pending, 0);
}

/* One that is not in use, or NULL. They take turns, so the end of the read before is known. */
static struct timed *claim(void)
{
	unsigned int home = atomic_inc_return(&next_timed), i;
	struct timed *t;

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

/* No more bios of this read come. */
static void end_timed(struct reading *r)
{
	struct timed *t = r->timed;

	if (likely(!t))
		return;
	r->timed = NULL;
	rcu_read_lock();
	put(t);
	rcu_read_unlock();
}

/* The first bio of a read is submitted: take its times. */
static noinline void begin_timed(struct reading *r, struct ft_inode *rec, bool one)
{
	struct timed *t;
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
		atomic64_inc(&times_of(rec)->lost);
	}
	/* of those in one piece two are timed in a row: the time of the second is exact */
	r->follow = one && !r->follow;
	r->timed = t;
	r->last = t;
}

/* A bio of a timed read is about to be submitted. */
static noinline void fly(struct reading *r, const struct bio *bio, struct ft_inode *rec)
{
	unsigned int home = hash_ptr(bio, FLIGHT_BITS), i;
	struct timed *t = r->timed, *stale = NULL;
	struct flight *f, *empty = NULL;

	for (i = 0; i < FT_MAX_LATENCY_SEARCHED; i++) {
		f = &tables->flight[(home + i) % BIT(FLIGHT_BITS)];
		/* the end of an earlier bio there was not reported: it was refused at once */
		if (READ_ONCE(f->bio) == bio) {
			stale = f->timed;
			empty = f;
			break;
		}
	}
	for (i = 0; !empty && i < FT_MAX_LATENCY_SEARCHED; i++) {
		f = &tables->flight[(home + i) % BIT(FLIGHT_BITS)];
		if (!READ_ONCE(f->bio) && !cmpxchg(&f->bio, NULL, bio))
			empty = f;
	}
	if (!empty) {
		/* without this bio its time is not known */
		t->failed = true;
		atomic64_inc(&times_of(rec)->lost);
		return;
	}
	empty->timed = t;
	t->bytes += bio->bi_iter.bi_size;
	atomic_inc(&t->pending);
	if (stale) {
		stale->failed = true;
		put(stale);
	} else {
		atomic_inc(&in_flight);
	}
}

/* === Reads ================================================================ */

static __always_inline struct reading *own(void)
{
	return &tables->reading[hash_ptr(current, READING_BITS)];
}

static __always_inline bool is_active(struct reading *r)
{
	return atomic_long_read(&r->owner) == ((long)current | ACTIVE);
}

/* The current task had no read yet, or one with a hole at its end. False: there is no room. */
static noinline bool take(struct reading *r, long was)
{
	long me = (long)current;

	if (was == (me | ACTIVE))
		/* a direct read whose buffer is a mapped file reads that, too */
		return !r->direct;
	if (was & ACTIVE && (u32)jiffies - READ_ONCE(r->since) < 4 * HZ)
		return false;
	if (atomic_long_cmpxchg(&r->owner, was, me | ACTIVE) != was)
		return false;
	r->last = NULL;
	r->follow = false;
	return true;
}

/* The current task begins to read a range of a file. */
static __always_inline void begin(const struct inode *inode, u64 from, u64 bytes,
				  bool direct)
{
	long me = (long)current, was;
	struct reading *r = own();

	was = atomic_long_cmpxchg(&r->owner, me, me | ACTIVE);
	if (unlikely(was != me) && !take(r, was))
		return;
	end_timed(r);
	r->inode = inode;
	r->next = from;
	r->end = from + bytes;
	r->since = jiffies;
	r->length = min(fls64((bytes - 1) >> FT_BLOCK_BITS), CLASSES - 1);
	r->direct = direct;
	r->begun = false;
	r->not = NULL;
}

/* No more bios of the current task's read come. */
static __always_inline void end(struct reading *r)
{
	end_timed(r);
	atomic_long_set_release(&r->owner, (long)current);
}

/* A bio of the current task's read is about to be submitted, which reads from @from on. */
static __always_inline void count_bio(struct reading *r, struct ft_inode *rec, u64 from,
				      const struct bio *bio)
{
	u32 bytes = bio->bi_iter.bi_size;
	struct ft_reads *f = counts_of(rec);
	bool covers = from + bytes >= r->end, due;

	atomic64_add(bytes, &f->bytes);
	if (!r->begun) {
		atomic64_inc(&f->reads[r->length]);
		r->begun = true;
		due = this_cpu_dec_return(countdown) < 0;
		if (unlikely(due))
			this_cpu_write(countdown, SAMPLE - 1);
		if (!covers || r->follow || unlikely(due))
			begin_timed(r, rec, covers);
		else
			r->last = NULL;
	} else if (bio->bi_iter.bi_sector != r->sector) {
		atomic64_inc(&f->extra[r->length]);
		if (r->timed)
			r->timed->extra++;
	} else {
		atomic64_inc(&f->cut);
	}
	if (unlikely(r->timed))
		fly(r, bio, rec);
	if (covers) {
		end(r);
		return;
	}
	r->next = from + bytes;
	r->sector = bio->bi_iter.bi_sector + (bytes >> SECTOR_SHIFT);
}

/* === Probes =============================================================== */

static void probe_readpages(void *unused, struct inode *inode, pgoff_t start,
			    unsigned int nr)
{
	if (nr && likely(!ft_f2fs_has_clusters(inode)))
		begin(inode, (u64)start << PAGE_SHIFT, (u64)nr << PAGE_SHIFT, false);
}

static void probe_readpage(void *unused, FT_READ_PAGE *what, int type)
{
	struct folio *folio = FT_READ_FOLIO(what);

	if (type == DATA && likely(!ft_f2fs_has_clusters(folio->mapping->host)))
		begin(folio->mapping->host, folio_pos(folio), folio_size(folio), false);
}

static void probe_direct_enter(void *unused, struct inode *inode, struct kiocb *iocb,
			       long len, int rw)
{
	u64 size = round_up(i_size_read(inode), FT_BLOCK_SIZE);

	if (rw == READ && len > 0 && iocb->ki_pos < size)
		begin(inode, iocb->ki_pos, min_t(u64, len, size - iocb->ki_pos), true);
}

static void probe_direct_exit(void *unused, struct inode *inode, loff_t offset,
			      unsigned long len, int rw, int ret)
{
	struct reading *r = own();

	if (is_active(r) && r->direct)
		end(r);
}

static noinline void count_other(const struct super_block *sb, unsigned long ino)
{
	struct ft_inode *rec = ft_probe_begin(sb, ino);

	if (!rec)
		return;
	atomic64_inc(&times_of(rec)->other);
	ft_probe_leave();
}

/* F2FS reads pages. They are in the order of the file. */
static void probe_submit_read(void *unused, struct super_block *sb, int type,
			      struct bio *bio)
{
	struct reading *r = own();
	struct folio *folio;
	struct ft_inode *rec;
	u64 from;

	if (is_active(r) && r->direct)
		r->not = bio;
	if (type != DATA || !bio->bi_vcnt)
		return;
	folio = page_folio(bio->bi_io_vec->bv_page);
	if (!folio->mapping || unlikely(ft_f2fs_has_clusters(folio->mapping->host)))
		return;
	from = ((u64)folio->index + folio_page_idx(folio, bio->bi_io_vec->bv_page)) << PAGE_SHIFT;
	if (unlikely(!is_active(r) || r->direct || folio->mapping->host != r->inode ||
		     from < r->next || from >= r->end)) {
		count_other(sb, folio->mapping->host->i_ino);
		return;
	}
	rec = ft_probe_begin(sb, r->inode->i_ino);
	if (!rec)
		return;
	count_bio(r, rec, from, bio);
	ft_probe_leave();
}

/* The block layer gets a bio: is it one of the current task's direct read? */
static void probe_bio_queue(void *unused, struct bio *bio)
{
	struct reading *r;
	struct ft_inode *rec;

	/* what a device makes of a bio is submitted within the submission of that */
	if (bio_op(bio) != REQ_OP_READ || current->bio_list)
		return;
	r = own();
	if (!is_active(r) || !r->direct || bio == r->not)
		return;
	rec = ft_probe_begin(r->inode->i_sb, r->inode->i_ino);
	if (!rec)
		return;
	count_bio(r, rec, r->next, bio);
	ft_probe_leave();
}

static void landed(struct flight *f, bool failed)
{
	struct timed *t = f->timed;
	u64 now = ktime_get_ns();

	/* from here on another bio may have this place */
	smp_store_release(&f->bio, NULL);
	atomic_dec(&in_flight);
	rcu_read_lock();
	if (failed)
		t->failed = true;
	WRITE_ONCE(t->ended, now);
	if (is_waiting(t))
		WRITE_ONCE(t->waited, now);
	put(t);
	rcu_read_unlock();
}

/* A bio ends, on any device, maybe in an interrupt. */
static noinline void find_landed(const struct bio *bio, bool failed)
{
	unsigned int home = hash_ptr(bio, FLIGHT_BITS), i;
	struct flight *f;

	for (i = 0; i < FT_MAX_LATENCY_SEARCHED; i++) {
		f = &tables->flight[(home + i) % BIT(FLIGHT_BITS)];
		if (READ_ONCE(f->bio) == bio) {
			landed(f, failed);
			return;
		}
	}
}

/* Drivers that take requests end these, with their bios in turn. */
static void probe_request_complete(void *unused, struct request *rq, blk_status_t error,
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

/* Others, as device-mapper does, end bios. */
static void probe_bio_complete(void *unused, struct request_queue *q, struct bio *bio)
{
	if (unlikely(atomic_read(&in_flight)))
		find_landed(bio, bio->bi_status);
}

static unsigned int list_probes(struct ft_probe *list)
{
	const struct ft_probe table[] = {
		FT_PROBE(f2fs_readpages, probe_readpages),
		FT_PROBE(f2fs_readpage, probe_readpage),
		FT_PROBE(f2fs_submit_read_bio, probe_submit_read),
		FT_PROBE(f2fs_direct_IO_enter, probe_direct_enter),
		FT_PROBE(f2fs_direct_IO_exit, probe_direct_exit),
		FT_PROBE(block_bio_queue, probe_bio_queue),
		FT_PROBE(block_rq_complete, probe_request_complete),
		FT_PROBE(block_bio_complete, probe_bio_complete),
	};

	static_assert(ARRAY_SIZE(table) <= FT_MAX_OBSERVER_PROBES);
	memcpy(list, table, sizeof(table));
	return ARRAY_SIZE(table);
}

/* Forget the reads that were under way when the probes were detached; no probe runs. */
static void attach(void)
{
	memset(tables, 0, sizeof(*tables));
	atomic_set(&in_flight, 0);
}

/* === The text ============================================================= */

/* What a line shows; they are in this order. */
enum kind { KIND_CELL, KIND_FIT, KIND_REST, KIND_FILE };

/**
 * struct line - for readers
 * @kind: what it shows
 * @dev: the volume
 * @length: of reads
 * @share: of @cell
 * @file: for the reader
 * @cell: one of these is what it shows
 * @sums: another one
 * @counts: of the rest, or of a file; and of the rest two more
 */
struct line {
	enum kind kind;
	dev_t dev;
	u8 length;
	u8 share;
	u32 file;
	union {
		struct cell cell;
		u64 sums[NR_SUMS];
		u64 counts[NR_COUNTS + 2];
	};
};

static void copy_counts(struct line *l, const struct ft_reads *f)
{
	unsigned int i;

	for (i = 0; i < NR_COUNTS; i++)
		l->counts[i] = atomic64_read(count_nr(f, i));
}

static int copy_file(struct ft_lines *lines, struct ft_inode *rec, u32 file)
{
	struct line l = { .kind = KIND_FILE, .dev = rec->vol->dev, .file = file };
	const struct ft_reads *f;
	struct line *new;

	rcu_read_lock();
	f = rcu_dereference(rec->reads);
	if (f)
		copy_counts(&l, f);
	rcu_read_unlock();
	if (!f)
		return 0;
	new = ft_lines_add(lines);
	if (!new)
		return -ENOMEM;
	*new = l;
	return 0;
}

static int list_volume(struct ft_lines *lines, struct ft_volume *vol)
{
	struct times *t = ft_observed(vol, latency);
	unsigned int i, k;
	struct line *l;

	if (!t)
		return 0;
	if (ft_vec_make_room(&lines->vec, CLASSES * (SHARES + 1) + 1, sizeof(*l)))
		return -ENOMEM;
	for (i = 0; i < CLASSES; i++) {
		for (k = 0; k <= SHARES; k++) {
			l = ft_lines_add(lines);
			l->kind = k < SHARES ? KIND_CELL : KIND_FIT;
			l->dev = vol->dev;
			l->length = i;
			l->share = k;
			raw_spin_lock_irq(&t->lock);
			if (k < SHARES)
				l->cell = t->cells[i][k];
			else
				memcpy(l->sums, t->fits[i], sizeof(l->sums));
			raw_spin_unlock_irq(&t->lock);
			if (k < SHARES ? !l->cell.reads && !l->cell.failed : !l->sums[SUM_N])
				lines->vec.nr--;
		}
	}
	l = ft_lines_add(lines);
	l->kind = KIND_REST;
	l->dev = vol->dev;
	copy_counts(l, &t->rest);
	l->counts[NR_COUNTS] = atomic64_read(&t->other);
	l->counts[NR_COUNTS + 1] = atomic64_read(&t->lost);
	return 0;
}

static int by_kind(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	if (x->share != y->share)
		return x->share < y->share ? -1 : 1;
	return x->file < y->file ? -1 : x->file > y->file;
}

static void show_head(struct seq_file *m, const struct ft_lines *lines)
{
	seq_puts(m, "# fragtrace latency 1\n");
	if (on)
		seq_printf(m, "# timed: all reads in several requests, 2 of %u others\n", SAMPLE);
	else
		seq_puts(m, "# not known: the module was loaded with latency=0\n");
	seq_puts(m, "# dev time blocks pieces reads failed waits took waited bucket:reads...\n");
	seq_puts(m, "# dev fit blocks n x l y xx xl ll xy ly yy\n");
	seq_puts(m, "# dev rest other lost cut bytes timed timed_split waited waited_split reads:extra...\n");
	seq_puts(m, "# dev file ino cut bytes timed timed_split waited waited_split reads:extra... path\n");
}

static void show_cell(struct seq_file *m, const struct line *l)
{
	const struct cell *c = &l->cell;
	unsigned int i;

	seq_printf(m, "time %lu %lu %llu %llu %llu %llu %llu", BIT(l->length),
		   l->share ? BIT(l->share - 1) + 1 : 1UL, c->reads, c->failed, c->waits,
		   c->took, c->waited);
	for (i = 0; i < BUCKETS; i++)
		if (c->buckets[i])
			seq_printf(m, " %lu:%llu", i ? BIT(i - 1) : 0UL, c->buckets[i]);
}

static void show_counts(struct seq_file *m, const struct line *l)
{
	unsigned int i;

	for (i = 2 * CLASSES; i < NR_COUNTS; i++)
		seq_printf(m, " %llu", l->counts[i]);
	for (i = 0; i < CLASSES; i++)
		seq_printf(m, " %llu:%llu", l->counts[i], l->counts[CLASSES + i]);
}

static void show_line(struct seq_file *m, const struct ft_lines *lines, const void *line)
{
	const struct line *l = line;
	const struct ft_snap_file *f;
	unsigned int i;

	seq_printf(m, "%u:%u ", MAJOR(l->dev), MINOR(l->dev));
	switch (l->kind) {
	case KIND_CELL:
		show_cell(m, l);
		break;
	case KIND_FIT:
		seq_printf(m, "fit %lu", BIT(l->length));
		for (i = 0; i < NR_SUMS; i++)
			seq_printf(m, " %llu", l->sums[i]);
		break;
	case KIND_REST:
		seq_printf(m, "rest %llu %llu", l->counts[NR_COUNTS], l->counts[NR_COUNTS + 1]);
		show_counts(m, l);
		break;
	case KIND_FILE:
		f = ft_snap_file(lines->snap, l->file);
		seq_printf(m, "file %u", f->ino);
		show_counts(m, l);
		seq_printf(m, " %s", ft_snap_path(lines->snap, f->path));
		break;
	}
	seq_putc(m, '\n');
}

static void reset(struct ft_volume *vol)
{
	struct times *t = ft_observed(vol, latency);
	unsigned int i;

	if (!t)
		return;
	ft_volume_visit(vol, drop, NULL);
	raw_spin_lock_irq(&t->lock);
	memset(t->cells, 0, sizeof(t->cells));
	memset(t->fits, 0, sizeof(t->fits));
	raw_spin_unlock_irq(&t->lock);
	for (i = 0; i < NR_COUNTS; i++)
		atomic64_set(&t->rest.reads[0] + i, 0);
	atomic64_set(&t->other, 0);
	atomic64_set(&t->lost, 0);
}

static const struct ft_text text = {
	.name = "latency",
	.view = FT_VIEW_PATHS,
	.size = sizeof(struct line),
	.each = copy_file,
	.volume = list_volume,
	.compare = by_kind,
	.head = show_head,
	.show = show_line,
	.reset = reset,
	.words = FT_RESET_WORDS,
};

/* === Life ================================================================= */

static int init(void)
{
	if (!on)
		return 0;
	tables = ft_mem_vzalloc(sizeof(*tables));
	return tables ? 0 : -ENOMEM;
}

static void exit_latency(void)
{
	ft_mem_vfree(tables, sizeof(*tables));
}

static void *watch(void)
{
	struct times *t = ft_mem_vzalloc(sizeof(*t));

	if (t)
		raw_spin_lock_init(&t->lock);
	return t;
}

static void forget(void *t)
{
	ft_mem_vfree(t, sizeof(struct times));
}

const struct ft_observer ft_latency = {
	.text = &text,
	.on = &on,
	.init = init,
	.exit = exit_latency,
	.probes = list_probes,
	.attach = attach,
	.watch = watch,
	.forget = forget,
	.drop = drop_counts,
	.give_way = drop_all,
};
