/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests of a user for everything that is watched.
 */
#ifndef FT_RESYNC_H
#define FT_RESYNC_H

int ft_resync_all(const char *path);
int ft_resync_audit(const char *path);
void ft_resync_init(void);
void ft_resync_exit(void);

#endif
