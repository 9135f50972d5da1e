// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test helper, for LD_PRELOAD: allocation number $FAIL_AT fails, counted from 1. At the end of the program the number of
 * all allocations is written to the file $FAIL_COUNT.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

static long n_allocations, fail_at = -1;

static bool fails(void)
{
	if (fail_at < 0) {
		const char *at = getenv("FAIL_AT");

		fail_at = at ? atol(at) : 0;
	}
	if (++n_allocations != fail_at)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}

__attribute__((destructor)) static void write_count(void)
{
	const char *path = getenv("FAIL_COUNT");
	long n = n_allocations;
	FILE *file = path ? fopen(path, "w") : NULL;

	if (!file)
		return;
	fprintf(file, "%ld\n", n);
	fclose(file);
}
