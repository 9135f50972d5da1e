// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read from F2FS which names a directory holds.
 *
 * In: a directory that a worker has taken. Out: names for maps/names.c. One step reads a
 * limited number of names; the next step goes on from there. Names are read into the
 * buffer of the worker first: F2FS may wait for the disk, and the lock of all names of
 * the volume must not be held meanwhile.
 */

#include <linux/fs.h>

#include "core/memory.h"
#include "core/volume.h"
#include "maps/inode.h"
#include "maps/names.h"
#include "scan/scan.h"

/* How many names one step reads. */
#define NAMES_PER_STEP		256

/**
 * struct ft_walk - a directory that is being read, from the first step to the last
 * @ctx: how far it has been read
 * @file: stands in for an open file, which would pin the mount
 * @dir: the directory
 * @w: the worker that takes the step
 * @nr: names read in this step
 * @used: bytes of @w->names that are used
 * @full: there may be more names
 * @refused: names that were left out before, less those that have been since: they count
 *	as left out until the directory has been read
 * @resync_before: the directory's @resync when the walk began, or went on
 * @requests: its @changes when the walk began
 */
struct ft_walk {
	struct dir_context ctx;
	struct file file;
	struct ft_inode *dir;
	struct ft_worker *w;
	unsigned int nr;
	size_t used;
	bool full;
	u32 refused;
	u8 resync_before;
	u32 requests;
};

/* A name that was read. */
struct name {
	u32 ino;
	u16 len;
	bool is_dir;
	char text[];
};

static size_t name_size(unsigned int len)
{
	return ALIGN(offsetof(struct name, text) + len, __alignof__(struct name));
}

static bool take_name(struct dir_context *ctx, const char *name, int len,
		      loff_t pos, u64 ino, unsigned int type)
{
	struct ft_walk *walk = container_of(ctx, struct ft_walk, ctx);
	struct name *read = (struct name *)(walk->w->names + walk->used);

	if (walk->nr == NAMES_PER_STEP || walk->used + name_size(len) > sizeof(walk->w->names)) {
		walk->full = true;
		return false;
	}
	walk->nr++;
	if (type != DT_DIR && type != DT_REG)
		return true;
	if (name[0] == '.' && (len == 1 || (len == 2 && name[1] == '.')))
		return true;
	read->ino = ino;
	read->len = len;
	read->is_dir = type == DT_DIR;
	memcpy(read->text, name, len);
	walk->used += name_size(len);
	return true;
}

/* Add what take_name() has read. */
static int add_names(struct ft_volume *vol, struct ft_walk *walk)
{
	const struct name *read;
	size_t pos;
	int err = -ENOENT;

	guard(mutex)(&vol->ns_lock);
	if (!ft_inode_is_dead(walk->dir) && !ft_volume_gone(vol))
		err = 0;
	for (pos = 0; !err && pos < walk->used; pos += name_size(read->len)) {
		read = (const struct name *)(walk->w->names + pos);
		err = ft_names_add(vol, walk->dir, read->text, read->len, read->ino, read->is_dir);
		/* no memory for a new file; but a known file may get another name */
		if (err != -ENOBUFS)
			continue;
		err = 0;
		if (walk->refused) {
			walk->refused--;
			ft_inode_names_left_out(vol, -1);
		}
	}
	return err;
}

/*
 * Read some names, and add them. The directory is locked: no change of a name can come
 * between reading it and adding it in maps/names.c. Returns 1 if there may be more.
 */
static int read_names(struct ft_worker *w, struct ft_walk *walk, struct inode *inode)
{
	int err, added;

	/* set as for do_iterate_dir() */
	walk->file.f_inode = inode;
	walk->file.f_mapping = inode->i_mapping;
	walk->file.f_mode = FMODE_READ;
	file_ra_state_init(&walk->file.f_ra, inode->i_mapping);
	walk->w = w;
	walk->nr = 0;
	walk->used = 0;
	walk->full = false;

	ft_step_killable(w);
	err = inode->i_fop->iterate_shared(&walk->file, &walk->ctx);
	ft_step_not_killable(w);
	added = add_names(w->vol, walk);
	if (added)
		return added;
	/* ended by the watchdog */
	if (err == -ERESTARTSYS || err == -EINTR)
		return 1;
	return err ?: walk->full;
}

/* read_names() as a step. -EAGAIN if the directory is locked. */
static int walk_step(struct ft_worker *w, struct ft_walk *walk)
{
	struct inode *inode = ft_step_begin(w, walk->dir);
	int err = -EAGAIN;

	if (IS_ERR(inode))
		return PTR_ERR(inode);
	if (ft_step_lock_shared(inode)) {
		err = -ENOENT;
		if (S_ISDIR(inode->i_mode) && !IS_DEADDIR(inode))
			err = read_names(w, walk, inode);
		inode_unlock_shared(inode);
	}
	ft_step_end(w, inode);
	return err;
}

/**
 * ft_dir_cancel() - end the walk through a directory before its last step
 * @dir: the directory; the caller has taken it
 *
 * Context: process.
 */
void ft_dir_cancel(struct ft_inode *dir)
{
	if (!dir->walk)
		return;
	ft_inode_names_left_out(dir->vol, -(long)dir->walk->refused);
	ft_mem_free(dir->walk, sizeof(*dir->walk));
	WRITE_ONCE(dir->walk, NULL);
}

/**
 * ft_dir_step() - take one step through a directory
 * @w: the worker
 * @dir: the directory; @w has taken it
 *
 * Context: process; may sleep. Takes ns_lock and dir->lock.
 * Return: what to do with it next.
 */
enum ft_step ft_dir_step(struct ft_worker *w, struct ft_inode *dir)
{
	struct ft_walk *walk = dir->walk;
	int err;

	if (!walk) {
		walk = ft_mem_zalloc(sizeof(*walk), GFP_KERNEL);
		if (!walk)
			return FT_STEP_AGAIN;
		walk->ctx.actor = take_name;
		walk->dir = dir;
		walk->resync_before = READ_ONCE(dir->resync);
		walk->requests = READ_ONCE(dir->changes);
		/* they are counted anew */
		guard(mutex)(&dir->vol->ns_lock);
		WRITE_ONCE(dir->walk, walk);
		walk->refused = dir->refused;
		dir->refused = 0;
	}
	err = walk_step(w, walk);
	if (err > 0)
		return FT_STEP_MORE;
	/* it goes on later from where it stopped */
	if (err == -EBUSY || err == -EAGAIN) {
		if (err == -EAGAIN)
			ft_inode_scanned(dir, walk->resync_before, 0);
		walk->resync_before = READ_ONCE(dir->resync);
		return err == -EAGAIN ? FT_STEP_HELD : FT_STEP_AGAIN;
	}
	if (err && err != -ENOENT && err != -ESTALE) {
		if (!ft_step_may_pass(err))
			ft_inode_scanned(dir, walk->resync_before, 0);
	} else if (READ_ONCE(dir->changes) != walk->requests) {
		/* names that had been read already may be gone since */
		ft_inode_scanned(dir, walk->resync_before, 0);
		err = -EAGAIN;
	} else {
		ft_inode_read(dir);
		err = 0;
	}
	ft_dir_cancel(dir);
	if (err == -ESHUTDOWN) {
		ft_inode_end_request(dir, false);
		return FT_STEP_LAST;
	}
	/* names may be missing: the target is not "live" until they are read */
	return err ? FT_STEP_AGAIN : FT_STEP_LAST;
}
