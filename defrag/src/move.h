/* SPDX-License-Identifier: GPL-2.0-only */
/* Fifth step of the pipeline: let F2FS write the blocks of a range anew, next to each other. */
#pragma once

#include <stdint.h>

#include "fiemap.h"
#include "options.h"

/* What stopped the mapping way: there was no page to make dirty any more. Not an errno of the kernel. */
#define EPAGEGONE 4096

enum way move_default_way(void);
void move_be_idle(void);
int move_range(int fd, enum way way, const struct fiemap_pieces *map, uint64_t first_blk, uint64_t end_blk,
	       int64_t *usual_ns);
