/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record of an inode: what is known of it, and what state it is in.
 */
#ifndef FT_INODE_H
#define FT_INODE_H

#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/processor.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "extmap.h"
#include "fragtrace.h"
#include "volume.h"

struct ft_rebuild;
struct ft_walk;

/* No write event is about this: no file has a block 2^32 - 1. */
#define FT_NO_WRITE	U64_MAX

/**
 * struct ft_inode - what we know of one file or directory
 * @vol: the volume it is on
 * @ino: its inode number
 * @ref: one for the volume's table while the inode exists, one per user
 * @is_dir: directory: has names below it, no extent map
 * @told: the log has said that F2FS cannot tell its layout
 * @lock: protects all up to @map
 * @stale: the map may differ from F2FS; a rescan is queued or running
 * @omitted: left out for want of memory: the map is empty and means nothing
 * @dead: the inode is gone, the record only waits for its last user
 * @committing: blocks of an atomic commit are being put in place
 * @commit_begun: one of them is, since
 * @commit_changes: was the value of @changes
 * @audit: how often F2FS will yet be asked before the audit that is wanted is
 *	given up; 0: none is wanted
 * @resync: likewise of a resync that waits for this file or directory
 * @reserver: who was the last to begin to preallocate blocks; %NULL if blocks were,
 *	or may have been, freed since, or if it has been told what was preallocated
 * @gen: grows with each event whose effect is not known exactly
 * @changes: grows with each change of the map
 * @epoch: a scan has to begin in a later epoch of the volume
 * @direct_end: end of the run that a direct write under way got last; 0: none
 * @last_write: ft_write_id() of the event that was the last to change @map, if
 *	a block was written and there is no @rebuild; else %FT_NO_WRITE. May be
 *	read without @lock.
 * @map: the extent map
 * @rebuild: of a file: the second map that a scan is building; events change
 *	both. Changed by the worker that has taken the file, with @lock held.
 * @walk: of a directory: how far it has been read. Belongs to the worker that
 *	has taken the directory.
 * @node: in vol->queue, protected by vol->queue_lock, as are
 * @due: when a worker may take it, in jiffies,
 * @spent: how long its last scan took, in jiffies,
 * @queued: whether it waits for a worker,
 * @taken: a worker has taken it; it is put into vol->queue again afterwards if
 *	it is @queued by then, and
 * @strikes: how often it was queued again recently, for rate limiting
 * @freed_node: in the list of records to be freed, when nobody uses @node
 * @forgotten: the worker has dropped the names of this dead inode
 * @dropped: this directory is in vol->dropped, protected by vol->ns_lock, as are
 * @links: names of this inode,
 * @children: names in this directory,
 * @target_path: the path of the target that begins here, if one does,
 * @gone_path: the path that this file had, if it is unlinked and still open, and
 * @next_dropped: the directory behind this one in vol->dropped
 */
struct ft_inode {
	struct ft_volume *vol;
	u32 ino;
	refcount_t ref;
	bool is_dir;
	bool told;

	spinlock_t lock;
	bool stale;
	bool omitted;
	bool dead;
	bool committing;
	bool commit_begun;
	u32 commit_changes;
	u8 audit;
	u8 resync;
	const struct task_struct *reserver;
	u32 gen;
	u32 changes;
	u32 epoch;
	u32 direct_end;
	u64 last_write;
	struct ft_extmap map;
	union {
		struct ft_rebuild *rebuild;
		struct ft_walk *walk;
	};

	union {
		struct rb_node node;
		struct list_head freed_node;
	};
	unsigned long due;
	u32 spent;
	bool queued;
	bool taken;
	u8 strikes;

	bool forgotten;
	bool dropped;
	struct hlist_head links;
	struct hlist_head children;
	char *target_path;
	union {
		char *gone_path;
		struct ft_inode *next_dropped;
	};
};

/* === Life ================================================================= */

int ft_inode_init(void);
void ft_inode_exit(void);

struct ft_inode *ft_inode_create(struct ft_volume *vol, u32 ino, bool is_dir,
				 bool stale, gfp_t gfp);
struct ft_inode *ft_inode_find(struct ft_volume *vol, unsigned long ino);
struct ft_inode *ft_inode_find_other(const struct super_block *sb,
				     unsigned long ino);
struct ft_inode *ft_inode_get(struct ft_volume *vol, unsigned long ino);
void ft_inode_put(struct ft_inode *rec);
void ft_inode_remove(struct ft_inode *rec);
void ft_inode_forget_path(struct ft_inode *rec);
void ft_inode_flush_freed(void);
void ft_inode_request_scan(struct ft_inode *rec);
void ft_inode_request_resync(struct ft_inode *rec);
void ft_inode_read(struct ft_inode *rec);
bool ft_inode_looked(struct ft_inode *rec, u8 resync, u8 audit);
void ft_inode_end_resync(struct ft_inode *rec);
void ft_inode_request_audit(struct ft_inode *rec);
void ft_inode_audited(struct ft_inode *rec);

/*
 * The file that a CPU saw an event of last, likely the next one's, too. Dead or
 * alive: it is valid for who reads it in an RCU section.
 */
DECLARE_PER_CPU(struct ft_inode *, ft_last_file);

/**
 * ft_inode_find_file() - the record of a file that has an event
 * @sb: its super block
 * @ino: its inode number
 *
 * Context: RCU read section.
 * Return: the record, valid until the end of the section; NULL if the file is
 * not followed, or is none.
 */
static inline struct ft_inode *
ft_inode_find_file(const struct super_block *sb, unsigned long ino)
{
	struct ft_inode *rec = this_cpu_read(ft_last_file);

	/* of several records with this number only one is alive, on one volume */
	if (rec && rec->ino == (u32)ino && READ_ONCE(rec->vol->live_sb) == sb &&
	    !READ_ONCE(rec->dead))
		return rec;
	return ft_inode_find_other(sb, ino);
}

/* === State, for who holds the lock of the record ========================== */

/* Do events still mean something to this record? */
static inline bool ft_inode_followed(const struct ft_inode *rec)
{
	return likely(!rec->dead && !rec->omitted);
}

void ft_inode_stale(struct ft_inode *rec);
void ft_inode_untold(struct ft_inode *rec);
void ft_inode_exact(struct ft_inode *rec);
void ft_inode_omit(struct ft_inode *rec);
void ft_inode_drop_map(struct ft_inode *rec);
void ft_inode_drop_second(struct ft_inode *rec);

/*
 * Between two steps under the lock of a record: let a writer have it that waits.
 * The spinlocks of many guests are not fair: who takes one again at once wins
 * against who looks at it in a loop, again and again. So stay away for as long as
 * such a loop takes for some rounds.
 */
static inline void ft_let_writers_go(void)
{
	unsigned int n;

	for (n = 0; n < 16; n++)
		cpu_relax();
	cond_resched();
}

#endif
