// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file owner: which file owns a block.
 *
 * In: a device and an LBA, written to the file. Out: one line, when it is read.
 */

#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "causes/writer.h"
#include "core/base.h"
#include "core/volume.h"
#include "debugfs/debugfs.h"
#include "debugfs/query.h"
#include "debugfs/snapshot.h"
#include "debugfs/survey.h"
#include "f2fs/segment.h"
#include "watch/mount.h"

/* The last question of all users. */
static struct ft_question last;

static void show_writer(struct seq_file *m, struct ft_volume *vol, u32 number)
{
	const struct ft_writer *w = NULL;

	if (vol->writers && number >= FT_FIRST_WRITER)
		w = ft_writer_find(vol, number);
	if (w) {
		seq_escape(m, w->comm, FT_ESCAPED);
		seq_printf(m, ":%u %lld ", w->pid,
			   max_t(s64, ktime_get_real_seconds() -
				 (s64)READ_ONCE(w->last), 0));
	} else {
		seq_puts(m, number == FT_SNAP_WRITER_SEVERAL ? "several - " :
							       "unknown - ");
	}
}

static void show_file(struct seq_file *m, struct ft_volume *vol,
		      const struct ft_owned *owned)
{
	const char *words[3];

	ft_words_of_cause(owned->cause, words);
	seq_printf(m, "file %u %u %s %s %s ", owned->ino, owned->lblk, words[0],
		   words[1], words[2]);
	show_writer(m, vol, ft_cause_writer(owned->cause));
	seq_escape(m, owned->path, FT_ESCAPED);
	seq_putc(m, '\n');
}

/* Show the kind of a block that is in no watched file. */
static void show_other(struct seq_file *m, struct ft_volume *vol, u32 lba)
{
	struct super_block *sb;
	const char *what = "unknown";

	ft_mount_measure(vol);
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
	struct ft_question q = ft_query_what(&last, m->private);
	struct ft_owned owned;
	struct ft_volume *vol;
	int err;

	seq_puts(m, "# fragtrace owner 1\n# dev lba what ino offset op flush why_here process age_s path\n");
	if (!q.asked)
		return 0;
	vol = ft_query_volume(&q);
	if (!vol)
		return -ENODEV;
	seq_printf(m, "%u:%u %u ", MAJOR(q.dev), MINOR(q.dev), q.number);
	err = ft_survey_owner(vol, q.number, &owned);
	if (!err) {
		show_file(m, vol, &owned);
		kfree(owned.path);
	} else if (err == -ENOENT) {
		show_other(m, vol, q.number);
		err = 0;
	}
	ft_volume_put(vol);
	return err;
}

static int owner_open(struct inode *inode, struct file *file)
{
	struct ft_question *own = kzalloc(sizeof(*own), GFP_KERNEL);
	int err;

	if (!own)
		return -ENOMEM;
	err = single_open(file, owner_show, own);
	if (err)
		kfree(own);
	return err;
}

static int owner_release(struct inode *inode, struct file *file)
{
	kfree(((struct seq_file *)file->private_data)->private);
	return single_release(inode, file);
}

static ssize_t owner_write(struct file *file, const char __user *ubuf,
			   size_t count, loff_t *pos)
{
	struct seq_file *m = file->private_data;
	struct ft_question q;
	int err = ft_query_read(file, ubuf, count, &q);

	if (err)
		return err;
	mutex_lock(&m->lock);
	*(struct ft_question *)m->private = q;
	mutex_unlock(&m->lock);
	ft_query_keep(&last, &q);
	/* the answer begins here */
	*pos = 0;
	return count;
}

const struct file_operations ft_owner_fops = {
	.owner = THIS_MODULE,
	.open = owner_open,
	.read = seq_read,
	.write = owner_write,
	.llseek = seq_lseek,
	.release = owner_release,
};
