/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: causes in words. */
#pragma once

#include <stdint.h>

#include "input/table.h"

char *phrase_kind(uint32_t cause);
char *phrase_processes(const char *name, uint64_t pid, size_t n);
const char *phrase_name(const struct table *table, uint32_t writer);
char *phrase_writer(const struct table *table, uint32_t writer, size_t n);
