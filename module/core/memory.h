/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory that is used, and its budget.
 */
#ifndef FT_MEMORY_H
#define FT_MEMORY_H

#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>

#include "core/extmap.h"

/* Users are counted by a hash of their user ID. */
#define FT_OWNERS	256

void ft_mem_set_budget(unsigned long bytes);
unsigned long ft_mem_budget(void);
void ft_mem_add(long bytes);
void ft_mem_owes(u8 owner, long bytes);
void ft_mem_add_of(u8 owner, long bytes);
u8 ft_mem_owner(kuid_t uid);
u8 ft_mem_largest_owner(void);
bool ft_mem_within_share(u8 owner);
void *ft_mem_zalloc(size_t size, gfp_t gfp);
void ft_mem_free(const void *p, size_t size);
long ft_mem_used(void);
bool ft_mem_uses_more_than(unsigned int sixteenths);
bool ft_mem_is_full(u8 owner);
bool ft_mem_is_tight(void);
bool ft_mem_is_eased(long pending);
bool ft_mem_room(void);
bool ft_mem_room_of(u8 owner);
u64 ft_mem_extents(void);
void ft_mem_charge(const struct ft_extmap *map, u8 owner, u32 old_nr, u64 old_bytes);
void ft_mem_charge_second(u64 bytes, u64 old_bytes);
bool ft_mem_allows_second(u64 bytes);

void ft_mem_add_yielding(long bytes);
long ft_mem_yielding(void);
bool ft_mem_allows_causes(u64 bytes);
void ft_mem_hook(work_func_t give_way, work_func_t come_back);
void ft_mem_want_room(void);
void ft_mem_left_out(long nr);
bool ft_mem_any_left_out(void);
void ft_mem_try_again(unsigned long delay);
void ft_mem_stop(void);
void ft_mem_exit(void);

#endif
