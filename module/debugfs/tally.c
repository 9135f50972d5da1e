// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the maps no longer show, as text: the files healed and by_pair in debugfs.
 *
 * In: the counts of causes/tally.c. Out: lines, the largest counts first. Breaks that
 * exist are in the snapshot; programs add them up.
 */

#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "causes/tally.h"
#include "causes/writer.h"
#include "core/base.h"
#include "core/volume.h"
#include "debugfs/debugfs.h"
#include "debugfs/lines.h"

/**
 * struct process - a process that wrote
 * @number: its number in causes/writer.c, or FT_SNAP_WRITER_UNKNOWN or _SEVERAL
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
 * @kind: the kind of breaks that were healed
 * @times: how many, or how often it was this pair
 * @others: instead of a pair: all that are not listed
 * @ext: the extension of the files; of a pair, of the victim
 * @other_ext: the extension of the culprit
 * @who: of a pair: the process of the victim
 * @other: the process of the culprit
 */
struct sum {
	dev_t dev;
	u32 kind;
	u64 times;
	bool others;
	char ext[FT_EXTENSION_LEN + 1];
	char other_ext[FT_EXTENSION_LEN + 1];
	struct process who;
	struct process other;
};

/* === Collecting =========================================================== */

/* Add a line of a volume; the caller completes it. %NULL if memory is short. */
static struct sum *add_sum(struct ft_lines *lines, const struct ft_volume *vol, u64 times)
{
	struct sum *sum = ft_lines_add(lines);

	if (sum) {
		sum->dev = vol->dev;
		sum->times = times;
	}
	return sum;
}

static int collect_healed(struct ft_lines *lines, struct ft_volume *vol)
{
	unsigned int i, kind, healed;
	struct sum *sum;

	for (i = 0; i < ft_tally_nr_extensions(vol->tally); i++) {
		struct ft_extension *ext = vol->tally->extension[i];

		for (kind = 0; kind < FT_NR_KINDS; kind++) {
			healed = atomic_read(&ext->healed[kind]);
			if (!healed)
				continue;
			sum = add_sum(lines, vol, healed);
			if (!sum)
				return -ENOMEM;
			sum->kind = kind;
			ft_tally_name(vol, ext->number, sum->ext);
		}
	}
	return 0;
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

static int collect_pairs(struct ft_lines *lines, struct ft_volume *vol)
{
	struct ft_pair *pairs, *p;
	struct sum *sum = NULL;
	unsigned int nr;
	u64 others;

	pairs = kvmalloc_array(FT_MAX_PAIRS, sizeof(*pairs), GFP_KERNEL);
	if (!pairs)
		return -ENOMEM;
	nr = ft_tally_copy_pairs(vol, pairs, &others);
	for (p = pairs; p < pairs + nr; p++) {
		sum = add_sum(lines, vol, p->times);
		if (!sum)
			break;
		ft_tally_name(vol, p->victim_ext, sum->ext);
		ft_tally_name(vol, p->culprit_ext, sum->other_ext);
		set_process(vol, p->victim, &sum->who);
		set_process(vol, p->culprit, &sum->other);
	}
	kvfree(pairs);
	if (nr && !sum)
		return -ENOMEM;
	/* pairs that found no room in the table */
	if (others) {
		sum = add_sum(lines, vol, others);
		if (!sum)
			return -ENOMEM;
		sum->others = true;
	}
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	cond_resched();
	return ft_compare(y->times, x->times) ?: ft_compare(x->dev, y->dev) ?:
	       ft_compare(x->kind, y->kind) ?: strcmp(x->ext, y->ext);
}

/* === Lines ================================================================ */

static void show_healed(struct seq_file *m, const struct ft_lines *lines,
			const void *line)
{
	const struct sum *sum = line;
	const char *words[3];

	ft_words_of_cause(sum->kind, words);
	seq_printf(m, "%u:%u %s %s %s %llu ", MAJOR(sum->dev), MINOR(sum->dev), words[0],
		   words[1], words[2], sum->times);
	seq_escape(m, sum->ext, FT_ESCAPED);
	seq_putc(m, '\n');
}

static void put_process(struct seq_file *m, const char *ext, const struct process *who)
{
	seq_putc(m, ' ');
	seq_escape(m, ext, FT_ESCAPED);
	if (who->number == FT_SNAP_WRITER_SEVERAL) {
		seq_puts(m, " several");
	} else if (!who->comm[0]) {
		seq_puts(m, " unknown");
	} else {
		seq_putc(m, ' ');
		seq_escape(m, who->comm, FT_ESCAPED);
		seq_printf(m, ":%u", who->pid);
	}
}

static void show_pair(struct seq_file *m, const struct ft_lines *lines,
		      const void *line)
{
	const struct sum *sum = line;

	seq_printf(m, "%u:%u %llu", MAJOR(sum->dev), MINOR(sum->dev), sum->times);
	if (sum->others) {
		seq_puts(m, " * * * *");
	} else {
		put_process(m, sum->ext, &sum->who);
		put_process(m, sum->other_ext, &sum->other);
	}
	seq_putc(m, '\n');
}

/* === The files ============================================================ */

const struct ft_text ft_healed_text = {
	.name = "healed",
	.version = 1,
	.on = &ft_causes,
	.parameter = "causes",
	.columns = "# dev op flush why_here healed extension\n",
	.size = sizeof(struct sum),
	.volume = collect_healed,
	.compare = by_number,
	.show = show_healed,
	.reset = ft_tally_reset,
	.words = FT_RESET_WORDS,
};

const struct ft_text ft_by_pair_text = {
	.name = "by_pair",
	.version = 1,
	.on = &ft_causes,
	.parameter = "causes",
	.columns =
		"# dev times victim_extension victim_process culprit_extension culprit_process\n",
	.size = sizeof(struct sum),
	.volume = collect_pairs,
	.compare = by_number,
	.show = show_pair,
	.reset = ft_tally_reset,
	.words = FT_RESET_WORDS,
};
