/* SPDX-License-Identifier: GPL-2.0-only */
/* Before the pipeline: unpack what gzip or zstd has packed. */
#ifndef UNPACK_H
#define UNPACK_H

#include <stdbool.h>

#include "util.h"

bool is_packed(const struct text *text);
void unpack(struct text *text, const char *name);
size_t unpack_begun(struct text *text, const char *name);

#endif
