// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory in use, and the rest of the budget.
 *
 * In: what others allocate and free, maps above all. Out: whether there is room.
 * maps/budget.c chooses the files that give way when there is none.
 */

#include <linux/atomic.h>
#include <linux/jhash.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "core/base.h"
#include "core/bounds.h"
#include "core/extmap.h"
#include "core/memory.h"

/*
 * All memory is charged until it is freed: volumes and their workers, records,
 * names, maps and causes, scans with the second map that they build, trees that are
 * being freed. It is charged before it is allocated, with what the allocator takes
 * for it. Maps are charged by nodes, so that few events change the account, and with
 * the lock held under which they have just got them. Thresholds, in sixteenths of
 * the budget:
 *
 *   12  no window of heat is added, no counts of latency or ledger for a file
 *   13  a worker drops the heat of the files that have most, until less is used
 *   14  no new file or name is added, unless its owner is within his share
 *   15  a worker lets files of the owner who has most give way, until 1/64 less is
 *       used: the largest one and all of half its size or more lose their causes; if
 *       none of them has any, they are left out. A scan drops the map that it was to
 *       replace; if that is not enough, a larger file gives way, or the file itself
 *       is left out
 *   15 1/2  nothing new is added for anybody. A file that grows loses causes at once,
 *       unless its owner is within his share: the worker was too slow. If that is not
 *       enough, it loses its map, and is scanned. Causes of more than 1/64 of the
 *       budget do not grow, whoever their owner is
 *   16  the same for any owner, and for all causes
 *
 * An owner is within his share if he has less than half as much as the one who has
 * most: he need not give anything back to others.
 */
static atomic_long_t mem_bytes = ATOMIC_LONG_INIT(0);

/* Of these, bytes of second maps. They are freed when their scans end. */
static atomic_long_t second_bytes = ATOMIC_LONG_INIT(0);

/* Of these, bytes of observers, which give way first. */
static atomic_long_t yielding_bytes = ATOMIC_LONG_INIT(0);

/* Extents that came and went, by the CPU that saw it. */
static DEFINE_PER_CPU(s64, nr_extents);

static unsigned long mem_budget;

/*
 * What the files of each owner take: records, names, maps and causes. Who has most,
 * unless he has given back something since.
 */
static atomic_long_t owners[FT_OWNERS];
static u8 largest;
static u32 owners_seed;

/* Makes files give way, see maps/budget.c. */
static struct work_struct give_way_work;

/* Files and directories that are left out, and what takes them up again, likewise. */
static atomic_long_t nr_left_out = ATOMIC_LONG_INIT(0);
static struct delayed_work come_back_work;

/**
 * ft_mem_hook() - set what ft_mem_want_room() and ft_mem_left_out() do
 * @give_way: called by a worker if memory is short
 * @come_back: called by a worker from time to time if anything is left out; both
 *	must be set before there are files
 */
void ft_mem_hook(work_func_t give_way, work_func_t come_back)
{
	INIT_WORK(&give_way_work, give_way);
	INIT_DELAYED_WORK(&come_back_work, come_back);
}

/**
 * ft_mem_want_room() - let files give way soon
 *
 * Context: any.
 */
void ft_mem_want_room(void)
{
	queue_work(ft_wq, &give_way_work);
}

/**
 * ft_mem_left_out() - count what is left out, and take it up again later
 * @nr: how many files and directories; negative when they are not left out any more
 *
 * Context: any.
 */
void ft_mem_left_out(long nr)
{
	atomic_long_add(nr, &nr_left_out);
	if (nr > 0)
		ft_mem_try_again(HZ);
}

/**
 * ft_mem_any_left_out() - is a file or directory of any volume left out?
 *
 * Return: true if so.
 */
bool ft_mem_any_left_out(void)
{
	return atomic_long_read(&nr_left_out) > 0;
}

/**
 * ft_mem_try_again() - take up what is left out, if there is room then
 * @delay: when, in jiffies; nothing changes if that is to be done already
 *
 * Context: any.
 */
void ft_mem_try_again(unsigned long delay)
{
	queue_delayed_work(ft_wq, &come_back_work, delay);
}

/**
 * ft_mem_stop() - nothing is taken up again from now on
 *
 * Context: process; all volumes are gone.
 */
void ft_mem_stop(void)
{
	cancel_delayed_work_sync(&come_back_work);
}

static void check_none(long nr, const char *what)
{
	WARN(nr, "%ld %s are left\n", nr, what);
}

/**
 * ft_mem_exit() - check that all that was counted was freed, in builds with FT_DEBUG
 *
 * Context: process; the module ends, nothing is in use.
 */
void ft_mem_exit(void)
{
	unsigned int owner;

	if (!FT_DEBUG)
		return;
	check_none(ft_mem_used(), "bytes");
	check_none(atomic_long_read(&second_bytes), "bytes of second maps");
	check_none(atomic_long_read(&yielding_bytes), "bytes of observers");
	check_none(ft_mem_extents(), "extents");
	for (owner = 0; owner < FT_OWNERS; owner++)
		check_none(atomic_long_read(&owners[owner]), "bytes of an owner");
}

/**
 * ft_mem_set_budget() - set how much memory records, names and maps may take
 * @bytes: the budget
 */
void ft_mem_set_budget(unsigned long bytes)
{
	mem_budget = bytes;
	/* nobody can choose with whom he is counted; tests need users of their own */
	owners_seed = FT_DEBUG ? 0 : get_random_u32();
}

/**
 * ft_mem_budget() - how much memory records, names and maps may take
 *
 * Return: the budget in bytes.
 */
unsigned long ft_mem_budget(void)
{
	return mem_budget;
}

/**
 * ft_mem_add() - count memory as used
 * @bytes: how much; negative when it is freed
 */
void ft_mem_add(long bytes)
{
	atomic_long_add(bytes, &mem_bytes);
}

/**
 * ft_mem_owes() - count memory as that of a user
 * @owner: the user
 * @bytes: how much; negative when it is freed
 *
 * Context: any.
 */
void ft_mem_owes(u8 owner, long bytes)
{
	long has = atomic_long_add_return(bytes, &owners[owner]);
	u8 most = READ_ONCE(largest);

	if (owner != most && has > atomic_long_read(&owners[most]))
		WRITE_ONCE(largest, owner);
}

/**
 * ft_mem_add_of() - count memory of a user as used
 * @owner: the user
 * @bytes: how much; negative when it is freed
 *
 * Context: any.
 */
void ft_mem_add_of(u8 owner, long bytes)
{
	ft_mem_add(bytes);
	ft_mem_owes(owner, bytes);
}

/**
 * ft_mem_owner() - the number that memory of a user is counted by
 * @uid: the user
 *
 * Return: the number, which other users may have, too.
 */
u8 ft_mem_owner(kuid_t uid)
{
	return jhash_1word(__kuid_val(uid), owners_seed) % FT_OWNERS;
}

/**
 * ft_mem_largest_owner() - find the user who has most
 *
 * Context: any.
 * Return: the user.
 */
u8 ft_mem_largest_owner(void)
{
	unsigned int owner, most = 0;

	for (owner = 1; owner < FT_OWNERS; owner++)
		if (atomic_long_read(&owners[owner]) > atomic_long_read(&owners[most]))
			most = owner;
	WRITE_ONCE(largest, most);
	return most;
}

/**
 * ft_mem_within_share() - has a user less than half as much as the one who has most?
 * @owner: the user
 *
 * Context: any.
 * Return: true if so.
 */
bool ft_mem_within_share(u8 owner)
{
	return 2 * atomic_long_read(&owners[owner]) < atomic_long_read(&owners[READ_ONCE(largest)]);
}

/* What the allocator takes: kmalloc() for more than a page takes up to twice as much. */
static long taken(size_t size)
{
	return size > PAGE_SIZE ? PAGE_ALIGN(size) : kmalloc_size_roundup(size);
}

/**
 * ft_mem_zalloc() - allocate memory that the budget is charged with
 * @size: how much; more than a page is not contiguous
 * @gfp: how to allocate; %GFP_KERNEL for more than a page
 *
 * Return: the memory, all zeroes, for ft_mem_free(); %NULL if there is none.
 */
void *ft_mem_zalloc(size_t size, gfp_t gfp)
{
	void *p;

	ft_mem_add(taken(size));
	p = size > PAGE_SIZE ? __vmalloc(size, gfp | __GFP_ZERO | __GFP_NOWARN) :
			       kzalloc(size, gfp);
	if (!p)
		ft_mem_add(-taken(size));
	return p;
}

/**
 * ft_mem_free() - undo ft_mem_zalloc()
 * @p: the memory, or %NULL
 * @size: how much it is
 *
 * Context: process if it is more than a page.
 */
void ft_mem_free(const void *p, size_t size)
{
	if (!p)
		return;
	kvfree(p);
	ft_mem_add(-taken(size));
}

/**
 * ft_mem_used() - how much memory is used
 *
 * Return: bytes.
 */
long ft_mem_used(void)
{
	return atomic_long_read(&mem_bytes) + atomic_long_read(&ft_extmap_dropped);
}

/**
 * ft_mem_uses_more_than() - is a part of the budget used up?
 * @sixteenths: which part
 *
 * Trees that are being freed count as used.
 *
 * Return: true if more than that is used.
 */
bool ft_mem_uses_more_than(unsigned int sixteenths)
{
	return ft_mem_used() > (long)(mem_budget / 16 * sixteenths);
}

/**
 * ft_mem_room() - may something new be added?
 *
 * Files that are followed may still grow when no new ones are added.
 *
 * Return: true if so.
 */
bool ft_mem_room(void)
{
	if (unlikely(ft_mem_uses_more_than(13)) && ft_mem_yielding())
		ft_mem_want_room();
	return !ft_mem_uses_more_than(14);
}

/**
 * ft_mem_room_of() - may something new be added for a user?
 * @owner: the user
 *
 * Within his share he may as long as others have to give way.
 *
 * Context: any.
 * Return: true if so.
 */
bool ft_mem_room_of(u8 owner)
{
	if (likely(ft_mem_room()))
		return true;
	if (!ft_mem_within_share(owner) || ft_mem_used() > (long)(mem_budget / 32 * 31))
		return false;
	if (ft_mem_uses_more_than(15))
		ft_mem_want_room();
	return true;
}

/**
 * ft_mem_charge() - count what a change did to a map
 * @map: the map
 * @owner: the user whose file it is of
 * @old_nr: how many extents it had before
 * @old_bytes: how many bytes it took before
 *
 * Context: atomic; nothing else uses the map.
 */
void ft_mem_charge(const struct ft_extmap *map, u8 owner, u32 old_nr, u64 old_bytes)
{
	if (map->nr != old_nr)
		this_cpu_add(nr_extents, (s64)map->nr - old_nr);
	if (unlikely(map->bytes != old_bytes))
		ft_mem_add_of(owner, (long)map->bytes - (long)old_bytes);
}

/**
 * ft_mem_charge_second() - count what a change did to the maps of a scan
 * @bytes: how many bytes they take
 * @old_bytes: how many they took before
 *
 * Context: atomic, the lock of the inode held.
 */
void ft_mem_charge_second(u64 bytes, u64 old_bytes)
{
	long more = (long)bytes - (long)old_bytes;

	if (likely(!more))
		return;
	ft_mem_add(more);
	atomic_long_add(more, &second_bytes);
}

/**
 * ft_mem_add_yielding() - count memory of an observer, which gives way first
 * @bytes: how much; negative when it is freed
 *
 * Context: any.
 */
void ft_mem_add_yielding(long bytes)
{
	ft_mem_add(bytes);
	atomic_long_add(bytes, &yielding_bytes);
}

/**
 * ft_mem_yielding() - how much memory observers use that gives way first
 *
 * Return: bytes.
 */
long ft_mem_yielding(void)
{
	return atomic_long_read(&yielding_bytes);
}

/* A small map, or few causes, may grow as long as anything fits. */
static bool is_small(u64 bytes)
{
	return bytes <= mem_budget / 64;
}

/**
 * ft_mem_allows_second() - may a scan go on building its map?
 * @bytes: how many bytes its maps take already
 *
 * A small one may as long as anything fits.
 *
 * Return: true if so.
 */
bool ft_mem_allows_second(u64 bytes)
{
	return !ft_mem_uses_more_than(is_small(bytes) ? 16 : 15);
}

/**
 * ft_mem_allows_causes() - may the causes of a file take more than before?
 * @bytes: how many bytes they take now
 *
 * Larger ones have to give way first.
 *
 * Context: any.
 * Return: true if so.
 */
bool ft_mem_allows_causes(u64 bytes)
{
	if (likely(!ft_mem_uses_more_than(15)))
		return true;
	ft_mem_want_room();
	return ft_mem_used() <= (long)(mem_budget / 32 * (is_small(bytes) ? 32 : 31));
}

/**
 * ft_mem_extents() - how many extents all maps have
 *
 * Return: their number, not at one instant while they change.
 */
u64 ft_mem_extents(void)
{
	s64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(nr_extents, cpu));
	return max(sum, 0);
}

/**
 * ft_mem_is_full() - is all of the budget used up, for a user?
 * @owner: the user
 *
 * Trees that are being freed do not count.
 *
 * Return: true if so.
 */
bool ft_mem_is_full(u8 owner)
{
	return atomic_long_read(&mem_bytes) >
	       (long)(mem_budget / 32 * (ft_mem_within_share(owner) ? 32 : 31));
}

/**
 * ft_mem_is_tight() - does a file have to give way?
 *
 * Trees that are being freed do not count, nor do second maps, unless less than 1/32
 * of the budget is left.
 *
 * Return: true if so.
 */
bool ft_mem_is_tight(void)
{
	long lasting = atomic_long_read(&mem_bytes) - atomic_long_read(&second_bytes);

	return lasting > (long)(mem_budget / 16 * 15) ||
	       atomic_long_read(&mem_bytes) > (long)(mem_budget / 32 * 31);
}

/**
 * ft_mem_is_eased() - have enough files given way?
 * @pending: bytes that are counted as used, and will be free soon
 *
 * It takes a while until they have to again: passes over all files cost time.
 *
 * Return: true if so.
 */
bool ft_mem_is_eased(long pending)
{
	long used = atomic_long_read(&mem_bytes) - pending;

	return used - atomic_long_read(&second_bytes) <= (long)(mem_budget / 64 * 59) &&
	       used <= (long)(mem_budget / 32 * 31);
}
