/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The map of the module. Data flows through the files in this order:
 *
 *   build_id.c  whether F2FS is the one that the probes were built for
 *   attach.c    the probes attached to F2FS, which may come and go
 *   probe.c     F2FS tracepoints -> which inode, which blocks
 *   call.c      calls that no tracepoint describes -> which inodes
 *   event.c     what an event does to the map of its file
 *   extmap.c    the extents of one file (see extmap.h)
 *   inode.c     the record of an inode: state, life, memory (see inode.h)
 *   rebuild.c   a map replaced by what F2FS says it is
 *   names.c     the names of the inodes, kept by fsnotify
 *   volume.c    a mounted F2FS that is watched; it may be unmounted at any time
 *   path.c      paths of watched directories, without keeping them
 *   target.c    the directories the user asked for, found and lost again
 *   queue.c     the inodes of a volume that wait for the worker, by due time
 *   worker.c    takes them in turn, one bounded step each (see worker.h)
 *   scan.c      a step: ask F2FS where events cannot tell: readdir, FIEMAP
 *   audit.c     whether the maps say what F2FS says
 *   snapshot.c  a copy for one reader, with the figures of each file
 *   view.c      a copy as text: table, extents, files
 *   binary.c    a copy as it is: snapshot
 *   debugfs.c   the other files: counters out, commands in
 *
 * Units: a block is 4096 bytes; lblk is a block of a file, lba a block of the
 * volume. "end" is exclusive, "last" inclusive.
 *
 * Lock order, outermost first. Locks of the kernel are in brackets.
 *
 *   run_lock of audit.c     mutex; one audit at a time
 *   ft_volume.resync_lock   mutex; one resync at a time
 *   ft_targets_lock         mutex; targets, and attaching volumes to them
 *   [module notifiers]      held by the kernel when F2FS comes or goes
 *   probes_lock of attach.c mutex; whether the probes are attached
 *   ft_volume.sb_lock       mutex; whether the super block is still there
 *   [sb->s_umount]          shared and tried only, except by umount itself,
 *                           which holds it when it takes sb_lock
 *   [i_rwsem of directory]  held by the VFS around each fsnotify event
 *   ft_volume.ns_lock       mutex; names: links between inodes
 *   ft_volume.inodes        the xarray's own spinlock
 *   ft_inode.lock           spinlock; the extent map and its state
 *   ft_volume.queue_lock    spinlock; what the worker has to do
 *   ft_worker.lock          spinlock; the step that a worker is in
 *
 * Nothing is locked inside report_lock of audit.c, volumes_lock of volume.c and
 * freed_lock of inode.c.
 *
 * Probes run under locks of F2FS, with preemption off: where the kernel does not
 * see to that, they do. They take spinlocks only, and never sleep.
 */
#ifndef FRAGTRACE_H
#define FRAGTRACE_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/fs.h>
#include <linux/fsnotify_backend.h>
#include <linux/kdev_t.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/rhashtable.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "extmap.h"

#define FT_BLOCK_BITS	12
#define FT_BLOCK_SIZE	(1U << FT_BLOCK_BITS)

/* What is written as an octal number in paths: what would end a field or line. */
#define FT_ESCAPED	" \t\n\v\f\r\033\\"

struct ft_rebuild;
struct ft_target;
struct ft_walk;
struct ft_worker;
struct module;
struct seq_file;
struct task_struct;
struct tracepoint;

/* === Counters ============================================================= */

/**
 * enum ft_counter - what is counted since the module was loaded
 * @FT_EVENTS_WRITE: blocks written out of place
 * @FT_EVENTS_UPDATE: changes of addresses, most of them told of before
 * @FT_EVENTS_MAP: ranges allocated by direct I/O and preallocation
 * @FT_EVENTS_TRUNCATE: truncations
 * @FT_EVENTS_FALLOCATE: fallocate calls
 * @FT_EVENTS_ATOMIC: blocks put in place by an atomic commit
 * @FT_EVENTS_COMPRESS: clusters compressed
 * @FT_CALLS: steps of calls that were noticed just before they began: blocks are
 *	to be moved, zeroed, punched out or preallocated
 * @FT_MISMATCHES: events that contradicted the map; each made it stale
 * @FT_LOST: events the map could not take for want of memory; likewise
 * @FT_RESCANS: files whose layout F2FS was asked for
 * @FT_STEPS_LATE: steps of a worker that F2FS kept waiting for so long that
 *	another worker took over the rest of the queue
 * @FT_AUDITS: files whose map was compared with what F2FS says
 * @FT_AUDIT_DIFFERENCES: those of them that differed
 * @FT_REFUSED: files and names left out because the memory budget was used up
 * @FT_NR_COUNTERS: how many there are
 */
enum ft_counter {
	FT_EVENTS_WRITE,
	FT_EVENTS_UPDATE,
	FT_EVENTS_MAP,
	FT_EVENTS_TRUNCATE,
	FT_EVENTS_FALLOCATE,
	FT_EVENTS_ATOMIC,
	FT_EVENTS_COMPRESS,
	FT_CALLS,
	FT_MISMATCHES,
	FT_LOST,
	FT_RESCANS,
	FT_STEPS_LATE,
	FT_AUDITS,
	FT_AUDIT_DIFFERENCES,
	FT_REFUSED,
	FT_NR_COUNTERS
};

DECLARE_PER_CPU(u64 [FT_NR_COUNTERS], ft_counters);

static inline void ft_count(enum ft_counter which)
{
	this_cpu_inc(ft_counters[which]);
}

/* === Types ================================================================ */

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

/**
 * struct ft_link - one name of an inode
 * @node: in vol->links, by parent and name
 * @parent: the directory
 * @child: the inode
 * @of_parent: in parent->children
 * @of_child: in child->links
 * @len: length of @name in bytes
 * @name: the name, NUL-terminated
 */
struct ft_link {
	struct rhash_head node;
	struct ft_inode *parent;
	struct ft_inode *child;
	struct hlist_node of_parent;
	struct hlist_node of_child;
	u16 len;
	char name[];
};

/**
 * struct ft_volume - a mounted F2FS with a watched directory
 * @node: in the list of volumes, under RCU
 * @ref: one for the list, one for @mark, one per user
 * @sb: the super block; valid while !ft_volume_gone() and for who holds its
 *	s_umount
 * @live_sb: the same, but NULL once it is going away
 * @sb_lock: protects @live_sb against use of @sb
 * @dev: its device number
 * @mountpoint: where it was mounted when it was found
 * @main_blkaddr: first block of the main area
 * @blocks: end of the volume, in blocks
 * @segment_blocks: blocks in a segment
 * @mark: brings changes of names, and the end of the mount
 * @inodes: struct ft_inode by inode number
 * @nr_inodes: files in it
 * @nr_dirs: directories in it
 * @nr_stale: files in it that are stale
 * @nr_unread: directories in it whose names are not all known yet
 * @nr_audits: files in it that wait to be audited
 * @nr_resyncs: files and directories in it that somebody waits for
 * @ns_lock: protects names
 * @links: struct ft_link by parent and name
 * @dropped: directories that lost their last name, a reference to each, linked by
 *	their @next_dropped, protected by @ns_lock
 * @drop_work: takes down @dropped and what is below
 * @resync_lock: held while somebody waits for @nr_resyncs to become 0
 * @asking: all that is there is being marked to be waited for, protected by
 *	@ns_lock
 * @nr_targets: targets on it, protected by ft_targets_lock
 * @names_moved: a directory moved that may be above a target
 * @queue_lock: protects @queue, @worker, @nr_late and changes of @workers
 * @queue: inodes that wait for the worker, by due time
 * @nr_queued: their number, those at work and those in @dropped included
 * @worker: who takes them
 * @workers: all workers, those included whose last step is late; under RCU
 * @nr_late: how many those are
 * @epoch: grows before the worker waits until F2FS has made all changes of which
 *	it has told
 */
struct ft_volume {
	struct list_head node;
	refcount_t ref;

	struct super_block *sb;
	struct super_block *live_sb;
	struct mutex sb_lock;
	dev_t dev;
	char *mountpoint;
	u32 main_blkaddr;
	u32 blocks;
	u32 segment_blocks;

	struct fsnotify_mark mark;

	struct xarray inodes;
	atomic_t nr_inodes;
	atomic_t nr_dirs;
	atomic_t nr_stale;
	atomic_t nr_unread;
	atomic_t nr_audits;
	atomic_t nr_resyncs;

	struct mutex ns_lock;
	struct rhashtable links;
	struct ft_inode *dropped;
	struct work_struct drop_work;
	struct mutex resync_lock;
	bool asking;
	bool names_moved;
	unsigned int nr_targets;

	spinlock_t queue_lock;
	struct rb_root_cached queue;
	atomic_t nr_queued;
	struct ft_worker *worker;
	struct list_head workers;
	unsigned int nr_late;
	u32 epoch;
};

/* === main.c =============================================================== */

extern struct workqueue_struct *ft_wq;

/* === build_id.c =========================================================== */

int ft_build_id_check(struct module *f2fs);

/* === attach.c ============================================================= */

int ft_attach_init(void);
void ft_attach_exit(void);
bool ft_attach_usable(void);
int ft_attach_want(bool want);

/* === probe.c ============================================================== */

#define FT_MAX_PROBES	16

/**
 * struct ft_probe - a probe and its event
 * @name: of the tracepoint
 * @func: the probe, whose arguments are those of the event
 * @tp: the tracepoint; %NULL while it has not been found
 */
struct ft_probe {
	const char *name;
	void *func;
	struct tracepoint *tp;
};

unsigned int ft_probe_list(struct ft_probe *list);
bool ft_probe_stopped(const struct super_block *sb);
bool ft_probe_has_clusters(const struct inode *inode);

/* === call.c =============================================================== */

#ifdef FT_FOLLOWS_CALLS
void ft_call_attach(void);
void ft_call_detach(void);
bool ft_call_attached(void);
#else
static inline void ft_call_attach(void)
{
}

static inline void ft_call_detach(void)
{
}

static inline bool ft_call_attached(void)
{
	return false;
}
#endif

/* === inode.c ============================================================== */

int ft_inode_init(void);
void ft_inode_exit(void);
void ft_mem_set_budget(unsigned long bytes);
unsigned long ft_mem_budget(void);
void ft_mem_add(long bytes);
long ft_mem_used(void);
bool ft_mem_room(void);
u64 ft_mem_extents(void);

struct ft_inode *ft_inode_create(struct ft_volume *vol, u32 ino, bool is_dir,
				 bool stale, gfp_t gfp);
struct ft_inode *ft_inode_find(struct ft_volume *vol, unsigned long ino);
struct ft_inode *ft_inode_find_other(const struct super_block *sb,
				     unsigned long ino);
struct ft_inode *ft_inode_get(struct ft_volume *vol, unsigned long ino);
void ft_inode_put(struct ft_inode *rec);
void ft_inode_remove(struct ft_inode *rec);
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

/* === event.c ============================================================== */

/* What a write event was about, in one word. No file has a block 2^32 - 1. */
#define FT_NO_WRITE	U64_MAX

static inline u64 ft_write_id(u32 lblk, u32 lba)
{
	return (u64)lba << 32 | lblk;
}

/*
 * Has an event just said that a block of this file was written there, and has
 * nothing else happened to it? Then to say it again is of no use, but for a scan
 * that may have seen the address before it changed: during one nothing is known.
 * A scan that begins while we look begins after this event. Nor is anything known
 * of a record that is dead.
 */
static inline bool ft_inode_knows_write(const struct ft_inode *rec,
					const struct inode *inode, u32 lblk,
					u32 lba)
{
	return READ_ONCE(rec->last_write) == ft_write_id(lblk, lba) &&
	       rec->ino == (u32)inode->i_ino &&
	       READ_ONCE(rec->vol->live_sb) == inode->i_sb;
}

void ft_inode_write_any(struct ft_inode *rec, u32 lblk, u32 old_lba, u32 lba);

/**
 * ft_inode_write() - a block was written to a new place
 * @rec: the file
 * @lblk: block of the file
 * @old_lba: where it was, %FT_LBA_UNWRITTEN if nowhere
 * @lba: where it is now
 *
 * F2FS says where the block was. If the map says otherwise it missed
 * something, be it by a race or by an operation that has no event. Mostly it is
 * the next block of a run. None is expected of a file that is being scanned, was
 * left out, or is dead.
 *
 * Context: atomic, rec->lock held.
 */
static __always_inline void ft_inode_write(struct ft_inode *rec, u32 lblk,
					   u32 old_lba, u32 lba)
{
	lockdep_assert_held(&rec->lock);
	if (likely(ft_extmap_go_on(&rec->map, lblk, old_lba, lba))) {
		rec->changes++;
		WRITE_ONCE(rec->last_write, ft_write_id(lblk, lba));
	} else {
		ft_inode_write_any(rec, lblk, old_lba, lba);
	}
}

void ft_inode_write_doubtful(struct ft_inode *rec, u32 lblk, u32 old_lba,
			     u32 lba);

void ft_inode_update(struct ft_inode *rec, const struct ft_extent *ext);
void ft_inode_map(struct ft_inode *rec, const struct ft_extent *ext,
		  bool in_one);
void ft_inode_direct_end(struct ft_inode *rec, u32 end);
void ft_inode_commit_begin(struct ft_inode *rec);
void ft_inode_commit(struct ft_inode *rec, u32 lblk, u32 lba);
void ft_inode_truncate(struct ft_inode *rec, u32 lblk);
void ft_inode_reserve(struct ft_inode *rec, u32 lblk, u32 end, bool whole);
void ft_inode_mark_stale(struct ft_inode *rec);
void ft_inode_reserve_begin(struct ft_inode *rec);

/* === rebuild.c ============================================================ */

int ft_inode_scan_begin(struct ft_inode *rec, bool audit);
int ft_inode_scan_merge(struct ft_inode *rec, const struct ft_extent *ext,
			unsigned int nr);
bool ft_inode_scan_end(struct ft_inode *rec, int err);

/* === names.c ============================================================== */

int ft_names_init(struct ft_volume *vol);
void ft_names_stop(struct ft_volume *vol);
void ft_names_destroy(struct ft_volume *vol);
int ft_names_add(struct ft_volume *vol, struct ft_inode *dir, const char *name,
		 unsigned int len, u32 ino, bool is_dir);
void ft_names_drop_tree(struct ft_volume *vol, struct ft_inode *dir);
void ft_names_forget(struct ft_inode *rec);
void ft_names_forget_path(struct ft_inode *rec);
int ft_names_event(struct fsnotify_group *group, u32 mask, const void *data,
		   int data_type, struct inode *dir, const struct qstr *name,
		   u32 cookie, struct fsnotify_iter_info *iter_info);
int ft_names_path(struct ft_inode *rec, char *buf, size_t size);

/* === volume.c ============================================================= */

extern struct list_head ft_volumes;
extern wait_queue_head_t ft_settled;

int ft_volume_init(void);
void ft_volume_exit(void);
struct ft_volume *ft_volume_find(const struct super_block *sb);
struct ft_volume *ft_volume_attach(struct super_block *sb,
				   const char *mountpoint, bool loud);
void ft_volume_detach(struct ft_volume *vol);
void ft_volume_get(struct ft_volume *vol);
void ft_volume_put(struct ft_volume *vol);
struct super_block *ft_volume_hold_sb(struct ft_volume *vol);
void ft_volume_drop_sb(struct super_block *sb);
void ft_volume_measure(struct ft_volume *vol);
bool ft_volume_stopped(struct ft_volume *vol);

/* Is the super block going away? If not it stays, under sb_lock or queue_lock. */
static inline bool ft_volume_gone(const struct ft_volume *vol)
{
	return !READ_ONCE(vol->live_sb);
}

static inline struct ft_volume *ft_mark_volume(struct fsnotify_mark *mark)
{
	return container_of(mark, struct ft_volume, mark);
}

/* === path.c =============================================================== */

/**
 * struct ft_found - what a path stands for
 * @sb: its super block, s_umount held shared
 * @ino: the inode of the directory
 * @real: the path without symbolic links
 * @mount: the mount point
 * @mount_root: path of the mount's root within the file system
 */
struct ft_found {
	struct super_block *sb;
	u32 ino;
	char *real;
	char *mount;
	char *mount_root;
};

int ft_path_find(const char *path, struct ft_found *found, bool loud);
void ft_path_free(struct ft_found *found);
char *ft_path_inside(struct ft_inode *dir);
const char *ft_path_below(const char *inside, const char *top);

/* === target.c ============================================================= */

extern struct mutex ft_targets_lock;
extern atomic_t ft_nr_waiting;

int ft_target_init(const char *paths);
void ft_target_exit(void);
int ft_target_add(const char *path);
int ft_target_del(const char *path);
int ft_target_resync(const char *path);
int ft_target_wait_audited(const char *path);
void ft_target_show(struct seq_file *m);
void ft_target_kick(void);

/* === queue.c ============================================================== */

void ft_queue_init(struct ft_volume *vol);
void ft_queue_add(struct ft_inode *rec);
void ft_queue_spent(struct ft_inode *rec, unsigned long time);
struct ft_inode *ft_queue_take(struct ft_volume *vol);
void ft_queue_give_back(struct ft_inode *rec, bool more);
void ft_queue_wake_worker(struct ft_volume *vol);

/* === worker.c ============================================================= */

int ft_worker_start(struct ft_volume *vol);
void ft_worker_stop(struct ft_volume *vol);
void ft_worker_wake(struct ft_worker *w, unsigned long delay);

/* === scan.c =============================================================== */

/**
 * enum ft_step - what becomes of an inode after one step
 * @FT_STEP_LAST: nothing is left to do
 * @FT_STEP_MORE: another step, after those that are due now
 * @FT_STEP_AGAIN: a new try, the later the more there were
 */
enum ft_step {
	FT_STEP_LAST,
	FT_STEP_MORE,
	FT_STEP_AGAIN,
};

enum ft_step ft_scan_step(struct ft_worker *w, struct ft_inode *rec);
void ft_scan_cancel(struct ft_inode *rec);
void ft_scan_lookup_event(struct ft_volume *vol, u32 ino,
			  const struct ft_extent *ext);
void ft_scan_fiemap_event(struct ft_volume *vol, u32 ino, u64 logical,
			  u64 physical, u64 len, u32 flags);

/* === audit.c ============================================================== */

/**
 * struct ft_audit_sum - what the audit of a file found
 * @blocks: written blocks, in the map or in F2FS
 * @differing: those that are not in the same place in both
 * @changes: the changes of the map, see &struct ft_inode, when it ended
 */
struct ft_audit_sum {
	u64 blocks;
	u64 differing;
	u32 changes;
};

void ft_audit_init(void);
void ft_audit_exit(void);
bool ft_audit_stopped(void);
int ft_audit_run(const char *path);
bool ft_audit_compare(struct ft_inode *rec, struct ft_audit_sum *sum);
void ft_audit_report(struct ft_inode *rec, const struct ft_audit_sum *sum);
void ft_audit_show(struct seq_file *m);

/* === debugfs.c ============================================================ */

int ft_debugfs_init(void);
void ft_debugfs_exit(void);

#endif
