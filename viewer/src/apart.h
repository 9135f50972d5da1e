/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: run a function in a process of its own, since errors of inputs end the program. */
#pragma once

#include "util.h"

typedef void (*apart_fn)(const void *arg, FILE *out);

char *run_apart(apart_fn fn, const void *arg, struct text *result);
