/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What one reader of debugfs sees: a copy made when it opened the file. Its
 * records are those of the file `snapshot`, see snapshot_format.h.
 */
#ifndef FT_SNAPSHOT_H
#define FT_SNAPSHOT_H

#include <linux/types.h>

#include "snapshot_format.h"

/* The request that `requests` and `ideal` are about, in blocks. */
#define FT_REQUEST_BLOCKS	(128 * 1024 / 4096)

/**
 * struct ft_vec - an array that grows
 * @data: the elements
 * @nr: how many there are
 * @room: how many fit
 * @bytes: what that takes
 */
struct ft_vec {
	void *data;
	size_t nr;
	size_t room;
	size_t bytes;
};

/**
 * enum ft_view - what a snapshot is for
 * @FT_VIEW_TABLE: written extents by device and LBA
 * @FT_VIEW_EXTENTS: all extents by file and file block
 * @FT_VIEW_FILES: files, worst first
 * @FT_VIEW_BINARY: all of that, for a program
 */
enum ft_view {
	FT_VIEW_TABLE,
	FT_VIEW_EXTENTS,
	FT_VIEW_FILES,
	FT_VIEW_BINARY,
};

/**
 * struct ft_snapshot - the copy
 * @view: what it is for
 * @volumes: struct ft_snap_volume, by device
 * @files: struct ft_snap_file, by volume and inode number
 * @extents: struct ft_snap_extent, by file and file block
 * @order: the lines of the view: indices of @files for FT_VIEW_FILES, else of
 *	@extents; u32
 * @paths: all paths, each NUL-terminated; escaped unless for FT_VIEW_BINARY
 * @vols: struct ft_volume pointers, one for each of @volumes, a reference to
 *	each held until the snapshot is complete
 * @recs: struct ft_inode pointers, one for each of @files, likewise
 */
struct ft_snapshot {
	enum ft_view view;
	struct ft_vec volumes;
	struct ft_vec files;
	struct ft_vec extents;
	struct ft_vec order;
	struct ft_vec paths;
	struct ft_vec vols;
	struct ft_vec recs;
};

struct ft_snapshot *ft_snapshot_take(enum ft_view view);
void ft_snapshot_free(struct ft_snapshot *snap);
long ft_snapshot_bytes(void);
long ft_snapshot_budget(void);

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
