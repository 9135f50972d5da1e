// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file ledger of debugfs: what was written to volumes, by processes, and of files.
 */

#include <linux/fs.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "causes/writer.h"
#include "core/base.h"
#include "debugfs/lines.h"
#include "observers/ledger/counts.h"

/* What a line shows; they are in this order. */
enum shown { SHOWN_DEVICE, SHOWN_KIND, SHOWN_PROCESS, SHOWN_FILE };

/* Bytes shown of the path of a cgroup, with its NUL. */
#define CGROUP_SHOWN	128

/**
 * struct line - for readers
 * @shown: what it shows
 * @dev: the volume
 * @index: a kind and a log; or of a file, for the reader; or whether it has all others
 * @pid: of a process
 * @bytes: written and discarded; of a kind; or sums
 * @comm: of a process: its name
 * @cgroup: of a process: the path of its cgroup
 */
struct line {
	enum shown shown;
	dev_t dev;
	u32 index;
	u32 pid;
	u64 bytes[FT_NR_WROTE_SUMS];
	char comm[TASK_COMM_LEN];
	char cgroup[CGROUP_SHOWN];
};

#define OTHERS	U32_MAX

static const char * const kinds[] = {
	[FT_WROTE_NEW] = "new",
	[FT_WROTE_REWRITTEN] = "rewritten",
	[FT_WROTE_IN_PLACE] = "in_place",
	[FT_WROTE_DIRECT] = "direct",
	[FT_WROTE_ATOMIC] = "atomic",
	[FT_WROTE_COMPRESSED] = "compressed",
	[FT_WROTE_INLINE] = "inline",
	[FT_WROTE_DIRECTORY] = "directory",
	[FT_WROTE_GC_FG] = "gc_fg",
	[FT_WROTE_GC_BG] = "gc_bg",
	[FT_WROTE_DEFRAG] = "defrag",
	[FT_WROTE_RANGE] = "range",
	[FT_WROTE_NODE_SYNC] = "node_sync",
	[FT_WROTE_NODE_WRITEBACK] = "node_writeback",
	[FT_WROTE_NODE_CHECKPOINT] = "node_checkpoint",
	[FT_WROTE_NODE_GC] = "node_gc",
	[FT_WROTE_CHECKPOINT] = "checkpoint",
	[FT_WROTE_SIT] = "sit",
	[FT_WROTE_NAT] = "nat",
	[FT_WROTE_SSA] = "ssa",
	[FT_WROTE_SUPER] = "super",
};

static_assert(ARRAY_SIZE(kinds) == FT_NR_WROTE_KINDS);

static const char * const logs[] = {
	"hot_data", "warm_data", "cold_data", "hot_node", "warm_node", "cold_node", "-",
};

static_assert(ARRAY_SIZE(logs) == FT_NR_WROTE_LOGS);

/* === Collecting =========================================================== */

/* Zeroed, but for what it shows; %NULL if memory is short. */
static struct line *add_line(struct ft_lines *lines, enum shown shown, const struct ft_volume *vol)
{
	struct line *l = ft_lines_add(lines);

	if (l) {
		l->shown = shown;
		l->dev = vol->dev;
	}
	return l;
}

/* False if all are 0. */
static bool copy_sums(u64 bytes[FT_NR_WROTE_SUMS], const struct ft_wrote *w)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < FT_NR_WROTE_SUMS; i++) {
		bytes[i] = atomic64_read(&w->bytes[i]);
		any |= bytes[i];
	}
	return any;
}

static int copy_file(struct ft_lines *lines, struct ft_inode *rec, u32 file)
{
	u64 bytes[FT_NR_WROTE_SUMS];
	struct ft_wrote *f;
	struct line *l;
	bool any;

	rcu_read_lock();
	f = rcu_dereference(*ft_wrote_kept(rec));
	any = f && copy_sums(bytes, f);
	rcu_read_unlock();
	if (!any)
		return 0;
	l = add_line(lines, SHOWN_FILE, rec->vol);
	if (!l)
		return -ENOMEM;
	memcpy(l->bytes, bytes, sizeof(bytes));
	l->index = file;
	return 0;
}

static int list_kinds(struct ft_lines *lines, struct ft_volume *vol,
		      const struct ft_wrote_all *ledger)
{
	unsigned int i;
	struct line *l;
	u64 bytes;

	for (i = 0; i < FT_NR_WROTE_KINDS * FT_NR_WROTE_LOGS; i++) {
		bytes = atomic64_read(&ledger->kinds[0][0] + i);
		if (!bytes)
			continue;
		l = add_line(lines, SHOWN_KIND, vol);
		if (!l)
			return -ENOMEM;
		l->index = i;
		l->bytes[0] = bytes;
	}
	return 0;
}

static int list_processes(struct ft_lines *lines, struct ft_volume *vol,
			  struct ft_wrote_all *ledger)
{
	u64 bytes[FT_NR_WROTE_SUMS];
	const struct ft_writer *w;
	struct ft_wrote *p;
	unsigned long i;
	struct line *l;

	/* they stay as long as the volume */
	xa_for_each(&ledger->processes, i, p) {
		w = ft_writer_find(vol, i);
		if (!w || !copy_sums(bytes, p))
			continue;
		l = add_line(lines, SHOWN_PROCESS, vol);
		if (!l)
			return -ENOMEM;
		memcpy(l->bytes, bytes, sizeof(bytes));
		l->index = i;
		l->pid = w->pid;
		memcpy(l->comm, w->comm, sizeof(l->comm));
		strscpy(l->cgroup, w->cgroup, sizeof(l->cgroup));
	}
	return 0;
}

static int list_volume(struct ft_lines *lines, struct ft_volume *vol)
{
	struct ft_wrote_all *ledger = ft_observed(vol, ledger);
	enum shown shown;
	struct line *l;
	int err;

	if (!ledger)
		return 0;
	l = add_line(lines, SHOWN_DEVICE, vol);
	if (!l)
		return -ENOMEM;
	l->bytes[0] = atomic64_read(&ledger->written);
	l->bytes[1] = atomic64_read(&ledger->discarded);
	err = list_kinds(lines, vol, ledger) ?: list_processes(lines, vol, ledger);
	for (shown = SHOWN_PROCESS; !err && shown <= SHOWN_FILE; shown++) {
		l = add_line(lines, shown, vol);
		if (!l)
			return -ENOMEM;
		l->index = OTHERS;
		copy_sums(l->bytes, shown == SHOWN_FILE ? &ledger->file : &ledger->process);
	}
	return err;
}

static int by_shown(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	cond_resched();
	if (x->shown != y->shown)
		return x->shown < y->shown ? -1 : 1;
	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* === Lines ================================================================ */

static void show_bytes(struct seq_file *m, const struct line *l, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		seq_printf(m, " %llu", l->bytes[i]);
}

static void show_escaped(struct seq_file *m, const char *text)
{
	seq_putc(m, ' ');
	if (*text)
		seq_escape(m, text, FT_ESCAPED);
	else
		seq_putc(m, '-');
}

static void show_line(struct seq_file *m, const struct ft_lines *lines, const void *line)
{
	const struct line *l = line;
	const struct ft_snap_file *f;

	seq_printf(m, "%u:%u ", MAJOR(l->dev), MINOR(l->dev));
	switch (l->shown) {
	case SHOWN_DEVICE:
		seq_puts(m, "device");
		show_bytes(m, l, 2);
		break;
	case SHOWN_KIND:
		seq_printf(m, "kind %s %s", kinds[l->index / FT_NR_WROTE_LOGS],
			   logs[l->index % FT_NR_WROTE_LOGS]);
		show_bytes(m, l, 1);
		break;
	case SHOWN_PROCESS:
		seq_puts(m, "process");
		show_bytes(m, l, FT_NR_WROTE_SUMS);
		if (l->index == OTHERS) {
			seq_puts(m, " 0 * *");
			break;
		}
		seq_printf(m, " %u", l->pid);
		show_escaped(m, l->comm);
		show_escaped(m, l->cgroup);
		break;
	case SHOWN_FILE:
		seq_puts(m, "file");
		show_bytes(m, l, FT_NR_WROTE_SUMS);
		if (l->index == OTHERS) {
			seq_puts(m, " 0 *");
			break;
		}
		f = ft_snap_file(lines->snap, l->index);
		seq_printf(m, " %u %s", f->ino, ft_snap_path(lines->snap, f->path));
		break;
	}
	seq_putc(m, '\n');
}

const struct ft_text ft_ledger_text = {
	.name = "ledger",
	.version = 1,
	.on = &ft_wrote_on,
	.parameter = "ledger",
	.columns = "# dev device written discarded\n"
		   "# dev kind name log bytes\n"
		   "# dev process buffered mapped direct data node gc moved pid comm cgroup\n"
		   "# dev file buffered mapped direct data node gc moved ino path\n",
	.view = FT_VIEW_PATHS,
	.size = sizeof(struct line),
	.each = copy_file,
	.volume = list_volume,
	.compare = by_shown,
	.show = show_line,
	.reset = ft_wrote_reset,
	.words = FT_RESET_WORDS,
};
