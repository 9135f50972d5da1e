// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the worst files as lines of text, and how fast they change.
 * Does not use the terminal; top_screen.c shows the lines.
 */

#include "model/causes.h"
#include "model/color.h"
#include "model/flaws.h"
#include "names.h"
#include "output/top.h"

/* === Between two readings === */

static uint32_t dev_of(const struct top *top, size_t file)
{
	return volume_dev(&top->table.volumes[top->table.files[file].volume]);
}

static void remember(struct top *top)
{
	inodes_free(&top->past_index);
	free(top->past);
	top->past = xcalloc(top->table.n_files, sizeof(*top->past));
	for (size_t i = 0; i < top->table.n_files; i++) {
		top->past[i] = (struct past_file){ top->figures[i].fragments, top->figures[i].blks };
		*inodes_at(&top->past_index, dev_of(top, i), top->table.files[i].ino) = (uint32_t)i + 1;
	}
}

/* A new file had no fragments and no blocks before. */
static struct rate rate_of(struct top *top, size_t file, double seconds)
{
	uint32_t same = inodes_find(&top->past_index, dev_of(top, file), top->table.files[file].ino);
	struct past_file past = { 0 };

	if (same)
		past = top->past[same - 1];
	return (struct rate){
		.fragments = ((double)top->figures[file].fragments - (double)past.fragments) / seconds,
		.blks = ((double)top->figures[file].blks - (double)past.blks) / seconds,
	};
}

static void find_rates(struct top *top, const struct figures *past_total, double seconds)
{
	top->rates = xcalloc(top->table.n_files, sizeof(*top->rates));
	for (size_t i = 0; i < top->table.n_files; i++)
		top->rates[i] = rate_of(top, i, seconds);
	top->total_rate.fragments =
		((double)top->total.fragments - (double)past_total->fragments) / seconds;
	top->total_rate.blks = ((double)top->total.blks - (double)past_total->blks) / seconds;
}

static void add_up(struct top *top)
{
	top->total = figures_sum(top->figures, top->table.n_files);
	top->n_fragmented = 0;
	for (size_t i = 0; i < top->table.n_files; i++)
		top->n_fragmented += top->figures[i].fragments > 1;
}

static void drop_reading(struct top *top)
{
	free(top->figures);
	free(top->causes);
	free(top->rates);
	free(top->order);
	table_free(&top->table);
	top->figures = NULL;
	top->causes = NULL;
	top->rates = NULL;
	top->order = NULL;
}

/* Compute the figures, and for each file the cause of most breaks if causes are known. */
static void find_figures(struct top *top)
{
	const struct table *table = &top->table;
	AUTO_FREE uint8_t *starts = xcalloc(table->n_extents, sizeof(*starts));

	top->figures = figures_of(table, starts, NULL);
	if (table->causes)
		top->causes = breaks_main_causes(table, starts);
}

/**
 * top_add() - add the next reading
 * @top: starts as all zeroes; to be freed with top_free()
 * @table: the table; @top takes over its memory
 */
void top_add(struct top *top, struct table *table)
{
	struct figures past_total = top->total;
	int64_t past_ns = top->read_ns;

	top->read_ns = monotonic_ns();
	if (past_ns)
		remember(top);
	drop_reading(top);
	top->table = *table;
	*table = (struct table){ 0 };
	find_figures(top);
	add_up(top);
	if (past_ns)
		find_rates(top, &past_total, (double)(top->read_ns - past_ns) / 1e9);
	top_sort(top, top->key, top->reverse);
}

/* === Order === */

static const struct {
	const char *word, *text;
} keys[N_TOP_KEYS] = {
	[TOP_EXTRA] = { "extra", "extra requests" },	[TOP_FRAGMENTS] = { "frags", "fragments" },
	[TOP_RATE] = { "rate", "fragments/s" },		[TOP_BLOCKS] = { "blocks", "blocks" },
	[TOP_SPLIT] = { "split", "split factor" },	[TOP_NAME] = { "name", "name" },
};

/**
 * top_read_key() - the sort key of a word
 * @key: the result
 * @word: as the keys of the screen are called
 *
 * Return: false if it is none.
 */
bool top_read_key(enum top_key *key, const char *word)
{
	for (*key = 0; *key < N_TOP_KEYS; ++*key)
		if (!strcmp(word, keys[*key].word))
			return true;
	return false;
}

static int compare(double x, double y)
{
	return ORDER(y, x);
}

static int by_key(const void *a, const void *b, void *priv)
{
	const struct top *top = priv;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct figures *x = &top->figures[i], *y = &top->figures[j];
	int order = 0;

	switch (top->key) {
	case TOP_FRAGMENTS:
		order = compare((double)x->fragments, (double)y->fragments);
		break;
	case TOP_RATE:
		order = top->rates ? compare(top->rates[i].fragments, top->rates[j].fragments) : 0;
		break;
	case TOP_BLOCKS:
		order = compare((double)x->blks, (double)y->blks);
		break;
	case TOP_SPLIT:
		order = compare(figures_split(x), figures_split(y));
		break;
	case TOP_NAME:
		order = strcmp(top->table.files[i].path, top->table.files[j].path);
		break;
	default:
		break;
	}
	return order ? order : figures_compare(top->figures, i, j);
}

static bool is_shown(const struct top *top, uint32_t file)
{
	return !top->filter || path_is_shown(top->table.files[file].path, top->filter);
}

/**
 * top_sort() - put the files in order
 * @top: the last reading
 * @key: the sort key
 * @reverse: reverse order
 */
void top_sort(struct top *top, enum top_key key, bool reverse)
{
	size_t n = 0;

	top->key = key;
	top->reverse = reverse;
	free(top->order);
	top->order = figures_worst(top->figures, top->table.n_files);
	for (size_t i = 0; i < top->table.n_files; i++)
		if (is_shown(top, top->order[i]))
			top->order[n++] = top->order[i];
	top->n_shown = n;
	if (key != TOP_EXTRA)
		qsort_r(top->order, n, sizeof(*top->order), by_key, top);
	for (size_t i = 0; reverse && i < n / 2; i++) {
		uint32_t other = top->order[i];

		top->order[i] = top->order[n - 1 - i];
		top->order[n - 1 - i] = other;
	}
}

/**
 * top_filter() - show only some files
 * @top: may be without a reading
 * @filter: a part of their paths, or a glob; empty or NULL: all files
 */
void top_filter(struct top *top, const char *filter)
{
	free(top->filter);
	top->filter = filter && *filter ? xasprintf("%s", filter) : NULL;
	if (top->figures)
		top_sort(top, top->key, top->reverse);
}

/* === Lines === */

/* "+3.2", "-140", "0"; at most eight letters; "-" after the first reading. */
static void format_rate(char *buf, const double *rate)
{
	if (!rate)
		snprintf(buf, 16, "-");
	else if (*rate > -0.05 && *rate < 0.05)
		snprintf(buf, 16, "0");
	else
		snprintf(buf, 16, *rate > -1000 && *rate < 1000 ? "%+.1f" : "%+.3g", *rate);
}

/* The columns before the path. Those of a higher @rank go first if the line is too short; rank 0 stays. */
static const struct column {
	const char *name;
	int width;
	int rank;
	enum top_key key;
} columns[] = {
	{ "EXTRA", 8, 0, TOP_EXTRA },	{ "FRAGS", 8, 1, TOP_FRAGMENTS },
	{ "FRAG/S", 7, 4, TOP_RATE },	{ "BLOCKS", 9, 5, TOP_BLOCKS },
	{ "BLK/S", 7, 6, N_TOP_KEYS },	{ "SPLIT", 6, 2, TOP_SPLIT },
	{ "CAUSE", -9, 3, N_TOP_KEYS },
};

enum { COL_EXTRA, COL_FRAGS, COL_FRAG_RATE, COL_BLOCKS, COL_BLK_RATE, COL_SPLIT, COL_CAUSE, N_COLUMNS };

/* Columns of the screen that a path gets at least. */
#define PATH_WIDTH 22

static size_t width_of(unsigned int shown)
{
	size_t width = 0;

	for (size_t i = 0; i < N_COLUMNS; i++)
		if (shown & 1u << i)
			width += (size_t)abs(columns[i].width) + 1;
	return width;
}

/**
 * top_columns() - choose the columns that leave room for the path
 * @top: the last reading
 * @width: of the line, or ANY_WIDTH
 *
 * The column of the sort key always stays.
 *
 * Return: the columns for top_heading() and top_row().
 */
unsigned int top_columns(const struct top *top, size_t width)
{
	unsigned int shown = (1u << N_COLUMNS) - 1;

	if (!top->causes)
		shown &= ~(1u << COL_CAUSE);
	for (int rank = N_COLUMNS; rank > 0; rank--)
		for (size_t i = 0; i < N_COLUMNS; i++)
			if (columns[i].rank == rank && columns[i].key != top->key &&
			    width_of(shown) + PATH_WIDTH > width)
				shown &= ~(1u << i);
	if (top->key != TOP_EXTRA && width_of(shown) + PATH_WIDTH > width)
		shown &= ~(1u << COL_EXTRA);
	return shown;
}

/**
 * top_heading() - the names of the columns of top_row()
 * @top: the last reading
 * @shown: from top_columns()
 *
 * Return: a line, where a star marks the column that the files are sorted by; to be freed.
 */
char *top_heading(const struct top *top, unsigned int shown)
{
	char fields[N_COLUMNS * 32] = "", name[32];
	size_t used = 0;

	for (size_t i = 0; i < N_COLUMNS; i++) {
		if (!(shown & 1u << i))
			continue;
		snprintf(name, sizeof(name), "%s%s", columns[i].key == top->key ? "*" : "", columns[i].name);
		used += (size_t)snprintf(fields + used, sizeof(fields) - used, "%*s ", columns[i].width, name);
	}
	return xasprintf("%s%sPATH", fields, top->key == TOP_NAME ? "*" : "");
}

static void format_column(char buf[32], const struct top *top, uint32_t file, size_t column)
{
	const struct figures *f = &top->figures[file];
	const struct rate *rate = top->rates ? &top->rates[file] : NULL;

	switch (column) {
	case COL_EXTRA: snprintf(buf, 32, "%ju", (uintmax_t)(f->requests - f->ideal)); break;
	case COL_FRAGS: snprintf(buf, 32, "%ju", (uintmax_t)f->fragments); break;
	case COL_FRAG_RATE: format_rate(buf, rate ? &rate->fragments : NULL); break;
	case COL_BLOCKS: snprintf(buf, 32, "%ju", (uintmax_t)f->blks); break;
	case COL_BLK_RATE: format_rate(buf, rate ? &rate->blks : NULL); break;
	case COL_SPLIT: snprintf(buf, 32, "%.2f", figures_split(f)); break;
	/* the operation of most breaks */
	default: snprintf(buf, 32, "%s", top->causes[file] ? cause_op_name(top->causes[file]) : "-"); break;
	}
}

/**
 * top_row() - a file as a line of text
 * @top: the last reading
 * @shown: from top_columns()
 * @row: its index in the requested order, from 0
 *
 * Return: the line, in the multibyte encoding of the locale; to be freed.
 */
char *top_row(const struct top *top, unsigned int shown, size_t row)
{
	uint32_t i = top->order[row];
	const struct file *file = &top->table.files[i];
	AUTO_FREE char *path = name_printable(file->path);
	char fields[N_COLUMNS * 32] = "", buf[32];
	size_t used = 0;

	for (size_t column = 0; column < N_COLUMNS; column++) {
		if (!(shown & 1u << column))
			continue;
		format_column(buf, top, i, column);
		used += (size_t)snprintf(fields + used, sizeof(fields) - used, "%*s ", columns[column].width, buf);
	}
	return xasprintf("%s%s%s", fields, path, file->deleted ? DELETED_MARK : "");
}

static char *time_line(const struct top *top)
{
	AUTO_FREE char *filter = name_printable(top->filter ? top->filter : "");

	return xasprintf("fragtrace  %s  by %s%s%s%s", TIME_OF(&top->table.text), keys[top->key].text, top->reverse ? ", reversed" : "",
			 top->filter ? "  only " : "", filter);
}

/**
 * top_summary() - all files in two lines of text
 * @top: the last reading
 * @line: 0 or 1
 *
 * Return: the line; to be freed.
 */
char *top_summary(const struct top *top, size_t line)
{
	AUTO_FREE char *flaws = flaws_of(&top->table);
	char rate[16], split[32] = "no split factor";

	if (!line)
		return time_line(top);
	if (top->total.ideal)
		snprintf(split, sizeof(split), "split factor %.2f", figures_split(&top->total));
	if (top->rates)
		format_rate(rate, &top->total_rate.fragments);
	/* a narrow screen shows the beginning */
	return xasprintf("%s; %s of %s fragmented; %s%s%s%s%s%s; %s", split,
			 GROUPED(top->n_fragmented), COUNT(top->table.n_files, "file"), flaws, *flaws ? "; " : "",
			 COUNT(top->total.fragments, "fragment"), top->rates ? " (" : "", top->rates ? rate : "",
			 top->rates ? "/s)" : "", BYTES(top->total.blks * table_blk_bytes(&top->table)));
}

/**
 * top_free() - free the last reading
 * @top: all zeroes afterwards
 */
void top_free(struct top *top)
{
	drop_reading(top);
	inodes_free(&top->past_index);
	free(top->past);
	free(top->filter);
	*top = (struct top){ 0 };
}
