/* SPDX-License-Identifier: GPL-2.0-only */
/* Before the pipeline: unpack what gzip or zstd has packed. */
#pragma once

#include "util.h"

/* Takes the next bytes of an unpacked text. */
typedef void (*piece_taker)(void *arg, const char *piece, size_t len);

bool is_packed(const struct text *text);
void unpack_pieces(const struct text *in, const char *name, piece_taker take, void *arg);
void unpack(struct text *text, const char *name);
size_t unpack_begun(struct text *text, const char *name);
