/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: find and read configuration files, and parse img.cnf. */
#pragma once

#include "util.h"

#define CONF_MAX_WORDS 8

/**
 * struct conf - a configuration file being read, word by word
 * @name: its path, for messages
 * @line: the line the words are from, counted from 1
 * @word: the words of that line, without comments
 * @n_words: number of @word; a line with more than CONF_MAX_WORDS is an error
 */
struct conf {
	char *name;
	size_t line;
	char *word[CONF_MAX_WORDS];
	size_t n_words;
	/* private: */
	struct text text;
	char *next;
};

/**
 * enum layout_kind - how blocks are arranged
 * @LAYOUT_BOXES: one box after the other, long runs folded
 * @LAYOUT_SEGMENTS: a row for each segment of F2FS
 * @LAYOUT_HILBERT: a square
 * @LAYOUT_ZONES: a row for each zone of a zoned device
 * @LAYOUT_AUTO: boxes, or segments if boxes would fold more than half of the blocks: the default if neither
 *	the layout nor max_length is given
 */
enum layout_kind {
	LAYOUT_BOXES,
	LAYOUT_SEGMENTS,
	LAYOUT_HILBERT,
	LAYOUT_ZONES,
	LAYOUT_AUTO,
};

/**
 * enum theme - the colours of paper and ink
 * @THEME_LIGHT: dark ink on light paper
 * @THEME_DARK: light ink on dark paper
 */
enum theme {
	THEME_LIGHT,
	THEME_DARK,
};

/**
 * struct img_conf - settings of the picture
 * @layout: enum layout_kind
 * @max_length: a folded run is drawn with so many blocks; 0: none is folded
 * @stub: number of boxes drawn for a folded run, before its mark
 * @cell: side of a box or cell, pixels
 * @border: space between two boxes, pixels
 * @width: of the picture, pixels
 * @height: boxes shrink if the picture would be higher than this, pixels; 0: no limit
 * @dpi: dots per inch; the pixels above are for a screen of 96 dots per inch
 * @theme: enum theme
 * @section: segments in a section; a line separates sections; 0: not known
 */
struct img_conf {
	uint64_t layout;
	uint64_t max_length;
	uint64_t stub;
	uint64_t cell;
	uint64_t border;
	uint64_t width;
	uint64_t height;
	uint64_t dpi;
	uint64_t theme;
	uint64_t section;
};

char *conf_find_installed(const char *source_dir, const char *name);
void conf_open(struct conf *conf, const char *arg, const char *kind);
bool conf_next(struct conf *conf);
void conf_close(struct conf *conf);

void img_conf_read(struct img_conf *img, const char *arg);
void img_conf_set(struct img_conf *img, const char *name, const char *value);
