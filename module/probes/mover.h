/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which operation moves a block.
 */
#ifndef FT_MOVER_H
#define FT_MOVER_H

#include "format/cause.h"
#include "probes/probing.h"

/* May F2FS move this block, not write it for a user? */
static __always_inline bool ft_may_be_moved(const FT_PAGE *page, const struct f2fs_io_info *fio)
{
	return fio->io_type != FS_DATA_IO || ft_migrates(page);
}

enum ft_op ft_probe_moved_by(struct ft_volume *vol, struct ft_inode *rec, const FT_PAGE *page,
			     const struct inode *inode, const struct f2fs_io_info *fio);

/* The operation that moves a block, %FT_OP_UNKNOWN if none does. As ft_probe_moved_by(). */
static __always_inline enum ft_op ft_probe_mover(struct ft_volume *vol, struct ft_inode *rec,
						 const FT_PAGE *page, const struct inode *inode,
						 const struct f2fs_io_info *fio)
{
	if (likely(!ft_may_be_moved(page, fio)))
		return FT_OP_UNKNOWN;
	return ft_probe_moved_by(vol, rec, page, inode, fio);
}

#endif
