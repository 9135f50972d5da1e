/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which files recently got which blocks of a volume's logs.
 */
#ifndef FT_LOGS_H
#define FT_LOGS_H

#include <linux/compiler.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "core/bounds.h"

struct ft_volume;

/* Segments kept of each log. */
#define FT_SEGMENTS_PER_LOG	4
/* Hot, warm, cold data, and all others together. */
#define FT_NR_LOGS		4

/**
 * struct ft_run - blocks that a log gave to one file, one after another
 * @lba: the first of them
 * @ino: the inode number of the file
 * @writer: the process that had written the data, see writer.c
 */
struct ft_run {
	u32 lba;
	u32 ino;
	u32 writer;
};

/**
 * struct ft_log - a log
 * @ino: the file that got its last block. May be read without @lock, as may
 * @segment: the first block of the segment of that block
 * @lock: protects all of this
 * @before: the segments that it was in before, a ring
 * @oldest: index of the oldest of @before
 * @filled: the numbers of the last two segments whose holes it filled, the newest
 *	first. The last block of one comes after the log has gone on to the next.
 * @newest: index of the last of @run
 * @run: a ring; one ends where the next one begins, or with its segment
 */
struct ft_log {
	u32 ino;
	u32 segment;
	spinlock_t lock;
	u32 before[FT_SEGMENTS_PER_LOG - 1];
	u32 oldest;
	u32 filled[2];
	u32 newest;
	struct ft_run run[FT_RUNS_PER_LOG];
};

/**
 * struct ft_logs - the logs of a volume
 * @log: by number
 */
struct ft_logs {
	struct ft_log log[FT_NR_LOGS];
};

struct ft_logs *ft_logs_new(void);
void ft_log_took_any(struct ft_volume *vol, unsigned int nr, u32 ino, u32 writer, u32 lba);
struct ft_run ft_log_who_took(struct ft_volume *vol, unsigned int nr, u32 lba);

void ft_log_fills(struct ft_volume *vol, int nr, u32 segment);

/* The number here of a log of F2FS. */
static inline unsigned int ft_log_nr(int log)
{
	return log >= 0 && log < FT_NR_LOGS ? log : FT_NR_LOGS - 1;
}

/* Is this one of the last two segments whose holes the log filled? */
static inline bool ft_log_filled(const struct ft_log *log, u32 segment)
{
	return READ_ONCE(log->filled[0]) == segment || READ_ONCE(log->filled[1]) == segment;
}

#endif
