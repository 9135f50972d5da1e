/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads by cgroup, and the requests that they take, per volume.
 */
#ifndef FT_CGROUP_H
#define FT_CGROUP_H

#include <linux/jump_label.h>
#include <linux/kdev_t.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct ft_inode;

DECLARE_STATIC_KEY_FALSE(ft_cgroups_on);

/* Are reads counted by cgroup (parameter cgroups)? This does not change. */
static __always_inline bool ft_cgroups_wanted(void)
{
	return static_branch_unlikely(&ft_cgroups_on);
}

/* Bytes kept of the path of a cgroup, with its NUL. */
#define FT_CGROUP_PATH		256

#define FT_CGROUP_CHAIN_BITS	8
/* Cgroups of a volume; those that come later are counted together. */
#define FT_MAX_CGROUPS		1024

/**
 * struct ft_cgroup_counts - what a cgroup has read
 * @reads: reads, as in heat.c, of a file whose map was right
 * @blocks: blocks that they asked for
 * @requests: requests that they took
 * @whole: requests that they would have taken without breaks
 * @unknown: reads for which that is not known; the others do not contain them
 */
struct ft_cgroup_counts {
	u64 reads;
	u64 blocks;
	u64 requests;
	u64 whole;
	u64 unknown;
};

/**
 * struct ft_cgroup - a cgroup that has read
 * @next: in its chain of the hash table
 * @id: its ID, which no later cgroup gets
 * @counts: what it has read
 * @path: its path, cut off if it is long; kept when the cgroup is removed
 */
struct ft_cgroup {
	struct ft_cgroup *next;
	u64 id;
	struct ft_cgroup_counts counts;
	char path[];
};

/**
 * struct ft_cgroups - the cgroups that have read from a volume
 * @lock: protects all of this
 * @chain: hash table by ID, the newest first
 * @nr: how many there are
 * @others: what all those have read that are not among them
 */
struct ft_cgroups {
	spinlock_t lock;
	struct ft_cgroup *chain[1 << FT_CGROUP_CHAIN_BITS];
	unsigned int nr;
	struct ft_cgroup_counts others;
};

/**
 * struct ft_cgroup_line - a cgroup, for readers
 * @dev: for the reader
 * @counts: what it has read
 * @path: its path; "*" for all those that found no room
 */
struct ft_cgroup_line {
	dev_t dev;
	struct ft_cgroup_counts counts;
	char path[FT_CGROUP_PATH];
};

struct ft_cgroups *ft_cgroups_new(void);
void ft_cgroups_free(struct ft_cgroups *groups);
void ft_cgroups_reset(struct ft_cgroups *groups);
unsigned int ft_cgroups_copy(struct ft_cgroups *groups,
			     struct ft_cgroup_line *lines);
void ft_cgroup_read(struct ft_inode *rec, u32 first, u32 end, bool known);

#endif
