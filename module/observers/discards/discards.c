// SPDX-License-Identifier: GPL-2.0-only
/*
 * Discards: what F2FS queues, issues and removes, zone resets among it, and how long that takes.
 *
 * In: ranges and commands of F2FS's queue, from its tracepoints, and how much is in it, from its
 * own state; what the device gets, and when that begins and ends, from the block layer. Out: sums,
 * in the file discards of debugfs, which fragtrace discards reads.
 *
 * discards.c has the probes, waits.c how long blocks wait, counts.h the numbers, text.c the file
 * in debugfs.
 */

#include <linux/atomic.h>
#include <linux/bio.h>
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/hash.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "core/base.h"
#include "core/memory.h"
#include "core/observer.h"
#include "core/volume.h"
#include "observers/discards/counts.h"
#include "observers/observers.h"
#include "probes/probing.h"

#include <trace/events/block.h>

#define FLIGHT_BITS	8
#define FLIGHTS_SIZE	(sizeof(struct flight) << FLIGHT_BITS)

/**
 * struct flight - a bio that has not ended
 * @bio: the bio; only compared. NULL: not in use
 * @dev: its device
 * @op: enum ft_discard_op
 * @blocks: in it
 * @begun: when its driver got it, in nanoseconds; before that, when the block layer did
 */
struct flight {
	const struct bio *bio;
	dev_t dev;
	u8 op;
	u32 blocks;
	u64 begun;
};

static struct flight *flights;
static atomic_t in_flight = ATOMIC_INIT(0);

/* === F2FS's queue ========================================================= */

/* F2FS is about to do something with its queue. */
static void count(const struct block_device *bdev, enum ft_discard_op op, enum ft_discard_sum what,
		  u64 blocks)
{
	struct ft_volume *vol;
	struct ft_discarded *d;
	unsigned long flags;

	guard(ft_rcu)();
	vol = ft_volume_find_dev(bdev->bd_dev);
	if (!vol)
		return;
	d = ft_observed(vol, discards);
	raw_spin_lock_irqsave(&d->lock, flags);
	ft_discards_advance(d, vol->sb);
	d->sums[op][what]++;
	d->sums[op][FT_DISCARDS_QUEUED_BLOCKS] += blocks;
	raw_spin_unlock_irqrestore(&d->lock, flags);
}

static void probe_queue(void *unused, struct block_device *bdev, block_t start, block_t blocks)
{
	count(bdev, FT_DISCARD, FT_DISCARDS_QUEUED, blocks);
}

static void probe_issue(void *unused, struct block_device *bdev, block_t start, block_t blocks)
{
	count(bdev, FT_DISCARD, FT_DISCARDS_COMMANDS, 0);
}

static void probe_remove(void *unused, struct block_device *bdev, block_t start, block_t blocks)
{
	count(bdev, FT_DISCARD, FT_DISCARDS_REMOVED, 0);
}

/* F2FS resets whole zones. */
static u32 zone_blocks(struct block_device *bdev)
{
	return bdev_zone_sectors(bdev) >> (FT_BLOCK_BITS - SECTOR_SHIFT);
}

#ifdef FT_HAVE_QUEUE_RESET_ZONE
static void probe_queue_reset(void *unused, struct block_device *bdev, block_t start)
{
	count(bdev, FT_RESET, FT_DISCARDS_QUEUED, zone_blocks(bdev));
}
#endif

static void probe_issue_reset(void *unused, struct block_device *bdev, block_t start)
{
	count(bdev, FT_RESET, FT_DISCARDS_COMMANDS, 0);
}

/* === The device =========================================================== */

/* The entry that @is has near that of a bio; a free one, NULL, is taken for the bio. */
static struct flight *find(const struct bio *bio, const struct bio *is)
{
	unsigned int home = hash_ptr(bio, FLIGHT_BITS), i;
	struct flight *f;

	for (i = 0; i < FT_MAX_DISCARDS_SEARCHED; i++) {
		f = &flights[(home + i) % BIT(FLIGHT_BITS)];
		if (READ_ONCE(f->bio) == is && (is || !cmpxchg(&f->bio, NULL, bio)))
			return f;
	}
	return NULL;
}

static void add_end(struct ft_discarded *d, const struct flight *f, bool failed)
{
	u64 took = ktime_get_ns() - f->begun;
	u64 *sums = d->sums[f->op];
	unsigned long flags;

	raw_spin_lock_irqsave(&d->lock, flags);
	sums[FT_DISCARDS_ENDED]++;
	if (failed) {
		sums[FT_DISCARDS_FAILED]++;
	} else {
		sums[FT_DISCARDS_TOOK] += took;
		sums[FT_DISCARDS_WORST] = max(sums[FT_DISCARDS_WORST], took);
	}
	ft_discards_on_device(d, -(s64)f->blocks);
	raw_spin_unlock_irqrestore(&d->lock, flags);
}

/* A bio ends, on any device, maybe in an interrupt. */
static void land(const struct bio *bio, bool failed)
{
	struct flight *f = find(bio, bio), copy;
	struct ft_volume *vol;

	if (!f)
		return;
	copy = *f;
	/* from here on another bio may have this place */
	smp_store_release(&f->bio, NULL);
	atomic_dec(&in_flight);
	guard(ft_rcu)();
	vol = ft_volume_find_dev(copy.dev);
	if (vol)
		add_end(ft_observed(vol, discards), &copy, failed);
}

/* The line of the current thread, or that of all others. The last ones are for kernel threads. */
static struct ft_discard_task *own_line(struct ft_discarded *d)
{
	unsigned int kept = current->flags & PF_KTHREAD ? 0 : FT_DISCARD_KTHREADS;
	unsigned int end = FT_DISCARD_TASKS - kept;
	struct ft_discard_task *t = &d->tasks[1];

	for (; *current->comm && t < d->tasks + end; t++) {
		if (!*t->comm)
			strscpy(t->comm, current->comm, sizeof(t->comm));
		if (!strncmp(t->comm, current->comm, sizeof(t->comm)))
			return t;
	}
	return d->tasks;
}

/* The current task has a bio to issue. False if there is no place to time it in. */
static bool take_off(const struct bio *bio, enum ft_discard_op op, u32 blocks)
{
	struct flight *f;

	/* the end of an earlier bio there was not reported */
	land(bio, true);
	f = find(bio, NULL);
	if (!f)
		return false;
	f->dev = bio->bi_bdev->bd_dev;
	f->op = op;
	f->blocks = blocks;
	f->begun = ktime_get_ns();
	atomic_inc(&in_flight);
	return true;
}

static void issue(struct ft_discarded *d, const struct bio *bio, enum ft_discard_op op)
{
	u32 blocks = op == FT_RESET ? zone_blocks(bio->bi_bdev) :
				      bio->bi_iter.bi_size >> FT_BLOCK_BITS;
	bool timed = take_off(bio, op, blocks);
	struct ft_discard_task *t;
	unsigned long flags;

	raw_spin_lock_irqsave(&d->lock, flags);
	t = own_line(d);
	t->issued[op]++;
	t->blocks[op] += blocks;
	d->sums[op][FT_DISCARDS_ISSUED]++;
	d->sums[op][FT_DISCARDS_BLOCKS] += blocks;
	if (timed)
		ft_discards_on_device(d, blocks);
	else
		d->sums[op][FT_DISCARDS_LOST]++;
	raw_spin_unlock_irqrestore(&d->lock, flags);
}

static bool is_ours(blk_opf_t op)
{
	return op == REQ_OP_DISCARD || op == REQ_OP_ZONE_RESET;
}

/* The block layer gets a bio, of any device. */
static void probe_bio_queue(void *unused, struct bio *bio)
{
	struct ft_volume *vol;

	if (likely(!is_ours(bio_op(bio))))
		return;
	guard(ft_rcu)();
	vol = ft_volume_find_dev(bio->bi_bdev->bd_dev);
	if (vol)
		issue(ft_observed(vol, discards), bio,
		      bio_op(bio) == REQ_OP_DISCARD ? FT_DISCARD : FT_RESET);
}

/* A driver that takes requests gets one. */
static void probe_request_issue(void *unused, struct request *rq)
{
	const struct bio *bio;
	struct flight *f;

	if (likely(!atomic_read(&in_flight)) || !is_ours(req_op(rq)))
		return;
	for (bio = rq->bio; bio; bio = bio->bi_next) {
		f = find(bio, bio);
		if (f)
			f->begun = ktime_get_ns();
	}
}

/* A driver that takes requests ends one, with its bios in turn. A reset has no bytes. */
static void probe_request_complete(void *unused, struct request *rq, blk_status_t error,
				   unsigned int bytes)
{
	const struct bio *bio;

	if (likely(!atomic_read(&in_flight)) || !is_ours(req_op(rq)))
		return;
	for (bio = rq->bio; bio && bio->bi_iter.bi_size <= bytes; bio = bio->bi_next) {
		bytes -= bio->bi_iter.bi_size;
		land(bio, error);
	}
}

/* A driver that takes bios, as device-mapper does, ends one. */
static void probe_bio_complete(void *unused, struct request_queue *q, struct bio *bio)
{
	if (unlikely(atomic_read(&in_flight)))
		land(bio, bio->bi_status);
}

static const struct ft_probe probes[] = {
	FT_PROBE(f2fs_queue_discard, probe_queue),
	FT_PROBE(f2fs_issue_discard, probe_issue),
	FT_PROBE(f2fs_remove_discard, probe_remove),
#ifdef FT_HAVE_QUEUE_RESET_ZONE
	FT_PROBE(f2fs_queue_reset_zone, probe_queue_reset),
#endif
	FT_PROBE(f2fs_issue_reset_zone, probe_issue_reset),
	FT_PROBE(block_bio_queue, probe_bio_queue),
	FT_PROBE(block_rq_issue, probe_request_issue),
	FT_PROBE(block_rq_complete, probe_request_complete),
	FT_PROBE(block_bio_complete, probe_bio_complete),
	{ }
};

/* === Life ================================================================= */

/* Forget the bios that were under way when the probes were detached; no probe runs. */
static void attach(void)
{
	memset(flights, 0, FLIGHTS_SIZE);
	atomic_set(&in_flight, 0);
}

static int init(void)
{
	if (!ft_discards_on)
		return 0;
	flights = ft_mem_zalloc(FLIGHTS_SIZE, GFP_KERNEL);
	return flights ? 0 : -ENOMEM;
}

static void exit_discards(void)
{
	ft_mem_free(flights, FLIGHTS_SIZE);
}

static void watch(void *state)
{
	raw_spin_lock_init(&((struct ft_discarded *)state)->lock);
}

const struct ft_observer ft_discards = {
	.text = &ft_discards_text,
	.on = &ft_discards_on,
	.init = init,
	.exit = exit_discards,
	.probes = probes,
	.attach = attach,
	.state_size = sizeof(struct ft_discarded),
	.watch = watch,
};
