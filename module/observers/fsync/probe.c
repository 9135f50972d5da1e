// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes on F2FS tracepoints: begin and end of an fsync, and node blocks, for fsync.c.
 */

#include <linux/fs.h>

#include "core/volume.h"
#include "observers/fsync/fsync.h"
#include "probes/probing.h"

static void probe_sync_enter(void *unused, struct inode *inode)
{
	ft_probe_volume(vol, inode->i_sb, inode->i_ino)
		ft_fsync_begin(ft_observed(vol, fsync));
}

static void probe_sync_exit(void *unused, struct inode *inode, int cp_reason,
			    int datasync, int ret)
{
	struct ft_volume *vol;

	if (!ft_probe_enter(inode->i_sb, inode->i_ino))
		return;
	vol = ft_volume_find(inode->i_sb);
	ft_fsync_end(vol ? ft_observed(vol, fsync) : NULL, cp_reason, ret);
	ft_probe_leave();
}

static void probe_submit_write(void *unused, FT_PAGE *what,
			       struct f2fs_io_info *fio)
{
	if (fio->type == NODE)
		ft_fsync_node_block();
}

/**
 * ft_fsync_probes() - list the probes of this file
 * @list: room for %FT_MAX_OBSERVER_PROBES
 *
 * Return: the number of probes.
 */
unsigned int ft_fsync_probes(struct ft_probe *list)
{
	/* the exit first: an fsync that has been seen to begin must be seen to end */
	const struct ft_probe table[] = {
		FT_PROBE(f2fs_sync_file_exit, probe_sync_exit),
		FT_PROBE(f2fs_sync_file_enter, probe_sync_enter),
		FT_PROBE(FT_SUBMIT_WRITE, probe_submit_write),
	};

	static_assert(ARRAY_SIZE(table) <= FT_MAX_OBSERVER_PROBES);
	memcpy(list, table, sizeof(table));
	return ARRAY_SIZE(table);
}
