/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: files and their breaks by volume and extension. */
#pragma once

#include "input/table.h"
#include "model/causes.h"

/**
 * struct group - the files of one extension on one volume
 * @ext: the extension with its dot, or "" for names without one
 * @volume: index into table.volumes
 * @files: number of files
 * @fragmented: how many of them have a break
 * @breaks: their breaks
 * @n_breaks: number of @breaks
 */
struct group {
	const char *ext;
	uint32_t volume;
	uint64_t files;
	uint64_t fragmented;
	struct file_break *breaks;
	size_t n_breaks;
};

/**
 * struct groups - all files, by group
 * @all: by volume, those with the most breaks first
 * @n: number of @all
 * @breaks: the breaks of all groups
 */
struct groups {
	struct group *all;
	size_t n;
	struct file_break *breaks;
};

void groups_find(struct groups *groups, const struct table *table, const struct breaks *breaks);
size_t groups_of_volume(const struct groups *groups, size_t first);
void groups_free(struct groups *groups);
