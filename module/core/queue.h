/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inodes of a volume that wait for its worker.
 */
#ifndef FT_QUEUE_H
#define FT_QUEUE_H

#include <linux/types.h>

/* How often in a row an inode that is not available is tried as soon as any other. */
#define FT_HELD_TRIES	8

struct ft_inode;
struct ft_volume;

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

void ft_queue_init(struct ft_volume *vol);
void ft_queue_add(struct ft_inode *rec);
void ft_queue_add_held(struct ft_inode *rec);
bool ft_queue_has(const struct ft_inode *rec);
void ft_queue_spent(struct ft_inode *rec, unsigned long time);
struct ft_inode *ft_queue_take(struct ft_volume *vol);
void ft_queue_give_back(struct ft_inode *rec, enum ft_step step);
bool ft_queue_take_idle(struct ft_inode *rec);
void ft_queue_give_back_idle(struct ft_inode *rec);
bool ft_queue_wanted(const struct ft_inode *rec);
void ft_queue_wake_worker(struct ft_volume *vol);

#endif
