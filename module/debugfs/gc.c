// SPDX-License-Identifier: GPL-2.0-only
/*
 * Garbage collection as text: the file gc in debugfs.
 *
 * In: the figures of causes/gc.c, and the paths of a snapshot. Out: sums, recent victims,
 * the blocks of each file that were moved out of each, and the files that were
 * moved most.
 */

#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "causes/gc.h"
#include "core/base.h"
#include "core/volume.h"
#include "debugfs/debugfs.h"
#include "debugfs/lines.h"

/* Files shown of each volume. */
#define MAX_FILES	1024

/**
 * struct moved - a file of which garbage collection has moved blocks
 * @file: its index in the snapshot
 * @blocks: how many, by enum ft_victim_kind
 */
struct moved {
	u32 file;
	u32 blocks[FT_GC_KINDS];
};

enum kind { VOLUME, VICTIM, MOVED, FILE_MOVED };

/**
 * struct line - a line of the text
 * @kind: which line
 * @dev: device number of the volume
 * @sums: of a volume
 * @victim: a victim
 * @segment: of blocks that were moved: the victim
 * @ino: likewise, their file
 * @blocks: and how many
 * @moved: a file
 */
struct line {
	enum kind kind;
	dev_t dev;
	union {
		struct ft_gc_sums sums;
		struct ft_gc_victim victim;
		struct {
			u32 segment;
			u32 ino;
			u32 blocks;
		};
		struct moved moved;
	};
};

/* Add a line of a volume; the caller fills it. %NULL if memory is short. */
static struct line *add_line(struct ft_lines *lines, enum kind kind, dev_t dev)
{
	struct line *line = ft_lines_add(lines);

	if (line) {
		line->kind = kind;
		line->dev = dev;
	}
	return line;
}

/* A file, if blocks of it were moved. */
static int list_file(struct ft_lines *lines, struct ft_inode *rec, u32 file)
{
	u32 fg = READ_ONCE(rec->gc_moved[FT_VICTIM_FG]);
	u32 bg = READ_ONCE(rec->gc_moved[FT_VICTIM_BG]);
	struct line *line;

	if (!fg && !bg)
		return 0;
	line = add_line(lines, FILE_MOVED, rec->vol->dev);
	if (!line)
		return -ENOMEM;
	line->moved.file = file;
	line->moved.blocks[FT_VICTIM_FG] = fg;
	line->moved.blocks[FT_VICTIM_BG] = bg;
	return 0;
}

/* By volume, most blocks first; then in the order of the snapshot. */
static int by_blocks(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	u64 nx = (u64)x->moved.blocks[FT_VICTIM_FG] + x->moved.blocks[FT_VICTIM_BG];
	u64 ny = (u64)y->moved.blocks[FT_VICTIM_FG] + y->moved.blocks[FT_VICTIM_BG];

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	if (nx != ny)
		return nx < ny ? 1 : -1;
	return x->moved.file < y->moved.file ? -1 : 1;
}

/* All lines so far are files: keep those of each volume that were moved most. */
static void keep_most(struct ft_lines *lines)
{
	struct line *line = lines->vec.data;
	size_t i, kept = 0, of_volume = 0;

	sort(line, lines->vec.nr, sizeof(*line), by_blocks, NULL);
	for (i = 0; i < lines->vec.nr; i++) {
		of_volume = i && line[i].dev == line[i - 1].dev ? of_volume + 1 : 0;
		if (of_volume < MAX_FILES)
			line[kept++] = line[i];
	}
	lines->vec.nr = kept;
}

/* By victim, the last one first; then by file. */
static int by_victim(const void *a, const void *b)
{
	const struct ft_gc_share *x = a, *y = b;

	if (x->victim != y->victim)
		return (s32)(x->victim - y->victim) < 0 ? 1 : -1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

/* Shares are sorted, and so are victims: what comes before those of one is of none. */
static int list_shares(struct ft_lines *lines, const struct ft_volume *vol,
		       const struct ft_gc_victim *victim,
		       const struct ft_gc_share **share,
		       const struct ft_gc_share *end)
{
	const struct ft_gc_share *s = *share;
	struct line *line;

	while (s < end && (s32)(s->victim - victim->number) > 0)
		s++;
	while (s < end && s->victim == victim->number) {
		line = add_line(lines, MOVED, vol->dev);
		if (!line)
			return -ENOMEM;
		line->segment = victim->segment;
		line->ino = s->ino;
		line->blocks = 0;
		while (s < end && s->victim == victim->number &&
		       s->ino == line->ino)
			line->blocks += s++->blocks;
	}
	*share = s;
	return 0;
}

static int list_victims(struct ft_lines *lines, const struct ft_volume *vol,
			const struct ft_gc_victim *victim, u32 nr,
			const struct ft_gc_share *share, u32 nr_shares)
{
	const struct ft_gc_share *end = share + nr_shares;
	struct line *line;
	int err = 0;

	for (; nr-- && !err; victim++) {
		line = add_line(lines, VICTIM, vol->dev);
		if (!line)
			return -ENOMEM;
		line->victim = *victim;
		err = list_shares(lines, vol, victim, &share, end);
	}
	return err;
}

static int list_volume(struct ft_lines *lines, struct ft_volume *vol)
{
	struct ft_gc_victim *victim;
	struct ft_gc_share *share;
	struct line *line;
	u32 nr, nr_shares;
	int err = -ENOMEM;

	if (!vol->gc)
		return 0;
	victim = kvmalloc_array(FT_GC_VICTIMS, sizeof(*victim), GFP_KERNEL);
	share = kvmalloc_array(FT_GC_SHARES, sizeof(*share), GFP_KERNEL);
	line = add_line(lines, VOLUME, vol->dev);
	if (victim && share && line) {
		/* a share whose victim is not among the copied ones is left out */
		nr_shares = ft_gc_copy_shares(vol, share);
		nr = ft_gc_copy(vol, &line->sums, victim);
		sort(share, nr_shares, sizeof(*share), by_victim, NULL);
		err = list_victims(lines, vol, victim, nr, share, nr_shares);
	}
	kvfree(share);
	kvfree(victim);
	return err;
}

/* The files have been listed: they come last. */
static int fill(struct ft_lines *lines)
{
	struct ft_vec files = { };
	struct ft_volume *vol;
	unsigned int n;
	int err = 0;

	keep_most(lines);
	swap(files, lines->vec);
	ft_for_each_volume(vol, n)
		err = err ?: list_volume(lines, vol);
	err = err ?: ft_vec_make_room(&lines->vec, files.nr, sizeof(struct line));
	if (!err && files.nr)
		memcpy((struct line *)lines->vec.data + lines->vec.nr, files.data,
		       files.nr * sizeof(struct line));
	if (!err)
		lines->vec.nr += files.nr;
	ft_vec_free(&files);
	return err;
}

/* === Lines ================================================================ */

static const char * const policies[] = { FT_POLICY_NAMES };
static_assert(ARRAY_SIZE(policies) == FT_NR_POLICIES);

static void show_head(struct seq_file *m, const struct ft_lines *lines)
{
	seq_puts(m, "# fragtrace gc 2\n");
	if (!ft_causes_wanted())
		seq_puts(m, "# not known: the module was loaded with causes=0\n");
	seq_puts(m, "# volume dev victims_foreground victims_background segments_ssr moved_foreground watched_foreground moved_background watched_background victim_unknown\n");
	seq_puts(m, "# victim dev time segment segments by type valid moved watched policy\n");
	seq_puts(m, "# moved dev segment ino blocks\n");
	seq_puts(m, "# file dev ino foreground background path\n");
}

static void show_line(struct seq_file *m, const struct ft_lines *lines, const void *data)
{
	const struct line *line = data;
	unsigned int major = MAJOR(line->dev), minor = MINOR(line->dev);
	const struct ft_gc_victim *victim = &line->victim;
	const struct ft_gc_sums *sums = &line->sums;
	const struct ft_snap_file *f;

	switch (line->kind) {
	case VOLUME:
		seq_printf(m, "volume %u:%u %llu %llu %llu %llu %llu %llu %llu %llu\n",
			   major, minor, sums->victims[FT_VICTIM_FG],
			   sums->victims[FT_VICTIM_BG],
			   sums->victims[FT_VICTIM_SSR],
			   sums->moved[FT_VICTIM_FG],
			   sums->watched[FT_VICTIM_FG],
			   sums->moved[FT_VICTIM_BG],
			   sums->watched[FT_VICTIM_BG], sums->unknown);
		break;
	case VICTIM:
		seq_printf(m, "victim %u:%u %llu %u %u %s %s %u %u %u %s\n",
			   major, minor, victim->when, victim->segment,
			   victim->segments,
			   victim->kind == FT_VICTIM_FG ? "foreground" :
							  "background",
			   victim->node ? "node" : "data", victim->valid,
			   victim->moved, victim->watched,
			   policies[victim->policy]);
		break;
	case MOVED:
		seq_printf(m, "moved %u:%u %u %u %u\n", major, minor,
			   line->segment, line->ino, line->blocks);
		break;
	case FILE_MOVED:
		f = ft_snap_file(lines->snap, line->moved.file);
		seq_printf(m, "file %u:%u %u %u %u %s\n", major, minor, f->ino,
			   line->moved.blocks[FT_VICTIM_FG],
			   line->moved.blocks[FT_VICTIM_BG],
			   ft_snap_path(lines->snap, f->path));
		break;
	}
}

const struct ft_text ft_gc_text = {
	.name = "gc",
	.view = FT_VIEW_PATHS,
	.size = sizeof(struct line),
	.each = list_file,
	.fill = fill,
	.head = show_head,
	.show = show_line,
};
