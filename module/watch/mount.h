/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Volumes: attached when a target needs them, detached on umount.
 */
#ifndef FT_MOUNT_H
#define FT_MOUNT_H

#include <linux/types.h>

struct ft_volume;
struct super_block;

int ft_mount_init(void);
void ft_mount_exit(void);
struct ft_volume *ft_mount_attach(struct super_block *sb, const char *mountpoint, bool loud);
void ft_mount_detach(struct ft_volume *vol);
bool ft_mount_ending(void);
void ft_mount_measure(struct ft_volume *vol);
bool ft_mount_may_be_mounted(void);
bool ft_mount_stopped(struct ft_volume *vol);

#endif
