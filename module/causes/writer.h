/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that write to a volume, by number.
 */
#ifndef FT_WRITER_H
#define FT_WRITER_H

#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "core/bounds.h"
#include "format/snapshot.h"

struct ft_volume;

/* The first number of a process. */
#define FT_FIRST_WRITER		2
/* The end of the numbers of a volume. */
#define FT_MAX_WRITERS		65536
/* A process that goes on writing gets a new number after some 64 s. */
#define FT_PERIOD_SHIFT		(6 + ilog2(HZ))

/**
 * struct ft_writer - a process that wrote in one period
 * @next: in its chain of the hash table
 * @number: its own number
 * @same_as: the first number that this process had
 * @pid: of the thread group
 * @period: in which it got this number
 * @first: when that was, in seconds since 1970
 * @last: when its last write was seen
 * @cgroup_id: the ID of the cgroup
 * @sums: numbers that are counted of the process; with its first number only, otherwise
 *	%NULL
 * @comm: the name of the thread
 * @cgroup: its path, cut off if it is long
 */
struct ft_writer {
	struct ft_writer *next;
	u32 number;
	u32 same_as;
	u32 pid;
	u32 period;
	u64 first;
	u64 last;
	u64 cgroup_id;
	atomic64_t *sums;
	char comm[TASK_COMM_LEN];
	char cgroup[];
};

#define FT_WRITER_CHAINS	1024
/* Users are counted by a hash of their user ID. */
#define FT_WRITER_USERS		1024

/**
 * struct ft_writers - the processes that wrote to a volume
 * @lock: protects all of this; an entry stays once it is added, and only its @last
 *	changes, and, without the lock, what its @sums point to
 * @by_number: struct ft_writer
 * @chain: hash table, the newest first
 * @seed: of the hashes of processes and users: nobody can choose whom to collide with
 * @nr: the next number
 * @bytes: memory that the processes take
 * @of_user: how many numbers each user has
 */
struct ft_writers {
	spinlock_t lock;
	struct xarray by_number;
	struct ft_writer *chain[FT_WRITER_CHAINS];
	u32 seed;
	u32 nr;
	long bytes;
	u16 of_user[FT_WRITER_USERS];
};

/**
 * struct ft_writer_cache - the last process that a CPU saw write
 * @vol: the volume
 * @key: ft_writer_key() of the process
 * @period: the period
 * @number: its number
 */
struct ft_writer_cache {
	const struct ft_volume *vol;
	u64 key;
	u32 period;
	u32 number;
};

DECLARE_PER_CPU(struct ft_writer_cache, ft_writer_cache);

/**
 * struct ft_sums_cache - the last process that a CPU counted for
 * @vol: the volume
 * @sums: as ft_writer_sums() returns them
 * @number: its number
 */
struct ft_sums_cache {
	const struct ft_volume *vol;
	atomic64_t *sums;
	u32 number;
};

DECLARE_PER_CPU(struct ft_sums_cache, ft_sums_cache);

void ft_writer_keep_sums(unsigned int nr);
struct ft_writers *ft_writers_new(void);
void ft_writers_free(struct ft_writers *writers);
u32 ft_writer_number(struct ft_volume *vol);
struct ft_writer *ft_writer_find(struct ft_volume *vol, u32 number);
u32 ft_writer_first(struct ft_volume *vol, u32 number);
atomic64_t *ft_writer_find_sums(struct ft_volume *vol, u32 number);

static inline u32 ft_writer_period(void)
{
	unsigned long now = jiffies;

	return now >> FT_PERIOD_SHIFT;
}

/* Nearly always differs if another task runs, or if it has another name. */
static inline u64 ft_writer_key(void)
{
	const u32 *comm = (const u32 *)current->comm;

	return (u64)current->pid << 32 | (comm[0] ^ comm[1] * 3 ^ comm[2] * 5 ^ comm[3] * 7);
}

/**
 * ft_writer_current() - the number of the process that is running
 * @vol: the volume that it writes to
 *
 * Context: atomic.
 * Return: the number, %FT_SNAP_WRITER_UNKNOWN if it cannot get one.
 */
static inline u32 ft_writer_current(struct ft_volume *vol)
{
	struct ft_writer_cache *cache = raw_cpu_ptr(&ft_writer_cache);

	/* with PREEMPT_RT the entry may change meanwhile */
	if (!IS_ENABLED(CONFIG_PREEMPT_RT) &&
	    likely(cache->vol == vol && cache->key == ft_writer_key() &&
		   cache->period == ft_writer_period()))
		return cache->number;
	return ft_writer_number(vol);
}

/**
 * ft_writer_sums() - the numbers that are counted by process
 * @vol: the volume
 * @number: any number of the process
 *
 * Context: atomic.
 * Return: as many as ft_writer_keep_sums() has said, valid as long as the volume; %NULL if the
 * number means no process.
 */
static inline atomic64_t *ft_writer_sums(struct ft_volume *vol, u32 number)
{
	struct ft_sums_cache *cache = raw_cpu_ptr(&ft_sums_cache);

	/* what a number means never changes */
	if (!IS_ENABLED(CONFIG_PREEMPT_RT) &&
	    likely(cache->vol == vol && cache->number == number))
		return cache->sums;
	return ft_writer_find_sums(vol, number);
}

#endif
