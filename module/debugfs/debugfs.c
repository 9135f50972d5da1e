// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files below /sys/kernel/debug/fragtrace: counters and commands. The files
 * that show maps are in text.c and binary.c. The first line of a file names its
 * format and version; a change of the format raises its version.
 */

#include <linux/debugfs.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string_helpers.h>
#include <linux/uaccess.h>

#include "causes/writer.h"
#include "core/base.h"
#include "core/memory.h"
#include "core/observer.h"
#include "core/volume.h"
#include "debugfs/debugfs.h"
#include "debugfs/snapshot.h"
#include "maps/note.h"
#include "probes/probe.h"
#include "scan/audit.h"
#include "watch/resync.h"
#include "watch/target.h"

static struct dentry *dir;

/* === stats ================================================================ */

static const char * const counter_names[] = {
	[FT_EVENTS_WRITE] = "events_write",
	[FT_EVENTS_UPDATE] = "events_update",
	[FT_EVENTS_MAP] = "events_map",
	[FT_EVENTS_TRUNCATE] = "events_truncate",
	[FT_EVENTS_FALLOCATE] = "events_fallocate",
	[FT_EVENTS_ATOMIC] = "events_atomic",
	[FT_EVENTS_COMPRESS] = "events_compress",
	[FT_CALLS] = "calls",
	[FT_MISMATCHES] = "mismatches",
	[FT_LOST] = "lost",
	[FT_RESCANS] = "rescans",
	[FT_STEPS_LATE] = "steps_late",
	[FT_AUDITS] = "audits",
	[FT_AUDIT_DIFFERENCES] = "audit_differences",
	[FT_SAMPLED] = "sampled",
	[FT_REFUSED] = "refused",
	[FT_CAUSES_LOST] = "causes_lost",
};
static_assert(ARRAY_SIZE(counter_names) == FT_NR_COUNTERS);

static u64 counter(enum ft_counter which)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(ft_counters, cpu)[which]);
	return sum;
}

static int stats_show(struct seq_file *m, void *unused)
{
	unsigned int volumes = 0, inodes = 0, dirs = 0, stale = 0, queued = 0;
	unsigned int writers = 0, left_out = 0, unsound = 0;
	const struct ft_observer *o;
	struct ft_volume *vol;
	unsigned int i;

	ft_note_flush();
	rcu_read_lock();
	list_for_each_entry_rcu(vol, &ft_volumes, node) {
		volumes++;
		inodes += atomic_read(&vol->nr_inodes);
		dirs += atomic_read(&vol->nr_dirs);
		stale += atomic_read(&vol->nr_stale);
		left_out += ft_volume_left_out(vol);
		unsound += READ_ONCE(vol->unsound);
		queued += atomic_read(&vol->nr_queued);
		if (vol->writers)
			writers += READ_ONCE(vol->writers->nr) - FT_FIRST_WRITER;
	}
	rcu_read_unlock();

	seq_puts(m, "# fragtrace stats 1\n");
	seq_printf(m, "attached %d\n", ft_attach_usable());
	seq_printf(m, "calls_attached %d\n", ft_call_attached());
	seq_printf(m, "volumes %u\n", volumes);
	seq_printf(m, "targets_waiting %d\n", atomic_read(&ft_nr_waiting));
	seq_printf(m, "inodes %u\n", inodes);
	seq_printf(m, "directories %u\n", dirs);
	seq_printf(m, "extents %llu\n", ft_mem_extents());
	seq_printf(m, "mem_bytes %ld\n", ft_mem_used());
	seq_printf(m, "mem_budget %lu\n", ft_mem_budget());
	seq_printf(m, "copies_bytes %ld\n", ft_vec_bytes());
	seq_printf(m, "copies_budget %ld\n", ft_vec_budget());
	seq_printf(m, "writers %u\n", writers);
	seq_printf(m, "stale %u\n", stale);
	seq_printf(m, "left_out %u\n", left_out);
	seq_printf(m, "queued %u\n", queued);
	seq_printf(m, "unsound %u\n", unsound);
	for (i = 0; i < FT_NR_COUNTERS; i++)
		seq_printf(m, "%s %llu\n", counter_names[i], counter(i));
	ft_for_each_observer(o, i)
		if (o->show_stats)
			o->show_stats(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

/* === Commands ============================================================= */

/*
 * Take one line from the user. The caller frees *@text. A path in the line may
 * be escaped as in our own output.
 */
static int take_line(const char __user *ubuf, size_t count, loff_t *pos,
		     char **text)
{
	size_t max = 4 * PATH_MAX + 8;
	char *line;

	if (*pos)
		return -EINVAL;
	if (!count)
		return -EINVAL;
	if (count > max)
		return -E2BIG;
	line = memdup_user_nul(ubuf, count);
	if (IS_ERR(line))
		return PTR_ERR(line);
	if (line[count - 1] == '\n')
		line[--count] = '\0';
	if (strlen(line) != count || strchr(line, '\n')) {
		kfree(line);
		return -EINVAL;
	}
	/* a path contains no NUL, not even an escaped one */
	if (string_unescape_inplace(line, UNESCAPE_OCTAL) != strlen(line)) {
		kfree(line);
		return -EINVAL;
	}
	*text = line;
	return 0;
}

static int targets_show(struct seq_file *m, void *unused)
{
	seq_puts(m, "# fragtrace targets 1\n");
	seq_puts(m, "# dev ino state files path\n");
	ft_target_show(m);
	return 0;
}

static int targets_open(struct inode *inode, struct file *file)
{
	return single_open(file, targets_show, NULL);
}

static ssize_t targets_write(struct file *file, const char __user *ubuf,
			     size_t count, loff_t *pos)
{
	char *line;
	int err = take_line(ubuf, count, pos, &line);

	if (err) {
		pr_err("targets: one line expected, \"add DIR\", \"wait DIR\" or \"del DIR\"\n");
		return err;
	}
	if (!strncmp(line, "add ", 4)) {
		err = ft_target_add(line + 4);
	} else if (!strncmp(line, "wait ", 5)) {
		err = ft_target_wait(line + 5);
	} else if (!strncmp(line, "del ", 4)) {
		err = ft_target_del(line + 4);
		if (err) {
			pr_err("targets: %s is not watched\n", line + 4);
			/* a user takes ENOENT for a module that is not loaded */
			err = -EINVAL;
		}
	} else {
		pr_err("targets: \"%.32s\": \"add DIR\", \"wait DIR\" or \"del DIR\" expected\n",
		       line);
		err = -EINVAL;
	}
	kfree(line);
	return err ?: count;
}

static const struct file_operations targets_fops = {
	.owner = THIS_MODULE,
	.open = targets_open,
	.read = seq_read,
	.write = targets_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* Take one line, 1 for everything or a watched directory, and call @func. */
static ssize_t request(const char *name, const char __user *ubuf, size_t count,
		       loff_t *pos, int (*func)(const char *path))
{
	char *line;
	int err = take_line(ubuf, count, pos, &line);

	if (!err) {
		if (!strcmp(line, "1"))
			err = func(NULL);
		else if (line[0] == '/')
			err = func(line);
		else
			err = -EINVAL;
		if (err == -ENOENT)
			pr_err("%s: %s is not watched\n", name, line);
		kfree(line);
	}
	if (err == -EINVAL || err == -E2BIG)
		pr_err("%s: 1, or a watched directory expected\n", name);
	/* a user takes ENOENT for a module that is not loaded */
	return err == -ENOENT ? -EINVAL : err ?: count;
}

static int resync_show(struct seq_file *m, void *unused)
{
	seq_puts(m, "# write 1, or a watched directory\n");
	return 0;
}

static int resync_open(struct inode *inode, struct file *file)
{
	return single_open(file, resync_show, NULL);
}

static ssize_t resync_write(struct file *file, const char __user *ubuf,
			    size_t count, loff_t *pos)
{
	return request("resync", ubuf, count, pos, ft_resync_all);
}

static const struct file_operations resync_fops = {
	.owner = THIS_MODULE,
	.open = resync_open,
	.read = seq_read,
	.write = resync_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int audit_open(struct inode *inode, struct file *file)
{
	return seq_open(file, &ft_audit_ops);
}

static ssize_t audit_write(struct file *file, const char __user *ubuf,
			   size_t count, loff_t *pos)
{
	return request("audit", ubuf, count, pos, ft_resync_audit);
}

static const struct file_operations audit_fops = {
	.owner = THIS_MODULE,
	.open = audit_open,
	.read = seq_read,
	.write = audit_write,
	.llseek = seq_lseek,
	.release = seq_release,
};

/* === Life ================================================================= */

static const struct {
	const char *name;
	umode_t mode;
	enum ft_view view;
	const struct file_operations *fops;
} files[] = {
	{ "table", 0400, FT_VIEW_TABLE, &ft_view_fops },
	{ "extents", 0400, FT_VIEW_EXTENTS, &ft_view_fops },
	{ "files", 0400, FT_VIEW_FILES, &ft_view_fops },
	{ "snapshot", 0400, FT_VIEW_BINARY, &ft_binary_fops },
	{ "causes", 0600, FT_VIEW_CAUSES, &ft_sums_fops },
	{ "by_process", 0600, FT_VIEW_BY_PROCESS, &ft_sums_fops },
	{ "by_pair", 0600, FT_VIEW_BY_PAIR, &ft_sums_fops },
	{ "gc", 0400, 0, &ft_gc_fops },
	{ "stats", 0400, 0, &stats_fops },
	{ "targets", 0600, 0, &targets_fops },
	{ "resync", 0600, 0, &resync_fops },
	{ "audit", 0600, 0, &audit_fops },
};

/*
 * Mode bits to leave out. A locked down kernel refuses to open any file of debugfs
 * with a write bit. Without these bits the files can at least be read.
 */
static umode_t forbidden_mode(void)
{
	if (!security_locked_down(LOCKDOWN_DEBUGFS))
		return 0;
	pr_notice("the kernel is locked down: files of debugfs can be read, not written to; directories are named by path=\n");
	return 0222;
}

static int create(const char *name, umode_t mode, enum ft_view view,
		  const struct file_operations *fops)
{
	struct dentry *file = debugfs_create_file(name, mode, dir,
						  (void *)(uintptr_t)view, fops);

	if (IS_ERR(file))
		pr_err("no file %s in debugfs: %ld\n", name, PTR_ERR(file));
	return PTR_ERR_OR_ZERO(file);
}

/**
 * ft_debugfs_init() - create the files
 *
 * Return: 0, or the error of debugfs. Without its files the module is useless.
 */
int ft_debugfs_init(void)
{
	umode_t forbidden = forbidden_mode();
	const struct ft_observer *o;
	struct inode *inode;
	unsigned int i;
	int err = 0;

	dir = debugfs_create_dir("fragtrace", NULL);
	if (IS_ERR(dir)) {
		pr_err("no directory in debugfs: %ld\n", PTR_ERR(dir));
		return PTR_ERR(dir);
	}
	/* paths of files are for root only */
	inode = d_inode(dir);
	inode_lock(inode);
	inode->i_mode &= ~0077;
	inode_unlock(inode);
	for (i = 0; i < ARRAY_SIZE(files) && !err; i++)
		err = create(files[i].name, files[i].mode & ~forbidden,
			     files[i].view, files[i].fops);
	ft_for_each_observer(o, i)
		err = err ?: create(o->name, o->mode & ~forbidden, 0, o->fops);
	if (err)
		debugfs_remove(dir);
	return err;
}

/**
 * ft_debugfs_exit() - remove the files; no reader has one open
 */
void ft_debugfs_exit(void)
{
	debugfs_remove(dir);
}
