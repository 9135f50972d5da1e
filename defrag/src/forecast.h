/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the requests of a sequential reader, before and after the plan. */
#ifndef FORECAST_H
#define FORECAST_H

#include <stdint.h>

#include "plan.h"

/**
 * struct forecast - requests that the device gets from one who reads all files of a volume, each from begin to end
 * @now: before the plan
 * @after: when it has been carried out
 */
struct forecast {
	uint64_t now;
	uint64_t after;
};

void forecast_find(struct forecast *forecast, struct plan *plan, uint32_t volume);

#endif
