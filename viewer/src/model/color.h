/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Beside the pipeline: the colours of runs of blocks.
 *
 * A colour source defines the meaning of colours: the kind of the file (color.cnf), one file against
 * all others, the worst files, what reading the file costs, or a property of the fragment: its size, its age, its writer, the reason why it begins
 * there. Each source sorts runs into rules. Each rule is a line of the legend.
 */
#pragma once

#include "input/figures.h"
#include "input/heat.h"
#include "input/table.h"

/* Each rule takes four shades of 8 bits and a line of the legend; more rules could not be distinguished. */
#define MAX_RULES 62

/* Number of extensions that are distinguished. */
#define MAX_KNOWN_EXTENSIONS 256

/*
 * Blocks on either side of a break that have a strong colour. A fragment without room for a pale block in
 * between is strong as a whole.
 */
#define BREAK_BLKS 8

/**
 * enum tone - the colours of one rule
 * @TONE_CONTIGUOUS: a contiguous file
 * @TONE_FRAG_A: every other fragment of a fragmented file
 * @TONE_FRAG_B: the fragments between these
 * @N_GIVEN_TONES: number of tones that a rule is given; the others follow from them
 * @TONE_REST: the blocks of fragmented files that are not near a break, if the source distinguishes these
 * @N_TONES: number of tones
 */
enum tone {
	TONE_CONTIGUOUS,
	TONE_FRAG_A,
	TONE_FRAG_B,
	N_GIVEN_TONES,
	TONE_REST = N_GIVEN_TONES,
	N_TONES,
};

/**
 * enum near_break - the blocks of a fragmented file that have the strong colour of its rule
 * @NEAR_ALL: all; TONE_REST is not used
 * @NEAR_BOTH: those on both sides of a break: the last ones before it, and the first ones after it
 * @NEAR_AFTER: the first ones after a break: what the rule says of the break is said of them
 */
enum near_break {
	NEAR_ALL,
	NEAR_BOTH,
	NEAR_AFTER,
};

/*
 * A shade is a rule and a tone in one number. What no watched file has, and watched files that are left
 * out of the picture, have their own shades.
 */
#define SHADE(rule, tone) ((uint8_t)(N_TONES * (rule) + (tone)))
#define SHADE_RULE(shade) ((shade) / N_TONES)
#define SHADE_TONE(shade) ((shade) % N_TONES)
#define SHADE_FREE UINT8_MAX
#define SHADE_NODES (UINT8_MAX - 1)
#define SHADE_OTHER (UINT8_MAX - 2)
#define SHADE_LEFT_OUT (UINT8_MAX - 3)
#define SHADE_IS_RULE(shade) ((shade) < MAX_RULES * N_TONES)

/* Number of colours of colors_distinct(). They also differ from two greys and white. */
#define N_DISTINCT 13
#define RGB_UNKNOWN 0x8a8a8a
#define RGB_NEUTRAL 0xc8c8c8

/* The colour of free space and of empty cells. */
#define RGB_FREE colors_themed(0xffffff)

/* Valid blocks of F2FS that no watched file has: data, and nodes. */
#define RGB_OTHER 0xefefaf
#define RGB_NODES 0xaf9f8f

/* Watched files that are left out. */
#define RGB_LEFT_OUT 0xd8e2f2

/**
 * struct rule - the colours of one line of the legend
 * @what: an extension with its dot, a glob, "default", or another text
 * @rgb: 0xrrggbb, by enum tone
 * @from: the color.cnf file that defines it, counted from 1; 0: none
 */
struct rule {
	char *what;
	uint32_t rgb[N_TONES];
	size_t from;
};

struct cause_part;
struct color_source;

/**
 * struct fragment - the properties that the colour of a run can depend on
 * @table: the table
 * @extent: its first extent: index into table.extents
 * @blks: its blocks
 * @is_break: it is not the first of its file
 */
struct fragment {
	const struct table *table;
	size_t extent;
	uint64_t blks;
	bool is_break;
};

/**
 * struct colors - all rules
 * @source: the colour source
 * @arg: what follows "NAME=" in the name of the source, or NULL
 * @rules: the last matching rule wins; there is always a default rule, and it is the last one
 * @n_rules: number of @rules, 1 to MAX_RULES
 * @n_read: number of color.cnf files read; 0: extensions get colours in order of appearance
 * @rule_of: for sources that sort by a number, the rule of each number: index into @rules
 * @heat: for the source of that name, the counts; set by the caller, must stay valid as long as what is drawn with
 *	these rules; otherwise NULL
 */
struct colors {
	const struct color_source *source;
	const char *arg;
	struct rule rules[MAX_RULES];
	size_t n_rules;
	size_t n_read;
	uint8_t *rule_of;
	const struct heat *heat;
};

/**
 * struct color_class - a rule of one colour for values from @least on, up to those of the next class
 * @least: the least value
 * @name: text of the rule
 * @rgb: its colour
 */
struct color_class {
	uint64_t least;
	const char *name;
	uint32_t rgb;
};

/**
 * struct color_source - the meaning of colours
 * @name: as in --color-by
 * @heading: of the column of rules in the legend
 * @meaning: the meaning of colours, for the legend
 * @meaning_end: what goes on after the size of a strong colour; NULL: @meaning is all
 * @counts: what the legend counts instead of files: "fragments", "reads", or "breaks" (then without the last
 *	rule); or NULL
 * @needs_causes: without causes, all have the last rule
 * @near_break: which blocks of fragmented files have the strong colour
 * @classes: the rules that do not depend on a table; the last one of them is the last rule
 * @n_classes: how many; 0: the last rule is "default"
 * @part: of rules by cause: which part of it
 * @init: make more of these rules; may be NULL
 * @learn: add the rules that a table needs; may be NULL
 * @file_rule: the rule of a file, an index into colors.rules; NULL if it depends on the fragment
 * @rule: the rule of a fragment, likewise; only needed if @file_rule is NULL
 * @range_rule: instead of both, if the rule may change within a fragment: that of a block of a file, an index into
 *	table.files; @end is set to the first block after it that has another one, if that is before @end
 */
struct color_source {
	const char *name;
	const char *heading;
	const char *meaning;
	const char *meaning_end;
	const char *counts;
	bool needs_causes;
	enum near_break near_break;
	const struct color_class *classes;
	size_t n_classes;
	const struct cause_part *part;
	void (*init)(struct colors *colors);
	void (*learn)(struct colors *colors, const struct table *table);
	size_t (*file_rule)(const struct colors *colors, const struct file *file,
			    const struct figures *figures);
	size_t (*rule)(const struct colors *colors, const struct fragment *fragment);
	size_t (*range_rule)(const struct colors *colors, const struct table *table, uint32_t file, uint64_t blk,
			     uint64_t *end);
};

/**
 * struct count - the totals of one rule
 * @files: number of files, [0] contiguous, [1] fragmented; 0 where a file may have several rules
 * @blks: blocks of these files
 * @fragments: fragments of these files
 * @reads: reads of windows that have a block there; only known with colors.heat
 */
struct count {
	uint64_t files[2];
	uint64_t blks[2];
	uint64_t fragments[2];
	uint64_t reads;
};

extern const struct color_source color_kind, color_severity, color_size, color_file, color_cause, color_why,
	color_process, color_age, color_heat, color_worst;

void colors_init(struct colors *colors, const char *by);
void colors_learn(struct colors *colors, const struct table *table);
void colors_take(struct colors *to, struct colors *from);
void colors_free(struct colors *colors);

char *colors_meaning(const struct colors *colors, const struct table *table);
char *colors_trouble(const struct colors *colors, const struct count *counts);
void colors_set_theme(bool is_dark);
uint32_t colors_themed(uint32_t rgb);
uint32_t colors_tone(const struct rule *rule, enum tone tone);
uint32_t colors_rgb(const struct colors *colors, uint8_t shade);
/**
 * struct mix - a mixture of colours by exact shares
 * @n: how much is in it
 * @red: the sum of its red
 * @green: likewise
 * @blue: likewise
 */
struct mix {
	uint64_t n;
	uint64_t red, green, blue;
};

void colors_mix_in(struct mix *mix, uint64_t n, uint32_t rgb);
uint32_t colors_mixed(const struct mix *mix);
uint32_t colors_diluted(uint32_t rgb, double share);

/* For colour sources. */
struct rule *colors_add(struct colors *colors, const char *what, const uint32_t rgb[N_GIVEN_TONES]);
void colors_set(struct rule *rule, const char *what, const uint32_t rgb[N_GIVEN_TONES]);
void colors_drop(struct colors *colors, struct rule *rule);
struct rule *colors_find(struct colors *colors, const char *what);

/* For colour sources whose rules have one colour each. */
void colors_add_plain(struct colors *colors, size_t last, const char *what, uint32_t rgb);

size_t colors_class_of(const struct colors *colors, uint64_t value);
uint32_t colors_distinct(size_t i);

/* Reads color.cnf; only for the kind of file. */
void colors_read(struct colors *colors, const char *arg);
const uint32_t *colors_of_extension(const char *ext);
bool path_matches(const char *path, const char *glob);
bool path_is_shown(const char *path, const char *pattern);
