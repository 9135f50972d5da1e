// SPDX-License-Identifier: GPL-2.0-only
/* Colours by how often the blocks of a file are read: the more reads, the darker. */
#include "input/heat.h"
#include "model/color.h"

/* The rules of windows that were not read come before those of the classes. */
enum { NOT_READ, OVERWRITTEN, N_UNREAD };

/* Reads of a window. One hue, even steps of lightness. */
static const struct color_class heats[] = {
	[NOT_READ] = { 0, "not read", 0xc4c4c4 },
	[OVERWRITTEN] = { 0, "not read, but overwritten", 0x4a90d9 },
	[N_UNREAD] = { 1, "1 to 3 reads", 0xffc5ac },
	{ 4, "4 to 15 reads", 0xe99a77 },
	{ 16, "16 to 63 reads", 0xcd7249 },
	{ 64, "64 to 255 reads", 0xaf4a1b },
	{ 256, "256 to 1023 reads", 0x862b00 },
	{ 1024, "1024 reads or more", 0x511b00 },
};

static size_t window_rule(const struct colors *colors, const struct heat_window *w)
{
	if (!w->reads)
		return w->overwrites ? OVERWRITTEN : NOT_READ;
	return colors_class_of(colors, w->reads);
}

/* Windows that are not in the list have no counts. */
static size_t rule_at(const struct colors *colors, const struct heat_window *next, uint64_t number)
{
	return next && next->number == number ? window_rule(colors, next) : NOT_READ;
}

/* Windows of one rule that touch are one range. */
static size_t heat_rule(const struct colors *colors, const struct table *table, uint32_t file, uint64_t blk, uint64_t *end)
{
	const struct heat *heat = colors->heat;
	uint64_t number = blk / heat->window_blks;
	const struct heat_window *next = heat_find(heat, table, file, number);
	size_t rule = rule_at(colors, next, number);

	do {
		if (!next)
			return rule;
		if (next->number == number) {
			next = heat_next(heat, next);
			number++;
		} else {
			number = next->number;
		}
	} while (number * heat->window_blks < *end && rule_at(colors, next, number) == rule);
	if (number * heat->window_blks < *end)
		*end = number * heat->window_blks;
	return rule;
}

const struct color_source color_heat = {
	.name = "heat",
	.heading = "reads of a window",
	.meaning = "colours tell how often a window of a file was read, after the page cache",
	.counts = "reads",
	.classes = heats,
	.n_classes = ARRAY_LEN(heats),
	.range_rule = heat_rule,
};
