// SPDX-License-Identifier: GPL-2.0-only
/*
 * Colours by the kind of file. color.cnf defines them by extension or path. Without color.cnf, the
 * extensions with the most blocks get those colours of a palette that their names choose.
 *
 *	WHAT CONTIGUOUS FRAG_A FRAG_B
 *	.sst green light-orange dark-orange
 */
#include <fnmatch.h>

#include "conf.h"
#include "model/color.h"

#define RULE_FORM "WHAT CONTIGUOUS FRAG_A FRAG_B"

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
 * The result of a search for the colours that differ most for normal eyes and for the three kinds of
 * dichromacy, see check_palette.py. In each rule, the pale colour is contiguous, the strong and the
 * dark one are fragmented. The three also differ by lightness alone.
 */
static const uint32_t palette[][N_GIVEN_TONES] = {
	{ 0x98f7c6, 0x0d9a58, 0x003423 },
	{ 0x9ac5fd, 0x5e9ee9, 0x045b81 },
	{ 0xdbbf73, 0xe58407, 0x6d5339 },
	{ 0xfbd4fa, 0xfc23ba, 0x511e4b },
	{ 0xffad98, 0xc55314, 0x762e00 },
};

/*
 * The hash of an extension begins so: .sst, .log, .vpt, .hash and .rdb have different colours, and so have most others
 * that are often together.
 */
#define HASH_BEGIN 310282u
#define HASH_PRIME 16777619u

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
		die_at(conf->name, conf->line, "colour \"%s\" is not #rrggbb; expected # and six digits "
		       "0-9 a-f", word);
	return rgb;
}

static uint32_t read_color(const struct conf *conf, const char *word)
{
	const char *names[ARRAY_LEN(named)], *near;
	size_t i;

	if (*word == '#')
		return read_hex(conf, word);
	for (i = 0; i < ARRAY_LEN(named); i++) {
		names[i] = named[i].name;
		if (!strcmp(word, names[i]))
			return named[i].rgb;
	}
	near = nearest(word, names, i);
	if (near)
		die_at(conf->name, conf->line, "unknown colour \"%s\", did you mean %s? Expected a name or "
		       "#rrggbb", word, near);
	die_at(conf->name, conf->line, "unknown colour \"%s\"; expected #rrggbb or a name that fragtrace(1) lists",
	       word);
}

static bool is_glob(const char *what)
{
	return strpbrk(what, "*?[/");
}

static bool is_extension(const char *what)
{
	return what[0] == '.' && what[1] && !strchr(what + 1, '.');
}

static void check_what(const struct conf *conf, const char *what)
{
	if (strcmp(what, "default") && !is_glob(what) && !is_extension(what))
		die_at(conf->name, conf->line, "\"%s\" is no extension and no glob, did you mean %s%s? "
		       "Expected one like .sst, one like log/*, or default", what,
		       strchr(what, '.') ? "*" : ".", what);
}

static void read_rule(struct colors *colors, const struct conf *conf)
{
	const char *what = conf->word[0];
	struct rule *rule = colors_find(colors, what);
	uint32_t rgb[N_GIVEN_TONES];

	check_what(conf, what);
	if (conf->n_words != 1 + N_GIVEN_TONES)
		die_at(conf->name, conf->line, "%zu colours; expected three: " RULE_FORM,
		       conf->n_words - 1);
	if (rule && rule->from == colors->n_read)
		die_at(conf->name, conf->line, "a second rule for %s", what);
	if (!rule && colors->n_rules == MAX_RULES)
		die_at(conf->name, conf->line, "more than %d rules", MAX_RULES - 1);
	for (size_t i = 0; i < N_GIVEN_TONES; i++)
		rgb[i] = read_color(conf, conf->word[1 + i]);
	if (!rule || rule != &colors->rules[colors->n_rules - 1]) {
		/* the last rule wins: a repeated rule moves to the end */
		if (rule)
			colors_drop(colors, rule);
		rule = colors_add(colors, what, rgb);
	}
	colors_set(rule, what, rgb);
	rule->from = colors->n_read;
}

/**
 * colors_read() - read a color.cnf file
 * @colors: the rules, of color_kind; the rules of this file win over existing ones
 * @arg: a path, or the name of a preset
 *
 * Ends the program on the first invalid rule.
 */
void colors_read(struct colors *colors, const char *arg)
{
	struct conf conf;

	if (colors->source != &color_kind)
		die_usage("-c %s: rules are for --color-by kind", arg);
	colors->n_read++;
	conf_open(&conf, arg, "color");
	while (conf_next(&conf))
		read_rule(colors, &conf);
	conf_close(&conf);
}

/* === Which rule === */

/**
 * path_matches() - does a glob match a path?
 * @path: the path
 * @glob: a name or a glob; with a leading slash it is compared with the whole path, otherwise with as many of the
 *	last components as it has itself; no wildcard matches a slash
 *
 * Return: true if it does.
 */
bool path_matches(const char *path, const char *glob)
{
	const char *p, *tail = path;
	size_t slashes = 0;

	if (*glob == '/')
		return !strcmp(glob, path) || !fnmatch(glob, path, FNM_PATHNAME);
	for (p = glob; *p; p++)
		slashes += *p == '/';
	for (p = path + strlen(path); p > path; p--) {
		if (p[-1] == '/' && !slashes--) {
			tail = p;
			break;
		}
	}
	/* names may have brackets */
	return !strcmp(glob, tail) || !fnmatch(glob, tail, FNM_PATHNAME);
}

/**
 * path_is_shown() - does a path match what a user has typed?
 * @path: the path
 * @pattern: a part of the path, or, with one of *?[, a glob, see path_matches()
 *
 * Return: true if it does.
 */
bool path_is_shown(const char *path, const char *pattern)
{
	return strstr(path, pattern) || (strpbrk(pattern, "*?[") && path_matches(path, pattern));
}

static size_t kind_rule(const struct colors *colors, const struct file *file, const struct figures *figures)
{
	for (size_t i = colors->n_rules - 1; i; i--) {
		const char *what = colors->rules[i - 1].what;

		if (is_glob(what) ? path_matches(file->path, what) : !strcmp(file->ext, what))
			return i - 1;
	}
	return colors->n_rules - 1;
}

/* === Automatic colours === */

struct candidate {
	const char *ext;
	uint64_t blks;
};

/* Its colours in the palette: the same in every picture. */
static size_t place_of(const char *ext)
{
	uint32_t hash = HASH_BEGIN;

	while (*ext)
		hash = (hash ^ (unsigned char)*ext++) * HASH_PRIME;
	return (hash >> 16) % ARRAY_LEN(palette);
}

/**
 * colors_of_extension() - the colours that an extension has without color.cnf, if it is one of those that get any
 * @ext: the extension
 *
 * Return: its tones; NULL if it does not tell a kind of file.
 */
const uint32_t *colors_of_extension(const char *ext)
{
	return *ext ? palette[place_of(ext)] : NULL;
}

static size_t count_candidates(struct candidate *found, struct colors *colors,
			       const struct table *table)
{
	size_t n = 0, j;

	for (size_t i = 0; i < table->n_files; i++) {
		const struct file *file = &table->files[i];

		if (!colors_of_extension(file->ext) || colors_find(colors, file->ext))
			continue;
		for (j = 0; j < n && strcmp(found[j].ext, file->ext); j++)
			;
		if (j == n && n == MAX_KNOWN_EXTENSIONS)
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

	return FIRST(ORDER(y->blks, x->blks), strcmp(x->ext, y->ext));
}

/* Give colours to the extensions with the most blocks. One whose colours another one has goes without. */
static void kind_learn(struct colors *colors, const struct table *table)
{
	struct candidate found[MAX_KNOWN_EXTENSIONS];
	bool is_taken[ARRAY_LEN(palette)] = { 0 };
	size_t n, place;

	if (colors->n_read)
		return;
	for (size_t i = 0; i + 1 < colors->n_rules; i++)
		is_taken[place_of(colors->rules[i].what)] = true;
	n = count_candidates(found, colors, table);
	qsort(found, n, sizeof(*found), by_size);
	for (size_t i = 0; i < n; i++) {
		place = place_of(found[i].ext);
		if (!is_taken[place])
			colors_add(colors, found[i].ext, palette[place]);
		is_taken[place] = true;
	}
}

const struct color_source color_kind = {
	.name = "kind",
	.heading = "extension",
	.meaning = "fragmented files: strong within 8 blocks (",
	.meaning_end = ") of a break, two tones in turn; pale elsewhere",
	.near_break = NEAR_BOTH,
	.learn = kind_learn,
	.file_rule = kind_rule,
};
