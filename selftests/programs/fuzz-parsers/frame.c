// SPDX-License-Identifier: GPL-2.0-only
/*
 * The frame of the parser fuzzers: one input, one call of the target, no leak.
 *
 * The parsers end the program if a text is invalid. Here, exit() returns to the frame instead (the
 * linker wraps it). The frame then frees the memory that the parser has allocated, so that millions of
 * texts can be tried in one process. A parser that returns must have freed all memory itself.
 */
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"

#define MAX_ALLOCATIONS 65536

/* The memory that the target has allocated and not freed. */
static const void *live[MAX_ALLOCATIONS];
static size_t nr_live;
static bool watching;
static jmp_buf back;

/* === Memory === */

static void on_malloc(const void *p, size_t size)
{
	(void)size;
	if (!watching || !p)
		return;
	if (nr_live == MAX_ALLOCATIONS)
		abort();
	live[nr_live++] = p;
}

static void on_free(const void *p)
{
	size_t i;

	for (i = nr_live; watching && p && i-- > 0;) {
		if (live[i] == p) {
			live[i] = live[--nr_live];
			return;
		}
	}
}

static void free_rest(void)
{
	watching = false;
	while (nr_live)
		free((void *)(uintptr_t)live[--nr_live]);
}

/* === One input === */

/**
 * __wrap_exit() - replaces exit() in all code that is linked into a fuzzer
 * @status: exit status
 */
void __wrap_exit(int status)
{
	if (!watching)
		__real_exit(status);
	longjmp(back, 1);
}

/**
 * LLVMFuzzerTestOneInput() - try one input; called by libFuzzer, or by replay.c
 * @data: the input
 * @len: its length in bytes
 *
 * Return: 0
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static bool hooked;
	char *text = malloc(len + 1);

	if (!text)
		abort();
	if (!hooked) {
		__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
		hooked = true;
	}
	memcpy(text, data, len);
	text[len] = '\0';
	if (!setjmp(back)) {
		watching = true;
		target(text, len);
		watching = false;
		if (nr_live) {
			fprintf(stderr, "frame: %zu allocations left\n", nr_live);
			abort();
		}
	}
	free_rest();
	free(text);
	return 0;
}
