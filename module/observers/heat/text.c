// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which ranges of files are read: the file heat in debugfs.
 *
 * In: the counts of heat.c, and the paths of a snapshot. Out: a line for each window
 * that has counts, by file and offset. Both are copied when a reader opens the file.
 */

#include <linux/fs.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "core/base.h"
#include "core/volume.h"
#include "debugfs/snapshot.h"
#include "maps/inode.h"
#include "observers/heat/heat.h"

/* Windows copied before the lock of the file is dropped. */
#define LINES_PER_STEP	256

/**
 * struct copy - what one reader sees
 * @snap: the files, with their paths
 * @lines: struct ft_heat_line, by file and window
 */
struct copy {
	struct ft_snapshot *snap;
	struct ft_vec lines;
};

static struct ft_volume *find_volume(const struct ft_snap_volume *v)
{
	struct ft_volume *vol;
	unsigned int n;

	for (n = 0; (vol = ft_volume_nth(n)); n++) {
		if (v->major == MAJOR(vol->dev) && v->minor == MINOR(vol->dev))
			return vol;
		ft_volume_put(vol);
	}
	return NULL;
}

static int copy_file(struct copy *copy, struct ft_inode *rec, u32 file)
{
	struct ft_vec *vec = &copy->lines;
	struct ft_heat_line *lines;
	unsigned int nr, i;
	bool done = false;
	u32 from = 0;

	while (!done) {
		if (ft_vec_make_room(vec, LINES_PER_STEP, sizeof(*lines)))
			return -ENOMEM;
		lines = (struct ft_heat_line *)vec->data + vec->nr;
		done = ft_heat_copy(rec, &from, lines, LINES_PER_STEP, &nr);
		for (i = 0; i < nr; i++)
			lines[i].file = file;
		vec->nr += nr;
		ft_let_writers_go();
	}
	return 0;
}

static int fill(struct copy *copy)
{
	struct ft_snapshot *snap = copy->snap;
	struct ft_volume *vol = NULL;
	struct ft_inode *rec;
	u32 volume = U32_MAX;
	int err = 0;
	size_t i;

	for (i = 0; i < snap->files.nr && !err; i++) {
		const struct ft_snap_file *f = ft_snap_file(snap, i);

		if (f->volume != volume) {
			if (vol)
				ft_volume_put(vol);
			volume = f->volume;
			vol = find_volume(ft_snap_volume(snap, volume));
		}
		rec = vol ? ft_inode_get(vol, f->ino) : NULL;
		if (rec && !rec->is_dir && ft_heat_bytes(rec))
			err = copy_file(copy, rec, i);
		if (rec)
			ft_inode_put(rec);
		cond_resched();
	}
	if (vol)
		ft_volume_put(vol);
	return err;
}

/* === The file ============================================================= */

static void *heat_start(struct seq_file *m, loff_t *pos)
{
	struct copy *copy = m->private;

	if (*pos == 0)
		return SEQ_START_TOKEN;
	if (*pos > copy->lines.nr)
		return NULL;
	return (struct ft_heat_line *)copy->lines.data + *pos - 1;
}

static void *heat_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return heat_start(m, pos);
}

static void heat_stop(struct seq_file *m, void *v)
{
}

static void show_header(struct seq_file *m)
{
	seq_puts(m, "# fragtrace heat 2\n");
	if (ft_heat_on)
		seq_printf(m, "# windows blocks=%u period_secs=%u\n",
			   ft_heat_window_blocks(), ft_heat_period());
	else
		seq_puts(m, "# not known: the module was loaded with heat=0\n");
	seq_puts(m, "# dev ino offset reads blocks requests overwrites continued path\n");
}

static int heat_show(struct seq_file *m, void *v)
{
	const struct ft_heat_line *line = v;
	struct copy *copy = m->private;
	const struct ft_snap_volume *vol;
	const struct ft_snap_file *f;

	if (v == SEQ_START_TOKEN) {
		show_header(m);
		return 0;
	}
	f = ft_snap_file(copy->snap, line->file);
	vol = ft_snap_volume(copy->snap, f->volume);
	seq_printf(m, "%u:%u %u %llu %u %u %u %u %u %s\n", vol->major, vol->minor,
		   f->ino, (u64)line->window * ft_heat_window_blocks(),
		   line->counts[FT_HEAT_READS], line->counts[FT_HEAT_BLOCKS],
		   line->counts[FT_HEAT_REQUESTS],
		   line->counts[FT_HEAT_OVERWRITES],
		   line->counts[FT_HEAT_CONTINUED],
		   ft_snap_path(copy->snap, f->path));
	return 0;
}

static const struct seq_operations heat_ops = {
	.start = heat_start,
	.next = heat_next,
	.stop = heat_stop,
	.show = heat_show,
};

static int heat_release(struct inode *inode, struct file *file)
{
	struct copy *copy = ((struct seq_file *)file->private_data)->private;

	ft_snapshot_free(copy->snap);
	ft_vec_free(&copy->lines);
	return seq_release_private(inode, file);
}

static int heat_open(struct inode *inode, struct file *file)
{
	struct copy *copy = __seq_open_private(file, &heat_ops, sizeof(*copy));
	int err;

	if (!copy)
		return -ENOMEM;
	copy->snap = ft_snapshot_take(FT_VIEW_PATHS);
	err = PTR_ERR_OR_ZERO(copy->snap);
	if (!err && ft_heat_on)
		err = fill(copy);
	if (err)
		heat_release(inode, file);
	return err;
}

const struct file_operations ft_heat_fops = {
	.owner = THIS_MODULE,
	.open = heat_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = heat_release,
};
