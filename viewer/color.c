// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: which colours the files of an extension get (color.cnf).
 *
 *	EXT CONTIGUOUS FRAG_A FRAG_B
 *	.sst green light-orange dark-orange
 */
#include <stdlib.h>
#include <string.h>

#include "color.h"
#include "conf.h"

#define RULE_FORM "EXT CONTIGUOUS FRAG_A FRAG_B"

/* Distinct extensions that are weighed before colours are handed out. */
#define MAX_CANDIDATES 256

static const struct {
	const char *name;
	uint32_t rgb;
} named[] = {
	{ "white", 0xffffff }, { "black", 0x000000 },
	{ "gray", 0x949494 }, { "light-gray", 0xc9c9c9 }, { "dark-gray", 0x5c5c5c },
	{ "red", 0xc8382e }, { "light-red", 0xf29b92 }, { "dark-red", 0x7d1a14 },
	{ "orange", 0xe8871e }, { "light-orange", 0xffbe5c }, { "dark-orange", 0xb84a00 },
	{ "yellow", 0xf0e442 }, { "light-yellow", 0xfaf3a5 }, { "dark-yellow", 0xa89a00 },
	{ "green", 0x3fa34d }, { "light-green", 0xa6dba0 }, { "dark-green", 0x14602a },
	{ "teal", 0x1f9e96 }, { "light-teal", 0x6fd6cc }, { "dark-teal", 0x0b5e5a },
	{ "blue", 0x3a76d6 }, { "light-blue", 0xa9ccf5 }, { "dark-blue", 0x17408c },
	{ "purple", 0x8f4fbf }, { "light-purple", 0xcda4e8 }, { "dark-purple", 0x5e2390 },
	{ "brown", 0x96643a }, { "light-brown", 0xcfa77c }, { "dark-brown", 0x5e3717 },
};

/*
 * Hues that the colour-blind can tell apart (the set of Okabe and Ito). In each, pale is
 * contiguous, strong and dark are fragmented: the three also differ in lightness alone.
 */
static const uint32_t palette[][N_TONES] = {
	{ 0xa5dcc6, 0x009e73, 0x004d38 },
	{ 0xb5dbf5, 0x2f8fd0, 0x003a61 },
	{ 0xfbe2a6, 0xe09c00, 0x7d5a00 },
	{ 0xf0cfe1, 0xcc79a7, 0x76264f },
	{ 0xf9cdb4, 0xd9500f, 0x6b1000 },
};

static const uint32_t default_tones[N_TONES] = { 0xcfcfcf, 0x808080, 0x1c1c1c };

/* The least share of its colour that a cell gets which holds anything. */
#define LEAST_INK 0.25

/* === color.cnf === */

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *p = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;

	return p ? (int)(p - digits) : -1;
}

static uint32_t read_hex(const struct conf *conf, const char *word)
{
	uint32_t rgb = 0;
	size_t i;

	for (i = 1; word[i]; i++) {
		int digit = hex_digit(word[i]);

		if (digit < 0)
			break;
		rgb = rgb << 4 | (uint32_t)digit;
	}
	if (i != 7 || word[i])
		die_at(conf->name, conf->line, "colour \"%s\" is not #rrggbb, expected # and six digits "
		       "0-9 a-f", word);
	return rgb;
}

static uint32_t read_color(const struct conf *conf, const char *word)
{
	const char *names[ARRAY_LEN(named)];
	size_t i;

	if (*word == '#')
		return read_hex(conf, word);
	for (i = 0; i < ARRAY_LEN(named); i++) {
		names[i] = named[i].name;
		if (!strcmp(word, names[i]))
			return named[i].rgb;
	}
	die_at(conf->name, conf->line, "unknown colour \"%s\", did you mean %s? Expected a name or "
	       "#rrggbb", word, nearest(word, names, i));
}

static const struct rule *find_rule(const struct colors *colors, const char *ext)
{
	size_t i;

	for (i = 0; i < colors->n_rules; i++)
		if (!strcmp(colors->rules[i].ext, ext))
			return &colors->rules[i];
	return NULL;
}

static struct rule *add_rule(struct colors *colors, const char *ext, const uint32_t rgb[N_TONES])
{
	struct rule *rule = &colors->rules[colors->n_rules++];

	rule->ext = xasprintf("%s", ext);
	memcpy(rule->rgb, rgb, sizeof(rule->rgb));
	return rule;
}

static void read_rule(struct colors *colors, const struct conf *conf)
{
	const char *ext = conf->word[0];
	uint32_t rgb[N_TONES];
	size_t i;

	if (strcmp(ext, "default") && (ext[0] != '.' || !ext[1] || strpbrk(ext + 1, "./")))
		die_at(conf->name, conf->line, "\"%s\" is no extension, expected one like .sst, or "
		       "default", ext);
	if (conf->n_words != 1 + N_TONES)
		die_at(conf->name, conf->line, "%zu colours, expected three: " RULE_FORM,
		       conf->n_words - 1);
	if (find_rule(colors, ext))
		die_at(conf->name, conf->line, "a second rule for %s", ext);
	/* the last place is kept for the default rule */
	if (colors->n_rules == MAX_RULES - 1 && strcmp(ext, "default"))
		die_at(conf->name, conf->line, "more than %d rules", MAX_RULES - 1);
	for (i = 0; i < N_TONES; i++)
		rgb[i] = read_color(conf, conf->word[1 + i]);
	add_rule(colors, ext, rgb);
}

/* The rules keep their order, but the default rule goes last. */
static void default_last(struct colors *colors)
{
	struct rule fallback;
	size_t i;

	if (!find_rule(colors, "default"))
		add_rule(colors, "default", default_tones);
	i = (size_t)(find_rule(colors, "default") - colors->rules);
	fallback = colors->rules[i];
	memmove(&colors->rules[i], &colors->rules[i + 1],
		(colors->n_rules - i - 1) * sizeof(fallback));
	colors->rules[colors->n_rules - 1] = fallback;
}

/**
 * colors_read() - read a color.cnf file
 * @colors: the result; to be freed with colors_free()
 * @arg: a path, the name of a preset, or NULL to give out colours automatically
 *
 * Ends the program on the first rule that is not right.
 */
void colors_read(struct colors *colors, const char *arg)
{
	struct conf conf;

	*colors = (struct colors){ .automatic = !arg };
	if (arg) {
		conf_open(&conf, arg, "color");
		while (conf_next(&conf))
			read_rule(colors, &conf);
		conf_close(&conf);
	}
	default_last(colors);
}

/* === Automatic colours === */

struct candidate {
	const char *ext;
	uint64_t blks;
};

/* LOG.old.1699 and the like: a number is no kind of file. */
static bool is_number(const char *ext)
{
	return !ext[1 + strspn(ext + 1, "0123456789")];
}

static size_t count_candidates(struct candidate *found, const struct colors *colors,
			       const struct table *table)
{
	size_t n = 0, i, j;

	for (i = 0; i < table->n_files; i++) {
		const struct file *file = &table->files[i];

		if (!*file->ext || is_number(file->ext) || find_rule(colors, file->ext))
			continue;
		for (j = 0; j < n && strcmp(found[j].ext, file->ext); j++)
			;
		if (j == n && n == MAX_CANDIDATES)
			continue;
		if (j == n)
			found[n++] = (struct candidate){ .ext = file->ext };
		found[j].blks += file->blks;
	}
	return n;
}

static int by_size(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->blks != y->blks)
		return x->blks < y->blks ? 1 : -1;
	return strcmp(x->ext, y->ext);
}

/**
 * colors_learn() - give colours to the extensions of a table that hold the most blocks
 * @colors: the rules; those that are there keep their colours, so that pictures can be compared
 * @table: what is going to be drawn
 *
 * Does nothing where a color.cnf was read, or when the palette is used up.
 */
void colors_learn(struct colors *colors, const struct table *table)
{
	struct candidate found[MAX_CANDIDATES];
	size_t n, i;

	if (!colors->automatic || colors->n_rules > ARRAY_LEN(palette))
		return;
	n = count_candidates(found, colors, table);
	qsort(found, n, sizeof(*found), by_size);
	for (i = 0; i < n && colors->n_rules <= ARRAY_LEN(palette); i++)
		add_rule(colors, found[i].ext, palette[colors->n_rules - 1]);
	default_last(colors);
}

/**
 * colors_rule() - the rule for an extension
 * @colors: the rules
 * @ext: extension with its dot, or ""
 *
 * Return: an index into @colors->rules.
 */
size_t colors_rule(const struct colors *colors, const char *ext)
{
	const struct rule *rule = *ext ? find_rule(colors, ext) : NULL;

	return rule ? (size_t)(rule - colors->rules) : colors->n_rules - 1;
}

/**
 * colors_rgb() - the colour of a shade
 * @colors: the rules
 * @shade: the shade
 *
 * Return: 0xrrggbb.
 */
uint32_t colors_rgb(const struct colors *colors, uint8_t shade)
{
	if (shade == SHADE_FREE)
		return RGB_FREE;
	return colors->rules[SHADE_RULE(shade)].rgb[SHADE_TONE(shade)];
}

static uint32_t thin(uint32_t value, uint32_t free, double ink)
{
	return (uint32_t)(free - ink * ((double)free - value) + 0.5);
}

/**
 * colors_thin() - the colour of a cell that is not full
 * @rgb: the colour of what it holds
 * @share: how much of it that is, above 0 and up to 1
 *
 * A cell that holds anything at all gets at least a quarter of the colour of that: one block in a
 * cell of thousands must not vanish. So a share of s is drawn as 1/4 + s * 3/4.
 *
 * Values are mixed as they are in the picture, not as light: equal steps of a share are then about
 * equal steps to the eye, and a cell one tenth full can be told from an empty one.
 *
 * Return: 0xrrggbb.
 */
uint32_t colors_thin(uint32_t rgb, double share)
{
	double ink = LEAST_INK + (1.0 - LEAST_INK) * share;

	return thin(rgb >> 16, RGB_FREE >> 16, ink) << 16 |
	       thin(rgb >> 8 & 0xff, RGB_FREE >> 8 & 0xff, ink) << 8 |
	       thin(rgb & 0xff, RGB_FREE & 0xff, ink);
}

/**
 * colors_free() - release the rules
 * @colors: as left by colors_read()
 */
void colors_free(struct colors *colors)
{
	size_t i;

	for (i = 0; i < colors->n_rules; i++)
		free(colors->rules[i].ext);
	*colors = (struct colors){ 0 };
}
