/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Definitions for sparse 0.6.4 (Debian's), which lacks features that the headers of 7.x use. Only
 * sparse includes this file.
 */
#define __typeof_unqual__ __typeof__
/* used for literals in assertions */
#define __builtin_strlen(text) (sizeof(text) - 1)
