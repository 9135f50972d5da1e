/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the debugfs file `by_pair`, which process broke the files of which other one. */
#pragma once

#include "util.h"

/**
 * struct pair - one kind of file broke another kind by taking the next block of the log
 * @major: device number
 * @minor: device number
 * @times: how often
 * @victim_ext: extension of the file that was fragmented, "-" for none
 * @culprit_ext: extension of the file that got the next block
 * @culprit: the process that wrote that block, COMM:PID
 */
struct pair {
	unsigned int major;
	unsigned int minor;
	uint64_t times;
	const char *victim_ext;
	const char *culprit_ext;
	const char *culprit;
};

/**
 * struct pairs - the content of `by_pair`
 * @all: the most frequent first
 * @n: number of @all
 */
struct pairs {
	struct pair *all;
	size_t n;
	/* private: */
	size_t cap;
	struct text text;
};

void pairs_read(struct pairs *pairs, struct text *text);
void pairs_free(struct pairs *pairs);
