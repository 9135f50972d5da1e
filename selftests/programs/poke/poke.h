/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations that the parts of poke share: random numbers, and the lines that words.c makes of them. */
#ifndef POKE_H
#define POKE_H

#include <stddef.h>
#include <stdint.h>

/* Longer than the longest write of fragtrace. */
#define MAX_LINE 70000

/**
 * struct random - a stream of random numbers; each thread has its own one
 * @state: never 0
 */
struct random {
	uint64_t state;
};

uint64_t draw(struct random *r, uint64_t below);

size_t make_line(struct random *r, char *buf, const char *folder);
void make_odd_folders(const char *folder);

#endif
