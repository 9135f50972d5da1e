// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ask F2FS what events cannot tell: which names a directory holds, and where
 * the blocks of a file are.
 *
 * In: the queue of a volume. Out: names for names.c, extents for rebuild.c. One
 * worker per volume. It looks at the super block in short steps, each of them
 * with s_umount held and no reference left behind, so that umount is never
 * refused and waits for one step at the most. That rules out everything that
 * needs a path, since a path pins the mount: inodes are reached by number and
 * directories read without an open file.
 */

#include <linux/delay.h>
#include <linux/exportfs.h>
#include <linux/fiemap.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "fragtrace.h"

/* How many names are taken in one step. */
#define NAMES_PER_STEP		256
/*
 * How many bytes of a file are looked up in one step, and the bounds of it. Each
 * step begins at a multiple of the smallest one, which is the largest cluster of
 * compressed files: FIEMAP that begins inside a cluster takes its blocks for
 * ordinary ones.
 */
#define STEP_DEFAULT		(256ULL << 20)
#define STEP_MIN		(1ULL << 20)
#define STEP_MAX		(1ULL << 30)
/* How far FIEMAP has looked ahead when it reports an extent, in look-ups. */
#define LOOKUPS_KEPT		4
/* How many extents one step can take up. */
#define EXTENTS_PER_STEP	4096
/* How often an audit looks at a file that does not keep still, and how soon. */
#define AUDIT_TRIES		8
#define AUDIT_PAUSE_MS		20

/**
 * struct ft_scan - scratch memory of a volume's worker
 * @task: the worker while it runs FIEMAP: whose events are for us
 * @ino: the inode it asks about
 * @nr: extents in @found
 * @overflow: there were more
 * @unclear: a compressed cluster whose blocks are not known
 * @nr_lookups: how often FIEMAP has looked up blocks of a compressed file
 * @lookups: what it saw the last few times
 * @found: what F2FS reported
 */
struct ft_scan {
	struct task_struct *task;
	u32 ino;
	unsigned int nr;
	bool overflow;
	bool unclear;
	unsigned int nr_lookups;
	struct ft_extent lookups[LOOKUPS_KEPT];
	struct ft_extent found[EXTENTS_PER_STEP];
};

/**
 * ft_scan_alloc() - give a volume its scratch memory
 * @vol: the volume
 *
 * Return: 0 or -ENOMEM.
 */
int ft_scan_alloc(struct ft_volume *vol)
{
	vol->scan = kvzalloc(sizeof(*vol->scan), GFP_KERNEL | __GFP_NOWARN);
	return vol->scan ? 0 : -ENOMEM;
}

/**
 * ft_scan_free() - free the scratch memory of a volume
 * @vol: the volume
 */
void ft_scan_free(struct ft_volume *vol)
{
	kvfree(vol->scan);
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

/* === Directories ========================================================== */

struct walk {
	struct dir_context ctx;
	struct ft_volume *vol;
	struct ft_inode *dir;
	unsigned int nr;
	int err;
};

static bool take_name(struct dir_context *ctx, const char *name, int len,
		      loff_t pos, u64 ino, unsigned int type)
{
	struct walk *walk = container_of(ctx, struct walk, ctx);

	if (walk->nr == NAMES_PER_STEP)
		return false;
	walk->nr++;
	if (type != DT_DIR && type != DT_REG)
		return true;
	if (name[0] == '.' && (len == 1 || (len == 2 && name[1] == '.')))
		return true;
	walk->err = ft_names_add(walk->vol, walk->dir, name, len, ino,
				 type == DT_DIR);
	/* no room for this file: perhaps for the name of one we follow */
	if (walk->err == -ENOBUFS)
		walk->err = 0;
	return !walk->err;
}

/*
 * Take one step through a directory. The directory is locked, so what we read
 * and what names.c is told of changes cannot overtake each other.
 */
static int walk_step(struct walk *walk, struct file *file)
{
	struct ft_volume *vol = walk->vol;
	struct super_block *sb = ft_volume_hold_sb(vol);
	struct inode *inode;
	int err;

	if (!sb)
		return -EBUSY;
	inode = get_inode(vol, sb, walk->dir);
	err = PTR_ERR_OR_ZERO(inode);
	if (err)
		goto out;

	err = -ENOENT;
	inode_lock_shared(inode);
	if (S_ISDIR(inode->i_mode) && !IS_DEADDIR(inode)) {
		/* stands in for an open file, which would pin the mount */
		file->f_inode = inode;
		file->f_mapping = inode->i_mapping;
		file->f_mode = FMODE_READ;
		file_ra_state_init(&file->f_ra, inode->i_mapping);

		walk->nr = 0;
		mutex_lock(&vol->ns_lock);
		if (!walk->dir->dead)
			err = inode->i_fop->iterate_shared(file, &walk->ctx);
		mutex_unlock(&vol->ns_lock);
		err = err ?: walk->err;
	}
	inode_unlock_shared(inode);
	iput(inode);
out:
	ft_volume_drop_sb(sb);
	return err;
}

static int walk_dir(struct ft_volume *vol, struct ft_inode *dir)
{
	struct walk walk = {
		.ctx.actor = take_name,
		.vol = vol,
		.dir = dir,
	};
	struct file *file;
	int err;

	file = kzalloc(sizeof(*file), GFP_KERNEL);
	if (!file)
		return -ENOMEM;
	do {
		err = walk_step(&walk, file);
		cond_resched();
	} while (!err && walk.nr == NAMES_PER_STEP);
	kfree(file);
	return err;
}

/* === Files ================================================================ */

static bool is_ours(const struct ft_scan *scan, u32 ino)
{
	return READ_ONCE(scan->task) == current && scan->ino == ino;
}

/**
 * ft_scan_lookup_event() - F2FS looks up blocks of a compressed file
 * @vol: the volume
 * @ino: the inode
 * @ext: what it found: written blocks, perhaps compressed ones
 *
 * FIEMAP is about to report them, but not how many blocks a cluster has.
 *
 * Context: atomic, RCU read section.
 */
void ft_scan_lookup_event(struct ft_volume *vol, u32 ino,
			  const struct ft_extent *ext)
{
	struct ft_scan *scan = vol->scan;

	if (is_ours(scan, ino))
		scan->lookups[scan->nr_lookups++ % LOOKUPS_KEPT] = *ext;
}

/*
 * Find the blocks of a compressed cluster that FIEMAP reports to begin at a
 * file block. The address there is a mere sign; those of the blocks follow it.
 */
static bool find_cluster(const struct ft_scan *scan, u32 lblk, u32 lba,
			 struct ft_extent *ext)
{
	unsigned int i;

	for (i = 0; i < min_t(unsigned int, scan->nr_lookups, LOOKUPS_KEPT); i++)
		if (scan->lookups[i].lblk == lblk + 1 &&
		    scan->lookups[i].lba == lba) {
			*ext = scan->lookups[i];
			ext->encoded = true;
			return true;
		}
	return false;
}

/**
 * ft_scan_fiemap_event() - F2FS reports an extent to someone
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
	struct ft_scan *scan = vol->scan;
	struct ft_extent *ext;

	if (!is_ours(scan, ino))
		return;
	/* inside the inode's own block */
	if (flags & FIEMAP_EXTENT_DATA_INLINE)
		return;
	if (scan->nr == EXTENTS_PER_STEP) {
		scan->overflow = true;
		return;
	}
	ext = &scan->found[scan->nr++];
	ext->lblk = logical >> FT_BLOCK_BITS;
	ext->len = len >> FT_BLOCK_BITS;
	ext->lba = flags & FIEMAP_EXTENT_UNWRITTEN ? FT_LBA_UNWRITTEN :
						     physical >> FT_BLOCK_BITS;
	ext->encoded = false;
	if (flags & FIEMAP_EXTENT_ENCODED &&
	    !find_cluster(scan, ext->lblk, ext->lba, ext))
		scan->unclear = true;
}

/*
 * Let F2FS report the extents of [*@pos, *@pos + *@step) to the probe, and go
 * on to what comes next. FIEMAP with room for no extent copies none.
 */
static int scan_step(struct ft_volume *vol, struct ft_inode *rec, u64 *pos,
		     u64 *step)
{
	struct super_block *sb = ft_volume_hold_sb(vol);
	struct fiemap_extent_info info = { };
	struct ft_scan *scan = vol->scan;
	struct inode *inode;
	u64 end, max;
	int err;

	if (!sb)
		return -EBUSY;
	max = sb->s_maxbytes;
	inode = get_inode(vol, sb, rec);
	err = PTR_ERR_OR_ZERO(inode);
	if (err)
		goto out;

	end = *pos + *step;
	if (end >= i_size_read(inode))
		end = max;
	scan->ino = rec->ino;
	scan->nr = 0;
	scan->overflow = false;
	scan->unclear = false;
	scan->nr_lookups = 0;
	WRITE_ONCE(scan->task, current);
	err = inode->i_op->fiemap ?
		inode->i_op->fiemap(inode, &info, *pos, end - *pos) :
		-EOPNOTSUPP;
	WRITE_ONCE(scan->task, NULL);
	iput(inode);
out:
	ft_volume_drop_sb(sb);
	if (!err && scan->unclear)
		err = -EUCLEAN;
	if (err)
		return err;

	if (scan->overflow) {
		end = (u64)ft_extent_end(&scan->found[scan->nr - 1]) <<
		      FT_BLOCK_BITS;
		end = round_down(end, STEP_MIN);
		*step = max(STEP_MIN, end - *pos);
	} else if (scan->nr < EXTENTS_PER_STEP / 4) {
		*step = min(2 * *step, STEP_MAX);
	}
	*pos = end >= max ? U64_MAX : end;
	return ft_inode_scan_merge(rec, scan->found, scan->nr);
}

/* Let F2FS report a whole file. */
static int scan_all(struct ft_volume *vol, struct ft_inode *rec)
{
	u64 pos = 0, step = STEP_DEFAULT;
	int err;

	do {
		err = scan_step(vol, rec, &pos, &step);
		cond_resched();
	} while (!err && pos != U64_MAX);
	return err;
}

/*
 * Wait until F2FS's extent caches have each change that their events told of
 * before. That is at once, but for preemption: F2FS does not sleep in between.
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

/* Returns true if the file has to be scanned again; *@err says why. */
static bool rescan_file(struct ft_volume *vol, struct ft_inode *rec, int *err)
{
	unsigned long start;

	if (READ_ONCE(rec->epoch) == vol->epoch)
		await_changes(vol);
	if (!ft_inode_scan_begin(rec))
		return READ_ONCE(rec->epoch) == vol->epoch;
	start = jiffies;
	*err = scan_all(vol, rec);
	ft_volume_spent(rec, jiffies - start);
	ft_count(FT_RESCANS);
	if (*err && !is_passing(*err) && *err != -ENOBUFS && *err != -ENOENT &&
	    *err != -ESTALE && !rec->told) {
		rec->told = true;
		pr_warn_ratelimited("inode %u of %u:%u stays stale, F2FS cannot tell its layout: %d\n",
				    rec->ino, MAJOR(vol->dev), MINOR(vol->dev),
				    *err);
	}
	return !ft_inode_scan_end(rec, *err);
}

/*
 * Returns true if the file has to be audited again. An address may have changed
 * just before the event that tells of it: it is a difference only if it is
 * there again, and no event came meanwhile.
 */
static bool audit_file(struct ft_volume *vol, struct ft_inode *rec, int *err)
{
	struct ft_audit_sum sum = { }, last;
	unsigned int n;
	bool claimed;

	for (n = 0; n < AUDIT_TRIES; n++) {
		last = sum;
		if (!ft_inode_scan_begin(rec))
			return false;
		*err = scan_all(vol, rec);
		claimed = !*err && ft_audit_compare(rec, &sum);
		ft_inode_scan_end(rec, -ECANCELED);
		if (!claimed)
			return *err != -ENOBUFS;
		if (!sum.differing ||
		    (last.differing && last.changes == sum.changes))
			break;
		msleep(AUDIT_PAUSE_MS);
		await_changes(vol);
	}
	ft_audit_report(rec, n < AUDIT_TRIES ? &sum : NULL);
	ft_inode_audited(rec);
	if (n < AUDIT_TRIES && sum.differing)
		ft_inode_mark_stale(rec);
	return false;
}

/* Returns true if the worker has to come back to the file. */
static bool scan_file(struct ft_volume *vol, struct ft_inode *rec)
{
	u8 resync = READ_ONCE(rec->resync), audit = READ_ONCE(rec->audit);
	bool again = false, give_up;
	int err = 0;

	if (!rec->omitted && (rec->stale || rec->gen))
		again = rescan_file(vol, rec, &err);
	if (!rec->omitted && !again && !rec->stale && READ_ONCE(rec->audit))
		again = audit_file(vol, rec, &err);
	/* a resync waits for what passes; an audit says that it could not judge */
	give_up = ft_inode_looked(rec, is_passing(err) ? 0 : resync, audit);
	/* it cannot be judged, and somebody waits */
	if (READ_ONCE(rec->audit) && (rec->omitted || give_up)) {
		ft_audit_report(rec, NULL);
		ft_inode_audited(rec);
	}
	return again;
}

/* === The worker =========================================================== */

static struct ft_inode *take_due(struct ft_volume *vol)
{
	struct ft_inode *rec, *found = NULL;

	spin_lock(&vol->queue_lock);
	list_for_each_entry(rec, &vol->queue, queue) {
		if (ft_volume_gone(vol) || rec->dead ||
		    time_after_eq(jiffies, rec->due)) {
			list_del_init(&rec->queue);
			rec->queued = false;
			found = rec;
			break;
		}
	}
	spin_unlock(&vol->queue_lock);
	return found;
}

static void requeue(struct ft_inode *rec)
{
	spin_lock(&rec->lock);
	if (!rec->dead && !rec->omitted)
		ft_volume_queue(rec);
	spin_unlock(&rec->lock);
}

/*
 * Under the lock: ft_inode_remove() holds it from calling the record dead to
 * queueing it once more. Seen too early, the table's reference would be put
 * before the one of that queueing is taken.
 */
static bool is_dead(struct ft_inode *rec)
{
	bool dead;

	spin_lock(&rec->lock);
	dead = rec->dead;
	spin_unlock(&rec->lock);
	return dead;
}

static void read_dir(struct ft_volume *vol, struct ft_inode *dir)
{
	u8 resync = READ_ONCE(dir->resync);
	int err = walk_dir(vol, dir);

	if (!err || err == -ENOENT || err == -ESTALE) {
		ft_inode_read(dir);
		return;
	}
	/* names may be missing: until they are read, not "live" */
	requeue(dir);
	if (!is_passing(err))
		ft_inode_looked(dir, resync, 0);
}

static void work_on(struct ft_volume *vol, struct ft_inode *rec)
{
	if (is_dead(rec)) {
		if (!rec->forgotten) {
			rec->forgotten = true;
			/* the directory may be made again */
			if (READ_ONCE(rec->target_path))
				ft_target_kick();
			ft_names_forget(rec);
			ft_inode_put(rec);	/* the table's */
		}
	} else if (ft_volume_gone(vol)) {
		return;
	} else if (rec->is_dir) {
		read_dir(vol, rec);
	} else if (scan_file(vol, rec)) {
		requeue(rec);
	}
}

/**
 * ft_scan_work() - do what is queued for a volume
 * @work: the volume's worker
 *
 * On a volume that is gone: only let go of the inodes.
 *
 * Context: process; one at a time per volume.
 */
void ft_scan_work(struct work_struct *work)
{
	struct ft_volume *vol = container_of(to_delayed_work(work),
					     struct ft_volume, work);
	struct ft_inode *rec;

	while ((rec = take_due(vol))) {
		work_on(vol, rec);
		if (rec->is_dir)
			atomic_dec(&vol->nr_unread);
		ft_inode_put(rec);
		atomic_dec(&vol->nr_queued);
		cond_resched();
	}
	spin_lock(&vol->queue_lock);
	if (!ft_volume_gone(vol) && !list_empty(&vol->queue))
		queue_delayed_work(ft_wq, &vol->work, msecs_to_jiffies(20));
	spin_unlock(&vol->queue_lock);
}
