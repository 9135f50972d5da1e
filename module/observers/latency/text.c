// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file latency of debugfs: times of volumes, counts of files.
 */

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/kdev_t.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "core/base.h"
#include "debugfs/lines.h"
#include "observers/latency/counts.h"
#include "observers/latency/times.h"

/* The parameter latency. */
bool ft_latency_on;
module_param_named(latency, ft_latency_on, bool, 0444);
MODULE_PARM_DESC(latency, "measure how long reads take, with and without breaks (default: off)");

/* What a line shows; they are in this order. */
enum kind { KIND_CELL, KIND_FIT, KIND_REST, KIND_FILE };

/**
 * struct line - for readers
 * @of: what it shows, enum kind, and the volume. Its order: a length, of a cell times
 *	%FT_LATENCY_SHARES plus a share; or a file, for the reader
 * @cell: one of these is what it shows
 * @sums: another one
 * @counts: of the rest, or of a file; and of the rest two more
 */
struct line {
	struct ft_line of;
	union {
		struct ft_read_cell cell;
		u64 sums[FT_NR_SUMS];
		u64 counts[FT_LATENCY_COUNTS + 2];
	};
};

static int copy_file(struct ft_lines *lines, struct ft_inode *rec, u32 file)
{
	struct line *l = ft_lines_add_of(lines, rec->vol, KIND_FILE, file);

	if (!l)
		return -ENOMEM;
	if (!ft_counts_copy(rec, FT_SLOT_latency, l->counts))
		ft_lines_take_back(lines);
	return 0;
}

static int list_volume(struct ft_lines *lines, struct ft_volume *vol)
{
	struct ft_read_times *t = ft_observed(vol, latency);
	unsigned int i, k;
	struct line *l;

	if (ft_vec_make_room(&lines->vec, FT_LATENCY_CLASSES * (FT_LATENCY_SHARES + 1) + 1,
			     sizeof(*l)))
		return -ENOMEM;
	for (i = 0; i < FT_LATENCY_CLASSES; i++) {
		for (k = 0; k < FT_LATENCY_SHARES; k++) {
			l = ft_lines_add_of(lines, vol, KIND_CELL, i * FT_LATENCY_SHARES + k);
			raw_spin_lock_irq(&t->lock);
			l->cell = t->cells[i][k];
			raw_spin_unlock_irq(&t->lock);
			if (!l->cell.reads && !l->cell.failed)
				ft_lines_take_back(lines);
		}
		l = ft_lines_add_of(lines, vol, KIND_FIT, i);
		raw_spin_lock_irq(&t->lock);
		memcpy(l->sums, t->fits[i], sizeof(l->sums));
		raw_spin_unlock_irq(&t->lock);
		if (!l->sums[FT_SUM_N])
			ft_lines_take_back(lines);
	}
	l = ft_lines_add_of(lines, vol, KIND_REST, 0);
	for (i = 0; i < FT_LATENCY_COUNTS; i++)
		l->counts[i] = atomic64_read((atomic64_t *)&t->rest + i);
	l->counts[FT_LATENCY_COUNTS] = atomic64_read(&t->other);
	l->counts[FT_LATENCY_COUNTS + 1] = atomic64_read(&t->lost);
	return 0;
}

static void show_head(struct seq_file *m, const struct ft_lines *lines)
{
	seq_printf(m, "# timed: all reads in several requests, 2 of %u others\n",
		   FT_LATENCY_SAMPLE);
}

static void show_cell(struct seq_file *m, const struct line *l)
{
	unsigned int order = l->of.order, share = order % FT_LATENCY_SHARES, i;
	const struct ft_read_cell *c = &l->cell;

	seq_printf(m, "time %lu %lu %llu %llu %llu %llu %llu", BIT(order / FT_LATENCY_SHARES),
		   share ? BIT(share - 1) + 1 : 1UL, c->reads, c->failed, c->waits, c->took,
		   c->waited);
	for (i = 0; i < FT_LATENCY_BUCKETS; i++)
		if (c->buckets[i])
			seq_printf(m, " %lu:%llu", i ? BIT(i - 1) : 0UL, c->buckets[i]);
}

static void show_counts(struct seq_file *m, const struct line *l)
{
	unsigned int i;

	for (i = 2 * FT_LATENCY_CLASSES; i < FT_LATENCY_COUNTS; i++)
		seq_printf(m, " %llu", l->counts[i]);
	for (i = 0; i < FT_LATENCY_CLASSES; i++)
		seq_printf(m, " %llu:%llu", l->counts[i], l->counts[FT_LATENCY_CLASSES + i]);
}

static void show_line(struct seq_file *m, const struct ft_lines *lines, const void *line)
{
	const struct line *l = line;
	const struct ft_snap_file *f;
	unsigned int i;

	switch (l->of.kind) {
	case KIND_CELL:
		show_cell(m, l);
		break;
	case KIND_FIT:
		seq_printf(m, "fit %lu", BIT((unsigned int)l->of.order));
		for (i = 0; i < FT_NR_SUMS; i++)
			seq_printf(m, " %llu", l->sums[i]);
		break;
	case KIND_REST:
		seq_printf(m, "rest %llu %llu", l->counts[FT_LATENCY_COUNTS],
			   l->counts[FT_LATENCY_COUNTS + 1]);
		show_counts(m, l);
		break;
	case KIND_FILE:
		f = ft_snap_file(lines->snap, l->of.order);
		seq_printf(m, "file %u", f->ino);
		show_counts(m, l);
		seq_printf(m, " %s", ft_snap_path(lines->snap, f->path));
		break;
	}
}

static void reset(struct ft_volume *vol)
{
	ft_counts_reset(vol, FT_SLOT_latency);
	ft_times_reset(ft_observed(vol, latency));
}

const struct ft_text ft_latency_text = {
	.name = "latency",
	.version = 1,
	.on = &ft_latency_on,
	.parameter = "latency",
	.columns = "# dev time blocks pieces reads failed waits took waited bucket:reads...\n"
		"# dev fit blocks n x l y xx xl ll xy ly yy\n"
		"# dev rest other lost cut bytes timed timed_split waited waited_split reads:extra...\n"
		"# dev file ino cut bytes timed timed_split waited waited_split reads:extra... path\n",
	.view = FT_VIEW_PATHS,
	.size = sizeof(struct line),
	.each = copy_file,
	.volume = list_volume,
	.compare = ft_lines_compare,
	.head = show_head,
	.show = show_line,
	.of_devices = true,
	.reset = reset,
};
