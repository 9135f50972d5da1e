/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: a page that reads files itself, with some in it. */
#pragma once

#include "util.h"

/* What an input of a page may have, unpacked: the reader has 1 GiB of memory. */
#define PAGE_MAX_INPUT (UINT64_C(256) << 20)
#define PAGE_MAX_REMEDY "a page has no room for more: use fragtrace serve"

void page_file_write(const char *path, char **inputs, size_t n);
