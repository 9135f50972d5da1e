// SPDX-License-Identifier: GPL-2.0-only
/* Colours by the size of a fragment: smaller fragments are darker. Contiguous files are neutral, however small. */
#include "model/color.h"

/* In blocks; 32 are a request of 128 KiB. */
static const struct color_class classes[] = {
	{ 1, "1 block", 0x2d0966 },
	{ 2, "2 to 3", 0x690068 },
	{ 4, "4 to 7", 0x960664 },
	{ 8, "8 to 15", 0xba295c },
	{ 16, "16 to 31", 0xd64c54 },
	{ 32, "32 to 127", 0xe9724d },
	{ 128, "128 to 511", 0xf3984c },
	{ 512, "512 to 2047", 0xf6bf55 },
	{ 2048, "2048 or more", 0xf2e56d },
	{ UINT64_MAX, "contiguous file", RGB_NEUTRAL },
};

static size_t size_rule(const struct colors *colors, const struct fragment *fragment)
{
	const struct table *table = fragment->table;

	if (!table->files[table->extents[fragment->extent].file].fragmented)
		return colors->n_rules - 1;
	return colors_class_of(colors, fragment->blks);
}

const struct color_source color_size = {
	.name = "size",
	.heading = "fragment of",
	.meaning = "colours tell the size of a fragment, in blocks",
	.counts = "fragments",
	.classes = classes,
	.n_classes = ARRAY_LEN(classes),
	.rule = size_rule,
};
