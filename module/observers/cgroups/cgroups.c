// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads by cgroup: how many requests they take, and how many they would take if no
 * file had a break.
 *
 * In: reads from probes/read.c, and the map of the file. Out: counts for each cgroup, in
 * the file by_cgroup of debugfs: the cgroup that breaks cost most requests comes first.
 *
 * A read is charged to the cgroup of the task that asks F2FS for it. Its requests are
 * foreseen from the map: the device gets more of them if one is longer than it takes
 * at once. A cgroup that is removed keeps its counts.
 */

#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "core/base.h"
#include "core/bounds.h"
#include "core/extmap.h"
#include "core/memory.h"
#include "core/record.h"
#include "core/task.h"
#include "core/volume.h"
#include "debugfs/lines.h"
#include "observers/observers.h"

static bool on;
module_param_named(cgroups, on, bool, 0444);
MODULE_PARM_DESC(cgroups, "count reads and the requests they take by cgroup (default: off)");

/* Bytes kept of the path of a cgroup, with its NUL. */
#define CGROUP_PATH		256

#define CHAIN_BITS	8
/* Cgroups of a volume; those that come later are counted together. */
#define MAX_CGROUPS		1024

/**
 * struct counts_of_reads - what a cgroup has read
 * @reads: reads, as in observers/heat/heat.c, of a file whose map was right
 * @blocks: blocks that they asked for
 * @requests: requests that they took
 * @whole: requests that they would have taken without breaks
 * @unknown: reads for which that is not known; the others do not contain them
 */
struct counts_of_reads {
	u64 reads;
	u64 blocks;
	u64 requests;
	u64 whole;
	u64 unknown;
};

/**
 * struct group - a cgroup that has read
 * @next: in its chain of the hash table
 * @id: its ID, which no later cgroup gets
 * @counts: what it has read
 * @path: its path, cut off if it is long; kept when the cgroup is removed
 */
struct group {
	struct group *next;
	u64 id;
	struct counts_of_reads counts;
	char path[];
};

/**
 * struct table - the cgroups that have read from a volume
 * @lock: protects all of this
 * @chain: hash table by ID, the newest first
 * @nr: how many there are
 * @others: what all those have read that are not among them
 */
struct table {
	spinlock_t lock;
	struct group *chain[1 << CHAIN_BITS];
	unsigned int nr;
	struct counts_of_reads others;
};

/**
 * struct line - a cgroup, for readers
 * @of: the volume
 * @counts: what it has read
 * @path: its path; "*" for all those that found no room
 */
struct line {
	struct ft_line of;
	struct counts_of_reads counts;
	char path[CGROUP_PATH];
};

/* Extents of a read that are counted before the lock is dropped. */
#define EXTENTS_AT_ONCE		8

/* === Life ================================================================= */

static size_t size_of(const char *path)
{
	return sizeof(struct group) + strlen(path) + 1;
}

static void watch(void *groups)
{
	spin_lock_init(&((struct table *)groups)->lock);
}

/* Forget all cgroups and their counts. */
static void forget(void *state)
{
	struct table *groups = state;
	struct group *g;
	unsigned int i;

	guard(ft_spinlock)(&groups->lock);
	groups->others = (struct counts_of_reads){ };
	for (i = 0; i < ARRAY_SIZE(groups->chain); i++) {
		while ((g = groups->chain[i])) {
			groups->chain[i] = g->next;
			groups->nr--;
			ft_mem_free(g, size_of(g->path));
		}
		/* readers wait for the lock */
		cond_resched_lock(&groups->lock);
	}
}

/* === Cgroups ============================================================== */

static struct group **chain_of(struct table *groups, u64 id)
{
	return &groups->chain[hash_64(id, CHAIN_BITS)];
}

/* Where to count for a cgroup; NULL if it has to be added. */
static struct counts_of_reads *find(struct table *groups, u64 id)
{
	unsigned int n = 0;
	struct group *g;

	for (g = *chain_of(groups, id); g && n++ < FT_MAX_SEARCHED; g = g->next)
		if (g->id == id)
			return &g->counts;
	ft_check_steps(n, FT_MAX_SEARCHED + 1);
	/* a cgroup farther back in a long chain would not be found any more */
	if (n >= FT_MAX_SEARCHED || groups->nr == MAX_CGROUPS || !ft_mem_room())
		return &groups->others;
	return NULL;
}

static struct counts_of_reads *add(struct table *groups, u64 id, const char *path)
{
	struct group **chain = chain_of(groups, id);
	struct group *g = ft_mem_zalloc(size_of(path), GFP_NOWAIT | __GFP_NOWARN);

	if (!g)
		return &groups->others;
	g->id = id;
	memcpy(g->path, path, strlen(path) + 1);
	g->next = *chain;
	*chain = g;
	groups->nr++;
	return &g->counts;
}

static void sum_up(struct counts_of_reads *sum, const struct counts_of_reads *more)
{
	sum->reads += more->reads;
	sum->blocks += more->blocks;
	sum->requests += more->requests;
	sum->whole += more->whole;
	sum->unknown += more->unknown;
}

/* The task may have moved since: its cgroup is found again, now with its path. */
static noinline void charge_first(struct table *groups, const struct counts_of_reads *more)
{
	char path[CGROUP_PATH];
	u64 id = ft_task_cgroup(path, sizeof(path));

	guard(ft_spinlock)(&groups->lock);
	sum_up(find(groups, id) ?: add(groups, id, path), more);
}

static void charge(struct table *groups, const struct counts_of_reads *more)
{
	u64 id = ft_task_cgroup(NULL, 0);
	struct counts_of_reads *counts;

	spin_lock(&groups->lock);
	counts = find(groups, id);
	if (likely(counts))
		sum_up(counts, more);
	spin_unlock(&groups->lock);
	if (unlikely(!counts))
		charge_first(groups, more);
}

/* === Counting ============================================================= */

/* Is the map right? With rec->lock held. */
static bool is_right(const struct ft_inode *rec)
{
	return ft_inode_followed(rec) && !ft_inode_is_stale(rec) && !ft_inode_has_note(rec);
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

/* A range of a file is read, see &struct ft_observer. */
static void count_read(struct ft_inode *rec, u32 first, u32 end, bool direct, bool known)
{
	struct counts_of_reads counts = { };
	int requests = -1;
	bool one;

	if (first >= end)
		return;
	if (known) {
		spin_lock(&rec->lock);
		/* usually one request reads all of it */
		one = is_right(rec) && ft_extmap_in_one(&rec->map, first, end);
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

/* === The text ============================================================= */

static int by_cost(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	u64 nx = x->counts.requests - x->counts.whole;
	u64 ny = y->counts.requests - y->counts.whole;

	cond_resched();
	return ft_compare(ny, nx) ?: ft_compare(y->counts.requests, x->counts.requests) ?:
	       ft_compare(x->of.dev, y->of.dev) ?: strcmp(x->path, y->path);
}

/* There is room for it. */
static void copy_line(struct ft_lines *lines, const struct ft_volume *vol,
		      const struct counts_of_reads *counts, const char *path)
{
	struct line *line = ft_lines_add_of(lines, vol, 0, 0);

	line->counts = *counts;
	strscpy(line->path, path, CGROUP_PATH);
}

static int list_volume(struct ft_lines *lines, struct ft_volume *vol)
{
	struct table *groups = ft_observed(vol, cgroups);
	const struct group *g;
	unsigned int i;

	if (ft_vec_make_room(&lines->vec, MAX_CGROUPS + 1, sizeof(struct line)))
		return -ENOMEM;
	guard(ft_spinlock)(&groups->lock);
	for (i = 0; i < ARRAY_SIZE(groups->chain); i++)
		for (g = groups->chain[i]; g; g = g->next)
			copy_line(lines, vol, &g->counts, g->path);
	if (groups->others.reads || groups->others.unknown)
		copy_line(lines, vol, &groups->others, "*");
	return 0;
}

static void show_line(struct seq_file *m, const struct ft_lines *lines, const void *line)
{
	const struct line *l = line;

	seq_printf(m, "%llu %llu %llu %llu %llu ", l->counts.reads,
		   l->counts.blocks << FT_BLOCK_BITS, l->counts.requests, l->counts.whole,
		   l->counts.unknown);
	seq_escape(m, *l->path ? l->path : "-", FT_ESCAPED);
}

/* All cgroups are forgotten, also those that were removed. */
static void reset(struct ft_volume *vol)
{
	forget(ft_observed(vol, cgroups));
}

static const struct ft_text text = {
	.name = "by_cgroup",
	.version = 1,
	.on = &on,
	.parameter = "cgroups",
	.columns = "# dev reads bytes requests whole unknown path\n",
	.size = sizeof(struct line),
	.volume = list_volume,
	.compare = by_cost,
	.show = show_line,
	.of_devices = true,
	.reset = reset,
};

const struct ft_observer ft_cgroups = {
	.text = &text,
	.on = &on,
	.state_size = sizeof(struct table),
	.watch = watch,
	.forget = forget,
	.read = count_read,
};
