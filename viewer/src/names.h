/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: convert paths, which may contain any byte, to text that programs and people read. */
#pragma once

#include <stdio.h>

const char *path_unescape(char *to, const char *from, const char *end);
char *name_text(const char *path);
char *text_visible(const char *text);
char *name_visible(const char *path);
char *name_printable(const char *path);
void name_put(FILE *out, const char *name);
