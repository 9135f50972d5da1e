/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the debugfs file `by_pair`, who took the next block of a log instead of whom. */
#ifndef PAIRS_H
#define PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include "util.h"

/**
 * struct pair - a file of one kind was followed in the log by one of another
 * @major: device number
 * @minor: device number
 * @times: how often
 * @victim_ext: extension of the file that was broken, "-" for none
 * @culprit_ext: extension of the file whose block came in between
 * @culprit: who wrote that, COMM:PID
 */
struct pair {
	unsigned int major;
	unsigned int minor;
	uint64_t times;
	char *victim_ext;
	char *culprit_ext;
	char *culprit;
};

/**
 * struct pairs - all that `by_pair` says
 * @all: the most frequent first
 * @n: number of @all
 */
struct pairs {
	struct pair *all;
	size_t n;
	/* private: */
	struct text text;
};

void pairs_read(struct pairs *pairs, const char *name, struct text *text);
void pairs_free(struct pairs *pairs);

#endif
