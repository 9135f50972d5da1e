/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: conditions on a table, for scripts. */
#pragma once

#include "input/table.h"

/**
 * enum condition_value - what a condition compares
 * @VALUE_SPLIT: the split factor of all files together
 * @VALUE_FRAGMENTED: files of two fragments or more
 * @VALUE_BREAKS: fragments that are not the first of their file
 * @VALUE_EXTENTS: written extents
 * @VALUE_STALE: files whose blocks may have moved
 * @VALUE_LEFT_OUT: files and folders that are missing
 * @VALUE_STOPPED: volumes where F2FS has stopped
 * @N_VALUES: number of values
 */
enum condition_value {
	VALUE_SPLIT,
	VALUE_FRAGMENTED,
	VALUE_BREAKS,
	VALUE_EXTENTS,
	VALUE_STALE,
	VALUE_LEFT_OUT,
	VALUE_STOPPED,
	N_VALUES,
};

/**
 * struct totals - the values of a table
 * @values: by enum condition_value
 * @files: files with blocks
 */
struct totals {
	double values[N_VALUES];
	double files;
};

/**
 * struct condition - a value, a comparison and a number
 * @text: as it was typed
 * @value: what is compared
 * @comparison: index of the comparison
 * @number: what it is compared with
 * @is_share: the value is divided by the number of files, in percent
 */
struct condition {
	const char *text;
	enum condition_value value;
	size_t comparison;
	double number;
	bool is_share;
};

void condition_parse(struct condition *condition, const char *text);
void totals_find(struct totals *totals, const struct table *table);
void totals_print(const struct totals *totals);
bool condition_holds(const struct condition *condition, const struct totals *totals);
void condition_report(const struct condition *condition, const struct totals *totals, const char *name);
