/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What one reader of debugfs sees: a copy made when it opened the file.
 */
#ifndef FT_SNAPSHOT_H
#define FT_SNAPSHOT_H

#include <linux/types.h>

#include "extmap.h"

/* The request that requests_128k and ideal_128k are about, in blocks. */
#define FT_REQUEST_BLOCKS	(128 * 1024 / 4096)

/**
 * struct ft_vec - an array that grows
 * @data: the elements
 * @nr: how many there are
 * @room: how many fit
 */
struct ft_vec {
	void *data;
	size_t nr;
	size_t room;
};

/**
 * struct ft_figures - what the extents of a file amount to; terms as in README
 * @blocks: written blocks
 * @extents: written extents
 * @fragments: runs of written blocks in file order whose LBAs go up by one
 * @distance: sum of the distances between a fragment and the next, in blocks
 * @requests: requests that a sequential read needs, each of FT_REQUEST_BLOCKS
 * @ideal: the same if the file were contiguous
 */
struct ft_figures {
	u64 blocks;
	u64 extents;
	u64 fragments;
	u64 distance;
	u64 requests;
	u64 ideal;
};

/**
 * struct ft_snap_volume - a volume in a snapshot
 * @vol: the volume, a reference held until the snapshot is complete
 * @dev: its device number
 * @main_blkaddr: first block of its main area
 * @blocks: end of it, in blocks
 * @segment_blocks: blocks in a segment
 * @path: its mount point, as an offset into the snapshot's paths
 */
struct ft_snap_volume {
	struct ft_volume *vol;
	dev_t dev;
	u32 main_blkaddr;
	u32 blocks;
	u32 segment_blocks;
	size_t path;
};

/**
 * struct ft_snap_file - a file in a snapshot
 * @rec: the file, a reference held until the snapshot is complete
 * @dev: the volume it is on
 * @ino: its inode number
 * @stale: its map may have differed from F2FS when it was copied
 * @omitted: it was left out for want of memory before it was copied
 * @first: its first extent in the snapshot's extents
 * @nr: number of its extents there
 * @path: its path, as an offset into the snapshot's paths
 * @figures: what they amount to
 */
struct ft_snap_file {
	struct ft_inode *rec;
	dev_t dev;
	u32 ino;
	bool stale;
	bool omitted;
	size_t first;
	size_t nr;
	size_t path;
	struct ft_figures figures;
};

/**
 * struct ft_snap_extent - an extent in a snapshot
 * @file: index of its file
 * @ext: the extent
 */
struct ft_snap_extent {
	u32 file;
	struct ft_extent ext;
};

/**
 * enum ft_view - what a snapshot is for
 * @FT_VIEW_TABLE: written extents by device and LBA
 * @FT_VIEW_EXTENTS: all extents by file and file block
 * @FT_VIEW_FILES: files, worst first
 */
enum ft_view {
	FT_VIEW_TABLE,
	FT_VIEW_EXTENTS,
	FT_VIEW_FILES,
};

/**
 * struct ft_snapshot - the copy
 * @view: what it is for
 * @volumes: struct ft_snap_volume, by device
 * @files: struct ft_snap_file, by device and inode number
 * @extents: struct ft_snap_extent, by file and file block
 * @order: the lines of the view: indices of @files for FT_VIEW_FILES, else of
 *	@extents; u32
 * @paths: all paths, each NUL-terminated
 */
struct ft_snapshot {
	enum ft_view view;
	struct ft_vec volumes;
	struct ft_vec files;
	struct ft_vec extents;
	struct ft_vec order;
	struct ft_vec paths;
};

struct ft_snapshot *ft_snapshot_take(enum ft_view view);
void ft_snapshot_free(struct ft_snapshot *snap);

static inline struct ft_snap_volume *ft_snap_volume(struct ft_snapshot *snap,
						    size_t i)
{
	return (struct ft_snap_volume *)snap->volumes.data + i;
}

static inline struct ft_snap_file *ft_snap_file(struct ft_snapshot *snap,
						size_t i)
{
	return (struct ft_snap_file *)snap->files.data + i;
}

static inline struct ft_snap_extent *ft_snap_extent(struct ft_snapshot *snap,
						    size_t i)
{
	return (struct ft_snap_extent *)snap->extents.data + i;
}

static inline const char *ft_snap_path(struct ft_snapshot *snap, size_t offset)
{
	return (char *)snap->paths.data + offset;
}

#endif
