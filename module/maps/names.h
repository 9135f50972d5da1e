/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of the inodes that are followed.
 */
#ifndef FT_NAMES_H
#define FT_NAMES_H

#include <linux/fsnotify_backend.h>
#include <linux/types.h>

struct ft_inode;
struct ft_volume;

int ft_names_init(struct ft_volume *vol);
void ft_names_stop(struct ft_volume *vol);
int ft_names_add(struct ft_volume *vol, struct ft_inode *dir, const char *name,
		 unsigned int len, u32 ino, bool is_dir);
void ft_names_drop_tree(struct ft_volume *vol, struct ft_inode *dir);
void ft_names_own(struct ft_inode *rec, const struct inode *inode);
bool ft_names_leave_out(struct ft_inode *rec);
void ft_names_forget(struct ft_inode *rec);
int ft_names_event(struct fsnotify_group *group, u32 mask, const void *data,
		   int data_type, struct inode *dir, const struct qstr *name,
		   u32 cookie, struct fsnotify_iter_info *iter_info);
size_t ft_names_path(struct ft_inode *rec, char *buf, size_t size);

#endif
