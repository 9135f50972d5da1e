/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: what sysfs and the superblock have about a volume. */
#pragma once

#include "input/table.h"

/* Bits of ipu_policy in sysfs: when F2FS rewrites in place. */
#define IPU_FORCE (1u << 0)
#define IPU_UTIL (1u << 2)
#define IPU_HONOR_OPU_WRITE (1u << 7)

/**
 * struct device - the device of a mounted volume
 * @name: its name in sysfs; NULL: it is not here
 * @blk_bytes: size of a block of the volume
 * @max_sectors_kb: the largest request that the device gets; 0: not known
 * @max_segments: of how many pieces of memory a request may be; 0: not known
 * @read_ahead_kb: what a buffered reader reads ahead
 * @section_segments: segments in a section
 */
struct device {
	char *name;
	uint64_t blk_bytes;
	uint64_t max_sectors_kb;
	uint64_t max_segments;
	uint64_t read_ahead_kb;
	uint64_t section_segments;
};

void device_unknown(struct device *device, const struct volume *volume);
void device_init(struct device *device, const struct volume *volume);
void device_free(struct device *device);
uint64_t device_ahead_bytes(const struct device *device);
uint64_t device_largest_bytes(const struct device *device);
uint64_t device_limit_bytes(const struct device *device);
uint64_t device_request_bytes(const struct device *device);
bool device_requests(const struct device *device, uint64_t *requests);
bool device_f2fs(const struct device *device, const char *name, uint64_t *value);
