// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file victims in debugfs: which files garbage collection would change if it
 * began now.
 *
 * In: F2FS's segment tables, and a snapshot. Out: the dirty segments with the
 * fewest blocks in use, and the files that own these blocks. F2FS's choice also
 * depends on the age of a segment, and on the kind of collection.
 */

#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/sort.h>

#include "debugfs.h"
#include "fragtrace.h"
#include "segment.h"
#include "snapshot.h"
#include "volume.h"

/* Segments shown of each volume. */
#define MAX_SHOWN	32
/* Segments read before other tasks may run. */
#define AT_ONCE		1024

/**
 * struct candidate - a segment that could be cleaned
 * @segment: its number
 * @valid: how many of its blocks are in use
 */
struct candidate {
	u32 segment;
	u32 valid;
};

/**
 * struct owner - a file with blocks in a segment
 * @file: its index in the snapshot
 * @blocks: how many it has there
 */
struct owner {
	u32 file;
	u32 blocks;
};

/* === Segments ============================================================= */

/* Insert a candidate. The list is sorted, fewest blocks first. */
static u32 insert(struct candidate *list, u32 nr, u32 segment, u32 valid)
{
	u32 i;

	if (nr == MAX_SHOWN && list[nr - 1].valid <= valid)
		return nr;
	if (nr < MAX_SHOWN)
		nr++;
	for (i = nr - 1; i && list[i - 1].valid > valid; i--)
		list[i] = list[i - 1];
	list[i] = (struct candidate){ .segment = segment, .valid = valid };
	return nr;
}

/* Returns the number of candidates; 0 also if the volume is being unmounted. */
static u32 find_candidates(struct ft_volume *vol, struct candidate *list)
{
	u32 segments = (vol->blocks - vol->main_blkaddr) / vol->segment_blocks;
	struct super_block *sb = ft_volume_hold_sb(vol);
	u32 segment, valid, nr = 0;

	for (segment = 0; sb && segment < segments; segment++) {
		valid = ft_segment_valid(vol, segment);
		if (valid && valid < vol->segment_blocks &&
		    !ft_segment_is_open(vol, segment))
			nr = insert(list, nr, segment, valid);
		if (!(segment % AT_ONCE))
			cond_resched();
	}
	if (sb)
		ft_volume_drop_sb(sb);
	return nr;
}

/* === Files ================================================================ */

static int by_file(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;

	return x->file < y->file ? -1 : x->file > y->file;
}

/* Most blocks first; then in the order of the snapshot. */
static int by_blocks(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;

	if (x->blocks != y->blocks)
		return x->blocks < y->blocks ? 1 : -1;
	return by_file(a, b);
}

/* The files with blocks in [@lba, @end), each once. */
static int find_owners(struct ft_snapshot *snap, u32 volume, u32 lba, u32 end,
		       struct ft_vec *vec)
{
	struct owner *owner = vec->data;
	size_t i, nr = 0;

	for (i = ft_snapshot_first_behind(snap, volume, lba); i < snap->order.nr; i++) {
		const struct ft_snap_extent *ext = ft_snap_nth(snap, i);

		if (ft_snap_file(snap, ext->file)->volume != volume ||
		    ext->lba >= end)
			break;
		if (ft_vec_make_room(vec, 1, sizeof(*owner)))
			return -ENOMEM;
		owner = vec->data;
		owner[vec->nr].file = ext->file;
		owner[vec->nr++].blocks = min(ext->lba + ext->len, end) -
					  max(ext->lba, lba);
	}
	sort(owner, vec->nr, sizeof(*owner), by_file, NULL);
	for (i = 0; i < vec->nr; i++) {
		if (nr && owner[nr - 1].file == owner[i].file)
			owner[nr - 1].blocks += owner[i].blocks;
		else
			owner[nr++] = owner[i];
	}
	vec->nr = nr;
	sort(owner, nr, sizeof(*owner), by_blocks, NULL);
	return 0;
}

/* === Lines ================================================================ */

static void show_owners(struct seq_file *m, struct ft_snapshot *snap,
			const struct ft_volume *vol,
			const struct candidate *candidate,
			const struct ft_vec *vec)
{
	const struct owner *owner = vec->data;
	u32 watched = 0;
	size_t i;

	for (i = 0; i < vec->nr; i++)
		watched += owner[i].blocks;
	seq_printf(m, "segment %u:%u %u %u %u %zu\n", MAJOR(vol->dev),
		   MINOR(vol->dev), candidate->segment, candidate->valid,
		   watched, vec->nr);
	for (i = 0; i < vec->nr; i++) {
		const struct ft_snap_file *f = ft_snap_file(snap, owner[i].file);

		seq_printf(m, "file %u:%u %u %u %u %s\n", MAJOR(vol->dev),
			   MINOR(vol->dev), candidate->segment, f->ino,
			   owner[i].blocks, ft_snap_path(snap, f->path));
	}
}

static int show_volume(struct seq_file *m, struct ft_snapshot *snap,
		       struct ft_volume *vol, u32 volume)
{
	struct candidate list[MAX_SHOWN];
	u32 nr = find_candidates(vol, list), n, lba;
	struct ft_vec vec = { };
	int err = 0;

	for (n = 0; n < nr && !err; n++) {
		lba = vol->main_blkaddr + list[n].segment * vol->segment_blocks;
		vec.nr = 0;
		err = find_owners(snap, volume, lba, lba + vol->segment_blocks,
				  &vec);
		if (!err)
			show_owners(m, snap, vol, &list[n], &vec);
		cond_resched();
	}
	ft_vec_free(&vec);
	return err;
}

/* The volume's index in the snapshot; their number if it was attached later. */
static u32 number_of(struct ft_snapshot *snap, const struct ft_volume *vol)
{
	u32 i;

	for (i = 0; i < snap->volumes.nr; i++)
		if (ft_snap_volume(snap, i)->major == MAJOR(vol->dev) &&
		    ft_snap_volume(snap, i)->minor == MINOR(vol->dev))
			break;
	return i;
}

static int victims_show(struct seq_file *m, void *unused)
{
	struct ft_snapshot *snap = m->private;
	struct ft_volume *vol;
	unsigned int n;
	int err = 0;

	seq_puts(m, "# fragtrace victims 1\n");
	seq_puts(m, "# segment dev segment valid watched files\n");
	seq_puts(m, "# file dev segment ino blocks path\n");
	for (n = 0; !err && (vol = ft_volume_nth(n)); n++) {
		err = show_volume(m, snap, vol, number_of(snap, vol));
		ft_volume_put(vol);
	}
	return err;
}

static int victims_open(struct inode *inode, struct file *file)
{
	struct ft_snapshot *snap = ft_snapshot_take(FT_VIEW_TABLE);
	int err;

	if (IS_ERR(snap))
		return PTR_ERR(snap);
	err = single_open(file, victims_show, snap);
	if (err)
		ft_snapshot_free(snap);
	return err;
}

static int victims_release(struct inode *inode, struct file *file)
{
	ft_snapshot_free(((struct seq_file *)file->private_data)->private);
	return single_release(inode, file);
}

const struct file_operations ft_victims_fops = {
	.owner = THIS_MODULE,
	.open = victims_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = victims_release,
};
