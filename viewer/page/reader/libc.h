/* SPDX-License-Identifier: GPL-2.0-only */
/* What the C library of Emscripten 3.1.6 lacks; included before all sources, see reader.mk. */
#ifndef READER_LIBC_H
#define READER_LIBC_H

#include <stddef.h>

void *reallocarray(void *old, size_t n, size_t size);
void qsort_r(void *base, size_t n, size_t size, int (*by)(const void *a, const void *b, void *priv), void *priv);

#endif
