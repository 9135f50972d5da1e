// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ask F2FS what events cannot tell: which names a directory holds, and where
 * the blocks of a file are.
 *
 * In: an inode that a worker has taken. Out: one step of its scan: names for
 * names.c, extents for rebuild.c. A step leaves no reference behind, so that
 * umount is never refused. That rules out everything that needs a path, since a
 * path pins the mount: inodes are reached by number and directories read without
 * an open file. Nor does a step wait for a lock that a user can hold: it tries
 * the lock of the inode, and comes again later.
 */

#include <linux/delay.h>
#include <linux/exportfs.h>
#include <linux/fiemap.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "worker.h"

/* How many names are taken in one step. */
#define NAMES_PER_STEP		256
/*
 * The bounds of how many bytes of a file are looked up in one step. Each step of
 * a compressed file begins at a multiple of the smallest one, which is the largest
 * cluster: FIEMAP that begins inside a cluster takes its blocks for ordinary ones.
 */
#define STEP_MIN		(1ULL << 20)
#define STEP_MAX		(1ULL << 30)
/* How often the lock of an inode is tried in one step, and how far apart. */
#define LOCK_TRIES		16
#define LOCK_PAUSE_US		50
/* How often an audit compares a file that does not keep still, and how soon. */
#define AUDIT_TRIES		8
#define AUDIT_PAUSE		msecs_to_jiffies(20)

/*
 * Wait until F2FS's extent caches have each change that an event has reported
 * before. Only preemption can come in between, and F2FS when it waits until a node
 * has been written (README.md, Limits).
 */
static void await_changes(struct ft_volume *vol)
{
	WRITE_ONCE(vol->epoch, vol->epoch + 1);
	synchronize_rcu_tasks();
}

/* Is it F2FS, or memory, that is not to be had now? That will pass. */
static bool is_passing(int err)
{
	return err == -EBUSY || err == -ENOMEM;
}

/* === Inodes by number ===================================================== */

/*
 * Get the inode of a record, also if it is not in memory. The export operation
 * made for file servers reads an inode by its number; that number must still
 * be its own. While the record has a name and ns_lock is held it is: who
 * removes the last name waits in names.c before the inode is freed.
 *
 * Returns an ERR_PTR: -ENOENT or -ESTALE if the inode is gone, others may pass.
 */
static struct inode *get_inode(struct ft_volume *vol, struct super_block *sb,
			       struct ft_inode *rec)
{
	struct fid fid = { .i32 = { .ino = rec->ino } };
	struct inode *inode = ilookup(sb, rec->ino);
	struct dentry *dentry;

	if (inode)
		return inode;

	inode = ERR_PTR(-ENOENT);
	mutex_lock(&vol->ns_lock);
	if (!rec->dead && (!hlist_empty(&rec->links) || rec->target_path)) {
		dentry = sb->s_export_op->fh_to_dentry(sb, &fid, 2,
						       FILEID_INO32_GEN);
		if (IS_ERR(dentry)) {
			inode = ERR_CAST(dentry);
		} else if (dentry) {
			inode = igrab(d_inode(dentry)) ?: inode;
			dput(dentry);
		}
	}
	mutex_unlock(&vol->ns_lock);
	return inode;
}

/*
 * Is the lock of an inode free? F2FS takes it for FIEMAP and cannot be told to
 * come back later. Who takes it right after this keeps the worker waiting, which
 * the watchdog bounds for all others.
 */
static bool lock_is_free(struct inode *inode)
{
	unsigned int n;

	for (n = 0; n < LOCK_TRIES; n++) {
		if (inode_trylock(inode)) {
			inode_unlock(inode);
			return true;
		}
		usleep_range(LOCK_PAUSE_US, 2 * LOCK_PAUSE_US);
	}
	return false;
}

static bool lock_shared(struct inode *inode)
{
	unsigned int n;

	for (n = 0; n < LOCK_TRIES; n++) {
		if (inode_trylock_shared(inode))
			return true;
		usleep_range(LOCK_PAUSE_US, 2 * LOCK_PAUSE_US);
	}
	return false;
}

/*
 * Begin a step: hold the super block, and get the inode. Returns an ERR_PTR:
 * -EBUSY if that is not possible now, -ESHUTDOWN if F2FS has stopped, or what
 * get_inode() says.
 */
static struct inode *begin_step(struct ft_worker *w, struct ft_inode *rec)
{
	struct super_block *sb = ft_worker_hold_sb(w);
	struct inode *inode;

	if (!sb)
		return ERR_PTR(-EBUSY);
	if (ft_probe_stopped(sb))
		inode = ERR_PTR(-ESHUTDOWN);
	else
		inode = get_inode(w->vol, sb, rec);
	if (IS_ERR(inode))
		ft_worker_drop_sb(w);
	return inode;
}

static void end_step(struct ft_worker *w, struct inode *inode)
{
	iput(inode);
	ft_worker_drop_sb(w);
}

/* === Directories ========================================================== */

/**
 * struct ft_walk - a directory that is being read, from the first step to the last
 * @ctx: how far it has been read
 * @file: stands in for an open file, which would pin the mount
 * @dir: the directory
 * @nr: names taken in this step
 * @err: why the last one was not taken
 * @resync_before: the directory's @resync when the walk began
 */
struct ft_walk {
	struct dir_context ctx;
	struct file file;
	struct ft_inode *dir;
	unsigned int nr;
	int err;
	u8 resync_before;
};

static bool take_name(struct dir_context *ctx, const char *name, int len,
		      loff_t pos, u64 ino, unsigned int type)
{
	struct ft_walk *walk = container_of(ctx, struct ft_walk, ctx);

	if (walk->nr == NAMES_PER_STEP)
		return false;
	walk->nr++;
	if (type != DT_DIR && type != DT_REG)
		return true;
	if (name[0] == '.' && (len == 1 || (len == 2 && name[1] == '.')))
		return true;
	walk->err = ft_names_add(walk->dir->vol, walk->dir, name, len, ino,
				 type == DT_DIR);
	/* no room for this file: perhaps for the name of one we follow */
	if (walk->err == -ENOBUFS)
		walk->err = 0;
	return !walk->err;
}

/*
 * Read some names. The directory is locked, so what we read and what names.c is
 * told of changes cannot overtake each other. Returns 1 if there may be more.
 */
static int read_names(struct ft_worker *w, struct ft_walk *walk,
		      struct inode *inode)
{
	struct ft_volume *vol = w->vol;
	int err = -ENOENT;

	/* as do_iterate_dir() would open it */
	walk->file.f_inode = inode;
	walk->file.f_mapping = inode->i_mapping;
	walk->file.f_mode = FMODE_READ;
	file_ra_state_init(&walk->file.f_ra, inode->i_mapping);
	walk->nr = 0;
	walk->err = 0;

	mutex_lock(&vol->ns_lock);
	ft_worker_killable(w);
	if (!walk->dir->dead && !ft_volume_gone(vol))
		err = inode->i_fop->iterate_shared(&walk->file, &walk->ctx);
	ft_worker_not_killable(w);
	mutex_unlock(&vol->ns_lock);

	/* ended by the watchdog */
	if (err == -ERESTARTSYS || err == -EINTR)
		return 1;
	return err ?: walk->err ?: walk->nr == NAMES_PER_STEP;
}

/* The same, as a step. -EAGAIN if the directory is locked. */
static int walk_step(struct ft_worker *w, struct ft_walk *walk)
{
	struct inode *inode = begin_step(w, walk->dir);
	int err = -EAGAIN;

	if (IS_ERR(inode))
		return PTR_ERR(inode);
	if (lock_shared(inode)) {
		err = -ENOENT;
		if (S_ISDIR(inode->i_mode) && !IS_DEADDIR(inode))
			err = read_names(w, walk, inode);
		inode_unlock_shared(inode);
	}
	end_step(w, inode);
	return err;
}

static enum ft_step dir_step(struct ft_worker *w, struct ft_inode *dir)
{
	struct ft_walk *walk = dir->walk;
	int err;

	if (!walk) {
		walk = kzalloc(sizeof(*walk), GFP_KERNEL);
		if (!walk)
			return FT_STEP_AGAIN;
		walk->ctx.actor = take_name;
		walk->dir = dir;
		walk->resync_before = READ_ONCE(dir->resync);
		dir->walk = walk;
	}
	err = walk_step(w, walk);
	if (err > 0)
		return FT_STEP_MORE;
	/* goes on from where it is */
	if (err == -EBUSY || err == -EAGAIN) {
		if (err == -EAGAIN)
			ft_inode_looked(dir, walk->resync_before, 0);
		walk->resync_before = READ_ONCE(dir->resync);
		return FT_STEP_AGAIN;
	}
	if (err && err != -ENOENT && err != -ESTALE) {
		if (!is_passing(err))
			ft_inode_looked(dir, walk->resync_before, 0);
	} else {
		ft_inode_read(dir);
		err = 0;
	}
	ft_scan_cancel(dir);
	if (err == -ESHUTDOWN) {
		ft_inode_end_resync(dir);
		return FT_STEP_LAST;
	}
	/* names may be missing: until they are read, not "live" */
	return err ? FT_STEP_AGAIN : FT_STEP_LAST;
}

/* === What F2FS reports ==================================================== */

/* The worker that runs in this task and asks about this inode. */
static struct ft_worker *worker_of(struct ft_volume *vol, u32 ino)
{
	struct ft_worker *w;

	list_for_each_entry_rcu(w, &vol->workers, node)
		if (READ_ONCE(w->killable) == current)
			return w->ino == ino ? w : NULL;
	return NULL;
}

/**
 * ft_scan_lookup_event() - F2FS has looked up blocks of a file
 * @vol: the volume
 * @ino: the inode
 * @ext: what it found; a length of 0: a hole at that block
 *
 * FIEMAP is about to report them, but a hole not at all, and of a compressed
 * cluster not how many blocks it has.
 *
 * Context: atomic, RCU read section.
 */
void ft_scan_lookup_event(struct ft_volume *vol, u32 ino,
			  const struct ft_extent *ext)
{
	struct ft_worker *w = worker_of(vol, ino);

	if (!w)
		return;
	w->reached = ext->lblk + max(ext->len, 1U);
	w->in_hole = !ext->len;
	if (ext->len)
		w->pending = *ext;
	if (ext->lba != FT_LBA_UNWRITTEN)
		w->lookups[w->nr_lookups++ % FT_LOOKUPS_KEPT] = *ext;
}

/*
 * Find the blocks of a compressed cluster that FIEMAP reports to begin at a
 * file block. The address there is a mere sign; those of the blocks follow it.
 */
static bool find_cluster(const struct ft_worker *w, u32 lblk, u32 lba,
			 struct ft_extent *ext)
{
	unsigned int i;

	for (i = 0; i < min_t(unsigned int, w->nr_lookups, FT_LOOKUPS_KEPT); i++)
		if (w->lookups[i].lblk == lblk + 1 && w->lookups[i].lba == lba) {
			*ext = w->lookups[i];
			ext->encoded = true;
			return true;
		}
	return false;
}

/**
 * ft_scan_fiemap_event() - F2FS reports an extent
 * @vol: the volume
 * @ino: the inode
 * @logical: begin of the extent in the file, in bytes
 * @physical: begin of the extent on the volume, in bytes
 * @len: its length in bytes
 * @flags: FIEMAP_EXTENT_ flags
 *
 * Only what our own worker asked for is taken.
 *
 * Context: atomic, RCU read section.
 */
void ft_scan_fiemap_event(struct ft_volume *vol, u32 ino, u64 logical,
			  u64 physical, u64 len, u32 flags)
{
	struct ft_worker *w = worker_of(vol, ino);
	struct ft_extent *ext;

	if (!w)
		return;
	/* inside the inode's own block */
	if (flags & FIEMAP_EXTENT_DATA_INLINE)
		return;
	if (w->nr == FT_EXTENTS_PER_STEP) {
		w->overflow = true;
		return;
	}
	ext = &w->found[w->nr++];
	ext->lblk = logical >> FT_BLOCK_BITS;
	ext->len = len >> FT_BLOCK_BITS;
	ext->lba = flags & FIEMAP_EXTENT_UNWRITTEN ? FT_LBA_UNWRITTEN :
						     physical >> FT_BLOCK_BITS;
	ext->encoded = false;
	if (flags & FIEMAP_EXTENT_ENCODED &&
	    !find_cluster(w, ext->lblk, ext->lba, ext))
		w->unclear = true;
}

/* === Files ================================================================ */

/* Where the extents end that F2FS has reported, in bytes. */
static u64 found_end(const struct ft_worker *w)
{
	return w->nr ? (u64)ft_extent_end(&w->found[w->nr - 1]) << FT_BLOCK_BITS :
		       0;
}

/*
 * The watchdog has ended FIEMAP: how far did it come? What it looked up last it
 * may not have reported. Returns the end in bytes; of a compressed file what lies
 * before a cluster that it has not reported.
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
 * FIEMAP has come to its end: a hole at the end of a range it follows to the next
 * block, which it does not report, or to the end of the file. Returns what begins
 * there, in bytes.
 */
static u64 skip_hole(const struct ft_worker *w, u64 end, u64 max)
{
	u64 next = (u64)w->pending.lblk << FT_BLOCK_BITS;

	if (w->in_hole)
		return max;
	return w->pending.len ? max(end, round_down(next, STEP_MIN)) : end;
}

/* Have F2FS report the extents of [@pos, @end) to the probe. */
static int run_fiemap(struct ft_worker *w, struct inode *inode, u64 pos, u64 end)
{
	/* with room for no extent it copies none */
	struct fiemap_extent_info info = { };
	int err;

	if (!inode->i_op->fiemap)
		return -EOPNOTSUPP;
	if (!lock_is_free(inode))
		return -EAGAIN;
	ft_worker_killable(w);
	err = inode->i_op->fiemap(inode, &info, pos, end - pos);
	ft_worker_not_killable(w);
	return err;
}

/* One step of a scan: ask for a range, and merge what F2FS reports. */
static int scan_range(struct ft_worker *w, struct ft_inode *rec)
{
	struct ft_rebuild *rebuild = rec->rebuild;
	struct inode *inode = begin_step(w, rec);
	bool clusters, killed;
	u64 end, max;
	int err;

	if (IS_ERR(inode))
		return PTR_ERR(inode);
	max = inode->i_sb->s_maxbytes;
	end = rebuild->pos + rebuild->step;
	if (end >= i_size_read(inode))
		end = max;
	clusters = ft_probe_has_clusters(inode);
	w->ino = rec->ino;
	w->nr = 0;
	w->overflow = false;
	w->unclear = false;
	w->reached = rebuild->pos >> FT_BLOCK_BITS;
	w->pending.len = 0;
	w->in_hole = false;
	w->nr_lookups = 0;
	err = run_fiemap(w, inode, rebuild->pos, end);
	end_step(w, inode);

	killed = err == -EINTR;
	if (err && !killed)
		return err;
	if (w->unclear)
		return -EUCLEAN;
	if (killed) {
		end = max(end_of_killed(w, clusters), rebuild->pos);
		if (clusters && end == rebuild->pos && rebuild->step == STEP_MIN)
			return -ETIMEDOUT;
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
	return ft_inode_scan_merge(rec, w->found, w->nr);
}

/* The map has been replaced, or could not be. */
static enum ft_step end_rescan(struct ft_inode *rec, int err)
{
	ft_queue_spent(rec, rec->rebuild->spent);
	ft_count(FT_RESCANS);
	if (err && !is_passing(err) && err != -ENOBUFS && err != -ENOENT &&
	    err != -ESTALE && err != -ESHUTDOWN && !rec->told) {
		rec->told = true;
		pr_warn_ratelimited("inode %u of %u:%u stays stale, F2FS cannot tell its layout: %d\n",
				    rec->ino, MAJOR(rec->vol->dev),
				    MINOR(rec->vol->dev), err);
	}
	return ft_inode_scan_end(rec, err) ? FT_STEP_LAST : FT_STEP_AGAIN;
}

/*
 * A map has been built beside the live one: compare them. An address may have
 * changed just before the event that tells of it: it is a difference only if it
 * is there again, and no event came meanwhile.
 */
static enum ft_step end_audit(struct ft_inode *rec, int err)
{
	struct ft_rebuild *rebuild = rec->rebuild;
	struct ft_audit_sum last = rebuild->sum, sum = { };
	u8 tries = rebuild->tries + 1;
	bool claimed = !err && ft_audit_compare(rec, &sum);
	bool repeated = last.differing && last.changes == sum.changes;

	ft_inode_scan_end(rec, -ECANCELED);
	if (!claimed)
		return err == -ENOBUFS ? FT_STEP_LAST : FT_STEP_AGAIN;
	if (sum.differing && !repeated && tries < AUDIT_TRIES) {
		schedule_timeout_uninterruptible(AUDIT_PAUSE);
		await_changes(rec->vol);
		if (!ft_inode_scan_begin(rec, true)) {
			rec->rebuild->tries = tries;
			rec->rebuild->sum = sum;
			return FT_STEP_MORE;
		}
		return FT_STEP_AGAIN;
	}
	ft_audit_report(rec, sum.differing && !repeated ? NULL : &sum);
	ft_inode_audited(rec);
	if (sum.differing && repeated)
		ft_inode_mark_stale(rec);
	return FT_STEP_LAST;
}

/* Begin what is to be done with a file. -ENOENT if that is nothing. */
static int begin_scan(struct ft_inode *rec)
{
	struct ft_volume *vol = rec->vol;
	bool rescan = rec->stale || rec->gen;

	if (rec->omitted || !(rescan || READ_ONCE(rec->audit)))
		return -ENOENT;
	if (READ_ONCE(rec->epoch) == vol->epoch)
		await_changes(vol);
	return ft_inode_scan_begin(rec, !rescan);
}

/*
 * A step of a scan, perhaps the last one. Returns the error that a resync or an
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
		*step = FT_STEP_MORE;
	} else if (err == -EBUSY || err == -EAGAIN) {
		/* the scan goes on later from where it is */
		*step = FT_STEP_AGAIN;
	} else if (rebuild->audit) {
		*step = end_audit(rec, err);
	} else {
		*step = end_rescan(rec, err);
		/* the map is exact: it can be audited */
		if (*step == FT_STEP_LAST && READ_ONCE(rec->audit))
			*step = FT_STEP_MORE;
	}
	return err;
}

/* F2FS has been asked, perhaps in vain: see who is not to wait any longer. */
static void count_try(struct ft_inode *rec, int err, u8 resync, u8 audit)
{
	struct ft_rebuild *rebuild;
	bool give_up;

	/* a resync waits for what passes; an audit says that it could not judge */
	give_up = ft_inode_looked(rec, is_passing(err) ? 0 : resync, audit);
	if (err == -ESHUTDOWN) {
		ft_inode_end_resync(rec);
		give_up = true;
	}
	rebuild = rec->rebuild;
	if (READ_ONCE(rec->audit) && (rec->omitted || give_up)) {
		if (rebuild && rebuild->audit)
			ft_scan_cancel(rec);
		ft_audit_report(rec, NULL);
		ft_inode_audited(rec);
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

	/* a map that is not exact is not compared to the end: it is replaced first */
	if (rec->rebuild && rec->rebuild->audit && (rec->stale || rec->gen)) {
		ft_scan_cancel(rec);
		count_try(rec, 0, 0, audit);
		audit = READ_ONCE(rec->audit);
	}
	if (!rec->rebuild)
		err = begin_scan(rec);
	if (rec->rebuild) {
		resync = rec->rebuild->resync_before;
		audit = rec->rebuild->audit_before;
		err = go_on(w, rec, &step);
		if (step == FT_STEP_MORE)
			return step;
	} else if (err != -ENOENT) {
		step = FT_STEP_AGAIN;
	}
	count_try(rec, err, resync, audit);
	return err == -ESHUTDOWN ? FT_STEP_LAST : step;
}

/**
 * ft_scan_step() - take one step of the scan of a file, or through a directory
 * @w: the worker
 * @rec: the file or directory; @w has taken it
 *
 * Context: process; may sleep. Takes ns_lock and rec->lock.
 * Return: what is to become of it.
 */
enum ft_step ft_scan_step(struct ft_worker *w, struct ft_inode *rec)
{
	return rec->is_dir ? dir_step(w, rec) : file_step(w, rec);
}

/**
 * ft_scan_cancel() - end a scan before its last step
 * @rec: the file or directory; the caller has taken it
 *
 * Context: process.
 */
void ft_scan_cancel(struct ft_inode *rec)
{
	if (!rec->is_dir) {
		if (rec->rebuild)
			ft_inode_scan_end(rec, -ECANCELED);
		return;
	}
	kfree(rec->walk);
	rec->walk = NULL;
}
