// SPDX-License-Identifier: GPL-2.0-only
/* Colours by what the fragments of a file cost a reader: the more requests for what it has, the darker. */
#include "model/color.h"

/*
 * Requests of 128 KiB that a sequential read of the whole file takes, minus those of a contiguous file, in thousandths
 * of the latter.
 */
static const struct color_class severities[] = {
	{ 0, "none", 0xcecece },
	{ 1, "below 1 %", 0xf2e56d },
	{ 10, "1 to 5 %", 0xf6bf55 },
	{ 50, "5 to 20 %", 0xf3984c },
	{ 200, "20 to 50 %", 0xe9724d },
	{ 500, "50 to 100 %", 0xba295c },
	{ 1000, "100 to 400 %", 0x690068 },
	{ 4000, "400 % or more", 0x2d0966 },
};

static size_t severity_rule(const struct colors *colors, const struct file *file, const struct figures *figures)
{
	uint64_t extra = (figures->requests - figures->ideal) * 1000, share;

	share = figures->ideal ? extra / figures->ideal : 0;
	/* a few more requests of very many are not none */
	if (extra && !share)
		share = 1;
	return colors_class_of(colors, share);
}

const struct color_source color_severity = {
	.name = "severity",
	.heading = "extra requests",
	.meaning = "colours tell how many percent more requests it takes to read the file than if it were contiguous",
	.classes = severities,
	.n_classes = ARRAY_LEN(severities),
	.file_rule = severity_rule,
};
