/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests of a user for everything that is watched.
 */
#ifndef FT_RESYNC_H
#define FT_RESYNC_H

int ft_request_resync(const char *path);
int ft_request_audit(const char *path);
void ft_request_init(void);
void ft_request_exit(void);

#endif
