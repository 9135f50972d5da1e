// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads by cgroup as text: the file by_cgroup in debugfs.
 *
 * In: the counts of cgroups.c, copied when a reader opens the file. Out: a line for
 * each cgroup, the one that breaks cost most requests first.
 */

#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "core/base.h"
#include "core/volume.h"
#include "debugfs/reset.h"
#include "debugfs/vec.h"
#include "observers/cgroups/cgroups.h"

static struct ft_cgroup_line *line(const struct ft_vec *lines, size_t i)
{
	return (struct ft_cgroup_line *)lines->data + i;
}

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

static int fill(struct ft_vec *lines)
{
	struct ft_cgroup_table *groups;
	struct ft_volume *vol;
	unsigned int n, nr;
	int err = 0;

	for (n = 0; !err && (vol = ft_volume_nth(n)); n++) {
		groups = ft_observed(vol, cgroups);
		if (groups)
			err = ft_vec_make_room(lines, FT_MAX_CGROUPS + 1,
					       sizeof(struct ft_cgroup_line));
		if (groups && !err)
			for (nr = ft_cgroups_copy(groups, line(lines, lines->nr));
			     nr; nr--)
				line(lines, lines->nr++)->dev = vol->dev;
		ft_volume_put(vol);
	}
	if (!err)
		sort(lines->data, lines->nr, sizeof(struct ft_cgroup_line),
		     by_cost, NULL);
	return err;
}

/* === The file ============================================================= */

static void *cgroups_start(struct seq_file *m, loff_t *pos)
{
	const struct ft_vec *lines = m->private;

	/* opened for writing only */
	if (!lines)
		return NULL;
	if (!*pos)
		return SEQ_START_TOKEN;
	return *pos <= lines->nr ? line(lines, *pos - 1) : NULL;
}

static void *cgroups_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return cgroups_start(m, pos);
}

static void cgroups_stop(struct seq_file *m, void *v)
{
}

static int cgroups_show(struct seq_file *m, void *v)
{
	const struct ft_cgroup_line *l = v;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "# fragtrace by_cgroup 1\n");
		if (!ft_cgroups_on)
			seq_puts(m, "# not known: the module was loaded with cgroups=0\n");
		seq_puts(m, "# dev reads bytes requests whole unknown path\n");
		return 0;
	}
	seq_printf(m, "%u:%u %llu %llu %llu %llu %llu ", MAJOR(l->dev),
		   MINOR(l->dev), l->counts.reads,
		   l->counts.blocks << FT_BLOCK_BITS, l->counts.requests,
		   l->counts.whole, l->counts.unknown);
	if (l->path[0])
		seq_escape(m, l->path, FT_ESCAPED);
	else
		seq_putc(m, '-');
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations cgroups_ops = {
	.start = cgroups_start,
	.next = cgroups_next,
	.stop = cgroups_stop,
	.show = cgroups_show,
};

static int cgroups_release(struct inode *inode, struct file *file)
{
	ft_vec_free(((struct seq_file *)file->private_data)->private);
	return seq_release_private(inode, file);
}

static int cgroups_open(struct inode *inode, struct file *file)
{
	struct ft_vec *lines = __seq_open_private(file, &cgroups_ops,
						  sizeof(*lines));
	int err = 0;

	if (!lines)
		return -ENOMEM;
	/* a file opened for writing only needs no lines */
	if (file->f_mode & FMODE_READ)
		err = fill(lines);
	if (err)
		cgroups_release(inode, file);
	return err;
}

static void reset(struct ft_volume *vol)
{
	if (ft_cgroups_on)
		ft_cgroups_reset(ft_observed(vol, cgroups));
}

/* "reset": all cgroups are forgotten, also those that were removed. */
static ssize_t cgroups_write(struct file *file, const char __user *ubuf,
			     size_t count, loff_t *pos)
{
	return ft_reset(file, ubuf, count, reset);
}

const struct file_operations ft_cgroups_fops = {
	.owner = THIS_MODULE,
	.open = cgroups_open,
	.read = seq_read,
	.write = cgroups_write,
	.llseek = seq_lseek,
	.release = cgroups_release,
};
