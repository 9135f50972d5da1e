// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: does a file break again soon?
 * Some operations break a file each time: it is rewritten, and F2FS writes elsewhere. If at least half of
 * the breaks of a file are of this kind and recent, a rewrite gains nothing that lasts: the cause has to
 * be stopped first. Appending and garbage collection do not break again what was moved together.
 */
#include "again.h"
#include "module/format/snapshot.h"

/* Does this operation write blocks elsewhere that the file has? */
static bool rewrites(uint32_t cause)
{
	enum ft_op op = ft_cause_op(cause);

	return op == FT_OP_OVERWRITE || op == FT_OP_TAIL || op == FT_OP_MMAP || op == FT_OP_ATOMIC;
}

/* Is the break recent, and of a kind that comes again? A time that is not known is not recent. */
static bool comes_again(const struct table *table, uint32_t cause, uint64_t recent_s)
{
	uint32_t writer = ft_cause_writer(cause);
	uint64_t now_s = (uint64_t)table->text.time_ms / 1000;

	return rewrites(cause) && writer > FT_SNAP_WRITER_SEVERAL && recent_s &&
	       table->writers[writer].last_s + recent_s >= now_s;
}

/**
 * again_find() - find out whether a file is expected to break again
 * @again: the result
 * @table: the table
 * @extents: the extents of the file, in file order
 * @n: number of @extents
 * @recent_s: how many seconds are recent; 0: nothing is
 */
void again_find(struct again *again, const struct table *table, const struct file_extent *extents, size_t n,
		uint64_t recent_s)
{
	uint64_t by_op[FT_NR_OPS] = { 0 };

	*again = (struct again){ .op = FT_OP_UNKNOWN };
	if (!table->causes)
		return;
	for (size_t i = 1; i < n; i++) {
		uint32_t cause = table->causes[extents[i].extent];

		if (extents[i].lba == extents[i - 1].lba + extents[i - 1].blks)
			continue;
		again->all++;
		if (!comes_again(table, cause, recent_s))
			continue;
		again->breaks++;
		if (++by_op[ft_cause_op(cause)] <= by_op[again->op])
			continue;
		again->op = ft_cause_op(cause);
		again->advice = advice_of(table, &(struct file_break){ extents[i].extent, cause });
	}
	if (again->breaks * 2 < again->all)
		again->breaks = 0;
}

/**
 * again_is_rewritten() - were blocks of a range rewritten elsewhere?
 * @table: the table
 * @extents: the extents of the range
 * @n: number of @extents
 *
 * Return: false if the module has seen none of this since it knows the file; true if the table has no causes.
 */
bool again_is_rewritten(const struct table *table, const struct file_extent *extents, size_t n)
{
	for (size_t i = 0; table->causes && i < n; i++)
		if (rewrites(table->causes[extents[i].extent]))
			return true;
	return !table->causes;
}
