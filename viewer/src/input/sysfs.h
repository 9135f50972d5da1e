/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: numbers in sysfs. */
#pragma once

#include "util.h"

uint64_t sysfs_number(const char *fmt, ...) PRINTF_LIKE(1, 2);
uint64_t sysfs_queue(unsigned int major, unsigned int minor, const char *name);
