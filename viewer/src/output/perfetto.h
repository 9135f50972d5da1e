/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: a recording in the trace-event format. */
#pragma once

#include <stdio.h>

void perfetto_put(const void *arg, FILE *out);
void perfetto_write(const char *path, const char *dir);
