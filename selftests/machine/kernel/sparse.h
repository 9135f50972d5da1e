/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the headers of 7.x ask of a compiler and Debian's sparse (0.6.4) does not know, in words
 * that it knows. Only sparse includes this.
 */
#define __typeof_unqual__ __typeof__
/* of literals, in assertions */
#define __builtin_strlen(text) (sizeof(text) - 1)
