/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads that are timed.
 */
#ifndef FT_TIMES_H
#define FT_TIMES_H

#include <linux/atomic.h>
#include <linux/blk_types.h>
#include <linux/blkdev.h>
#include <linux/fs.h>

struct ft_inode;
struct ft_read_times;
struct ft_timed;

/**
 * struct ft_read - the read that a task submits now, or has submitted last
 * @owner: the task, and %ACTIVE while bios may come. All else is the owner's
 * @inode: the file; only compared, unless @direct
 * @next: where its next bio may begin, in bytes
 * @end: where the read ends
 * @sector: where the last bio has ended
 * @not: the bio that F2FS submits itself, within a direct read
 * @timed: its times, if they are taken
 * @last: the read before, if that was timed
 * @last_number: its number
 * @pid: the number of the task that had it
 * @since: when it has begun, in jiffies
 * @length: its place in the tables
 * @direct: it is a direct read
 * @begun: it has a bio
 * @follow: the next read of this task is timed
 */
struct ft_read {
	atomic_long_t owner;
	const struct inode *inode;
	u64 next;
	u64 end;
	sector_t sector;
	const struct bio *not;
	struct ft_timed *timed;
	struct ft_timed *last;
	u32 last_number;
	pid_t pid;
	u32 since;
	u8 length;
	bool direct;
	bool begun;
	bool follow;
};

int ft_times_init(void);
void ft_times_exit(void);
void ft_times_clear(void);
void ft_times_reset(struct ft_read_times *t);
void ft_times_begin(struct ft_read *r, struct ft_inode *rec, bool one);
void ft_times_fly(struct ft_read *r, const struct bio *bio, struct ft_inode *rec, bool broken);
void ft_times_end(struct ft_timed *t);
void ft_times_request_complete(void *unused, struct request *rq, blk_status_t error,
			       unsigned int bytes);
void ft_times_bio_complete(void *unused, struct request_queue *q, struct bio *bio);

#endif
