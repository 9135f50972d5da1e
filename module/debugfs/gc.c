// SPDX-License-Identifier: GPL-2.0-only
/*
 * Garbage collection as text: the file gc in debugfs.
 *
 * In: the figures of causes/gc.c, and the paths of a snapshot. Out: sums, recent victims,
 * the blocks of each file that were moved out of each, and the files that were
 * moved most.
 */

#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "causes/gc.h"
#include "core/base.h"
#include "core/volume.h"
#include "debugfs/debugfs.h"
#include "debugfs/snapshot.h"
#include "maps/inode.h"

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

/**
 * struct reader - the state of one reader
 * @snap: the snapshot
 * @lines: struct line, all lines of the text but its head
 */
struct reader {
	struct ft_snapshot *snap;
	struct ft_vec lines;
};

/* Most blocks first; then in the order of the snapshot. */
static int by_blocks(const void *a, const void *b)
{
	const struct moved *x = a, *y = b;
	u64 nx = (u64)x->blocks[FT_VICTIM_FG] + x->blocks[FT_VICTIM_BG];
	u64 ny = (u64)y->blocks[FT_VICTIM_FG] + y->blocks[FT_VICTIM_BG];

	if (nx != ny)
		return nx < ny ? 1 : -1;
	return x->file < y->file ? -1 : x->file > y->file;
}

/* False if none were. */
static bool get_moved(struct ft_volume *vol, u32 ino, struct moved *moved)
{
	const struct ft_inode *rec;
	unsigned int kind;

	rcu_read_lock();
	rec = ft_inode_find(vol, ino);
	for (kind = 0; kind < FT_GC_KINDS; kind++)
		moved->blocks[kind] = rec ? READ_ONCE(rec->gc_moved[kind]) : 0;
	rcu_read_unlock();
	return moved->blocks[FT_VICTIM_FG] || moved->blocks[FT_VICTIM_BG];
}

static bool is_of(struct ft_snapshot *snap, const struct ft_snap_file *f,
		  const struct ft_volume *vol)
{
	const struct ft_snap_volume *v = ft_snap_volume(snap, f->volume);

	return v->major == MAJOR(vol->dev) && v->minor == MINOR(vol->dev);
}

/* Add a line of a volume; the caller fills it. %NULL if memory is short. */
static struct line *add_line(struct ft_vec *lines, enum kind kind,
			     const struct ft_volume *vol)
{
	struct line *line;

	if (ft_vec_make_room(lines, 1, sizeof(*line)))
		return NULL;
	line = (struct line *)lines->data + lines->nr++;
	line->kind = kind;
	line->dev = vol->dev;
	return line;
}

static int list_files(struct reader *r, struct ft_volume *vol)
{
	struct moved *moved, found;
	struct ft_vec vec = { };
	struct line *line;
	int err = 0;
	size_t i;

	for (i = 0; i < r->snap->files.nr && !err; i++) {
		const struct ft_snap_file *f = ft_snap_file(r->snap, i);

		cond_resched();
		if (!is_of(r->snap, f, vol) || !get_moved(vol, f->ino, &found))
			continue;
		found.file = i;
		err = ft_vec_make_room(&vec, 1, sizeof(*moved));
		if (!err)
			((struct moved *)vec.data)[vec.nr++] = found;
	}
	moved = vec.data;
	sort(moved, vec.nr, sizeof(*moved), by_blocks, NULL);
	for (i = 0; i < min_t(size_t, vec.nr, MAX_FILES) && !err; i++) {
		line = add_line(&r->lines, FILE_MOVED, vol);
		if (line)
			line->moved = moved[i];
		else
			err = -ENOMEM;
	}
	ft_vec_free(&vec);
	return err;
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
static int list_shares(struct reader *r, const struct ft_volume *vol,
		       const struct ft_gc_victim *victim,
		       const struct ft_gc_share **share,
		       const struct ft_gc_share *end)
{
	const struct ft_gc_share *s = *share;
	struct line *line;

	while (s < end && (s32)(s->victim - victim->number) > 0)
		s++;
	while (s < end && s->victim == victim->number) {
		line = add_line(&r->lines, MOVED, vol);
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

static int list_victims(struct reader *r, const struct ft_volume *vol,
			const struct ft_gc_victim *victim, u32 nr,
			const struct ft_gc_share *share, u32 nr_shares)
{
	const struct ft_gc_share *end = share + nr_shares;
	struct line *line;
	int err = 0;

	for (; nr-- && !err; victim++) {
		line = add_line(&r->lines, VICTIM, vol);
		if (!line)
			return -ENOMEM;
		line->victim = *victim;
		err = list_shares(r, vol, victim, &share, end);
	}
	return err;
}

static int list_volume(struct reader *r, struct ft_volume *vol)
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
	line = add_line(&r->lines, VOLUME, vol);
	if (victim && share && line) {
		/* a share whose victim is not among the copied ones is left out */
		nr_shares = ft_gc_copy_shares(vol, share);
		nr = ft_gc_copy(vol, &line->sums, victim);
		sort(share, nr_shares, sizeof(*share), by_victim, NULL);
		err = list_victims(r, vol, victim, nr, share, nr_shares);
	}
	kvfree(share);
	kvfree(victim);
	return err ?: list_files(r, vol);
}

/* === Lines ================================================================ */

static const char * const policies[] = { FT_POLICY_NAMES };
static_assert(ARRAY_SIZE(policies) == FT_NR_POLICIES);

static void show_head(struct seq_file *m)
{
	seq_puts(m, "# fragtrace gc 2\n");
	if (!ft_causes_wanted())
		seq_puts(m, "# not known: the module was loaded with causes=0\n");
	seq_puts(m, "# volume dev victims_foreground victims_background segments_ssr moved_foreground watched_foreground moved_background watched_background victim_unknown\n");
	seq_puts(m, "# victim dev time segment segments by type valid moved watched policy\n");
	seq_puts(m, "# moved dev segment ino blocks\n");
	seq_puts(m, "# file dev ino foreground background path\n");
}

static void show_line(struct seq_file *m, struct ft_snapshot *snap,
		      const struct line *line)
{
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
		f = ft_snap_file(snap, line->moved.file);
		seq_printf(m, "file %u:%u %u %u %u %s\n", major, minor, f->ino,
			   line->moved.blocks[FT_VICTIM_FG],
			   line->moved.blocks[FT_VICTIM_BG],
			   ft_snap_path(snap, f->path));
		break;
	}
}

/* === The file ============================================================= */

static void *gc_start(struct seq_file *m, loff_t *pos)
{
	const struct reader *r = m->private;

	if (!*pos)
		return SEQ_START_TOKEN;
	return *pos <= r->lines.nr ? (struct line *)r->lines.data + *pos - 1 :
				     NULL;
}

static void *gc_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return gc_start(m, pos);
}

static void gc_stop(struct seq_file *m, void *v)
{
}

static int gc_show(struct seq_file *m, void *v)
{
	const struct reader *r = m->private;

	if (v == SEQ_START_TOKEN)
		show_head(m);
	else
		show_line(m, r->snap, v);
	return 0;
}

static const struct seq_operations gc_ops = {
	.start = gc_start,
	.next = gc_next,
	.stop = gc_stop,
	.show = gc_show,
};

static int gc_release(struct inode *inode, struct file *file)
{
	struct reader *r = ((struct seq_file *)file->private_data)->private;

	ft_snapshot_free(r->snap);
	ft_vec_free(&r->lines);
	return seq_release_private(inode, file);
}

static int gc_open(struct inode *inode, struct file *file)
{
	struct reader *r = __seq_open_private(file, &gc_ops, sizeof(*r));
	struct ft_volume *vol;
	unsigned int n;
	int err;

	if (!r)
		return -ENOMEM;
	r->snap = ft_snapshot_take(FT_VIEW_FILES);
	err = PTR_ERR_OR_ZERO(r->snap);
	for (n = 0; !err && (vol = ft_volume_nth(n)); n++) {
		err = list_volume(r, vol);
		ft_volume_put(vol);
	}
	if (err)
		gc_release(inode, file);
	return err;
}

const struct file_operations ft_gc_fops = {
	.owner = THIS_MODULE,
	.open = gc_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = gc_release,
};
