// SPDX-License-Identifier: GPL-2.0-only
/*
 * What F2FS's own structures say of a volume, a file or a checkpoint.
 */

#include <linux/array_size.h>
#include <linux/blk_types.h>
#include <linux/fs.h>

#include "f2fs/private.h"
#include "f2fs/state.h"

#include <linux/f2fs_fs.h>

/**
 * ft_state_stopped() - has F2FS stopped, by a shutdown or an error?
 * @sb: its super block, held
 *
 * From then on F2FS writes no checkpoint, and has dropped what was not written: nodes,
 * too. It reads older ones again, so what it reports of a file may be older than its map.
 *
 * Context: any.
 * Return: true if so.
 */
bool ft_state_stopped(const struct super_block *sb)
{
	return ft_f2fs_checkpoint_flags(sb) & CP_ERROR_FLAG;
}

/**
 * ft_state_has_clusters() - may blocks of this file be compressed?
 * @inode: the file
 *
 * Context: any.
 * Return: true if so.
 */
bool ft_state_has_clusters(const struct inode *inode)
{
	return ft_f2fs_has_clusters(inode);
}

/**
 * ft_state_pending_discards() - what F2FS has queued to discard, or to reset
 * @sb: the super block; its s_umount is held, or F2FS is in one of its events
 * @commands: set to the number of commands
 *
 * Context: any.
 * Return: their blocks, those on the device included.
 */
u32 ft_state_pending_discards(const struct super_block *sb, u32 *commands)
{
	return ft_f2fs_pending_discards(sb, commands);
}

/**
 * ft_state_checkpoint_reason() - why F2FS writes a checkpoint in an fsync
 * @reason: F2FS's number
 *
 * Return: F2FS's own word, without CP_ and in small letters.
 */
const char *ft_state_checkpoint_reason(unsigned int reason)
{
	static const char * const reasons[] = { FT_F2FS_CP_REASONS };

	return reason < ARRAY_SIZE(reasons) ? reasons[reason] : "unknown";
}

/**
 * ft_state_device() - find a device of a volume
 * @sb: its super block, which does not go away meanwhile
 * @n: the position of the device, from 0
 *
 * Return: its number; 0 from the end on, or if the volume has only one.
 */
dev_t ft_state_device(const struct super_block *sb, unsigned int n)
{
	const struct block_device *bdev = ft_f2fs_device(sb, n);

	return bdev ? bdev->bd_dev : 0;
}
