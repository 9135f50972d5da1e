/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Volumes: attached when a target needs them, detached on umount.
 */
#ifndef FT_MOUNT_H
#define FT_MOUNT_H

#include <linux/types.h>

struct ft_volume;
struct super_block;

int ft_volume_init(void);
void ft_volume_exit(void);
struct ft_volume *ft_volume_attach(struct super_block *sb,
				   const char *mountpoint, bool loud);
void ft_volume_detach(struct ft_volume *vol);
bool ft_volume_ending(void);
void ft_volume_measure(struct ft_volume *vol);
bool ft_volume_may_be_mounted(void);
bool ft_volume_stopped(struct ft_volume *vol);

#endif
