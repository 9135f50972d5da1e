/* SPDX-License-Identifier: GPL-2.0-only */
/* The interfaces of a parser fuzzer: libFuzzer or replay.c, frame.c, one target, the parsers. */
#ifndef FRAME_H
#define FRAME_H

#include <stddef.h>
#include <stdint.h>

/**
 * target() - let a parser read a text
 * @text: the text, NUL-terminated; the target may change it
 * @len: its length in bytes, without the NUL at its end
 *
 * Each fuzzer has its own target. A parser ends the program if the text is invalid; frame.c turns this
 * into the end of this call. A parser that returns must have freed everything.
 */
void target(char *text, size_t len);

/* frame.c, under the name that libFuzzer calls */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* exit(), by the linker's --wrap */
_Noreturn void __real_exit(int status);
_Noreturn void __wrap_exit(int status);

/* of the address sanitizer's run-time library; gcc does not ship its header */
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const void *p, size_t size),
					      void (*on_free)(const void *p));

#endif
