// SPDX-License-Identifier: GPL-2.0-only
/*
 * Latency: how long reads take on the device, and into how many requests breaks split them.
 *
 * In: reads that begin, from F2FS's tracepoints; their bios, from F2FS's (the page cache) and
 * the block layer's (direct reads); the ends of bios, from the block layer's. Out: for each
 * file how much is read in how many requests, for each volume times, in the file latency of
 * debugfs. fragtrace cost makes prices of them.
 *
 * latency.c has the reads, times.c those that are timed, text.c the file in debugfs.
 *
 * Counts are of all reads. Times are taken of all reads that more than one bio serves, and of
 * 2 of %FT_LATENCY_SAMPLE others: so most reads cost two or three short probes.
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
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "core/base.h"
#include "core/memory.h"
#include "core/volume.h"
#include "maps/inode.h"
#include "observers/latency/counts.h"
#include "observers/latency/times.h"
#include "observers/observers.h"
#include "probes/probing.h"

#include <trace/events/block.h>

#define READING_BITS	9
#define READINGS_SIZE	(BIT(READING_BITS) * sizeof(struct ft_read))

#define ACTIVE	1L
/* The owner of an entry that is about to be free; no task. */
#define ABANDONED	ACTIVE
/* A read under way is taken for abandoned after this time, in jiffies. */
#define READ_LIMIT	(4 * HZ)

static void free_abandoned(struct work_struct *work);
static DECLARE_WORK(abandoned_work, free_abandoned);

/* The reads under way, by task. */
static struct ft_read *readings;
/* Reads in one piece until the next one is timed. */
static DEFINE_PER_CPU(int, countdown);

/* === Reads ================================================================ */

/* No more bios of a read come: its times may end. */
static __always_inline void end_timed(struct ft_read *r)
{
	struct ft_timed *t = r->timed;

	if (likely(!t))
		return;
	r->timed = NULL;
	ft_times_end(t);
}

static __always_inline struct ft_read *own(void)
{
	return &readings[hash_ptr(current, READING_BITS)];
}

static __always_inline bool is_active(struct ft_read *r)
{
	return atomic_long_read(&r->owner) == ((long)current | ACTIVE);
}

/* The current task had no read yet, or one with a hole at its end. False: there is no room. */
static noinline bool take(struct ft_read *r, long was)
{
	long me = (long)current;

	if (was == (me | ACTIVE))
		/* a direct read whose buffer is a mapped file reads that, too */
		return !r->direct;
	if (was & ACTIVE) {
		if ((u32)jiffies - READ_ONCE(r->since) >= READ_LIMIT)
			queue_work(ft_wq, &abandoned_work);
		return false;
	}
	if (atomic_long_cmpxchg(&r->owner, was, me | ACTIVE) != was)
		return false;
	r->last = NULL;
	r->follow = false;
	return true;
}

/*
 * A read does not end if it fails, or if there is a hole at its end. Its task may be gone,
 * or wait for a slow disk: then it finds that the entry is not its own any more.
 */
static void free_abandoned(struct work_struct *work)
{
	struct ft_read *r;
	long owner;

	for (r = readings; r < readings + BIT(READING_BITS); r++) {
		owner = atomic_long_read(&r->owner);
		if (owner & ACTIVE && (u32)jiffies - READ_ONCE(r->since) >= READ_LIMIT)
			atomic_long_cmpxchg(&r->owner, owner, ABANDONED);
	}
	/* for probes that have seen their own task there */
	tracepoint_synchronize_unregister();
	for (r = readings; r < readings + BIT(READING_BITS); r++)
		if (atomic_long_read(&r->owner) == ABANDONED) {
			end_timed(r);
			atomic_long_set_release(&r->owner, 0);
		}
}

/* The current task begins to read a range of a file. */
static __always_inline void begin(const struct inode *inode, u64 from, u64 bytes, bool direct)
{
	long me = (long)current, was;
	struct ft_read *r = own();

	was = atomic_long_cmpxchg(&r->owner, me, me | ACTIVE);
	if (unlikely(was != me) && !take(r, was))
		return;
	end_timed(r);
	r->inode = inode;
	r->next = from;
	r->end = from + bytes;
	r->since = jiffies;
	r->length = min(fls64((bytes - 1) >> FT_BLOCK_BITS), FT_LATENCY_CLASSES - 1);
	r->direct = direct;
	r->begun = false;
	r->not = NULL;
}

/* No more bios of the current task's read come. */
static __always_inline void end(struct ft_read *r)
{
	end_timed(r);
	atomic_long_set_release(&r->owner, (long)current);
}

/* A bio of the current task's read is about to be submitted, which reads from @from on. */
static __always_inline void count_bio(struct ft_read *r, struct ft_inode *rec, u64 from,
				      const struct bio *bio)
{
	u32 bytes = bio->bi_iter.bi_size;
	struct ft_reads *f = ft_reads_of(rec);
	bool covers = from + bytes >= r->end, broken = false, due;

	atomic64_add(bytes, &f->bytes);
	if (!r->begun) {
		atomic64_inc(&f->reads[r->length]);
		r->begun = true;
		due = this_cpu_dec_return(countdown) < 0;
		if (unlikely(due))
			this_cpu_write(countdown, FT_LATENCY_SAMPLE - 1);
		if (!covers || r->follow || unlikely(due))
			ft_times_begin(r, rec, covers);
		else
			r->last = NULL;
	} else if (bio->bi_iter.bi_sector != r->sector) {
		atomic64_inc(&f->extra[r->length]);
		broken = true;
	} else {
		atomic64_inc(&f->cut);
	}
	if (unlikely(r->timed))
		ft_times_fly(r, bio, rec, broken);
	if (covers) {
		end(r);
		return;
	}
	r->next = from + bytes;
	r->sector = bio->bi_iter.bi_sector + (bytes >> SECTOR_SHIFT);
}

/* === Probes =============================================================== */

static void probe_readpages(void *unused, struct inode *inode, pgoff_t start, unsigned int nr)
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
	struct ft_read *r = own();

	if (is_active(r) && r->direct)
		end(r);
}

static noinline void count_other(const struct inode *inode)
{
	ft_probe_file(rec, inode)
		atomic64_inc(&ft_latency_of(rec)->other);
}

/* F2FS reads pages. They are in the order of the file. */
static void probe_submit_read(void *unused, struct super_block *sb, int type, struct bio *bio)
{
	struct ft_read *r = own();
	struct folio *folio;
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
		count_other(folio->mapping->host);
		return;
	}
	ft_probe_file(rec, r->inode)
		count_bio(r, rec, from, bio);
}

/* The block layer gets a bio: is it one of the current task's direct read? */
static void probe_bio_queue(void *unused, struct bio *bio)
{
	struct ft_read *r;

	/* what a device makes of a bio is submitted within the submission of that */
	if (bio_op(bio) != REQ_OP_READ || current->bio_list)
		return;
	r = own();
	if (!is_active(r) || !r->direct || bio == r->not)
		return;
	ft_probe_file(rec, r->inode)
		count_bio(r, rec, r->next, bio);
}

static const struct ft_probe probes[] = {
	FT_PROBE(f2fs_readpages, probe_readpages),
	FT_PROBE(f2fs_readpage, probe_readpage),
	FT_PROBE(f2fs_submit_read_bio, probe_submit_read),
	FT_PROBE(f2fs_direct_IO_enter, probe_direct_enter),
	FT_PROBE(f2fs_direct_IO_exit, probe_direct_exit),
	FT_PROBE(block_bio_queue, probe_bio_queue),
	FT_PROBE(block_rq_complete, ft_times_request_complete),
	FT_PROBE(block_bio_complete, ft_times_bio_complete),
	{ }
};

/* Forget the reads that were under way when the probes were detached; no probe runs. */
static void attach(void)
{
	memset(readings, 0, READINGS_SIZE);
	ft_times_clear();
}

static void detach(void)
{
	cancel_work_sync(&abandoned_work);
}

/* === Life ================================================================= */

static int init(void)
{
	if (!ft_latency_on)
		return 0;
	readings = ft_mem_zalloc(READINGS_SIZE, GFP_KERNEL);
	if (!readings)
		return -ENOMEM;
	if (ft_times_init()) {
		ft_mem_free(readings, READINGS_SIZE);
		return -ENOMEM;
	}
	return 0;
}

static void exit_latency(void)
{
	ft_times_exit();
	ft_mem_free(readings, READINGS_SIZE);
}

static void watch(void *state)
{
	raw_spin_lock_init(&((struct ft_read_times *)state)->lock);
}

const struct ft_observer ft_latency = {
	.text = &ft_latency_text,
	.on = &ft_latency_on,
	.init = init,
	.exit = exit_latency,
	.probes = probes,
	.attach = attach,
	.detach = detach,
	.state_size = sizeof(struct ft_read_times),
	.nr_counts = FT_LATENCY_COUNTS,
	.watch = watch,
};
