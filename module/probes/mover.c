// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which operation moves a block: garbage collection, defragmentation, or a range that is moved.
 *
 * In: what F2FS says of a write. Out: the operation, for the maps and for observers.
 */

#include "causes/gc.h"
#include "core/volume.h"
#include "maps/inode.h"
#include "maps/note.h"
#include "probes/mover.h"

/*
 * The page is marked as for garbage collection. F2FS also marks blocks that it moves
 * within a file or to another one. True if this is such a block.
 */
static bool moves_range(struct ft_volume *vol, const struct ft_inode *rec,
			const struct f2fs_io_info *fio)
{
	return !ft_on_volume(fio->old_blkaddr) ||
	       (rec && ft_inode_is_stale(rec) &&
		READ_ONCE(rec->doubt) == FT_OP_RANGE) || !ft_gc_chosen(vol, fio->old_blkaddr);
}

/**
 * ft_probe_moved_by() - the operation that moves a block
 * @vol: the volume
 * @rec: its file, or %NULL if that is not watched
 * @page: the page that is written
 * @inode: of the page
 * @fio: what F2FS says of the write
 *
 * The slow half of ft_probe_mover().
 *
 * Context: a probe; causes are wanted. Takes rec->lock.
 * Return: the operation, %FT_OP_UNKNOWN if none moves it.
 */
enum ft_op ft_probe_moved_by(struct ft_volume *vol, struct ft_inode *rec, const FT_PAGE *page,
			     const struct inode *inode, const struct f2fs_io_info *fio)
{
	/* a note may say that a range is moved */
	if (rec && ft_inode_has_note(rec)) {
		ft_inode_lock(rec);
		spin_unlock(&rec->lock);
	}
	if (ft_migrates(page)) {
		if (ft_f2fs_writes_elsewhere(inode))
			return FT_OP_DEFRAG;
		if (moves_range(vol, rec, fio))
			return FT_OP_RANGE;
	} else if (fio->io_type != FS_GC_DATA_IO && fio->io_type != APP_DIRECT_IO) {
		/* a block that is moved at once, without its page, has no type */
		return FT_OP_UNKNOWN;
	}
	return fio->io_type != FS_DATA_IO && READ_ONCE(vol->gc_foreground) ?
		       FT_OP_GC_FG : FT_OP_GC_BG;
}
