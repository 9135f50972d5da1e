// SPDX-License-Identifier: GPL-2.0-only
/* Colours by what the fragments of a file cost a reader: the more requests, the darker. */
#include "model/color.h"
#include "util.h"

/*
 * Requests of 128 KiB that a sequential read of the whole file takes, minus those of a contiguous file.
 * Each class ends where the next one begins.
 */
static const struct {
	uint64_t least;
	const char *name;
	uint32_t rgb;
} severities[] = {
	{ 0, "none", 0xcecece },
	{ 1, "1", 0xf2e56d },
	{ 2, "2 to 3", 0xf6bf55 },
	{ 4, "4 to 7", 0xf3984c },
	{ 8, "8 to 31", 0xe9724d },
	{ 32, "32 to 127", 0xba295c },
	{ 128, "128 to 511", 0x690068 },
	{ 512, "512 or more", 0x2d0966 },
};

static void severity_init(struct colors *colors)
{
	size_t i, n = ARRAY_LEN(severities) - 1;

	for (i = 0; i < n; i++)
		colors_add_plain(colors, 1, severities[i].name, severities[i].rgb);
	colors_set_last(colors, severities[n].name, severities[n].rgb);
}

static size_t severity_rule(const struct colors *colors, const struct file *file, const struct figures *figures)
{
	size_t i = ARRAY_LEN(severities) - 1;

	(void)colors;
	(void)file;
	while (figures->requests - figures->ideal < severities[i].least)
		i--;
	return i;
}

const struct color_source color_severity = {
	.name = "severity",
	.heading = "extra requests",
	.meaning = "colours tell how many more requests it takes to read the file than if it were contiguous",
	.init = severity_init,
	.file_rule = severity_rule,
};
