// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file gc_runs of debugfs: why collections ran, and who waited for them.
 */

#include <linux/fs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "core/base.h"
#include "core/memory.h"
#include "core/observer.h"
#include "core/volume.h"
#include "debugfs/lines.h"
#include "observers/gc_runs/runs.h"

/* The parameter gc_runs. */
bool ft_gc_runs_on;
module_param_named(gc_runs, ft_gc_runs_on, bool, 0444);
MODULE_PARM_DESC(gc_runs, "note why garbage collection runs, and who waits (default: off)");

/* What a line shows; they are in this order. */
enum shown { SHOWN_LOST, SHOWN_SUM, SHOWN_CHOICE, SHOWN_PROCESS, SHOWN_WAIT, SHOWN_RUN };

/**
 * struct line - for readers
 * @of: what it shows, enum shown, and the volume
 * @run: a collection, or sums
 * @choice: how victims were chosen; the order is the reason and the policy
 * @process: a process
 * @wait: a wait
 * @lost: waits that may have been missed
 */
struct line {
	struct ft_line of;
	union {
		struct ft_gc_run run;
		struct ft_gc_choice choice;
		struct ft_gc_process process;
		struct ft_gc_wait wait;
		long lost;
	};
};

static const char * const reasons[] = {
	[FT_GC_IDLE] = "idle",
	[FT_GC_URGENT] = "urgent",
	[FT_GC_MERGED] = "merged",
	[FT_GC_WRITER] = "writer",
	[FT_GC_REQUEST] = "request",
	[FT_GC_PINNED] = "pinned",
	[FT_GC_OTHER] = "other",
};

static_assert(ARRAY_SIZE(reasons) == FT_NR_GC_REASONS);

static const char * const policies[FT_NR_GC_POLICIES] = {
	[FT_GC_GREEDY] = "greedy",
	[FT_GC_COST_BENEFIT] = "cost_benefit",
	[FT_GC_AGE] = "age",
};

/* The next line; there is room. */
static struct line *add(struct ft_lines *lines, struct ft_volume *vol, enum shown shown, u64 order)
{
	return ft_lines_add_of(lines, vol, shown, order);
}

static void list_runs(struct ft_lines *lines, struct ft_volume *vol,
		      struct ft_collections *runs)
{
	const struct ft_gc_choice *choice = runs->choices[0];
	unsigned int i;

	for (i = 0; i < FT_NR_GC_REASONS; i++)
		if (runs->sums[i].number)
			add(lines, vol, SHOWN_SUM, i)->run = runs->sums[i];
	for (i = 0; i < FT_NR_GC_REASONS * FT_NR_GC_POLICIES; i++)
		if (choice[i].victims)
			add(lines, vol, SHOWN_CHOICE, i)->choice = choice[i];
	for (i = 0; i < runs->nr_kept; i++)
		add(lines, vol, SHOWN_RUN, i)->run = *ft_gc_run_kept(runs, i);
}

static void list_waits(struct ft_lines *lines, struct ft_volume *vol,
		       const struct ft_collections *runs)
{
	const struct ft_gc_process *process = runs->processes;
	const struct ft_gc_wait *wait;
	u64 lost;

	for (; process < runs->processes + runs->nr_processes; process++) {
		if (process->runs || process->waits) {
			lost = process->own + process->waited;
			add(lines, vol, SHOWN_PROCESS, -lost)->process = *process;
		}
	}
	for (wait = runs->longest; wait < runs->longest + FT_GC_LONGEST; wait++)
		if (wait->ns)
			add(lines, vol, SHOWN_WAIT, -wait->ns)->wait = *wait;
}

static int list_volume(struct ft_lines *lines, struct ft_volume *vol)
{
	struct ft_collections *runs = ft_observed(vol, gc_runs), *copy;

	copy = ft_mem_zalloc(sizeof(*copy), GFP_KERNEL);
	if (!copy || ft_vec_make_room(&lines->vec, 1 + FT_NR_GC_REASONS * (1 + FT_NR_GC_POLICIES) +
				      FT_GC_RUNS + FT_GC_PROCESSES + FT_GC_LONGEST,
				      sizeof(struct line))) {
		ft_mem_free(copy, sizeof(*copy));
		return -ENOMEM;
	}
	raw_spin_lock_irq(&runs->lock);
	memcpy(copy, runs, sizeof(*copy));
	raw_spin_unlock_irq(&runs->lock);
	add(lines, vol, SHOWN_LOST, 0)->lost = ft_gc_waits_lost(copy);
	list_runs(lines, vol, copy);
	list_waits(lines, vol, copy);
	ft_mem_free(copy, sizeof(*copy));
	return 0;
}

static int by_shown(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return ft_compare(x->of.dev, y->of.dev) ?: ft_compare(x->of.kind, y->of.kind) ?:
	       ft_compare(x->of.order, y->of.order);
}

/* === Lines ================================================================ */

static void show_who(struct seq_file *m, u32 pid, const char *comm)
{
	seq_printf(m, " %u ", pid);
	seq_escape(m, *comm ? comm : pid ? "-" : "*", FT_ESCAPED);
}

static void show_run(struct seq_file *m, const struct ft_gc_run *r)
{
	seq_printf(m, "run %u %llu %s %s %d %llu %u %llu %u %u %u %u %u %llu", r->number, r->when,
		   reasons[r->reason], r->foreground ? "fg" : "bg", r->err, r->ns, r->victims,
		   r->blocks, r->segments, r->sections, r->free, r->free_after, r->waits,
		   r->waited);
	show_who(m, r->pid, r->comm);
}

static void show_choice(struct seq_file *m, u64 order, const struct ft_gc_choice *c)
{
	seq_printf(m, "choice %s %s %u %u %llu %llu %llu %llu %llu %llu",
		   reasons[(u32)order / FT_NR_GC_POLICIES],
		   policies[(u32)order % FT_NR_GC_POLICIES], c->victims, c->found, c->limit,
		   c->looked, c->blocks, c->best_blocks, c->gain, c->best_gain);
}

static void show_line(struct seq_file *m, const struct ft_lines *lines, const void *line)
{
	const struct line *l = line;

	switch (l->of.kind) {
	case SHOWN_LOST:
		seq_printf(m, "lost %ld", l->lost);
		break;
	case SHOWN_SUM:
		seq_printf(m, "sum %s %u %u %llu %u %llu %u %u", reasons[l->of.order],
			   l->run.number, l->run.empty, l->run.ns, l->run.victims, l->run.blocks,
			   l->run.segments, l->run.sections);
		break;
	case SHOWN_CHOICE:
		show_choice(m, l->of.order, &l->choice);
		break;
	case SHOWN_PROCESS:
		seq_printf(m, "process %u %llu %u %llu", l->process.runs, l->process.own,
			   l->process.waits, l->process.waited);
		show_who(m, l->process.pid, l->process.comm);
		break;
	case SHOWN_WAIT:
		seq_printf(m, "wait %llu %llu %s %u", l->wait.ns, l->wait.when,
			   l->wait.own ? "own" : "lock", l->wait.run);
		show_who(m, l->wait.pid, l->wait.comm);
		break;
	case SHOWN_RUN:
		show_run(m, &l->run);
		break;
	}
}

const struct ft_text ft_gc_runs_text = {
	.name = "gc_runs",
	.version = 2,
	.on = &ft_gc_runs_on,
	.parameter = "gc_runs",
	.columns = "# dev lost waits\n"
		   "# dev sum reason runs empty ns victims blocks segments sections\n"
		   "# dev choice reason policy victims found limit looked blocks best_blocks gain best_gain\n"
		   "# dev process runs own_ns waits wait_ns pid comm\n"
		   "# dev wait ns when how run pid comm\n"
		   "# dev run number when reason type err ns victims blocks segments sections free free_after waits wait_ns pid comm\n",
	.size = sizeof(struct line),
	.volume = list_volume,
	.compare = by_shown,
	.show = show_line,
	.of_devices = true,
	.reset = ft_gc_runs_reset,
};
