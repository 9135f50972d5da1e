// SPDX-License-Identifier: GPL-2.0-only
/* A color.cnf, read twice, and the rules for a file. */
#include "conf_file.h"
#include "frame.h"
#include "model/color.h"

void target(char *text, size_t len)
{
	const struct file file = { .path = "/mnt/log/a.sst", .ext = ".sst" };
	const struct figures figures = { 0 };
	struct colors colors;
	char path[CONF_PATH_MAX];

	conf_file(path, text, len);
	colors_init(&colors, "kind");
	colors_read(&colors, path);
	colors_read(&colors, path);
	colors.source->file_rule(&colors, &file, &figures);
	colors_free(&colors);
}
