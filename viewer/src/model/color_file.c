// SPDX-License-Identifier: GPL-2.0-only
/* Colours for one file against the rest. */

#include "model/color.h"

static const uint32_t file_tones[N_GIVEN_TONES] = { 0x2f8fd0, 0xff9a1f, 0xa03a00 };
static const uint32_t rest_tones[N_GIVEN_TONES] = { 0xdadada, 0xc2c2c2, 0xa9a9a9 };

static void file_init(struct colors *colors)
{
	colors_add(colors, colors->arg, file_tones);
	colors_set(&colors->rules[1], "all others", rest_tones);
}

static size_t file_rule(const struct colors *colors, const struct file *file, const struct figures *figures)
{
	return !path_matches(file->path, colors->arg);
}

const struct color_source color_file = {
	.name = "file",
	.heading = "file",
	.meaning = "fragments that follow each other take turns between two tones",
	.init = file_init,
	.file_rule = file_rule,
};
