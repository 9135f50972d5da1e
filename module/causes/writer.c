// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that write to a volume, by number.
 *
 * In: the current task when F2FS reports a write. Out: a number for it. The meaning
 * of the number is kept as long as the volume is watched, also after the process has
 * ended. A number means a process within some period, so it also gives the time.
 *
 * Numbers are limited, and a process can get any number of them by changing its name.
 * So each user but root may have at most an eighth of as many as are left: those who
 * come later still get theirs.
 */

#include <linux/align.h>
#include <linux/cred.h>
#include <linux/jhash.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "causes/writer.h"
#include "core/memory.h"
#include "core/task.h"
#include "core/volume.h"

/* Bytes kept of the path of a cgroup. */
#define CGROUP_LEN	128

/* A user may take at most 1/USERS_SHARE of the numbers that are left. */
#define USERS_SHARE	8

/* From this many numbers of a volume on, a process keeps its own for 16 periods, */
#define MANY_WRITERS	4096
/* but only if its user has at least this many. */
#define MANY_OF_USER	256

DEFINE_PER_CPU(struct ft_writer_cache, ft_writer_cache);
DEFINE_PER_CPU(struct ft_sums_cache, ft_sums_cache);

/**
 * ft_writers_new() - prepare for the processes of a volume
 *
 * Return: the table, for ft_writers_free(); NULL if memory is short.
 */
struct ft_writers *ft_writers_new(void)
{
	struct ft_writers *writers = ft_mem_zalloc(sizeof(*writers), GFP_KERNEL);

	if (!writers)
		return NULL;
	spin_lock_init(&writers->lock);
	xa_init(&writers->by_number);
	writers->seed = get_random_u32();
	writers->nr = FT_FIRST_WRITER;
	return writers;
}

/* How many numbers are kept with each process. */
static unsigned int nr_sums;

/**
 * ft_writer_keep_sums() - let something be counted by process, see ft_writer_sums()
 * @nr: how many numbers for each
 *
 * Context: process; before the first volume.
 */
void ft_writer_keep_sums(unsigned int nr)
{
	nr_sums = nr;
}

/* Where these are behind an entry, whose cgroup has this path. */
static size_t sums_at(const char *cgroup)
{
	return ALIGN(sizeof(struct ft_writer) + strlen(cgroup) + 1, sizeof(atomic64_t));
}

/* The memory of a process in a cgroup; only its first number has sums. */
static size_t size_of(const char *cgroup, bool has_sums)
{
	return sums_at(cgroup) + (has_sums ? nr_sums * sizeof(atomic64_t) : 0);
}

/* The memory that the table takes for so many processes, besides themselves. */
static long slots_size(u32 nr)
{
	return 2 * sizeof(void *) * (long)nr;
}

/**
 * ft_writers_free() - free the table of a volume
 * @writers: the table, or NULL; not in use any more
 */
void ft_writers_free(struct ft_writers *writers)
{
	struct ft_writer *w;
	unsigned long i;
	int cpu;

	if (!writers)
		return;
	/* the next volume may have the same address */
	for_each_possible_cpu(cpu) {
		WRITE_ONCE(per_cpu_ptr(&ft_writer_cache, cpu)->vol, NULL);
		WRITE_ONCE(per_cpu_ptr(&ft_sums_cache, cpu)->vol, NULL);
	}
	xa_for_each(&writers->by_number, i, w)
		ft_mem_free(w, size_of(w->cgroup, w->sums));
	xa_destroy(&writers->by_number);
	ft_mem_add(-slots_size(writers->nr - FT_FIRST_WRITER));
	ft_mem_free(writers, sizeof(*writers));
}

static struct ft_writer *find(struct ft_writers *writers, u32 chain,
			      const char *comm, u64 cgroup_id)
{
	unsigned int n = 0;
	struct ft_writer *w;

	for (w = writers->chain[chain]; w && n++ < FT_MAX_SEARCHED; w = w->next)
		if (w->pid == (u32)current->tgid && !strcmp(w->comm, comm) &&
		    w->cgroup_id == cgroup_id)
			break;
	ft_check_steps(n, FT_MAX_SEARCHED + 1);
	return n > FT_MAX_SEARCHED ? NULL : w;
}

/* The user's number of numbers. */
static u16 *count_of_user(struct ft_writers *writers)
{
	u32 hash = jhash_1word(__kuid_val(current_uid()), writers->seed);

	return &writers->of_user[hash % FT_WRITER_USERS];
}

/*
 * May the user have another number, for which @size bytes are allocated? Numbers stay
 * until the volume goes, so most of the memory is left to files.
 */
static bool may_add(struct ft_writers *writers, size_t size)
{
	long bytes = ft_mem_budget() / 16 - writers->bytes;
	u32 left = FT_MAX_WRITERS - writers->nr;

	if (!left || bytes <= 0 || !ft_mem_room())
		return false;
	left = min_t(u64, left, bytes / size);
	return uid_eq(current_uid(), GLOBAL_ROOT_UID) ||
	       *count_of_user(writers) <= left / USERS_SHARE;
}

/* Add a number for a process; @same_as is its first number, or 0. */
static struct ft_writer *add(struct ft_writers *writers, u32 chain, u32 same_as, const char *comm)
{
	const gfp_t gfp = GFP_NOWAIT | __GFP_NOWARN;
	char cgroup[CGROUP_LEN];
	u64 cgroup_id = ft_task_cgroup(cgroup, sizeof(cgroup));
	bool has_sums = nr_sums && !same_as;
	size_t size = size_of(cgroup, has_sums);
	struct ft_writer *w;

	if (!may_add(writers, size))
		return NULL;
	w = ft_mem_zalloc(size, gfp);
	if (!w)
		return NULL;
	w->number = writers->nr;
	w->same_as = same_as ?: w->number;
	w->pid = current->tgid;
	w->period = ft_writer_period();
	w->first = ktime_get_real_seconds();
	w->last = w->first;
	memcpy(w->comm, comm, sizeof(w->comm));
	w->cgroup_id = cgroup_id;
	memcpy(w->cgroup, cgroup, strlen(cgroup) + 1);
	if (has_sums)
		w->sums = (void *)w + sums_at(cgroup);
	ft_mem_add(slots_size(1));
	if (xa_is_err(xa_store(&writers->by_number, w->number, w, gfp))) {
		ft_mem_add(-slots_size(1));
		ft_mem_free(w, size);
		return NULL;
	}
	w->next = writers->chain[chain];
	writers->chain[chain] = w;
	writers->nr++;
	++*count_of_user(writers);
	writers->bytes += kmalloc_size_roundup(size) + slots_size(1);
	return w;
}

/* May a process keep the number that it got some periods ago? */
static bool still_good(struct ft_writers *writers, const struct ft_writer *w)
{
	bool many = writers->nr >= MANY_WRITERS && *count_of_user(writers) >= MANY_OF_USER;

	return ft_writer_period() - w->period < (many ? 16 : 1);
}

/**
 * ft_writer_number() - find the number of the process that is running
 * @vol: the volume that it writes to
 *
 * The slow half of ft_writer_current().
 *
 * Context: atomic.
 * Return: the number, %FT_SNAP_WRITER_UNKNOWN if it cannot get one.
 */
u32 ft_writer_number(struct ft_volume *vol)
{
	struct ft_writer_cache *cache = raw_cpu_ptr(&ft_writer_cache);
	struct ft_writers *writers = vol->writers;
	u64 cgroup_id = ft_task_cgroup(NULL, 0);
	char comm[TASK_COMM_LEN];
	struct ft_writer *w, *new;
	u32 chain, number = FT_SNAP_WRITER_UNKNOWN;

	strscpy_pad(comm, current->comm, sizeof(comm));
	/* all names of a process in one chain would make it long */
	chain = jhash(comm, sizeof(comm), writers->seed ^ (u32)current->tgid) %
		FT_WRITER_CHAINS;

	spin_lock(&writers->lock);
	w = find(writers, chain, comm, cgroup_id);
	if (!w || !still_good(writers, w)) {
		new = add(writers, chain, w ? w->same_as : 0, comm);
		w = new ?: w;
	}
	if (w) {
		w->last = ktime_get_real_seconds();
		number = w->number;
	}
	spin_unlock(&writers->lock);

	cache->key = ft_writer_key();
	cache->period = ft_writer_period();
	cache->number = number;
	cache->vol = vol;
	return number;
}

/**
 * ft_writer_find() - find the process of a number
 * @vol: the volume
 * @number: the number
 *
 * Context: any; the caller has a reference to the volume, or is in an RCU section.
 * Return: the process, valid as long as the volume; NULL if the number means none.
 */
struct ft_writer *ft_writer_find(struct ft_volume *vol, u32 number)
{
	return xa_load(&vol->writers->by_number, number);
}

/**
 * ft_writer_first() - the first number of a process
 * @vol: the volume
 * @number: any of its numbers
 *
 * Context: as ft_writer_find().
 * Return: the number; @number itself if it means no process.
 */
u32 ft_writer_first(struct ft_volume *vol, u32 number)
{
	const struct ft_writer *w = ft_writer_find(vol, number);

	return w ? w->same_as : number;
}

/**
 * ft_writer_find_sums() - find the numbers that are counted by process
 * @vol: the volume
 * @number: any number of the process
 *
 * The slow half of ft_writer_sums().
 *
 * Context: atomic.
 * Return: as ft_writer_sums().
 */
atomic64_t *ft_writer_find_sums(struct ft_volume *vol, u32 number)
{
	struct ft_sums_cache *cache = raw_cpu_ptr(&ft_sums_cache);
	const struct ft_writer *w = ft_writer_find(vol, number);

	if (w && w->same_as != number)
		w = ft_writer_find(vol, w->same_as);
	cache->number = number;
	cache->sums = w ? w->sums : NULL;
	cache->vol = vol;
	return w ? w->sums : NULL;
}
