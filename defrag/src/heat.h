/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: how much a range is read. */
#ifndef HEAT_H
#define HEAT_H

#include <stdint.h>

#include "input/table.h"

double heat_of(const struct table *table, uint32_t file, uint64_t first_blk, uint64_t end_blk);

#endif
