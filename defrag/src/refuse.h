/* SPDX-License-Identifier: GPL-2.0-only */
/* Fourth step of the pipeline: open a file of the plan, unless it must be left alone. */
#pragma once

#include <sys/ioctl.h>
#include <sys/stat.h>

#include "input/table.h"
#include "options.h"

/* From <linux/f2fs.h>, which not every system has. */
#define F2FS_IOC_DEFRAGMENT _IOWR(0xf5, 8, struct f2fs_range)

/**
 * struct f2fs_range - the argument of F2FS_IOC_DEFRAGMENT
 * @start: in bytes
 * @len: in bytes
 */
struct f2fs_range {
	uint64_t start;
	uint64_t len;
};

int refuse_or_open(const struct table *table, uint32_t file, enum way way, bool only_ask, unsigned int *generation,
		   char **why);
const char *refuse_step(int fd, const struct stat *st, enum way way);
