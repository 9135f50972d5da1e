// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scan a file: ask F2FS where its blocks are.
 *
 * In: a file that a worker has taken. Out: extents for maps/rebuild.c. One step scans a
 * limited number of bytes; the next step goes on from there. fiemap.c takes what
 * F2FS reports.
 */

#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "core/base.h"
#include "core/queue.h"
#include "core/volume.h"
#include "f2fs/state.h"
#include "maps/event.h"
#include "maps/inode.h"
#include "maps/rebuild.h"
#include "scan/audit.h"
#include "scan/scan.h"

/*
 * The limits of how many bytes of a file one step scans. Each step of a compressed
 * file begins at a multiple of the smallest one, which is the largest cluster, of 256
 * blocks: a FIEMAP that begins inside a cluster takes its blocks for ordinary ones.
 */
#define STEP_MIN		(256ULL << FT_BLOCK_BITS)
#define STEP_MAX		(1ULL << 30)
/*
 * A file that is open for writing, and of which a call has changed a range so shortly
 * ago, is not scanned yet, in jiffies.
 */
#define RANGE_PAUSE		(13 * HZ / 10)
/* How often an audit compares a file that keeps changing, and how soon. */
#define AUDIT_TRIES		8
#define AUDIT_PAUSE		msecs_to_jiffies(20)

/*
 * Wait until F2FS's extent caches have each change that an event has reported
 * before. The grace period covers preemption between the event and the change.
 * F2FS may also sleep there: for the lock under which blocks are added to a bio,
 * when it submits that bio, and for the write-back of the node. This function does
 * not wait for a sleeping task. But F2FS reports the change again when it makes it
 * (ft_event_update()), and this event corrects the map whatever a scan has read;
 * unless F2FS has given up the file's extent cache meanwhile (module/LIMITS.md,
 * Limits).
 *
 * A late worker and the one that has taken over may do this at the same time: no scan
 * may rely on an epoch whose wait has only begun.
 */
static void await_changes(struct ft_volume *vol)
{
	u32 ended;

	spin_lock(&vol->queue_lock);
	ended = vol->epoch;
	WRITE_ONCE(vol->epoch, ended + 1);
	spin_unlock(&vol->queue_lock);
	synchronize_rcu_tasks();
	guard(ft_spinlock)(&vol->queue_lock);
	if ((s32)(ended - vol->settled_epoch) > 0)
		WRITE_ONCE(vol->settled_epoch, ended);
}

/* The end of the extents that F2FS has reported, in bytes. */
static u64 found_end(const struct ft_worker *w)
{
	return w->nr ? (u64)ft_extent_end(&w->found[w->nr - 1]) << FT_BLOCK_BITS : 0;
}

/*
 * A signal has ended FIEMAP. Returns how far it came, in bytes. The last blocks
 * it looked up may not have been reported yet. In a compressed file the scan goes
 * back to the beginning of a cluster that was not reported.
 */
static u64 end_of_killed(struct ft_worker *w, bool clusters)
{
	u64 end = found_end(w);

	if (clusters) {
		if (!w->nr && !w->pending.len)
			end = (u64)w->reached << FT_BLOCK_BITS;
		return round_down(end, STEP_MIN);
	}
	if (w->overflow)
		return end;
	if (w->pending.len && (u64)w->pending.lblk << FT_BLOCK_BITS >= end) {
		if (w->nr == FT_EXTENTS_PER_STEP)
			return end;
		w->found[w->nr++] = w->pending;
	}
	return (u64)w->reached << FT_BLOCK_BITS;
}

/*
 * FIEMAP has come to its end. It follows a hole at the end of a range to the next
 * block, which it does not report, or to the end of the file. Returns where the
 * next step begins, in bytes.
 */
static u64 skip_hole(const struct ft_worker *w, u64 end, u64 max)
{
	u64 next = (u64)w->pending.lblk << FT_BLOCK_BITS;

	if (w->in_hole)
		return max;
	return w->pending.len ? max(end, round_down(next, STEP_MIN)) : end;
}

/*
 * Is the next call that changes a range of this file to be expected any moment? F2FS
 * refuses F2FS_IOC_MOVE_RANGE, and writes that must not wait, while FIEMAP holds the
 * lock of the inode. So the scan waits for a pause, but not for ever, and not if a user
 * waits for it.
 */
static bool in_use(const struct ft_inode *rec, const struct inode *inode)
{
	return rec->held < FT_HELD_TRIES - 1 && !READ_ONCE(rec->resync) &&
	       !READ_ONCE(rec->audit) && inode_is_open_for_write(inode) &&
	       (u16)(jiffies - READ_ONCE(rec->range_at)) < RANGE_PAUSE;
}

/* Let F2FS report the extents of [@pos, @end) to the probe. */
static int run_fiemap(struct ft_worker *w, struct inode *inode, u64 pos, u64 end)
{
	/* FIEMAP copies nothing if there is no room for extents */
	struct fiemap_extent_info info = { };
	int err;

	if (!inode->i_op->fiemap)
		return -EOPNOTSUPP;
	if (!ft_step_lock_is_free(inode, ft_fiemap_shares_lock()))
		return -EAGAIN;
	ft_step_killable(w);
	err = inode->i_op->fiemap(inode, &info, pos, end - pos);
	ft_step_not_killable(w);
	return err;
}

/* One step of a scan: scan a range, and merge what F2FS reports. */
static int scan_range(struct ft_worker *w, struct ft_inode *rec)
{
	struct ft_rebuild *rebuild = rec->rebuild;
	struct inode *inode = ft_step_begin(w, rec);
	bool clusters, killed;
	u64 end, max;
	int err;

	if (IS_ERR(inode))
		return PTR_ERR(inode);
	clusters = ft_state_has_clusters(inode);
	if (clusters && ft_rebuild_is_part(rebuild)) {
		/* a cluster is not cut in two */
		rebuild->from = 0;
		rebuild->end = FT_LBLK_END;
		rebuild->pos = 0;
		rebuild->last_lba = FT_LBA_UNWRITTEN;
	}
	max = inode->i_sb->s_maxbytes;
	if (ft_rebuild_is_part(rebuild))
		max = min(max, (u64)rebuild->end << FT_BLOCK_BITS);
	end = rebuild->pos + rebuild->step;
	if (end >= i_size_read(inode) || end > max)
		end = max;
	w->ino = rec->ino;
	memset(&w->answers, 0, sizeof(w->answers));
	w->reached = rebuild->pos >> FT_BLOCK_BITS;
	w->clusters = clusters;
	w->cut = (rebuild->pos + STEP_MIN) >> FT_BLOCK_BITS;
	/* an audit does not rely on what F2FS counts; clusters count less */
	w->counts = !rebuild->pos && !rebuild->audit && !clusters && !ft_rebuild_is_part(rebuild);
	err = in_use(rec, inode) ? -EAGAIN : run_fiemap(w, inode, rebuild->pos, end);
	if (!err && ft_state_stopped(inode->i_sb))
		err = -ESHUTDOWN;
	ft_step_end(w, inode);

	killed = err == -EINTR;
	if (err && !killed)
		return err;
	if (w->unclear)
		return -EUCLEAN;
	if (killed) {
		end = max(end_of_killed(w, clusters), rebuild->pos);
		if (clusters && end == rebuild->pos && rebuild->step == STEP_MIN)
			return -ETIMEDOUT;
		if (w->complete)
			end = max;
		else if (!w->in_time || end == rebuild->pos)
			rebuild->step = max(STEP_MIN, rebuild->step / 2);
	} else if (w->overflow) {
		end = round_down(found_end(w), STEP_MIN);
		rebuild->step = max(STEP_MIN, end - rebuild->pos);
	} else {
		end = skip_hole(w, end, max);
		if (w->nr < FT_EXTENTS_PER_STEP / 4)
			rebuild->step = min(2 * rebuild->step, STEP_MAX);
	}
	rebuild->pos = end >= max ? U64_MAX : end;
	return ft_rebuild_merge(rec, w->found, w->nr);
}

/* End a scan: replace the map, unless @err. */
static enum ft_step end_rescan(struct ft_inode *rec, int err)
{
	ft_queue_spent(rec, rec->rebuild->spent);
	ft_count(FT_RESCANS);
	if (err && !ft_step_may_pass(err) && err != -ENOBUFS && err != -ENOENT &&
	    err != -ESTALE && err != -ESHUTDOWN && !rec->warned) {
		rec->warned = true;
		pr_warn_ratelimited("inode %u of %u:%u stays stale, F2FS cannot tell its layout: %d\n",
				    rec->ino, MAJOR(rec->vol->dev),
				    MINOR(rec->vol->dev), err);
	}
	return ft_rebuild_end(rec, err) ? FT_STEP_LAST : FT_STEP_AGAIN;
}

/*
 * End an audit: compare the map with the one that was built beside it. An address
 * may change just before its event is reported. So a difference counts only if a
 * second scan finds it again, and no event came in between.
 */
static enum ft_step end_audit(struct ft_inode *rec, int err)
{
	struct ft_rebuild *rebuild = rec->rebuild;
	struct ft_audit_sum last = rebuild->sum, sum = { };
	u8 tries = rebuild->tries + 1;
	bool claimed = !err && ft_audit_compare(rec, &sum);
	bool repeated = last.differing && last.changes == sum.changes;
	bool sample = rebuild->sample;

	ft_rebuild_end(rec, -ECANCELED);
	if (!claimed)
		return err == -ENOBUFS ? FT_STEP_LAST : FT_STEP_AGAIN;
	if (sum.differing && !repeated && tries < AUDIT_TRIES) {
		schedule_timeout_uninterruptible(AUDIT_PAUSE);
		await_changes(rec->vol);
		if (!ft_rebuild_begin(rec, true)) {
			rec->rebuild->tries = tries;
			rec->rebuild->sample = sample;
			rec->rebuild->sum = sum;
			return FT_STEP_MORE;
		}
		return FT_STEP_AGAIN;
	}
	if (!sample) {
		ft_audit_report(rec, sum.differing && !repeated ? NULL : &sum);
		ft_inode_end_request(rec, true);
	} else if (!sum.differing || repeated) {
		ft_audit_sampled(rec, &sum);
	}
	if (sum.differing && repeated)
		ft_event_mark_stale(rec, FT_OP_UNKNOWN);
	return FT_STEP_LAST;
}

/* Begin what the file is queued for. -ENOENT if there is nothing to do. */
static int begin_scan(struct ft_inode *rec)
{
	struct ft_volume *vol = rec->vol;
	enum ft_state state = READ_ONCE(rec->state);

	if (state >= FT_OMITTED)
		return -ENOENT;
	if (state == FT_EXACT && !READ_ONCE(rec->audit))
		return -ENOENT;
	if (!ft_volume_epoch_settled(vol, READ_ONCE(rec->epoch)))
		await_changes(vol);
	return ft_rebuild_begin(rec, state == FT_EXACT);
}

/*
 * Take a step of a scan, perhaps the last one. Returns the error that a resync or
 * audit may have to wait for.
 */
static int go_on(struct ft_worker *w, struct ft_inode *rec, enum ft_step *step)
{
	struct ft_rebuild *rebuild = rec->rebuild;
	unsigned long start = jiffies;
	int err;

	err = scan_range(w, rec);
	rebuild->spent += jiffies - start;
	if (!err && rebuild->pos != U64_MAX) {
		*step = rebuild->audit ? FT_STEP_REST : FT_STEP_MORE;
	} else if (err == -EBUSY || err == -EAGAIN) {
		/* the scan goes on later from where it stopped */
		*step = err == -EAGAIN ? FT_STEP_HELD : FT_STEP_AGAIN;
	} else if (rebuild->audit) {
		*step = end_audit(rec, err);
	} else {
		*step = end_rescan(rec, err);
		/* the map is exact: now it can be audited */
		if (*step == FT_STEP_LAST && READ_ONCE(rec->audit))
			*step = FT_STEP_MORE;
	}
	return err;
}

/* A scan was tried. End the resync or audit that has waited for enough tries. */
static void count_try(struct ft_inode *rec, int err, u8 resync, u8 audit)
{
	struct ft_rebuild *rebuild;
	bool give_up;

	/* a resync waits for a passing error; an audit reports "unjudged" */
	give_up = ft_inode_scanned(rec, ft_step_may_pass(err) ? 0 : resync, audit);
	if (err == -ESHUTDOWN) {
		ft_inode_end_request(rec, false);
		give_up = true;
	}
	rebuild = rec->rebuild;
	if (READ_ONCE(rec->audit) && (!ft_inode_followed(rec) || give_up)) {
		if (rebuild && rebuild->audit)
			ft_file_cancel(rec);
		ft_audit_report(rec, NULL);
		ft_inode_end_request(rec, true);
	}
	rebuild = rec->rebuild;
	if (rebuild) {
		rebuild->resync_before = READ_ONCE(rec->resync);
		rebuild->audit_before = READ_ONCE(rec->audit);
	}
}

static enum ft_step file_step(struct ft_worker *w, struct ft_inode *rec)
{
	u8 resync = READ_ONCE(rec->resync), audit = READ_ONCE(rec->audit);
	enum ft_step step = FT_STEP_LAST;
	int err = 0;

	/* cancel an audit of a map that is not exact: replace the map first */
	if (rec->rebuild && rec->rebuild->audit && READ_ONCE(rec->state) != FT_EXACT) {
		ft_file_cancel(rec);
		count_try(rec, 0, 0, audit);
		audit = READ_ONCE(rec->audit);
	}
	if (!rec->rebuild)
		err = begin_scan(rec);
	if (rec->rebuild) {
		resync = rec->rebuild->resync_before;
		audit = rec->rebuild->audit_before;
		err = go_on(w, rec, &step);
		if (step == FT_STEP_MORE || step == FT_STEP_REST)
			return step;
	} else if (err != -ENOENT) {
		step = FT_STEP_AGAIN;
	}
	count_try(rec, err, resync, audit);
	return err == -ESHUTDOWN ? FT_STEP_LAST : step;
}

/**
 * ft_file_step() - take one step of the scan of a file or directory
 * @w: the worker
 * @rec: the file or directory; @w has taken it
 *
 * Context: process; may sleep. Takes ns_lock and rec->lock.
 * Return: what to do with it next.
 */
enum ft_step ft_file_step(struct ft_worker *w, struct ft_inode *rec)
{
	return rec->is_dir ? ft_dir_step(w, rec) : file_step(w, rec);
}

/**
 * ft_file_sample() - take one step of an audit that nobody has requested
 * @w: the worker
 * @rec: the file; @w has taken it
 *
 * The file is left alone if its map is not exact, or a task holds its lock or changes it.
 *
 * Context: process; may sleep. Takes ns_lock and rec->lock.
 * Return: %FT_STEP_MORE if another step is needed.
 */
enum ft_step ft_file_sample(struct ft_worker *w, struct ft_inode *rec)
{
	int err;

	if (READ_ONCE(rec->state) != FT_EXACT)
		return FT_STEP_LAST;
	if (!rec->rebuild) {
		if (ft_rebuild_begin(rec, true))
			return FT_STEP_LAST;
		rec->rebuild->sample = true;
	}
	err = scan_range(w, rec);
	if (err)
		return FT_STEP_LAST;
	return rec->rebuild->pos == U64_MAX ? end_audit(rec, 0) : FT_STEP_MORE;
}

/**
 * ft_file_cancel() - end a scan before its last step
 * @rec: the file or directory; the caller has taken it
 *
 * Context: process.
 */
void ft_file_cancel(struct ft_inode *rec)
{
	if (rec->is_dir)
		ft_dir_cancel(rec);
	else if (rec->rebuild)
		ft_rebuild_end(rec, -ECANCELED);
}
