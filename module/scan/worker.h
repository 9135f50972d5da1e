/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The workers of a volume.
 */
#ifndef FT_WORKER_H
#define FT_WORKER_H

struct ft_volume;

int ft_worker_start(struct ft_volume *vol);
void ft_worker_stop(struct ft_volume *vol);

#endif
