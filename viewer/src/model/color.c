// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: the colours of runs. This file has the code that all colour sources share. */

#include "model/color.h"

/* The least share of its colour that a cell gets if it is not empty. */
#define LEAST_INK 0.25

/* In the dark, percent of the colour of blocks that are not near a break: on dark paper, it is the dim one that is not seen first. */
#define DIM_LIGHT 32

/* In the dark, half of the lightness that a colour has less than this is added to it. */
#define LEAST_LIGHTNESS 61

/* Percent of ink in the colour of blocks that are not near a break. */
#define PALE_INK 25

static const uint32_t default_tones[N_GIVEN_TONES] = { 0xc1c1c1, 0x858585, 0x585858 };

/* Result of the search for the palette of color_kind.c; two greys and white were part of it. */
static const uint32_t distinct[N_DISTINCT] = {
	0x1332fb, 0xfb5c1f, 0x45ef66, 0xf483dc, 0x730b0a, 0x32514a, 0x8553c2, 0x9fe500, 0xb4220d, 0x56087e,
	0xbe916d, 0xa64492, 0x3d00a5,
};

/* === Sources === */

static const struct color_source *const sources[] = {
	&color_kind, &color_severity, &color_size, &color_file, &color_cause, &color_why, &color_process, &color_age,
	&color_heat, &color_worst,
};

/* The last class is the last rule. */
static void add_classes(struct colors *colors)
{
	const struct color_class *class = colors->source->classes;

	for (size_t i = 0; i < colors->source->n_classes; i++, class++)
		colors_add_plain(colors, 1, class->name, class->rgb);
	if (colors->source->n_classes)
		colors_drop(colors, &colors->rules[colors->n_rules - 1]);
}

/**
 * colors_init() - choose the meaning of colours
 * @colors: the result; to be freed with colors_free()
 * @by: "file=PATH" or the name of another source; must stay valid as long as @colors
 *
 * Ends the program if there is no such source.
 */
void colors_init(struct colors *colors, const char *by)
{
	size_t n = strcspn(by, "="), i;

	for (i = 0; i < ARRAY_LEN(sources); i++)
		if (strlen(sources[i]->name) == n && !strncmp(by, sources[i]->name, n))
			break;
	if (i == ARRAY_LEN(sources) || (by[n] == '=') != (sources[i] == &color_file) ||
	    (by[n] && !by[n + 1]))
		die_usage("--color-by %s: expected kind, severity, worst, size, cause, why, process, age, heat or file=PATH", by);
	*colors = (struct colors){ .source = sources[i], .arg = by[n] ? by + n + 1 : NULL };
	colors_add(colors, "default", default_tones);
	add_classes(colors);
	if (colors->source->init)
		colors->source->init(colors);
}

/**
 * colors_learn() - make the rules that a table needs
 * @colors: the rules; existing rules keep their colours, so that pictures can be compared
 * @table: the table to be drawn
 */
void colors_learn(struct colors *colors, const struct table *table)
{
	if (colors->source->learn)
		colors->source->learn(colors, table);
}

/**
 * colors_take() - copy the rules as they are now
 * @to: the result, to be freed with colors_free(); it stays as it is when others learn more
 * @from: the rules; what they know of the last table alone goes to @to
 */
void colors_take(struct colors *to, struct colors *from)
{
	*to = *from;
	from->rule_of = NULL;
	for (size_t i = 0; i < to->n_rules; i++)
		to->rules[i].what = xasprintf("%s", from->rules[i].what);
}

/**
 * colors_free() - release the rules
 * @colors: as left by colors_init()
 */
void colors_free(struct colors *colors)
{
	for (size_t i = 0; i < colors->n_rules; i++)
		free(colors->rules[i].what);
	free(colors->rule_of);
	*colors = (struct colors){ 0 };
}

/* === Rules === */

static uint32_t pale_channel(uint32_t a, uint32_t b, unsigned int shift)
{
	uint32_t mean = ((a >> shift & 0xff) + (b >> shift & 0xff)) / 2;

	return (0xff - (0xff - mean) * PALE_INK / 100) << shift;
}

/* The pale colour of both tones of fragments. */
static uint32_t pale_of(uint32_t a, uint32_t b)
{
	return pale_channel(a, b, 16) | pale_channel(a, b, 8) | pale_channel(a, b, 0);
}

/**
 * colors_add() - add a rule before the last one
 * @colors: the rules, fewer than MAX_RULES
 * @what: extension, glob or text of the rule
 * @rgb: its colours
 *
 * Return: the rule, until the next one is added.
 */
struct rule *colors_add(struct colors *colors, const char *what, const uint32_t rgb[N_GIVEN_TONES])
{
	struct rule *rule = &colors->rules[colors->n_rules];

	if (colors->n_rules++) {
		*rule = rule[-1];
		rule--;
	}
	*rule = (struct rule){ 0 };
	colors_set(rule, what, rgb);
	return rule;
}

/**
 * colors_set() - set the text and the colours of a rule
 * @rule: the rule
 * @what: extension, glob or text of the rule
 * @rgb: its colours
 */
void colors_set(struct rule *rule, const char *what, const uint32_t rgb[N_GIVEN_TONES])
{
	free(rule->what);
	rule->what = xasprintf("%s", what);
	memcpy(rule->rgb, rgb, N_GIVEN_TONES * sizeof(*rgb));
	/* a rule of one colour stays one */
	rule->rgb[TONE_REST] = rgb[TONE_CONTIGUOUS] == rgb[TONE_FRAG_A] && rgb[TONE_FRAG_A] == rgb[TONE_FRAG_B] ?
			       rgb[TONE_FRAG_A] : pale_of(rgb[TONE_FRAG_A], rgb[TONE_FRAG_B]);
}

/**
 * colors_drop() - remove a rule
 * @colors: the rules
 * @rule: one of them
 */
void colors_drop(struct colors *colors, struct rule *rule)
{
	free(rule->what);
	colors->n_rules--;
	memmove(rule, rule + 1, (size_t)(colors->rules + colors->n_rules - rule) * sizeof(*rule));
}

/**
 * colors_find() - find a rule by its text
 * @colors: the rules
 * @what: extension, glob or text of the rule
 *
 * Return: the rule, or NULL.
 */
struct rule *colors_find(struct colors *colors, const char *what)
{
	for (size_t i = 0; i < colors->n_rules; i++)
		if (!strcmp(colors->rules[i].what, what))
			return &colors->rules[i];
	return NULL;
}

/**
 * colors_add_plain() - add a rule of one colour
 * @colors: the rules, fewer than MAX_RULES
 * @last: the new rule goes before this many last rules, at least 1
 * @what: text of the rule
 * @rgb: its colour
 */
void colors_add_plain(struct colors *colors, size_t last, const char *what, uint32_t rgb)
{
	struct rule *rule = colors_add(colors, what, (const uint32_t[N_GIVEN_TONES]){ rgb, rgb, rgb }), added;

	rule->rgb[TONE_REST] = RGB_NEUTRAL;
	added = *rule;
	for (; last > 1; last--, rule--)
		*rule = rule[-1];
	*rule = added;
}

/**
 * colors_class_of() - the rule of a value
 * @colors: the colours, of a source with classes
 * @value: what they are classes of
 *
 * Return: the last class that begins at @value or below, as the index of its rule.
 */
size_t colors_class_of(const struct colors *colors, uint64_t value)
{
	size_t n = colors->source->n_classes;

	while (--n && value < colors->source->classes[n].least)
		;
	return n;
}

/**
 * colors_meaning() - what the colours of a table mean
 * @colors: the rules
 * @table: the table
 *
 * Return: a text for the legend; to be freed.
 */
char *colors_meaning(const struct colors *colors, const struct table *table)
{
	const struct color_source *source = colors->source;

	if (!source->meaning_end)
		return xasprintf("%s", source->meaning);
	return xasprintf("%s%s%s", source->meaning, BYTES((uint64_t)BREAK_BLKS * table_blk_bytes(table)), source->meaning_end);
}

/**
 * colors_trouble() - what is odd about the colours of a table
 * @colors: the rules
 * @counts: the totals, by rule
 *
 * Return: a sentence, to be freed; or NULL.
 */
char *colors_trouble(const struct colors *colors, const struct count *counts)
{
	if (colors->source != &color_file || counts[0].files[0] + counts[0].files[1])
		return NULL;
	return xasprintf("no watched file matches %s: all blocks have the colours of the others", colors->arg);
}

/* === Light and dark === */

static bool is_dark;

/* Paper and inks: light and dark. */
static const uint32_t papers[][2] = {
	{ 0xffffff, 0x000000 }, { 0xecebe6, 0x1b1c1f }, { 0x202124, 0xe8e6e1 }, { 0x6a6a67, 0xa9a9a4 }, { 0x474745, 0xc4c4bf },
	{ 0xd2d1cb, 0x45474c }, { 0xe6e6e6, 0x2a2c30 },
};

/**
 * colors_set_theme() - choose the colours of what is drawn from now on
 * @dark: light ink on dark paper
 */
void colors_set_theme(bool dark)
{
	is_dark = dark;
}

/**
 * colors_themed() - a colour as it is drawn
 * @rgb: the colour in a light picture
 *
 * In a dark one, free space is black, and dark colours are lighter, so that all eyes can still tell them apart.
 *
 * Return: 0xrrggbb.
 */
uint32_t colors_themed(uint32_t rgb)
{
	uint32_t lightness, more;

	if (!is_dark)
		return rgb;
	for (uint32_t i = 0; i < ARRAY_LEN(papers); i++)
		if (papers[i][0] == rgb)
			return papers[i][1];
	lightness = (213 * (rgb >> 16) + 715 * (rgb >> 8 & 0xff) + 72 * (rgb & 0xff)) / 1000;
	more = lightness < LEAST_LIGHTNESS ? (LEAST_LIGHTNESS - lightness) / 2 : 0;
	for (uint32_t i = 0; i <= 16; i += 8)
		rgb += more < 0xff - (rgb >> i & 0xff) ? more << i : (0xff - (rgb >> i & 0xff)) << i;
	return rgb;
}

/**
 * colors_tone() - a colour of a rule as it is drawn
 * @rule: the rule
 * @tone: which one
 *
 * Return: 0xrrggbb.
 */
uint32_t colors_tone(const struct rule *rule, enum tone tone)
{
	uint32_t rgb = rule->rgb[tone];

	if (!is_dark || tone != TONE_REST || rgb == rule->rgb[TONE_FRAG_A])
		return colors_themed(rgb);
	return (rgb >> 16) * DIM_LIGHT / 100 << 16 | (rgb >> 8 & 0xff) * DIM_LIGHT / 100 << 8 |
	       (rgb & 0xff) * DIM_LIGHT / 100;
}

/* === Colours === */

/**
 * colors_distinct() - one of several distinguishable colours
 * @i: which one, below N_DISTINCT; the strongest contrasts come first
 *
 * Return: 0xrrggbb.
 */
uint32_t colors_distinct(size_t i)
{
	return distinct[i];
}

/**
 * colors_rgb() - the colour of a shade
 * @colors: the rules
 * @shade: a rule and a tone
 *
 * Return: 0xrrggbb.
 */
uint32_t colors_rgb(const struct colors *colors, uint8_t shade)
{
	if (shade == SHADE_FREE)
		return RGB_FREE;
	if (shade == SHADE_LEFT_OUT)
		return colors_themed(RGB_LEFT_OUT);
	if (!SHADE_IS_RULE(shade))
		return colors_themed(shade == SHADE_NODES ? RGB_NODES : RGB_OTHER);
	return colors_tone(&colors->rules[SHADE_RULE(shade)], SHADE_TONE(shade));
}

/**
 * colors_mix_in() - add to a mixture of colours
 * @mix: the mixture, at first all zeroes
 * @n: how much is added
 * @rgb: its colour
 */
void colors_mix_in(struct mix *mix, uint64_t n, uint32_t rgb)
{
	mix->n += n;
	mix->red += n * (rgb >> 16);
	mix->green += n * (rgb >> 8 & 0xff);
	mix->blue += n * (rgb & 0xff);
}

static uint32_t mean(uint64_t sum, uint64_t n)
{
	return (uint32_t)((sum + n / 2) / n);
}

/**
 * colors_mixed() - the mean colour of a mixture
 * @mix: the mixture, not empty
 *
 * Return: 0xrrggbb.
 */
uint32_t colors_mixed(const struct mix *mix)
{
	return mean(mix->red, mix->n) << 16 | mean(mix->green, mix->n) << 8 | mean(mix->blue, mix->n);
}

static uint32_t diluted(uint32_t value, uint32_t free, double ink)
{
	return (uint32_t)(free - ink * ((double)free - value) + 0.5);
}

/**
 * colors_diluted() - the colour of a cell that is not full
 * @rgb: the colour of its content
 * @share: how much of the cell that is, above 0 and up to 1
 *
 * A cell that is not empty gets at least a quarter of the colour of its content: one block in a cell
 * of thousands must stay visible. So a share of s is drawn as 1/4 + s * 3/4.
 *
 * The sRGB values of the picture are mixed, not linear light. Equal steps of a share then look about
 * equal, and a cell that is one tenth full is distinguishable from an empty one.
 *
 * Return: 0xrrggbb.
 */
uint32_t colors_diluted(uint32_t rgb, double share)
{
	double ink = LEAST_INK + (1.0 - LEAST_INK) * share;
	uint32_t paper = RGB_FREE;

	return diluted(rgb >> 16, paper >> 16, ink) << 16 |
	       diluted(rgb >> 8 & 0xff, paper >> 8 & 0xff, ink) << 8 |
	       diluted(rgb & 0xff, paper & 0xff, ink);
}
