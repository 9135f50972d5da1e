/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads by cgroup, and the requests that they take, per volume.
 */
#ifndef FT_CGROUPS_H
#define FT_CGROUPS_H

#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct ft_inode;
struct ft_text;

/* Bytes kept of the path of a cgroup, with its NUL. */
#define FT_CGROUP_PATH		256

#define FT_CGROUP_CHAIN_BITS	8
/* Cgroups of a volume; those that come later are counted together. */
#define FT_MAX_CGROUPS		1024

/**
 * struct ft_cgroup_counts - what a cgroup has read
 * @reads: reads, as in observers/heat/heat.c, of a file whose map was right
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
 * struct ft_cgroup_table - the cgroups that have read from a volume
 * @lock: protects all of this
 * @chain: hash table by ID, the newest first
 * @nr: how many there are
 * @others: what all those have read that are not among them
 */
struct ft_cgroup_table {
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

extern bool ft_cgroups_on;

void *ft_cgroups_watch(void);
void ft_cgroups_forget(void *groups);
void ft_cgroups_read(struct ft_inode *rec, u32 first, u32 end, bool direct,
		     bool known);
void ft_cgroups_reset(struct ft_cgroup_table *groups);
unsigned int ft_cgroups_copy(struct ft_cgroup_table *groups,
			     struct ft_cgroup_line *lines);

/* text.c */
extern const struct ft_text ft_cgroups_text;

#endif
