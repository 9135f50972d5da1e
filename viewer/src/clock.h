/* SPDX-License-Identifier: GPL-2.0-only */
/* Calendar times as seconds of 64 bits, and those of files. The reader of pages has others, see page/reader/clock_utc.c. */
#pragma once

#include "util.h"

bool clock_parts(int64_t seconds, struct tm *tm);
int64_t clock_seconds(struct tm *tm, bool is_local);
int clock_zone(const char *name);
int64_t clock_ms(const struct timespec *t);
