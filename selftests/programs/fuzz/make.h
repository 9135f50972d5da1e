/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types and functions that the files share that make a plan: its state, random choices, and functions to
 * write a line.
 */
#ifndef MAKE_H
#define MAKE_H

#include "fuzz.h"

#define NR_FILES 24
/* Files with offsets of gigabytes. Operations that take time for each block between skip them. */
#define NR_FAR 2
/* All other files are shorter than this. */
#define MAX_BYTES (512 * BLOCK)
/* The limit of pending operations of a thread. */
#define MAX_PENDING 24

/**
 * struct maker - a plan that is being made
 * @state: state of the random numbers
 * @shape: its parameters
 * @out: the text
 * @blocks: size of the volume
 * @small: the volume is small; the plan does not scatter blocks or change the collector there, because F2FS
 *	may search for space for ever (seen on 6.1 and 6.12)
 * @thread: the thread of the current operation
 * @size: sizes of the files
 * @pending: operations of each thread that follow from earlier ones
 * @nr_pending: number of @pending
 */
struct maker {
	uint64_t state;
	struct shape shape;
	FILE *out;
	uint64_t blocks;
	bool small;
	unsigned int thread;
	uint64_t size[NR_FILES];
	char *pending[MAX_THREADS][MAX_PENDING];
	unsigned int nr_pending[MAX_THREADS];
};

/**
 * struct recipe - a function that makes an operation, or several
 * @weight: relative frequency
 * @make: the function
 */
struct recipe {
	unsigned int weight;
	void (*make)(struct maker *m);
};

/* Each list ends with an empty entry. */
extern const struct recipe data_recipes[];
extern const struct recipe f2fs_recipes[];
extern const struct recipe name_recipes[];
extern const struct recipe volume_recipes[];

#define ONE_OF(m, words) ((words)[below(m, sizeof(words) / sizeof((words)[0]))])

/* make.c */
uint64_t draw(struct maker *m);
uint64_t below(struct maker *m, uint64_t n);
bool one_in(struct maker *m, unsigned int n);
unsigned int any_file(struct maker *m);
unsigned int near_file(struct maker *m);
uint64_t up(uint64_t bytes);
uint64_t down(uint64_t bytes);
uint64_t any_offset(struct maker *m, unsigned int file);
uint64_t any_length(struct maker *m);
void grow(struct maker *m, unsigned int file, uint64_t size);
const char *path(unsigned int file);
void __attribute__((format(printf, 2, 3))) emit(struct maker *m, const char *fmt, ...);
void __attribute__((format(printf, 2, 3))) later(struct maker *m, const char *fmt, ...);

/* make_volume.c */
void make_volume(struct maker *m);

#endif
