/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the requests of a sequential reader, before and after the plan. */
#pragma once

#include <stdint.h>

#include "plan.h"

/**
 * struct foreseen - a number of requests
 * @most: if each page of the reader is a piece of memory of its own
 * @least: if all pages of a request follow each other in memory, which lets the device take more at once
 */
struct foreseen {
	uint64_t most;
	uint64_t least;
};

/**
 * struct forecast - requests that the device gets from one who reads all files of a volume, each from begin to end
 * @now: before the plan
 * @after: when it has been carried out
 */
struct forecast {
	struct foreseen now;
	struct foreseen after;
};

void forecast_find(struct forecast *forecast, struct plan *plan, uint32_t volume);
