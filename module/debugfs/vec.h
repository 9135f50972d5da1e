/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arrays that grow, see vec.c.
 */
#ifndef FT_VEC_H
#define FT_VEC_H

#include <linux/types.h>

/**
 * struct ft_vec - an array that grows
 * @data: the elements
 * @nr: number of elements
 * @room: how many fit
 * @bytes: memory it takes
 */
struct ft_vec {
	void *data;
	size_t nr;
	size_t room;
	size_t bytes;
};

int ft_vec_make_room(struct ft_vec *vec, size_t more, size_t size);
void ft_vec_free(struct ft_vec *vec);
long ft_vec_bytes(void);
long ft_vec_budget(void);

#endif
