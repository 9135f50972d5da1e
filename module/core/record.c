// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a record takes: struct ft_inode, and behind it what others keep of each inode.
 *
 * One who has nothing to keep, or is off, takes nothing.
 */

#include <linux/align.h>
#include <linux/build_bug.h>
#include <linux/stddef.h>

#include "core/record.h"

/*
 * Each record begins a cache line, so that writers to different files share none. 256 bytes
 * take four lines; one more takes five, a quarter more for each file. With causes, 12 more are kept
 * behind the struct (causes/gc.c, maps/budget.c). Locks of kernels for tests, and of those with
 * PREEMPT_RT, are larger. For arm64, sparse takes the struct for larger than the compiler does.
 */
#ifndef __CHECKER__
static_assert(sizeof(spinlock_t) > 4 || offsetof(struct ft_inode, kept) + 12 <= 256);
#endif

static u32 size = offsetof(struct ft_inode, kept);

/**
 * ft_record_reserve() - make room in each record
 * @bytes: how much; 0: none
 *
 * Context: process; before the first record.
 * Return: where it is, for ft_record_at(). It is zeroed when a record is created.
 */
u32 ft_record_reserve(size_t bytes)
{
	u32 at = ALIGN(size, bytes < sizeof(u64) ? sizeof(u32) : sizeof(u64));

	if (bytes)
		size = at + bytes;
	return at;
}

/**
 * ft_record_size() - how long a record is
 *
 * Context: any; after the last ft_record_reserve().
 * Return: bytes.
 */
size_t ft_record_size(void)
{
	return size;
}
