// SPDX-License-Identifier: GPL-2.0-only
/* A color.cnf. */
#include "../../viewer/color.h"
#include "conf_file.h"
#include "frame.h"

void target(char *text, size_t len)
{
	struct colors colors;
	char path[CONF_PATH_MAX];

	conf_file(path, text, len);
	colors_read(&colors, path);
	colors_rule(&colors, ".sst");
	colors_free(&colors);
}
