/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types that are private to F2FS, as gen_f2fs_private.sh finds them.
 */
#ifndef FT_PRIVATE_H
#define FT_PRIVATE_H

#include <linux/fs.h>

#include "f2fs/f2fs_private.h"

/*
 * F2FS compresses all blocks of a cluster into fewer blocks. Events do not describe
 * that: such a file is scanned after every change.
 */
static inline bool ft_f2fs_has_clusters(const struct inode *inode)
{
	return ft_f2fs_flags(inode) & FS_COMPR_FL;
}

#endif
