// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads by cgroup as text: the file by_cgroup in debugfs.
 *
 * In: the counts of cgroups.c, copied when a reader opens the file. Out: a line for
 * each cgroup, the one that breaks cost most requests first.
 */

#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "core/base.h"
#include "core/volume.h"
#include "debugfs/lines.h"
#include "observers/cgroups/cgroups.h"

static int by_cost(const void *a, const void *b)
{
	const struct ft_cgroup_line *x = a, *y = b;
	u64 nx = x->counts.requests - x->counts.whole;
	u64 ny = y->counts.requests - y->counts.whole;

	cond_resched();
	if (nx != ny)
		return nx > ny ? -1 : 1;
	if (x->counts.requests != y->counts.requests)
		return x->counts.requests > y->counts.requests ? -1 : 1;
	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return strcmp(x->path, y->path);
}

static int fill(struct ft_lines *lines)
{
	struct ft_cgroup_line *line;
	struct ft_cgroup_table *groups;
	struct ft_volume *vol;
	unsigned int n, nr;
	int err = 0;

	for (n = 0; !err && (vol = ft_volume_nth(n)); n++) {
		groups = ft_observed(vol, cgroups);
		if (groups)
			err = ft_vec_make_room(&lines->vec, FT_MAX_CGROUPS + 1,
					       sizeof(*line));
		if (groups && !err) {
			line = (struct ft_cgroup_line *)lines->vec.data + lines->vec.nr;
			nr = ft_cgroups_copy(groups, line);
			for (lines->vec.nr += nr; nr; nr--)
				line++->dev = vol->dev;
		}
		ft_volume_put(vol);
	}
	if (!err)
		sort(lines->vec.data, lines->vec.nr, sizeof(*line), by_cost, NULL);
	return err;
}

static void show_head(struct seq_file *m, const struct ft_lines *lines)
{
	seq_puts(m, "# fragtrace by_cgroup 1\n");
	if (!ft_cgroups_on)
		seq_puts(m, "# not known: the module was loaded with cgroups=0\n");
	seq_puts(m, "# dev reads bytes requests whole unknown path\n");
}

static void show_line(struct seq_file *m, const struct ft_lines *lines, const void *line)
{
	const struct ft_cgroup_line *l = line;

	seq_printf(m, "%u:%u %llu %llu %llu %llu %llu ", MAJOR(l->dev),
		   MINOR(l->dev), l->counts.reads,
		   l->counts.blocks << FT_BLOCK_BITS, l->counts.requests,
		   l->counts.whole, l->counts.unknown);
	if (l->path[0])
		seq_escape(m, l->path, FT_ESCAPED);
	else
		seq_putc(m, '-');
	seq_putc(m, '\n');
}

/* All cgroups are forgotten, also those that were removed. */
static void reset(struct ft_volume *vol)
{
	if (ft_cgroups_on)
		ft_cgroups_reset(ft_observed(vol, cgroups));
}

const struct ft_text ft_cgroups_text = {
	.name = "by_cgroup",
	.size = sizeof(struct ft_cgroup_line),
	.fill = fill,
	.head = show_head,
	.show = show_line,
	.reset = reset,
	.words = FT_RESET_WORDS,
};
