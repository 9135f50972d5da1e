/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The word that resets the counts of a file in debugfs.
 */
#ifndef FT_RESET_H
#define FT_RESET_H

#include <linux/types.h>

struct file;
struct ft_volume;

ssize_t ft_reset(const struct file *file, const char __user *ubuf, size_t count,
		 void (*reset)(struct ft_volume *vol));

#endif
