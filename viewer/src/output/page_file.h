/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: a page that reads files itself, with some in it. */
#ifndef PAGE_FILE_H
#define PAGE_FILE_H

#include <stddef.h>

void page_file_write(const char *path, char *const *inputs, size_t n);

#endif
