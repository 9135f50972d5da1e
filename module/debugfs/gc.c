// SPDX-License-Identifier: GPL-2.0-only
/*
 * Garbage collection as text: the file gc in debugfs.
 *
 * In: the figures of causes/gc.c, and the paths of a snapshot. Out: sums, recent victims,
 * the blocks of each file that were moved out of each, and the files that were
 * moved most.
 */

#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>

#include "causes/gc.h"
#include "core/base.h"
#include "core/volume.h"
#include "debugfs/debugfs.h"
#include "debugfs/lines.h"

/* Files shown of each volume. */
#define MAX_FILES	1024

enum kind { VOLUME, VICTIM, MOVED, FILE_MOVED };

/**
 * struct line - a line of the text
 * @of: which kind, and the volume; the order of a file is its index in the snapshot
 * @sums: of a volume
 * @victim: a victim
 * @share: blocks that were moved out of a victim
 * @moved: blocks of a file that were moved, by enum ft_victim_kind
 */
struct line {
	struct ft_line of;
	union {
		struct ft_gc_sums sums;
		struct ft_gc_victim victim;
		struct ft_gc_share share;
		u32 moved[FT_GC_KINDS];
	};
};

/* A file, if blocks of it were moved. */
static int list_file(struct ft_lines *lines, struct ft_inode *rec, u32 file)
{
	const u32 *moved = ft_gc_moved_of(rec);
	u32 fg = READ_ONCE(moved[FT_VICTIM_FG]), bg = READ_ONCE(moved[FT_VICTIM_BG]);
	struct line *line;

	if (!fg && !bg)
		return 0;
	line = ft_lines_add_of(lines, rec->vol, FILE_MOVED, file);
	if (!line)
		return -ENOMEM;
	line->moved[FT_VICTIM_FG] = fg;
	line->moved[FT_VICTIM_BG] = bg;
	return 0;
}

static int list_volume(struct ft_lines *lines, struct ft_volume *vol)
{
	struct ft_gc *gc = vol->gc;
	struct line *line;
	u32 n;

	if (ft_vec_make_room(&lines->vec, 1 + FT_GC_VICTIMS + FT_GC_SHARES, sizeof(struct line)))
		return -ENOMEM;
	/*
	 * Probes wait for the lock, so it is let go in between. Shares are read before
	 * their victims: they add up to no more than these have moved.
	 */
	spin_lock(&gc->lock);
	for (n = 0; n < gc->nr_shares; n++) {
		line = ft_lines_add_of(lines, vol, MOVED, 0);
		line->share = gc->share[(gc->newest_share - n) % FT_GC_SHARES];
	}
	spin_unlock(&gc->lock);
	ft_let_writers_go();
	guard(ft_spinlock)(&gc->lock);
	line = ft_lines_add_of(lines, vol, VOLUME, 0);
	line->sums = gc->sums;
	for (n = 0; n < gc->nr; n++) {
		line = ft_lines_add_of(lines, vol, VICTIM, 0);
		line->victim = gc->victim[(gc->newest - n) % FT_GC_VICTIMS];
	}
	return 0;
}

static u64 blocks_of(const struct line *line)
{
	return (u64)line->moved[FT_VICTIM_FG] + line->moved[FT_VICTIM_BG];
}

static u32 number_of(const struct line *line)
{
	return line->of.kind == VICTIM ? line->victim.number : line->share.victim;
}

/* By volume: its sums, then victims, the last one first, each with its files by number. */
static int compare_victims(const struct line *x, const struct line *y)
{
	if (x->of.kind == VOLUME || y->of.kind == VOLUME)
		return ft_compare(x->of.kind, y->of.kind);
	/* numbers may wrap */
	return ft_compare(0, (s32)(number_of(x) - number_of(y))) ?:
	       ft_compare(x->of.kind, y->of.kind) ?: ft_compare(x->share.ino, y->share.ino);
}

/* Last come the files, by volume, most blocks first, then in the order of the snapshot. */
static int compare(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	cond_resched();
	if (x->of.kind != y->of.kind && (x->of.kind == FILE_MOVED || y->of.kind == FILE_MOVED))
		return ft_compare(x->of.kind, y->of.kind);
	if (x->of.dev != y->of.dev)
		return ft_compare(x->of.dev, y->of.dev);
	if (x->of.kind != FILE_MOVED)
		return compare_victims(x, y);
	return ft_compare(blocks_of(y), blocks_of(x)) ?: ft_compare(x->of.order, y->of.order);
}

/*
 * Add up the shares of the same file and victim, as far as the victim is listed; keep the
 * files that were moved most.
 */
static int add_up(struct ft_lines *lines)
{
	struct line *all = lines->vec.data, *last = NULL, *victim = NULL, *line;
	size_t kept = 0, nr_files = 0;

	for (line = all; line < all + lines->vec.nr; line++) {
		bool same = last && last->of.kind == line->of.kind && last->of.dev == line->of.dev;

		cond_resched();
		nr_files = same ? nr_files + 1 : 0;
		if (line->of.kind == FILE_MOVED && nr_files >= MAX_FILES)
			continue;
		if (line->of.kind == MOVED &&
		    (!victim || victim->of.dev != line->of.dev ||
		     victim->victim.number != line->share.victim))
			continue;
		if (line->of.kind == MOVED && same && last->share.ino == line->share.ino &&
		    last->share.victim == line->share.victim) {
			last->share.blocks += line->share.blocks;
			continue;
		}
		last = &all[kept++];
		*last = *line;
		if (line->of.kind == VICTIM)
			victim = last;
	}
	lines->vec.nr = kept;
	return 0;
}

/* === Lines ================================================================ */

static const char * const policies[] = { FT_POLICY_NAMES };
static_assert(ARRAY_SIZE(policies) == FT_NR_POLICIES);

static void show_line(struct seq_file *m, const struct ft_lines *lines, const void *data)
{
	static const char * const words[] = { "volume", "victim", "moved", "file" };
	const struct line *line = data;
	const struct ft_gc_victim *victim = &line->victim;
	const struct ft_gc_sums *sums = &line->sums;
	const struct ft_snap_file *f;

	seq_printf(m, "%s %u:%u ", words[line->of.kind], MAJOR(line->of.dev), MINOR(line->of.dev));
	switch (line->of.kind) {
	case VOLUME:
		seq_printf(m, "%llu %llu %llu %llu %llu %llu %llu %llu\n",
			   sums->victims[FT_VICTIM_FG], sums->victims[FT_VICTIM_BG],
			   sums->victims[FT_VICTIM_SSR], sums->moved[FT_VICTIM_FG],
			   sums->watched[FT_VICTIM_FG], sums->moved[FT_VICTIM_BG],
			   sums->watched[FT_VICTIM_BG], sums->unknown);
		break;
	case VICTIM:
		seq_printf(m, "%llu %u %u %s %s %u %u %u %s\n", victim->when, victim->segment,
			   victim->segments,
			   victim->kind == FT_VICTIM_FG ? "foreground" : "background",
			   victim->node ? "node" : "data", victim->valid, victim->moved,
			   victim->watched, policies[victim->policy]);
		break;
	case MOVED:
		seq_printf(m, "%u %u %u\n", line->share.segment, line->share.ino,
			   line->share.blocks);
		break;
	case FILE_MOVED:
		f = ft_snap_file(lines->snap, line->of.order);
		seq_printf(m, "%u %u %u %s\n", f->ino, line->moved[FT_VICTIM_FG],
			   line->moved[FT_VICTIM_BG], ft_snap_path(lines->snap, f->path));
		break;
	}
}

const struct ft_text ft_gc_text = {
	.name = "gc",
	.version = 2,
	.on = &ft_causes,
	.parameter = "causes",
	.columns =
		"# volume dev victims_foreground victims_background segments_ssr moved_foreground watched_foreground moved_background watched_background victim_unknown\n"
		"# victim dev time segment segments by type valid moved watched policy\n"
		"# moved dev segment ino blocks\n"
		"# file dev ino foreground background path\n",
	.view = FT_VIEW_PATHS,
	.size = sizeof(struct line),
	.each = list_file,
	.volume = list_volume,
	.compare = compare,
	.complete = add_up,
	.show = show_line,
};
