// SPDX-License-Identifier: GPL-2.0-only
/*
 * Garbage collection as text: the file gc in debugfs.
 *
 * In: the figures of gc.c, and the paths of a snapshot. Out: sums, recent victims,
 * and the files that were moved most.
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
 * @blocks: how many were moved
 */
struct moved {
	u32 file;
	u32 blocks;
};

/* Most blocks first; then in the order of the snapshot. */
static int by_blocks(const void *a, const void *b)
{
	const struct moved *x = a, *y = b;

	if (x->blocks != y->blocks)
		return x->blocks < y->blocks ? 1 : -1;
	return x->file < y->file ? -1 : x->file > y->file;
}

static u32 blocks_moved(struct ft_volume *vol, u32 ino)
{
	const struct ft_inode *rec;
	u32 blocks;

	rcu_read_lock();
	rec = ft_inode_find(vol, ino);
	blocks = rec ? READ_ONCE(rec->gc_moved) : 0;
	rcu_read_unlock();
	return blocks;
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
	struct ft_vec vec = { };
	struct moved *moved;
	size_t i;

	for (i = 0; i < snap->files.nr; i++) {
		const struct ft_snap_file *f = ft_snap_file(snap, i);
		u32 blocks = is_of(snap, f, vol) ? blocks_moved(vol, f->ino) : 0;

		cond_resched();
		if (!blocks)
			continue;
		if (ft_vec_make_room(&vec, 1, sizeof(*moved))) {
			ft_vec_free(&vec);
			return -ENOMEM;
		}
		moved = (struct moved *)vec.data + vec.nr++;
		moved->file = i;
		moved->blocks = blocks;
	}
	sort(vec.data, vec.nr, sizeof(*moved), by_blocks, NULL);
	for (i = 0; i < min_t(size_t, vec.nr, MAX_FILES); i++) {
		const struct ft_snap_file *f;

		moved = (struct moved *)vec.data + i;
		f = ft_snap_file(snap, moved->file);
		seq_printf(m, "file %u:%u %u %u %s\n", MAJOR(vol->dev),
			   MINOR(vol->dev), f->ino, moved->blocks,
			   ft_snap_path(snap, f->path));
	}
	ft_vec_free(&vec);
	return 0;
}

static const char * const policies[] = { FT_POLICY_NAMES };
static_assert(ARRAY_SIZE(policies) == FT_NR_POLICIES);

static void show_victims(struct seq_file *m, const struct ft_volume *vol,
			 const struct ft_gc_victim *victim, u32 nr)
{
	for (; nr--; victim++)
		seq_printf(m, "victim %u:%u %llu %u %u %s %s %u %u %u %s\n",
			   MAJOR(vol->dev), MINOR(vol->dev), victim->when,
			   victim->segment, victim->segments,
			   victim->kind == FT_VICTIM_FG ? "foreground" :
							  "background",
			   victim->node ? "node" : "data", victim->valid,
			   victim->moved, victim->watched,
			   policies[victim->policy]);
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
	struct ft_gc_sums sums;
	u32 nr;

	if (!vol->gc)
		return 0;
	victim = kvmalloc_array(FT_GC_VICTIMS, sizeof(*victim), GFP_KERNEL);
	if (!victim)
		return -ENOMEM;
	nr = ft_gc_copy(vol, &sums, victim);
	show_sums(m, vol, &sums);
	show_victims(m, vol, victim, nr);
	kvfree(victim);
	return show_files(m, snap, vol);
}

static int gc_show(struct seq_file *m, void *unused)
{
	struct ft_snapshot *snap = m->private;
	struct ft_volume *vol;
	unsigned int n;
	int err = 0;

	seq_puts(m, "# fragtrace gc 1\n");
	if (!ft_causes_wanted())
		seq_puts(m, "# not known: the module was loaded with causes=0\n");
	seq_puts(m, "# volume dev victims_foreground victims_background segments_ssr moved_foreground watched_foreground moved_background watched_background victim_unknown\n");
	seq_puts(m, "# victim dev time segment segments by type valid moved watched policy\n");
	seq_puts(m, "# file dev ino moved path\n");
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
