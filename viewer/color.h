/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: which colours the files of an extension get (color.cnf). */
#ifndef COLOR_H
#define COLOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "table.h"

/* Each rule costs three colours and a line of the legend; more could not be told apart. */
#define MAX_RULES 64

/**
 * enum tone - the colours of one rule
 * @TONE_CONTIGUOUS: a contiguous file
 * @TONE_FRAG_A: every other fragment of a fragmented file
 * @TONE_FRAG_B: the fragments between these
 * @N_TONES: number of tones
 */
enum tone {
	TONE_CONTIGUOUS,
	TONE_FRAG_A,
	TONE_FRAG_B,
	N_TONES,
};

/*
 * A shade is a rule and a tone in one number. Free space has one of its own.
 */
#define SHADE(rule, tone) ((uint8_t)((rule) * N_TONES + (tone)))
#define SHADE_RULE(shade) ((shade) / N_TONES)
#define SHADE_TONE(shade) ((shade) % N_TONES)
#define SHADE_FREE UINT8_MAX

/* The colour of free space, and of every cell that holds nothing. */
#define RGB_FREE 0xffffff

/**
 * struct rule - the colours of one extension
 * @ext: the extension with its dot, or "default"
 * @rgb: 0xrrggbb, by enum tone
 */
struct rule {
	char *ext;
	uint32_t rgb[N_TONES];
};

/**
 * struct colors - all rules
 * @rules: in the order of the file; the default rule is always there and always last
 * @n_rules: number of @rules, 1 to MAX_RULES
 * @automatic: no color.cnf was given: extensions get colours as they are met
 */
struct colors {
	struct rule rules[MAX_RULES];
	size_t n_rules;
	bool automatic;
};

void colors_read(struct colors *colors, const char *arg);
void colors_learn(struct colors *colors, const struct table *table);
size_t colors_rule(const struct colors *colors, const char *ext);
uint32_t colors_rgb(const struct colors *colors, uint8_t shade);
uint32_t colors_thin(uint32_t rgb, double share);
void colors_free(struct colors *colors);

#endif
