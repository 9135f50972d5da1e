// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of the inodes we follow: a copy of the directory tree below the
 * targets, as links between records.
 *
 * In: directory entries from scan/dir.c, and fsnotify events of the whole super
 * block. Out: paths for snapshots. F2FS has no tracepoint for all changes of a
 * name (none for rename before 6.8, none that names a new file's directory).
 * fsnotify reports each one, in the order in which they happen, with the directory
 * still locked. That lock makes the copy exact: a task that changes a name waits for
 * this module, and scan/dir.c holds the lock, too.
 */

#include <linux/dcache.h>
#include <linux/delay.h>
#include <linux/jhash.h>
#include <linux/limits.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "causes/breaks.h"
#include "causes/tally.h"
#include "core/base.h"
#include "core/memory.h"
#include "core/volume.h"
#include "maps/inode.h"
#include "maps/names.h"

/* === Links ================================================================ */

/**
 * struct ft_link - one name of an inode
 * @node: in vol->links, by parent and name
 * @parent: the directory
 * @child: the inode
 * @of_parent: in parent->children
 * @of_child: in child->links
 * @hash: of parent and name
 * @len: length of @name in bytes
 * @size: allocated size in bytes; there may be room for a longer name
 * @name: the name, NUL-terminated
 */
struct ft_link {
	struct rhash_head node;
	struct ft_inode *parent;
	struct ft_inode *child;
	struct hlist_node of_parent;
	struct hlist_node of_child;
	u32 hash;
	u16 len;
	u16 size;
	char name[];
};

struct link_key {
	u32 hash;
	unsigned int len;
	const struct ft_inode *parent;
	const char *name;
};

/* The name is hashed once for each event, with a seed of the volume. */
static struct link_key key_of(const struct ft_inode *dir, const char *name, unsigned int len)
{
	struct link_key key = {
		.parent = dir,
		.name = name,
		.len = len,
		.hash = jhash(name, len, dir->vol->names_seed ^ dir->ino),
	};

	return key;
}

/* @hash: of a &struct link_key, or of a link */
static u32 hash_at(const void *hash, u32 len, u32 seed)
{
	return *(const u32 *)hash;
}

static_assert(offsetof(struct link_key, hash) == 0);

static int compare_link(struct rhashtable_compare_arg *arg, const void *data)
{
	const struct link_key *key = arg->key;
	const struct ft_link *link = data;

	return link->hash != key->hash || link->parent != key->parent ||
	       link->len != key->len || memcmp(link->name, key->name, key->len);
}

static const struct rhashtable_params link_params = {
	.head_offset = offsetof(struct ft_link, node),
	.key_offset = offsetof(struct ft_link, hash),
	.key_len = sizeof(u32),
	.hashfn = hash_at,
	.obj_cmpfn = compare_link,
	.automatic_shrinking = true,
};

/* The memory of a link of @size bytes, with its share of the hash table. */
static long link_size(size_t size)
{
	return size + 2 * sizeof(void *);
}

/* A name is counted for the owner of what it leads to, not of its directory. */
static void charge_link(struct ft_inode *child, long size)
{
	ft_mem_add(size);
	ft_inode_charge_name(child, size);
}

static struct ft_link *find_link(const struct link_key *key)
{
	struct ft_volume *vol = key->parent->vol;

	lockdep_assert_held(&vol->ns_lock);
	return rhashtable_lookup_fast(&vol->links, key, link_params);
}

/* Set the name of a link, which has room for it, and make it found. */
static int set_name(struct ft_link *link, struct ft_inode *dir, const struct link_key *key)
{
	struct ft_inode *child = link->child;
	int err;

	link->parent = dir;
	link->hash = key->hash;
	link->len = key->len;
	memcpy(link->name, key->name, key->len);
	link->name[key->len] = '\0';
	err = rhashtable_insert_fast(&dir->vol->links, &link->node, link_params);
	if (err)
		return err;
	hlist_add_head(&link->of_parent, &dir->children);
	if (!child->is_dir && ft_causes_wanted())
		child->extension = ft_tally_extension(child->vol, child->extension, link->name,
						      link->len);
	return 0;
}

static int add_link(struct ft_inode *dir, struct ft_inode *child, const struct link_key *key)
{
	struct ft_link *link;
	size_t size;
	int err;

	/* the memory that the allocator rounds up to may take a longer name later */
	size = kmalloc_size_roundup(struct_size(link, name, key->len + 1));
	charge_link(child, link_size(size));
	/* a task that sleeps here makes all others wait for ns_lock */
	link = kmalloc(size, GFP_NOWAIT | __GFP_NOWARN) ?: kmalloc(size, GFP_KERNEL);
	err = -ENOMEM;
	if (link) {
		link->child = child;
		link->size = size;
		err = set_name(link, dir, key);
	}
	if (err) {
		kfree(link);
		charge_link(child, -link_size(size));
		return err;
	}
	hlist_add_head(&link->of_child, &child->links);
	if (!child->is_dir)
		ft_inode_forget_path(child);
	return 0;
}

static struct ft_link *name_of(const struct ft_inode *rec)
{
	return hlist_entry_safe(rec->links.first, struct ft_link, of_child);
}

static void unset_name(struct ft_link *link)
{
	rhashtable_remove_fast(&link->parent->vol->links, &link->node, link_params);
	hlist_del(&link->of_parent);
}

static void free_link(struct ft_link *link)
{
	hlist_del(&link->of_child);
	charge_link(link->child, -link_size(link->size));
	kfree(link);
}

static void remove_link(struct ft_link *link)
{
	unset_name(link);
	free_link(link);
}

/*
 * Replace a link by one with another name. The old one is gone also on failure: without
 * room for a longer name the file is left out.
 */
static int move_link(struct ft_link *link, struct ft_inode *dir, const struct link_key *key)
{
	struct ft_inode *child = link->child;
	int err;

	if (struct_size(link, name, key->len + 1) > link->size) {
		remove_link(link);
		if (!ft_mem_room_of(child->owner)) {
			ft_inode_name_refused(dir);
			return -ENOBUFS;
		}
		return add_link(dir, child, key);
	}
	unset_name(link);
	err = set_name(link, dir, key);
	if (err)
		free_link(link);
	return err;
}

/* === Dropped trees ======================================================== */

/*
 * A file or directory is watched if its names lead up to a target: see
 * target_above(). When a directory loses the name that led there, a million names
 * may be below it, and the task that moved it holds locks that others wait for. So
 * only its own name is removed at once. The directory is put into vol->dropped, and
 * a worker removes what is below it, a few names at a time. Until then:
 *
 *   - A directory in the list is being dropped if it has no name and is no target.
 *     Some of its names may be gone already, so none is added. Those that are left
 *     are right, and are removed together with their files.
 *   - Nothing below it has changed, so no name is missing there. Names are added and
 *     removed as usual, and any part may be moved away, also back into a watched
 *     directory.
 *   - If a directory in the list gets a name, or becomes a target, it is queued to
 *     be read again. Then the worker does not drop it.
 */

/* Names removed per step. A rename waits for one step at most. */
#define NAMES_PER_STEP	64
/* How long the lock is free between two steps. */
#define DROP_PAUSE_US	50

/* The flag of a file at this place means something else. */
static bool is_dropped(const struct ft_inode *rec)
{
	return rec->is_dir && rec->dropped;
}

static bool being_dropped(const struct ft_inode *dir)
{
	return is_dropped(dir) && hlist_empty(&dir->links) && !dir->target_path;
}

/**
 * ft_names_drop_tree() - stop following a directory and all below it
 * @vol: the volume
 * @dir: the directory; no name of it is known, and it is no target
 *
 * Files that have another name elsewhere in a watched directory stay, as do
 * targets below it.
 *
 * Context: process, ns_lock held. A worker removes what is below it.
 */
void ft_names_drop_tree(struct ft_volume *vol, struct ft_inode *dir)
{
	lockdep_assert_held(&vol->ns_lock);
	if (is_dropped(dir))
		return;
	if (hlist_empty(&dir->children)) {
		ft_inode_remove_now(dir);
		return;
	}
	refcount_inc(&dir->ref);
	dir->dropped = true;
	dir->next_dropped = vol->dropped;
	vol->dropped = dir;
	atomic_inc(&vol->nr_queued);
	if (!ft_volume_gone(vol))
		queue_work(ft_wq, &vol->drop_work);
}

/* Remove the first directory from the list. */
static void leave_dropped(struct ft_volume *vol)
{
	struct ft_inode *dir = vol->dropped;

	vol->dropped = dir->next_dropped;
	dir->next_dropped = NULL;
	dir->dropped = false;
	atomic_dec(&vol->nr_queued);
	ft_inode_put(dir);
}

/* Remove the name of a child of a directory that is being dropped. */
static void drop_child(struct ft_volume *vol, struct ft_link *link)
{
	struct ft_inode *child = link->child;

	remove_link(link);
	if (!hlist_empty(&child->links) || ft_inode_is_target(child))
		return;
	if (child->is_dir)
		ft_names_drop_tree(vol, child);
	else
		ft_inode_remove_now(child);
}

/* Returns false if nothing is left to be removed. */
static bool drop_step(struct ft_volume *vol)
{
	struct ft_inode *dir;
	unsigned int n;

	for (n = 0; n < NAMES_PER_STEP; n++) {
		dir = vol->dropped;
		if (!dir)
			return false;
		if (being_dropped(dir) && !hlist_empty(&dir->children)) {
			drop_child(vol, hlist_entry(dir->children.first,
						    struct ft_link, of_parent));
			continue;
		}
		if (being_dropped(dir))
			ft_inode_remove_now(dir);
		leave_dropped(vol);
	}
	return true;
}

static void drop_work(struct work_struct *work)
{
	struct ft_volume *vol = container_of(work, struct ft_volume, drop_work);
	bool more;

	do {
		mutex_lock(&vol->ns_lock);
		more = !ft_volume_gone(vol) && drop_step(vol);
		mutex_unlock(&vol->ns_lock);
		/* let a waiter take the lock before this task does again */
		if (more)
			usleep_range(DROP_PAUSE_US, 2 * DROP_PAUSE_US);
	} while (more);
}

/* === The tree ============================================================= */

/* Shown instead of a path that is too long, or that there is no memory for. */
#define TOO_LONG "?"

/* Appended to the path of a file that has lost its last name, */
#define DELETED " (deleted)"
/* and of one below a mount point. */
#define HIDDEN " (hidden)"

/* The path of a file that was deleted; @path had @len bytes. %NULL: no memory. */
static char *new_path(const char *path, size_t len)
{
	char *gone = ft_mem_zalloc(len + sizeof(DELETED), GFP_KERNEL);

	if (gone && path)
		memcpy(gone, path, len);
	if (gone)
		memcpy(gone + len, DELETED, sizeof(DELETED));
	return gone;
}

/*
 * The last known name is gone. Was the file deleted as well? @path is the path to
 * show for it then, or NULL. The caller must use neither @path nor @rec afterwards.
 */
static void name_lost(struct ft_volume *vol, struct ft_inode *rec, bool is_open, char *path)
{
	if (!hlist_empty(&rec->links) || ft_inode_is_target(rec)) {
		/* it has another one */
	} else if (rec->is_dir) {
		ft_names_drop_tree(vol, rec);
	} else if (!is_open) {
		/* it is gone, or has names only outside of watched directories */
		ft_inode_remove_now(rec);
	} else {
		/* its blocks stay until it is closed */
		ft_inode_forget_path(rec);
		rec->gone_path = path ?: new_path(TOO_LONG, 1);
		path = NULL;
		if (rec->gone_path)
			ft_inode_charge_name(rec, kmalloc_size_roundup(strlen(rec->gone_path) + 1));
	}
	if (path)
		ft_mem_free(path, strlen(path) + 1);
}

/*
 * Is the file, which has lost its last name, still open? An open file keeps its
 * dentry; without one its blocks are freed before unlink() returns.
 */
static bool open_nameless(const struct inode *inode)
{
	return inode && !inode->i_nlink && !hlist_empty(&inode->i_dentry);
}

/*
 * Remove a name that now leads to nothing, or to something else. The path of an open
 * file is kept if the budget allows it.
 */
static void drop_name(struct ft_volume *vol, struct ft_link *link, const struct inode *inode)
{
	struct ft_inode *rec = link->child;
	char *path = NULL;
	size_t len = 0;

	if (!rec->is_dir && open_nameless(inode))
		len = ft_names_path(rec, NULL, 0);
	if (len && ft_mem_room_of(rec->owner))
		path = new_path(NULL, len);
	if (path) {
		ft_names_path(rec, path, len + 1);
		path[len] = DELETED[0];
	}
	remove_link(link);
	/* a file without a path was in a dropped tree: it is not watched */
	name_lost(vol, rec, len, path);
}

/*
 * ft_names_add() with the record of the inode; @rec is %NULL if there is none: @owner is
 * that of a new one. If it has no name after -ENOBUFS, the caller must see to that, as
 * add_or_lose() does.
 */
static int add_name(struct ft_inode *dir, const struct link_key *key, u32 ino,
		    bool is_dir, u8 owner, struct ft_inode *rec)
{
	struct ft_volume *vol = dir->vol;
	struct ft_link *link = find_link(key);
	struct hlist_node *next;
	bool fresh = !rec;
	int err;

	if (being_dropped(dir))
		return -ENOENT;
	if (link && link->child == rec)
		return 0;
	if (link)
		drop_name(vol, link, NULL);
	/* a directory has one name: any other one is out of date */
	if (rec && is_dir)
		hlist_for_each_entry_safe(link, next, &rec->links, of_child)
			remove_link(link);
	if (!rec)
		rec = ft_inode_create(vol, ino, is_dir, true, owner, GFP_KERNEL);
	else if (!ft_mem_room_of(rec->owner))
		rec = ERR_PTR(-ENOBUFS);
	if (IS_ERR(rec)) {
		if (PTR_ERR(rec) == -ENOBUFS)
			ft_inode_name_refused(dir);
		return PTR_ERR(rec);
	}
	err = add_link(dir, rec, key);
	/* without a name its inode cannot be read: the next try starts again */
	if (err && fresh)
		ft_inode_remove_now(rec);
	if (err || (!fresh && !is_dropped(rec)))
		return err;
	if (vol->asking || READ_ONCE(dir->resync))
		ft_inode_request_resync(rec, NULL);
	else if (!fresh)
		ft_inode_request_scan(rec, NULL);	/* names in it may be gone */
	return 0;
}

static int add_or_lose(struct ft_inode *dir, const struct link_key *key, u32 ino, bool is_dir,
		       u8 owner, struct ft_inode *rec)
{
	int err = add_name(dir, key, ino, is_dir, owner, rec);

	if (err == -ENOBUFS && rec)
		name_lost(dir->vol, rec, false, NULL);
	return err;
}

/**
 * ft_names_add() - add a name in a watched directory
 * @vol: the volume
 * @dir: the directory
 * @name: the name
 * @len: its length
 * @ino: the inode
 * @is_dir: whether it is a directory
 *
 * If the inode is not followed yet, it is from now on, and is queued: a file for a
 * scan, a directory to be read. A resync that waits for @dir waits for it, too.
 * Adding a name a second time does nothing. What has no name for lack of memory is not
 * followed, until @dir is read again.
 *
 * Context: process, ns_lock held.
 * Return: 0, -ENOENT if @dir is being dropped, -ENOMEM, or -ENOBUFS if the
 * memory budget is used up.
 */
int ft_names_add(struct ft_volume *vol, struct ft_inode *dir, const char *name,
		 unsigned int len, u32 ino, bool is_dir)
{
	struct ft_inode *rec = ft_inode_find_again(vol, ino, is_dir);
	struct link_key key = key_of(dir, name, len);

	/* as long as the inode has not been asked, its owner is taken for that of @dir */
	return add_or_lose(dir, &key, ino, is_dir, dir->owner, rec);
}

/**
 * ft_names_own() - count the memory of an inode for its owner
 * @rec: the record
 * @inode: the inode
 *
 * Context: process; takes ns_lock and rec->lock, if the owner is another one.
 */
void ft_names_own(struct ft_inode *rec, const struct inode *inode)
{
	u8 owner = ft_mem_owner(inode->i_uid);
	long size = ft_inode_size();
	struct ft_link *link;

	if (likely(READ_ONCE(rec->owner) == owner))
		return;
	guard(mutex)(&rec->vol->ns_lock);
	hlist_for_each_entry(link, &rec->links, of_child) {
		size += link_size(link->size);
		cond_resched();
	}
	if (!rec->is_dir && rec->gone_path)
		size += kmalloc_size_roundup(strlen(rec->gone_path) + 1);
	guard(ft_record)(rec);
	size += rec->map.bytes;
	ft_mem_owes(rec->owner, -size);
	WRITE_ONCE(rec->owner, owner);
	ft_mem_owes(owner, size);
}

/* Remove some names of an inode that is left out. Returns true if none is left. */
static bool leave_out_some(struct ft_inode *rec)
{
	struct ft_link *link;
	unsigned int n;

	for (n = 0; n < NAMES_PER_STEP && !hlist_empty(&rec->links); n++) {
		link = name_of(rec);
		ft_inode_name_refused(link->parent);
		remove_link(link);
	}
	return hlist_empty(&rec->links);
}

/**
 * ft_names_leave_out() - stop following an inode, until its directory is read again
 * @rec: a file; or a directory: one with names in it, or a target, stays
 *
 * Context: process; the caller has a reference. Takes ns_lock.
 * Return: true if it is not followed any more.
 */
bool ft_names_leave_out(struct ft_inode *rec)
{
	struct ft_volume *vol = rec->vol;
	bool done = false, stays;

	do {
		mutex_lock(&vol->ns_lock);
		stays = ft_inode_is_dead(rec) || ft_volume_gone(vol) ||
			ft_inode_is_target(rec) || is_dropped(rec) ||
			(rec->is_dir && !hlist_empty(&rec->children));
		if (!stays)
			done = leave_out_some(rec);
		if (done)
			ft_inode_remove_now(rec);
		mutex_unlock(&vol->ns_lock);
		cond_resched();
	} while (!stays && !done);
	return done;
}

static void forget_children(struct ft_inode *dir)
{
	struct ft_link *link;
	struct hlist_node *next;

	hlist_for_each_entry_safe(link, next, &dir->children, of_parent) {
		struct ft_inode *child = link->child;

		remove_link(link);
		if (hlist_empty(&child->links) && !ft_inode_is_target(child))
			ft_inode_remove_now(child);
		cond_resched();
	}
}

/**
 * ft_names_forget() - drop the names of an inode that is gone
 * @rec: the inode
 *
 * Context: process; takes ns_lock.
 */
void ft_names_forget(struct ft_inode *rec)
{
	struct ft_link *link;
	struct hlist_node *next;

	guard(mutex)(&rec->vol->ns_lock);
	hlist_for_each_entry_safe(link, next, &rec->links, of_child) {
		remove_link(link);
		cond_resched();
	}
	if (rec->is_dir)
		forget_children(rec);
}

/* === Events =============================================================== */

static bool followed_kind(const struct inode *inode)
{
	return S_ISREG(inode->i_mode) || S_ISDIR(inode->i_mode);
}

/* The most frequent case: the only name of the inode, or the one added last. */
static struct ft_link *first_link(const struct ft_inode *rec, const struct inode *dir,
				  const struct qstr *name)
{
	struct ft_link *link = name_of(rec);

	if (!link || link->parent->ino != (u32)dir->i_ino || ft_inode_is_dead(link->parent) ||
	    link->len != name->len || memcmp(link->name, name->name, link->len))
		return NULL;
	return link;
}

/*
 * Find the name that an event of the VFS is about. In a directory that folds case,
 * or is encrypted, its spelling may differ from the one on disk. Then all names of
 * the inode in this directory are removed, and reading it adds the remaining ones.
 */
static struct ft_link *meant_link(struct ft_volume *vol, const struct inode *dir,
				  const struct qstr *name, const struct ft_inode *rec)
{
	struct ft_link *link, *last = NULL;
	struct ft_inode *parent;
	struct hlist_node *next;
	struct link_key key;

	if (!rec || hlist_empty(&rec->links))
		return NULL;
	link = first_link(rec, dir, name);
	if (link)
		return link;
	parent = ft_inode_find_again(vol, dir->i_ino, true);
	if (!parent)
		return NULL;
	key = key_of(parent, name->name, name->len);
	link = find_link(&key);
	if (link && link->child == rec)
		return link;
	if (!IS_CASEFOLDED(dir) && !IS_ENCRYPTED(dir))
		return NULL;
	hlist_for_each_entry_safe(link, next, &rec->links, of_child) {
		if (link->parent != parent)
			continue;
		if (last) {
			remove_link(last);
			ft_inode_request_scan(parent, NULL);
		}
		last = link;
	}
	return last;
}

/* If a name could not be added, read the directory again. */
static void name_missed(struct ft_inode *dir, int err)
{
	if (!err || err == -ENOBUFS)
		return;
	ft_count(FT_LOST);
	ft_inode_request_scan(dir, NULL);
}

/* create, link, mkdir: the name exists already, the directory is locked */
static void on_create(struct ft_volume *vol, struct inode *dir,
		      const struct qstr *name, struct inode *inode)
{
	bool is_dir = S_ISDIR(inode->i_mode);
	struct ft_inode *rec = ft_inode_find_again(vol, inode->i_ino, is_dir);
	struct ft_inode *parent = ft_inode_find_again(vol, dir->i_ino, true);
	struct link_key key;

	if (parent && !being_dropped(parent)) {
		key = key_of(parent, name->name, name->len);
		name_missed(parent, add_or_lose(parent, &key, inode->i_ino, is_dir,
						ft_mem_owner(inode->i_uid), rec));
	} else if (rec && hlist_empty(&rec->links) && !ft_inode_is_target(rec)) {
		/* followed since it was created, but not in a watched directory */
		ft_inode_remove_now(rec);
	}
}

/* Does an inode have this name, which another one has had? Then two were exchanged. */
static bool exchanged(struct inode *dir, const struct qstr *name)
{
	struct dentry *parent = d_find_any_alias(dir);
	struct dentry *other = parent ? d_lookup(parent, name) : NULL;
	bool found = other && d_is_positive(other);

	dput(other);
	dput(parent);
	return found;
}

/*
 * A name that is not known is gone. It was left out, or the directory has not been read
 * yet: what was left out is counted anew then. While it is being read, nobody knows
 * whether the name was counted already, and the first event of an exchange may have
 * dropped it. A count that is too large is corrected when the directory is read again;
 * with one that is too small it might never be.
 */
static void unknown_gone(struct ft_volume *vol, struct inode *dir, const struct qstr *name)
{
	struct ft_inode *parent = ft_inode_find_again(vol, dir->i_ino, true);

	if (parent && parent->refused && !READ_ONCE(parent->walk) && !exchanged(dir, name))
		ft_inode_name_accepted(parent, 1);
}

static void on_delete(struct ft_volume *vol, struct inode *dir,
		      const struct qstr *name, struct inode *inode)
{
	struct ft_inode *rec = ft_inode_find_again(vol, inode->i_ino, S_ISDIR(inode->i_mode));
	struct ft_link *link = meant_link(vol, dir, name, rec);

	if (link)
		drop_name(vol, link, inode);
	else if (rec && ft_inode_is_target(rec) && !inode->i_nlink)
		ft_inode_remove_now(rec);
	else
		unknown_gone(vol, dir, name);
}

/*
 * Remove the old owner of the new name. A directory that still exists is the other
 * half of an exchange: its own event comes next. Returns false if @by has the name
 * already. Sets *@gone to the old owner's inode number.
 */
static bool replace_name(struct ft_volume *vol, const struct link_key *key,
			 const struct ft_inode *by, unsigned long *gone)
{
	struct ft_link *over = find_link(key);
	struct inode *victim;

	if (!over)
		return true;
	if (over->child == by)
		return false;
	*gone = over->child->ino;
	victim = ilookup(vol->sb, *gone);
	if (over->child->is_dir && victim && victim->i_nlink)
		remove_link(over);
	else
		drop_name(vol, over, victim);
	iput(victim);
	return true;
}

/* The directory into which an inode was moved: usually the one that it was in. */
static struct ft_inode *moved_to(struct ft_volume *vol, const struct inode *dir,
				 const struct ft_link *from)
{
	if (from && from->parent->ino == (u32)dir->i_ino)
		return from->parent;
	return ft_inode_find_again(vol, dir->i_ino, true);
}

static void on_rename(struct ft_volume *vol, struct inode *old_dir, const struct qstr *old_name,
		      struct dentry *moved, unsigned long *gone)
{
	struct inode *inode = d_inode(moved);
	struct inode *new_dir = d_inode(moved->d_parent);
	bool is_dir = S_ISDIR(inode->i_mode);
	struct ft_inode *rec = ft_inode_find_again(vol, inode->i_ino, is_dir);
	struct ft_link *link = meant_link(vol, old_dir, old_name, rec);
	struct ft_inode *to = moved_to(vol, new_dir, link);
	bool is_free = false;
	struct link_key key;

	/* this may be a directory above a target, whose path has changed then */
	if (is_dir && (!rec || rec->target_path))
		WRITE_ONCE(vol->names_moved, true);

	if (!link && followed_kind(inode))
		unknown_gone(vol, old_dir, old_name);
	if (to) {
		key = key_of(to, moved->d_name.name, moved->d_name.len);
		is_free = replace_name(vol, &key, rec, gone);
	}
	if (!followed_kind(inode))
		return;
	if (link && is_free && !is_dir && !being_dropped(to)) {
		name_missed(to, move_link(link, to, &key));
	} else {
		/* after an exchange the old name belongs to the other one already */
		if (link)
			remove_link(link);
		if (to && !being_dropped(to))
			name_missed(to, add_name(to, &key, inode->i_ino, is_dir,
						 ft_mem_owner(inode->i_uid),
						 rec));
	}
	if (!rec)
		return;
	/* targets below it stay, with another path */
	if (is_dropped(rec) || (is_dir && hlist_empty(&rec->links)))
		WRITE_ONCE(vol->names_moved, true);
	name_lost(vol, rec, false, NULL);
}

/**
 * ft_names_event() - a name on a watched volume changed
 * @group: ours
 * @mask: the kind of change
 * @data: the inode or dentry
 * @data_type: which of the two
 * @dir: the directory
 * @name: the name
 * @cookie: unused
 * @iter_info: holds our mark, and with it the volume
 *
 * Context: process, the directory locked by the VFS.
 * Return: 0.
 */
int ft_names_event(struct fsnotify_group *group, u32 mask, const void *data,
		   int data_type, struct inode *dir, const struct qstr *name,
		   u32 cookie, struct fsnotify_iter_info *iter_info)
{
	struct inode *inode = fsnotify_data_inode(data, data_type);
	struct fsnotify_mark *mark = fsnotify_iter_sb_mark(iter_info);
	unsigned long gone = mask & FS_DELETE && inode ? inode->i_ino : 0;
	struct ft_volume *vol;

	if (!mark || !inode || !dir || !name)
		return 0;
	if (!followed_kind(inode) && !(mask & FS_RENAME))
		return 0;
	vol = ft_mark_volume(mark);

	mutex_lock(&vol->ns_lock);
	if (ft_volume_gone(vol))
		;	/* no name may be added after ft_names_stop() */
	else if (mask & FS_CREATE)
		on_create(vol, dir, name, inode);
	else if (mask & FS_DELETE)
		on_delete(vol, dir, name, inode);
	else if (mask & FS_RENAME)
		on_rename(vol, dir, name, fsnotify_data_dentry(data, data_type), &gone);
	mutex_unlock(&vol->ns_lock);
	if (gone)
		ft_volume_await_read(vol, gone);

	if (READ_ONCE(vol->names_moved))
		ft_target_kick();
	return 0;
}

/* === Paths ================================================================ */

/*
 * Directories that are passed to find one path. A user can nest any number of them, and
 * give a file any number of names. Each adds two bytes to a path: more of them do not
 * fit into one, unless the first names of a file lead nowhere.
 */
#define MAX_PASSED	PATH_MAX

/**
 * struct way - the way from an inode up to a target
 * @top: the target; %NULL if there is none
 * @len: length of the path below it
 * @hidden: something is mounted on a directory of that path
 * @passed: directories that were passed to find it
 * @too_long: more of them may lead to one
 */
struct way {
	struct ft_inode *top;
	size_t len;
	bool hidden;
	unsigned int passed;
	bool too_long;
};

/*
 * Find the highest target that a name leads up to, as far as the path to it is not too
 * long. A directory has one name.
 */
static void go_up(const struct ft_link *link, struct way *way)
{
	size_t below = 0;
	bool hidden = false;

	for (; link; link = name_of(link->parent)) {
		below += 1 + link->len;
		if (below >= PATH_MAX || way->passed++ == MAX_PASSED) {
			way->too_long = true;
			break;
		}
		hidden |= READ_ONCE(link->parent->hides);
		if (link->parent->target_path) {
			way->top = link->parent;
			way->len = below;
			way->hidden = hidden;
		}
	}
}

/*
 * Find a name of an inode that leads up to a target, and make it the first one, so
 * that the next search finds it at once.
 */
static void find_way(struct ft_inode *rec, struct way *way)
{
	struct ft_link *link;

	*way = (struct way){ };
	hlist_for_each_entry(link, &rec->links, of_child) {
		go_up(link, way);
		if (!way->top && way->passed < MAX_PASSED)
			continue;
		hlist_del(&link->of_child);
		hlist_add_head(&link->of_child, &rec->links);
		return;
	}
	if (!way->too_long && ft_inode_is_target(rec))
		way->top = rec;
}

static size_t put_path(char *buf, size_t size, const char *path, size_t len)
{
	if (len < size) {
		memcpy(buf, path, len);
		buf[len] = '\0';
	}
	return len;
}

/**
 * ft_names_path() - the path of an inode
 * @rec: the inode
 * @buf: filled with it, NUL-terminated; may be %NULL if @size is 0
 * @size: size of @buf in bytes; %PATH_MAX is enough for any
 *
 * An inode may have several names below targets; one of them is used. A file below a
 * mount point has a mark (see ft_path_mark_hidden()). A path that is
 * too long for a system call is "?": nobody can use it, and it might have megabytes.
 *
 * Context: process, ns_lock held.
 * Return: the length of the path without the NUL, also if it does not fit (then
 * @buf is not written), below %PATH_MAX; 0 if the inode has no path.
 */
size_t ft_names_path(struct ft_inode *rec, char *buf, size_t size)
{
	const struct ft_inode *at;
	struct ft_link *link;
	struct way way;
	size_t len, base, mark;

	lockdep_assert_held(&rec->vol->ns_lock);
	if (!rec->is_dir && rec->gone_path)
		return put_path(buf, size, rec->gone_path, strlen(rec->gone_path));
	find_way(rec, &way);
	if (!way.top)
		return way.too_long ? put_path(buf, size, TOO_LONG, 1) : 0;
	mark = way.hidden ? strlen(HIDDEN) : 0;
	base = strlen(way.top->target_path) + way.len + mark;
	if (base >= PATH_MAX)
		return put_path(buf, size, TOO_LONG, 1);
	if (base >= size)
		return base;

	len = base - mark;
	memcpy(buf + len, HIDDEN, mark);
	buf[base] = '\0';
	for (at = rec; at != way.top; at = link->parent) {
		link = name_of(at);
		len -= link->len;
		memcpy(buf + len, link->name, link->len);
		buf[--len] = '/';
	}
	memcpy(buf, way.top->target_path, len);
	return base;
}

/* === Life ================================================================= */

/**
 * ft_names_init() - prepare the names of a volume
 * @vol: the volume; ft_volume_put() undoes it
 *
 * Return: 0 or -ENOMEM.
 */
int ft_names_init(struct ft_volume *vol)
{
	mutex_init(&vol->ns_lock);
	vol->names_seed = get_random_u32();
	INIT_WORK(&vol->drop_work, drop_work);
	return rhashtable_init(&vol->links, &link_params);
}

/**
 * ft_names_stop() - stop adding names, and stop the worker that drops them
 * @vol: the volume, which is gone
 *
 * Context: process. After it, events of names do nothing.
 */
void ft_names_stop(struct ft_volume *vol)
{
	/* an event from before the volume was gone ends before we get the lock */
	mutex_lock(&vol->ns_lock);
	while (vol->dropped)
		leave_dropped(vol);
	mutex_unlock(&vol->ns_lock);
	cancel_work_sync(&vol->drop_work);
}
