/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which file gives way when the memory budget is used up.
 */
#ifndef FT_BUDGET_H
#define FT_BUDGET_H

#include <linux/types.h>

struct ft_inode;

void ft_budget_init(void);
void ft_budget_grown(struct ft_inode *rec);
bool ft_budget_make_way(struct ft_inode *rec);

#endif
