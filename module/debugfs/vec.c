// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arrays that grow, for the copies that readers of debugfs get.
 *
 * They have a budget of their own: a reader can neither push maps out nor exhaust
 * the memory of the machine.
 */

#include <linux/atomic.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "core/memory.h"
#include "debugfs/vec.h"

/*
 * All copies together may take four times the budget of the maps: an extent takes
 * 8 bytes or more in a map, and up to 28 while it is copied and sorted.
 */
#define BUDGETS_FOR_COPIES	4

static atomic_long_t copies_bytes = ATOMIC_LONG_INIT(0);

/**
 * ft_vec_bytes() - how much memory the copies of all readers take
 *
 * Return: in bytes.
 */
long ft_vec_bytes(void)
{
	return atomic_long_read(&copies_bytes);
}

/**
 * ft_vec_budget() - how much memory the copies of all readers may take
 *
 * Return: in bytes.
 */
long ft_vec_budget(void)
{
	return BUDGETS_FOR_COPIES * ft_mem_budget();
}

static bool charge(size_t bytes)
{
	long budget = ft_vec_budget();

	if (bytes <= (size_t)budget) {
		if (atomic_long_add_return(bytes, &copies_bytes) <= budget)
			return true;
		atomic_long_sub(bytes, &copies_bytes);
	}
	pr_warn_ratelimited("no room for a copy: copies for readers take %ld of %ld bytes; close files of debugfs that are open, or load with a larger max_mem_mb\n",
			    ft_vec_bytes(), budget);
	return false;
}

/*
 * The reader gets -ENOMEM; no task is killed and nothing is logged for it.
 * kvmalloc() ends at 2 GiB, which is 107 million extents.
 */
static void *allocate(size_t bytes)
{
	gfp_t gfp = GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL;

	if (bytes > PAGE_SIZE << PAGE_ALLOC_COSTLY_ORDER)
		return __vmalloc(bytes, gfp);
	return kmalloc(bytes, gfp);
}

/**
 * ft_vec_free() - free an array of a copy
 * @vec: the array; empty afterwards
 */
void ft_vec_free(struct ft_vec *vec)
{
	kvfree(vec->data);
	atomic_long_sub(vec->bytes, &copies_bytes);
	*vec = (struct ft_vec){ };
}

/**
 * ft_vec_make_room() - let an array of a copy grow
 * @vec: the array
 * @more: number of elements to add
 * @size: bytes of one
 *
 * Context: process; may sleep.
 * Return: 0 or -ENOMEM.
 */
int ft_vec_make_room(struct ft_vec *vec, size_t more, size_t size)
{
	size_t room = max(vec->nr + more, 2 * vec->room);
	size_t bytes = array_size(room, size);
	void *data;

	if (vec->nr + more <= vec->room)
		return 0;
	if (!charge(bytes))
		return -ENOMEM;
	data = allocate(bytes);
	if (!data) {
		atomic_long_sub(bytes, &copies_bytes);
		return -ENOMEM;
	}
	if (vec->nr)
		memcpy(data, vec->data, vec->nr * size);
	kvfree(vec->data);
	atomic_long_sub(vec->bytes, &copies_bytes);
	vec->data = data;
	vec->room = room;
	vec->bytes = bytes;
	return 0;
}
