// SPDX-License-Identifier: GPL-2.0-only
/* Colours by the size of a fragment: smaller fragments are darker. Contiguous files are neutral, however small. */
#include "model/color.h"
#include "util.h"

/* Each class ends where the next one begins. 32 blocks are a request of 128 KiB. */
static const struct {
	uint64_t least;
	const char *name;
	uint32_t rgb;
} classes[] = {
	{ 1, "1 block", 0x2d0966 },
	{ 2, "2 to 3", 0x690068 },
	{ 4, "4 to 7", 0x960664 },
	{ 8, "8 to 15", 0xba295c },
	{ 16, "16 to 31", 0xd64c54 },
	{ 32, "32 to 127", 0xe9724d },
	{ 128, "128 to 511", 0xf3984c },
	{ 512, "512 to 2047", 0xf6bf55 },
	{ 2048, "2048 or more", 0xf2e56d },
};

static void size_init(struct colors *colors)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(classes); i++)
		colors_add_plain(colors, 1, classes[i].name, classes[i].rgb);
	colors_set_last(colors, "contiguous file", RGB_NEUTRAL);
}

static size_t size_rule(const struct colors *colors, const struct fragment *fragment)
{
	const struct table *table = fragment->table;
	size_t i = ARRAY_LEN(classes) - 1;

	if (!table->files[table->extents[fragment->extent].file].fragmented)
		return colors->n_rules - 1;
	while (i && fragment->blks < classes[i].least)
		i--;
	return i;
}

const struct color_source color_size = {
	.name = "size",
	.heading = "fragment of",
	.meaning = "colours tell the size of a fragment, in blocks",
	.counts = "fragments",
	.init = size_init,
	.rule = size_rule,
};
