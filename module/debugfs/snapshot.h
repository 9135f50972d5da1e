/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What one reader of debugfs sees: a copy made when it opens the file. Its
 * records are those of the file `snapshot`, see format/snapshot.h.
 */
#ifndef FT_SNAPSHOT_H
#define FT_SNAPSHOT_H

#include <linux/limits.h>
#include <linux/sizes.h>
#include <linux/types.h>

#include "core/base.h"
#include "debugfs/vec.h"
#include "format/snapshot.h"

struct ft_inode;
struct ft_lines;
struct ft_volume;

/* The size of a request in `requests` and `ideal`, in blocks. */
#define FT_REQUEST_BLOCKS	(SZ_128K >> FT_BLOCK_BITS)

/* The number of causes, not counting processes. */
#define FT_SNAP_KINDS		(1U << FT_CAUSE_WRITER_SHIFT)

/**
 * enum ft_view - the view that a snapshot is for
 * @FT_VIEW_NONE: no snapshot is needed
 * @FT_VIEW_TABLE: written extents by device and LBA
 * @FT_VIEW_EXTENTS: all extents by file and file block
 * @FT_VIEW_FILES: files, worst first
 * @FT_VIEW_PATHS: files with their paths only
 * @FT_VIEW_BINARY: all of that, for a program
 */
enum ft_view {
	FT_VIEW_NONE,
	FT_VIEW_TABLE,
	FT_VIEW_EXTENTS,
	FT_VIEW_FILES,
	FT_VIEW_PATHS,
	FT_VIEW_BINARY,
};

/**
 * struct ft_snapshot - the copy
 * @view: the view that it is for
 * @volumes: struct ft_snap_volume, by device
 * @files: struct ft_snap_file, by volume and inode number
 * @extents: struct ft_snap_extent, by file and file block
 * @order: the lines of the view: indices of @files for FT_VIEW_FILES, else of
 *	@extents; u32
 * @paths: all paths, each NUL-terminated; escaped for lines of text only
 * @writers: struct ft_snap_writer
 * @kinds: room to count breaks by kind
 * @raw: room for a path that is being escaped
 * @file_paths: the end of the paths of files among @paths
 * @nr_vols: number of @vols
 * @vols: struct ft_volume pointers, one for each of @volumes; each holds a
 *	reference until the snapshot is complete
 * @recs: struct ft_inode pointers, one for each of @files, likewise
 */
struct ft_snapshot {
	enum ft_view view;
	struct ft_vec volumes;
	struct ft_vec files;
	struct ft_vec extents;
	struct ft_vec order;
	struct ft_vec paths;
	struct ft_vec writers;
	size_t file_paths;
	u32 kinds[FT_SNAP_KINDS];
	char raw[PATH_MAX];
	size_t nr_vols;
	struct ft_volume **vols;
	struct ft_vec recs;
};

struct ft_snapshot *
ft_snapshot_take(enum ft_view view,
		 int (*each)(struct ft_lines *lines, struct ft_inode *rec, u32 file),
		 struct ft_lines *lines);
int ft_snapshot_append(struct ft_snapshot *snap, const char *path, u64 *at);
bool ft_snapshot_breaks(struct ft_snapshot *snap, size_t extent);
void ft_words_of_cause(u32 cause, const char *words[3]);
void ft_snapshot_free(struct ft_snapshot *snap);

/* order.c */
int ft_snapshot_order(struct ft_snapshot *snap);

/* ft_snap_volume(snap, i) and others: an element of an array. */
#define FT_SNAP_ELEMENT(name, array)						\
static inline struct ft_snap_##name *ft_snap_##name(struct ft_snapshot *snap, size_t i) \
{										\
	return (struct ft_snap_##name *)snap->array.data + i;			\
}

FT_SNAP_ELEMENT(volume, volumes)
FT_SNAP_ELEMENT(file, files)
FT_SNAP_ELEMENT(extent, extents)
FT_SNAP_ELEMENT(writer, writers)

static inline const char *ft_snap_path(struct ft_snapshot *snap, size_t offset)
{
	return (char *)snap->paths.data + offset;
}

#endif
