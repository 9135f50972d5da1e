/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files in debugfs, or in procfs: debugfs.c creates them, and those of the
 * observers; text.c, binary.c, and gc.c show snapshots, tally.c what they do not have.
 */
#ifndef FT_DEBUGFS_H
#define FT_DEBUGFS_H

#include <linux/fs.h>

struct ft_text;

extern const struct file_operations ft_binary_fops;

/* text.c */
extern const struct ft_text ft_table_text;
extern const struct ft_text ft_extents_text;
extern const struct ft_text ft_files_text;

/* tally.c */
extern const struct ft_text ft_healed_text;
extern const struct ft_text ft_by_pair_text;

/* gc.c */
extern const struct ft_text ft_gc_text;

int ft_debugfs_init(void);
void ft_debugfs_exit(void);

#endif
