// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file ledger of debugfs: what was written to volumes, by processes, and of files.
 */

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/xarray.h>

#include "causes/writer.h"
#include "core/base.h"
#include "core/observer.h"
#include "core/volume.h"
#include "debugfs/lines.h"
#include "observers/ledger/counts.h"

/* The parameter ledger. */
bool ft_ledger_on;
module_param_named(ledger, ft_ledger_on, bool, 0444);
MODULE_PARM_DESC(ledger, "count what is written, by kind, process and file (default: off)");

/* What a line shows; they are in this order. */
enum shown { SHOWN_DEVICE, SHOWN_KIND, SHOWN_PROCESS, SHOWN_FILE };

/**
 * struct line - for readers
 * @of: what it shows, enum shown, and the volume. Its order: a kind and a log; or the number of a
 *	process; or a file, for the reader; or %OTHERS
 * @pid: of a process
 * @bytes: written and discarded; of a kind; or sums
 * @comm: of a process: its name, among the paths of the snapshot
 * @cgroup: likewise the path of its cgroup
 */
struct line {
	struct ft_line of;
	u32 pid;
	u64 bytes[FT_NR_WROTE_SUMS];
	u64 comm;
	u64 cgroup;
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

/* False if all are 0. */
static bool copy_sums(struct line *l, const atomic64_t *sums)
{
	unsigned int i;

	for (i = 0; i < FT_NR_WROTE_SUMS; i++)
		l->bytes[i] = atomic64_read(&sums[i]);
	return memchr_inv(l->bytes, 0, sizeof(l->bytes));
}

static int copy_file(struct ft_lines *lines, struct ft_inode *rec, u32 file)
{
	struct line *l = ft_lines_add_of(lines, rec->vol, SHOWN_FILE, file);

	if (!l)
		return -ENOMEM;
	if (!ft_counts_copy(rec, FT_SLOT_ledger, l->bytes) ||
	    !memchr_inv(l->bytes, 0, sizeof(l->bytes)))
		ft_lines_take_back(lines);
	return 0;
}

static int list_kinds(struct ft_lines *lines, struct ft_volume *vol,
		      const struct ft_written *ledger)
{
	struct line *l;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ledger->kinds); i++) {
		l = ft_lines_add_of(lines, vol, SHOWN_KIND, i);
		if (!l)
			return -ENOMEM;
		l->bytes[0] = atomic64_read(&ledger->kinds[i]);
		if (!l->bytes[0])
			ft_lines_take_back(lines);
	}
	return 0;
}

static int list_processes(struct ft_lines *lines, struct ft_volume *vol)
{
	const struct ft_writer *w;
	unsigned long number;
	struct line *l;
	int err;

	/* they stay as long as the volume */
	xa_for_each(&vol->writers->by_number, number, w) {
		if (!w->sums)
			continue;
		l = ft_lines_add_of(lines, vol, SHOWN_PROCESS, number);
		if (!l)
			return -ENOMEM;
		if (!copy_sums(l, w->sums)) {
			ft_lines_take_back(lines);
			continue;
		}
		l->pid = w->pid;
		err = ft_snapshot_append(lines->snap, w->comm, &l->comm) ?:
		      ft_snapshot_append(lines->snap, w->cgroup, &l->cgroup);
		if (err)
			return err;
		cond_resched();
	}
	return 0;
}

static int list_volume(struct ft_lines *lines, struct ft_volume *vol)
{
	struct ft_written *ledger = ft_observed(vol, ledger);
	enum shown shown;
	struct line *l = ft_lines_add_of(lines, vol, SHOWN_DEVICE, 0);
	int err;

	if (!l)
		return -ENOMEM;
	l->bytes[0] = atomic64_read(&ledger->written);
	l->bytes[1] = atomic64_read(&ledger->discarded);
	err = list_kinds(lines, vol, ledger) ?: list_processes(lines, vol);
	for (shown = SHOWN_PROCESS; !err && shown <= SHOWN_FILE; shown++) {
		l = ft_lines_add_of(lines, vol, shown, OTHERS);
		if (!l)
			return -ENOMEM;
		copy_sums(l, shown == SHOWN_FILE ? ledger->file : ledger->process);
	}
	return err;
}

/* === Lines ================================================================ */

static void show_bytes(struct seq_file *m, const struct line *l, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		seq_printf(m, " %llu", l->bytes[i]);
}

static const char *text_at(const struct ft_lines *lines, u64 at)
{
	const char *text = ft_snap_path(lines->snap, at);

	return *text ? text : "-";
}

static void show_line(struct seq_file *m, const struct ft_lines *lines, const void *line)
{
	const struct line *l = line;
	const struct ft_snap_file *f;
	u32 index = l->of.order;

	switch (l->of.kind) {
	case SHOWN_DEVICE:
		seq_puts(m, "device");
		show_bytes(m, l, 2);
		break;
	case SHOWN_KIND:
		seq_printf(m, "kind %s %s", kinds[index / FT_NR_WROTE_LOGS],
			   logs[index % FT_NR_WROTE_LOGS]);
		show_bytes(m, l, 1);
		break;
	case SHOWN_PROCESS:
		seq_puts(m, "process");
		show_bytes(m, l, FT_NR_WROTE_SUMS);
		if (index == OTHERS) {
			seq_puts(m, " 0 * *");
			break;
		}
		seq_printf(m, " %u %s %s", l->pid, text_at(lines, l->comm),
			   text_at(lines, l->cgroup));
		break;
	case SHOWN_FILE:
		seq_puts(m, "file");
		show_bytes(m, l, FT_NR_WROTE_SUMS);
		if (index == OTHERS) {
			seq_puts(m, " 0 *");
			break;
		}
		f = ft_snap_file(lines->snap, index);
		seq_printf(m, " %u %s", f->ino, ft_snap_path(lines->snap, f->path));
		break;
	}
}

static void clear(atomic64_t *numbers, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes / sizeof(*numbers); i++)
		atomic64_set(&numbers[i], 0);
}

/* Numbers of processes stay where they are, as they do. */
static void reset(struct ft_volume *vol)
{
	struct ft_written *ledger = ft_observed(vol, ledger);
	const struct ft_writer *w;
	unsigned long number;

	ft_counts_reset(vol, FT_SLOT_ledger);
	clear(ledger->process, sizeof(*ledger) - offsetof(struct ft_written, process));
	xa_for_each(&vol->writers->by_number, number, w)
		if (w->sums)
			clear(w->sums, sizeof(ledger->process));
}

const struct ft_text ft_ledger_text = {
	.name = "ledger",
	.version = 1,
	.on = &ft_ledger_on,
	.parameter = "ledger",
	.columns = "# dev device written discarded\n"
		   "# dev kind name log bytes\n"
		   "# dev process buffered mapped direct data node gc moved pid comm cgroup\n"
		   "# dev file buffered mapped direct data node gc moved ino path\n",
	.view = FT_VIEW_PATHS,
	.size = sizeof(struct line),
	.each = copy_file,
	.volume = list_volume,
	.compare = ft_lines_compare,
	.show = show_line,
	.of_devices = true,
	.reset = reset,
};
