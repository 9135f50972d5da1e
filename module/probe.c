// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes on F2FS tracepoints: what an event says, in our words.
 *
 * In: tracepoint arguments. Out: calls of event.c with an inode's record and
 * blocks. The only file that sees types private to F2FS.
 */

#include <linux/fs.h>
#include <linux/falloc.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/tracepoint.h>

#include "compat.h"
#include "f2fs_private.h"
#include "event.h"
#include "fragtrace.h"
#include "inode.h"
#include "note.h"
#include "probe.h"
#include "scan.h"
#include "volume.h"

#include <linux/f2fs_fs.h>
#include <trace/events/f2fs.h>

/* === Probes =============================================================== */

#ifdef CONFIG_PREEMPT_RT

/*
 * Records that are found in between stay until the end. False if nothing can be
 * done with the event of this inode: its file becomes stale instead. That does not
 * happen, see compat.h; if it does, "lost" counts it.
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
 * Records that are found in between stay until the end. To keep off preemption
 * makes an RCU read section, too, and costs the least; some kernels have done so
 * already.
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

static void mark_stale(const struct inode *inode)
{
	struct ft_inode *rec;

	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	rec = ft_inode_find_file(inode->i_sb, inode->i_ino);
	if (rec)
		ft_inode_mark_stale(rec);
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
 * Blocks of a cluster are not what their place in the file says: F2FS compresses
 * all of them into some. Any change of such a file has to be looked up.
 */
static bool has_clusters(const struct inode *inode)
{
	return ft_f2fs_flags(inode) & FS_COMPR_FL;
}

/*
 * A block goes to a new place: write-back, fsync, garbage collection, defrag.
 * Runs under the lock of the node page that holds the address, so the events
 * of one block come in the order of its addresses.
 */
static void probe_submit_write(void *unused, FT_PAGE *what,
			       struct f2fs_io_info *fio)
{
	struct inode *inode = what->mapping->host;
	struct ft_inode *rec;

	if (fio->type != DATA)
		return;
	/* not inode->i_ino: GC moves blocks of one inode through another's page */
	if (!enter_probe(inode->i_sb, fio->ino))
		return;
	rec = ft_inode_find_file(inode->i_sb, fio->ino);
	if (rec) {
		ft_count(FT_EVENTS_WRITE);
		if (has_clusters(inode)) {
			ft_inode_mark_stale(rec);
		} else if (ft_f2fs_cow_inode(inode)) {
			ft_inode_write_doubtful(rec, what->index,
						to_lba(fio->old_blkaddr),
						fio->new_blkaddr);
		} else {
			/* arguments that are read behind the call need not be kept */
			ft_inode_lock(rec);
			ft_inode_write(rec, what->index,
				       to_lba(fio->old_blkaddr),
				       fio->new_blkaddr);
			spin_unlock(&rec->lock);
		}
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
 * F2FS keeps its extent cache up to date, under the lock of the node page.
 * Tells of every change, but not for files that have no such cache: compressed
 * ones, and the most fragmented ones, for which F2FS gave it up.
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
	/* the second word about a block, mostly */
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
		ft_scan_lookup_event(vol, inode->i_ino, &ext);
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
		/*
		 * A direct write, which asks for the next hole as well, gets one
		 * run; for preallocation F2FS adds up whatever it allocates.
		 */
		ft_inode_map(rec, &ext, map->m_next_pgofs);
	}
	leave_probe();
}

/*
 * Blocks allocated by direct I/O, or ahead of it in pinned files. Of look-ups,
 * which are many, only those of our own workers matter: others may report what is
 * no longer so.
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
		 * with several devices the address may be one within its device:
		 * ask F2FS.
		 */
		mark_stale(inode);
	} else if (map->m_len && on_volume(map->m_pblk)) {
		/* preallocation that only reserves names no address */
		allocated(inode, map);
	}
}

/*
 * A direct write is over, while the caller holds the inode's lock. How much of it
 * was done @ret does not tell if it goes on in the background.
 */
static void probe_direct_exit(void *unused, struct inode *inode, loff_t offset,
			      unsigned long len, int rw, int ret)
{
	struct ft_inode *rec;

	if (rw != WRITE)
		return;
	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	rec = ft_inode_find_file(inode->i_sb, inode->i_ino);
	if (rec)
		ft_inode_direct_end(rec, end_block(offset + len));
	leave_probe();
}

/*
 * All blocks from an offset on are about to be freed. Nothing can put new ones
 * there meanwhile: the caller holds the inode's locks against writers and GC.
 */
static void probe_truncate_enter(void *unused, struct inode *inode, u64 from)
{
	struct ft_inode *rec;

	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	rec = ft_inode_find_file(inode->i_sb, inode->i_ino);
	if (rec) {
		ft_count(FT_EVENTS_TRUNCATE);
		ft_inode_truncate(rec, end_block(from));
		if (has_clusters(inode))
			ft_inode_mark_stale(rec);
	}
	leave_probe();
}

static void probe_truncate_exit(void *unused, struct inode *inode, int ret)
{
	if (ret)
		mark_stale(inode);
}

/* What has been seen before F2FS did it, see call.c. */
#define SEEN_BEFORE (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_COLLAPSE_RANGE | \
		     FALLOC_FL_ZERO_RANGE | FALLOC_FL_INSERT_RANGE)

/*
 * Comes after the inode lock was dropped, so a change of existing blocks could
 * be replayed in the wrong order: it is looked up instead, if it has not been
 * noticed before it began. Plain preallocation moves no written block.
 * Compressed files are looked up after every change, and after an error only some
 * of the range may have been preallocated.
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
			ft_inode_mark_stale(rec);
	}
	leave_probe();
}

/*
 * Blocks of one node were freed, and the lock of its page is still held. That is
 * how an atomic commit begins to put a block in place, before the event of the
 * commit. Which block it is cannot be told; of other files it need not be.
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
 * An atomic commit has moved a block from its copy-on-write inode to the file. The
 * lock of the node page has been dropped since.
 */
static void probe_replace_atomic(void *unused, struct inode *inode,
				 struct inode *cow_inode, pgoff_t index,
				 block_t old_addr, block_t new_addr,
				 bool recovery)
{
	struct ft_inode *rec;

	if (!on_volume(new_addr)) {
		mark_stale(inode);
		return;
	}
	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	rec = ft_inode_find_file(inode->i_sb, inode->i_ino);
	if (rec) {
		ft_count(FT_EVENTS_ATOMIC);
		ft_inode_commit(rec, index, new_addr);
	}
	leave_probe();
}

/* A cluster is about to be written compressed: where, FIEMAP has to tell. */
static void probe_compress_end(void *unused, struct inode *inode,
			       pgoff_t cluster_idx,
			       unsigned int compressed_size, int ret)
{
	ft_count(FT_EVENTS_COMPRESS);
	mark_stale(inode);
}

static void probe_fiemap(void *unused, struct inode *inode, sector_t logical,
			 sector_t physical, unsigned long long len,
			 unsigned int flags, int ret)
{
	struct ft_volume *vol;

	/* asked for by a user */
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
 * A new inode has no blocks yet: followed from here on it is exact without a
 * scan. Its name comes later; without one in a watched directory it is dropped.
 */
static void probe_new_inode(void *unused, struct inode *inode, int ret)
{
	struct ft_volume *vol;

	if (ret || !S_ISREG(inode->i_mode))
		return;
	if (!enter_probe(inode->i_sb, inode->i_ino))
		return;
	vol = ft_volume_find(inode->i_sb);
	if (vol)
		ft_inode_create(vol, inode->i_ino, false, false,
				GFP_NOWAIT | __GFP_NOWARN);
	leave_probe();
}

/* An inode leaves memory; if it has no name left, it leaves the volume. */
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

/* A super block without a root yet is the first sign of a new mount. */
static void probe_iget(void *unused, struct inode *inode)
{
	if (atomic_read(&ft_nr_waiting) && !READ_ONCE(inode->i_sb->s_root))
		ft_target_kick();
}

/* === The table ============================================================ */

/* A probe whose arguments are not those of its event is a build error here. */
#define PROBE(event, probe)	__PROBE(event, probe)
#define __PROBE(event, probe) {						\
	.name = #event,							\
	.func = (check_trace_callback_type_##event(probe), (void *)(probe)), \
}

/**
 * ft_probe_list() - list all probes
 * @list: room for %FT_MAX_PROBES
 *
 * Return: how many there are.
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

	static_assert(ARRAY_SIZE(table) <= FT_MAX_PROBES);
	memcpy(list, table, sizeof(table));
	return ARRAY_SIZE(table);
}

/**
 * ft_probe_stopped() - has F2FS stopped, by a shutdown or an error?
 * @sb: its super block, held
 *
 * F2FS writes no checkpoint from then on, and has dropped what it had not written.
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
