/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Figures of all maps of a volume, read without a copy.
 */
#ifndef FT_SURVEY_H
#define FT_SURVEY_H

#include <linux/types.h>

struct ft_volume;

/**
 * struct ft_owned - a block of a watched file
 * @ino: the inode number of the file
 * @lblk: the file block
 * @cause: the cause of the fragment that it is in
 * @path: the path of the file, to be freed
 */
struct ft_owned {
	u32 ino;
	u32 lblk;
	u32 cause;
	char *path;
};

u64 ft_survey_breaks(struct ft_volume *vol);
int ft_survey_owner(struct ft_volume *vol, u32 lba, struct ft_owned *owned);

#endif
