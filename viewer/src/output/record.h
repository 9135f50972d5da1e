/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: a folder of snapshots, one for each change of the table. */
#pragma once

#include "input/source.h"
#include "util.h"

/**
 * struct recorder - a folder of snapshots
 * @dir: the folder
 * @newest: name of the newest snapshot, or NULL
 */
struct recorder {
	const char *dir;
	char *newest;
	/* private: */
	uint64_t keep_bytes;
	int64_t keep_ms;
};

void recorder_open(struct recorder *recorder, const char *dir, uint64_t keep_bytes, int64_t keep_ms);
bool recorder_add(struct recorder *recorder, const struct text *text, bool always);
void recorder_add_counts(const struct recorder *recorder, const struct source *source, bool of_newest);
char *recorder_beside(const struct recorder *recorder, const char *suffix);
void recorder_close(struct recorder *recorder);
