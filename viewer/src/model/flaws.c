// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: what is wrong with a table or missing in it, in words for all outputs. */

#include "model/flaws.h"

static size_t count_stopped(const struct table *table)
{
	size_t n = 0;

	for (size_t i = 0; i < table->n_volumes; i++)
		n += table->volumes[i].stopped;
	return n;
}

/**
 * flaws_of() - what is wrong with a table or missing in it
 * @table: the table
 *
 * Return: a text like "2 files stale, 3 left out, F2FS has stopped on 1 of 2 volumes", or ""; to be freed.
 */
char *flaws_of(const struct table *table)
{
	char *text = xasprintf("%s", "");
	size_t stopped = count_stopped(table);

	if (table->n_stale)
		xappend(&text, "%s file%s stale", GROUPED(table->n_stale), plural(table->n_stale));
	if (table->n_left_out)
		xappend(&text, "%s%s%s left out", *text ? ", " : "", GROUPED(table->n_left_out),
		       table->n_stale ? "" : table->n_left_out == 1 ? " file" : " files");
	if (stopped && table->n_volumes == 1)
		xappend(&text, "%sF2FS has stopped", *text ? ", " : "");
	else if (stopped)
		xappend(&text, "%sF2FS has stopped on %zu of %zu volumes", *text ? ", " : "", stopped, table->n_volumes);
	return text;
}
