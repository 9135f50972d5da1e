/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: causes in words. */
#pragma once

#include <stdint.h>

#include "input/table.h"

char *phrase_kind(uint32_t cause);
char *phrase_writer(const struct table *table, uint32_t writer);
