/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The directories the user asked for.
 */
#ifndef FT_TARGET_H
#define FT_TARGET_H

#include <linux/mutex.h>
#include <linux/types.h>

struct ft_volume;
struct seq_file;

extern struct mutex ft_targets_lock;

int ft_target_init(const char *paths, bool wait);
void ft_target_exit(void);
int ft_target_add(const char *path);
int ft_target_wait(const char *path);
int ft_target_del(const char *path);
int ft_target_volumes(const char *path, struct ft_volume ***list);
void ft_target_show(struct seq_file *m);

#endif
