/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file `snapshot` in debugfs: everything in one copy, in binary. It is made for
 * large volumes: its records have a fixed size and can be mapped.
 *
 * A header gives the offset of each array; arrays refer to each other by index.
 * All numbers are in the byte order of the machine, all units are blocks, whose size
 * each volume has. A reader takes the sizes from the header, and ignores members that
 * follow the ones it knows in a record, flags that it does not know, and padding. Any
 * other change raises the version.
 */
#ifndef FT_FORMAT_SNAPSHOT_H
#define FT_FORMAT_SNAPSHOT_H

#include <linux/types.h>

#include "cause.h"

#define FT_SNAP_MAGIC		"FTsnap\r\n"
#define FT_SNAP_VERSION		2

/* The LBA of an extent that is allocated but holds no data yet. */
#define FT_SNAP_UNWRITTEN	0xffffffffu

/**
 * struct ft_snap_array - where an array of the file is
 * @offset: its first byte, counted from the beginning of the file
 * @nr: number of records
 * @size: bytes from one record to the next
 * @pad: 0
 */
struct ft_snap_array {
	__u64 offset;
	__u64 nr;
	__u32 size;
	__u32 pad;
};

/**
 * struct ft_snap_header - the beginning of the file
 * @magic: %FT_SNAP_MAGIC, without its NUL
 * @version: %FT_SNAP_VERSION
 * @size: bytes of this header
 * @bytes: bytes of the whole file
 * @time: when the copy was complete, in nanoseconds since 1970
 * @volumes: struct ft_snap_volume, by device
 * @files: struct ft_snap_file, by volume and inode number
 * @extents: struct ft_snap_extent, by file and file block
 * @by_lba: __u32, the indices of written extents by volume and LBA. No two overlap:
 *	the extent of a file that has lost a block is left out
 * @paths: bytes; each path ends with a NUL
 * @writers: struct ft_snap_writer; the first two are %FT_SNAP_WRITER_UNKNOWN and
 *	%FT_SNAP_WRITER_SEVERAL
 */
struct ft_snap_header {
	char magic[8];
	__u32 version;
	__u32 size;
	__u64 bytes;
	__u64 time;
	struct ft_snap_array volumes;
	struct ft_snap_array files;
	struct ft_snap_array extents;
	struct ft_snap_array by_lba;
	struct ft_snap_array paths;
	struct ft_snap_array writers;
};

/* F2FS has stopped after an error or a shutdown: stale files stay stale. */
#define FT_SNAP_STOPPED		(1u << 0)

/**
 * struct ft_snap_volume - a volume
 * @path: its mount point: index into the paths
 * @major: its device number
 * @minor: likewise
 * @main_blkaddr: first block of its main area
 * @blocks: end of the main area
 * @segment_blocks: blocks in a segment
 * @flags: FT_SNAP_STOPPED
 * @left_out: files and directories that are left out because memory is short: nothing
 *	here is known of them, nor of what is below these directories
 * @block_bytes: size of a block. A record that ends before it has blocks of 4096 bytes
 * @pad: 0
 */
struct ft_snap_volume {
	__u64 path;
	__u32 major;
	__u32 minor;
	__u32 main_blkaddr;
	__u32 blocks;
	__u32 segment_blocks;
	__u32 flags;
	__u64 left_out;
	__u32 block_bytes;
	__u32 pad;
};

/* The map may differ from F2FS, or a block went to another file during the copy. */
#define FT_SNAP_STALE		(1u << 0)
/* The file has two fragments or more. */
#define FT_SNAP_FRAGMENTED	(1u << 1)
/* The file was left out because memory was short: it has no extents here. */
#define FT_SNAP_OMITTED		(1u << 2)

/**
 * struct ft_snap_file - a file; module/DESIGN.md explains the terms
 * @path: index into the paths
 * @first: its first extent: index into the extents
 * @nr: number of its extents there
 * @blocks: written blocks
 * @written: written extents
 * @fragments: runs of written blocks in file order whose LBAs go up by one
 * @distance: sum of the distances between a fragment and the next
 * @requests: requests of 128 KiB that a sequential read needs
 * @ideal: the same if the file were contiguous
 * @volume: index of its volume
 * @ino: its inode number
 * @flags: FT_SNAP_STALE, FT_SNAP_FRAGMENTED, FT_SNAP_OMITTED
 * @pad: 0
 */
struct ft_snap_file {
	__u64 path;
	__u64 first;
	__u64 nr;
	__u64 blocks;
	__u64 written;
	__u64 fragments;
	__u64 distance;
	__u64 requests;
	__u64 ideal;
	__u32 volume;
	__u32 ino;
	__u32 flags;
	__u32 pad;
};

/* The extent holds blocks of a compressed cluster. */
#define FT_SNAP_ENCODED		(1u << 0)

/**
 * struct ft_snap_extent - blocks next to each other in the file and on the volume
 * @file: index of its file
 * @lblk: first file block
 * @len: number of blocks
 * @lba: LBA of the first block, %FT_SNAP_UNWRITTEN if it has none
 * @flags: FT_SNAP_ENCODED
 * @cause: why its fragment begins here, see FT_CAUSE_*. For the first fragment of
 *	a file it has only the operation, the flush and the writer
 */
struct ft_snap_extent {
	__u32 file;
	__u32 lblk;
	__u32 len;
	__u32 lba;
	__u32 flags;
	__u32 cause;
};

/* The index into the paths if there is no path. */
#define FT_SNAP_NO_PATH		(~0ull)

/* The writer is not known: the block is older, or a scan found it. */
#define FT_SNAP_WRITER_UNKNOWN	0
/* More than one process had written to the file when it was allocated. */
#define FT_SNAP_WRITER_SEVERAL	1

/**
 * struct ft_snap_writer - a process that wrote data, in one period of time
 * @cgroup: the path of its cgroup: index into the paths, or %FT_SNAP_NO_PATH
 * @first: when its first write was seen, in seconds since 1970
 * @last: when its last write was seen, to about a minute
 * @pid: its process ID (the one of the thread group), 0 if unknown
 * @volume: index of the volume
 * @comm: the name of the thread, as in /proc/PID/comm; filled up with NULs
 * @same_as: index of the first entry of this process. A process gets a new entry
 *	from time to time, so that the entry also gives the time of a write
 * @pad: 0
 */
struct ft_snap_writer {
	__u64 cgroup;
	__u64 first;
	__u64 last;
	__u32 pid;
	__u32 volume;
	char comm[16];
	__u32 same_as;
	__u32 pad;
};

#endif
