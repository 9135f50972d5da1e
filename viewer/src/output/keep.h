/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: delete the oldest of a recording. */
#pragma once

#include <stdint.h>

bool keep_parse(const char *arg, uint64_t *bytes, int64_t *ms);
void keep_apply(const char *dir, uint64_t bytes, int64_t ms, int64_t now_ms);
