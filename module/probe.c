// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes on F2FS tracepoints: translate events.
 *
 * In: tracepoint arguments. Out: calls of event.c with an inode's record and
 * blocks. Only this file and segment.c use types private to F2FS.
 */

#include <linux/bio.h>
#include <linux/fs.h>
#include <linux/falloc.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/tracepoint.h>
#include <linux/writeback.h>

#include "breaks.h"
#include "cgroup.h"
#include "compat.h"
#include "f2fs_private.h"
#include "event.h"
#include "fragtrace.h"
#include "fsync.h"
#include "gc.h"
#include "heat.h"
#include "inode.h"
#include "note.h"
#include "probe.h"
#include "scan.h"
#include "trace.h"
#include "volume.h"
#include "writer.h"

#include <linux/f2fs_fs.h>
#include <trace/events/f2fs.h>

/* === Probes =============================================================== */

#ifdef CONFIG_PREEMPT_RT

/*
 * A record that is found between enter_probe() and leave_probe() stays until the
 * end. False if the event of this inode cannot be handled: its file becomes stale
 * instead. That does not happen, see compat.h; if it does, "lost" counts it.
 */
static inline bool enter_probe(const struct super_block *sb, unsigned long ino)
{
	struct ft_inode *rec;

	if (likely(ft_sleeping_locks_begin()))
		return true;
	rec = ft_inode_find_file(sb, ino);
	if (rec) {
		ft_count(FT_LOST);
		ft_note_stale(rec);
	}
	ft_sleeping_locks_end(false);
	return false;
}

static inline void leave_probe(void)
{
	ft_sleeping_locks_end(true);
}

#else

/*
 * A record that is found between enter_probe() and leave_probe() stays until the
 * end. With preemption disabled this is an RCU read section, too, and that is the
 * cheapest one. In some kernels the tracepoint has disabled it already.
 */
static inline bool enter_probe(const struct super_block *sb, unsigned long ino)
{
	if (FT_PROBES_KEEP_CPU)
		lockdep_assert_preemption_disabled();
	else
		preempt_disable();
	return true;
}

static inline void leave_probe(void)
{
	if (!FT_PROBES_KEEP_CPU)
		preempt_enable();
}

#endif

static void mark_stale(const struct inode *inode, enum ft_op op)
{
	struct ft_inode *rec;

	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	rec = ft_inode_find_file(inode->i_sb, inode->i_ino);
	if (rec)
		ft_inode_mark_stale(rec, op);
	leave_probe();
}

static u32 first_block(u64 bytes)
{
	return min_t(u64, bytes >> FT_BLOCK_BITS, FT_LBLK_END);
}

static u32 end_block(u64 bytes)
{
	return min_t(u64, (bytes + FT_BLOCK_SIZE - 1) >> FT_BLOCK_BITS,
		     FT_LBLK_END);
}

static bool on_volume(block_t addr)
{
	return addr != NULL_ADDR && addr != NEW_ADDR && addr != COMPRESS_ADDR;
}

static u32 to_lba(block_t addr)
{
	return on_volume(addr) ? addr : FT_LBA_UNWRITTEN;
}

/*
 * F2FS compresses all blocks of a cluster into fewer blocks. Events do not describe
 * that: such a file is scanned after every change.
 */
static bool has_clusters(const struct inode *inode)
{
	return ft_f2fs_flags(inode) & FS_COMPR_FL;
}

/* === What is read (parameters heat and cgroups) =========================== */

static __always_inline void
count_heat(const struct inode *inode, u64 first, u64 end,
	   void (*func)(struct ft_inode *rec, u32 first, u32 end))
{
	struct ft_inode *rec;

	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	rec = ft_inode_find_file(inode->i_sb, inode->i_ino);
	if (rec)
		func(rec, first, min_t(u64, end, FT_LBLK_END));
	leave_probe();
}

static __always_inline void
count_read(const struct inode *inode, u64 first, u64 end,
	   void (*heat)(struct ft_inode *rec, u32 first, u32 end))
{
	struct ft_inode *rec;

	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	rec = ft_inode_find_file(inode->i_sb, inode->i_ino);
	if (rec) {
		end = min_t(u64, end, FT_LBLK_END);
		if (ft_heat_wanted())
			heat(rec, first, end);
		if (ft_cgroups_wanted())
			ft_cgroup_read(rec, first, end, !has_clusters(inode));
	}
	leave_probe();
}

/* The page cache has pages of this range to be filled, none of which it had. */
static void probe_readpages(void *unused, struct inode *inode, pgoff_t start,
			    unsigned int nr)
{
	count_read(inode, start, (u64)start + nr, ft_heat_read);
}

/* The same for a single page, without readahead. */
static void probe_readpage(void *unused, FT_READ_PAGE *what, int type)
{
	struct folio *folio = FT_READ_FOLIO(what);

	count_read(folio->mapping->host, folio->index,
		   (u64)folio->index + folio_nr_pages(folio), ft_heat_read);
}

static u64 index_of(struct page *page)
{
	struct folio *folio = page_folio(page);

	return (u64)folio->index + folio_page_idx(folio, page);
}

/*
 * A request to read pages of a file. They are in the order of the file, and there
 * may be holes between them.
 */
static void probe_submit_read(void *unused, struct super_block *sb, int type,
			      struct bio *bio)
{
	const struct bio_vec *first = bio->bi_io_vec, *last;
	struct address_space *mapping;
	u64 from, to;

	if (type != DATA || !bio->bi_vcnt)
		return;
	mapping = page_folio(first->bv_page)->mapping;
	if (!mapping)
		return;
	last = &first[bio->bi_vcnt - 1];
	from = index_of(first->bv_page);
	to = last == first ? from : index_of(last->bv_page);
	count_heat(mapping->host, from,
		   to + 1 + ((last->bv_offset + last->bv_len - 1) >> PAGE_SHIFT),
		   ft_heat_request);
}

/* A direct read is over, or goes on in the background; then F2FS has taken it. */
static noinline void read_direct(const struct inode *inode, loff_t offset,
				 unsigned long len, int ret)
{
	u64 end = (u64)offset + len;

	if (ret == -EIOCBQUEUED)
		end = min_t(u64, end, i_size_read(inode));
	else if (ret > 0)
		end = (u64)offset + ret;
	else
		return;
	count_read(inode, first_block(offset), end_block(end),
		   ft_heat_read_direct);
}

/* A block is written where it is. */
static void probe_submit_in_place(void *unused, FT_PAGE *what,
				  struct f2fs_io_info *fio)
{
	if (fio->type == DATA && fio->op == REQ_OP_WRITE)
		count_heat(what->mapping->host, what->index,
			   (u64)what->index + 1, ft_heat_overwrite);
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

/* Does F2FS move this block? Garbage collection and defragment mark the page. */
static __always_inline bool migrates(const FT_PAGE *page)
{
	const unsigned long both = BIT(0) | BIT(FT_F2FS_PAGE_MIGRATES);

	return ((unsigned long)page->private & both) == both;
}

/* May garbage collection move this block? It moves no block written for a user. */
static __always_inline bool may_be_collected(const FT_PAGE *page,
					     const struct f2fs_io_info *fio)
{
	return fio->io_type != FS_DATA_IO || migrates(page);
}

/*
 * The page is marked as for garbage collection. F2FS also marks blocks that it moves
 * within a file or to another one. True if this is such a block.
 */
static bool moves_range(struct ft_volume *vol, const struct ft_inode *rec,
			const struct f2fs_io_info *fio)
{
	return !on_volume(fio->old_blkaddr) ||
	       (rec && ft_inode_is_stale(rec) &&
		READ_ONCE(rec->doubt) == FT_OP_RANGE) ||
	       !ft_gc_chosen(vol, fio->old_blkaddr);
}

/* Count a block if garbage collection moves it. describe() has the same cases. */
static noinline void count_collected(struct ft_volume *vol, struct ft_inode *rec,
				     const FT_PAGE *page,
				     const struct inode *inode,
				     const struct f2fs_io_info *fio)
{
	if (!on_volume(fio->old_blkaddr))
		return;
	if (migrates(page) ? !ft_f2fs_writes_elsewhere(inode) &&
				     !moves_range(vol, rec, fio) :
	    fio->io_type == FS_GC_DATA_IO || fio->io_type == APP_DIRECT_IO)
		ft_gc_moved(vol, rec, fio->old_blkaddr);
}

/* With rec->lock held. */
static void describe(struct ft_inode *rec, const FT_PAGE *page,
		     const struct inode *inode, const struct f2fs_io_info *fio,
		     struct ft_alloc *alloc)
{
	const struct ft_volume *vol = rec->vol;
	bool moves = migrates(page);

	alloc->flush = FT_FLUSH_NONE;
	if (moves && ft_f2fs_writes_elsewhere(inode)) {
		alloc->op = FT_OP_DEFRAG;
		alloc->writer = ft_writer_current(rec->vol);
	} else if (moves && moves_range(rec->vol, rec, fio)) {
		alloc->op = FT_OP_RANGE;
		alloc->writer = ft_writer_current(rec->vol);
	} else if (moves || fio->io_type == FS_GC_DATA_IO ||
		   fio->io_type == APP_DIRECT_IO) {
		/* a block that is moved at once, without its page, has no type */
		alloc->op = fio->io_type != FS_DATA_IO &&
			    READ_ONCE(vol->gc_foreground) ? FT_OP_GC_FG :
							    FT_OP_GC_BG;
		alloc->writer = READ_ONCE(vol->gc_writer);
	} else if (!fio->io_wbc) {
		alloc->op = FT_OP_INLINE;
		alloc->writer = rec->writer;
	} else {
		alloc->op = ft_breaks_op(rec, page->index,
					 on_volume(fio->old_blkaddr));
		alloc->flush = flush_of(fio);
		alloc->writer = rec->writer;
	}
}

/* Blocks that the copy takes from others, or loses to them, count for the file. */
static void mark_copy(const struct ft_inode *rec, const struct inode *cow)
{
	struct ft_inode *copy = ft_inode_find(rec->vol, cow->i_ino);

	/* events of the copy itself may name the file as their copy */
	if (!copy || rec->copy)
		return;
	WRITE_ONCE(copy->copy, true);
	WRITE_ONCE(copy->extension, READ_ONCE(rec->extension));
	WRITE_ONCE(copy->writer, READ_ONCE(rec->writer));
}

static noinline void write_atomic(struct ft_inode *rec, const FT_PAGE *page,
				  const struct inode *cow,
				  const struct f2fs_io_info *fio)
{
	const struct ft_alloc alloc = {
		.op = FT_OP_ATOMIC,
		.flush = FT_FLUSH_SYNC,
		.writer = READ_ONCE(rec->writer),
	};

	if (ft_causes_wanted())
		mark_copy(rec, cow);
	ft_inode_write_doubtful(rec, page->index, to_lba(fio->old_blkaddr),
				fio->new_blkaddr, &alloc);
}

static noinline void write_with_cause(struct ft_inode *rec, const FT_PAGE *page,
				      const struct inode *inode,
				      const struct f2fs_io_info *fio)
{
	struct ft_alloc alloc;

	describe(rec, page, inode, fio, &alloc);
	ft_inode_write_any(rec, page->index, to_lba(fio->old_blkaddr),
			   fio->new_blkaddr, &alloc);
}

static __always_inline void write_any(struct ft_inode *rec, const FT_PAGE *page,
				      const struct inode *inode,
				      const struct f2fs_io_info *fio)
{
	static const struct ft_alloc unknown;

	if (ft_causes_wanted())
		write_with_cause(rec, page, inode, fio);
	else
		ft_inode_write_any(rec, page->index, to_lba(fio->old_blkaddr),
				   fio->new_blkaddr, &unknown);
}

static __always_inline void write_block(struct ft_inode *rec, const FT_PAGE *page,
					const struct inode *inode,
					const struct f2fs_io_info *fio)
{
	/* the compiler need not keep arguments that are read again after a call */
	ft_inode_lock(rec);
	/* the event extent_change needs the cause of each block */
	if (ft_traces_changes() ||
	    !ft_inode_write(rec, page->index, to_lba(fio->old_blkaddr),
			    fio->new_blkaddr))
		write_any(rec, page, inode, fio);
	spin_unlock(&rec->lock);
}

/* A file that is not watched got a block that a watched file could have used. */
static noinline void unwatched(const struct inode *inode, const FT_PAGE *page,
			       const struct f2fs_io_info *fio)
{
	struct ft_volume *vol = ft_volume_find(inode->i_sb);

	if (!vol)
		return;
	ft_log_took(vol, fio->temp, fio->ino, FT_SNAP_WRITER_UNKNOWN,
		    fio->new_blkaddr);
	if (may_be_collected(page, fio))
		count_collected(vol, NULL, page, inode, fio);
}

/*
 * A block gets a new LBA: write-back, fsync, garbage collection,
 * defragmentation. Runs under the lock of the node page that holds the address, so
 * the events of one block come in the order of its addresses.
 */
static void probe_submit_write(void *unused, FT_PAGE *what,
			       struct f2fs_io_info *fio)
{
	struct inode *inode = what->mapping->host;
	struct ft_inode *rec;

	if (fio->type != DATA) {
		if (ft_fsync_wanted() && fio->type == NODE)
			ft_fsync_node_block();
		return;
	}
	/* not inode->i_ino: GC moves blocks of one inode by another one's page */
	if (!enter_probe(inode->i_sb, fio->ino))
		return;
	rec = ft_inode_find_file(inode->i_sb, fio->ino);
	if (rec) {
		ft_count(FT_EVENTS_WRITE);
		if (unlikely(has_clusters(inode)))
			ft_inode_mark_stale(rec, FT_OP_COMPRESS);
		else if (unlikely(ft_f2fs_cow_inode(inode)))
			write_atomic(rec, what, ft_f2fs_cow_inode(inode), fio);
		else
			write_block(rec, what, inode, fio);
		if (ft_heat_wanted() && on_volume(fio->old_blkaddr) &&
		    fio->io_type == FS_DATA_IO && !migrates(what))
			ft_heat_overwrite(rec, what->index, what->index + 1);
		if (ft_causes_wanted()) {
			ft_log_took(rec->vol, fio->temp, fio->ino,
				    READ_ONCE(rec->writer), fio->new_blkaddr);
			if (unlikely(may_be_collected(what, fio)))
				count_collected(rec->vol, rec, what, inode, fio);
		}
	} else if (ft_causes_wanted()) {
		unwatched(inode, what, fio);
	}
	leave_probe();
}

static noinline void update(struct inode *inode, u32 lblk, u32 len,
			    block_t addr)
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
	ft_inode_update(rec, &ext);
}

/*
 * F2FS updates its extent cache, under the lock of the node page. This reports
 * every change, but not for files that have no such cache: compressed ones, and
 * the most fragmented ones, for which F2FS gave it up.
 */
static void probe_update_extent(void *unused, struct inode *inode,
				unsigned int pgofs, unsigned int len,
				block_t blkaddr, unsigned int c_len)
{
	struct ft_inode *rec;

	if (c_len || !len)
		return;
	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	rec = this_cpu_read(ft_last_file);
	/* most often another event has reported this block just before */
	if (likely(rec && len == 1 &&
		   ft_inode_knows_write(rec, inode, pgofs, blkaddr)))
		ft_count(FT_EVENTS_UPDATE);
	else
		update(inode, pgofs, len, blkaddr);
	leave_probe();
}

static noinline void look_up(struct inode *inode,
			     const struct f2fs_map_blocks *map, int ret)
{
	const struct ft_extent ext = {
		.lblk = map->m_lblk,
		.len = map->m_len,
		.lba = map->m_len ? to_lba(map->m_pblk) : FT_LBA_UNWRITTEN,
	};
	struct ft_volume *vol;

	if (ret)
		return;
	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	vol = ft_volume_find(inode->i_sb);
	if (vol)
		ft_scan_lookup_event(vol, inode, &ext);
	leave_probe();
}

static noinline void allocated(struct inode *inode,
			       const struct f2fs_map_blocks *map)
{
	const struct ft_extent ext = {
		.lblk = map->m_lblk,
		.len = map->m_len,
		.lba = map->m_pblk,
	};
	struct ft_inode *rec;

	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	rec = ft_inode_find_file(inode->i_sb, inode->i_ino);
	if (rec) {
		ft_count(FT_EVENTS_MAP);
		if (ft_heat_wanted())
			ft_heat_written_at(rec, &ext);
		/*
		 * A direct write, which also asks for the next hole, gets one
		 * run. For preallocation F2FS sums up all that it allocates.
		 */
		ft_inode_map(rec, &ext, map->m_next_pgofs);
	}
	leave_probe();
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
	} else if (map->m_len && on_volume(map->m_pblk)) {
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
	struct ft_inode *rec;

	if (rw != WRITE) {
		if (ft_heat_wanted() || ft_cgroups_wanted())
			read_direct(inode, offset, len, ret);
		return;
	}
	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	rec = ft_inode_find_file(inode->i_sb, inode->i_ino);
	if (rec)
		ft_inode_direct_end(rec, end_block(offset + len));
	leave_probe();
}

/*
 * All blocks from an offset on are about to be freed. No new ones can come in
 * meanwhile: the caller holds the inode's locks against writers and GC.
 */
static void probe_truncate_enter(void *unused, struct inode *inode, u64 from)
{
	struct ft_inode *rec;

	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	rec = ft_inode_find_file(inode->i_sb, inode->i_ino);
	if (rec) {
		ft_count(FT_EVENTS_TRUNCATE);
		ft_inode_truncate(rec, end_block(from),
				  from & (FT_BLOCK_SIZE - 1));
		if (has_clusters(inode))
			ft_inode_mark_stale(rec, FT_OP_COMPRESS);
		if (ft_heat_wanted())
			ft_heat_truncate(rec, end_block(from));
	}
	leave_probe();
}

static void probe_truncate_exit(void *unused, struct inode *inode, int ret)
{
	if (ret)
		mark_stale(inode, FT_OP_UNKNOWN);
}

/* Modes that call.c notices before F2FS changes anything. */
#define SEEN_BEFORE (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_COLLAPSE_RANGE | \
		     FALLOC_FL_ZERO_RANGE | FALLOC_FL_INSERT_RANGE)

/*
 * This event comes after the inode lock was dropped. A change of existing blocks
 * might be applied in the wrong order, so the file is scanned, unless call.c has
 * noticed the change before it began. Plain preallocation moves no written block.
 * Compressed files are scanned after every change. After an error only a part of
 * the range may have been preallocated.
 */
static void probe_fallocate(void *unused, struct inode *inode, int mode,
			    loff_t offset, loff_t len, int ret)
{
	struct ft_inode *rec;

	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	rec = ft_inode_find_file(inode->i_sb, inode->i_ino);
	if (rec) {
		ft_count(FT_EVENTS_FALLOCATE);
		mode &= ~FALLOC_FL_KEEP_SIZE;
		if (!mode)
			ft_inode_reserve(rec, first_block(offset),
					 end_block(offset + len),
					 !ret && !has_clusters(inode));
		else if (!ft_call_attached() || mode & ~SEEN_BEFORE)
			ft_inode_mark_stale(rec, FT_OP_RANGE);
	}
	leave_probe();
}

/*
 * Blocks of one node were freed, and the lock of its page is still held. An atomic
 * commit does this before it puts a block in place; the event of the commit comes
 * later. This event does not name the block. Other files do not need it.
 */
static void probe_truncate_range(void *unused, struct inode *inode, nid_t nid,
				 unsigned int ofs, int free)
{
	struct ft_inode *rec;

	if (!ft_f2fs_cow_inode(inode))
		return;
	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	rec = ft_inode_find_file(inode->i_sb, inode->i_ino);
	if (rec)
		ft_inode_commit_begin(rec);
	leave_probe();
}

/*
 * An atomic commit has moved a block from its copy-on-write inode to the file. F2FS
 * has dropped the lock of the node page already.
 */
static void probe_replace_atomic(void *unused, struct inode *inode,
				 struct inode *cow_inode, pgoff_t index,
				 block_t old_addr, block_t new_addr,
				 bool recovery)
{
	struct ft_inode *rec;

	if (!on_volume(new_addr)) {
		mark_stale(inode, FT_OP_ATOMIC);
		return;
	}
	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	rec = ft_inode_find_file(inode->i_sb, inode->i_ino);
	if (rec) {
		ft_count(FT_EVENTS_ATOMIC);
		ft_inode_commit(rec, index, new_addr);
		if (ft_heat_wanted() && on_volume(old_addr))
			ft_heat_overwrite(rec, index, index + 1);
	}
	leave_probe();
}

/* A compressed cluster is about to be written; FIEMAP will report where. */
static void probe_compress_end(void *unused, struct inode *inode,
			       pgoff_t cluster_idx,
			       unsigned int compressed_size, int ret)
{
	ft_count(FT_EVENTS_COMPRESS);
	mark_stale(inode, FT_OP_COMPRESS);
}

static void probe_fiemap(void *unused, struct inode *inode, sector_t logical,
			 sector_t physical, unsigned long long len,
			 unsigned int flags, int ret)
{
	struct ft_volume *vol;

	/* a FIEMAP of a user */
	if (!(current->flags & PF_WQ_WORKER))
		return;
	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	vol = ft_volume_find(inode->i_sb);
	if (vol)
		ft_scan_fiemap_event(vol, inode->i_ino, logical, physical, len,
				     flags);
	leave_probe();
}

/*
 * A new inode has no blocks yet: it is exact without a scan. Its name comes later;
 * without a name in a watched directory it is dropped.
 */
static void probe_new_inode(void *unused, struct inode *inode, int ret)
{
	struct ft_volume *vol;
	struct ft_inode *rec;

	if (ret || !S_ISREG(inode->i_mode))
		return;
	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	vol = ft_volume_find(inode->i_sb);
	if (vol) {
		rec = ft_inode_create(vol, inode->i_ino, false, false,
				      GFP_NOWAIT | __GFP_NOWARN);
		if (!IS_ERR(rec))
			this_cpu_write(ft_last_file, rec);
	}
	leave_probe();
}

/* An inode is evicted from memory; without a name it is also deleted. */
static void probe_evict_inode(void *unused, struct inode *inode)
{
	struct ft_volume *vol;
	struct ft_inode *rec;

	if (inode->i_nlink)
		return;
	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	vol = ft_volume_find(inode->i_sb);
	rec = vol ? ft_inode_find(vol, inode->i_ino) : NULL;
	if (rec)
		ft_inode_remove(rec);
	leave_probe();
}

/* An inode of a super block without a root is the first sign of a new mount. */
static void probe_iget(void *unused, struct inode *inode)
{
	if (atomic_read(&ft_nr_waiting) && !READ_ONCE(inode->i_sb->s_root))
		ft_target_kick();
}

/* === Writing processes ==================================================== */

/* The current task writes to a file; @own pages are dirty by this write alone. */
static void writes(struct ft_inode *rec, const struct inode *inode, int own)
{
	u32 writer = ft_writer_current(rec->vol);

	if (READ_ONCE(rec->writer) != writer)
		ft_inode_written_by(rec, writer,
				    ft_f2fs_dirty_pages(inode) > own);
}

/* A system call is about to write to a page of a file. */
static void probe_write_begin(void *unused, struct inode *inode, loff_t pos,
			      unsigned int len)
{
	struct ft_inode *rec;

	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	rec = ft_inode_find_file(inode->i_sb, inode->i_ino);
	if (rec) {
		writes(rec, inode, 0);
		if (READ_ONCE(rec->awaited))
			ft_inode_dirtied(rec, first_block(pos),
					 end_block(pos + len),
					 !ft_f2fs_dirty_pages(inode));
	}
	leave_probe();
}

/* A page of a mapping has just become writable, unless that failed. */
static void probe_mkwrite(void *unused, FT_MKWRITE_ARGS)
{
	struct inode *host = FT_MKWRITE_INODE;
	struct ft_inode *rec;

	if (FT_MKWRITE_FAILED || !enter_probe(host->i_sb, host->i_ino))
		return;
	rec = ft_inode_find_file(host->i_sb, host->i_ino);
	if (rec) {
		writes(rec, host, 1);
		ft_inode_mapped(rec, FT_MKWRITE_INDEX);
	}
	leave_probe();
}

static void collects(struct super_block *sb, int type, bool begins)
{
	struct ft_volume *vol;

	if (!enter_probe(sb, 0))
		return;
	vol = ft_volume_find(sb);
	if (vol) {
		if (begins)
			WRITE_ONCE(vol->gc_writer, ft_writer_current(vol));
		WRITE_ONCE(vol->gc_foreground, type == FT_F2FS_FG_GC);
	}
	leave_probe();
}

static void probe_gc_begin(void *unused, struct super_block *sb, int gc_type,
			   bool no_bg_gc, unsigned int nr_free_secs,
			   long long dirty_nodes, long long dirty_dents,
			   long long dirty_imeta, unsigned int free_sec,
			   unsigned int free_seg, int reserved_seg,
			   unsigned int prefree_seg)
{
	collects(sb, gc_type, true);
}

static enum ft_victim_policy policy_of(int gc_mode)
{
	switch (gc_mode) {
	case FT_F2FS_GC_GREEDY:
		return FT_POLICY_GREEDY;
	case FT_F2FS_GC_CB:
		return FT_POLICY_COST_BENEFIT;
	case FT_F2FS_GC_AT:
		return FT_POLICY_AGE;
	default:
		return FT_POLICY_UNKNOWN;
	}
}

/* @log: the log that fills the segment's holes, for FT_VICTIM_SSR */
static void chose(struct super_block *sb, const struct victim_sel_policy *p,
		  enum ft_victim_kind kind, int log)
{
	struct ft_victim victim = { .kind = kind };
	struct ft_volume *vol;
	int gc_mode;

	if (!enter_probe(sb, 0))
		return;
	vol = ft_volume_find(sb);
	if (vol) {
		victim.segment = ft_f2fs_victim(p, &victim.segments, &gc_mode);
		victim.policy = policy_of(gc_mode);
		if (kind == FT_VICTIM_SSR)
			ft_log_fills(vol, log, victim.segment);
		ft_gc_chose(vol, &victim);
		ft_trace_victim(vol, &victim);
	}
	leave_probe();
}

/* A collection that begins in the background may become a foreground one. */
static void probe_get_victim(void *unused, struct super_block *sb, int type,
			     int gc_type, struct victim_sel_policy *p,
			     unsigned int pre_victim, unsigned int prefree,
			     unsigned int free)
{
	if (type != FT_F2FS_NO_CHECK_TYPE) {
		chose(sb, p, FT_VICTIM_SSR, type);
		return;
	}
	collects(sb, gc_type, false);
	chose(sb, p, gc_type == FT_F2FS_FG_GC ? FT_VICTIM_FG : FT_VICTIM_BG, -1);
}

/* === Fsyncs (parameter fsync) ============================================= */

static void probe_sync_enter(void *unused, struct inode *inode)
{
	struct ft_volume *vol;

	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	vol = ft_volume_find(inode->i_sb);
	if (vol)
		ft_fsync_begin(vol->fsyncs);
	leave_probe();
}

static void probe_sync_exit(void *unused, struct inode *inode, int cp_reason,
			    int datasync, int ret)
{
	struct ft_volume *vol;

	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	vol = ft_volume_find(inode->i_sb);
	ft_fsync_end(vol ? vol->fsyncs : NULL, cp_reason, ret);
	leave_probe();
}

/* === The table ============================================================ */

/* The build fails if the arguments of a probe differ from those of its event. */
#define PROBE(event, probe)	__PROBE(event, probe)
#define __PROBE(event, probe) {						\
	.name = #event,							\
	.func = (check_trace_callback_type_##event(probe), (void *)(probe)), \
}

/**
 * ft_probe_list() - list all probes
 * @list: room for %FT_MAX_PROBES
 *
 * Return: the number of probes.
 */
unsigned int ft_probe_list(struct ft_probe *list)
{
	const struct ft_probe table[] = {
		PROBE(FT_SUBMIT_WRITE, probe_submit_write),
		PROBE(f2fs_update_read_extent_tree_range, probe_update_extent),
		PROBE(f2fs_map_blocks, probe_map_blocks),
		PROBE(f2fs_direct_IO_exit, probe_direct_exit),
		PROBE(f2fs_truncate_blocks_enter, probe_truncate_enter),
		PROBE(f2fs_truncate_blocks_exit, probe_truncate_exit),
		PROBE(f2fs_fallocate, probe_fallocate),
		PROBE(f2fs_truncate_data_blocks_range, probe_truncate_range),
		PROBE(f2fs_replace_atomic_write_block, probe_replace_atomic),
		PROBE(f2fs_compress_pages_end, probe_compress_end),
		PROBE(f2fs_fiemap, probe_fiemap),
		PROBE(f2fs_new_inode, probe_new_inode),
		PROBE(f2fs_evict_inode, probe_evict_inode),
		PROBE(f2fs_iget, probe_iget),
	};
	const struct ft_probe causes[] = {
		PROBE(f2fs_write_begin, probe_write_begin),
		PROBE(f2fs_vm_page_mkwrite, probe_mkwrite),
		PROBE(f2fs_gc_begin, probe_gc_begin),
		PROBE(f2fs_get_victim, probe_get_victim),
	};
	const struct ft_probe reads[] = {
		PROBE(f2fs_readpages, probe_readpages),
		PROBE(f2fs_readpage, probe_readpage),
	};
	const struct ft_probe heat[] = {
		PROBE(f2fs_submit_read_bio, probe_submit_read),
		PROBE(FT_SUBMIT_BIO, probe_submit_in_place),
	};
	const struct ft_probe fsyncs[] = {
		PROBE(f2fs_sync_file_enter, probe_sync_enter),
		PROBE(f2fs_sync_file_exit, probe_sync_exit),
	};
	unsigned int nr = ARRAY_SIZE(table);

	static_assert(ARRAY_SIZE(table) + ARRAY_SIZE(causes) +
		      ARRAY_SIZE(reads) + ARRAY_SIZE(heat) +
		      ARRAY_SIZE(fsyncs) <= FT_MAX_PROBES);
	memcpy(list, table, sizeof(table));
	if (ft_causes_wanted()) {
		memcpy(list + nr, causes, sizeof(causes));
		nr += ARRAY_SIZE(causes);
	}
	if (ft_heat_wanted() || ft_cgroups_wanted()) {
		memcpy(list + nr, reads, sizeof(reads));
		nr += ARRAY_SIZE(reads);
	}
	if (ft_heat_wanted()) {
		memcpy(list + nr, heat, sizeof(heat));
		nr += ARRAY_SIZE(heat);
	}
	if (ft_fsync_wanted()) {
		memcpy(list + nr, fsyncs, sizeof(fsyncs));
		nr += ARRAY_SIZE(fsyncs);
	}
	return nr;
}

/**
 * ft_probe_stopped() - has F2FS stopped, by a shutdown or an error?
 * @sb: its super block, held
 *
 * From then on F2FS writes no checkpoint, and has dropped what was not written.
 *
 * Context: any.
 * Return: true if so.
 */
bool ft_probe_stopped(const struct super_block *sb)
{
	return ft_f2fs_checkpoint_flags(sb) & CP_ERROR_FLAG;
}

/**
 * ft_probe_has_clusters() - may blocks of this file be compressed?
 * @inode: the file
 *
 * Context: any.
 * Return: true if so.
 */
bool ft_probe_has_clusters(const struct inode *inode)
{
	return has_clusters(inode);
}

/**
 * ft_probe_checkpoint_reason() - why F2FS writes a checkpoint in an fsync
 * @reason: F2FS's number
 *
 * Return: F2FS's own word, without CP_ and in small letters.
 */
const char *ft_probe_checkpoint_reason(unsigned int reason)
{
	static const char * const reasons[] = { FT_F2FS_CP_REASONS };

	return reason < ARRAY_SIZE(reasons) ? reasons[reason] : "unknown";
}
