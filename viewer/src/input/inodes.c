// SPDX-License-Identifier: GPL-2.0-only
/* Part of reading a table: which file an inode number belongs to. */

#include "input/inodes.h"

struct inode_slot {
	uint64_t ino;
	uint32_t volume;
	uint32_t value;		/* 0: the slot is empty, or the caller has not set it yet */
};

static size_t home_slot(const struct inodes *inodes, uint32_t volume, uint64_t ino)
{
	uint64_t h = (ino + ((uint64_t)volume << 40)) * UINT64_C(0xd6e8feb86659fd93);

	return (size_t)(h >> 32) & (inodes->n_slots - 1);
}

static struct inode_slot *find_slot(const struct inodes *inodes, uint32_t volume, uint64_t ino)
{
	size_t i = home_slot(inodes, volume, ino);

	while (inodes->slots[i].value &&
	       (inodes->slots[i].ino != ino || inodes->slots[i].volume != volume))
		i = (i + 1) & (inodes->n_slots - 1);
	return &inodes->slots[i];
}

static void make_room(struct inodes *inodes)
{
	struct inodes bigger = { .n_slots = inodes->n_slots ? inodes->n_slots * 4 : 1024 };

	bigger.slots = xcalloc(bigger.n_slots, sizeof(*bigger.slots));
	for (size_t i = 0; i < inodes->n_slots; i++) {
		struct inode_slot *old = &inodes->slots[i];

		if (old->value)
			*find_slot(&bigger, old->volume, old->ino) = *old;
	}
	free(inodes->slots);
	bigger.n_used = inodes->n_used;
	*inodes = bigger;
}

/**
 * inodes_at() - the value kept for an inode
 * @inodes: the hash; starts as all zeroes
 * @volume: index or device number of the volume, the same of both in all calls
 * @ino: inode number
 *
 * Return: the address of the value. It is 0 for a new inode. The caller must then store another value
 * before the next call.
 */
uint32_t *inodes_at(struct inodes *inodes, uint32_t volume, uint64_t ino)
{
	struct inode_slot *slot;

	if (inodes->n_used * 2 >= inodes->n_slots)
		make_room(inodes);
	slot = find_slot(inodes, volume, ino);
	if (!slot->value) {
		slot->ino = ino;
		slot->volume = volume;
		inodes->n_used++;
	}
	return &slot->value;
}

/**
 * inodes_find() - look up the value kept for an inode
 * @inodes: the hash; not changed
 * @volume: index or device number of the volume, the same of both in all calls
 * @ino: inode number
 *
 * Return: the value; 0 if there is none.
 */
uint32_t inodes_find(const struct inodes *inodes, uint32_t volume, uint64_t ino)
{
	return inodes->n_slots ? find_slot(inodes, volume, ino)->value : 0;
}

/**
 * inodes_free() - release the hash
 * @inodes: empty afterwards
 */
void inodes_free(struct inodes *inodes)
{
	free(inodes->slots);
	*inodes = (struct inodes){ 0 };
}
