// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ledger: what is written to a volume, by kind of block, log, process and file.
 *
 * In: writes of applications, and blocks of data, nodes and metadata that F2FS writes, from its
 * tracepoints; what the device gets, from the block layer's. Out: sums, in the file ledger of
 * debugfs. fragtrace ledger makes the write amplification of them.
 *
 * ledger.c has the probes, counts.h the numbers, text.c the file in debugfs.
 *
 * A block counts when F2FS gives it to a bio, which may be submitted later. What F2FS does not
 * report is the difference to what the device gets.
 */

#include <linux/bio.h>
#include <linux/fs.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/writeback.h>

#include "causes/breaks.h"
#include "causes/writer.h"
#include "core/base.h"
#include "core/volume.h"
#include "debugfs/lines.h"
#include "maps/inode.h"
#include "observers/ledger/counts.h"
#include "observers/observers.h"
#include "probes/mover.h"
#include "probes/probing.h"

#include <trace/events/block.h>

/* The two super blocks are the first two blocks. */
#define SUPER_SECTORS	(2 << (FT_BLOCK_BITS - SECTOR_SHIFT))

static_assert(HOT == 0 && WARM == 1 && COLD == 2);

/* === Blocks that F2FS writes ============================================== */

static __always_inline enum ft_wrote_kind data_kind(struct ft_volume *vol, struct ft_inode *rec,
						    const FT_PAGE *page,
						    const struct inode *inode,
						    const struct f2fs_io_info *fio)
{
	static const u8 moved[FT_NR_OPS] = {
		[FT_OP_GC_FG] = FT_WROTE_GC_FG,
		[FT_OP_GC_BG] = FT_WROTE_GC_BG,
		[FT_OP_DEFRAG] = FT_WROTE_DEFRAG,
		[FT_OP_RANGE] = FT_WROTE_RANGE,
	};
	enum ft_op mover = ft_probe_mover(vol, rec, page, inode, fio);

	if (mover != FT_OP_UNKNOWN && moved[mover])
		return moved[mover];
	if (!S_ISREG(inode->i_mode))
		return FT_WROTE_DIRECTORY;
	if (ft_f2fs_has_clusters(inode))
		return FT_WROTE_COMPRESSED;
	if (ft_f2fs_cow_inode(inode))
		return FT_WROTE_ATOMIC;
	if (!fio->io_wbc)
		return FT_WROTE_INLINE;
	return ft_on_volume(fio->old_blkaddr) ? FT_WROTE_REWRITTEN : FT_WROTE_NEW;
}

static enum ft_wrote_kind node_kind(const struct f2fs_io_info *fio)
{
	if (fio->io_type == FS_GC_NODE_IO)
		return FT_WROTE_NODE_GC;
	if (fio->io_type == FS_CP_NODE_IO)
		return FT_WROTE_NODE_CHECKPOINT;
	return fio->io_wbc && fio->io_wbc->sync_mode == WB_SYNC_ALL ?
		       FT_WROTE_NODE_SYNC : FT_WROTE_NODE_WRITEBACK;
}

static enum ft_wrote_kind meta_kind(const struct ft_volume *vol, u32 lba)
{
	if (lba < vol->sit_blkaddr)
		return FT_WROTE_CHECKPOINT;
	if (lba < vol->nat_blkaddr)
		return FT_WROTE_SIT;
	return lba < vol->ssa_blkaddr ? FT_WROTE_NAT : FT_WROTE_SSA;
}

static __always_inline enum ft_wrote_sum sum_of(enum ft_wrote_kind kind)
{
	static const u8 sums[FT_WROTE_CHECKPOINT] = {
		[FT_WROTE_NEW ... FT_WROTE_DIRECTORY] = FT_SUM_DATA,
		[FT_WROTE_GC_FG ... FT_WROTE_GC_BG] = FT_SUM_GC,
		[FT_WROTE_DEFRAG ... FT_WROTE_RANGE] = FT_SUM_MOVED,
		[FT_WROTE_NODE_SYNC ... FT_WROTE_NODE_GC] = FT_SUM_NODE,
	};

	return sums[kind];
}

static void add_kind(struct ft_written *ledger, enum ft_wrote_kind kind, unsigned int log,
		     u32 bytes)
{
	atomic64_add(bytes, &ledger->kinds[kind * FT_NR_WROTE_LOGS + log]);
}

/* Count for a file, %NULL if it is not watched, and for the process of a number. */
static __always_inline void add_sum(struct ft_volume *vol, struct ft_inode *rec, u32 number,
				    enum ft_wrote_sum sum, u32 bytes)
{
	struct ft_written *ledger = ft_observed(vol, ledger);
	atomic64_t *file = rec ? ft_counts_of(rec, FT_SLOT_ledger) : ledger->file;
	atomic64_t *process = ft_writer_sums(vol, number) ?: ledger->process;

	atomic64_add(bytes, &file[sum]);
	atomic64_add(bytes, &process[sum]);
}

static __always_inline void count_block(struct ft_volume *vol, struct ft_inode *rec,
					enum ft_wrote_kind kind, unsigned int log)
{
	add_kind(ft_observed(vol, ledger), kind, log, FT_BLOCK_SIZE);
	if (kind < FT_WROTE_CHECKPOINT)
		add_sum(vol, rec, rec ? READ_ONCE(rec->writer) : FT_SNAP_WRITER_UNKNOWN,
			sum_of(kind), FT_BLOCK_SIZE);
}

/* === Probes =============================================================== */

/* The volume of an event of a file, or %NULL. The file's record leads there faster. */
static __always_inline struct ft_volume *volume_of(const struct ft_inode *rec,
						   const struct super_block *sb)
{
	return likely(rec) ? rec->vol : ft_volume_find(sb);
}

static noinline void count_metadata(const struct super_block *sb, const struct f2fs_io_info *fio)
{
	ft_probe_volume(vol, sb, fio->ino)
		count_block(vol, NULL, meta_kind(vol, fio->new_blkaddr), FT_WROTE_NO_LOG);
}

static void probe_submit_write(void *unused, FT_PAGE *what, struct f2fs_io_info *fio)
{
	struct inode *inode = what->mapping->host;
	struct ft_volume *vol;
	struct ft_inode *rec;

	if (fio->type == META) {
		count_metadata(inode->i_sb, fio);
		return;
	}
	if (!ft_probe_enter(inode->i_sb, fio->ino))
		return;
	rec = ft_inode_find_file(inode->i_sb, fio->ino);
	vol = volume_of(rec, inode->i_sb);
	if (vol && fio->type == DATA)
		count_block(vol, rec, data_kind(vol, rec, what, inode, fio), fio->temp);
	else if (vol)
		count_block(vol, rec, node_kind(fio), 3 + fio->temp);
	ft_probe_leave();
}

/* F2FS reads a page, or writes one in place. */
static void probe_submit_in_place(void *unused, FT_PAGE *what, struct f2fs_io_info *fio)
{
	struct inode *inode = what->mapping->host;

	if (likely(fio->op != REQ_OP_WRITE))
		return;
	ft_probe_volume(vol, inode->i_sb, fio->ino)
		count_block(vol, ft_inode_find_file(inode->i_sb, fio->ino), FT_WROTE_IN_PLACE,
			    FT_WROTE_NO_LOG);
}

/* The current task has written to a file. */
static __always_inline void count_call(const struct inode *inode, enum ft_wrote_sum sum, u32 bytes)
{
	struct ft_volume *vol;
	struct ft_inode *rec;

	/* F2FS writes quotas as if it were an application */
	if (IS_NOQUOTA(inode) || !ft_probe_enter(inode->i_sb, inode->i_ino))
		return;
	rec = ft_inode_find_file(inode->i_sb, inode->i_ino);
	vol = volume_of(rec, inode->i_sb);
	if (vol)
		add_sum(vol, rec, rec ? ft_writer_current(vol) : FT_SNAP_WRITER_UNKNOWN, sum,
			bytes);
	ft_probe_leave();
}

static void probe_write_end(void *unused, struct inode *inode, loff_t pos, unsigned int len,
			    unsigned int copied)
{
	count_call(inode, FT_SUM_BUFFERED, copied);
}

static void probe_mkwrite(void *unused, FT_MKWRITE_ARGS)
{
	if (!FT_MKWRITE_FAILED)
		count_call(FT_MKWRITE_INODE, FT_SUM_MAPPED, FT_BLOCK_SIZE);
}

/* One that goes on in the background counts as all that it asked for. */
static void probe_direct_exit(void *unused, struct inode *inode, loff_t offset,
			      unsigned long len, int rw, int ret)
{
	if (rw == WRITE && (ret > 0 || ret == -EIOCBQUEUED))
		count_call(inode, FT_SUM_DIRECT, ret > 0 ? ret : len);
}

/* Only direct I/O is synchronous and idles: the block layer tells it from the rest by that, too. */
static bool is_direct(const struct bio *bio)
{
	const blk_opf_t both = REQ_SYNC | REQ_IDLE;

	return (bio->bi_opf & both) == both;
}

/* @is_first: it goes to the first device of the volume, which has F2FS's super blocks. */
static void count_bio(struct ft_written *ledger, const struct bio *bio, bool is_first)
{
	u32 bytes = bio->bi_iter.bi_size;

	if (bio_op(bio) == REQ_OP_DISCARD) {
		atomic64_add(bytes, &ledger->discarded);
		return;
	}
	atomic64_add(bytes, &ledger->written);
	if (is_first && bio->bi_iter.bi_sector - bio->bi_bdev->bd_start_sect < SUPER_SECTORS)
		add_kind(ledger, FT_WROTE_SUPER, FT_WROTE_NO_LOG, bytes);
	else if (is_direct(bio))
		add_kind(ledger, FT_WROTE_DIRECT, FT_WROTE_NO_LOG, bytes);
}

/* The block layer gets a bio, of any device. */
static void probe_bio_queue(void *unused, struct bio *bio)
{
	struct ft_volume *vol;

	if (!op_is_write(bio_op(bio)) || !bio->bi_iter.bi_size)
		return;
	guard(ft_rcu)();
	vol = ft_volume_find_dev(bio->bi_bdev->bd_dev);
	if (vol)
		count_bio(ft_observed(vol, ledger), bio, bio->bi_bdev->bd_dev == vol->dev);
}

static const struct ft_probe probes[] = {
	FT_PROBE(FT_SUBMIT_WRITE, probe_submit_write),
	FT_PROBE(FT_SUBMIT_BIO, probe_submit_in_place),
	FT_PROBE(f2fs_write_end, probe_write_end),
	FT_PROBE(f2fs_vm_page_mkwrite, probe_mkwrite),
	FT_PROBE(f2fs_direct_IO_exit, probe_direct_exit),
	FT_PROBE(block_bio_queue, probe_bio_queue),
	{ }
};

/* === Life ================================================================= */

static int init(void)
{
	if (ft_ledger_on && !ft_causes_wanted()) {
		pr_err("ledger=1 needs to know who writes: load it without causes=0\n");
		return -EINVAL;
	}
	if (ft_ledger_on)
		ft_writer_keep_sums(FT_NR_WROTE_SUMS);
	return 0;
}

const struct ft_observer ft_ledger = {
	.text = &ft_ledger_text,
	.on = &ft_ledger_on,
	.init = init,
	.probes = probes,
	.state_size = sizeof(struct ft_written),
	.nr_counts = FT_NR_WROTE_SUMS,
};
