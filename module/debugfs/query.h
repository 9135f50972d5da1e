/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Questions about one block or segment of a volume, and the word that resets counts.
 */
#ifndef FT_QUERY_H
#define FT_QUERY_H

#include <linux/types.h>

struct file;
struct ft_volume;

/**
 * struct ft_question - a block or a segment
 * @asked: there is a question
 * @dev: the volume
 * @number: the LBA or the number of the segment
 */
struct ft_question {
	bool asked;
	dev_t dev;
	u32 number;
};

int ft_query_read(const struct file *file, const char __user *ubuf, size_t count,
		  struct ft_question *q);
ssize_t ft_query_reset(const struct file *file, const char __user *ubuf,
		       size_t count, void (*reset)(struct ft_volume *vol));
void ft_query_keep(struct ft_question *last, const struct ft_question *q);
struct ft_question ft_query_what(const struct ft_question *last,
				 const struct ft_question *own);
struct ft_volume *ft_query_volume(const struct ft_question *q);

#endif
