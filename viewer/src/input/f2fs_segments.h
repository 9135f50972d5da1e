/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: F2FS's segment information table, from segment_bits or segment_info of /proc/fs/f2fs. */
#pragma once

#include "util.h"

/* Blocks in a segment: as many as its bitmap in segment_bits has bits. */
#define F2FS_SEGMENT_BLKS 512
#define F2FS_MAP_BYTES (F2FS_SEGMENT_BLKS / 8)

/**
 * enum f2fs_type - what a segment is used for, in the order of F2FS
 * @F2FS_HOT_DATA: directories, files that are written in small pieces or declared hot
 * @F2FS_WARM_DATA: most data of files
 * @F2FS_COLD_DATA: what garbage collection has moved, multimedia files, data declared cold
 * @F2FS_HOT_NODE: nodes of directories
 * @F2FS_WARM_NODE: nodes of files, except indirect ones
 * @F2FS_COLD_NODE: indirect nodes
 * @F2FS_N_TYPES: number of types
 */
enum f2fs_type {
	F2FS_HOT_DATA,
	F2FS_WARM_DATA,
	F2FS_COLD_DATA,
	F2FS_HOT_NODE,
	F2FS_WARM_NODE,
	F2FS_COLD_NODE,
	F2FS_N_TYPES,
};

/**
 * struct f2fs_segments - all segments of the main area
 * @n: number of segments
 * @type: by segment, enum f2fs_type; of an empty one, that of its last use
 * @valid: by segment, valid blocks; counted from @map where that is there
 * @map: F2FS_MAP_BYTES per segment: the bits of valid blocks, first the highest; NULL if not known
 * @mtime: by segment, F2FS's time of its blocks; NULL if the kernel does not show it
 * @n_torn: segments whose number of valid blocks is not that of their bits: they changed meanwhile
 */
struct f2fs_segments {
	size_t n;
	uint8_t *type;
	uint16_t *valid;
	uint8_t *map;
	uint64_t *mtime;
	size_t n_torn;
};

char *f2fs_segments_read_bits(struct f2fs_segments *segments, FILE *file, const char *name);
char *f2fs_segments_read_info(struct f2fs_segments *segments, FILE *file, const char *name);
void f2fs_segments_free(struct f2fs_segments *segments);

static inline bool f2fs_type_is_node(uint8_t type)
{
	return type >= F2FS_HOT_NODE;
}
