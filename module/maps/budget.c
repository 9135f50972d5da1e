// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files give way when the memory budget is used up, the largest one of the owner who has
 * most first.
 *
 * In: files that grow, second maps that do not fit. Out: files left out, until
 * the others fit again (see core/memory.c). When there is room they come back.
 */

#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/xarray.h>

#include "causes/breaks.h"
#include "core/base.h"
#include "core/memory.h"
#include "core/observer.h"
#include "core/volume.h"
#include "maps/budget.h"
#include "maps/inode.h"
#include "maps/names.h"
#include "maps/rebuild.h"

/*
 * How often what is left out is tried again: less and less often, as long as any is, but
 * soon after memory was freed.
 */
#define AGAIN_FIRST	HZ
#define AGAIN_FREED	(4 * HZ)
#define AGAIN_LAST	(64 * HZ)

/**
 * struct choice - files that may have to give way
 * @owner: whose files
 * @bytes: the largest size so far; then the smallest size of a file that gives way
 * @pending: memory of records that are left out, which is not free yet; or of maps
 *	that are not there yet
 * @seconds: maps that scans are building count
 * @dropped: at least one file has given way
 */
struct choice {
	u8 owner;
	u64 bytes;
	long pending;
	bool seconds;
	bool dropped;
};

/* The maps of a file, with the causes of its breaks. */
static u64 map_bytes_locked(struct ft_inode *rec)
{
	return rec->map.bytes + (ft_inode_scanning(rec) ? ft_second_bytes(rec) : 0);
}

static u64 map_bytes(struct ft_inode *rec, const struct choice *c)
{
	/* most files are not being scanned; directories have no map */
	if (!c->seconds || rec->is_dir || !READ_ONCE(rec->rebuild))
		return READ_ONCE(rec->map.bytes);
	guard(ft_record)(rec);
	return map_bytes_locked(rec);
}

/* The size of a file: its record, names and maps. */
static u64 bytes_of(struct ft_inode *rec, const struct choice *c)
{
	return ft_inode_size() + map_bytes(rec, c) + READ_ONCE(rec->names_size) * FT_NAMES_UNIT;
}

/* Directories with names in them, and targets, do not give way. */
static bool can_give_way(const struct ft_inode *rec, const struct choice *c)
{
	return READ_ONCE(rec->owner) == c->owner &&
	       !(rec->is_dir && !hlist_empty(&rec->children)) && !ft_inode_is_target(rec);
}

static void find_largest(struct ft_inode *rec, void *arg)
{
	struct choice *c = arg;

	if (can_give_way(rec, c))
		c->bytes = max(c->bytes, bytes_of(rec, c));
}

/* Free the causes of a file. Returns how many bytes they took. */
static u64 free_causes(struct ft_inode *rec)
{
	u64 bytes, freed = 0;
	u32 pos = 0;

	while (pos < FT_LBLK_END) {
		/* some at a time: writers wait for the lock */
		ft_inode_lock(rec);
		bytes = rec->map.bytes;
		pos = ft_extmap_drop_causes(&rec->map, pos, FT_LEAVES_AT_ONCE);
		freed += bytes - rec->map.bytes;
		ft_mem_charge(&rec->map, rec->owner, rec->map.nr, bytes);
		spin_unlock(&rec->lock);
		ft_let_writers_go();
	}
	return freed;
}

static void drop_causes(struct ft_inode *rec, void *arg)
	__must_hold(RCU)
{
	struct choice *c = arg;
	u64 bytes;

	if (rec->is_dir || !can_give_way(rec, c) || bytes_of(rec, c) < c->bytes ||
	    (c->dropped && ft_mem_is_eased(0)) || !refcount_inc_not_zero(&rec->ref))
		return;
	rcu_read_unlock();
	bytes = free_causes(rec);
	if (bytes) {
		ft_count(FT_CAUSES_LOST);
		c->dropped = true;
		pr_warn_ratelimited("max_mem_mb=%lu is used up: inode %u of %u:%u loses the causes of its breaks, which took %llu KiB\n",
				    ft_mem_budget() >> 20, rec->ino,
				    MAJOR(rec->vol->dev), MINOR(rec->vol->dev),
				    bytes >> 10);
	}
	ft_inode_put(rec);
	rcu_read_lock();
}

/* Leave a file out. The maps of other files stay right. False if it is not followed. */
static bool omit(struct ft_inode *rec)
{
	bool omitted;
	u64 bytes = 0;

	ft_inode_lock(rec);
	omitted = ft_inode_followed(rec) && !rec->is_dir;
	if (omitted) {
		bytes = map_bytes_locked(rec);
		ft_inode_omit(rec);
		ft_count(FT_REFUSED);
	}
	spin_unlock(&rec->lock);
	if (omitted)
		pr_warn_ratelimited("max_mem_mb=%lu is used up: inode %u of %u:%u, whose map took %llu KiB, is left out until there is room\n",
				    ft_mem_budget() >> 20, rec->ino,
				    MAJOR(rec->vol->dev), MINOR(rec->vol->dev),
				    bytes >> 10);
	return omitted;
}

/* A file loses its map; without one it is not followed at all any more. */
static void leave_out(struct ft_inode *rec, void *arg)
	__must_hold(RCU)
{
	struct choice *c = arg;

	if (!can_give_way(rec, c) || bytes_of(rec, c) < c->bytes ||
	    (c->dropped && ft_mem_is_eased(c->pending)) || !refcount_inc_not_zero(&rec->ref))
		return;
	rcu_read_unlock();
	if (map_bytes(rec, c) && omit(rec)) {
		c->dropped = true;
	} else if (ft_names_leave_out(rec)) {
		c->dropped = true;
		c->pending += ft_inode_size();
	}
	ft_inode_put(rec);
	rcu_read_lock();
}

/*
 * The largest file of an owner gives way, if it is larger than @bytes, and so do others
 * of half its size or more until that is enough. First they lose their causes. If none
 * of them has any, they are left out. So one pass over all files frees much, or halves
 * the size of the largest one.
 */
static bool largest_gives_way(u8 owner, u64 bytes)
{
	/* a scan that needs room waits for the other ones instead */
	struct choice c = { .owner = owner, .bytes = bytes, .seconds = !bytes };

	ft_volume_visit_all(find_largest, &c);
	if (c.bytes <= bytes)
		return false;
	c.bytes = max(c.bytes / 2, bytes + 1);
	ft_volume_visit_all(drop_causes, &c);
	if (!c.dropped)
		ft_volume_visit_all(leave_out, &c);
	if (c.pending)
		ft_inode_flush_freed();
	return c.dropped;
}

static void give_way(struct work_struct *work)
{
	if (ft_mem_yielding())
		ft_observers_give_way();
	while (ft_mem_is_tight() && largest_gives_way(ft_mem_largest_owner(), 0))
		cond_resched();
}

/* === What is left out comes back ========================================== */

/* A directory is read again, a file is scanned, if all that is left is enough. */
static void take_up(struct ft_inode *rec, void *arg)
{
	struct choice *c = arg;
	long limit = ft_mem_budget() / 16 * 14, needs = 0;

	/* what is left out while a directory is read is tried when that has ended */
	if (rec->is_dir ? !READ_ONCE(rec->refused) || READ_ONCE(rec->walk) :
			  READ_ONCE(rec->state) != FT_OMITTED)
		return;
	if (ft_mem_within_share(READ_ONCE(rec->owner)))
		limit = ft_mem_budget() / 16 * 15;
	if (!rec->is_dir)
		needs = (long)READ_ONCE(rec->needs) << 10;
	if (ft_mem_used() + c->pending + needs > limit)
		return;
	c->pending += needs;
	ft_inode_request_scan(rec, NULL);
}

/* Look each second whether a pass is due. One at a time; the delay grows with each one. */
static void come_back(struct work_struct *work)
{
	static unsigned long delay = AGAIN_FIRST, last = INITIAL_JIFFIES;
	/* the most that was used since the last pass */
	static long most;
	struct choice room = { };
	long used = ft_mem_used();

	if (!ft_mem_any_left_out()) {
		delay = AGAIN_FIRST;
		most = 0;
		return;
	}
	if (used < most - (long)(ft_mem_budget() / 16))
		delay = min(delay, AGAIN_FREED);
	most = max(most, used);
	ft_mem_largest_owner();
	if (!ft_mem_uses_more_than(15) && time_after_eq(jiffies, last + delay)) {
		ft_volume_visit_all(take_up, &room);
		last = jiffies;
		delay = min(2 * delay, AGAIN_LAST);
		most = used;
	}
	ft_mem_try_again(AGAIN_FIRST);
}

/* In each record: up to which block the map has lost its causes. */
static u32 stripped_to;

/**
 * ft_budget_init() - let files give way when the budget is used up, and come back
 *
 * Context: process; before the first record.
 */
void ft_budget_init(void)
{
	ft_mem_hook(give_way, come_back);
	stripped_to = ft_record_reserve(sizeof(u32));
}

/**
 * ft_budget_make_way() - make room for the map that a scan is building
 * @rec: the file that is being scanned
 *
 * Context: process, the volume's worker.
 * Return: true if another file has given way: of its owner a larger one, or one of the
 * owner who has most if its own is within his share; false if @rec has been left out.
 */
bool ft_budget_make_way(struct ft_inode *rec)
{
	u8 most = ft_mem_largest_owner(), owner = READ_ONCE(rec->owner);
	u64 bytes;

	ft_inode_lock(rec);
	bytes = ft_second_bytes(rec);
	spin_unlock(&rec->lock);
	if (ft_mem_within_share(owner) ? largest_gives_way(most, 0) :
					 largest_gives_way(owner, bytes)) {
		ft_extmap_flush();	/* otherwise another file might give way */
		return true;
	}
	omit(rec);
	return false;
}

/* In turn, as a file may have more of them than can be freed at once. */
static void drop_some_causes(struct ft_inode *rec)
{
	u32 *pos = ft_record_at(rec, stripped_to);
	u64 bytes = rec->map.bytes;

	if (*pos == FT_LBLK_END)
		*pos = 0;
	*pos = ft_extmap_drop_causes(&rec->map, *pos, FT_LEAVES_AT_ONCE);
	if (rec->map.bytes != bytes)
		ft_count(FT_CAUSES_LOST);
	ft_mem_charge(&rec->map, rec->owner, rec->map.nr, bytes);
}

/**
 * ft_budget_grown() - check the budget after a map has grown
 * @rec: the file; its map may be empty when this returns
 *
 * If the budget is used up, this file loses some causes, and if that is not enough, its
 * map for a while, because it is the only one that can be changed here. But it is the
 * largest one of who has most that gives way for good: a worker sees to that, and the
 * scan that restores this map waits for it.
 *
 * Context: atomic, rec->lock held.
 */
void ft_budget_grown(struct ft_inode *rec)
{
	lockdep_assert_held(&rec->lock);
	if (likely(!ft_mem_uses_more_than(15)))
		return;
	/* a tree that is being freed is no reason to drop another one */
	if (ft_mem_is_full(rec->owner))
		drop_some_causes(rec);
	if (ft_mem_is_full(rec->owner)) {
		ft_count(FT_LOST);
		ft_inode_start_over(rec);
	}
	ft_mem_want_room();
}
