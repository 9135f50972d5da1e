/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: a folder of snapshots, one for each change of the table. */
#ifndef RECORD_H
#define RECORD_H

#include "util.h"

/**
 * struct recorder - a folder of snapshots
 * @dir: the folder
 */
struct recorder {
	const char *dir;
	/* private: */
	char *newest;
};

void recorder_open(struct recorder *recorder, const char *dir);
void recorder_add(struct recorder *recorder, const struct text *text);
void recorder_close(struct recorder *recorder);

#endif
