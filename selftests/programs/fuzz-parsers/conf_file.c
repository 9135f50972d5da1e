// SPDX-License-Identifier: GPL-2.0-only
/* A text as a file in memory, for parsers of the viewer that take a path. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "conf_file.h"

/**
 * conf_file() - give a text a path
 * @path: buffer for the path
 * @text: the text
 * @len: its length in bytes
 *
 * There is one such file. The next call replaces its content: a parser that ends the program cannot
 * close it.
 */
void conf_file(char path[CONF_PATH_MAX], const char *text, size_t len)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("conf", 0);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, text, len, 0) != (ssize_t)len)
		abort();
	snprintf(path, CONF_PATH_MAX, "/proc/self/fd/%d", fd);
}
