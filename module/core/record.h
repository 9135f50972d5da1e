/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record of an inode: what it holds, and what can be read from it at once.
 * maps/inode.c creates and changes it. What only some keep of it is behind it.
 */
#ifndef FT_RECORD_H
#define FT_RECORD_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/percpu.h>
#include <linux/processor.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "core/extmap.h"

struct ft_awaited;
struct ft_volume;
struct ft_walk;

/*
 * The states of a file, and what changes them. Only ft_inode_change() changes the
 * state, with rec->lock held; enum ft_change lists its callers.
 *
 *              RESERVE               SCAN_BEGINS
 *     EXACT -------------> RESERVED -------------> RESERVED_SCAN
 *     ^  |                  |    ^                   |    |   |
 *     |  | DOUBT            |    +-------------------+    |   |
 *     |  |                  | DOUBT  RESERVE, SCAN_FAILS  |   |
 *     |  v                  v                       DOUBT |   |
 *     |  STALE <------------------------------------------+   |
 *     |   |  ^  ^                                             |
 *     |   |  |  +-----------------------------+               |
 *     |   |  |    DOUBT, RESERVE, SCAN_FAILS  |               |
 *     |   +--|-----------------------> STALE_SCAN             |
 *     |      |      SCAN_BEGINS               |               |
 *     |      | ROOM_AGAIN                     | SCAN_SETTLES  |
 *     +------|--------------------------------+---------------+
 *            |
 *         OMITTED <--- NO_ROOM --- any of these
 *
 *     any of all these --- REMOVED ---> DEAD --- FORGOTTEN ---> GONE
 *
 * A file that is RESERVED or STALE is queued for a scan, or a worker has taken it and
 * tries again, unless F2FS has stopped. If it returns to this state from _SCAN, the
 * scan goes on and replaces the map, and the file is scanned once more. An audit
 * builds a second map, too (rec->rebuild), but does not change the state. It is
 * cancelled if the file does not stay EXACT.
 *
 * A directory is EXACT, DEAD or GONE. If its names have to be read, it is queued.
 */

/**
 * enum ft_state - what is known of a file
 * @FT_EXACT: its map is right
 * @FT_RESERVED: written blocks are right, some preallocated blocks may be missing
 *	or too many; waits for a scan
 * @FT_STALE: the map may be wrong; waits for a scan
 * @FT_RESERVED_SCAN: as FT_RESERVED, but nothing happened since a scan began
 * @FT_STALE_SCAN: as FT_STALE, likewise
 * @FT_OMITTED: left out because memory is short: the map is empty, but not right
 * @FT_DEAD: the inode is gone, the worker has to remove its names
 * @FT_GONE: the names are removed, the record waits for its last user
 * @FT_NR_STATES: how many there are
 *
 * The order matters: see ft_inode_followed() and ft_inode_is_dead().
 */
enum ft_state {
	FT_EXACT,
	FT_RESERVED,
	FT_STALE,
	FT_RESERVED_SCAN,
	FT_STALE_SCAN,
	FT_OMITTED,
	FT_DEAD,
	FT_GONE,
	FT_NR_STATES
};

/**
 * enum ft_change - why the state of a file changes
 * @FT_DOUBT: the effect of an event is not known, or could not be stored; an event
 *	or a scan contradicted the map; or a user requests a scan. By probes, by the
 *	worker, by the request. Queued.
 * @FT_RESERVE: blocks were preallocated, but perhaps freed again since. By a probe.
 *	Queued.
 * @FT_SCAN_BEGINS: by the worker that has taken the file
 * @FT_SCAN_SETTLES: the scan has ended, and the map has been replaced; by the same
 *	worker. If the file is EXACT now, a resync waits for it no longer.
 * @FT_SCAN_FAILS: the scan was cancelled, or was an audit; by the same worker
 * @FT_NO_ROOM: the memory budget is used up; by a worker. Both maps are dropped, a
 *	resync waits no longer. Queued, so that an audit ends.
 * @FT_ROOM_AGAIN: there is room, and a user or a worker (maps/budget.c) requests a scan.
 *	Queued.
 * @FT_REMOVED: the inode, its last name in a watched directory, or the volume is
 *	gone. By the task that took it out of vol->inodes. Both maps are dropped, no
 *	request waits any longer. Queued, to be due at once, unless FT_FORGOTTEN
 *	follows directly.
 * @FT_FORGOTTEN: by the worker; by ft_inode_remove_now(), if no worker is needed
 * @FT_NR_CHANGES: how many there are
 */
enum ft_change {
	FT_DOUBT,
	FT_RESERVE,
	FT_SCAN_BEGINS,
	FT_SCAN_SETTLES,
	FT_SCAN_FAILS,
	FT_NO_ROOM,
	FT_ROOM_AGAIN,
	FT_REMOVED,
	FT_FORGOTTEN,
	FT_NR_CHANGES
};

/* Large enough that the names of most files have few. */
#define FT_NAMES_UNIT	64

/* The ID of no write event: no file has a block 2^32 - 1. */
#define FT_NO_WRITE	U64_MAX

/**
 * struct ft_queued - how a file or directory waits for a worker (core/queue.c)
 * @node: in vol->queue
 * @due: when a worker may take it, the low bits of jiffies
 * @spent: how long its last scan took, in jiffies, up to MAX_SPENT of queue.c
 * @strikes: how often it was queued again recently, for rate limiting
 * @waits: whether it waits for a worker. May be read with the lock of the record held,
 *	too, as then it is not queued
 * @taken: a worker has taken it; if it @waits when the worker gives it back, it is
 *	inserted in vol->queue again
 * @parked: it waits for its turn among the inodes whose lock others hold
 *
 * Protected by vol->queue_lock.
 */
struct ft_queued {
	struct rb_node node;
	u32 due;
	u16 spent;
	u8 strikes;
	bool waits : 1;
	bool taken : 1;
	bool parked : 1;
};

/**
 * struct ft_inode - what is known of one file or directory
 * @vol: the volume it is on
 * @ino: its inode number
 * @ref: one for the volume's table while the inode exists, one per user
 * @is_dir: directory: has names below it, no extent map
 * @warned: of a file: the log has reported that F2FS cannot report its layout. Belongs
 *	to the worker that has taken the record.
 * @dropped: this directory is in vol->dropped, protected by vol->ns_lock for writing
 * @held: at how many tries in a row others held the inode's lock; belongs to the
 *	worker that has taken the record
 * @owner: the user that its memory is counted for (memory.h). Both @lock and
 *	vol->ns_lock are held to change it.
 * @lock: protects all up to @doubt, but for @target_path and @children: ns_lock does
 * @state: enum ft_state; changed by ft_inode_change(). May be read without @lock.
 * @audit: how many scans are left before the requested audit is given up; 0: none
 *	is requested
 * @committing: blocks of an atomic write are being committed
 * @commit_begun: one of them is being committed
 * @range_begun: a call began to change a range of blocks, its event is yet to come; a
 *	scan that ends without doubt forgets it, as F2FS_IOC_MOVE_RANGE has no event
 * @narrow: by how much the part of a stale file that may be wrong is smaller than the
 *	largest file, as a power of 2; see ft_inode_part()
 * @copy: of a file: F2FS uses it to write to another file atomically. @extension and
 *	@writer are those of that file.
 * @hides: of a directory: its path leads to what is mounted on it (watch/path.c). Read
 *	and written without a lock.
 * @commit_changes: the value of @changes when that began
 * @reserver: the last task that began to preallocate blocks; %NULL if blocks were,
 *	or may have been, freed since, or if its preallocation was reported
 * @direct_end: end of the run that a direct write under way got last; 0: none.
 *	@committing, @commit_begun, @commit_changes, @reserver and @direct_end keep
 *	what an event of a call leaves for a later event of the same call (maps/event.c).
 *	They do not depend on the state.
 * @changes: grows with each change of the map; of a directory: with each request to read it
 * @epoch: of the volume: a scan has to begin when it is settled
 * @needs: of a file that is left out: room for its map, in KiB
 * @replaced: cause of a break that an operation under way has replaced by its own
 * @last_write: ft_event_write_id() of the last event that changed @map, if it wrote a
 *	block and there is no @rebuild; otherwise %FT_NO_WRITE. May be read without
 *	@lock.
 * @map: the extent map
 * @replaced_at: its block plus one; 0: none
 * @awaited: of a file: what is expected to be written to it (causes/breaks.h), or %NULL.
 *	Whether there is one may be read without @lock, as may
 * @writer: number of the last process that wrote to it (causes/writer.h)
 * @resync: how many scans are left before a resync that waits for this file or
 *	directory is given up; 0: none waits
 * @doubt: enum ft_op: the operation that made the file stale; FT_OP_UNKNOWN if there
 *	were several, it is not known, or the file is exact
 * @names_size: memory of its names and of @gone_path, in units of FT_NAMES_UNIT; it stays
 *	at U16_MAX. Protected by vol->ns_lock for writing.
 * @extension: number of its extension (causes/tally.h), protected by vol->ns_lock for
 *	writing
 * @refused: of a directory: names in it that are left out because memory is short,
 *	protected likewise
 * @rebuild: of a file: the second map that a scan is building; events change
 *	both. Changed by the worker that has taken the file, with @lock held.
 * @walk: of a directory: how far it has been read. Belongs to the worker that
 *	has taken the directory; others may see whether there is one.
 * @queue: how it waits for a worker
 * @freed_node: in the list of records to be freed, when @queue is not used any more
 * @links: names of this inode, protected by vol->ns_lock for writing, as are
 * @children: of a directory: names in it,
 * @target_path: of a directory: the path of the target that begins here, if there is one,
 * @gone_path: the path that this file had, if it is unlinked and still open, and
 * @next_dropped: the next directory in vol->dropped
 * @note: notes that ft_inode_lock() has to handle: the task that has begun to
 *	preallocate blocks, a &struct task_struct, and bits FT_NOTE_*
 * @noted_node: in the list of records with a note
 * @range_at: when a call last began to change a range, the low bits of jiffies; protected
 *	by @lock, may be read without it
 * @part: which part may be wrong, see @narrow; protected by @lock
 * @kept: what others keep of it, see ft_record_reserve()
 */
struct ft_inode {
	struct ft_volume *vol;
	u32 ino;
	refcount_t ref;
	bool is_dir;
	union {
		bool warned;
		bool dropped;
	};
	u8 held;
	u8 owner;

	spinlock_t lock;
	u8 state;
	u8 audit;
	bool committing : 1;
	bool commit_begun : 1;
	bool range_begun : 1;
	u8 narrow : 5;
	union {
		bool copy;
		bool hides;
	};
	u32 commit_changes;
	union {
		const struct task_struct *reserver;
		char *target_path;
	};
	u32 direct_end;
	u32 changes;
	union {
		u32 epoch;
		u32 needs;
	};
	u32 replaced;
	u64 last_write;
	struct ft_extmap map;
	u32 replaced_at;
	u32 writer;
	union {
		struct ft_awaited *awaited;
		struct hlist_head children;
	};
	u8 resync;
	u8 doubt;
	u16 names_size;
	union {
		u32 extension;
		u32 refused;
	};
	union {
		struct ft_rebuild *rebuild;
		struct ft_walk *walk;
	};

	union {
		struct ft_queued queue;
		struct list_head freed_node;
	};
	struct hlist_head links;
	union {
		char *gone_path;
		struct ft_inode *next_dropped;
	};
#ifdef FT_LEAVES_NOTES
	atomic_long_t note;
	struct llist_node noted_node;
#endif
	u16 range_at;
	u16 part;
	u32 kept[];
};

u32 ft_record_reserve(size_t bytes);
size_t ft_record_size(void);

/* What somebody keeps of an inode, in the room that he has reserved. */
static __always_inline void *ft_record_at(const struct ft_inode *rec, u32 at)
{
	return (void *)rec + at;
}

/* === The second map, while a scan builds it =============================== */

/**
 * struct ft_audit_sum - what the audit of a file found
 * @blocks: written blocks, in the map or in F2FS
 * @differing: those whose LBAs differ between the two
 * @changes: the @changes of &struct ft_inode when it ended
 */
struct ft_audit_sum {
	u64 blocks;
	u64 differing;
	u32 changes;
};

/**
 * struct ft_rebuild - a scan of a file, from its first step to its last
 * @built: the map that it builds
 * @touched: blocks that events changed meanwhile, as unwritten extents
 * @from: the first block that it scans
 * @end: the end of what it scans, %FT_LBLK_END if that is all of the file
 * @pos: where the next step begins, in bytes; U64_MAX after the last one
 * @step: length of the next step, in bytes
 * @spent: time that all steps took, in jiffies
 * @last_lba: LBA of the last written block that it found, %FT_LBA_UNWRITTEN if an
 *	event has changed something since
 * @cause_after: of a part: the cause of the extent that begins where the part ends, if
 *	the live map has none there yet
 * @stripped_to: @built has lost its causes up to here, because memory is short
 * @contradicted: it found a block elsewhere than events had put it
 * @audit: only compare the map with @built, do not replace it
 * @sample: nobody has requested this audit
 * @tries: how often they were compared
 * @resync_before: the inode's @resync when it began
 * @audit_before: the inode's @audit when it began
 * @sum: what the last comparison found
 *
 * @built, @touched, @stripped_to and @contradicted are protected by the lock of the inode, the
 * rest by the worker that has taken it.
 */
struct ft_rebuild {
	struct ft_extmap built;
	struct ft_extmap touched;
	u32 from;
	u32 end;
	u64 pos;
	u64 step;
	unsigned long spent;
	u32 last_lba;
	u32 cause_after;
	u32 stripped_to;
	bool contradicted;
	bool audit;
	bool sample;
	u8 tries;
	u8 resync_before;
	u8 audit_before;
	struct ft_audit_sum sum;
};

/* Does it scan only a part of the file, the one that is in doubt? */
static inline bool ft_rebuild_is_part(const struct ft_rebuild *rebuild)
{
	return rebuild->from || rebuild->end != FT_LBLK_END;
}

/* Is a scan building a second map? */
static inline bool ft_inode_scanning(const struct ft_inode *rec)
{
	return rec->rebuild;
}

/* The map that a scan is building. */
static inline struct ft_extmap *ft_built_map(struct ft_inode *rec)
{
	return &rec->rebuild->built;
}

/* The blocks that events changed meanwhile. */
static inline struct ft_extmap *ft_touched_map(struct ft_inode *rec)
{
	return &rec->rebuild->touched;
}

/* The memory of the second map, touched map included. */
static inline u64 ft_second_bytes(struct ft_inode *rec)
{
	return ft_built_map(rec)->bytes + ft_touched_map(rec)->bytes;
}

/* === What can be read at once ============================================= */

#ifdef FT_LEAVES_NOTES

#define FT_NOTE_STALE	1L	/* the file is stale */
#define FT_NOTE_KEPT	2L	/* maps/note.c has a reference, or the record was dead */

/* Is there a note (maps/note.c) to be handled now? */
static inline bool ft_inode_has_note(const struct ft_inode *rec)
{
	return atomic_long_read(&rec->note) & ~FT_NOTE_KEPT;
}

#else

static inline bool ft_inode_has_note(const struct ft_inode *rec)
{
	return false;
}

#endif

/* Do events still change this record? */
static inline bool ft_inode_followed(const struct ft_inode *rec)
{
	return likely(rec->state < FT_OMITTED);
}

/*
 * Is it a file that users see? One without a name is not shown. The copies that F2FS
 * makes for an atomic write never have one, and lose their blocks without an event.
 */
static inline bool ft_inode_is_shown(const struct ft_inode *rec)
{
	return !rec->is_dir && (!hlist_empty(&rec->links) || READ_ONCE(rec->gone_path));
}

/* Is it a directory with a target that begins here? */
static inline bool ft_inode_is_target(const struct ft_inode *rec)
{
	return rec->is_dir && READ_ONCE(rec->target_path);
}

/* Is its inode gone? */
static inline bool ft_inode_is_dead(const struct ft_inode *rec)
{
	return READ_ONCE(rec->state) >= FT_DEAD;
}

/* May its map differ from F2FS in written blocks? Users see this state. */
static inline bool ft_inode_is_stale(const struct ft_inode *rec)
{
	enum ft_state state = READ_ONCE(rec->state);

	return state == FT_STALE || state == FT_STALE_SCAN;
}

/*
 * The blocks of a stale file that may be wrong: all of it, or a part. Parts are of the
 * size of a power of 2, and begin at a multiple of that: so they take few bits.
 */
static inline void ft_inode_part(const struct ft_inode *rec, u32 *from, u32 *end)
{
	u32 size = FT_LBLK_END >> rec->narrow;

	*from = rec->part * size;
	*end = *from + size;
}

/*
 * Called between two steps under the lock of a record, to let a waiting writer take
 * it. The spinlocks of many guests are not fair: a task that takes one again at once
 * wins again and again against a task that spins. So leave the lock free for some
 * rounds of such a loop.
 */
static inline void ft_let_writers_go(void)
{
	unsigned int n;

	for (n = 0; n < 16; n++)
		cpu_relax();
	cond_resched();
}

#endif
