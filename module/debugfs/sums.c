// SPDX-License-Identifier: GPL-2.0-only
/*
 * Breaks in sums: the files causes, by_process and by_pair.
 *
 * In: a snapshot, and the counts of breaks that no longer exist (causes/tally.c). Out:
 * lines, most breaks first. Breaks are counted from the extents of the snapshot:
 * they are the breaks that `files` and `extents` show.
 */

#include <linux/fs.h>
#include <linux/limits.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "causes/tally.h"
#include "causes/writer.h"
#include "core/base.h"
#include "core/volume.h"
#include "debugfs/debugfs.h"
#include "debugfs/lines.h"

/**
 * struct process - a process that wrote
 * @number: its number in the snapshot, or FT_SNAP_WRITER_UNKNOWN or _SEVERAL
 * @pid: of the thread group
 * @comm: the name of the thread
 */
struct process {
	u32 number;
	u32 pid;
	char comm[TASK_COMM_LEN];
};

/**
 * struct sum - a line
 * @dev: the volume
 * @key: the kind of the breaks, or the number of the process
 * @file: index of the file, while rows are collected
 * @breaks: number of breaks; of a pair, how often it occurred
 * @healed: number of breaks that were healed
 * @blocks: blocks in the fragments that begin with these breaks
 * @files: files with such breaks
 * @others: instead of a pair: all that are not listed
 * @ext: the extension of the files; of a pair, of the victim
 * @other_ext: the extension of the culprit
 * @who: the process; of a pair, that of the victim
 * @other: the process of the culprit
 * @cgroup: path of its cgroup: offset in the snapshot, or %FT_SNAP_NO_PATH
 */
struct sum {
	dev_t dev;
	u32 key;
	u32 file;
	u64 breaks;
	u64 healed;
	u64 blocks;
	u64 files;
	bool others;
	char ext[FT_EXTENSION_LEN + 1];
	char other_ext[FT_EXTENSION_LEN + 1];
	struct process who;
	struct process other;
	u64 cgroup;
};

static struct sum *row(const struct ft_lines *lines, size_t i)
{
	return (struct sum *)lines->vec.data + i;
}

/* === Collecting =========================================================== */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Blocks of the fragment that begins with extent @i; @end is the file's end. */
static u64 fragment_blocks(struct ft_snapshot *snap, size_t i, size_t end)
{
	u64 blocks = ft_snap_extent(snap, i)->len;

	while (++i < end && !ft_snapshot_breaks(snap, i))
		if (ft_snap_extent(snap, i)->lba != FT_SNAP_UNWRITTEN)
			blocks += ft_snap_extent(snap, i)->len;
	return blocks;
}

/* The extension of a name without its marks, as ft_names_path() appends them. */
static void set_extension(struct sum *sum, const char *name)
{
	static const char * const marks[] = { " (deleted)", " (hidden)" };
	char plain[NAME_MAX + 1];
	size_t len = strlen(name), tail;
	int i;

	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		tail = strlen(marks[i]);
		if (len > tail && !strncmp(name + len - tail, marks[i], tail))
			len -= tail;
	}
	len = min(len, sizeof(plain) - 1);
	memcpy(plain, name, len);
	plain[len] = '\0';
	strscpy(sum->ext, ft_extension_of(plain, len), sizeof(sum->ext));
}

/* Find or add the row for a file and a key. Only the last 16 rows are searched. */
static struct sum *row_of(struct ft_lines *lines, u32 file, u32 key, size_t first)
{
	struct ft_snapshot *snap = lines->snap;
	const struct ft_snap_file *f = ft_snap_file(snap, file);
	const struct ft_snap_volume *v = ft_snap_volume(snap, f->volume);
	const char *name = base_name(ft_snap_path(snap, f->path));
	struct sum *sum;
	size_t i, looked = 0;

	for (i = lines->vec.nr; i > first && looked < 16; i--, looked++)
		if (row(lines, i - 1)->key == key)
			return row(lines, i - 1);
	sum = ft_lines_add(lines);
	if (!sum)
		return NULL;
	sum->dev = MKDEV(v->major, v->minor);
	sum->key = key;
	sum->file = file;
	if (lines->text->view == FT_VIEW_CAUSES)
		set_extension(sum, name);
	return sum;
}

static int collect_file(struct ft_lines *lines, u32 file)
{
	struct ft_snapshot *snap = lines->snap;
	const struct ft_snap_file *f = ft_snap_file(snap, file);
	size_t first = lines->vec.nr, end = f->first + f->nr, i;
	struct sum *sum;
	u32 cause;

	for (i = f->first; i < end; i++) {
		if (!ft_snapshot_breaks(snap, i))
			continue;
		cause = ft_snap_extent(snap, i)->cause;
		sum = row_of(lines, file,
			     lines->text->view == FT_VIEW_CAUSES ?
				     cause & (FT_SNAP_KINDS - 1) :
				     ft_cause_writer(cause), first);
		if (!sum)
			return -ENOMEM;
		sum->breaks++;
		sum->blocks += fragment_blocks(snap, i, end);
		cond_resched();
	}
	return 0;
}

static int collect_healed(struct ft_lines *lines)
{
	struct ft_volume *vol;
	unsigned int n, i, kind, healed;
	struct sum *sum;
	int err = 0;

	for (n = 0; !err && (vol = ft_volume_nth(n)); n++) {
		for (i = 0; vol->tally && i < ft_tally_nr_extensions(vol->tally);
		     i++) {
			struct ft_extension *ext = vol->tally->extension[i];

			for (kind = 0; kind < FT_NR_KINDS && !err; kind++) {
				healed = atomic_read(&ext->healed[kind]);
				if (!healed)
					continue;
				sum = ft_lines_add(lines);
				if (!sum) {
					err = -ENOMEM;
					break;
				}
				sum->dev = vol->dev;
				sum->key = kind;
				sum->file = U32_MAX;
				sum->healed = healed;
				ft_tally_name(vol, ext->number, sum->ext);
			}
		}
		ft_volume_put(vol);
	}
	return err;
}

static void set_process(struct ft_volume *vol, u32 number, struct process *who)
{
	const struct ft_writer *w = ft_writer_find(vol, number);

	who->number = number;
	if (!w)
		return;
	who->pid = w->pid;
	memcpy(who->comm, w->comm, sizeof(who->comm));
}

/* A line for the pairs of a volume that found no room in its table. */
static int collect_other_pairs(struct ft_lines *lines, dev_t dev, u64 times)
{
	struct sum *sum;

	if (!times)
		return 0;
	sum = ft_lines_add(lines);
	if (!sum)
		return -ENOMEM;
	sum->dev = dev;
	sum->breaks = times;
	sum->others = true;
	return 0;
}

static int collect_pairs(struct ft_lines *lines)
{
	struct ft_volume *vol;
	struct ft_pair *pairs, *p;
	unsigned int n, i, nr;
	u64 others = 0;
	struct sum *sum;
	int err = 0;

	pairs = kvmalloc_array(FT_MAX_PAIRS, sizeof(*pairs), GFP_KERNEL);
	if (!pairs)
		return -ENOMEM;
	for (n = 0; !err && (vol = ft_volume_nth(n)); n++) {
		nr = vol->tally ? ft_tally_copy_pairs(vol, pairs, &others) : 0;
		for (i = 0; i < nr; i++) {
			p = &pairs[i];
			sum = ft_lines_add(lines);
			if (!sum) {
				err = -ENOMEM;
				break;
			}
			sum->dev = vol->dev;
			sum->breaks = p->times;
			ft_tally_name(vol, p->victim_ext, sum->ext);
			ft_tally_name(vol, p->culprit_ext, sum->other_ext);
			set_process(vol, p->victim, &sum->who);
			set_process(vol, p->culprit, &sum->other);
		}
		if (!err && vol->tally)
			err = collect_other_pairs(lines, vol->dev, others);
		ft_volume_put(vol);
	}
	kvfree(pairs);
	return err;
}

/* === Summing up =========================================================== */

static int compare_kind(const struct sum *x, const struct sum *y)
{
	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return strcmp(x->ext, y->ext);
}

static int by_kind(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	cond_resched();
	return compare_kind(x, y) ?:
	       (x->file < y->file ? -1 : x->file > y->file);
}

static int by_number(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	cond_resched();
	if (x->breaks != y->breaks)
		return x->breaks > y->breaks ? -1 : 1;
	if (x->healed != y->healed)
		return x->healed > y->healed ? -1 : 1;
	return compare_kind(x, y);
}

/* Merge the rows of each kind: so far there is one for each kind and file. */
static void merge(struct ft_lines *lines)
{
	struct sum *to = NULL, *from;
	u32 file = U32_MAX;
	size_t i, nr = 0;

	sort(lines->vec.data, lines->vec.nr, sizeof(struct sum), by_kind, NULL);
	for (i = 0; i < lines->vec.nr; i++) {
		from = row(lines, i);
		if (!to || compare_kind(to, from)) {
			to = row(lines, nr++);
			if (to != from)
				*to = *from;
			to->files = to->file != U32_MAX;
			file = to->file;
			continue;
		}
		to->breaks += from->breaks;
		to->blocks += from->blocks;
		to->healed += from->healed;
		to->files += from->file != file && from->file != U32_MAX;
		file = from->file;
	}
	lines->vec.nr = nr;
}

/* Name the processes, and give one key to all numbers of a process. */
static void name_processes(struct ft_lines *lines)
{
	size_t i;

	for (i = 0; i < lines->vec.nr; i++) {
		struct sum *sum = row(lines, i);
		const struct ft_snap_writer *w =
			ft_snap_writer(lines->snap, sum->key);

		sum->who.number = sum->key;
		sum->who.pid = w->pid;
		memcpy(sum->who.comm, w->comm, sizeof(w->comm));
		sum->cgroup = w->cgroup;
		/* a process has several numbers, but only one first entry */
		if (sum->key >= FT_FIRST_WRITER)
			sum->key = w->same_as;
	}
}

static int sort_rows(struct ft_lines *lines, int err)
{
	if (!err)
		sort(lines->vec.data, lines->vec.nr, sizeof(struct sum), by_number, NULL);
	return err;
}

/* Count the breaks of each file. */
static int collect_files(struct ft_lines *lines)
{
	size_t i;
	int err = 0;

	for (i = 0; i < lines->snap->files.nr && !err; i++)
		err = collect_file(lines, i);
	return err;
}

static int fill_causes(struct ft_lines *lines)
{
	int err = collect_files(lines) ?: collect_healed(lines);

	if (!err)
		merge(lines);
	return sort_rows(lines, err);
}

static int fill_processes(struct ft_lines *lines)
{
	int err = collect_files(lines);

	if (err)
		return err;
	name_processes(lines);
	merge(lines);
	return sort_rows(lines, 0);
}

static int fill_pairs(struct ft_lines *lines)
{
	return sort_rows(lines, collect_pairs(lines));
}

/* === Lines ================================================================ */

static void put_process(struct seq_file *m, const struct process *who)
{
	if (who->number == FT_SNAP_WRITER_SEVERAL) {
		seq_puts(m, "several");
	} else if (!who->comm[0]) {
		seq_puts(m, "unknown");
	} else {
		seq_escape(m, who->comm, FT_ESCAPED);
		seq_printf(m, ":%u", who->pid);
	}
}

static void put_dev(struct seq_file *m, const struct sum *sum)
{
	seq_printf(m, "%u:%u ", MAJOR(sum->dev), MINOR(sum->dev));
}

static void show_cause(struct seq_file *m, const struct ft_lines *lines,
		       const void *line)
{
	const struct sum *sum = line;
	const char *words[3];

	ft_words_of_cause(sum->key, words);
	put_dev(m, sum);
	seq_printf(m, "%s %s %s %llu %llu %llu %llu ", words[0], words[1],
		   words[2], sum->breaks, sum->healed, sum->blocks, sum->files);
	seq_escape(m, sum->ext, FT_ESCAPED);
	seq_putc(m, '\n');
}

static void show_process(struct seq_file *m, const struct ft_lines *lines,
			 const void *line)
{
	const struct sum *sum = line;

	put_dev(m, sum);
	seq_printf(m, "%llu %llu %llu ", sum->breaks, sum->blocks, sum->files);
	if (sum->who.comm[0]) {
		seq_escape(m, sum->who.comm, FT_ESCAPED);
		seq_printf(m, " %u ", sum->who.pid);
	} else {
		seq_puts(m, sum->key == FT_SNAP_WRITER_SEVERAL ? "several - " :
								 "unknown - ");
	}
	if (sum->cgroup != FT_SNAP_NO_PATH)
		seq_escape(m, ft_snap_path(lines->snap, sum->cgroup), FT_ESCAPED);
	else
		seq_putc(m, '-');
	seq_putc(m, '\n');
}

static void show_pair(struct seq_file *m, const struct ft_lines *lines,
		      const void *line)
{
	const struct sum *sum = line;

	put_dev(m, sum);
	seq_printf(m, "%llu ", sum->breaks);
	if (sum->others) {
		seq_puts(m, "* * * *\n");
		return;
	}
	seq_escape(m, sum->ext, FT_ESCAPED);
	seq_putc(m, ' ');
	put_process(m, &sum->who);
	seq_putc(m, ' ');
	seq_escape(m, sum->other_ext, FT_ESCAPED);
	seq_putc(m, ' ');
	put_process(m, &sum->other);
	seq_putc(m, '\n');
}

/* === The files ============================================================ */

static void show_head(struct seq_file *m, const struct ft_lines *lines)
{
	seq_printf(m, "# fragtrace %s 1\n", lines->text->name);
	if (!ft_causes_wanted())
		seq_puts(m, "# not known: the module was loaded with causes=0\n");
}

static void causes_head(struct seq_file *m, const struct ft_lines *lines)
{
	show_head(m, lines);
	seq_puts(m, "# dev op flush why_here breaks healed blocks files extension\n");
}

static void processes_head(struct seq_file *m, const struct ft_lines *lines)
{
	show_head(m, lines);
	seq_puts(m, "# dev breaks blocks files comm pid cgroup\n");
}

static void pairs_head(struct seq_file *m, const struct ft_lines *lines)
{
	show_head(m, lines);
	seq_puts(m, "# dev times victim_extension victim_process culprit_extension culprit_process\n");
}

/* Counts of healed breaks and of pairs start again at 0. */
static void reset(struct ft_volume *vol)
{
	if (vol->tally)
		ft_tally_reset(vol);
}

const struct ft_text ft_causes_text = {
	.name = "causes",
	.view = FT_VIEW_CAUSES,
	.size = sizeof(struct sum),
	.fill = fill_causes,
	.head = causes_head,
	.show = show_cause,
	.reset = reset,
	.words = FT_RESET_WORDS,
};

const struct ft_text ft_by_process_text = {
	.name = "by_process",
	.view = FT_VIEW_BY_PROCESS,
	.size = sizeof(struct sum),
	.fill = fill_processes,
	.head = processes_head,
	.show = show_process,
	.reset = reset,
	.words = FT_RESET_WORDS,
};

const struct ft_text ft_by_pair_text = {
	.name = "by_pair",
	.size = sizeof(struct sum),
	.fill = fill_pairs,
	.head = pairs_head,
	.show = show_pair,
	.reset = reset,
	.words = FT_RESET_WORDS,
};
