/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scans, for what events do not report: scan.c reads a file's extents, walk.c a
 * directory's names, both in steps of step.c.
 */
#ifndef FT_SCAN_H
#define FT_SCAN_H

#include <linux/errno.h>
#include <linux/types.h>

struct ft_extent;
struct ft_inode;
struct ft_volume;
struct ft_worker;
struct inode;

/**
 * enum ft_step - what to do with an inode after one step
 * @FT_STEP_LAST: nothing
 * @FT_STEP_MORE: another step, after those that are due now
 * @FT_STEP_REST: the same after a rest, so that an audit leaves time to writers
 * @FT_STEP_AGAIN: a new try; the delay grows with the number of tries
 * @FT_STEP_HELD: likewise, because others hold the lock of the inode
 */
enum ft_step {
	FT_STEP_LAST,
	FT_STEP_MORE,
	FT_STEP_REST,
	FT_STEP_AGAIN,
	FT_STEP_HELD,
};

/* Is this an error that will pass: F2FS or memory is not available now? */
static inline bool ft_step_may_pass(int err)
{
	return err == -EBUSY || err == -ENOMEM;
}

/* step.c */
struct inode *ft_step_begin(struct ft_worker *w, struct ft_inode *rec);
void ft_step_end(struct ft_worker *w, struct inode *inode);
bool ft_step_lock_is_free(struct inode *inode, bool shared);
bool ft_step_lock_shared(struct inode *inode);
void ft_step_killable(struct ft_worker *w);
void ft_step_not_killable(struct ft_worker *w);

/* walk.c */
enum ft_step ft_walk_step(struct ft_worker *w, struct ft_inode *dir);
void ft_walk_cancel(struct ft_inode *dir);

/* scan.c */
enum ft_step ft_scan_step(struct ft_worker *w, struct ft_inode *rec);
void ft_scan_cancel(struct ft_inode *rec);

enum ft_step ft_scan_sample(struct ft_worker *w, struct ft_inode *rec);

/* sample.c */
void ft_sample_start(struct ft_volume *vol);
bool ft_sample_step(struct ft_worker *w);
void ft_sample_end(struct ft_worker *w);

/* answer.c */
bool ft_scan_shares_lock(void);
void ft_scan_lookup_event(struct ft_volume *vol, struct inode *inode,
			  const struct ft_extent *ext);
void ft_scan_fiemap_event(struct ft_volume *vol, u32 ino, u64 logical,
			  u64 physical, u64 len, u32 flags);

#endif
