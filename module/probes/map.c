// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes on F2FS tracepoints: translate events.
 *
 * In: tracepoint arguments. Out: calls of maps/event.c with an inode's record and
 * blocks. Only probes, those of observers included, and f2fs/ use types private to F2FS.
 */

#include <linux/fs.h>
#include <linux/falloc.h>
#include <linux/rcupdate.h>
#include <linux/writeback.h>

#include "causes/breaks.h"
#include "causes/gc.h"
#include "causes/writer.h"
#include "core/base.h"
#include "core/memory.h"
#include "core/observer.h"
#include "core/volume.h"
#include "maps/event.h"
#include "probes/mover.h"
#include "probes/probing.h"
#include "scan/scan.h"

static void mark_stale(const struct inode *inode, enum ft_op op)
{
	ft_probe_file(rec, inode)
		ft_event_mark_stale(rec, op);
}

static u32 to_lba(block_t addr)
{
	return ft_on_volume(addr) ? addr : FT_LBA_UNWRITTEN;
}

/* === Why a block gets a new LBA ========================================= */

static enum ft_flush flush_of(const struct f2fs_io_info *fio)
{
	const struct writeback_control *wbc = fio->io_wbc;

	if (fio->io_type == FS_CP_DATA_IO)
		return FT_FLUSH_CHECKPOINT;
	if (!wbc)
		return FT_FLUSH_NONE;
	/* the flusher by itself; otherwise because of a request */
	if (wbc->sync_mode == WB_SYNC_NONE &&
	    (wbc->for_kupdate || wbc->for_background || ft_for_reclaim(wbc)))
		return FT_FLUSH_WRITEBACK;
	return FT_FLUSH_SYNC;
}

/* Count a block that garbage collection has moved; @moved is what ft_probe_mover() says. */
static noinline void count_moved(struct ft_volume *vol, struct ft_inode *rec,
				 const struct f2fs_io_info *fio, enum ft_op moved)
{
	if (ft_on_volume(fio->old_blkaddr) && (moved == FT_OP_GC_FG || moved == FT_OP_GC_BG))
		ft_gc_moved(vol, rec, fio->old_blkaddr);
}

/* Complete what is known of a block; alloc->op is what ft_probe_mover() says. rec->lock is held. */
static void describe(struct ft_inode *rec, const FT_PAGE *page,
		     const struct f2fs_io_info *fio, struct ft_alloc *alloc)
{
	if (alloc->op == FT_OP_DEFRAG || alloc->op == FT_OP_RANGE) {
		alloc->writer = ft_writer_current(rec->vol);
	} else if (alloc->op != FT_OP_UNKNOWN) {
		alloc->writer = READ_ONCE(rec->vol->gc_writer);
	} else if (!fio->io_wbc) {
		alloc->op = FT_OP_INLINE;
		alloc->writer = rec->writer;
	} else {
		alloc->op = ft_breaks_op(rec, page->index, ft_on_volume(fio->old_blkaddr));
		alloc->flush = flush_of(fio);
		alloc->writer = rec->writer;
	}
}

/* Blocks that the copy takes from others, or loses to them, count for the file. */
static void mark_copy(const struct ft_inode *rec, const struct inode *cow)
{
	struct ft_inode *copy = ft_inode_find(rec->vol, cow->i_ino);

	/* events of the copy itself may name the file as their copy */
	if (!copy || copy->is_dir || rec->copy)
		return;
	WRITE_ONCE(copy->copy, true);
	WRITE_ONCE(copy->extension, READ_ONCE(rec->extension));
	WRITE_ONCE(copy->writer, READ_ONCE(rec->writer));
}

static noinline void write_atomic(struct ft_inode *rec, const FT_PAGE *page,
				  const struct inode *cow, const struct f2fs_io_info *fio)
{
	const struct ft_alloc alloc = {
		.op = FT_OP_ATOMIC,
		.flush = FT_FLUSH_SYNC,
		.writer = READ_ONCE(rec->writer),
	};

	if (ft_causes_wanted())
		mark_copy(rec, cow);
	ft_event_write_doubtful(rec, page->index, to_lba(fio->old_blkaddr),
				fio->new_blkaddr, &alloc);
}

static noinline void write_any(struct ft_inode *rec, const FT_PAGE *page,
			       const struct f2fs_io_info *fio, enum ft_op moved)
{
	struct ft_alloc alloc = { .op = moved };

	if (ft_causes_wanted())
		describe(rec, page, fio, &alloc);
	ft_event_write_any(rec, page->index, to_lba(fio->old_blkaddr), fio->new_blkaddr, &alloc);
}

static __always_inline void write_block(struct ft_inode *rec, const FT_PAGE *page,
					const struct f2fs_io_info *fio, enum ft_op moved)
{
	/* the compiler need not keep arguments that are read again after a call */
	ft_inode_lock(rec);
	/* the event extent_change needs the cause of each block */
	if (ft_traces_changes() ||
	    !ft_event_write(rec, page->index, to_lba(fio->old_blkaddr), fio->new_blkaddr))
		write_any(rec, page, fio, moved);
	spin_unlock(&rec->lock);
}

/* A block that is moved, of an atomic write, or of a file that may have clusters. */
static noinline void write_other(struct ft_inode *rec, const FT_PAGE *page,
				 const struct inode *inode, const struct f2fs_io_info *fio)
{
	enum ft_op moved = FT_OP_UNKNOWN;

	if (ft_causes_wanted())
		moved = ft_probe_mover(rec->vol, rec, page, inode, fio);
	if (ft_f2fs_has_clusters(inode))
		ft_event_mark_stale(rec, FT_OP_COMPRESS);
	else if (ft_f2fs_cow_inode(inode))
		write_atomic(rec, page, ft_f2fs_cow_inode(inode), fio);
	else
		write_block(rec, page, fio, moved);
	count_moved(rec->vol, rec, fio, moved);
}

/* A file that is not watched got a block that a watched file could have used. */
static noinline void unwatched(const struct inode *inode, const FT_PAGE *page,
			       const struct f2fs_io_info *fio)
{
	struct ft_volume *vol = ft_volume_find(inode->i_sb);

	if (!vol)
		return;
	ft_log_took(vol, fio->temp, fio->ino, FT_SNAP_WRITER_UNKNOWN, fio->new_blkaddr);
	count_moved(vol, NULL, fio, ft_probe_mover(vol, NULL, page, inode, fio));
}

/*
 * A block gets a new LBA: write-back, fsync, garbage collection,
 * defragmentation. Runs under the lock of the node page that holds the address, so
 * the events of one block come in the order of its addresses.
 */
static void probe_submit_write(void *unused, FT_PAGE *what, struct f2fs_io_info *fio)
{
	struct inode *inode = what->mapping->host;
	struct ft_inode *rec;

	if (fio->type != DATA)
		return;
	/* not inode->i_ino: GC moves blocks of one inode by another one's page */
	if (!ft_probe_enter(inode->i_sb, fio->ino))
		return;
	rec = ft_inode_find_file(inode->i_sb, fio->ino);
	if (rec) {
		ft_count(FT_EVENTS_WRITE);
		if (unlikely(ft_f2fs_has_clusters(inode) || ft_f2fs_cow_inode(inode) ||
			     ft_may_be_moved(what, fio)))
			write_other(rec, what, inode, fio);
		else
			write_block(rec, what, fio, FT_OP_UNKNOWN);
		if (ft_causes_wanted())
			ft_log_took(rec->vol, fio->temp, fio->ino,
				    READ_ONCE(rec->writer), fio->new_blkaddr);
	} else if (ft_causes_wanted()) {
		unwatched(inode, what, fio);
	}
	ft_probe_leave();
}

static noinline void update(struct inode *inode, u32 lblk, u32 len, block_t addr)
{
	struct ft_inode *rec = ft_inode_find_file(inode->i_sb, inode->i_ino);
	const struct ft_extent ext = {
		.lblk = lblk,
		.len = len,
		.lba = to_lba(addr),
	};

	if (!rec)
		return;
	ft_count(FT_EVENTS_UPDATE);
	ft_event_update(rec, &ext);
}

/*
 * F2FS updates its extent cache, under the lock of the node page. This reports
 * every change, but not for files that have no such cache: compressed ones, and
 * the most fragmented ones, for which F2FS gave it up.
 */
static void probe_update_extent(void *unused, struct inode *inode, unsigned int pgofs,
				unsigned int len, block_t blkaddr, unsigned int c_len)
{
	struct ft_inode *rec;

	if (c_len || !len)
		return;
	if (!ft_probe_enter(inode->i_sb, inode->i_ino))
		return;
	rec = this_cpu_read(ft_last_file);
	/* most often another event has reported this block just before */
	if (likely(rec && len == 1 && ft_event_knows_write(rec, inode, pgofs, blkaddr)))
		ft_count(FT_EVENTS_UPDATE);
	else
		update(inode, pgofs, len, blkaddr);
	ft_probe_leave();
}

static noinline void look_up(struct inode *inode, const struct f2fs_map_blocks *map, int ret)
{
	const struct ft_extent ext = {
		.lblk = map->m_lblk,
		.len = map->m_len,
		.lba = map->m_len ? to_lba(map->m_pblk) : FT_LBA_UNWRITTEN,
	};

	if (ret)
		return;
	ft_probe_volume(vol, inode->i_sb, inode->i_ino)
		ft_fiemap_lookup_event(vol, inode, &ext);
}

static noinline void allocated(struct inode *inode, const struct f2fs_map_blocks *map)
{
	const struct ft_extent ext = {
		.lblk = map->m_lblk,
		.len = map->m_len,
		.lba = map->m_pblk,
	};

	ft_probe_file(rec, inode) {
		ft_count(FT_EVENTS_MAP);
		/*
		 * A direct write, which also asks for the next hole, gets one
		 * run. For preallocation F2FS sums up all that it allocates.
		 */
		ft_event_map(rec, &ext, map->m_next_pgofs);
	}
}

/*
 * Blocks allocated by direct I/O, or before it in pinned files. There are many
 * look-ups; only those of our own workers matter. Others may report addresses that
 * have changed since.
 */
static void probe_map_blocks(void *unused, struct inode *inode,
			     struct f2fs_map_blocks *map, int flag, int ret)
{
	if (!map->m_may_create) {
		if (current->flags & PF_WQ_WORKER)
			look_up(inode, map, ret);
	} else if (ret || map->m_multidev_dio) {
		/*
		 * After an error part of the range may have been allocated, and
		 * with several devices the address may count within its device:
		 * scan the file.
		 */
		mark_stale(inode, FT_OP_DIRECT);
	} else if (map->m_len && ft_on_volume(map->m_pblk)) {
		/* preallocation that only reserves blocks has no address */
		allocated(inode, map);
	}
}

/*
 * A direct write is over, while the caller holds the inode's lock. @ret does not
 * tell how much was written if the write goes on in the background.
 */
static void probe_direct_exit(void *unused, struct inode *inode, loff_t offset,
			      unsigned long len, int rw, int ret)
{
	if (rw != WRITE)
		return;
	ft_probe_file(rec, inode)
		ft_event_direct_end(rec, ft_end_block(offset + len));
}

/*
 * All blocks from an offset on are about to be freed. No new ones can come in
 * meanwhile: the caller holds the inode's locks against writers and GC.
 */
static void probe_truncate_enter(void *unused, struct inode *inode, u64 from)
{
	ft_probe_file(rec, inode) {
		ft_count(FT_EVENTS_TRUNCATE);
		ft_event_truncate(rec, ft_end_block(from), from & (FT_BLOCK_SIZE - 1));
		if (ft_f2fs_has_clusters(inode))
			ft_event_mark_stale(rec, FT_OP_COMPRESS);
	}
}

static void probe_truncate_exit(void *unused, struct inode *inode, int ret)
{
	if (ret)
		mark_stale(inode, FT_OP_UNKNOWN);
}

/* Modes that call.c notices before F2FS changes anything. */
#define SEEN_BEFORE (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_COLLAPSE_RANGE | \
		     FALLOC_FL_ZERO_RANGE | FALLOC_FL_INSERT_RANGE)

/* Has such a call changed whole blocks? Then call.c must have noticed it. */
static bool has_changed(const struct inode *inode, int mode, loff_t offset, loff_t len, int ret)
{
	if (ret)
		return false;
	if (mode & (FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE))
		return true;
	if (mode & FALLOC_FL_PUNCH_HOLE && offset >= i_size_read(inode))
		return false;
	return ft_end_block(offset) < ft_first_block(offset + len);
}

static void range_changed(struct ft_inode *rec, const struct inode *inode,
			  int mode, loff_t offset, loff_t len, int ret)
{
	bool noticed = ft_event_range_end(rec);
	bool missed = !noticed && has_changed(inode, mode, offset, len, ret);

	if (missed)
		ft_call_missed();
	if (missed || mode & ~SEEN_BEFORE || (!noticed && !ft_call_attached()))
		ft_event_mark_stale(rec, FT_OP_RANGE);
}

/*
 * This event comes after the inode lock was dropped. A change of existing blocks
 * might be applied in the wrong order, so the file is scanned, unless call.c has
 * noticed this change before it began. Plain preallocation moves no written block.
 * Compressed files are scanned after every change. After an error only a part of
 * the range may have been preallocated.
 */
static void probe_fallocate(void *unused, struct inode *inode, int mode,
			    loff_t offset, loff_t len, int ret)
{
	ft_probe_file(rec, inode) {
		ft_count(FT_EVENTS_FALLOCATE);
		mode &= ~FALLOC_FL_KEEP_SIZE;
		if (!mode)
			ft_event_reserve(rec, ft_first_block(offset),
					 ft_end_block(offset + len),
					 !ret && !ft_f2fs_has_clusters(inode));
		else
			range_changed(rec, inode, mode, offset, len, ret);
	}
}

/*
 * Blocks of one node were freed, and the lock of its page is still held. An atomic
 * commit does this before it puts a block in place; the event of the commit comes
 * later. This event does not name the block. Other files do not need it.
 */
static void probe_truncate_range(void *unused, struct inode *inode, nid_t nid,
				 unsigned int ofs, int free)
{
	if (!ft_f2fs_cow_inode(inode))
		return;
	ft_probe_file(rec, inode)
		ft_event_commit_begin(rec);
}

/*
 * An atomic commit has moved a block from its copy-on-write inode to the file. F2FS
 * has dropped the lock of the node page already.
 */
static void probe_replace_atomic(void *unused, struct inode *inode, struct inode *cow_inode,
				 pgoff_t index, block_t old_addr, block_t new_addr, bool recovery)
{
	if (!ft_on_volume(new_addr)) {
		mark_stale(inode, FT_OP_ATOMIC);
		return;
	}
	ft_probe_file(rec, inode) {
		ft_count(FT_EVENTS_ATOMIC);
		ft_event_commit(rec, index, new_addr);
	}
}

/* A compressed cluster is about to be written; FIEMAP will report where. */
static void probe_compress_end(void *unused, struct inode *inode, pgoff_t cluster_idx,
			       unsigned int compressed_size, int ret)
{
	ft_count(FT_EVENTS_COMPRESS);
	mark_stale(inode, FT_OP_COMPRESS);
}

static void probe_fiemap(void *unused, struct inode *inode, sector_t logical, sector_t physical,
			 unsigned long long len, unsigned int flags, int ret)
{
	/* a FIEMAP of a user */
	if (!(current->flags & PF_WQ_WORKER))
		return;
	ft_probe_volume(vol, inode->i_sb, inode->i_ino)
		ft_fiemap_event(vol, inode->i_ino, logical, physical, len, flags);
}

/*
 * A new inode has no blocks yet: it is exact without a scan. Its name comes later;
 * without a name in a watched directory it is dropped.
 */
static void probe_new_inode(void *unused, struct inode *inode, int ret)
{
	struct ft_inode *rec;

	if (ret || !S_ISREG(inode->i_mode))
		return;
	ft_probe_volume(vol, inode->i_sb, inode->i_ino) {
		rec = ft_inode_create(vol, inode->i_ino, false, false, ft_mem_owner(inode->i_uid),
				      GFP_NOWAIT | __GFP_NOWARN);
		if (!IS_ERR(rec))
			this_cpu_write(ft_last_file, rec);
	}
}

/* An inode is evicted from memory; without a name it is also deleted. */
static void probe_evict_inode(void *unused, struct inode *inode)
{
	struct ft_inode *rec;

	if (inode->i_nlink)
		return;
	ft_probe_volume(vol, inode->i_sb, inode->i_ino) {
		rec = ft_inode_find(vol, inode->i_ino);
		if (rec)
			ft_inode_remove(rec);
	}
}

/* An inode of a super block without a root is the first sign of a new mount. */
static void probe_iget(void *unused, struct inode *inode)
{
	if (!READ_ONCE(inode->i_sb->s_root))
		ft_target_kick();
}

/* === The table ============================================================ */

static const struct ft_probe probes[] = {
	FT_PROBE(FT_SUBMIT_WRITE, probe_submit_write),
	FT_PROBE(f2fs_update_read_extent_tree_range, probe_update_extent),
	FT_PROBE(f2fs_map_blocks, probe_map_blocks),
	FT_PROBE(f2fs_direct_IO_exit, probe_direct_exit),
	FT_PROBE(f2fs_truncate_blocks_enter, probe_truncate_enter),
	FT_PROBE(f2fs_truncate_blocks_exit, probe_truncate_exit),
	FT_PROBE(f2fs_fallocate, probe_fallocate),
	FT_PROBE(f2fs_truncate_data_blocks_range, probe_truncate_range),
	FT_PROBE(f2fs_replace_atomic_write_block, probe_replace_atomic),
	FT_PROBE(f2fs_compress_pages_end, probe_compress_end),
	FT_PROBE(f2fs_fiemap, probe_fiemap),
	FT_PROBE(f2fs_new_inode, probe_new_inode),
	FT_PROBE(f2fs_evict_inode, probe_evict_inode),
	FT_PROBE(f2fs_iget, probe_iget),
	{ }
};

/* Append a table of probes to @nr others. Returns how many there are then. */
static unsigned int append(struct ft_probe *list, unsigned int nr, const struct ft_probe *table)
{
	for (; table && table->name && !WARN_ON_ONCE(nr == FT_MAX_PROBES); table++)
		list[nr++] = *table;
	return nr;
}

/**
 * ft_probe_list() - list all probes that are wanted
 * @list: room for %FT_MAX_PROBES
 *
 * Return: the number of probes.
 */
unsigned int ft_probe_list(struct ft_probe *list)
{
	const struct ft_observer *o;
	unsigned int nr = 0, i;
	bool reads = false;

	/* observers see the maps as they were before the event */
	ft_for_each_observer(o, i) {
		if (!*o->on)
			continue;
		nr = append(list, nr, o->probes);
		reads |= !!o->read;
	}
	if (reads)
		nr = append(list, nr, ft_read_probes);
	nr = append(list, nr, probes);
	return ft_causes_wanted() ? append(list, nr, ft_cause_probes) : nr;
}
