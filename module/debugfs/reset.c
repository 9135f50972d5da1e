// SPDX-License-Identifier: GPL-2.0-only
/*
 * The word that resets the counts of a file in debugfs.
 */

#include <linux/fs.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core/volume.h"
#include "debugfs/reset.h"

/**
 * ft_reset() - the word "reset" is written to a file
 * @file: the file
 * @ubuf: what is written
 * @count: its length
 * @reset: resets the counts of a volume
 *
 * Context: process; may sleep.
 * Return: @count; -EINVAL if it is another word, with the reason in the log.
 */
ssize_t ft_reset(const struct file *file, const char __user *ubuf, size_t count,
		 void (*reset)(struct ft_volume *vol))
{
	char word[8] = "";
	struct ft_volume *vol;
	unsigned int n;

	if (count >= sizeof(word) || copy_from_user(word, ubuf, count) ||
	    strcmp(strim(word), "reset")) {
		pr_err("%pD: \"reset\" expected\n", file);
		return -EINVAL;
	}
	for (n = 0; (vol = ft_volume_nth(n)); n++) {
		reset(vol);
		ft_volume_put(vol);
	}
	return count;
}
