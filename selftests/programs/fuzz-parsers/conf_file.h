/* SPDX-License-Identifier: GPL-2.0-only */
/* A text as a file in memory, for parsers of the viewer that take a path. */
#ifndef CONF_FILE_H
#define CONF_FILE_H

#include <stddef.h>

#define CONF_PATH_MAX 32

void conf_file(char path[CONF_PATH_MAX], const char *text, size_t len);

#endif
