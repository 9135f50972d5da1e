// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files below /sys/kernel/debug/fragtrace, or /proc/fragtrace where there is no
 * debugfs: counters and commands. The files that show maps are in text.c and
 * binary.c. The first line of a file names its format and version; a change of the
 * format raises its version.
 */

#include <linux/capability.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "causes/writer.h"
#include "core/base.h"
#include "core/memory.h"
#include "core/observer.h"
#include "core/volume.h"
#include "debugfs/debugfs.h"
#include "debugfs/lines.h"
#include "maps/note.h"
#include "probes/probe.h"
#include "scan/audit.h"
#include "watch/resync.h"
#include "watch/target.h"

static struct dentry *dir;
static struct proc_dir_entry *proc_dir;	/* instead of it */
static umode_t forbidden;	/* of all files: none of these bits is set */

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

static void show_stats(struct seq_file *m, const struct ft_lines *lines)
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
}

static const struct ft_text stats_text = {
	.name = "stats",
	.version = 1,
	.head = show_stats,
};

/* === Commands ============================================================= */

static void show_targets(struct seq_file *m, const struct ft_lines *lines)
{
	seq_puts(m, "# dev ino state files path\n");
	ft_target_show(m);
}

static int change_targets(const char *line)
{
	int err;

	if (!strncmp(line, "add ", 4))
		return ft_target_add(line + 4);
	if (!strncmp(line, "wait ", 5))
		return ft_target_wait(line + 5);
	if (strncmp(line, "del ", 4))
		return 1;
	err = ft_target_del(line + 4);
	if (err)
		pr_err("targets: %s is not watched\n", line + 4);
	return err;
}

static const struct ft_text targets_text = {
	.name = "targets",
	.version = 1,
	.head = show_targets,
	.write = change_targets,
	.words = "one line: add DIR, wait DIR, or del DIR",
};

/* The line is 1 for everything, or a watched directory: call @func. */
static int request(const char *line, int (*func)(const char *path))
{
	int err;

	if (strcmp(line, "1") && line[0] != '/')
		return 1;
	err = func(line[0] == '/' ? line : NULL);
	if (err == -ENOENT)
		pr_err("%s is not watched\n", line);
	return err;
}

static int resync(const char *line)
{
	return request(line, ft_resync_all);
}

static const struct ft_text resync_text = {
	.name = "resync",
	.columns = "# write 1, or a watched directory\n",
	.write = resync,
	.words = "1, or a watched directory",
};

static int audit(const char *line)
{
	return request(line, ft_resync_audit);
}

/* The report is not copied. */
static const struct ft_text audit_text = {
	.name = "audit",
	.ops = &ft_audit_ops,
	.write = audit,
	.words = "1, or a watched directory",
};

/* === The files ============================================================ */

static const struct ft_text *const texts[] = {
	&ft_table_text, &ft_extents_text, &ft_files_text, &ft_healed_text,
	&ft_by_pair_text, &ft_gc_text, &stats_text, &targets_text, &resync_text,
	&audit_text,
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

/* === Without debugfs ====================================================== */

/*
 * From here on the file is as it is in debugfs: while it is open, it holds the module.
 * Unlike debugfs, procfs is mounted in containers, too, whose root is to see nothing of
 * the machine's files.
 */
static int proc_open(struct inode *inode, struct file *file)
{
	const struct file_operations *fops = inode->i_private ? &ft_text_fops : &ft_binary_fops;

	if (!capable(CAP_SYS_ADMIN))
		return -EACCES;
	if (!fops_get(fops))
		return -ENOENT;
	replace_fops(file, fops);
	return fops->open(inode, file);
}

/* Without @proc_lseek procfs takes the files for streams. */
static const struct proc_ops proc_ops = {
	.proc_open = proc_open,
	.proc_lseek = default_llseek,
};

static int create_proc_dir(void)
{
	proc_dir = proc_mkdir_mode("fragtrace", 0700, NULL);
	if (!proc_dir) {
		pr_err("no directory in procfs\n");
		return -ENOMEM;
	}
	pr_notice("this kernel has no debugfs, or does not allow it: the files are in /proc/fragtrace\n");
	return 0;
}

/* === Life ================================================================= */

static int create_dir(void)
{
	struct inode *inode;

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
	forbidden = forbidden_mode();
	return 0;
}

static int create(const char *name, umode_t mode, const void *data,
		  const struct file_operations *fops)
{
	struct dentry *file;

	if (proc_dir) {
		if (proc_create_data(name, mode, proc_dir, &proc_ops, (void *)data))
			return 0;
		pr_err("no file %s in procfs\n", name);
		return -ENOMEM;
	}
	file = debugfs_create_file(name, mode & ~forbidden, dir, (void *)data, fops);
	if (IS_ERR(file))
		pr_err("no file %s in debugfs: %ld\n", name, PTR_ERR(file));
	return PTR_ERR_OR_ZERO(file);
}

static int create_text(const struct ft_text *text)
{
	return create(text->name, text->write || text->reset ? 0600 : 0400, text, &ft_text_fops);
}

/**
 * ft_debugfs_init() - create the files
 *
 * Return: 0, or the error of debugfs or procfs. Without its files the module is useless.
 */
int ft_debugfs_init(void)
{
	const struct ft_observer *o;
	unsigned int i;
	int err;

	err = debugfs_initialized() ? create_dir() : create_proc_dir();
	if (err)
		return err;
	err = create("snapshot", 0400, NULL, &ft_binary_fops);
	for (i = 0; i < ARRAY_SIZE(texts) && !err; i++)
		err = create_text(texts[i]);
	ft_for_each_observer(o, i)
		err = err ?: create_text(o->text);
	if (err)
		ft_debugfs_exit();
	return err;
}

/**
 * ft_debugfs_exit() - remove the files; no reader has one open
 */
void ft_debugfs_exit(void)
{
	if (proc_dir)
		proc_remove(proc_dir);
	else
		debugfs_remove(dir);
}
