// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which files recently got which blocks of a volume's logs.
 *
 * In: each block that is allocated on the volume, also for files that are not
 * watched. Out: the file that got a block. A log gives out the blocks of a segment
 * in ascending order, so only the beginning of each run of one file is kept.
 */

#include <linux/string.h>

#include "causes/logs.h"
#include "core/base.h"
#include "core/memory.h"
#include "core/volume.h"
#include "f2fs/segment.h"

/**
 * ft_logs_new() - create the logs of a volume
 *
 * Return: the logs, for ft_mem_free(); NULL if memory is short.
 */
struct ft_logs *ft_logs_new(void)
{
	struct ft_logs *logs = ft_mem_zalloc(sizeof(*logs), GFP_KERNEL);
	unsigned int i;

	for (i = 0; logs && i < FT_NR_LOGS; i++) {
		spin_lock_init(&logs->log[i].lock);
		memset(logs->log[i].filled, 0xff, sizeof(logs->log[i].filled));
	}
	return logs;
}

/**
 * ft_log_took_any() - a log gave a block to a file
 * @vol: the volume
 * @nr: which log
 * @ino: the inode number of the file
 * @writer: the process that had written the data
 * @lba: the block
 *
 * The slow half of ft_log_took().
 *
 * Context: atomic; RCU read section.
 */
void ft_log_took_any(struct ft_volume *vol, unsigned int nr, u32 ino, u32 writer, u32 lba)
{
	u32 segment = ft_segment_begin(vol, lba);
	struct ft_log *log = &vol->logs->log[nr];

	guard(ft_spinlock)(&log->lock);
	WRITE_ONCE(log->ino, ino);
	if (log->segment != segment) {
		WRITE_ONCE(log->before[log->oldest], log->segment);
		log->oldest = (log->oldest + 1) % ARRAY_SIZE(log->before);
		WRITE_ONCE(log->segment, segment);
	}
	log->newest = (log->newest + 1) % FT_RUNS_PER_LOG;
	log->run[log->newest] = (struct ft_run){
		.lba = lba,
		.ino = ino,
		.writer = writer,
	};
}

/*
 * Without the lock: most blocks are in none of these segments. A segment that the
 * log has just entered or left may be missed; runs are compared with the lock held.
 */
static bool was_in(const struct ft_log *log, u32 segment)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(log->before); i++)
		if (READ_ONCE(log->before[i]) == segment)
			return true;
	return READ_ONCE(log->segment) == segment;
}

/**
 * ft_log_who_took() - find the file that got a block recently
 * @vol: the volume
 * @nr: the log that its segment belongs to
 * @lba: the block
 *
 * Context: atomic.
 * Return: the run of the file that the block is in; its LBA is 0 if that is not
 * known any more.
 */
struct ft_run ft_log_who_took(struct ft_volume *vol, unsigned int nr, u32 lba)
{
	u32 segment = ft_segment_begin(vol, lba);
	struct ft_log *log = &vol->logs->log[ft_log_nr(nr)];
	const struct ft_run *run;
	unsigned int n;

	if (!was_in(log, segment))
		return (struct ft_run){ };
	guard(ft_spinlock)(&log->lock);
	/* the latest run first */
	for (n = 0; n < FT_RUNS_PER_LOG; n++) {
		run = &log->run[(log->newest - n) % FT_RUNS_PER_LOG];
		if (!run->lba)
			break;
		if (run->lba >= segment && run->lba <= lba)
			return *run;
	}
	return (struct ft_run){ };
}

/**
 * ft_log_fills() - a log begins to fill the holes of a segment
 * @vol: the volume
 * @nr: the log, as F2FS numbers them
 * @segment: the number of the segment
 *
 * Context: atomic.
 */
void ft_log_fills(struct ft_volume *vol, int nr, u32 segment)
{
	struct ft_log *log = &vol->logs->log[ft_log_nr(nr)];

	guard(ft_spinlock)(&log->lock);
	WRITE_ONCE(log->filled[1], log->filled[0]);
	WRITE_ONCE(log->filled[0], segment);
}
