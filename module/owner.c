// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file owner: which file owns a block.
 *
 * In: a device and an LBA, written to the file. Out: one line, when it is read.
 */

#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "debugfs.h"
#include "fragtrace.h"
#include "segment.h"
#include "snapshot.h"
#include "volume.h"
#include "writer.h"

/* The last request; all users share it. */
static DEFINE_MUTEX(asked_lock);
static bool asked;
static dev_t asked_dev;
static u32 asked_lba;

/* Get the watched volume of a device. The caller puts it; NULL if there is none. */
static struct ft_volume *volume_of(dev_t dev)
{
	struct ft_volume *vol;
	unsigned int n;

	for (n = 0; (vol = ft_volume_nth(n)); n++) {
		if (vol->dev == dev)
			return vol;
		ft_volume_put(vol);
	}
	return NULL;
}

/* The extent of a volume that holds a block; NULL if it is in no watched file. */
static const struct ft_snap_extent *find(struct ft_snapshot *snap, dev_t dev,
					 u32 lba)
{
	const struct ft_snap_extent *ext;
	const struct ft_snap_volume *v;
	size_t volume, i;

	for (volume = 0; volume < snap->volumes.nr; volume++) {
		v = ft_snap_volume(snap, volume);
		if (MKDEV(v->major, v->minor) == dev)
			break;
	}
	i = ft_snapshot_first_behind(snap, volume, lba);
	if (i == snap->order.nr)
		return NULL;
	ext = ft_snap_nth(snap, i);
	return ext->lba <= lba && ft_snap_file(snap, ext->file)->volume == volume ?
		       ext : NULL;
}

static void show_extent(struct seq_file *m, struct ft_snapshot *snap,
			const struct ft_snap_extent *ext, u32 lba)
{
	const struct ft_snap_file *f = ft_snap_file(snap, ext->file);
	const struct ft_snap_writer *w =
		ft_snap_writer(snap, ft_cause_writer(ext->cause));
	const char *words[3];

	ft_cause_words(ext->cause, words);
	seq_printf(m, "file %u %u %s %s %s ", f->ino,
		   ext->lblk + (lba - ext->lba), words[0], words[1], words[2]);
	if (ft_cause_writer(ext->cause) == FT_SNAP_WRITER_UNKNOWN) {
		seq_puts(m, "unknown - ");
	} else if (ft_cause_writer(ext->cause) == FT_SNAP_WRITER_SEVERAL) {
		seq_puts(m, "several - ");
	} else {
		seq_escape(m, w->comm, FT_ESCAPED);
		seq_printf(m, ":%u %lld ", w->pid,
			   max_t(s64, ktime_get_real_seconds() - (s64)w->last, 0));
	}
	seq_escape(m, ft_snap_path(snap, f->path), FT_ESCAPED);
	seq_putc(m, '\n');
}

/* Show the kind of a block that is in no watched file. */
static void show_other(struct seq_file *m, struct ft_volume *vol, u32 lba)
{
	struct super_block *sb;
	const char *what = "unknown";

	if (lba >= READ_ONCE(vol->blocks)) {
		what = "beyond_the_end";
	} else if (lba < vol->main_blkaddr) {
		what = "metadata";
	} else {
		sb = ft_volume_hold_sb(vol);
		if (sb) {
			what = ft_segment_is_valid(vol, lba) ? "not_watched" :
							       "free";
			ft_volume_drop_sb(sb);
		}
	}
	seq_printf(m, "%s - - - - - - - -\n", what);
}

static int owner_show(struct seq_file *m, void *unused)
{
	const struct ft_snap_extent *ext;
	struct ft_snapshot *snap;
	struct ft_volume *vol;
	bool question;
	dev_t dev;
	u32 lba;

	mutex_lock(&asked_lock);
	question = asked;
	dev = asked_dev;
	lba = asked_lba;
	mutex_unlock(&asked_lock);

	seq_puts(m, "# fragtrace owner 1\n# dev lba what ino offset op flush why_here process age_s path\n");
	if (!question)
		return 0;
	vol = volume_of(dev);
	if (!vol)
		return -ENODEV;
	snap = ft_snapshot_take(FT_VIEW_BINARY);
	if (IS_ERR(snap)) {
		ft_volume_put(vol);
		return PTR_ERR(snap);
	}
	seq_printf(m, "%u:%u %u ", MAJOR(dev), MINOR(dev), lba);
	ext = find(snap, dev, lba);
	if (ext)
		show_extent(m, snap, ext, lba);
	else
		show_other(m, vol, lba);
	ft_snapshot_free(snap);
	ft_volume_put(vol);
	return 0;
}

static int owner_open(struct inode *inode, struct file *file)
{
	return single_open(file, owner_show, NULL);
}

static ssize_t owner_write(struct file *file, const char __user *ubuf,
			   size_t count, loff_t *pos)
{
	unsigned int major, minor, lba;
	struct ft_volume *vol;
	char line[48] = "", rest;

	if (count >= sizeof(line) || copy_from_user(line, ubuf, count) ||
	    sscanf(line, "%u:%u %u %c", &major, &minor, &lba, &rest) != 3) {
		pr_err("owner: \"MAJOR:MINOR LBA\" expected, as in the file table\n");
		return -EINVAL;
	}
	vol = volume_of(MKDEV(major, minor));
	if (!vol) {
		pr_err("owner: %u:%u is no volume with a watched directory\n",
		       major, minor);
		return -ENODEV;
	}
	ft_volume_put(vol);
	mutex_lock(&asked_lock);
	asked = true;
	asked_dev = MKDEV(major, minor);
	asked_lba = lba;
	mutex_unlock(&asked_lock);
	return count;
}

const struct file_operations ft_owner_fops = {
	.owner = THIS_MODULE,
	.open = owner_open,
	.read = seq_read,
	.write = owner_write,
	.llseek = seq_lseek,
	.release = single_release,
};
