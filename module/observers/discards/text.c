// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file discards of debugfs: what F2FS discards and resets, by whom, and what waits.
 */

#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "core/base.h"
#include "core/memory.h"
#include "core/observer.h"
#include "core/volume.h"
#include "debugfs/lines.h"
#include "observers/discards/counts.h"

/* The parameter discards. */
bool ft_discards_on;
module_param_named(discards, ft_discards_on, bool, 0444);
MODULE_PARM_DESC(discards, "count discards and zone resets, and how long they take (default: off)");

/* What a line shows; they are in this order. */
enum shown { SHOWN_PENDING, SHOWN_SUMS, SHOWN_TASK };

/**
 * struct pending - the queue of F2FS
 * @commands: in it
 * @blocks: of these, those on the device included
 * @on_device: of these, issued and not ended
 * @since: for how long it has not been empty, in nanoseconds
 * @waited: how long blocks have waited in it, before they were issued
 * @left: blocks that have left it without being issued
 * @removed: commands that F2FS has removed
 */
struct pending {
	u64 commands;
	u64 blocks;
	u64 on_device;
	u64 since;
	u64 waited;
	u64 left;
	u64 removed;
};

/**
 * struct line - for readers
 * @of: what it shows, enum shown, and the volume. Its order: enum ft_discard_op; or of a task
 * @pending: the queue
 * @sums: of discards, or of resets
 * @task: who issued
 */
struct line {
	struct ft_line of;
	union {
		struct pending pending;
		u64 sums[FT_NR_DISCARD_SUMS];
		struct ft_discard_task task;
	};
};

/* === Collecting =========================================================== */

/* Sum up to now. Copy all to @copy if it is not NULL, let all begin again if it is. */
static void advance(struct ft_volume *vol, struct ft_discarded *copy)
{
	struct ft_discarded *d = ft_observed(vol, discards);
	struct super_block *sb = ft_volume_hold_sb(vol);

	raw_spin_lock_irq(&d->lock);
	if (sb)
		ft_discards_advance(d, sb);
	ft_discards_on_device(d, 0);
	if (copy) {
		memcpy(copy, d, sizeof(*copy));
	} else {
		/* what is on the device, and in the queue, stays there; the former was issued before */
		d->first = d->pending - min_t(u64, d->pending, d->on_device);
		memset_startat(d, 0, waited);
	}
	raw_spin_unlock_irq(&d->lock);
	if (sb)
		ft_volume_drop_sb(sb);
}

/* What came into the queue, and is neither in it nor issued any more. */
static u64 left(const struct ft_discarded *d)
{
	u64 came = d->first, stays = d->pending - min_t(u64, d->pending, d->on_device);
	unsigned int i;

	for (i = 0; i < FT_NR_DISCARD_OPS; i++) {
		if (i == FT_RESET && !FT_QUEUES_RESETS)
			continue;
		came += d->sums[i][FT_DISCARDS_QUEUED_BLOCKS];
		stays += d->sums[i][FT_DISCARDS_BLOCKS];
	}
	return came - min(came, stays);
}

static int list_volume(struct ft_lines *lines, struct ft_volume *vol)
{
	struct ft_discarded *d = ft_mem_zalloc(sizeof(*d), GFP_KERNEL);
	unsigned int i;
	struct line *l;

	if (!d || ft_vec_make_room(&lines->vec, 1 + FT_NR_DISCARD_OPS + FT_DISCARD_TASKS,
				   sizeof(struct line))) {
		ft_mem_free(d, sizeof(*d));
		return -ENOMEM;
	}
	advance(vol, d);
	l = ft_lines_add_of(lines, vol, SHOWN_PENDING, 0);
	l->pending = (struct pending){
		.commands = d->commands,
		.blocks = d->pending,
		.on_device = d->on_device,
		.since = d->now - d->none,
		.waited = d->waited.ms - min(d->waited.ms, d->on_device_for.ms),
		.left = left(d),
		.removed = d->sums[FT_DISCARD][FT_DISCARDS_REMOVED],
	};
	for (i = 0; i < FT_NR_DISCARD_OPS; i++) {
		l = ft_lines_add_of(lines, vol, SHOWN_SUMS, i);
		memcpy(l->sums, d->sums[i], sizeof(l->sums));
	}
	for (i = 0; i < FT_DISCARD_TASKS; i++) {
		if (!d->tasks[i].issued[FT_DISCARD] && !d->tasks[i].issued[FT_RESET])
			continue;
		/* all others come last */
		l = ft_lines_add_of(lines, vol, SHOWN_TASK, i ?: FT_DISCARD_TASKS);
		l->task = d->tasks[i];
	}
	ft_mem_free(d, sizeof(*d));
	return 0;
}

/* === Lines ================================================================ */

static void show_sums(struct seq_file *m, const char *name, const u64 *sums)
{
	seq_printf(m, "%s %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu", name,
		   sums[FT_DISCARDS_QUEUED], sums[FT_DISCARDS_QUEUED_BLOCKS],
		   sums[FT_DISCARDS_COMMANDS], sums[FT_DISCARDS_ISSUED], sums[FT_DISCARDS_BLOCKS],
		   sums[FT_DISCARDS_ENDED], sums[FT_DISCARDS_FAILED],
		   div_u64(sums[FT_DISCARDS_TOOK], NSEC_PER_USEC),
		   div_u64(sums[FT_DISCARDS_WORST], NSEC_PER_USEC), sums[FT_DISCARDS_LOST]);
}

static void show_task(struct seq_file *m, const struct ft_discard_task *t)
{
	seq_printf(m, "by %llu %llu %llu %llu ", t->issued[FT_DISCARD], t->blocks[FT_DISCARD],
		   t->issued[FT_RESET], t->blocks[FT_RESET]);
	/* a thread may be called as all others are */
	if (*t->comm)
		seq_escape(m, t->comm, FT_ESCAPED "*");
	else
		seq_putc(m, '*');
}

static void show_line(struct seq_file *m, const struct ft_lines *lines, const void *line)
{
	const struct line *l = line;
	const struct pending *p = &l->pending;

	switch (l->of.kind) {
	case SHOWN_PENDING:
		seq_printf(m, "pending %llu %llu %llu %llu %llu %llu %llu", p->commands, p->blocks,
			   p->on_device, div_u64(p->since, NSEC_PER_MSEC), p->waited, p->left,
			   p->removed);
		break;
	case SHOWN_SUMS:
		show_sums(m, l->of.order == FT_RESET ? "reset" : "discard", l->sums);
		break;
	case SHOWN_TASK:
		show_task(m, &l->task);
		break;
	}
}

static void reset(struct ft_volume *vol)
{
	advance(vol, NULL);
}

const struct ft_text ft_discards_text = {
	.name = "discards",
	.version = 1,
	.on = &ft_discards_on,
	.parameter = "discards",
	.columns = "# dev pending commands blocks on_device since_ms waited_ms left removed\n"
		   "# dev discard queued queued_blocks commands issued blocks ended failed took_us worst_us lost\n"
		   "# dev reset queued queued_blocks commands issued blocks ended failed took_us worst_us lost\n"
		   "# dev by discards discard_blocks resets reset_blocks comm\n",
	.size = sizeof(struct line),
	.volume = list_volume,
	.compare = ft_lines_compare,
	.show = show_line,
	.of_devices = true,
	.reset = reset,
};
