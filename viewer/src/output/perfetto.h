/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: a recording in the trace-event format. */
#ifndef PERFETTO_H
#define PERFETTO_H

#include <stdio.h>

void perfetto_put(const void *arg, FILE *out);
void perfetto_write(const char *path, const char *dir);

#endif
