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
 * @of: the volume, and the kind of breaks that were healed; or %OTHERS: all pairs that are
 *	not listed
 * @times: how many, or how often it was this pair
 * @pair: a pair
 * @ext: the extension of the files; of a pair, of the victim
 * @other_ext: the extension of the culprit
 * @who: of a pair: the process of the victim
 * @other: the process of the culprit
 */
struct sum {
	struct ft_line of;
	u64 times;
	struct ft_pair pair;
	char ext[FT_EXTENSION_LEN + 1];
	char other_ext[FT_EXTENSION_LEN + 1];
	struct process who;
	struct process other;
};

#define OTHERS	FT_NR_KINDS

/* === Collecting =========================================================== */

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
			sum = ft_lines_add_of(lines, vol, kind, 0);
			if (!sum)
				return -ENOMEM;
			sum->times = healed;
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

/* Return: false if they need more room than @room, which is set to that. */
static bool copy_pairs(struct ft_lines *lines, struct ft_volume *vol, unsigned int *room)
{
	struct ft_tally *tally = vol->tally;
	const struct ft_pair *p;
	unsigned int i;
	struct sum *sum;

	guard(ft_spinlock)(&tally->lock);
	if (tally->nr_pairs >= *room) {
		*room = tally->nr_pairs + 1;
		return false;
	}
	for (i = 0; i < FT_PAIR_CHAINS; i++) {
		for (p = tally->chain[i]; p; p = p->next) {
			sum = ft_lines_add_of(lines, vol, 0, 0);
			sum->times = p->times;
			sum->pair = *p;
		}
	}
	/* those that found no room in the table */
	if (tally->other_pairs) {
		sum = ft_lines_add_of(lines, vol, OTHERS, 0);
		sum->times = tally->other_pairs;
	}
	return true;
}

static int collect_pairs(struct ft_lines *lines, struct ft_volume *vol)
{
	struct sum *sum;
	size_t i = lines->vec.nr;
	unsigned int room = 0;

	while (!copy_pairs(lines, vol, &room))
		if (ft_vec_make_room(&lines->vec, room, sizeof(*sum)))
			return -ENOMEM;
	for (; i < lines->vec.nr; i++) {
		sum = (struct sum *)lines->vec.data + i;
		ft_tally_name(vol, sum->pair.victim_ext, sum->ext);
		ft_tally_name(vol, sum->pair.culprit_ext, sum->other_ext);
		set_process(vol, sum->pair.victim, &sum->who);
		set_process(vol, sum->pair.culprit, &sum->other);
	}
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	cond_resched();
	return ft_compare(y->times, x->times) ?: ft_compare(x->of.dev, y->of.dev) ?:
	       ft_compare(x->of.kind, y->of.kind) ?: strcmp(x->ext, y->ext);
}

/* === Lines ================================================================ */

static void show_healed(struct seq_file *m, const struct ft_lines *lines, const void *line)
{
	const struct sum *sum = line;
	const char *words[3];

	ft_words_of_cause(sum->of.kind, words);
	seq_printf(m, "%s %s %s %llu ", words[0], words[1], words[2], sum->times);
	seq_escape(m, sum->ext, FT_ESCAPED);
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

static void show_pair(struct seq_file *m, const struct ft_lines *lines, const void *line)
{
	const struct sum *sum = line;

	seq_printf(m, "%llu", sum->times);
	if (sum->of.kind == OTHERS) {
		seq_puts(m, " * * * *");
		return;
	}
	put_process(m, sum->ext, &sum->who);
	put_process(m, sum->other_ext, &sum->other);
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
	.of_devices = true,
	.reset = ft_tally_reset,
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
	.of_devices = true,
	.reset = ft_tally_reset,
};
