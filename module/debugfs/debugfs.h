/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files in debugfs: debugfs.c creates them, and those of the observers; text.c,
 * binary.c, sums.c and gc.c show snapshots.
 */
#ifndef FT_DEBUGFS_H
#define FT_DEBUGFS_H

#include <linux/fs.h>

extern const struct file_operations ft_view_fops;
extern const struct file_operations ft_binary_fops;
extern const struct file_operations ft_sums_fops;
extern const struct file_operations ft_gc_fops;

int ft_debugfs_init(void);
void ft_debugfs_exit(void);

#endif
