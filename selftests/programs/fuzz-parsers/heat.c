// SPDX-License-Identifier: GPL-2.0-only
/* Counts of reads, which may be packed. */
#include <stdlib.h>

#include "conf_file.h"
#include "frame.h"
#include "input/heat.h"

void target(char *text, size_t len)
{
	char path[CONF_PATH_MAX];
	struct heat heat;

	conf_file(path, text, len);
	free(heat_read(&heat, path));
	heat_free(&heat);
}
