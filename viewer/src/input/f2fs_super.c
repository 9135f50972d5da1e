// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the sizes of sections and zones, and the devices, from F2FS's superblock.
 * It has two copies, in the first two blocks of the device. Only the device or an image is read.
 */

#include "input/f2fs_status.h"
#include "input/table.h"

#define SUPER_OFFSET 1024
#define SUPER_MAGIC UINT32_C(0xf2f52010)

/* The position of fields of 32 bits in struct f2fs_super_block, and of the devices: a path and a number of segments each. */
enum {
	MAGIC = 0, LOG_BLK_BYTES = 16, LOG_BLKS_PER_SEG = 20, SEGS_PER_SEC = 24, SECS_PER_ZONE = 28, MAIN_SEGMENTS = 68, SEGMENT0_BLKADDR = 72,
	MAIN_BLKADDR = 92, FEATURE = 2180, DEVICES = 2201,
};

/* Of the features. */
#define BLKZONED 2

static uint32_t get32(const uint8_t *super, size_t at)
{
	return super[at] | (uint32_t)super[at + 1] << 8 | (uint32_t)super[at + 2] << 16 |
	       (uint32_t)super[at + 3] << 24;
}

static bool understand(struct f2fs_super *super, const uint8_t *p, uint32_t blk_bytes)
{
	const uint8_t *d;

	*super = (struct f2fs_super){
		.segs_per_sec = get32(p, SEGS_PER_SEC),
		.secs_per_zone = get32(p, SECS_PER_ZONE),
		.main_segments = get32(p, MAIN_SEGMENTS),
		.main_blkaddr = get32(p, MAIN_BLKADDR),
		.segment0_blkaddr = get32(p, SEGMENT0_BLKADDR),
		.is_zoned = get32(p, FEATURE) & BLKZONED,
	};
	for (d = p + DEVICES; super->n_devices < F2FS_MAX_DEVICES && *d; d += F2FS_DEVICE_PATH + 4) {
		struct f2fs_super_device *device = &super->devices[super->n_devices++];

		memcpy(device->path, d, F2FS_DEVICE_PATH);
		device->segments = get32(d, F2FS_DEVICE_PATH);
	}
	return get32(p, MAGIC) == SUPER_MAGIC && get32(p, LOG_BLK_BYTES) < 32 && 1u << get32(p, LOG_BLK_BYTES) == blk_bytes &&
	       get32(p, LOG_BLKS_PER_SEG) == 9 && super->segs_per_sec &&
	       super->secs_per_zone && super->main_segments && super->segs_per_sec <= super->main_segments;
}

/**
 * f2fs_super_read() - read a superblock
 * @super: the result
 * @file: a device or an image; its first one or two blocks suffice
 * @name: its name, for messages
 * @blk_bytes: the size of the volume's blocks
 *
 * Return: NULL, or why it is refused, with the remedy; to be freed.
 */
char *f2fs_super_read(struct f2fs_super *super, FILE *file, const char *name, uint32_t blk_bytes)
{
	uint8_t blks[MAX_BLK_BYTES + MIN_BLK_BYTES] = { 0 };
	size_t n = fread(blks, 1, blk_bytes + MIN_BLK_BYTES, file);

	if (ferror(file))
		return xasprintf("%s: %s; expected the first 4096 bytes of an F2FS volume", name, strerror(errno));
	if (n >= MIN_BLK_BYTES && understand(super, blks + SUPER_OFFSET, blk_bytes))
		return NULL;
	if (n == blk_bytes + MIN_BLK_BYTES && understand(super, blks + blk_bytes + SUPER_OFFSET, blk_bytes))
		return NULL;
	*super = (struct f2fs_super){ 0 };
	return xasprintf("%s: no superblock of F2FS with 512 blocks of %u bytes in a segment; expected the first 4096 bytes "
			 "of the volume's first device", name, blk_bytes);
}

/**
 * f2fs_super_of() - read the superblock of a device that may be none of F2FS
 * @device: its path
 * @blk_bytes: the size of the volume's blocks
 *
 * Return: the superblock; all 0 if it cannot be read.
 */
struct f2fs_super f2fs_super_of(const char *device, uint32_t blk_bytes)
{
	AUTO_FCLOSE FILE *file = fopen(device, "re");
	struct f2fs_super super = { 0 };

	if (file)
		free(f2fs_super_read(&super, file, device, blk_bytes));
	return super;
}
