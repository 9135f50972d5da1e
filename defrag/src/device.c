// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: what sysfs and the superblock have about a volume.
 * Everything is optional here: what cannot be read is not known, and the caller decides.
 */

#include "device.h"
#include "input/f2fs_state.h"
#include "input/sysfs.h"
#include "model.h"

#define DEFAULT_REQUEST (128 * UINT64_C(1024))

/* 0: not known. */
static uint64_t queue_limit(const struct volume *v, const char *name)
{
	uint64_t limit = sysfs_queue(v->major, v->minor, name);

	return limit != UINT64_MAX ? limit : 0;
}

/* Sysfs does not have the size of a section. A device that cannot be read has the usual one. */
static uint64_t section_segments(const struct device *device)
{
	AUTO_FREE char *path = xasprintf("/dev/%s", device->name);

	return max_of(f2fs_super_of(path, (uint32_t)device->blk_bytes).segs_per_sec, 1);
}

/**
 * device_unknown() - the device of a volume that is not on this machine
 * @device: the result; to be freed with device_free()
 * @volume: the volume
 */
void device_unknown(struct device *device, const struct volume *volume)
{
	*device = (struct device){ .blk_bytes = volume->blk_bytes, .section_segments = 1 };
}

/**
 * device_init() - find the device of a volume
 * @device: the result; to be freed with device_free()
 * @volume: the volume; must be mounted on this machine
 */
void device_init(struct device *device, const struct volume *volume)
{
	device_unknown(device, volume);
	device->name = f2fs_device_name(volume);
	if (!device->name)
		return;
	device->max_sectors_kb = queue_limit(volume, "max_sectors_kb");
	device->max_segments = queue_limit(volume, "max_segments");
	device->read_ahead_kb = queue_limit(volume, "read_ahead_kb");
	device->section_segments = section_segments(device);
}

/**
 * device_free() - release a device
 * @device: as left by device_init()
 */
void device_free(struct device *device)
{
	free(device->name);
	*device = (struct device){ 0 };
}

/**
 * device_ahead_bytes() - how far a buffered reader reads ahead at most
 * @device: the device; may be unknown
 *
 * Return: what the device has set; 128 KiB for an unknown device.
 */
uint64_t device_ahead_bytes(const struct device *device)
{
	return device->name ? device->read_ahead_kb * 1024 : DEFAULT_REQUEST;
}

/**
 * device_largest_bytes() - the largest request that the device gets, if its pages follow each other in memory
 * @device: the device; may be unknown
 *
 * Return: in whole blocks; 0 for an unknown device.
 */
uint64_t device_largest_bytes(const struct device *device)
{
	return device->max_sectors_kb * 1024 / device->blk_bytes * device->blk_bytes;
}

/**
 * device_limit_bytes() - the largest request that the device gets, if each page is a piece of memory of its own
 * @device: the device; may be unknown
 *
 * So it mostly is in a machine that has run for a while.
 *
 * Return: in whole blocks; 0 for an unknown device.
 */
uint64_t device_limit_bytes(const struct device *device)
{
	uint64_t bytes = device_largest_bytes(device);

	if (device->max_segments && device->max_segments * device->blk_bytes < bytes)
		bytes = device->max_segments * device->blk_bytes;
	return bytes;
}

/**
 * device_request_bytes() - the size of the requests of a sequential buffered reader
 * @device: the device; may be unknown
 *
 * Return: the smaller one of what is read ahead and what the device takes at once, in whole blocks;
 * 128 KiB for an unknown device.
 */
uint64_t device_request_bytes(const struct device *device)
{
	uint64_t bytes = device_limit_bytes(device);

	if (device->read_ahead_kb && device->read_ahead_kb * 1024 < bytes)
		bytes = device->read_ahead_kb * 1024;
	return bytes < device->blk_bytes ? DEFAULT_REQUEST : bytes / device->blk_bytes * device->blk_bytes;
}

/**
 * device_requests() - how many requests the disk has completed
 * @device: the device; may be unknown
 * @requests: set to reads and writes since it is there; those of all partitions
 *
 * Return: false if that is not known.
 */
bool device_requests(const struct device *device, uint64_t *requests)
{
	/* the folder of a partition is in that of its disk */
	static const char *const names[] = { "../stat", "stat" };
	uint64_t reads, writes;
	bool good = false;

	for (size_t i = 0; device->name && !good && i < ARRAY_LEN(names); i++) {
		AUTO_FREE char *path = xasprintf("/sys/class/block/%s/%s", device->name, names[i]);
		AUTO_FCLOSE FILE *file = fopen(path, "re");

		good = file && fscanf(file, "%" SCNu64 " %*u %*u %*u %" SCNu64, &reads, &writes) == 2;
	}
	if (good)
		*requests = reads + writes;
	return good;
}

/**
 * device_f2fs() - read a number that F2FS has in sysfs
 * @device: the device of the volume
 * @name: the name of the file
 * @value: set to the number
 *
 * Return: false if this kernel does not have it, or the volume is not mounted.
 */
bool device_f2fs(const struct device *device, const char *name, uint64_t *value)
{
	uint64_t number = device->name ? sysfs_number("/sys/fs/f2fs/%s/%s", device->name, name) : UINT64_MAX;

	if (number != UINT64_MAX)
		*value = number;
	return number != UINT64_MAX;
}
