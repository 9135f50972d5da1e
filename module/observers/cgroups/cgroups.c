// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads by cgroup: how many requests they take, and how many they would take if no
 * file had a break.
 *
 * In: reads from probes/read.c, and the map of the file. Out: counts for each cgroup, for
 * text.c.
 *
 * A read is charged to the cgroup of the task that asks F2FS for it. Its requests are
 * foreseen from the map: the device gets more of them if one is longer than it takes
 * at once. A cgroup that is removed keeps its counts.
 */

#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "core/bounds.h"
#include "core/extmap.h"
#include "core/memory.h"
#include "core/record.h"
#include "core/task.h"
#include "core/volume.h"
#include "observers/cgroups/cgroups.h"

bool ft_cgroups_on;
module_param_named(cgroups, ft_cgroups_on, bool, 0444);
MODULE_PARM_DESC(cgroups, "count reads and the requests they take by cgroup (default: off)");

/* Extents of a read that are counted before the lock is dropped. */
#define EXTENTS_AT_ONCE		8

/* === Life ================================================================= */

static size_t size_of(const char *path)
{
	return sizeof(struct ft_cgroup) + strlen(path) + 1;
}

static void free_list(struct ft_cgroup *list)
{
	struct ft_cgroup *next;

	for (; list; list = next) {
		next = list->next;
		ft_mem_free(list, size_of(list->path));
	}
}

/**
 * ft_cgroups_watch() - begin to count for a volume
 *
 * Context: process.
 * Return: the table, for ft_cgroups_forget(); NULL if memory is short.
 */
void *ft_cgroups_watch(void)
{
	struct ft_cgroup_table *groups = ft_mem_zalloc(sizeof(*groups), GFP_KERNEL);

	if (groups)
		spin_lock_init(&groups->lock);
	return groups;
}

/**
 * ft_cgroups_reset() - forget all cgroups and their counts
 * @groups: the table
 *
 * Context: process.
 */
void ft_cgroups_reset(struct ft_cgroup_table *groups)
{
	struct ft_cgroup *all = NULL, *g, *next;
	unsigned int i;

	spin_lock(&groups->lock);
	for (i = 0; i < ARRAY_SIZE(groups->chain); i++) {
		for (g = groups->chain[i]; g; g = next) {
			next = g->next;
			g->next = all;
			all = g;
		}
		groups->chain[i] = NULL;
	}
	groups->nr = 0;
	groups->others = (struct ft_cgroup_counts){ };
	spin_unlock(&groups->lock);
	free_list(all);
}

/**
 * ft_cgroups_forget() - free the table of a volume
 * @groups: the table; not in use any more
 *
 * Context: process.
 */
void ft_cgroups_forget(void *groups)
{
	ft_cgroups_reset(groups);
	ft_mem_free(groups, sizeof(struct ft_cgroup_table));
}

/* === Cgroups ============================================================== */

static struct ft_cgroup **chain_of(struct ft_cgroup_table *groups, u64 id)
{
	return &groups->chain[hash_64(id, FT_CGROUP_CHAIN_BITS)];
}

/* Where to count for a cgroup; NULL if it has to be added. */
static struct ft_cgroup_counts *find(struct ft_cgroup_table *groups, u64 id)
{
	unsigned int n = 0;
	struct ft_cgroup *g;

	for (g = *chain_of(groups, id); g && n++ < FT_MAX_SEARCHED; g = g->next)
		if (g->id == id)
			return &g->counts;
	ft_check_steps(n, FT_MAX_SEARCHED + 1);
	/* a cgroup farther back in a long chain would not be found any more */
	if (n >= FT_MAX_SEARCHED || groups->nr == FT_MAX_CGROUPS ||
	    !ft_mem_room())
		return &groups->others;
	return NULL;
}

static struct ft_cgroup_counts *add(struct ft_cgroup_table *groups, u64 id,
				    const char *path)
{
	struct ft_cgroup **chain = chain_of(groups, id);
	struct ft_cgroup *g = ft_mem_zalloc(size_of(path),
					    GFP_NOWAIT | __GFP_NOWARN);

	if (!g)
		return &groups->others;
	g->id = id;
	memcpy(g->path, path, strlen(path) + 1);
	g->next = *chain;
	*chain = g;
	groups->nr++;
	return &g->counts;
}

static void sum_up(struct ft_cgroup_counts *sum,
		   const struct ft_cgroup_counts *more)
{
	sum->reads += more->reads;
	sum->blocks += more->blocks;
	sum->requests += more->requests;
	sum->whole += more->whole;
	sum->unknown += more->unknown;
}

/* The task may have moved since: its cgroup is found again, now with its path. */
static noinline void charge_first(struct ft_cgroup_table *groups,
				  const struct ft_cgroup_counts *more)
{
	char path[FT_CGROUP_PATH];
	u64 id = ft_task_cgroup(path, sizeof(path));

	spin_lock(&groups->lock);
	sum_up(find(groups, id) ?: add(groups, id, path), more);
	spin_unlock(&groups->lock);
}

static void charge(struct ft_cgroup_table *groups,
		   const struct ft_cgroup_counts *more)
{
	u64 id = ft_task_cgroup(NULL, 0);
	struct ft_cgroup_counts *counts;

	spin_lock(&groups->lock);
	counts = find(groups, id);
	if (likely(counts))
		sum_up(counts, more);
	spin_unlock(&groups->lock);
	if (unlikely(!counts))
		charge_first(groups, more);
}

/**
 * ft_cgroups_copy() - copy all counts
 * @groups: the table
 * @lines: room for %FT_MAX_CGROUPS + 1
 *
 * Context: process.
 * Return: the number of lines.
 */
unsigned int ft_cgroups_copy(struct ft_cgroup_table *groups,
			     struct ft_cgroup_line *lines)
{
	const struct ft_cgroup *g;
	unsigned int i, nr = 0;

	spin_lock(&groups->lock);
	for (i = 0; i < ARRAY_SIZE(groups->chain); i++)
		for (g = groups->chain[i]; g; g = g->next) {
			lines[nr].counts = g->counts;
			strscpy(lines[nr++].path, g->path, FT_CGROUP_PATH);
		}
	if (groups->others.reads || groups->others.unknown) {
		lines[nr].counts = groups->others;
		strscpy(lines[nr++].path, "*", FT_CGROUP_PATH);
	}
	spin_unlock(&groups->lock);
	return nr;
}

/* === Counting ============================================================= */

/* Is the map right? With rec->lock held. */
static bool is_right(const struct ft_inode *rec)
{
	return ft_inode_followed(rec) && !ft_inode_is_stale(rec) &&
	       !ft_inode_has_note(rec);
}

/*
 * The requests of a read: one for each run of blocks on the volume. Holes and
 * preallocated blocks are read without the device. -1 if that is not known.
 */
static noinline int requests_of(struct ft_inode *rec, u32 first, u32 end)
{
	struct ft_extent some[EXTENTS_AT_ONCE];
	unsigned int steps, nr, i;
	int requests = 0;
	u32 from = first, after = 0;
	bool right;

	for (steps = 0; steps < FT_MAX_EXTENTS_AT_ONCE / EXTENTS_AT_ONCE; steps++) {
		spin_lock(&rec->lock);
		right = is_right(rec);
		nr = ft_extmap_read(&rec->map, &from, some, EXTENTS_AT_ONCE);
		spin_unlock(&rec->lock);
		if (!right)
			return -1;
		for (i = 0; i < nr && some[i].lblk < end; i++) {
			if (some[i].lba == FT_LBA_UNWRITTEN)
				continue;
			/* a hole does not end a request */
			requests += !requests || some[i].lba != after;
			after = some[i].lba + some[i].len;
		}
		if (nr < EXTENTS_AT_ONCE || from >= end)
			return requests;
	}
	return -1;
}

/**
 * ft_cgroups_read() - a range of a file is read
 * @rec: the file
 * @first: its first block
 * @end: the block after its last one
 * @direct: unused
 * @known: does the map show what is read? It does not for compressed clusters.
 *
 * Context: atomic; RCU read section.
 */
void ft_cgroups_read(struct ft_inode *rec, u32 first, u32 end, bool direct,
		     bool known)
{
	struct ft_cgroup_counts counts = { };
	int requests = -1;
	bool one;

	if (first >= end)
		return;
	if (known) {
		spin_lock(&rec->lock);
		/* usually one request reads all of it */
		one = is_right(rec) &&
		      ft_extmap_in_one(&rec->map, first, end);
		spin_unlock(&rec->lock);
		requests = likely(one) ? 1 : requests_of(rec, first, end);
	}
	if (requests < 0) {
		counts.unknown = 1;
	} else {
		counts.reads = 1;
		counts.blocks = end - first;
		counts.requests = requests;
		counts.whole = requests > 0;
	}
	charge(ft_observed(rec->vol, cgroups), &counts);
}
