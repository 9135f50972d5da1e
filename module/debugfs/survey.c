// SPDX-License-Identifier: GPL-2.0-only
/*
 * Figures of all maps of a volume, read without a copy: how many breaks there are,
 * and which file owns a block.
 *
 * In: the records of the volume. The extents of a file are read a few at a time,
 * from the beginning if the file changes meanwhile.
 */

#include <linux/slab.h>

#include "causes/breaks.h"
#include "core/volume.h"
#include "debugfs/survey.h"
#include "maps/inode.h"
#include "maps/names.h"
#include "watch/path.h"

/* Records that are passed before other tasks may run. */
#define FILES_PER_STEP		1024
/* Extents read before the lock is dropped, and those kept on the stack. */
#define EXTENTS_PER_STEP	256
#define EXTENTS_AT_ONCE		16
/* After this many restarts the file is read on, and may be inconsistent. */
#define MAX_TRIES		8

/**
 * struct survey - what was read of a file so far
 * @lba: the block that is searched for, or %FT_LBA_UNWRITTEN
 * @from: the file block to go on from
 * @written: a written extent was read
 * @end: where the last one ends on the volume
 * @begin: the first file block of its fragment
 * @breaks: fragments but the first
 * @found: the block was found,
 * @lblk: at this file block, with
 * @cause: the cause of its fragment
 */
struct survey {
	u32 lba;
	u32 from;
	bool written;
	u32 end;
	u32 begin;
	u64 breaks;
	bool found;
	u32 lblk;
	u32 cause;
};

/* === Files ================================================================ */

/*
 * The next file that readers see, from inode number *@ino on, with a reference to
 * it. It has at least @extents extents. NULL if there is none.
 */
static struct ft_inode *next_file(struct ft_volume *vol, unsigned long *ino,
				  u32 extents)
{
	struct ft_inode *rec;
	unsigned int n = 0;

	rcu_read_lock();
	xa_for_each_start(&vol->inodes, *ino, rec, *ino) {
		if (!(++n % FILES_PER_STEP)) {
			rcu_read_unlock();
			cond_resched();
			rcu_read_lock();
			/* it may have been freed: find the same number again */
			rec = xa_load(&vol->inodes, *ino);
			if (!rec)
				continue;
		}
		/* a file that F2FS writes to atomically, for another one, has no name */
		if (rec->is_dir || READ_ONCE(rec->map.nr) < extents ||
		    (hlist_empty(&rec->links) && !READ_ONCE(rec->gone_path)))
			continue;
		if (refcount_inc_not_zero(&rec->ref))
			break;
	}
	rcu_read_unlock();
	if (rec)
		++*ino;
	return rec;
}

static void read_extent(struct ft_inode *rec, const struct ft_extent *ext,
			struct survey *s)
{
	u32 why;

	if (ext->lba == FT_LBA_UNWRITTEN)
		return;
	if (!s->written || ext->lba != s->end)
		s->begin = ext->lblk;
	if (s->written && ext->lba != s->end)
		s->breaks++;
	s->written = true;
	s->end = ext->lba + ext->len;
	if (s->lba == FT_LBA_UNWRITTEN || s->lba - ext->lba >= ext->len)
		return;
	s->found = true;
	s->lblk = ext->lblk + (s->lba - ext->lba);
	s->cause = ft_breaks_cause(rec, s->begin);
	why = ft_cause_why(s->cause);
	if (!s->breaks)
		s->cause &= ~FT_CAUSE_WHY_MASK;
	else if (why == FT_WHY_NONE)
		s->cause |= FT_CAUSE_UNKNOWN;
}

/* Returns true at the end of the map. */
static bool read_some(struct ft_inode *rec, struct survey *s)
{
	struct ft_extent some[EXTENTS_AT_ONCE];
	unsigned int left, nr, i;

	for (left = EXTENTS_PER_STEP; left; left -= nr) {
		nr = ft_extmap_read(&rec->map, &s->from, some, EXTENTS_AT_ONCE);
		for (i = 0; i < nr; i++)
			read_extent(rec, &some[i], s);
		if (nr < EXTENTS_AT_ONCE)
			return true;
	}
	return false;
}

/* Read the map of a file for a block, or for its breaks. Returns: is it stale? */
static bool read_file(struct ft_inode *rec, u32 lba, struct survey *s)
{
	unsigned int tries = 0;
	bool done, stale;
	u32 changes = 0;

	*s = (struct survey){ .lba = lba };
	do {
		/* disable interrupts: writers are waiting for this lock */
		spin_lock_irq(&rec->lock);
		if (ft_inode_has_note(rec))
			ft_inode_take_up(rec);
		if (s->from && rec->changes != changes && tries++ < MAX_TRIES)
			*s = (struct survey){ .lba = lba };
		changes = rec->changes;
		stale = ft_inode_is_stale(rec);
		done = !ft_inode_followed(rec) || read_some(rec, s);
		if (!ft_inode_followed(rec))
			*s = (struct survey){ .lba = lba };
		spin_unlock_irq(&rec->lock);
		ft_let_writers_go();
	} while (!done);
	return stale;
}

/* === Answers ============================================================== */

/**
 * ft_survey_breaks() - count the breaks of all files of a volume
 * @vol: the volume
 *
 * Context: process; may sleep.
 * Return: the sum of what `files` shows as fragments but the first.
 */
u64 ft_survey_breaks(struct ft_volume *vol)
{
	unsigned long ino = 0;
	struct ft_inode *rec;
	u64 breaks = 0;
	struct survey s;

	while ((rec = next_file(vol, &ino, 2))) {
		read_file(rec, FT_LBA_UNWRITTEN, &s);
		ft_inode_put(rec);
		breaks += s.breaks;
	}
	return breaks;
}

/* The path of a file, to be freed; empty if it has none any more. */
static char *path_of(struct ft_inode *rec)
{
	char *path = kzalloc(PATH_MAX, GFP_KERNEL);

	mutex_lock(&rec->vol->ns_lock);
	if (path)
		ft_names_path(rec, path, PATH_MAX);
	mutex_unlock(&rec->vol->ns_lock);
	return path;
}

/**
 * ft_survey_owner() - find the watched file that owns a block
 * @vol: the volume
 * @lba: the block
 * @owned: filled if there is one; @owned->path is to be freed then
 *
 * A block may be in two maps while a file is stale: the other file owns it.
 *
 * Context: process; may sleep.
 * Return: 0, -ENOENT if the block is in no map, or -ENOMEM.
 */
int ft_survey_owner(struct ft_volume *vol, u32 lba, struct ft_owned *owned)
{
	struct ft_inode *rec, *owner = NULL;
	unsigned long ino = 0;
	bool stale = true;
	struct survey s;

	while (stale && (rec = next_file(vol, &ino, 1))) {
		stale = read_file(rec, lba, &s) || !s.found;
		if (!s.found || (stale && owner)) {
			ft_inode_put(rec);
			continue;
		}
		if (owner)
			ft_inode_put(owner);
		owner = rec;
		owned->ino = rec->ino;
		owned->lblk = s.lblk;
		owned->cause = s.cause;
	}
	if (!owner)
		return -ENOENT;
	ft_path_mark_hidden(vol);
	owned->path = path_of(owner);
	ft_inode_put(owner);
	if (!owned->path)
		return -ENOMEM;
	if (*owned->path)
		return 0;
	kfree(owned->path);
	return -ENOENT;
}
