// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory in use, and the rest of the budget.
 *
 * In: what others allocate and free, maps above all. Out: whether there is room.
 * budget.c chooses the files that give way when there is none.
 */

#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "extmap.h"
#include "fragtrace.h"
#include "memory.h"

/*
 * All memory is charged until it is freed: volumes and their workers, records,
 * names, maps and causes, scans with the second map that they build, trees that are
 * being freed. It is charged before it is allocated, with what the allocator takes
 * for it. Maps are charged by nodes, so that few events change the account, and with
 * the lock held under which they have just got them. Thresholds, in sixteenths of
 * the budget:
 *
 *   12  no window of heat is added
 *   13  a worker drops the heat of the files that have most, until less is used
 *   14  no new file or name is added
 *   15  a worker lets the largest file give way, until less is used: it and all
 *       files of half its size or more lose their causes; if none of them has any,
 *       it is left out. A scan drops the map that it was to replace; if that is
 *       not enough, a larger file gives way, or the file itself is left out
 *   16  a file that grows loses its map at once, and is scanned: the worker was too
 *       slow. It loses its causes if they grow; if they are large, at 15 1/2 already
 */
static atomic_long_t mem_bytes = ATOMIC_LONG_INIT(0);

/* Of these, bytes of second maps. They are freed when their scans end. */
static atomic_long_t second_bytes = ATOMIC_LONG_INIT(0);

/* Of these, bytes of heat. */
static atomic_long_t heat_bytes = ATOMIC_LONG_INIT(0);

/* Extents that came and went, by the CPU that saw it. */
static DEFINE_PER_CPU(s64, nr_extents);

static unsigned long mem_budget;

/* Makes files give way, see budget.c. */
static struct work_struct give_way_work;

/**
 * ft_mem_hook() - set what ft_mem_want_room() does
 * @func: called by a worker; it must be set before there are files
 */
void ft_mem_hook(work_func_t func)
{
	INIT_WORK(&give_way_work, func);
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
 * ft_mem_set_budget() - set how much memory records, names and maps may take
 * @bytes: the budget
 */
void ft_mem_set_budget(unsigned long bytes)
{
	mem_budget = bytes;
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
 * ft_mem_zalloc() - allocate memory that the budget is charged with
 * @size: how much
 * @gfp: how to allocate
 *
 * Return: the memory, all zeroes, for ft_mem_free(); %NULL if there is none.
 */
void *ft_mem_zalloc(size_t size, gfp_t gfp)
{
	void *p;

	ft_mem_add(kmalloc_size_roundup(size));
	p = kzalloc(size, gfp);
	if (!p)
		ft_mem_add(-(long)kmalloc_size_roundup(size));
	return p;
}

/**
 * ft_mem_free() - undo ft_mem_zalloc()
 * @p: the memory, or %NULL
 * @size: how much it is
 */
void ft_mem_free(const void *p, size_t size)
{
	if (!p)
		return;
	kfree(p);
	ft_mem_add(-(long)kmalloc_size_roundup(size));
}

/**
 * ft_mem_vzalloc() - ft_mem_zalloc() for more than some pages
 * @size: how much
 *
 * kmalloc() would take up to twice as much.
 *
 * Context: process; may sleep.
 * Return: the memory, all zeroes, for ft_mem_vfree(); %NULL if there is none.
 */
void *ft_mem_vzalloc(size_t size)
{
	void *p;

	ft_mem_add(PAGE_ALIGN(size));
	p = __vmalloc(size, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	if (!p)
		ft_mem_add(-(long)PAGE_ALIGN(size));
	return p;
}

/**
 * ft_mem_vfree() - undo ft_mem_vzalloc()
 * @p: the memory, or %NULL
 * @size: how much it is
 *
 * Context: process; may sleep.
 */
void ft_mem_vfree(const void *p, size_t size)
{
	if (!p)
		return;
	vfree(p);
	ft_mem_add(-(long)PAGE_ALIGN(size));
}

/**
 * ft_mem_used() - how much memory is used
 *
 * Return: bytes.
 */
long ft_mem_used(void)
{
	return atomic_long_read(&mem_bytes) +
	       atomic_long_read(&ft_extmap_dropped);
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
	if (unlikely(ft_mem_uses_more_than(13)) && ft_mem_heat())
		ft_mem_want_room();
	return !ft_mem_uses_more_than(14);
}

/**
 * ft_mem_charge() - count what a change did to a map
 * @map: the map
 * @old_nr: how many extents it had before
 * @old_bytes: how many bytes it took before
 *
 * Context: atomic; nothing else uses the map.
 */
void ft_mem_charge(const struct ft_extmap *map, u32 old_nr, u64 old_bytes)
{
	if (map->nr != old_nr)
		this_cpu_add(nr_extents, (s64)map->nr - old_nr);
	if (unlikely(map->bytes != old_bytes))
		ft_mem_add((long)map->bytes - (long)old_bytes);
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
 * ft_mem_add_heat() - count memory as used by heat
 * @bytes: how much; negative when it is freed
 *
 * Context: any.
 */
void ft_mem_add_heat(long bytes)
{
	ft_mem_add(bytes);
	atomic_long_add(bytes, &heat_bytes);
}

/**
 * ft_mem_heat() - how much memory heat uses
 *
 * Return: bytes.
 */
long ft_mem_heat(void)
{
	return atomic_long_read(&heat_bytes);
}

/* A small map or history may grow as long as anything fits. */
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
 * ft_mem_is_full() - is all of the budget used up?
 *
 * Trees that are being freed do not count.
 *
 * Return: true if so.
 */
bool ft_mem_is_full(void)
{
	return atomic_long_read(&mem_bytes) > (long)mem_budget;
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
	long lasting = atomic_long_read(&mem_bytes) -
		       atomic_long_read(&second_bytes);

	return lasting > (long)(mem_budget / 16 * 15) ||
	       atomic_long_read(&mem_bytes) > (long)(mem_budget / 32 * 31);
}
