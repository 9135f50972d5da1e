/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The second map of a file that is being scanned.
 */
#ifndef FT_REBUILD_H
#define FT_REBUILD_H

#include <linux/types.h>

struct ft_extent;
struct ft_inode;

/* How many bytes of a file the first step of a scan covers. */
#define FT_SCAN_STEP_FIRST	(256ULL << 20)

int ft_rebuild_begin(struct ft_inode *rec, bool audit);
int ft_rebuild_merge(struct ft_inode *rec, const struct ft_extent *ext, unsigned int nr);
bool ft_rebuild_end(struct ft_inode *rec, int err);
void ft_rebuild_set_cause(struct ft_inode *rec, u32 lblk, u32 cause);

#endif
