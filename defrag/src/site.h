/* SPDX-License-Identifier: GPL-2.0-only */
/* Part of carrying out a plan: the volume that is worked on. */
#pragma once

#include <stdint.h>

#include "input/table.h"
#include "options.h"
#include "plan.h"

/**
 * struct site - a volume that is worked on
 * @volume: the volume
 * @plan: what is planned for it
 * @way: how blocks are moved there
 * @root: its mount point; holds the lock
 */
struct site {
	const struct volume *volume;
	const struct volume_plan *plan;
	enum way way;
	int root;
};

char *site_why_not(const struct volume *volume, const struct device *device, enum way *way);
char *site_open(struct site *site, const struct plan *plan, uint32_t volume);
char *site_is_tight(const struct site *site, uint64_t blks);
void site_close(struct site *site);
