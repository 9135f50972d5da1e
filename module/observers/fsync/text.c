// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fsyncs as text: the file fsync in debugfs.
 *
 * In: the histograms of fsync.c, copied volume by volume while a reader reads. Out: a
 * line for each histogram that has a value.
 */

#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "core/base.h"
#include "core/volume.h"
#include "debugfs/lines.h"
#include "f2fs/state.h"
#include "observers/fsync/fsync.h"

static const char * const names[] = {
	[FT_FSYNC_DATA] = "data",
	[FT_FSYNC_NODE] = "node",
	[FT_FSYNC_CHECKPOINT] = "checkpoint",
	[FT_FSYNC_FLUSH] = "flush",
	[FT_FSYNC_OTHER] = "other",
	[FT_FSYNC_WHOLE] = "fsync",
	[FT_FSYNC_SEARCH] = "search",
	[FT_FSYNC_BLOCKS] = "node_blocks",
	[FT_FSYNC_ALL_SEARCHES] = "all_searches",
	[FT_FSYNC_ALLOC_NID] = "alloc_nid",
};
static_assert(ARRAY_SIZE(names) == FT_NR_FSYNC_ROWS);

/* In the order of the file. */
static const enum ft_fsync_row sums[] = {
	FT_FSYNC_WHOLE, FT_FSYNC_DATA, FT_FSYNC_NODE, FT_FSYNC_CHECKPOINT,
	FT_FSYNC_FLUSH, FT_FSYNC_OTHER, FT_FSYNC_SEARCH, FT_FSYNC_BLOCKS,
};
static_assert(ARRAY_SIZE(sums) == FT_NR_FSYNC_SUMS);

/*
 * So many fsyncs wrote nodes. If F2FS has reported no node block in any of them, then
 * it does not report nodes.
 */
#define MANY_FSYNCS	64

static void show_begin(struct seq_file *m, dev_t dev, const char *name)
{
	seq_printf(m, "%u:%u %s", MAJOR(dev), MINOR(dev), name);
}

static u64 nr_values(const struct ft_fsync_hist *hist)
{
	u64 nr = 0;
	unsigned int b;

	for (b = 0; b < FT_FSYNC_BUCKETS; b++)
		nr += hist->buckets[b];
	return nr;
}

/* The number of values, their sum, and LEAST:VALUES for each bucket in use. */
static void show_hist(struct seq_file *m, const struct ft_fsync_hist *hist,
		      bool known)
{
	unsigned int b;

	if (!known) {
		seq_puts(m, " - -\n");
		return;
	}
	seq_printf(m, " %llu %llu", nr_values(hist), hist->sum);
	for (b = 0; b < FT_FSYNC_BUCKETS; b++)
		if (hist->buckets[b])
			seq_printf(m, " %lu:%llu", b ? BIT(b - 1) : 0,
				   hist->buckets[b]);
	seq_putc(m, '\n');
}

/* Is what is counted in this row known on this volume? */
static bool knows(const struct ft_fsync_counts *counts, enum ft_fsync_row row)
{
	if (row == FT_FSYNC_BLOCKS && !counts->sums[row].sum &&
	    nr_values(&counts->sums[FT_FSYNC_NODE]) >= MANY_FSYNCS)
		return false;
	return ft_fsync_knows(row);
}

static void show_reasons(struct seq_file *m, dev_t dev,
			 const struct ft_fsync_counts *counts)
{
	unsigned int r;
	u64 nr;

	for (r = 1; r < FT_FSYNC_REASONS; r++) {
		nr = nr_values(&counts->reasons[r]);
		if (!nr)
			continue;
		show_begin(m, dev, names[FT_FSYNC_CHECKPOINT]);
		seq_printf(m, ":%s", ft_state_checkpoint_reason(r));
		if (ft_fsync_knows(FT_FSYNC_CHECKPOINT))
			show_hist(m, &counts->reasons[r], true);
		else
			seq_printf(m, " %llu -\n", nr);
	}
}

static void show_volume(struct seq_file *m, const struct ft_volume *vol,
			struct ft_fsync_counts *counts)
{
	struct ft_fsyncs *fsyncs = ft_observed(vol, fsync);
	struct ft_fsync_hist hist;
	enum ft_fsync_row row;
	unsigned int i;

	ft_fsyncs_copy(fsyncs, counts);
	if (!knows(counts, FT_FSYNC_BLOCKS))
		seq_printf(m, "# not known: %u:%u node_blocks: F2FS reported no node that it wrote in %llu fsyncs\n",
			   MAJOR(vol->dev), MINOR(vol->dev),
			   nr_values(&counts->sums[FT_FSYNC_NODE]));
	for (i = 0; i < ARRAY_SIZE(sums); i++) {
		row = sums[i];
		show_begin(m, vol->dev, names[row]);
		show_hist(m, &counts->sums[row], knows(counts, row));
		if (row == FT_FSYNC_CHECKPOINT)
			show_reasons(m, vol->dev, counts);
	}
	for (row = FT_NR_FSYNC_SUMS; row < FT_NR_FSYNC_ROWS; row++) {
		ft_fsyncs_copy_calls(fsyncs, row, &hist);
		show_begin(m, vol->dev, names[row]);
		show_hist(m, &hist, ft_fsync_knows(row));
	}
	show_begin(m, vol->dev, "failed");
	seq_printf(m, " %llu -\n", counts->failed);
	show_begin(m, vol->dev, "missed");
	seq_printf(m, " %llu -\n", counts->missed);
}

static void show(struct seq_file *m, const struct ft_lines *lines)
{
	struct ft_fsync_counts *counts;
	struct ft_volume *vol;
	unsigned int n;

	seq_puts(m, "# fragtrace fsync 1\n");
	if (!ft_fsync_on) {
		seq_puts(m, "# not known: the module was loaded with fsync=0\n");
		return;
	}
	ft_fsync_show_unknown(m);
	seq_puts(m, "# dev what count sum us:count... (node_blocks: blocks; other sums: ns)\n");
	counts = kmalloc(sizeof(*counts), GFP_KERNEL);
	if (!counts) {
		seq_puts(m, "# not known: out of memory\n");
		return;
	}
	for (n = 0; (vol = ft_volume_nth(n)); n++) {
		show_volume(m, vol, counts);
		ft_volume_put(vol);
	}
	kfree(counts);
}

/* Fsyncs that end from now on are counted. */
static void reset(struct ft_volume *vol)
{
	if (ft_fsync_on)
		ft_fsyncs_reset(ft_observed(vol, fsync));
}

const struct ft_text ft_fsync_text = {
	.name = "fsync",
	.head = show,
	.reset = reset,
	.words = FT_RESET_WORDS,
};
