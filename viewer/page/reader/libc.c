// SPDX-License-Identifier: GPL-2.0-only
/* What the C library of Emscripten 3.1.6 lacks, as far as it is used: no comparison sorts. */
#include <stdint.h>
#include <stdlib.h>

#include "page/reader/libc.h"

void *reallocarray(void *old, size_t n, size_t size)
{
	return size && n > SIZE_MAX / size ? NULL : realloc(old, n * size);
}

static int (*compare)(const void *a, const void *b, void *priv);
static void *compare_priv;

static int compare_here(const void *a, const void *b)
{
	return compare(a, b, compare_priv);
}

void qsort_r(void *base, size_t n, size_t size, int (*by)(const void *a, const void *b, void *priv), void *priv)
{
	compare = by;
	compare_priv = priv;
	qsort(base, n, size, compare_here);
}
