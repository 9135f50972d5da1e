// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: ask F2FS itself where the blocks of a file are. */
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "fiemap.h"

#define AT_ONCE 512

/* Add what lies within the part, and join what continues the last piece. */
static void add(struct fiemap_pieces *map, const struct fiemap_extent *e, uint64_t first_blk, uint64_t end_blk)
{
	uint64_t begin = e->fe_logical / map->blk_bytes;
	uint64_t end = (e->fe_logical + e->fe_length + map->blk_bytes - 1) / map->blk_bytes;
	struct file_extent p = { .offset = begin, .lba = e->fe_physical / map->blk_bytes }, *last;

	map->encoded |= !!(e->fe_flags & FIEMAP_EXTENT_ENCODED);
	if (e->fe_flags & (FIEMAP_EXTENT_UNWRITTEN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_UNKNOWN |
			   FIEMAP_EXTENT_DATA_INLINE))
		return;
	if (begin < first_blk) {
		p.lba += first_blk - begin;
		p.offset = first_blk;
	}
	if (end > end_blk)
		end = end_blk;
	if (p.offset >= end)
		return;
	p.blks = end - p.offset;
	last = map->n ? &map->extents[map->n - 1] : NULL;
	if (last && last->offset + last->blks == p.offset && last->lba + last->blks == p.lba) {
		last->blks += p.blks;
		return;
	}
	*APPEND(map->extents, map->n, map->cap) = p;
}

/**
 * fiemap_read() - find the written blocks of a part of a file
 * @map: the result; what it has is overwritten; to be freed with fiemap_free()
 * @fd: the file
 * @first_blk: first block of the part (inclusive)
 * @end_blk: its end (exclusive)
 *
 * Return: 0, or an errno.
 */
int fiemap_read(struct fiemap_pieces *map, int fd, uint64_t first_blk, uint64_t end_blk)
{
	AUTO_FREE struct fiemap *fm = xcalloc(1, sizeof(*fm) + AT_ONCE * sizeof(fm->fm_extents[0]));
	uint64_t at = first_blk * map->blk_bytes, end = end_blk * map->blk_bytes;
	bool is_last = false;
	int err = 0;

	map->n = 0;
	map->encoded = false;
	while (!is_last && at < end) {
		fm->fm_start = at;
		fm->fm_length = end - at;
		fm->fm_extent_count = AT_ONCE;
		fm->fm_mapped_extents = 0;
		if (ioctl(fd, FS_IOC_FIEMAP, fm)) {
			err = errno;
			break;
		}
		is_last = fm->fm_mapped_extents < AT_ONCE;
		for (uint32_t i = 0; i < fm->fm_mapped_extents; i++) {
			const struct fiemap_extent *e = &fm->fm_extents[i];

			add(map, e, first_blk, end_blk);
			at = e->fe_logical + e->fe_length;
			is_last |= !!(e->fe_flags & FIEMAP_EXTENT_LAST);
		}
	}
	return err;
}

/**
 * fiemap_free() - release extents
 * @map: as left by fiemap_read(), or zero
 */
void fiemap_free(struct fiemap_pieces *map)
{
	free(map->extents);
	*map = (struct fiemap_pieces){ 0 };
}
