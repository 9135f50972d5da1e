// SPDX-License-Identifier: GPL-2.0-only
/*
 * The record of an inode: its life and its state.
 *
 * In: inodes found by names.c and probes/map.c. Out: records for event.c, which
 * changes their maps, and rebuild.c, which replaces them. The written blocks of a
 * map are exact, unless the record is stale and waits for a scan, or was left out.
 */

#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "causes/breaks.h"
#include "causes/tally.h"
#include "core/base.h"
#include "core/compat.h"
#include "core/memory.h"
#include "core/observer.h"
#include "core/queue.h"
#include "core/volume.h"
#include "maps/inode.h"
#include "maps/rebuild.h"
#include "maps/trace.h"

/* How often a file is scanned before a resync or audit gives it up. */
#define MAX_LOOKS	8

static struct kmem_cache *cache;

/* Records without a reference, to be freed when no RCU reader uses them. */
static LIST_HEAD(freed);
static DEFINE_SPINLOCK(freed_lock);
static void flush_freed(struct work_struct *work);
static DECLARE_WORK(freed_work, flush_freed);

DEFINE_PER_CPU(struct ft_inode *, ft_last_file);
DEFINE_PER_CPU(struct ft_inode *, ft_last_dir);

/* === State ================================================================ */

/* End a request for this record; @nr counts the records of such requests. */
static void end_request(u8 *requested, atomic_t *nr)
{
	if (!*requested)
		return;
	*requested = 0;
	if (atomic_dec_and_test(nr))
		wake_up_all(&ft_settled);
}

static void resynced_locked(struct ft_inode *rec)
{
	end_request(&rec->resync, &rec->vol->nr_resyncs);
}

static void audited_locked(struct ft_inode *rec)
{
	end_request(&rec->audit, &rec->vol->nr_audits);
}

/* The table of transitions, drawn in core/record.h. FT_NR_STATES: does not happen. */
static enum ft_state next_state(enum ft_state state, enum ft_change cause)
{
	enum {
		EX = FT_EXACT,
		RE = FT_RESERVED,
		ST = FT_STALE,
		RS = FT_RESERVED_SCAN,
		SS = FT_STALE_SCAN,
		OM = FT_OMITTED,
		DE = FT_DEAD,
		GO = FT_GONE,
		NO = FT_NR_STATES
	};
	static const u8 next[FT_NR_CHANGES][FT_NR_STATES] = {
	/*			EX  RE  ST  RS  SS  OM  DE  GO		*/
	[FT_DOUBT]	   = {	ST, ST, ST, ST, ST, NO, NO, NO },
	[FT_RESERVE]	   = {	RE, RE, ST, RE, ST, OM, NO, NO },
	[FT_SCAN_BEGINS]   = {	NO, RS, SS, NO, NO, NO, NO, NO },
	[FT_SCAN_SETTLES]  = {	NO, RE, ST, EX, EX, NO, NO, NO },
	[FT_SCAN_FAILS]	   = {	EX, RE, ST, RE, ST, OM, DE, GO },
	[FT_NO_ROOM]	   = {	OM, OM, OM, OM, OM, NO, NO, NO },
	[FT_ROOM_AGAIN]	   = {	NO, NO, NO, NO, NO, ST, NO, NO },
	[FT_REMOVED]	   = {	DE, DE, DE, DE, DE, DE, NO, NO },
	[FT_FORGOTTEN]	   = {	NO, NO, NO, NO, NO, NO, GO, NO },
	};

	return next[cause][state];
}

/* Check a change, in builds with FT_DEBUG (see Kbuild). */
static void check_state(const struct ft_inode *rec, enum ft_state old,
			enum ft_state next, enum ft_change cause)
{
	bool scans = next == FT_RESERVED_SCAN || next == FT_STALE_SCAN;

	WARN_ONCE(next == FT_NR_STATES, "cause %d in state %d\n", cause, old);
	WARN_ONCE(rec->is_dir && next < FT_DEAD && next != FT_EXACT,
		  "directory: cause %d in state %d\n", cause, old);
	WARN_ONCE(scans && (!rec->rebuild || rec->rebuild->audit),
		  "no scan: cause %d in state %d\n", cause, old);
	WARN_ONCE(next == FT_EXACT && rec->resync && !rec->is_dir,
		  "still waited for: cause %d in state %d\n", cause, old);
	WARN_ONCE(next >= FT_OMITTED && rec->map.bytes,
		  "map kept: cause %d in state %d\n", cause, old);
}

/* Count a file that is left out from now on, or not any more. */
static void left_out(struct ft_inode *rec, bool is_out)
{
	atomic_add(is_out ? 1 : -1, &rec->vol->nr_left_out);
	ft_mem_left_out(is_out ? 1 : -1);
}

/**
 * ft_inode_name_refused() - a name was left out because memory is short
 * @dir: the directory; it is read again when there is room
 *
 * Context: process, ns_lock held.
 */
void ft_inode_name_refused(struct ft_inode *dir)
{
	lockdep_assert_held(&dir->vol->ns_lock);
	dir->refused++;
	ft_inode_names_left_out(dir->vol, 1);
	ft_count(FT_REFUSED);
}

/**
 * ft_inode_name_accepted() - names are not left out any more
 * @dir: the directory
 * @nr: how many of them
 *
 * Context: process; ns_lock held, or no other task has the record.
 */
void ft_inode_name_accepted(struct ft_inode *dir, u32 nr)
{
	nr = min(nr, dir->refused);
	dir->refused -= nr;
	ft_inode_names_left_out(dir->vol, -(long)nr);
}

/* The least part that has the blocks from @from to @last. */
static void set_part(struct ft_inode *rec, u32 from, u32 last)
{
	unsigned int bits = fls(from ^ last);

	while (from >> bits > U16_MAX)
		bits++;
	rec->narrow = ilog2(FT_LBLK_END) - bits;
	rec->part = from >> bits;
}

/**
 * ft_inode_change() - change the state of a file, or remove a directory
 * @rec: the record; it is queued if a worker has to handle it
 * @cause: why
 *
 * Context: atomic, rec->lock held.
 */
void ft_inode_change(struct ft_inode *rec, enum ft_change cause)
{
	enum ft_state old = rec->state, next = next_state(old, cause);
	bool stale = ft_inode_is_stale(rec);

	lockdep_assert_held(&rec->lock);
	/* only what is DOUBTed may be a part */
	if (cause == FT_RESERVE || cause == FT_ROOM_AGAIN)
		set_part(rec, 0, FT_LBLK_END - 1);
	if (next != old && next != FT_NR_STATES) {
		WRITE_ONCE(rec->state, next);
		ft_trace_state(rec, old, next);
		if (stale && !ft_inode_is_stale(rec))
			atomic_dec(&rec->vol->nr_stale);
		else if (!stale && ft_inode_is_stale(rec))
			atomic_inc(&rec->vol->nr_stale);
		if (next == FT_OMITTED || old == FT_OMITTED)
			left_out(rec, next == FT_OMITTED);
		if (next == FT_EXACT || next >= FT_OMITTED)
			resynced_locked(rec);
		if (next == FT_EXACT)
			rec->doubt = FT_OP_UNKNOWN;
		if (next == FT_DEAD)
			audited_locked(rec);
	}
	if (FT_DEBUG)
		check_state(rec, old, next, cause);

	switch (cause) {
	case FT_SCAN_BEGINS:
	case FT_SCAN_SETTLES:
	case FT_SCAN_FAILS:
	case FT_FORGOTTEN:
		break;	/* the worker has the record */
	case FT_REMOVED:
		break;	/* the caller knows whether a worker is needed */
	default:
		ft_queue_add(rec);
	}
}

/**
 * ft_inode_doubt_part() - blocks of a part of a file may differ from F2FS from now on
 * @rec: the file; a scan of them is queued, and of what was in doubt before
 * @op: the cause; a scan ascribes new breaks to it, if it is the only one
 * @from: the first block
 * @end: end of the part, exclusive
 *
 * Context: atomic, rec->lock held.
 */
void ft_inode_doubt_part(struct ft_inode *rec, enum ft_op op, u32 from, u32 end)
{
	bool stale = ft_inode_is_stale(rec);
	u32 old_from, old_end;

	end = min_t(u32, end, FT_LBLK_END);
	if (rec->state != FT_EXACT) {
		ft_inode_part(rec, &old_from, &old_end);
		from = min(from, old_from);
		end = max(end, old_end);
	}
	if (from < end)
		set_part(rec, from, end - 1);
	rec->reserver = NULL;
	ft_inode_change(rec, FT_DOUBT);
	if (!stale || rec->doubt != op)
		rec->doubt = stale ? FT_OP_UNKNOWN : op;
}

/**
 * ft_inode_doubt() - the map may differ from F2FS from now on
 * @rec: the file; a scan is queued
 * @op: the cause, %FT_OP_UNKNOWN if it is not known
 *
 * Context: atomic, rec->lock held.
 */
void ft_inode_doubt(struct ft_inode *rec, enum ft_op op)
{
	ft_inode_doubt_part(rec, op, 0, FT_LBLK_END);
}

/**
 * ft_inode_missed() - the map may lack what an event has just reported
 * @rec: the file; a scan is queued, to begin after F2FS has made the change
 * @op: the operation, as for ft_inode_doubt()
 *
 * Context: atomic, rec->lock held.
 */
void ft_inode_missed(struct ft_inode *rec, enum ft_op op)
{
	rec->epoch = READ_ONCE(rec->vol->epoch);
	ft_inode_doubt(rec, op);
}

/* A file is not followed any more: drop all that is known of its blocks. */
static void drop_all(struct ft_inode *rec)
{
	ft_trace_change(drop, rec, FT_TRACE_DROP);
	ft_inode_drop_map(rec);
	ft_inode_drop_second(rec);
	ft_observers_drop(rec);
}

/**
 * ft_inode_omit() - leave a file out because memory is short
 * @rec: the file; its map is dropped
 *
 * Context: atomic, rec->lock held.
 */
void ft_inode_omit(struct ft_inode *rec)
{
	u64 needs = rec->map.bytes;

	/* a scan that has not ended may need any more */
	if (ft_inode_scanning(rec) && ft_second_bytes(rec) > needs)
		needs = 2 * ft_second_bytes(rec);
	drop_all(rec);
	ft_inode_change(rec, FT_NO_ROOM);
	rec->needs = min_t(u64, needs >> 10, U32_MAX);
}

/**
 * ft_inode_drop_map() - drop all extents of a file, in bounded time
 * @rec: the file
 *
 * Context: atomic, rec->lock held, or no other task has the record.
 */
void ft_inode_drop_map(struct ft_inode *rec)
{
	u64 bytes = rec->map.bytes;
	u32 nr = rec->map.nr;

	rec->changes++;
	WRITE_ONCE(rec->last_write, FT_NO_WRITE);
	ft_extmap_drop(&rec->map);
	ft_mem_charge(&rec->map, rec->owner, nr, bytes);
	ft_breaks_drop(rec);
}

/**
 * ft_inode_start_over() - drop the map of a file, which a scan has to find again
 * @rec: the file; it is stale from now on
 *
 * There is nothing left to compare that scan with. So it must not begin before F2FS
 * has made the changes that events reported.
 *
 * Context: atomic, rec->lock held.
 */
void ft_inode_start_over(struct ft_inode *rec)
{
	lockdep_assert_held(&rec->lock);
	ft_trace_change(drop, rec, FT_TRACE_DROP);
	ft_inode_drop_map(rec);
	ft_inode_missed(rec, FT_OP_UNKNOWN);
}

/**
 * ft_inode_drop_second() - drop what a scan of a file has built, if there is one
 * @rec: the file
 *
 * Context: atomic, rec->lock held.
 */
void ft_inode_drop_second(struct ft_inode *rec)
{
	u64 bytes;

	lockdep_assert_held(&rec->lock);
	if (!ft_inode_scanning(rec))
		return;
	bytes = ft_second_bytes(rec);
	ft_extmap_drop(ft_built_map(rec));
	ft_extmap_drop(ft_touched_map(rec));
	ft_mem_charge_second(ft_second_bytes(rec), bytes);
}

#ifdef FT_LEAVES_NOTES

/**
 * ft_inode_take_up() - handle the notes (note.c) that came since the lock was free
 * @rec: the file
 *
 * The order of notes matters only for the last task that began to preallocate, and
 * the note keeps that task.
 *
 * Context: rec->lock held.
 */
void ft_inode_take_up(struct ft_inode *rec)
{
	long note = atomic_long_fetch_and(FT_NOTE_KEPT, &rec->note);

	lockdep_assert_held(&rec->lock);
	if (note & FT_NOTE_STALE) {
		rec->range_begun = true;
		if (ft_inode_followed(rec)) {
			rec->changes++;
			rec->range_at = jiffies;
			ft_inode_doubt(rec, FT_OP_RANGE);
		}
	}
	note &= ~(FT_NOTE_STALE | FT_NOTE_KEPT);
	if (note)
		rec->reserver = (const struct task_struct *)note;
}

#endif

static void request_scan_locked(struct ft_inode *rec)
{
	if (ft_inode_is_dead(rec)) {
		/* it is being removed */
	} else if (rec->is_dir) {
		/* if it is being read, once more after that */
		WRITE_ONCE(rec->changes, rec->changes + 1);
		ft_queue_add(rec);
	} else if (ft_inode_followed(rec)) {
		/* a request for a scan is no new cause */
		ft_inode_doubt(rec, rec->doubt);
	} else if (ft_mem_room_of(rec->owner) && !ft_inode_scanning(rec)) {
		rec->epoch = READ_ONCE(rec->vol->epoch);
		rec->reserver = NULL;
		ft_inode_change(rec, FT_ROOM_AGAIN);
	}
}

/**
 * ft_inode_request_scan() - queue a scan, in any state
 * @rec: a file, also one that was left out; or a directory
 * @unused: for ft_volume_visit()
 *
 * Context: any; the caller holds a reference or is in an RCU section.
 */
void ft_inode_request_scan(struct ft_inode *rec, void *unused)
{
	guard(ft_record)(rec);
	request_scan_locked(rec);
}

/**
 * ft_inode_request_resync() - queue a scan that a resync waits for
 * @rec: a file or directory; not waited for if it is gone or still left out
 * @unused: for ft_volume_visit()
 *
 * Context: any; the caller holds a reference or is in an RCU section.
 */
void ft_inode_request_resync(struct ft_inode *rec, void *unused)
{
	guard(ft_record)(rec);
	request_scan_locked(rec);
	if (ft_inode_followed(rec)) {
		if (!rec->resync)
			atomic_inc(&rec->vol->nr_resyncs);
		rec->resync = MAX_LOOKS;
	}
}

/**
 * ft_inode_read() - all names in a directory were read
 * @rec: the directory; a resync waits no longer, unless it is queued again
 *
 * Context: process, the volume's worker.
 */
void ft_inode_read(struct ft_inode *rec)
{
	guard(ft_record)(rec);
	/* it is queued with this lock held, and only the worker takes it out */
	if (!rec->queue.waits)
		resynced_locked(rec);
}

/**
 * ft_inode_request_audit() - queue an audit
 * @rec: a file; not audited if it is left out or has no name
 * @unused: for ft_volume_visit()
 *
 * Context: any; the caller holds a reference or is in an RCU section.
 */
void ft_inode_request_audit(struct ft_inode *rec, void *unused)
{
	guard(ft_record)(rec);
	if (ft_inode_is_shown(rec) && ft_inode_followed(rec) && !rec->audit) {
		rec->audit = MAX_LOOKS;
		atomic_inc(&rec->vol->nr_audits);
		ft_queue_add(rec);
	}
}

/**
 * ft_inode_end_request() - a resync or an audit waits for a record no longer
 * @rec: a file or directory
 * @audit: its audit is over; otherwise F2FS has stopped, and a resync ends
 *
 * Context: process, the volume's worker.
 */
void ft_inode_end_request(struct ft_inode *rec, bool audit)
{
	guard(ft_record)(rec);
	if (audit)
		audited_locked(rec);
	else
		resynced_locked(rec);
}

/**
 * ft_inode_scanned() - count a scan, after which requests may still wait
 * @rec: a file or directory
 * @resync: rec->resync before the scan: a later request has not been tried yet
 * @audit: rec->audit before the scan
 *
 * A file that keeps changing is not waited for endlessly.
 *
 * Context: process, the volume's worker.
 * Return: true if its audit has to be given up.
 */
bool ft_inode_scanned(struct ft_inode *rec, u8 resync, u8 audit)
{
	guard(ft_record)(rec);
	if (resync > 1 && rec->resync == resync)
		rec->resync--;
	else if (resync && rec->resync == resync)
		resynced_locked(rec);
	if (audit > 1 && rec->audit == audit)
		rec->audit--;
	return audit == 1 && rec->audit == audit;
}

/* === Life ================================================================= */

/**
 * ft_inode_size() - the memory of a record
 *
 * Return: bytes, without nodes of the xarray.
 */
long ft_inode_size(void)
{
	return ALIGN(ft_record_size(), cache_line_size());
}

/**
 * ft_inode_charge_name() - count the memory of a name for the owner of the inode
 * @rec: the inode
 * @size: bytes, which the budget is charged with; negative when the name is freed
 *
 * Context: process; ns_lock held, or no other task has the record.
 */
void ft_inode_charge_name(struct ft_inode *rec, long size)
{
	u32 units = DIV_ROUND_UP(abs(size), FT_NAMES_UNIT);

	ft_mem_owes(rec->owner, size);
	if (rec->names_size == U16_MAX)
		return;
	if (size < 0)
		rec->names_size -= min_t(u32, units, rec->names_size);
	else
		rec->names_size = min_t(u32, rec->names_size + units, U16_MAX);
}

/*
 * Nodes of the xarray that are there for this number only. Where numbers are far apart
 * a record has one or two, each more than twice as large as the record itself.
 */
static unsigned int own_nodes(struct xarray *table, u32 ino)
{
	XA_STATE(xas, table, ino);
	struct xa_node *node = NULL;
	unsigned int nr = 0;

	lockdep_assert_held(&table->xa_lock);
	xas_load(&xas);
	if (xas_is_node(&xas))
		node = xas.xa_node;
	for (; node && node->count == 1; node = xa_parent_locked(table, node))
		nr++;
	return nr;
}

/* Change the number of nodes that are charged. */
static void charge_nodes(struct ft_volume *vol, int nr)
{
	/* some are added when the tree gets higher: those have more than one entry */
	if (nr < 0)
		nr = xa_empty(&vol->inodes) ? -(int)vol->nr_nodes : max(nr, -(int)vol->nr_nodes);
	vol->nr_nodes += nr;
	ft_mem_add(nr * (long)sizeof(struct xa_node));
}

/* Put a record into the table. */
static int put_in(struct ft_inode *rec, gfp_t gfp)
{
	struct xarray *table = &rec->vol->inodes;
	int err;

	xa_lock(table);
	err = __xa_insert(table, rec->ino, rec, gfp);
	if (!err)
		charge_nodes(rec->vol, own_nodes(table, rec->ino));
	xa_unlock(table);
	return err;
}

/**
 * ft_inode_create() - begin to follow a file or directory
 * @vol: its volume
 * @ino: its inode number
 * @is_dir: whether it is a directory
 * @stale: its layout, or the names in it, must be scanned
 * @owner: the user that its memory is counted for; ft_names_own() corrects that
 * @gfp: how to allocate
 *
 * A record of an earlier inode with that number is removed.
 *
 * Context: atomic if @gfp says so; the caller makes sure that nothing else creates
 * the same inode now (names.c: ns_lock; a new inode: no other task knows it).
 * Return: the record, to be used under RCU or the ns_lock; or an ERR_PTR:
 * -ENOMEM, -ENOBUFS if the budget does not allow another record.
 */
struct ft_inode *ft_inode_create(struct ft_volume *vol, u32 ino, bool is_dir,
				 bool stale, u8 owner, gfp_t gfp)
{
	struct ft_inode *rec, *old;
	int err;

	if (!ft_mem_room_of(owner))
		return ERR_PTR(-ENOBUFS);
	ft_mem_add_of(owner, ft_inode_size());
	rec = kmem_cache_zalloc(cache, gfp);
	if (!rec) {
		ft_mem_add_of(owner, -ft_inode_size());
		return ERR_PTR(-ENOMEM);
	}
	rec->vol = vol;
	rec->owner = owner;
	rec->ino = ino;
	rec->is_dir = is_dir;
	refcount_set(&rec->ref, 1);
	spin_lock_init(&rec->lock);
	rec->last_write = FT_NO_WRITE;
	ft_extmap_init(&rec->map);

	ft_volume_get(vol);
	err = put_in(rec, gfp);
	if (unlikely(err == -EBUSY)) {
		old = ft_inode_find(vol, ino);
		if (old)
			ft_inode_remove(old);
		err = put_in(rec, gfp);
	}
	if (err) {
		kmem_cache_free(cache, rec);
		ft_mem_add_of(owner, -ft_inode_size());
		ft_volume_put(vol);
		return ERR_PTR(-ENOMEM);
	}
	atomic_inc(is_dir ? &vol->nr_dirs : &vol->nr_inodes);
	ft_trace_state(rec, FT_NR_STATES, FT_EXACT);
	if (stale) {
		guard(ft_record)(rec);
		if (is_dir)
			ft_queue_add(rec);
		else
			ft_inode_missed(rec, FT_OP_UNKNOWN);
	}
	return rec;
}

/**
 * ft_inode_find() - the record of an inode
 * @vol: the volume
 * @ino: the inode number
 *
 * Context: RCU read section, or ns_lock held.
 * Return: the record, valid until the end of the section; NULL if there is none.
 */
struct ft_inode *ft_inode_find(struct ft_volume *vol, unsigned long ino)
{
	return xa_load(&vol->inodes, ino);
}

/**
 * ft_inode_find_other() - find another file than the CPU's last one
 * @sb: its super block
 * @ino: its inode number
 *
 * The slow half of ft_inode_find_file().
 *
 * Context: RCU read section.
 * Return: the record, valid until the end of the section; NULL if the file is
 * not followed, or is a directory.
 */
struct ft_inode *ft_inode_find_other(const struct super_block *sb, unsigned long ino)
{
	struct ft_volume *vol = ft_volume_find(sb);
	struct ft_inode *rec = vol ? ft_inode_find(vol, ino) : NULL;

	if (!rec || rec->is_dir)
		return NULL;
	this_cpu_write(ft_last_file, rec);
	return rec;
}

/**
 * ft_inode_find_again() - find a record that is likely the CPU's last one
 * @vol: the volume
 * @ino: the inode number
 * @is_dir: whether it is a directory
 *
 * Context: ns_lock held. May sleep.
 * Return: the record, valid as long as ns_lock is held; %NULL if there is none.
 */
struct ft_inode *ft_inode_find_again(struct ft_volume *vol, unsigned long ino, bool is_dir)
{
	struct ft_inode *rec;

	lockdep_assert_held(&vol->ns_lock);
	/*
	 * The worker does not release a living record without ns_lock. With
	 * preemption disabled this is an RCU read section, the cheapest one.
	 */
	preempt_disable();
	rec = is_dir ? this_cpu_read(ft_last_dir) : this_cpu_read(ft_last_file);
	if (!rec || rec->ino != (u32)ino || rec->vol != vol || ft_inode_is_dead(rec)) {
		rec = ft_inode_find(vol, ino);
		/* another inode may have had this number, if its end was not seen */
		if (rec && rec->is_dir != is_dir)
			rec = NULL;
		if (rec && is_dir)
			this_cpu_write(ft_last_dir, rec);
	}
	preempt_enable();
	return rec;
}

/**
 * ft_inode_get() - the record of an inode, to keep
 * @vol: the volume
 * @ino: the inode number
 *
 * Return: the record, to be given back by ft_inode_put(); NULL if there is none.
 */
struct ft_inode *ft_inode_get(struct ft_volume *vol, unsigned long ino)
{
	struct ft_inode *rec;

	guard(ft_rcu)();
	rec = ft_inode_find(vol, ino);
	return rec && refcount_inc_not_zero(&rec->ref) ? rec : NULL;
}

/**
 * ft_inode_put() - give a reference back
 * @rec: the record
 *
 * Context: any.
 */
void ft_inode_put(struct ft_inode *rec)
{
	if (!refcount_dec_and_test(&rec->ref))
		return;
	guard(ft_spinlock)(&freed_lock);
	if (list_empty(&freed))
		queue_work(ft_wq, &freed_work);
	list_add_tail(&rec->freed_node, &freed);
}

/* Remove a record from the table. False if another task has done so. */
static bool take_out(struct ft_inode *rec)
{
	struct ft_volume *vol = rec->vol;
	unsigned int nodes;

	guard(ft_spinlock)(&vol->inodes.xa_lock);
	if (xa_load(&vol->inodes, rec->ino) != rec)
		return false;
	nodes = own_nodes(&vol->inodes, rec->ino);
	__xa_erase(&vol->inodes, rec->ino);
	charge_nodes(vol, -(int)nodes);
	atomic_dec(rec->is_dir ? &vol->nr_dirs : &vol->nr_inodes);
	return true;
}

static void removed_locked(struct ft_inode *rec)
{
	if (!rec->is_dir)
		drop_all(rec);
	ft_inode_change(rec, FT_REMOVED);
}

/**
 * ft_inode_remove() - stop following an inode
 * @rec: the record; its names are dropped later, by the worker
 *
 * Context: atomic; RCU read section or a reference.
 */
void ft_inode_remove(struct ft_inode *rec)
{
	if (!take_out(rec))
		return;
	/* the worker drops the table's reference when it finds the record dead */
	guard(ft_record)(rec);
	removed_locked(rec);
	ft_queue_add(rec);
}

/**
 * ft_inode_remove_now() - ft_inode_remove(), if possible without the worker
 * @rec: the record; not to be used afterwards without a reference
 *
 * The worker is needed if names are left, if a target begins there, and if it has
 * the record anyway.
 *
 * Context: process, ns_lock held.
 */
void ft_inode_remove_now(struct ft_inode *rec)
{
	bool left = !hlist_empty(&rec->links) || ft_inode_is_target(rec) ||
		    (rec->is_dir && !hlist_empty(&rec->children));

	lockdep_assert_held(&rec->vol->ns_lock);
	if (!take_out(rec))
		return;
	ft_inode_lock(rec);
	removed_locked(rec);
	/* a dead record is not queued by others */
	left = left || rec->rebuild || ft_queue_has(rec);
	if (left)
		ft_queue_add(rec);
	else
		ft_inode_change(rec, FT_FORGOTTEN);
	spin_unlock(&rec->lock);
	if (!left)
		ft_inode_put(rec);	/* the table's */
}

/**
 * ft_inode_forget_path() - drop the path of a file that was deleted
 * @rec: the file
 *
 * Context: process; ns_lock held, or no other task has the record.
 */
void ft_inode_forget_path(struct ft_inode *rec)
{
	size_t size;

	if (!rec->gone_path)
		return;
	size = strlen(rec->gone_path) + 1;
	ft_mem_free(rec->gone_path, size);
	ft_inode_charge_name(rec, -(long)kmalloc_size_roundup(size));
	rec->gone_path = NULL;
}

/**
 * ft_inode_flush_freed() - free the records without a reference
 *
 * Context: process; waits for RCU readers.
 */
void ft_inode_flush_freed(void)
{
	struct ft_inode *rec, *next;
	LIST_HEAD(list);
	int cpu;

	spin_lock(&freed_lock);
	list_splice_init(&freed, &list);
	spin_unlock(&freed_lock);
	if (list_empty(&list))
		return;

	/* from now on no task finds them in the table to make them a last one */
	synchronize_rcu();
	for_each_possible_cpu(cpu) {
		WRITE_ONCE(*per_cpu_ptr(&ft_last_file, cpu), NULL);
		WRITE_ONCE(*per_cpu_ptr(&ft_last_dir, cpu), NULL);
	}
	/* from now on no task uses one that it found as a last one */
	synchronize_rcu();
	list_for_each_entry_safe(rec, next, &list, freed_node) {
		struct ft_volume *vol = rec->vol;

		if (rec->is_dir)
			ft_inode_name_accepted(rec, rec->refused);
		else
			ft_inode_forget_path(rec);
		/* that of a copy is another file's */
		if (!rec->is_dir && vol->tally && !rec->copy)
			ft_tally_file_gone(vol, rec->extension);
		ft_mem_add_of(rec->owner, -ft_inode_size());
		kmem_cache_free(cache, rec);
		ft_volume_put(vol);
		cond_resched();
	}
}

static void flush_freed(struct work_struct *work)
{
	ft_inode_flush_freed();
}

/**
 * ft_inode_init() - prepare for records
 *
 * Return: 0 or -ENOMEM.
 */
int ft_inode_init(void)
{
	int err = ft_extmap_setup();

	if (err)
		return err;
	/* records share no cache line, so writers to different files do not */
	cache = kmem_cache_create("fragtrace_inode", ft_record_size(), 0,
				  SLAB_HWCACHE_ALIGN | SLAB_NO_MERGE, NULL);
	if (cache)
		return 0;
	ft_extmap_cleanup();
	return -ENOMEM;
}

/**
 * ft_inode_exit() - undo ft_inode_init()
 *
 * Context: process, all volumes gone and all references given back.
 */
void ft_inode_exit(void)
{
	ft_inode_flush_freed();
	kmem_cache_destroy(cache);
	ft_extmap_cleanup();
}
