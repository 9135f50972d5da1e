/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Paths of watched directories.
 */
#ifndef FT_PATH_H
#define FT_PATH_H

#include <linux/types.h>

struct ft_inode;
struct ft_volume;
struct super_block;

/**
 * struct ft_place - where a path leads
 * @dev: the device of the file system
 * @ino: the inode
 */
struct ft_place {
	dev_t dev;
	u64 ino;
};

/**
 * struct ft_found - what a path leads to
 * @sb: its super block, s_umount held shared
 * @ino: the inode of the directory
 * @real: the path without symbolic links
 * @mount: the mount point
 * @mount_root: path of the mount's root within the file system
 */
struct ft_found {
	struct super_block *sb;
	u32 ino;
	char *real;
	char *mount;
	char *mount_root;
};

int ft_path_look(const char *path, struct ft_place *at, bool user, bool wait);
int ft_path_find(const char *path, struct ft_found *found, bool loud);
void ft_path_free(struct ft_found *found);
void ft_path_mark_hidden(struct ft_volume *vol);
char *ft_path_inside(struct ft_inode *dir);
const char *ft_path_below(const char *inside, const char *top);

#endif
