// SPDX-License-Identifier: GPL-2.0-only
/*
 * The maps as text: the files table, extents and files in debugfs.
 *
 * In: snapshots. Out: lines of fields separated by blanks, the path last and
 * escaped as in /proc/self/mountinfo. The first line names the format and its
 * version; README.md describes the formats, viewer/table.c reads them. Changing
 * one raises its version.
 *
 * A table may have millions of lines: their numbers are not written by printf.
 */

#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "fragtrace.h"
#include "snapshot.h"

/* === Lines ================================================================ */

static void show_dev(struct seq_file *m, struct ft_snapshot *snap, u32 volume)
{
	const struct ft_snap_volume *v = ft_snap_volume(snap, volume);

	seq_put_decimal_ull(m, NULL, v->major);
	seq_put_decimal_ull(m, ":", v->minor);
}

static void show_path(struct seq_file *m, struct ft_snapshot *snap, u64 path)
{
	seq_puts(m, ft_snap_path(snap, path));
	seq_putc(m, '\n');
}

static void show_volume(struct seq_file *m, struct ft_snapshot *snap, u32 i)
{
	const struct ft_snap_volume *v = ft_snap_volume(snap, i);

	seq_printf(m, "# volume %u:%u main_blkaddr=%u blocks=%u segment_blocks=%u path=",
		   v->major, v->minor, v->main_blkaddr, v->blocks,
		   v->segment_blocks);
	show_path(m, snap, v->path);
}

static void show_header(struct seq_file *m, struct ft_snapshot *snap)
{
	size_t i;

	if (snap->view == FT_VIEW_TABLE) {
		seq_puts(m, "# fragtrace table 1\n");
		for (i = 0; i < snap->volumes.nr; i++)
			show_volume(m, snap, i);
		seq_puts(m, "# dev lba length offset ino state path\n");
	} else if (snap->view == FT_VIEW_EXTENTS) {
		seq_puts(m, "# fragtrace extents 1\n");
		seq_puts(m, "# dev ino offset offset_end lba lba_end length flags path\n");
	} else {
		seq_puts(m, "# fragtrace files 1\n");
		seq_puts(m, "# dev ino map blocks extents fragments mean_fragment mean_distance requests_128k ideal_128k path\n");
	}
}

static void show_table_line(struct seq_file *m, struct ft_snapshot *snap,
			    u32 i)
{
	const struct ft_snap_extent *ext = ft_snap_extent(snap, i);
	const struct ft_snap_file *f = ft_snap_file(snap, ext->file);

	show_dev(m, snap, f->volume);
	seq_put_decimal_ull(m, " ", ext->lba);
	seq_put_decimal_ull(m, " ", ext->len);
	seq_put_decimal_ull(m, " ", ext->lblk);
	seq_put_decimal_ull(m, " ", f->ino);
	seq_puts(m, f->flags & FT_SNAP_FRAGMENTED ? " fragmented " :
						    " contiguous ");
	show_path(m, snap, f->path);
}

static void show_extents_line(struct seq_file *m, struct ft_snapshot *snap,
			      u32 i)
{
	const struct ft_snap_extent *ext = ft_snap_extent(snap, i);
	const struct ft_snap_file *f = ft_snap_file(snap, ext->file);

	show_dev(m, snap, f->volume);
	seq_put_decimal_ull(m, " ", f->ino);
	seq_put_decimal_ull(m, " ", ext->lblk);
	seq_put_decimal_ull(m, " ", ext->lblk + ext->len - 1);
	if (ext->lba == FT_SNAP_UNWRITTEN) {
		seq_put_decimal_ull(m, " - - ", ext->len);
		seq_puts(m, " unwritten ");
	} else {
		seq_put_decimal_ull(m, " ", ext->lba);
		seq_put_decimal_ull(m, " ", ext->lba + ext->len - 1);
		seq_put_decimal_ull(m, " ", ext->len);
		seq_puts(m, ext->flags & FT_SNAP_ENCODED ? " encoded " : " - ");
	}
	show_path(m, snap, f->path);
}

/* A quotient to one decimal, rounded half up. */
static void show_mean(struct seq_file *m, u64 sum, u64 nr)
{
	u64 tenths = nr ? div64_u64(20 * sum + nr, 2 * nr) : 0;
	u32 rest;

	tenths = div_u64_rem(tenths, 10, &rest);
	seq_put_decimal_ull(m, " ", tenths);
	seq_put_decimal_ull(m, ".", rest);
}

static void show_files_line(struct seq_file *m, struct ft_snapshot *snap,
			    u32 i)
{
	const struct ft_snap_file *f = ft_snap_file(snap, i);

	show_dev(m, snap, f->volume);
	seq_put_decimal_ull(m, " ", f->ino);
	seq_puts(m, f->flags & FT_SNAP_STALE ? " stale" : " exact");
	seq_put_decimal_ull(m, " ", f->blocks);
	seq_put_decimal_ull(m, " ", f->written);
	seq_put_decimal_ull(m, " ", f->fragments);
	show_mean(m, f->blocks, f->fragments);
	show_mean(m, f->distance, f->fragments ? f->fragments - 1 : 0);
	seq_put_decimal_ull(m, " ", f->requests);
	seq_put_decimal_ull(m, " ", f->ideal);
	seq_putc(m, ' ');
	show_path(m, snap, f->path);
}

/* === The file ============================================================= */

static void *view_start(struct seq_file *m, loff_t *pos)
{
	struct ft_snapshot *snap = m->private;

	if (*pos == 0)
		return SEQ_START_TOKEN;
	if (*pos > snap->order.nr)
		return NULL;
	return (u32 *)snap->order.data + *pos - 1;
}

static void *view_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return view_start(m, pos);
}

static void view_stop(struct seq_file *m, void *v)
{
}

static int view_show(struct seq_file *m, void *v)
{
	struct ft_snapshot *snap = m->private;

	if (v == SEQ_START_TOKEN)
		show_header(m, snap);
	else if (snap->view == FT_VIEW_TABLE)
		show_table_line(m, snap, *(u32 *)v);
	else if (snap->view == FT_VIEW_EXTENTS)
		show_extents_line(m, snap, *(u32 *)v);
	else
		show_files_line(m, snap, *(u32 *)v);
	return 0;
}

static const struct seq_operations view_ops = {
	.start = view_start,
	.next = view_next,
	.stop = view_stop,
	.show = view_show,
};

static int view_open(struct inode *inode, struct file *file)
{
	enum ft_view view = (uintptr_t)inode->i_private;
	struct ft_snapshot *snap;
	int err;

	ft_target_distrust();
	snap = ft_snapshot_take(view);
	if (IS_ERR(snap))
		return PTR_ERR(snap);
	err = seq_open(file, &view_ops);
	if (err) {
		ft_snapshot_free(snap);
		return err;
	}
	((struct seq_file *)file->private_data)->private = snap;
	return 0;
}

static int view_release(struct inode *inode, struct file *file)
{
	ft_snapshot_free(((struct seq_file *)file->private_data)->private);
	return seq_release(inode, file);
}

const struct file_operations ft_view_fops = {
	.owner = THIS_MODULE,
	.open = view_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = view_release,
};
