/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The task that is running.
 */
#ifndef FT_TASK_H
#define FT_TASK_H

#include <linux/types.h>

u64 ft_task_cgroup(char *path, size_t size);

#endif
