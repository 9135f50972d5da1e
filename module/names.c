// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of the inodes we follow: a copy of the directory tree below the
 * targets, as links between records.
 *
 * In: directory entries from walk.c, and fsnotify events of the whole super
 * block. Out: paths for snapshots. F2FS has no tracepoint for all changes of a
 * name (none for rename before 6.8, none that names a new file's directory),
 * while fsnotify tells of each one, in the order in which they happen, with the
 * directory still locked. That lock makes the copy exact: whoever changes a
 * name waits for us, and walk.c holds it too.
 */

#include <linux/delay.h>
#include <linux/jhash.h>
#include <linux/limits.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "fragtrace.h"
#include "inode.h"
#include "memory.h"
#include "names.h"
#include "tally.h"
#include "volume.h"

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
 * @size: what it takes, in bytes; that may be room for a longer name
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
	const struct ft_inode *parent;
	const char *name;
	unsigned int len;
	u32 hash;
};

/* Hashed once for each event: the table's own seed is not used, but one like it. */
static struct link_key key_of(const struct ft_inode *dir, const char *name,
			      unsigned int len)
{
	struct link_key key = {
		.parent = dir,
		.name = name,
		.len = len,
		.hash = jhash(name, len, dir->vol->names_seed ^ dir->ino),
	};

	return key;
}

static u32 hash_key(const void *data, u32 len, u32 seed)
{
	const struct link_key *key = data;

	return key->hash;
}

static u32 hash_link(const void *data, u32 len, u32 seed)
{
	const struct ft_link *link = data;

	return link->hash;
}

static int compare_link(struct rhashtable_compare_arg *arg, const void *data)
{
	const struct link_key *key = arg->key;
	const struct ft_link *link = data;

	return link->hash != key->hash || link->parent != key->parent ||
	       link->len != key->len ||
	       memcmp(link->name, key->name, key->len);
}

static const struct rhashtable_params link_params = {
	.head_offset = offsetof(struct ft_link, node),
	.hashfn = hash_key,
	.obj_hashfn = hash_link,
	.obj_cmpfn = compare_link,
	.automatic_shrinking = true,
};

/* What a link takes, its share of the hash table included. */
static long link_size(const struct ft_link *link)
{
	return link->size + 2 * sizeof(void *);
}

static struct ft_link *find_link(const struct link_key *key)
{
	struct ft_volume *vol = key->parent->vol;

	lockdep_assert_held(&vol->ns_lock);
	return rhashtable_lookup_fast(&vol->links, key, link_params);
}

/* Let a link stand for a name; there is room for it. */
static int set_name(struct ft_link *link, struct ft_inode *dir,
		    const struct link_key *key)
{
	struct ft_inode *child = link->child;
	int err;

	link->parent = dir;
	link->hash = key->hash;
	link->len = key->len;
	memcpy(link->name, key->name, key->len);
	link->name[key->len] = '\0';
	err = rhashtable_insert_fast(&dir->vol->links, &link->node,
				     link_params);
	if (err)
		return err;
	hlist_add_head(&link->of_parent, &dir->children);
	if (!child->is_dir && ft_causes_wanted())
		child->extension = ft_tally_extension(child->vol, link->name,
						      link->len);
	return 0;
}

static int add_link(struct ft_inode *dir, struct ft_inode *child,
		    const struct link_key *key)
{
	struct ft_link *link;
	size_t size = struct_size(link, name, key->len + 1);
	int err;

	/* who is sent to sleep here has all others wait for ns_lock */
	link = kmalloc(size, GFP_NOWAIT | __GFP_NOWARN) ?:
	       kmalloc(size, GFP_KERNEL);
	if (!link)
		return -ENOMEM;
	link->child = child;
	link->size = ksize(link);
	err = set_name(link, dir, key);
	if (err) {
		kfree(link);
		return err;
	}
	hlist_add_head(&link->of_child, &child->links);
	if (!child->is_dir)
		ft_inode_forget_path(child);
	ft_mem_add(link_size(link));
	return 0;
}

static void unset_name(struct ft_link *link)
{
	rhashtable_remove_fast(&link->parent->vol->links, &link->node,
			       link_params);
	hlist_del(&link->of_parent);
}

static void free_link(struct ft_link *link)
{
	ft_mem_add(-link_size(link));
	hlist_del(&link->of_child);
	kfree(link);
}

static void remove_link(struct ft_link *link)
{
	unset_name(link);
	free_link(link);
}

/* The same as another link in the place of this one, which is gone in any case. */
static int move_link(struct ft_link *link, struct ft_inode *dir,
		     const struct link_key *key)
{
	struct ft_inode *child = link->child;
	int err;

	if (struct_size(link, name, key->len + 1) > link->size) {
		remove_link(link);
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
 * target_above(). When a directory loses the name that led there, what is below
 * it may be a million names, and who moved it holds locks that others wait for.
 * So only its own name goes at once. The directory gets into vol->dropped, and a
 * worker takes down what is below it, a few names at a time. Until it is there:
 *
 *   - A directory in the list is being dropped if it has no name and is no
 *     target. Some of its names may be gone already, so no more are taken; those
 *     that are left are true, and go with the files that they stand for.
 *   - Below it nothing has been touched, so nothing is missing there. Names
 *     come and go as they do elsewhere, and any part may move away, back into a
 *     watched directory, too.
 *   - Whoever gives a name to a directory in the list, or makes it a target, has
 *     it read again. The worker leaves it alone then.
 */

/* How many names a step takes down: so long a change of a name may have to wait. */
#define NAMES_PER_STEP	64
/* For how long the lock is free then. */
#define DROP_PAUSE_US	50

static bool being_dropped(const struct ft_inode *dir)
{
	return dir->dropped && hlist_empty(&dir->links) && !dir->target_path;
}

/**
 * ft_names_drop_tree() - stop following a directory and all below it
 * @vol: the volume
 * @dir: the directory; it has no name that we know, and is no target
 *
 * Files that have another name elsewhere in a watched directory stay, as do
 * targets below it.
 *
 * Context: process, ns_lock held. A worker does what takes time.
 */
void ft_names_drop_tree(struct ft_volume *vol, struct ft_inode *dir)
{
	lockdep_assert_held(&vol->ns_lock);
	if (dir->dropped)
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

/* Take the first directory out of the list. */
static void leave_dropped(struct ft_volume *vol)
{
	struct ft_inode *dir = vol->dropped;

	vol->dropped = dir->next_dropped;
	dir->next_dropped = NULL;
	dir->dropped = false;
	atomic_dec(&vol->nr_queued);
	ft_inode_put(dir);
}

/* The name of a child of a directory that is being dropped goes. */
static void drop_child(struct ft_volume *vol, struct ft_link *link)
{
	struct ft_inode *child = link->child;

	remove_link(link);
	if (!hlist_empty(&child->links) || child->target_path)
		return;
	if (child->is_dir)
		ft_names_drop_tree(vol, child);
	else
		ft_inode_remove_now(child);
}

/* Returns false if nothing is left to be taken down. */
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
		/* who waits gets the lock now: else this one has it again first */
		if (more)
			usleep_range(DROP_PAUSE_US, 2 * DROP_PAUSE_US);
	} while (more);
}

/* === The tree ============================================================= */

/* What is written behind the path of a file that has lost its last name. */
#define DELETED " (deleted)"

/*
 * The last name we knew is gone. Is the file itself? @path is what it is called
 * then, or NULL; it is not the caller's any more, nor is @rec.
 */
static void name_lost(struct ft_volume *vol, struct ft_inode *rec,
		      bool is_open, char *path)
{
	if (!hlist_empty(&rec->links) || rec->target_path) {
		/* it has another one */
	} else if (rec->is_dir) {
		ft_names_drop_tree(vol, rec);
	} else if (!is_open) {
		/* it is gone, or lives on where nobody watches */
		ft_inode_remove_now(rec);
	} else {
		/* its blocks stay until it is closed */
		ft_inode_forget_path(rec);
		rec->gone_path = path ?: kstrdup("?" DELETED, GFP_KERNEL);
		path = NULL;
		if (rec->gone_path)
			ft_mem_add(ksize(rec->gone_path));
	}
	kfree(path);
}

/*
 * Has somebody opened the file, which has lost its last name? Who has it open keeps
 * its dentry; without any its blocks are freed before unlink() returns.
 */
static bool open_nameless(const struct inode *inode)
{
	return inode && !inode->i_nlink && !hlist_empty(&inode->i_dentry);
}

/*
 * The name now stands for nothing, or for something else. The path of an open file is
 * kept if the budget allows, and no longer than what a user can name.
 */
static void drop_name(struct ft_volume *vol, struct ft_link *link,
		      const struct inode *inode)
{
	struct ft_inode *rec = link->child;
	char *path = NULL;
	int len = 0;

	if (!rec->is_dir && open_nameless(inode))
		len = ft_names_path(rec, NULL, 0);
	if (len && len < PATH_MAX && ft_mem_room())
		path = kmalloc(len + sizeof(DELETED), GFP_KERNEL);
	if (path) {
		ft_names_path(rec, path, len + 1);
		memcpy(path + len, DELETED, sizeof(DELETED));
	}
	remove_link(link);
	/* without a path it was in a dropped tree: nobody watched it */
	name_lost(vol, rec, len, path);
}

/* ft_names_add() of an inode whose record is known; @rec is %NULL if there is none. */
static int add_name(struct ft_inode *dir, const struct link_key *key, u32 ino,
		    bool is_dir, struct ft_inode *rec)
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
	if (!rec)
		rec = ft_inode_create(vol, ino, is_dir, true, GFP_KERNEL);
	else if (!is_dir && !hlist_empty(&rec->links) && !ft_mem_room())
		rec = ERR_PTR(-ENOBUFS);	/* it has a name */
	if (IS_ERR(rec)) {
		if (PTR_ERR(rec) == -ENOBUFS)
			ft_count(FT_REFUSED);
		return PTR_ERR(rec);
	}
	/* a directory has one name: another one is out of date */
	if (is_dir)
		hlist_for_each_entry_safe(link, next, &rec->links, of_child)
			remove_link(link);
	err = add_link(dir, rec, key);
	/* its inode cannot be reached without a name: the next try begins anew */
	if (err && fresh)
		ft_inode_remove_now(rec);
	if (err || (!fresh && !rec->dropped))
		return err;
	if (vol->asking || READ_ONCE(dir->resync))
		ft_inode_request_resync(rec);
	else if (!fresh)
		ft_inode_request_scan(rec);	/* names in it may be gone */
	return 0;
}

/**
 * ft_names_add() - a name in a watched directory stands for an inode
 * @vol: the volume
 * @dir: the directory
 * @name: the name
 * @len: its length
 * @ino: the inode
 * @is_dir: whether it is a directory
 *
 * Follows the inode if nobody did yet, which queues it for a scan, a directory
 * for a walk; a resync that waits for the directory waits for it, too. Adding a
 * name a second time does nothing.
 *
 * Context: process, ns_lock held.
 * Return: 0, -ENOENT if @dir is being dropped, -ENOMEM, or -ENOBUFS if the
 * memory budget is used up.
 */
int ft_names_add(struct ft_volume *vol, struct ft_inode *dir, const char *name,
		 unsigned int len, u32 ino, bool is_dir)
{
	struct link_key key = key_of(dir, name, len);

	return add_name(dir, &key, ino, is_dir, ft_inode_find(vol, ino));
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

	mutex_lock(&rec->vol->ns_lock);
	hlist_for_each_entry_safe(link, next, &rec->links, of_child) {
		remove_link(link);
		cond_resched();
	}
	hlist_for_each_entry_safe(link, next, &rec->children, of_parent) {
		struct ft_inode *child = link->child;

		remove_link(link);
		if (hlist_empty(&child->links) && !child->target_path)
			ft_inode_remove_now(child);
		cond_resched();
	}
	mutex_unlock(&rec->vol->ns_lock);
}

/* === Events =============================================================== */

static bool followed_kind(const struct inode *inode)
{
	return S_ISREG(inode->i_mode) || S_ISDIR(inode->i_mode);
}

/* Mostly the inode has one name, or it is the one that was added last. */
static struct ft_link *first_link(const struct ft_inode *rec,
				  const struct inode *dir,
				  const struct qstr *name)
{
	struct ft_link *link = hlist_entry_safe(rec->links.first,
						struct ft_link, of_child);

	if (!link || link->parent->ino != (u32)dir->i_ino ||
	    ft_inode_is_dead(link->parent))
		return NULL;
	if (link->len != name->len || memcmp(link->name, name->name, link->len))
		return NULL;
	return link;
}

/*
 * The name that an event of the VFS means. In a directory that folds case, or
 * is encrypted, it may be spelled otherwise than on the disk: then all names
 * of the inode in there go, and a walk brings back those that remain.
 */
static struct ft_link *meant_link(struct ft_volume *vol,
				  const struct inode *dir,
				  const struct qstr *name,
				  const struct ft_inode *rec)
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
			ft_inode_request_scan(parent);
		}
		last = link;
	}
	return last;
}

/* A name could not be taken: to walk the directory again finds it too. */
static void name_missed(struct ft_inode *dir, int err)
{
	if (!err || err == -ENOBUFS)
		return;
	ft_count(FT_LOST);
	ft_inode_request_scan(dir);
}

/* create, link, mkdir: the name is there already, the directory locked */
static void on_create(struct ft_volume *vol, struct inode *dir,
		      const struct qstr *name, struct inode *inode)
{
	bool is_dir = S_ISDIR(inode->i_mode);
	struct ft_inode *rec = ft_inode_find_again(vol, inode->i_ino, is_dir);
	struct ft_inode *parent = ft_inode_find_again(vol, dir->i_ino, true);
	struct link_key key;

	if (parent && !being_dropped(parent)) {
		key = key_of(parent, name->name, name->len);
		name_missed(parent, add_name(parent, &key, inode->i_ino, is_dir,
					     rec));
	} else if (rec && hlist_empty(&rec->links) && !rec->target_path) {
		/* followed since it was made, but made where nobody watches */
		ft_inode_remove_now(rec);
	}
}

static void on_delete(struct ft_volume *vol, struct inode *dir,
		      const struct qstr *name, struct inode *inode)
{
	struct ft_inode *rec = ft_inode_find_again(vol, inode->i_ino,
						   S_ISDIR(inode->i_mode));
	struct ft_link *link = meant_link(vol, dir, name, rec);

	if (link)
		drop_name(vol, link, inode);
	else if (rec && rec->target_path && !inode->i_nlink)
		ft_inode_remove_now(rec);
}

/*
 * What had the new name before has lost it. A directory that still exists is
 * the other half of an exchange: its own event comes next. Returns false if @by has
 * the name already.
 */
static bool replace_name(struct ft_volume *vol, const struct link_key *key,
			 const struct ft_inode *by)
{
	struct ft_link *over = find_link(key);
	struct inode *victim;

	if (!over)
		return true;
	if (over->child == by)
		return false;
	victim = ilookup(vol->sb, over->child->ino);
	if (over->child->is_dir && victim && victim->i_nlink)
		remove_link(over);
	else
		drop_name(vol, over, victim);
	iput(victim);
	return true;
}

/* The directory into which something was moved: mostly the one that it was in. */
static struct ft_inode *moved_to(struct ft_volume *vol, const struct inode *dir,
				 const struct ft_link *from)
{
	if (from && from->parent->ino == (u32)dir->i_ino)
		return from->parent;
	return ft_inode_find_again(vol, dir->i_ino, true);
}

static void on_rename(struct ft_volume *vol, struct inode *old_dir,
		      const struct qstr *old_name, struct dentry *moved)
{
	struct inode *inode = d_inode(moved);
	struct inode *new_dir = d_inode(moved->d_parent);
	bool is_dir = S_ISDIR(inode->i_mode);
	struct ft_inode *rec = ft_inode_find_again(vol, inode->i_ino, is_dir);
	struct ft_link *link = meant_link(vol, old_dir, old_name, rec);
	struct ft_inode *to = moved_to(vol, new_dir, link);
	bool is_free = false;
	struct link_key key;

	/* perhaps a directory above a target: where is that now? */
	if (is_dir && (!rec || rec->target_path))
		WRITE_ONCE(vol->names_moved, true);

	if (to) {
		key = key_of(to, moved->d_name.name, moved->d_name.len);
		is_free = replace_name(vol, &key, rec);
	}
	if (!followed_kind(inode))
		return;
	if (link && is_free && !is_dir && !being_dropped(to)) {
		name_missed(to, move_link(link, to, &key));
	} else {
		/* after an exchange the old name stands for the other one already */
		if (link)
			remove_link(link);
		if (to && !being_dropped(to))
			name_missed(to, add_name(to, &key, inode->i_ino, is_dir,
						 rec));
	}
	if (!rec)
		return;
	/* targets below it stay, but have another path */
	if (rec->dropped || (is_dir && hlist_empty(&rec->links)))
		WRITE_ONCE(vol->names_moved, true);
	name_lost(vol, rec, false, NULL);
}

/**
 * ft_names_event() - a name on a watched volume changed
 * @group: ours
 * @mask: what happened
 * @data: to which inode or dentry
 * @data_type: which of the two
 * @dir: in which directory
 * @name: under which name
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
	struct ft_volume *vol;

	if (!mark || !inode || !dir || !name)
		return 0;
	if (!followed_kind(inode) && !(mask & FS_RENAME))
		return 0;
	vol = ft_mark_volume(mark);

	mutex_lock(&vol->ns_lock);
	if (ft_volume_gone(vol))
		;	/* nobody is to come behind ft_names_stop() */
	else if (mask & FS_CREATE)
		on_create(vol, dir, name, inode);
	else if (mask & FS_DELETE)
		on_delete(vol, dir, name, inode);
	else if (mask & FS_RENAME)
		on_rename(vol, dir, name, fsnotify_data_dentry(data, data_type));
	mutex_unlock(&vol->ns_lock);

	if (READ_ONCE(vol->names_moved))
		ft_target_kick();
	return 0;
}

/* === Paths ================================================================ */

static struct ft_link *name_of(const struct ft_inode *rec)
{
	return hlist_entry_safe(rec->links.first, struct ft_link, of_child);
}

/*
 * The highest target that a name leads up to; *@len is how much of the path is
 * below it. A directory has one name.
 */
static struct ft_inode *target_above(const struct ft_link *link, size_t *len)
{
	struct ft_inode *top = NULL;
	size_t below = 0;

	for (; link; link = name_of(link->parent)) {
		below += 1 + link->len;
		if (link->parent->target_path) {
			top = link->parent;
			*len = below;
		}
	}
	return top;
}

/*
 * Find a name of an inode that leads up to a target, and make it the first one:
 * the next time it is found at once.
 */
static struct ft_inode *choose_name(struct ft_inode *rec, size_t *len)
{
	struct ft_link *link;
	struct ft_inode *top;

	hlist_for_each_entry(link, &rec->links, of_child) {
		top = target_above(link, len);
		if (!top)
			continue;
		hlist_del(&link->of_child);
		hlist_add_head(&link->of_child, &rec->links);
		return top;
	}
	*len = 0;
	return rec->target_path ? rec : NULL;
}

/**
 * ft_names_path() - the path of an inode
 * @rec: the inode
 * @buf: where to write it, NUL-terminated; may be %NULL if @size is 0
 * @size: size of @buf in bytes
 *
 * If an inode has several names below targets, it is one of them.
 *
 * Context: process, ns_lock held.
 * Return: the length of the path without the NUL, also if it did not fit (then
 * @buf is not written); 0 if the inode has no path.
 */
int ft_names_path(struct ft_inode *rec, char *buf, size_t size)
{
	struct ft_inode *at, *top;
	struct ft_link *link;
	size_t len, base;

	lockdep_assert_held(&rec->vol->ns_lock);
	if (!rec->is_dir && rec->gone_path) {
		len = strlen(rec->gone_path);
		if (len < size)
			memcpy(buf, rec->gone_path, len + 1);
		return len;
	}
	top = choose_name(rec, &len);
	if (!top)
		return 0;
	base = strlen(top->target_path);
	if (base + len >= size)
		return base + len;

	base += len;
	len = base;
	buf[base] = '\0';
	for (at = rec; at != top; at = link->parent) {
		link = name_of(at);
		len -= link->len;
		memcpy(buf + len, link->name, link->len);
		buf[--len] = '/';
	}
	memcpy(buf, top->target_path, len);
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
 * ft_names_stop() - no more names are taken, none are dropped by a worker
 * @vol: the volume, which is gone
 *
 * Context: process. When it returns, events of names do nothing any more.
 */
void ft_names_stop(struct ft_volume *vol)
{
	/* an event that came before the volume went is done when we have the lock */
	mutex_lock(&vol->ns_lock);
	while (vol->dropped)
		leave_dropped(vol);
	mutex_unlock(&vol->ns_lock);
	cancel_work_sync(&vol->drop_work);
}
