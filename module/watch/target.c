// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets: the directories the user asked to watch.
 *
 * In: paths, from the module's parameter and from debugfs. Out: volumes
 * attached, and the records where their trees begin. A target waits if its volume
 * is unmounted, if its directory is removed, or if either is not there yet.
 *
 * A target is the directory that its path leads to in the mount namespace of init. It
 * follows this directory when it is renamed; its path is the new one then. When mounts
 * change, the path may lead elsewhere: to what was mounted over the directory, or to
 * what was below. Nothing reports that but a mount of F2FS, so each path is looked up
 * again from time to time.
 */

#include <linux/err.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/refcount.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "core/base.h"
#include "core/memory.h"
#include "core/volume.h"
#include "maps/inode.h"
#include "maps/names.h"
#include "probes/probe.h"
#include "watch/mount.h"
#include "watch/path.h"
#include "watch/target.h"

/* The shortest and longest delay between two searches for waiting targets. */
#define RETRY_FIRST	(HZ / 100)
#define RETRY_LAST	HZ
/* How often it is checked that the paths of all others still lead to them. */
#define LOOK_PERIOD	(2 * HZ)
/* A path leads elsewhere if it does so twice, so far apart: it may be renamed now. */
#define LOOK_TWICE	(HZ / 5)

/**
 * struct ft_target - a watched directory
 * @node: in targets
 * @path: the path of the directory, as given
 * @mount: the mount point of the mount it was found in; %NULL before that
 * @mount_root: the path of that mount's root within the file system
 * @vol: the volume; %NULL while the target waits
 * @root: the directory; %NULL while the target waits
 * @seeded: everything in it was scanned once
 * @moved: its path has to be read again
 * @there: its path has been seen to lead to it. It may not, if a user has added it in
 *	another mount namespace or from another root directory
 * @elsewhere: how often in a row it did not since
 * @refused: the log has reported why the directory is not followed
 * @ref: one for the list, one for @search while it is queued or runs
 * @search: looks up @sought, which takes time
 * @sought: the path to be looked up
 * @searching: @search is queued or runs
 * @listed: the target is in targets
 */
struct ft_target {
	struct list_head node;
	char *path;
	char *mount;
	char *mount_root;
	struct ft_volume *vol;
	struct ft_inode *root;
	bool seeded;
	bool moved;
	bool there;
	u8 elsewhere;
	bool refused;
	refcount_t ref;
	struct work_struct search;
	char *sought;
	bool searching;
	bool listed;
};

DEFINE_MUTEX(ft_targets_lock);
static LIST_HEAD(targets);		/* protected by ft_targets_lock */

static void housekeeping(struct work_struct *work);
static DECLARE_DELAYED_WORK(housekeeping_work, housekeeping);
static unsigned long retry_delay = RETRY_FIRST;	/* protected by ft_targets_lock */
static bool retry_anew;

/* === Attaching ============================================================ */

/* Begin a tree at the directory that was found. Tables show its path. */
static int plant(struct ft_target *t, struct ft_volume *vol, const struct ft_found *found)
{
	char *path = kstrdup(strcmp(found->real, "/") ? found->real : "", GFP_KERNEL);
	struct ft_inode *root;
	int err = 0;

	if (!path)
		return -ENOMEM;
	mutex_lock(&vol->ns_lock);
	root = ft_inode_get(vol, found->ino);
	/* a file had this number, and its end was not seen */
	if (root && !root->is_dir) {
		ft_inode_put(root);
		root = NULL;
	}
	if (!root) {
		root = ft_inode_create(vol, found->ino, true, true,
				       ft_mem_owner(GLOBAL_ROOT_UID), GFP_KERNEL);
		if (!IS_ERR(root))
			refcount_inc(&root->ref);
	}
	if (IS_ERR(root))
		err = PTR_ERR(root);
	else if (root->target_path)
		err = -EEXIST;
	else
		root->target_path = path;
	mutex_unlock(&vol->ns_lock);
	if (err) {
		kfree(path);
		if (!IS_ERR(root))
			ft_inode_put(root);
		return err;
	}
	ft_inode_request_scan(root, NULL);
	t->root = root;
	t->vol = vol;
	t->seeded = false;
	t->moved = false;
	t->there = false;
	t->elsewhere = 0;
	vol->nr_targets++;
	return 0;
}

/* Release what ft_path_find() found. */
static void drop_found(struct ft_found *found)
{
	up_read(&found->sb->s_umount);
	ft_path_free(found);
}

/* Watch what ft_path_find() found, and release it. */
static int attach(struct ft_target *t, struct ft_found *found, bool loud)
{
	struct ft_volume *vol;
	int err;

	lockdep_assert_held(&ft_targets_lock);
	vol = ft_mount_attach(found->sb, found->mount, loud || !t->refused);
	err = PTR_ERR_OR_ZERO(vol);
	if (!err)
		err = plant(t, vol, found);
	if (err == -EEXIST && (loud || !t->refused))
		pr_err("path %s: is watched already\n", t->path);
	t->refused = err == -EIO || err == -EOPNOTSUPP || err == -EEXIST;
	if (err) {
		drop_found(found);
		if (!IS_ERR(vol) && !vol->nr_targets)
			ft_mount_detach(vol);
		return err;
	}

	up_read(&found->sb->s_umount);
	kfree(found->real);
	kfree(t->mount);
	kfree(t->mount_root);
	t->mount = found->mount;
	t->mount_root = found->mount_root;
	return 0;
}

/* === Detaching ============================================================ */

static void detach(struct ft_target *t)
{
	struct ft_volume *vol = t->vol;
	struct ft_inode *root = t->root;

	lockdep_assert_held(&ft_targets_lock);
	if (!vol)
		return;
	mutex_lock(&vol->ns_lock);
	kfree(root->target_path);
	root->target_path = NULL;
	if (!ft_inode_is_dead(root) && hlist_empty(&root->links))
		ft_names_drop_tree(vol, root);
	mutex_unlock(&vol->ns_lock);
	t->vol = NULL;
	t->root = NULL;
	ft_inode_put(root);
	if (!--vol->nr_targets)
		ft_mount_detach(vol);
}

static void put_target(struct ft_target *t)
{
	if (!refcount_dec_and_test(&t->ref))
		return;
	kfree(t->path);
	kfree(t->sought);
	kfree(t->mount);
	kfree(t->mount_root);
	kfree(t);
}

/* Remove a target from the list, and stop watching it. */
static void drop_target(struct ft_target *t)
{
	lockdep_assert_held(&ft_targets_lock);
	list_del(&t->node);
	t->listed = false;
	detach(t);
	put_target(t);
}

/* === Searching ============================================================ */

static int count_waiting(void)
{
	struct ft_target *t;
	int waiting = 0;

	lockdep_assert_held(&ft_targets_lock);
	list_for_each_entry(t, &targets, node)
		waiting += !t->vol;
	atomic_set(&ft_nr_waiting, waiting);
	return waiting;
}

/* The path of a target, as `targets` shows it. */
static const char *path_of(const struct ft_target *t)
{
	lockdep_assert_held(&ft_targets_lock);
	if (!t->vol)
		return t->path;
	return *t->root->target_path ? t->root->target_path : "/";
}

static bool is_at(const struct ft_target *t, const struct ft_place *at)
{
	return t->vol && t->vol->dev == at->dev && t->root->ino == at->ino;
}

/*
 * The target or a directory above it was renamed. Its new path is not known until
 * some process has looked the target up: try again later.
 */
static int refresh_path(struct ft_target *t)
{
	char *inside = ft_path_inside(t->root), *path;
	const char *below;

	if (IS_ERR(inside))
		return PTR_ERR(inside);
	below = ft_path_below(inside, t->mount_root);
	/* it has no path if the mount does not show it */
	path = kasprintf(GFP_KERNEL, "%s%s",
			 strcmp(t->mount, "/") && below ? t->mount : "",
			 below ?: inside);
	kfree(inside);
	if (!path)
		return -ENOMEM;
	guard(mutex)(&t->vol->ns_lock);
	kfree(t->root->target_path);
	t->root->target_path = path;
	return 0;
}

/*
 * Does its path only lead elsewhere because it has another one now, or because its volume
 * is being unmounted, which it will report by itself?
 */
static bool is_known_why(struct ft_target *t)
{
	char *old __free(kfree) = kstrdup(path_of(t), GFP_KERNEL);
	int err = old ? refresh_path(t) : -ENOMEM;

	return err == -ENOMEM || err == -EBUSY || (!err && strcmp(old, path_of(t)));
}

/*
 * The path of a target was looked up, with this result. While its directory, or one
 * above, is being renamed, it may lead nowhere.
 */
static void has_led(struct ft_target *t, int err, const struct ft_place *at)
{
	if (err == -ENOMEM || err == -EBUSY)
		return;
	if (!err && is_at(t, at)) {
		t->there = true;
		t->elsewhere = 0;
		return;
	}
	if (!t->there || t->moved || READ_ONCE(t->vol->names_moved))
		return;
	if (!t->elsewhere++) {
		retry_delay = LOOK_TWICE;
		return;
	}
	if (is_known_why(t)) {
		t->elsewhere = 0;
		return;
	}
	pr_info_ratelimited("path %s: leads to another directory, or to none, since mounts have changed; its maps are dropped\n",
			    t->path);
	detach(t);
}

/*
 * Look up the path of a waiting target, or one that is not cached. A user who may
 * write to a directory on the path can delay the look-up without end, by holding the
 * lock of a directory. So it holds no lock that others need, and each target has a work
 * of its own.
 */
static void search(struct work_struct *work)
{
	struct ft_target *t = container_of(work, struct ft_target, search);
	struct ft_found found = { };
	struct ft_place at = { };
	const char *again;
	int err = ft_path_find(t->sought, &found, false);

	mutex_lock(&ft_targets_lock);
	again = t->mount ? "again " : "";
	t->searching = false;
	if (!err && t->listed && !t->vol && !ft_mount_ending()) {
		if (!attach(t, &found, false))
			pr_info_ratelimited("path %s: is there %sand watched, on the volume %u:%u at %s\n",
					    t->path, again, MAJOR(t->vol->dev),
					    MINOR(t->vol->dev), t->mount);
	} else {
		if (!err) {
			at.dev = found.sb->s_dev;
			at.ino = found.ino;
			drop_found(&found);
		}
		if (t->listed && t->vol && !strcmp(t->sought, path_of(t)))
			has_led(t, err, &at);
	}
	count_waiting();
	mutex_unlock(&ft_targets_lock);
	put_target(t);
	/* unloading destroys ft_wq, which waits for the end of this function */
	module_put(THIS_MODULE);
}

/* Take a reference to the module: rmmod fails with "in use" instead of waiting. */
static void begin_search(struct ft_target *t)
{
	lockdep_assert_held(&ft_targets_lock);
	if (t->searching || ft_mount_ending() || !try_module_get(THIS_MODULE))
		return;
	kfree(t->sought);
	t->sought = kstrdup(path_of(t), GFP_KERNEL);
	if (!t->sought) {
		module_put(THIS_MODULE);
		return;
	}
	t->searching = true;
	refcount_inc(&t->ref);
	queue_work(ft_wq, &t->search);
}

/* === Housekeeping ========================================================= */

/* Does the path still lead to its directory? */
static void look_again(struct ft_target *t)
{
	struct ft_place at = { };
	int err = ft_path_look(path_of(t), &at, false, false);

	if (err == -EAGAIN)
		begin_search(t);
	else
		has_led(t, err, &at);
}

static void check_target(struct ft_target *t)
{
	if (!t->vol)
		return;
	if (ft_volume_gone(t->vol) || ft_inode_is_dead(t->root)) {
		pr_info_ratelimited("path %s: %s; waiting until it is there again\n",
				    t->path, ft_volume_gone(t->vol) ?
				    "its volume was unmounted" : "the directory was removed");
		detach(t);
	} else {
		if (t->moved && !refresh_path(t))
			t->moved = false;
		look_again(t);
	}
}

static void housekeeping(struct work_struct *work)
{
	bool mounted = ft_mount_may_be_mounted();
	struct ft_target *t;
	int waiting, moved = 0;

	guard(mutex)(&ft_targets_lock);
	if (xchg(&retry_anew, false))
		retry_delay = RETRY_FIRST;
	list_for_each_entry(t, &targets, node)
		if (t->vol && READ_ONCE(t->vol->names_moved))
			t->moved = true;
	list_for_each_entry(t, &targets, node)
		if (t->vol && t->moved)
			WRITE_ONCE(t->vol->names_moved, false);
	list_for_each_entry(t, &targets, node) {
		check_target(t);
		/* no path is looked up for a directory that cannot be there */
		if (!t->vol && mounted)
			begin_search(t);
		moved += t->vol && t->moved;
	}
	waiting = count_waiting();
	if (!list_empty(&targets)) {
		/* if something has happened meanwhile it is queued already */
		queue_delayed_work(ft_wq, &housekeeping_work,
				   retry_delay < HZ ? retry_delay :
				   round_jiffies_relative(retry_delay));
		retry_delay = min(2 * retry_delay, waiting || moved ? RETRY_LAST : LOOK_PERIOD);
	}
}

/* The hook that ft_target_kick() calls. */
static void kick(void)
{
	if (!xchg(&retry_anew, true))
		mod_delayed_work(ft_wq, &housekeeping_work, 0);
}

/* === Requests ============================================================= */

/* Check a path without looking it up. */
static int check_path(const char *path)
{
	size_t len = strlen(path);

	if (!len) {
		pr_err("path: an empty name stands for no directory\n");
		return -EINVAL;
	}
	if (len >= PATH_MAX) {
		pr_err("path %.32s...: longer than %d bytes\n", path, PATH_MAX - 1);
		return -ENAMETOOLONG;
	}
	if (path[0] != '/') {
		pr_err("path %s: must begin with /\n", path);
		return -EINVAL;
	}
	return 0;
}

/* A target that is in no list yet, or an ERR_PTR. put_target() frees it. */
static struct ft_target *new_target(const char *path)
{
	struct ft_target *t;
	int err = check_path(path);

	if (err)
		return ERR_PTR(err);
	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (!t)
		return ERR_PTR(-ENOMEM);
	t->path = kstrdup(path, GFP_KERNEL);
	if (!t->path) {
		kfree(t);
		return ERR_PTR(-ENOMEM);
	}
	refcount_set(&t->ref, 1);
	INIT_WORK(&t->search, search);
	return t;
}

static void list_target(struct ft_target *t)
{
	lockdep_assert_held(&ft_targets_lock);
	t->listed = true;
	list_add_tail(&t->node, &targets);
}

/* Watch what ft_path_find() found for a new target. */
static int add_found(struct ft_target *t, struct ft_found *found)
{
	int err;

	guard(mutex)(&ft_targets_lock);
	err = ft_attach_want(true);
	if (err)
		drop_found(found);
	else
		err = attach(t, found, true);
	if (!err)
		list_target(t);
	else if (list_empty(&targets))
		ft_attach_want(false);
	return err;
}

/**
 * ft_target_add() - watch a directory
 * @path: its path
 *
 * Context: process; takes ft_targets_lock. Logs why it failed.
 * Return: 0, -ENOTDIR if there is no such directory, -EOPNOTSUPP if it is not
 * on F2FS, -EEXIST if it is watched already, -EINVAL if the path is empty or
 * relative, -ENAMETOOLONG, -ENOMEM, -EINTR.
 */
int ft_target_add(const char *path)
{
	struct ft_found found = { };
	struct ft_target *t = new_target(path);
	int err;

	if (IS_ERR(t))
		return PTR_ERR(t);
	/* volumes that were detached just now give back their memory first */
	err = wait_event_interruptible(ft_settled, !ft_mount_ending()) ? -EINTR : 0;
	err = err ?: ft_path_find(t->path, &found, true) ?: add_found(t, &found);
	if (err)
		put_target(t);
	else
		ft_target_kick();
	return err;
}

/* The length of a path, without the slashes at its end. */
static size_t path_length(const char *path)
{
	size_t len = strlen(path);

	while (len && path[len - 1] == '/')
		len--;
	return len;
}

static bool same_path(const char *a, const char *b)
{
	size_t len = path_length(a);

	return len == path_length(b) && !memcmp(a, b, len);
}

static struct ft_target *find_target(const char *path)
{
	struct ft_target *t;

	lockdep_assert_held(&ft_targets_lock);
	list_for_each_entry(t, &targets, node)
		if (same_path(t->path, path) ||
		    (t->root && t->root->target_path && same_path(t->root->target_path, path)))
			return t;
	return NULL;
}

static struct ft_target *target_at(const struct ft_place *at)
{
	struct ft_target *t;

	lockdep_assert_held(&ft_targets_lock);
	list_for_each_entry(t, &targets, node)
		if (is_at(t, at))
			return t;
	return NULL;
}

/*
 * Take ft_targets_lock, and find the target that a user means: the directory that the
 * path leads to, or else the text. A look-up that may take any time is the last resort.
 * None is meant by %NULL.
 */
static struct ft_target *lock_meant(const char *path)
{
	struct ft_place at = { };
	struct ft_target *t = NULL;
	bool absolute = path && path[0] == '/';
	bool found = absolute && !ft_path_look(path, &at, true, false);

	mutex_lock(&ft_targets_lock);
	if (found)
		t = target_at(&at);
	if (!t && path)
		t = find_target(path);
	if (t || found || !absolute)
		return t;
	mutex_unlock(&ft_targets_lock);
	found = !ft_path_look(path, &at, true, true);
	mutex_lock(&ft_targets_lock);
	return found ? target_at(&at) : NULL;
}

/**
 * ft_target_wait() - watch a directory as soon as it is there
 * @path: its path
 *
 * Nothing is looked up here: a user can make a look-up take any time (see
 * search()), and a volume that is not mounted yet is no error.
 *
 * Context: process; takes ft_targets_lock. Logs why it failed.
 * Return: 0, -EEXIST if the path is watched or waited for already, -EINVAL if it
 * is empty or relative, -ENAMETOOLONG, -ENOMEM, or the error of ft_attach_want().
 */
int ft_target_wait(const char *path)
{
	struct ft_target *t = new_target(path);
	int err;

	if (IS_ERR(t))
		return PTR_ERR(t);
	guard(mutex)(&ft_targets_lock);
	if (find_target(path)) {
		pr_err("path %s: is watched already\n", path);
		err = -EEXIST;
	} else {
		err = ft_attach_want(true);
	}
	if (!err) {
		list_target(t);
		count_waiting();
		ft_target_kick();
	} else {
		put_target(t);
	}
	return err;
}

/**
 * ft_target_del() - stop watching a directory
 * @path: any path that leads to it, or its path as given or as shown
 *
 * Context: process; takes ft_targets_lock.
 * Return: 0, or -ENOENT if it is not watched.
 */
int ft_target_del(const char *path)
{
	struct ft_target *t = lock_meant(path);

	if (t) {
		drop_target(t);
		if (list_empty(&targets))
			ft_attach_want(false);
	}
	mutex_unlock(&ft_targets_lock);
	return t ? 0 : -ENOENT;
}

static bool settled(const struct ft_volume *vol)
{
	return ft_volume_gone(vol) ||
	       (!atomic_read(&vol->nr_queued) && !atomic_read(&vol->nr_stale));
}

/**
 * ft_target_volumes() - collect the volumes of all targets, or of one
 * @path: a path of that target, as for ft_target_del(); %NULL for all
 * @list: receives them. The caller puts each, and frees *@list
 *
 * Context: process; takes ft_targets_lock.
 * Return: their number, -ENOENT if @path is not watched, or -ENOMEM.
 */
int ft_target_volumes(const char *path, struct ft_volume ***list)
{
	struct ft_target *only = lock_meant(path);
	struct ft_volume *vol;
	int nr = 0;

	if (path && !only) {
		mutex_unlock(&ft_targets_lock);
		return -ENOENT;
	}
	rcu_read_lock();
	list_for_each_entry_rcu(vol, &ft_volumes, node)
		nr++;
	rcu_read_unlock();
	/* only the holder of the lock adds volumes */
	*list = kcalloc(nr, sizeof(vol), GFP_KERNEL);
	nr = *list ? 0 : -ENOMEM;
	rcu_read_lock();
	list_for_each_entry_rcu(vol, &ft_volumes, node)
		if (*list && (!only || vol == only->vol) && refcount_inc_not_zero(&vol->ref))
			(*list)[nr++] = vol;
	rcu_read_unlock();
	mutex_unlock(&ft_targets_lock);
	return nr;
}

static const char *state_of(const struct ft_target *t)
{
	if (ft_mount_stopped(t->vol))
		return "stopped";
	/* a directory that was moved in has to be read, too */
	if (!t->seeded || atomic_read(&t->vol->nr_unread))
		return "seeding";
	return "live";
}

/**
 * ft_target_show() - print a line per target
 * @m: the file to print to
 */
void ft_target_show(struct seq_file *m)
{
	struct ft_target *t;

	guard(mutex)(&ft_targets_lock);
	list_for_each_entry(t, &targets, node) {
		if (!t->vol) {
			seq_puts(m, "- - waiting 0 ");
			seq_escape(m, t->path, FT_ESCAPED);
		} else {
			t->seeded |= settled(t->vol);
			seq_printf(m, "%u:%u %u %s %d ", MAJOR(t->vol->dev), MINOR(t->vol->dev),
				   t->root->ino, state_of(t), atomic_read(&t->vol->nr_inodes));
			guard(mutex)(&t->vol->ns_lock);
			seq_escape(m, *t->root->target_path ?
				      t->root->target_path : "/", FT_ESCAPED);
		}
		seq_putc(m, '\n');
	}
}

/* === Life ================================================================= */

/* Add one item of the list. */
static int add_item(const char *item, unsigned int number, bool wait)
{
	if (!*item) {
		pr_err("path: item %u of the list is empty\n", number);
		return -EINVAL;
	}
	return wait ? ft_target_wait(item) : ft_target_add(item);
}

/**
 * ft_target_init() - watch the directories given at load
 * @paths: comma-separated; %NULL for none
 * @wait: wait for those that are not there
 *
 * Return: 0, or what ft_target_add() or ft_target_wait() returned for the first
 * bad item, but -EINVAL for a repeated one; then none is watched.
 */
int ft_target_init(const char *paths, bool wait)
{
	char *list __free(kfree) = NULL, *rest, *item;
	unsigned int number = 0;
	int err = 0;

	ft_target_hook(kick);
	if (!paths)
		return 0;
	list = kstrdup(paths, GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	rest = list;
	while (!err && (item = strsep(&rest, ",")))
		err = add_item(item, ++number, wait);
	if (err)
		ft_target_exit();
	/* insmod takes EEXIST for a module that is loaded already */
	return err == -EEXIST ? -EINVAL : err;
}

/**
 * ft_target_exit() - delete all targets
 *
 * Context: process. When it returns no work of this file is queued.
 */
void ft_target_exit(void)
{
	struct ft_target *t, *next;

	mutex_lock(&ft_targets_lock);
	list_for_each_entry_safe(t, next, &targets, node)
		drop_target(t);
	mutex_unlock(&ft_targets_lock);
	cancel_delayed_work_sync(&housekeeping_work);
}
