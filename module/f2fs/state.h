/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What F2FS's own structures say, for files that know none of them.
 */
#ifndef FT_STATE_H
#define FT_STATE_H

#include <linux/types.h>

struct inode;
struct module;
struct super_block;

bool ft_state_stopped(const struct super_block *sb);
u32 ft_state_pending_discards(const struct super_block *sb, u32 *commands);
bool ft_state_has_clusters(const struct inode *inode);
const char *ft_state_checkpoint_reason(unsigned int reason);
dev_t ft_state_device(const struct super_block *sb, unsigned int n);

/* build_id.c */
int ft_build_id_check(struct module *f2fs);

#endif
