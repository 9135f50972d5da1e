/* SPDX-License-Identifier: GPL-2.0-only */
/* Part of reading a table: which file an inode number belongs to. */
#pragma once

#include "util.h"

/**
 * struct inodes - a hash of (volume, inode number) to an index
 * @slots: @n_slots slots, open addressing
 * @n_slots: a power of two, or 0 before the first insertion
 * @n_used: slots in use
 */
struct inodes {
	struct inode_slot *slots;
	size_t n_slots;
	size_t n_used;
};

uint32_t *inodes_at(struct inodes *inodes, uint32_t volume, uint64_t ino);
uint32_t inodes_find(const struct inodes *inodes, uint32_t volume, uint64_t ino);
void inodes_free(struct inodes *inodes);
