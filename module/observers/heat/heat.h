/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Heat: which ranges of a file are read from the volume, and overwritten, see heat.c.
 */
#ifndef FT_HEAT_H
#define FT_HEAT_H

#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/types.h>

#include "core/record.h"

struct ft_probe;
struct ft_text;

/**
 * enum ft_heat_count - what is counted for each window of a file
 * @FT_HEAT_READS: reads that the page cache, or a direct reader, asked F2FS for
 * @FT_HEAT_BLOCKS: blocks that they asked for
 * @FT_HEAT_REQUESTS: requests that F2FS made of them
 * @FT_HEAT_OVERWRITES: blocks written that were on the volume before
 * @FT_HEAT_CONTINUED: those of the reads that had begun in a window before
 * @FT_NR_HEAT_COUNTS: how many there are
 */
enum ft_heat_count {
	FT_HEAT_READS,
	FT_HEAT_BLOCKS,
	FT_HEAT_REQUESTS,
	FT_HEAT_OVERWRITES,
	FT_HEAT_CONTINUED,
	FT_NR_HEAT_COUNTS
};

/**
 * struct ft_heat_line - the counts of a window, for readers
 * @file: for the reader
 * @window: number of the window: its first block, divided by its length
 * @counts: by enum ft_heat_count
 */
struct ft_heat_line {
	u32 file;
	u32 window;
	u32 counts[FT_NR_HEAT_COUNTS];
};

extern bool ft_heat_on;

void ft_heat_read(struct ft_inode *rec, u32 first, u32 end, bool direct,
		  bool known);
void ft_heat_request(struct ft_inode *rec, u32 first, u32 end);
void ft_heat_overwrite(struct ft_inode *rec, u32 first, u32 end);
void ft_heat_written_at(struct ft_inode *rec, const struct ft_extent *ext,
			u32 file_end);
void ft_heat_truncate(struct ft_inode *rec, u32 end);
void ft_heat_drop(struct ft_inode *rec);
void ft_heat_count_dropped(void);
void ft_heat_flush(void);
u64 ft_heat_bytes(const struct ft_inode *rec);
void ft_heat_prune(struct ft_inode *rec);
bool ft_heat_copy(struct ft_inode *rec, u32 *from, struct ft_heat_line *lines,
		  unsigned int max, unsigned int *nr);

u32 ft_heat_window_blocks(void);
u32 ft_heat_period(void);
void ft_heat_show_stats(struct seq_file *m);
int ft_heat_init(void);
void ft_heat_exit(void);

/* probe.c */
unsigned int ft_heat_probes(struct ft_probe *list);

/* room.c */
void ft_heat_give_way(void);

/* text.c */
extern const struct ft_text ft_heat_text;

#endif
