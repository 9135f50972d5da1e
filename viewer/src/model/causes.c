// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the breaks of all files, and sums over them by cause.
 * A file has a break before each of its fragments except the first. The cause of a break is stored in
 * the extent after it.
 */

#include "model/causes.h"

/* === Breaks === */

/**
 * causes_flaw() - why no cause of a table is known
 * @table: the table
 *
 * Return: a clause; NULL if the cause of any fragment is known.
 */
const char *causes_flaw(const struct table *table)
{
	if (!table->causes)
		return "a text of a table does not have the causes";
	for (size_t i = 0; i < table->n_extents; i++)
		if (table->causes[i] && table->causes[i] != FT_CAUSE_UNKNOWN)
			return NULL;
	return "no cause was seen (" CAUSE_UNSEEN ")";
}

/**
 * cause_complete() - the cause of a break from the one that an extent has
 * @table: the table; it has causes
 * @cause: of the extent after the break
 *
 * Return: the cause. It always has a reason, which may be unknown. Its writer is the first entry of that
 * process.
 */
uint32_t cause_complete(const struct table *table, uint32_t cause)
{
	uint32_t writer = ft_cause_writer(cause);

	cause = (cause & CAUSE_KIND) | table->writers[writer].same_as << FT_CAUSE_WRITER_SHIFT;
	return ft_cause_why(cause) == FT_WHY_NONE ? cause | FT_CAUSE_UNKNOWN : cause;
}

/**
 * cause_of_break() - why a file is fragmented before an extent
 * @table: the table
 * @extent: index of the extent
 *
 * Return: as cause_complete(); unknown if the table has no causes.
 */
uint32_t cause_of_break(const struct table *table, size_t extent)
{
	return table->causes ? cause_complete(table, table->causes[extent]) : FT_CAUSE_UNKNOWN;
}

static size_t *count_breaks(const struct table *table, const uint8_t *starts)
{
	size_t *begins = xcalloc(table->n_files + 1, sizeof(*begins)), i;

	for (i = 0; i < table->n_extents; i++)
		begins[table->extents[i].file + 1] += starts[i] == START_FRAGMENT;
	for (i = 0; i < table->n_files; i++)
		begins[i + 1] += begins[i];
	return begins;
}

static int by_offset(const void *a, const void *b, void *priv)
{
	const struct extent *extents = priv;
	uint32_t x = extents[((const struct file_break *)a)->extent].offset;
	uint32_t y = extents[((const struct file_break *)b)->extent].offset;

	return ORDER(x, y);
}

/**
 * breaks_find() - find all breaks
 * @breaks: the result; to be freed with breaks_free()
 * @table: the table
 * @starts: by extent, as set by figures_of()
 */
void breaks_find(struct breaks *breaks, const struct table *table, const uint8_t *starts)
{
	size_t *next = xcalloc(table->n_files, sizeof(*next)), i;

	breaks->begins = count_breaks(table, starts);
	breaks->n = breaks->begins[table->n_files];
	breaks->all = xcalloc(breaks->n, sizeof(*breaks->all));
	for (i = 0; i < table->n_extents; i++) {
		uint32_t file = table->extents[i].file;

		if (starts[i] == START_FRAGMENT)
			breaks->all[breaks->begins[file] + next[file]++] = (struct file_break){
				.extent = (uint32_t)i,
				.cause = cause_of_break(table, i),
			};
	}
	for (i = 0; i < table->n_files; i++)
		if (!table->files[i].in_order)
			qsort_r(breaks->all + breaks->begins[i], next[i], sizeof(*breaks->all), by_offset,
				table->extents);
	free(next);
}

/**
 * breaks_free() - release the breaks
 * @breaks: as left by breaks_find()
 */
void breaks_free(struct breaks *breaks)
{
	free(breaks->all);
	free(breaks->begins);
	*breaks = (struct breaks){ 0 };
}

/* === Sums === */

static int by_cause(const void *a, const void *b)
{
	const struct cause_sum *x = a, *y = b;

	return ORDER(x->cause, y->cause);
}

static int by_number(const void *a, const void *b)
{
	const struct cause_sum *x = a, *y = b;

	return FIRST(ORDER(y->breaks, x->breaks), by_cause(a, b));
}

/**
 * breaks_sum() - add up breaks by cause
 * @all: the breaks
 * @n: number of @all
 * @parts: the parts of a cause to compare: a bit mask
 * @n_sums: set to the number of sums
 *
 * Return: the sums, those of the most breaks first; to be freed.
 */
struct cause_sum *breaks_sum(const struct file_break *all, size_t n, uint32_t parts, size_t *n_sums)
{
	struct cause_sum *sums = xcalloc(n, sizeof(*sums));

	for (size_t i = 0; i < n; i++)
		sums[i] = (struct cause_sum){ all[i].cause & parts, 1 };
	qsort(sums, n, sizeof(*sums), by_cause);
	*n_sums = 0;
	for (size_t i = 0; i < n; i++) {
		struct cause_sum *last = *n_sums ? &sums[*n_sums - 1] : NULL;

		if (last && last->cause == sums[i].cause)
			last->breaks++;
		else
			sums[(*n_sums)++] = sums[i];
	}
	qsort(sums, *n_sums, sizeof(*sums), by_number);
	return sums;
}

/**
 * breaks_main_causes() - for each file, the cause of most of its breaks
 * @table: the table; it has causes
 * @starts: by extent, as set by figures_of()
 *
 * Return: by index into table.files, the cause without its writer; 0 for a file without breaks. To be freed.
 */
uint32_t *breaks_main_causes(const struct table *table, const uint8_t *starts)
{
	uint32_t *causes = xcalloc(table->n_files, sizeof(*causes));
	AUTO(breaks_free) struct breaks breaks;
	size_t n;

	breaks_find(&breaks, table, starts);
	for (size_t i = 0; i < table->n_files; i++) {
		AUTO_FREE struct cause_sum *sums = breaks_sum(breaks.all + breaks.begins[i],
						    breaks.begins[i + 1] - breaks.begins[i], CAUSE_KIND, &n);

		causes[i] = n ? sums->cause : 0;
	}
	return causes;
}

/* === Names === */

const char *const cause_op_names[FT_NR_OPS] = {
	FT_OP_NAMES
};

const char *const cause_flush_names[FT_NR_FLUSHES] = {
	FT_FLUSH_NAMES
};

const char *const cause_why_names[FT_NR_WHYS] = {
	FT_WHY_NAMES
};

/**
 * cause_op_name() - the operation, as in debugfs
 * @cause: a cause
 *
 * Return: a word.
 */
const char *cause_op_name(uint32_t cause)
{
	return cause_op_names[ft_cause_op(cause)];
}

/**
 * cause_flush_name() - the request that wrote the block, as in debugfs
 * @cause: a cause
 *
 * Return: a word.
 */
const char *cause_flush_name(uint32_t cause)
{
	return cause_flush_names[ft_cause_flush(cause)];
}

/**
 * cause_why_name() - why the block does not follow the previous one, as in debugfs
 * @cause: a cause
 *
 * Return: a word.
 */
const char *cause_why_name(uint32_t cause)
{
	return cause_why_names[ft_cause_why(cause)];
}

/**
 * writer_name() - a process as in debugfs, but not escaped
 * @table: the table
 * @writer: index of the writer
 *
 * Return: COMM:PID, "several" or "unknown"; to be freed.
 */
char *writer_name(const struct table *table, uint32_t writer)
{
	if (writer == FT_SNAP_WRITER_UNKNOWN || writer == FT_SNAP_WRITER_SEVERAL)
		return xasprintf("%s", writer == FT_SNAP_WRITER_SEVERAL ? "several" : "unknown");
	return xasprintf("%s:%u", table->writers[writer].comm, table->writers[writer].pid);
}
