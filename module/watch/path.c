// SPDX-License-Identifier: GPL-2.0-only
/*
 * Paths of watched directories: from a path to a super block and an inode, and
 * back, without keeping a reference that would make umount fail.
 */

#include <linux/magic.h>
#include <linux/namei.h>
#include <linux/path.h>
#include <linux/slab.h>

#include "core/base.h"
#include "core/compat.h"
#include "core/volume.h"
#include "maps/inode.h"
#include "maps/names.h"
#include "probes/probe.h"
#include "watch/path.h"

/* The full path of @path; if it is NULL, that of @dentry in its file system. */
static char *path_string(const struct path *path, struct dentry *dentry)
{
	char *buf __free(kfree) = kmalloc(PATH_MAX, GFP_KERNEL);
	char *str;

	if (!buf)
		return ERR_PTR(-ENOMEM);
	str = path ? d_path(path, buf, PATH_MAX) : dentry_path_raw(dentry, buf, PATH_MAX);
	return IS_ERR(str) ? str : kstrdup(str, GFP_KERNEL) ?: ERR_PTR(-ENOMEM);
}

/**
 * ft_path_free() - free what ft_path_find() found
 * @found: what it found; s_umount is left to the caller
 */
void ft_path_free(struct ft_found *found)
{
	if (!IS_ERR(found->real))
		kfree(found->real);
	if (!IS_ERR(found->mount))
		kfree(found->mount);
	if (!IS_ERR(found->mount_root))
		kfree(found->mount_root);
}

static int judge(const char *path, const struct path *p, bool loud)
{
	struct super_block *sb = p->dentry->d_sb;

	if (!d_is_dir(p->dentry)) {
		if (loud)
			pr_err("path %s: not a directory\n", path);
		return -ENOTDIR;
	}
	if (sb->s_magic != F2FS_SUPER_MAGIC || strcmp(sb->s_type->name, "f2fs")) {
		if (loud)
			pr_err("path %s: on %s, but only F2FS can be watched\n",
			       path, sb->s_type->name);
		return -EOPNOTSUPP;
	}
	if (!ft_attach_usable()) {
		if (loud)
			pr_err("path %s: not attached to this F2FS; an earlier message says why\n",
			       path);
		return -EOPNOTSUPP;
	}
	return 0;
}

static int find(const char *path, struct ft_found *found, bool loud)
{
	struct path p, top;
	int err;

	err = kern_path(path, LOOKUP_FOLLOW, &p);
	if (err) {
		if (loud)
			pr_err("path %s: %s\n", path,
			       err == -ENOENT ? "no such directory" :
			       err == -ENOTDIR ? "not a directory" :
			       err == -ENAMETOOLONG ? "too long" : "cannot be looked up");
		/*
		 * insmod takes ENOENT for an unknown symbol, a writer to a file
		 * of debugfs takes it for a module that is not loaded.
		 */
		return err == -ENOENT ? -ENOTDIR : err;
	}
	err = judge(path, &p, loud);
	if (err)
		goto out;

	top.mnt = p.mnt;
	top.dentry = p.mnt->mnt_root;
	found->ino = d_inode(p.dentry)->i_ino;
	found->real = path_string(&p, NULL);
	found->mount = path_string(&top, NULL);
	found->mount_root = path_string(NULL, top.dentry);
	err = PTR_ERR_OR_ZERO(found->real) ?: PTR_ERR_OR_ZERO(found->mount) ?:
	      PTR_ERR_OR_ZERO(found->mount_root);
	if (err) {
		ft_path_free(found);
		goto out;
	}
	found->sb = p.dentry->d_sb;
	/* a user waits for a remount to end, a worker tries again later */
	if (loud) {
		down_read(&found->sb->s_umount);
	} else if (!down_read_trylock(&found->sb->s_umount)) {
		ft_path_free(found);
		err = -EBUSY;
	}
out:
	path_put(&p);
	return err;
}

/**
 * ft_path_find() - look up a directory on F2FS
 * @path: its path
 * @found: on success what was found, to be freed by ft_path_free(). The super
 *	block's s_umount is held. The path itself is not held: that would make
 *	umount fail.
 * @loud: for a user: begin at the root directory of the caller, log what is
 *	wrong, and wait for a remount to end. Otherwise begin at the root
 *	directory of init, and do not wait
 *
 * Context: process; may sleep.
 * Return: 0, -ENOTDIR if there is no such directory, -EOPNOTSUPP if it is not on
 * an F2FS that can be followed, -EBUSY if @loud is not set and it is being
 * mounted or unmounted, -ENAMETOOLONG, -ENOMEM, or another error of the look-up.
 */
int ft_path_find(const char *path, struct ft_found *found, bool loud)
{
	int err = 0;

	if (loud)
		return find(path, found, loud);
	scoped_with_init_fs() {
		err = find(path, found, loud);
	}
	return err;
}

static int look(const char *path, unsigned int flags, struct ft_place *at)
{
	struct path p;
	int err = kern_path(path, flags, &p);

	if (err)
		return err;
	at->dev = p.dentry->d_sb->s_dev;
	at->ino = d_inode(p.dentry)->i_ino;
	path_put(&p);
	return 0;
}

/**
 * ft_path_look() - look where a path leads
 * @path: the path
 * @at: set to the inode there
 * @user: begin at the root directory of the caller, otherwise at that of init
 * @wait: wait for the disk, or for other users of directories on the path
 *
 * Context: process; may sleep.
 * Return: 0; -EAGAIN if @wait is not set and the kernel has not cached all of the path;
 * or the error of the look-up.
 */
int ft_path_look(const char *path, struct ft_place *at, bool user, bool wait)
{
	unsigned int flags = LOOKUP_FOLLOW | (wait ? 0 : LOOKUP_CACHED);
	int err = 0;

	if (user)
		return look(path, flags, at);
	scoped_with_init_fs() {
		err = look(path, flags, at);
	}
	return err;
}

/* Is something mounted on a directory, in any mount namespace? In an RCU section. */
static bool is_mountpoint(struct super_block *sb, unsigned long ino)
{
	/* a mount point is in memory: nothing is read from the disk */
	struct inode *inode = find_inode_by_ino_rcu(sb, ino);
	struct dentry *dentry;

	if (!inode)
		return false;
	guard(ft_spinlock)(&inode->i_lock);
	for_each_alias(dentry, inode)
		if (d_mountpoint(dentry))
			return true;
	return false;
}

/* Does the path of a directory lead to what is mounted on it? */
static void set_hides(struct ft_inode *dir)
{
	char *path __free(kfree) = kzalloc(PATH_MAX, GFP_KERNEL);
	struct ft_place at = { };
	int err = -EAGAIN;

	if (path) {
		mutex_lock(&dir->vol->ns_lock);
		ft_names_path(dir, path, PATH_MAX);
		mutex_unlock(&dir->vol->ns_lock);
		err = ft_path_look(path, &at, false, false);
	}
	if (err != -EAGAIN)
		WRITE_ONCE(dir->hides, !err && (at.dev != dir->vol->dev || at.ino != dir->ino));
}

static void look_below(struct ft_inode *dir, void *unused)
	__must_hold(RCU)
{
	if (!dir->is_dir ||
	    !(READ_ONCE(dir->hides) || is_mountpoint(dir->vol->sb, dir->ino)) ||
	    !refcount_inc_not_zero(&dir->ref))
		return;
	rcu_read_unlock();
	set_hides(dir);
	ft_inode_put(dir);
	rcu_read_lock();
}

/**
 * ft_path_mark_hidden() - find the directories of a volume that are mount points now
 * @vol: the volume
 *
 * Files below one have no path that leads to them in the mount namespace of init. Nothing
 * reports a mount, so this is called before paths are shown.
 *
 * Context: process; may sleep, but does not wait for the disk.
 */
void ft_path_mark_hidden(struct ft_volume *vol)
{
	struct super_block *sb = ft_volume_hold_sb(vol);

	if (!sb)
		return;
	ft_volume_visit(vol, look_below, NULL);
	ft_volume_drop_sb(sb);
}

/**
 * ft_path_inside() - get the path of a directory within its file system
 * @dir: the directory
 *
 * Context: process; may sleep.
 * Return: its path there, to be freed; or an ERR_PTR: -EBUSY if the volume is
 * being unmounted, -EAGAIN if no process has looked the directory up recently.
 */
char *ft_path_inside(struct ft_inode *dir)
{
	struct super_block *sb = ft_volume_hold_sb(dir->vol);
	struct dentry *dentry = NULL;
	struct inode *inode;
	char *inside;

	if (!sb)
		return ERR_PTR(-EBUSY);
	inode = ilookup(sb, dir->ino);
	if (inode)
		dentry = d_find_any_alias(inode);
	iput(inode);
	inside = dentry ? path_string(NULL, dentry) : ERR_PTR(-EAGAIN);
	dput(dentry);
	ft_volume_drop_sb(sb);
	return inside;
}

/**
 * ft_path_below() - cut off the beginning of a path
 * @inside: a path within a file system
 * @top: a directory there
 *
 * Return: the part of @inside below @top, empty or beginning with a slash;
 * %NULL if it is elsewhere.
 */
const char *ft_path_below(const char *inside, const char *top)
{
	size_t skip = strcmp(top, "/") ? strlen(top) : 0;

	if (strncmp(inside, top, skip) || (inside[skip] != '/' && inside[skip] != '\0'))
		return NULL;
	return strcmp(inside + skip, "/") ? inside + skip : "";
}
