// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: find and read configuration files, and parse img.cnf.
 * color.c parses the lines of color.cnf. Both files share the code here: words, comments and presets.
 */

#include "conf.h"

/* === Finding the file === */

/* The directory of the program itself, with its last slash; NULL if it is not known. */
static char *program_dir(void)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	if (n <= 0)
		return NULL;
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	if (!slash)
		return NULL;
	slash[1] = '\0';
	return xasprintf("%s", exe);
}

/**
 * conf_find_installed() - find a file that is installed, or lies below the program in the source tree
 * @source_dir: where it is in the source tree, relative to the program, with a slash at its end; an empty text: beside it
 * @name: its name
 *
 * The installed tree is found relative to the program, too.
 *
 * Return: its path, to be freed; NULL if there is none.
 */
char *conf_find_installed(const char *source_dir, const char *name)
{
	char *dir = program_dir(), *paths[] = {
		dir ? xasprintf("%s%s%s", dir, source_dir, name) : NULL,
		dir ? xasprintf("%s../share/fragtrace/%s", dir, name) : NULL,
		xasprintf(PRESETDIR "/%s", name),
	}, *found = NULL;

	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		if (paths[i] && !found && !access(paths[i], R_OK))
			found = paths[i];
		else
			free(paths[i]);
	}
	free(dir);
	return found;
}

/* An argument without a slash may be the name of a preset; anything else is a path. */
static char *find_conf(const char *arg, const char *kind)
{
	AUTO_FREE char *name = xasprintf("%s.%s.cnf", arg, kind);
	char *path = strchr(arg, '/') ? NULL : conf_find_installed("presets/", name);

	return path ? path : xasprintf("%s", arg);
}

/**
 * conf_open() - read a configuration file
 * @conf: the result; to be closed with conf_close()
 * @arg: a path, or the name of a preset
 * @kind: "color" or "img"
 *
 * Ends the program if the file cannot be read.
 */
void conf_open(struct conf *conf, const char *arg, const char *kind)
{
	int err;

	*conf = (struct conf){ .name = find_conf(arg, kind) };
	err = slurp_file(&conf->text, conf->name);
	if (err)
		die("%s: %s; give %s %s.cnf file or a preset: rocksdb, redis or voltdb", conf->name, strerror(err),
		    *kind == 'i' ? "an" : "a", kind);
	if (memchr(conf->text.buf, '\0', conf->text.len))
		die("%s: a NUL byte in the file; expected text", conf->name);
	conf->next = conf->text.buf;
}

/* === Lines and words === */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* A # begins a comment at the start of a line or before a blank; elsewhere #rrggbb is a colour. */
static bool is_comment(const char *p, const char *line)
{
	if (*p != '#')
		return false;
	return p == line || !p[1] || is_blank(p[1]);
}

static void split_words(struct conf *conf, char *line)
{
	char *p = line;

	conf->n_words = 0;
	for (;;) {
		while (is_blank(*p))
			p++;
		if (!*p || is_comment(p, line) || (!conf->n_words && *p == '#'))
			return;
		if (conf->n_words == CONF_MAX_WORDS)
			die_at(conf->name, conf->line, "more than %d words in the line, the last is "
			       "\"%.24s\"", CONF_MAX_WORDS, p);
		conf->word[conf->n_words++] = p;
		while (*p && !is_blank(*p))
			p++;
		if (*p)
			*p++ = '\0';
	}
}

/**
 * conf_next() - go to the next line that has a word
 * @conf: an open file
 *
 * Return: false at the end of the file; otherwise @conf has at least one word.
 */
bool conf_next(struct conf *conf)
{
	while (conf->next && *conf->next) {
		char *line = conf->next;
		char *newline = strchr(line, '\n');

		if (newline)
			*newline = '\0';
		conf->next = newline ? newline + 1 : NULL;
		conf->line++;
		split_words(conf, line);
		if (conf->n_words)
			return true;
	}
	return false;
}

/**
 * conf_close() - release a configuration file
 * @conf: as left by conf_open()
 */
void conf_close(struct conf *conf)
{
	free(conf->name);
	text_free(&conf->text);
	*conf = (struct conf){ 0 };
}

/* === img.cnf === */

static const char *const layout_names[] = { "boxes", "segments", "hilbert", "zones", NULL };
static const char *const theme_names[] = { "light", "dark", NULL };

/* A value is a number, or one of several names. */
static const struct img_key {
	const char *name;
	size_t field;
	uint64_t min, max, preset;
	const char *const *names;
} img_keys[] = {
	{ "layout", offsetof(struct img_conf, layout), 0, LAYOUT_ZONES, LAYOUT_AUTO, layout_names },
	{ "max_length", offsetof(struct img_conf, max_length), 0, UINT64_C(1) << 48, 1024, NULL },
	{ "stub", offsetof(struct img_conf, stub), 0, 1024, 3, NULL },
	{ "cell", offsetof(struct img_conf, cell), 1, 64, 8, NULL },
	{ "border", offsetof(struct img_conf, border), 0, 16, 1, NULL },
	{ "width", offsetof(struct img_conf, width), 640, 8192, 1280, NULL },
	{ "height", offsetof(struct img_conf, height), 0, 25000, 2560, NULL },
	{ "dpi", offsetof(struct img_conf, dpi), 48, 600, 96, NULL },
	{ "theme", offsetof(struct img_conf, theme), 0, 1, THEME_LIGHT, theme_names },
	{ "section", offsetof(struct img_conf, section), 0, 1 << 20, 0, NULL },
};

static uint64_t *img_field(struct img_conf *img, const struct img_key *key)
{
	return (uint64_t *)(void *)((char *)img + key->field);
}

/* Find a key by name. If there is none, return NULL and set *near to the most similar name, or to NULL. */
static const struct img_key *find_key(const char *name, const char **near)
{
	const char *names[ARRAY_LEN(img_keys)];
	size_t i;

	for (i = 0; i < ARRAY_LEN(img_keys); i++) {
		names[i] = img_keys[i].name;
		if (!strcmp(name, names[i]))
			return &img_keys[i];
	}
	*near = nearest(name, names, i);
	return NULL;
}

static bool read_name(const char *word, const struct img_key *key, uint64_t *value)
{
	for (*value = 0; key->names[*value]; ++*value)
		if (!strcmp(word, key->names[*value]))
			return true;
	return false;
}

static bool read_value(const char *word, const struct img_key *key, uint64_t *value)
{
	return key->names ? read_name(word, key, value) : parse_number(word, key->max, value) && *value >= key->min;
}

/* A description of the valid values. To be freed. */
static char *expected(const struct img_key *key)
{
	char *all = NULL;

	if (!key->names)
		return xasprintf("a number from %ju to %ju", (uintmax_t)key->min, (uintmax_t)key->max);
	for (uint64_t i = 0; i <= key->max; i++)
		xappend(&all, "%s%s", !i ? "" : i < key->max ? ", " : " or ", key->names[i]);
	return all;
}

/* `key value`, `key = value`, and the same without blanks around the sign. */
static void split_at_sign(struct conf *conf)
{
	char *sign = strchr(conf->word[0], '=');

	if (conf->n_words == 3 && !strcmp(conf->word[1], "=")) {
		conf->word[1] = conf->word[2];
		conf->n_words = 2;
	} else if (conf->n_words == 2 && sign && !sign[1]) {
		*sign = '\0';
	} else if (conf->n_words == 2 && !sign && conf->word[1][0] == '=') {
		conf->word[1]++;
	} else if (conf->n_words == 1 && sign) {
		*sign = '\0';
		conf->word[1] = sign + 1;
		conf->n_words = 2;
	}
}

/**
 * img_conf_read() - read an img.cnf file
 * @img: the result
 * @arg: a path, the name of a preset, or NULL for what is built in
 *
 * Ends the program on an unknown or repeated key and on a value that is out of range.
 */
void img_conf_read(struct img_conf *img, const char *arg)
{
	bool seen[ARRAY_LEN(img_keys)] = { false }, folds = false;
	struct conf conf;

	for (size_t i = 0; i < ARRAY_LEN(img_keys); i++)
		*img_field(img, &img_keys[i]) = img_keys[i].preset;
	if (!arg)
		return;
	conf_open(&conf, arg, "img");
	while (conf_next(&conf)) {
		const struct img_key *key;
		const char *near;

		split_at_sign(&conf);
		key = find_key(conf.word[0], &near);
		if (!key)
			die_at(conf.name, conf.line, "unknown key \"%s\"%s%s%s keys are layout, max_length, stub, cell, "
			       "border, width, height, dpi, theme and section", conf.word[0], near ? ", did you mean " : ", ",
			       near ? near : "", near ? "? The" : "the");
		if (conf.n_words != 2)
			die_at(conf.name, conf.line, "%zu words in the line; expected: key = value",
			       conf.n_words);
		if (seen[key - img_keys])
			die_at(conf.name, conf.line, "%s comes twice", key->name);
		seen[key - img_keys] = true;
		if (!read_value(conf.word[1], key, img_field(img, key)))
			die_at(conf.name, conf.line, "%s is \"%s\"; expected %s", key->name,
			       conf.word[1], expected(key));
		folds |= !strcmp(key->name, "max_length");
	}
	conf_close(&conf);
	/* who says what is folded wants boxes */
	if (folds && img->layout == LAYOUT_AUTO)
		img->layout = LAYOUT_BOXES;
}

/**
 * img_conf_set() - set one key from the command line
 * @img: the settings of the picture; changed
 * @name: a key of img.cnf
 * @value: its value
 *
 * Ends the program on a value that is out of range.
 */
void img_conf_set(struct img_conf *img, const char *name, const char *value)
{
	const char *near;
	const struct img_key *key = find_key(name, &near);

	if (!read_value(value, key, img_field(img, key)))
		die_usage("--%s %s: expected %s", name, value, expected(key));
}
