// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file victims in debugfs: which files garbage collection would change if it
 * began now.
 *
 * In: F2FS's segment tables, and a snapshot. Out: the segment that a user has asked
 * for, then the dirty segments with the fewest blocks in use, and the files that own
 * these blocks. F2FS's choice also depends on the age of a segment, and on the kind
 * of collection.
 */

#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "core/base.h"
#include "core/volume.h"
#include "debugfs/debugfs.h"
#include "debugfs/query.h"
#include "debugfs/snapshot.h"
#include "f2fs/segment.h"
#include "watch/mount.h"

/* Segments shown of each volume. */
#define MAX_SHOWN	32
/* Segments read before other tasks may run. */
#define AT_ONCE		1024

/**
 * struct victims - the state of one reader
 * @own: the segment that was written to this open file
 * @snap: the snapshot; %NULL if the file is open for writing only
 * @lines: struct line, all lines of the text but its head
 */
struct victims {
	struct ft_question own;
	struct ft_snapshot *snap;
	struct ft_vec lines;
};

/**
 * struct line - a line of the text, for a segment or a file
 * @dev: device number of the volume
 * @segment: number of the segment
 * @is_file: a file with blocks in it
 * @valid: of a segment: its blocks in use
 * @watched: of a segment: those of watched files; of a file: its own
 * @files: of a segment: how many files these are; of a file: its index in the
 *	snapshot
 */
struct line {
	dev_t dev;
	u32 segment;
	bool is_file;
	u32 valid;
	u32 watched;
	u32 files;
};

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

/* The last question of all users. */
static struct ft_question last;

/* === Segments ============================================================= */

static u32 segments_of(const struct ft_volume *vol)
{
	return (READ_ONCE(vol->blocks) - vol->main_blkaddr) / vol->segment_blocks;
}

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

/*
 * Returns the number of candidates; 0 also if the volume is being unmounted. The
 * segment @q comes first, whatever it holds.
 */
static u32 find_candidates(struct ft_volume *vol, const struct ft_question *q,
			   struct candidate *list)
{
	bool asked = q->asked && q->dev == vol->dev;
	struct super_block *sb = ft_volume_hold_sb(vol);
	u32 segments = segments_of(vol), segment, valid, nr = 0;

	if (sb && asked && q->number < segments) {
		*list++ = (struct candidate){
			.segment = q->number,
			.valid = ft_segment_valid(vol, q->number),
		};
	} else {
		asked = false;
	}
	for (segment = 0; sb && segment < segments; segment++) {
		valid = ft_segment_valid(vol, segment);
		if (valid && valid < vol->segment_blocks &&
		    !(asked && segment == q->number) &&
		    !ft_segment_is_open(vol, segment))
			nr = insert(list, nr, segment, valid);
		if (!(segment % AT_ONCE))
			cond_resched();
	}
	if (sb)
		ft_volume_drop_sb(sb);
	return nr + asked;
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

	for (i = ft_snapshot_first_after(snap, volume, lba); i < snap->order.nr; i++) {
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

static int list_owners(struct ft_vec *lines, const struct ft_volume *vol,
		       const struct candidate *candidate,
		       const struct ft_vec *vec)
{
	const struct owner *owner = vec->data;
	u32 watched = 0;
	struct line *l;
	size_t i;

	if (ft_vec_make_room(lines, vec->nr + 1, sizeof(*l)))
		return -ENOMEM;
	l = (struct line *)lines->data + lines->nr;
	lines->nr += vec->nr + 1;
	for (i = 0; i < vec->nr; i++) {
		watched += owner[i].blocks;
		l[i + 1] = (struct line){
			.dev = vol->dev,
			.segment = candidate->segment,
			.is_file = true,
			.watched = owner[i].blocks,
			.files = owner[i].file,
		};
	}
	*l = (struct line){
		.dev = vol->dev,
		.segment = candidate->segment,
		.valid = candidate->valid,
		.watched = watched,
		.files = vec->nr,
	};
	return 0;
}

static int list_volume(struct victims *victims, struct ft_volume *vol,
		       u32 volume, const struct ft_question *q)
{
	struct candidate list[1 + MAX_SHOWN];
	u32 nr = find_candidates(vol, q, list), n, lba;
	struct ft_vec vec = { };
	int err = 0;

	for (n = 0; n < nr && !err; n++) {
		lba = vol->main_blkaddr + list[n].segment * vol->segment_blocks;
		vec.nr = 0;
		err = find_owners(victims->snap, volume, lba,
				  lba + vol->segment_blocks, &vec) ?:
		      list_owners(&victims->lines, vol, &list[n], &vec);
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

/* Answer the question anew. */
static int list_all(struct victims *victims)
{
	struct ft_question q = ft_query_what(&last, &victims->own);
	struct ft_volume *vol;
	unsigned int n;
	int err = 0;

	victims->lines.nr = 0;
	for (n = 0; !err && (vol = ft_volume_nth(n)); n++) {
		err = list_volume(victims, vol, number_of(victims->snap, vol),
				  &q);
		ft_volume_put(vol);
	}
	return err;
}

static void *victims_start(struct seq_file *m, loff_t *pos)
{
	struct victims *victims = m->private;
	int err;

	if (!*pos) {
		err = list_all(victims);
		return err ? ERR_PTR(err) : SEQ_START_TOKEN;
	}
	return *pos <= victims->lines.nr ?
		       (struct line *)victims->lines.data + *pos - 1 : NULL;
}

static void *victims_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return victims_start(m, pos);
}

static void victims_stop(struct seq_file *m, void *v)
{
}

static int victims_show(struct seq_file *m, void *v)
{
	struct victims *victims = m->private;
	const struct ft_snap_file *f;
	const struct line *l = v;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "# fragtrace victims 1\n");
		seq_puts(m, "# segment dev segment valid watched files\n");
		seq_puts(m, "# file dev segment ino blocks path\n");
	} else if (l->is_file) {
		f = ft_snap_file(victims->snap, l->files);
		seq_printf(m, "file %u:%u %u %u %u %s\n", MAJOR(l->dev),
			   MINOR(l->dev), l->segment, f->ino, l->watched,
			   ft_snap_path(victims->snap, f->path));
	} else {
		seq_printf(m, "segment %u:%u %u %u %u %u\n", MAJOR(l->dev),
			   MINOR(l->dev), l->segment, l->valid, l->watched,
			   l->files);
	}
	return 0;
}

static const struct seq_operations victims_ops = {
	.start = victims_start,
	.next = victims_next,
	.stop = victims_stop,
	.show = victims_show,
};

/* === The file ============================================================= */

/* Copy the maps for a reader. */
static int take_copy(struct victims *victims)
{
	struct ft_snapshot *snap = ft_snapshot_take(FT_VIEW_TABLE);

	if (IS_ERR(snap))
		return PTR_ERR(snap);
	ft_snapshot_free(victims->snap);
	victims->snap = snap;
	/* they refer to the copy before */
	victims->lines.nr = 0;
	return 0;
}

static int victims_release(struct inode *inode, struct file *file)
{
	struct victims *victims = ((struct seq_file *)file->private_data)->private;

	ft_snapshot_free(victims->snap);
	ft_vec_free(&victims->lines);
	return seq_release_private(inode, file);
}

static int victims_open(struct inode *inode, struct file *file)
{
	struct victims *victims = __seq_open_private(file, &victims_ops,
						     sizeof(*victims));
	int err = 0;

	if (!victims)
		return -ENOMEM;
	if (file->f_mode & FMODE_READ)
		err = take_copy(victims);
	if (err)
		victims_release(inode, file);
	return err;
}

/* Is there such a segment? */
static int check_segment(const struct ft_question *q)
{
	struct ft_volume *vol = ft_query_volume(q);
	u32 segments;

	if (!vol)
		return -ENODEV;
	ft_mount_measure(vol);
	segments = segments_of(vol);
	ft_volume_put(vol);
	if (q->number < segments)
		return 0;
	pr_err("victims: %u:%u has %u segments\n", MAJOR(q->dev), MINOR(q->dev),
	       segments);
	return -EINVAL;
}

static ssize_t victims_write(struct file *file, const char __user *ubuf,
			     size_t count, loff_t *pos)
{
	struct seq_file *m = file->private_data;
	struct victims *victims = m->private;
	struct ft_question q;
	int err;

	err = ft_query_read(file, ubuf, count, &q) ?: check_segment(&q);
	if (err)
		return err;
	mutex_lock(&m->lock);
	victims->own = q;
	if (victims->snap)
		err = take_copy(victims);
	mutex_unlock(&m->lock);
	if (err)
		return err;
	ft_query_keep(&last, &q);
	/* the answer begins here */
	*pos = 0;
	return count;
}

const struct file_operations ft_victims_fops = {
	.owner = THIS_MODULE,
	.open = victims_open,
	.read = seq_read,
	.write = victims_write,
	.llseek = seq_lseek,
	.release = victims_release,
};
