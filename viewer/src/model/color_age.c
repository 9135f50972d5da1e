// SPDX-License-Identifier: GPL-2.0-only
/* Colours by the age of a fragment: younger fragments are darker. */
#include "model/causes.h"
#include "model/color.h"

/* In seconds. */
static const struct color_class ages[] = {
	{ 0, "below 10 seconds", 0x440154 },
	{ 10, "10 seconds to 1 minute", 0x46327e },
	{ 60, "1 to 10 minutes", 0x365c8d },
	{ 600, "10 minutes to 1 hour", 0x277f8e },
	{ 3600, "1 to 6 hours", 0x1fa187 },
	{ 6 * 3600, "6 to 24 hours", 0x4ac16d },
	{ 24 * 3600, "1 to 7 days", 0xa0da39 },
	{ 7 * 24 * 3600, "7 days or more", 0xfde725 },
	{ UINT64_MAX, "unknown", RGB_NEUTRAL },
};

static size_t age_rule(const struct colors *colors, const struct fragment *f)
{
	uint64_t now_s = (uint64_t)f->table->text.time_ms / 1000, last_s = 0;

	if (f->table->causes)
		last_s = f->table->writers[ft_cause_writer(f->table->causes[f->extent])].last_s;
	if (!last_s)
		return colors->n_rules - 1;
	return colors_class_of(colors, now_s > last_s ? now_s - last_s : 0);
}

const struct color_source color_age = {
	.name = "age",
	.heading = "process last wrote ... ago",
	.meaning = "colours tell how long ago the process that wrote a fragment last wrote",
	.counts = "fragments",
	.needs_causes = true,
	.classes = ages,
	.n_classes = ARRAY_LEN(ages),
	.rule = age_rule,
};
