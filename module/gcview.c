// SPDX-License-Identifier: GPL-2.0-only
/*
 * Garbage collection as text: the file gc in debugfs.
 *
 * In: the figures of gc.c, and the paths of a snapshot. Out: sums, recent victims,
 * the blocks of each file that were moved out of each, and the files that were
 * moved most.
 */

#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/sort.h>

#include "debugfs.h"
#include "fragtrace.h"
#include "gc.h"
#include "inode.h"
#include "snapshot.h"
#include "volume.h"

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

static int show_files(struct seq_file *m, struct ft_snapshot *snap,
		      struct ft_volume *vol)
{
	struct moved *moved, found;
	struct ft_vec vec = { };
	size_t i;

	for (i = 0; i < snap->files.nr; i++) {
		const struct ft_snap_file *f = ft_snap_file(snap, i);

		cond_resched();
		if (!is_of(snap, f, vol) || !get_moved(vol, f->ino, &found))
			continue;
		found.file = i;
		if (ft_vec_make_room(&vec, 1, sizeof(*moved))) {
			ft_vec_free(&vec);
			return -ENOMEM;
		}
		moved = (struct moved *)vec.data + vec.nr++;
		*moved = found;
	}
	sort(vec.data, vec.nr, sizeof(*moved), by_blocks, NULL);
	for (i = 0; i < min_t(size_t, vec.nr, MAX_FILES); i++) {
		const struct ft_snap_file *f;

		moved = (struct moved *)vec.data + i;
		f = ft_snap_file(snap, moved->file);
		seq_printf(m, "file %u:%u %u %u %u %s\n", MAJOR(vol->dev),
			   MINOR(vol->dev), f->ino,
			   moved->blocks[FT_VICTIM_FG],
			   moved->blocks[FT_VICTIM_BG],
			   ft_snap_path(snap, f->path));
	}
	ft_vec_free(&vec);
	return 0;
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
static void show_shares(struct seq_file *m, const struct ft_volume *vol,
			const struct ft_gc_victim *victim,
			const struct ft_gc_share **share,
			const struct ft_gc_share *end)
{
	const struct ft_gc_share *s = *share;
	u32 blocks, ino;

	while (s < end && (s32)(s->victim - victim->number) > 0)
		s++;
	while (s < end && s->victim == victim->number) {
		ino = s->ino;
		for (blocks = 0; s < end && s->victim == victim->number &&
				 s->ino == ino; s++)
			blocks += s->blocks;
		seq_printf(m, "moved %u:%u %u %u %u\n", MAJOR(vol->dev),
			   MINOR(vol->dev), victim->segment, ino, blocks);
	}
	*share = s;
}

static const char * const policies[] = { FT_POLICY_NAMES };
static_assert(ARRAY_SIZE(policies) == FT_NR_POLICIES);

static void show_victims(struct seq_file *m, const struct ft_volume *vol,
			 const struct ft_gc_victim *victim, u32 nr,
			 const struct ft_gc_share *share, u32 nr_shares)
{
	const struct ft_gc_share *end = share + nr_shares;

	for (; nr--; victim++) {
		seq_printf(m, "victim %u:%u %llu %u %u %s %s %u %u %u %s\n",
			   MAJOR(vol->dev), MINOR(vol->dev), victim->when,
			   victim->segment, victim->segments,
			   victim->kind == FT_VICTIM_FG ? "foreground" :
							  "background",
			   victim->node ? "node" : "data", victim->valid,
			   victim->moved, victim->watched,
			   policies[victim->policy]);
		show_shares(m, vol, victim, &share, end);
	}
}

static void show_sums(struct seq_file *m, const struct ft_volume *vol,
		      const struct ft_gc_sums *sums)
{
	seq_printf(m, "volume %u:%u %llu %llu %llu %llu %llu %llu %llu %llu\n",
		   MAJOR(vol->dev), MINOR(vol->dev),
		   sums->victims[FT_VICTIM_FG], sums->victims[FT_VICTIM_BG],
		   sums->victims[FT_VICTIM_SSR], sums->moved[FT_VICTIM_FG],
		   sums->watched[FT_VICTIM_FG], sums->moved[FT_VICTIM_BG],
		   sums->watched[FT_VICTIM_BG], sums->unknown);
}

static int show_volume(struct seq_file *m, struct ft_snapshot *snap,
		       struct ft_volume *vol)
{
	struct ft_gc_victim *victim;
	struct ft_gc_share *share;
	struct ft_gc_sums sums;
	u32 nr, nr_shares;

	if (!vol->gc)
		return 0;
	victim = kvmalloc_array(FT_GC_VICTIMS, sizeof(*victim), GFP_KERNEL);
	share = kvmalloc_array(FT_GC_SHARES, sizeof(*share), GFP_KERNEL);
	if (!victim || !share) {
		kvfree(victim);
		kvfree(share);
		return -ENOMEM;
	}
	/* a share whose victim is not among the copied ones is left out */
	nr_shares = ft_gc_copy_shares(vol, share);
	nr = ft_gc_copy(vol, &sums, victim);
	sort(share, nr_shares, sizeof(*share), by_victim, NULL);
	show_sums(m, vol, &sums);
	show_victims(m, vol, victim, nr, share, nr_shares);
	kvfree(share);
	kvfree(victim);
	return show_files(m, snap, vol);
}

static int gc_show(struct seq_file *m, void *unused)
{
	struct ft_snapshot *snap = m->private;
	struct ft_volume *vol;
	unsigned int n;
	int err = 0;

	seq_puts(m, "# fragtrace gc 2\n");
	if (!ft_causes_wanted())
		seq_puts(m, "# not known: the module was loaded with causes=0\n");
	seq_puts(m, "# volume dev victims_foreground victims_background segments_ssr moved_foreground watched_foreground moved_background watched_background victim_unknown\n");
	seq_puts(m, "# victim dev time segment segments by type valid moved watched policy\n");
	seq_puts(m, "# moved dev segment ino blocks\n");
	seq_puts(m, "# file dev ino foreground background path\n");
	for (n = 0; !err && (vol = ft_volume_nth(n)); n++) {
		err = show_volume(m, snap, vol);
		ft_volume_put(vol);
	}
	return err;
}

static int gc_open(struct inode *inode, struct file *file)
{
	struct ft_snapshot *snap = ft_snapshot_take(FT_VIEW_FILES);
	int err;

	if (IS_ERR(snap))
		return PTR_ERR(snap);
	err = single_open(file, gc_show, snap);
	if (err)
		ft_snapshot_free(snap);
	return err;
}

static int gc_release(struct inode *inode, struct file *file)
{
	ft_snapshot_free(((struct seq_file *)file->private_data)->private);
	return single_release(inode, file);
}

const struct file_operations ft_gc_fops = {
	.owner = THIS_MODULE,
	.open = gc_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = gc_release,
};
