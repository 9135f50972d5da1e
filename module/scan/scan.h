/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scans, for what events do not report: file.c reads a file's extents, dir.c a
 * directory's names, both in steps of step.c.
 */
#ifndef FT_SCAN_H
#define FT_SCAN_H

#include <linux/types.h>

#include "scan/step.h"

struct ft_extent;
struct ft_inode;
struct ft_volume;
struct ft_worker;
struct inode;

/* dir.c */
enum ft_step ft_dir_step(struct ft_worker *w, struct ft_inode *dir);
void ft_dir_cancel(struct ft_inode *dir);

/* file.c */
enum ft_step ft_file_step(struct ft_worker *w, struct ft_inode *rec);
void ft_file_cancel(struct ft_inode *rec);
enum ft_step ft_file_sample(struct ft_worker *w, struct ft_inode *rec);

/* sample.c */
void ft_sample_start(struct ft_volume *vol);
bool ft_sample_step(struct ft_worker *w);
void ft_sample_end(struct ft_worker *w);

/* fiemap.c */
bool ft_fiemap_shares_lock(void);
void ft_fiemap_lookup_event(struct ft_volume *vol, struct inode *inode,
			    const struct ft_extent *ext);
void ft_fiemap_event(struct ft_volume *vol, u32 ino, u64 logical, u64 physical, u64 len, u32 flags);

#endif
