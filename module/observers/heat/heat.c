// SPDX-License-Identifier: GPL-2.0-only
/*
 * Heat: which ranges of a file are read from the volume, and overwritten.
 *
 * In: reads from probes/read.c; requests, overwrites and truncations. Out: counts for each
 * window, a range of a file, in the file heat of debugfs, by file and offset.
 *
 * F2FS does not see what the page cache answers. A read here is what the page cache
 * asks F2FS for after that: a batch of readahead, which is one range, or a single
 * page. Or it is a direct read, which does not use the page cache. F2FS makes one
 * request or more of each: that is what fragmentation costs.
 *
 * Counts lose half of their value in each period. That is done when a window is next
 * used, or read by a user. Counts take part of the memory budget only, and give way
 * before anything else does: first windows whose counts have become 0, then all counts of
 * the files that have most.
 */

#include <linux/bio.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/llist.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/base.h"
#include "core/bounds.h"
#include "core/compat.h"
#include "core/extmap.h"
#include "core/memory.h"
#include "core/volume.h"
#include "debugfs/lines.h"
#include "maps/inode.h"
#include "observers/observers.h"
#include "probes/probing.h"

static bool on;
module_param_named(heat, on, bool, 0444);
MODULE_PARM_DESC(heat, "count which ranges of files are read (default: off)");

static unsigned int window_kb = 128;
module_param_named(heat_window_kb, window_kb, uint, 0444);
MODULE_PARM_DESC(heat_window_kb, "length of such a range in KiB (default: 128)");

static unsigned int period_secs = 3600;
module_param_named(heat_period_secs, period_secs, uint, 0444);
MODULE_PARM_DESC(heat_period_secs, "seconds in which these counts lose half of their value (default: 3600)");

/* No more windows are added when so many sixteenths of the budget are used. */
#define HEAT_SIXTEENTHS	12

#define WINDOWS_PER_CHUNK	8

/* Extents of a direct read that are counted before the lock is dropped. */
#define EXTENTS_AT_ONCE		8

/* Chunks looked at before the lock is dropped. */
#define CHUNKS_PER_STEP		64

/**
 * enum heat_count - what is counted for each window of a file
 * @HEAT_READS: reads that the page cache, or a direct reader, asked F2FS for
 * @HEAT_BLOCKS: blocks that they asked for
 * @HEAT_REQUESTS: requests that F2FS made of them
 * @HEAT_OVERWRITES: blocks written that were on the volume before
 * @HEAT_CONTINUED: those of the reads that had begun in a window before
 * @NR_COUNTS: how many there are
 */
enum heat_count {
	HEAT_READS,
	HEAT_BLOCKS,
	HEAT_REQUESTS,
	HEAT_OVERWRITES,
	HEAT_CONTINUED,
	NR_COUNTS
};

/**
 * struct line - the counts of a window, for readers
 * @file: for the reader
 * @window: number of the window: its first block, divided by its length
 * @counts: by enum heat_count
 */
struct line {
	u32 file;
	u32 window;
	u32 counts[NR_COUNTS];
};

/**
 * struct chunk - the counts of neighbouring windows
 * @node: in the tree of its file, by @index
 * @index: number of its first window, divided by %WINDOWS_PER_CHUNK
 * @period: the period up to which @counts are aged
 * @dropped: of the root of a tree that is in no file any more: in the list of those
 * @counts: by window and enum heat_count. They stay at their maximum, if they get
 *	there.
 */
struct chunk {
	struct rb_node node;
	union {
		struct {
			u32 index;
			u32 period;
		};
		struct llist_node dropped;
	};
	u32 counts[WINDOWS_PER_CHUNK][NR_COUNTS];
};

/**
 * struct chunks - the counts of a file, protected by the lock of its record
 * @tree: struct chunk; empty when the file is dead
 * @nr: how many; may be read without the lock
 */
struct chunks {
	struct rb_root tree;
	u32 nr;
};

/*
 * Windows of reads, requests and overwrites that were not counted, because memory was
 * refused, the budget does not allow more, or a read was too long.
 */
static atomic64_t lost = ATOMIC64_INIT(0);

/* Files that lost all their counts: memory was short, or too much was cut off at once. */
static atomic64_t nr_dropped = ATOMIC64_INIT(0);

static struct kmem_cache *cache;
static unsigned int window_bits;	/* of blocks */
static u64 period_length;		/* in jiffies */
static u32 last_asked;	/* the period in which room was asked for last */

static __always_inline struct chunks *chunks_of(const struct ft_inode *rec)
{
	return ft_kept(rec, heat);
}

static u32 this_period(void)
{
	return div64_u64(get_jiffies_64(), period_length);
}

/* === Chunks =============================================================== */

static void age(struct chunk *c, u32 now)
{
	u32 halvings = now - c->period;
	unsigned int i, j;

	/* another task may have aged it since @now was looked up */
	if (likely((s32)halvings <= 0))
		return;
	for (i = 0; i < WINDOWS_PER_CHUNK; i++)
		for (j = 0; j < NR_COUNTS; j++)
			c->counts[i][j] = halvings < 32 ? c->counts[i][j] >> halvings : 0;
	c->period = now;
}

static bool is_cold(const struct chunk *c)
{
	return !memchr_inv(c->counts, 0, sizeof(c->counts));
}

/* A chunk that is not in the tree of a file yet; NULL if the budget does not allow it. */
static struct chunk *new_chunk(u32 index, u32 now)
{
	struct chunk *c;

	if (ft_mem_uses_more_than(HEAT_SIXTEENTHS)) {
		/* there may be chunks that have become cold since then */
		if (READ_ONCE(last_asked) != now) {
			WRITE_ONCE(last_asked, now);
			ft_mem_want_room();
		}
		return NULL;
	}
	ft_mem_add_yielding(sizeof(*c));
	c = kmem_cache_zalloc(cache, GFP_NOWAIT | __GFP_NOWARN);
	if (!c) {
		ft_mem_add_yielding(-(long)sizeof(*c));
		return NULL;
	}
	c->index = index;
	c->period = now;
	return c;
}

static void free_chunk(struct chunk *c)
{
	kmem_cache_free(cache, c);
	ft_mem_add_yielding(-(long)sizeof(*c));
}

static struct chunk *chunk_of(struct rb_node *node)
{
	return rb_entry_safe(node, struct chunk, node);
}

static __always_inline int compare_index(const void *index, const struct rb_node *node)
{
	return ft_compare(*(const u32 *)index, rb_entry(node, struct chunk, node)->index);
}

/* The chunk with this index, or NULL. */
static __always_inline struct chunk *find_chunk(const struct ft_inode *rec, u32 index)
{
	return chunk_of(rb_find(&index, &chunks_of(rec)->tree, compare_index));
}

static bool is_before(struct rb_node *a, const struct rb_node *b)
{
	return compare_index(&chunk_of(a)->index, b) < 0;
}

/* The chunk with this index, a new one if there is none; NULL without memory. */
static struct chunk *get_chunk(struct ft_inode *rec, u32 index, u32 now)
{
	struct chunks *chunks = chunks_of(rec);
	struct chunk *c = find_chunk(rec, index);

	if (c) {
		age(c, now);
		return c;
	}
	c = new_chunk(index, now);
	if (c) {
		rb_add(&c->node, &chunks->tree, is_before);
		WRITE_ONCE(chunks->nr, chunks->nr + 1);
	}
	return c;
}

/* The first chunk from this index on, or NULL. */
static struct chunk *first_from(const struct ft_inode *rec, u32 index)
{
	struct rb_node *node = chunks_of(rec)->tree.rb_node;
	struct chunk *found = NULL;

	while (node) {
		struct chunk *c = chunk_of(node);

		if (c->index >= index)
			found = c;
		node = c->index > index ? node->rb_left : node->rb_right;
		if (found && found->index == index)
			break;
	}
	return found;
}

static void remove_chunk(struct ft_inode *rec, struct chunk *c)
{
	struct chunks *chunks = chunks_of(rec);

	rb_erase(&c->node, &chunks->tree);
	WRITE_ONCE(chunks->nr, chunks->nr - 1);
	free_chunk(c);
}

/* === Dropping ============================================================= */

static LLIST_HEAD(dropped);

static void free_dropped(struct work_struct *work)
{
	struct chunk *root, *next_root, *c, *next;
	struct rb_root tree;

	llist_for_each_entry_safe(root, next_root, llist_del_all(&dropped), dropped) {
		tree.rb_node = &root->node;
		rbtree_postorder_for_each_entry_safe(c, next, &tree, node) {
			free_chunk(c);
			cond_resched();
		}
	}
}

static DECLARE_WORK(dropped_work, free_dropped);

/* Drop the counts of a file, in bounded time: a worker frees the memory. rec->lock is held. */
static void drop_counts(struct ft_inode *rec)
{
	struct chunks *chunks = chunks_of(rec);
	struct chunk *root = chunk_of(chunks->tree.rb_node);

	if (!root)
		return;
	chunks->tree = RB_ROOT;
	WRITE_ONCE(chunks->nr, 0);
	if (llist_add(&root->dropped, &dropped))
		schedule_work(&dropped_work);
}

static u64 bytes_of(const struct ft_inode *rec)
{
	return (u64)READ_ONCE(chunks_of(rec)->nr) * sizeof(struct chunk);
}

/* Free the memory of windows that were not used for long. The caller holds a reference. */
static void prune_file(struct ft_inode *rec)
{
	u32 now = this_period(), from = 0;
	struct chunk *c, *next;
	unsigned int n;

	do {
		spin_lock(&rec->lock);
		c = first_from(rec, from);
		for (n = 0; c && n < CHUNKS_PER_STEP; n++, c = next) {
			next = chunk_of(rb_next(&c->node));
			from = c->index + 1;
			age(c, now);
			if (is_cold(c))
				remove_chunk(rec, c);
		}
		spin_unlock(&rec->lock);
		cond_resched();
	} while (c);
}

/* === Counting ============================================================= */

#define A_READ	(BIT(HEAT_READS) | BIT(HEAT_BLOCKS))
#define A_REQUEST	BIT(HEAT_REQUESTS)
#define AN_OVERWRITE	BIT(HEAT_OVERWRITES)

static __always_inline u32 *counts_of(struct chunk *c, u32 window)
{
	return c->counts[window % WINDOWS_PER_CHUNK];
}

static __always_inline void increase(u32 *count, u32 by)
{
	u32 sum = *count + by;

	*count = sum < by ? U32_MAX : sum;
}

/* @what has a bit for each of enum heat_count; @blocks are in the window. */
static __always_inline void add_to(struct chunk *c, u32 window, u32 blocks, unsigned int what)
{
	u32 *counts = counts_of(c, window);

	if (what & BIT(HEAT_READS))
		increase(&counts[HEAT_READS], 1);
	if (what & BIT(HEAT_BLOCKS))
		increase(&counts[HEAT_BLOCKS], blocks);
	if (what & BIT(HEAT_REQUESTS))
		increase(&counts[HEAT_REQUESTS], 1);
	if (what & BIT(HEAT_OVERWRITES))
		increase(&counts[HEAT_OVERWRITES], blocks);
}

/*
 * The most frequent case: a range in one window, whose chunk has counts of this
 * period. Otherwise, and for a file that is not followed, which has no chunks, this
 * returns false.
 */
static __always_inline bool count_in_one(struct ft_inode *rec, u32 first,
					 u32 end, unsigned int what)
{
	u32 window = first >> window_bits;
	struct chunk *c;

	if (first >= end || (end - 1) >> window_bits != window)
		return false;
	c = find_chunk(rec, window / WINDOWS_PER_CHUNK);
	if (!c || c->period != this_period())
		return false;
	add_to(c, window, end - first, what);
	return true;
}

/* Count for each window of a range. */
static noinline void count_in_any(struct ft_inode *rec, u32 first, u32 end, unsigned int what)
{
	u32 window = first >> window_bits, last = (end - 1) >> window_bits;
	u32 now = this_period(), next;
	struct chunk *c = NULL;
	unsigned int n, nr_lost = 0;

	if (first >= end || !ft_inode_followed(rec))
		return;
	if (last - window >= FT_MAX_WINDOWS_AT_ONCE) {
		nr_lost = last - window + 1 - FT_MAX_WINDOWS_AT_ONCE;
		last -= nr_lost;
		end = (last + 1) << window_bits;
	}
	for (n = 0; window <= last; n++, window++, first = next) {
		next = window == last ? end : (window + 1) << window_bits;
		if (!n || window % WINDOWS_PER_CHUNK == 0)
			c = get_chunk(rec, window / WINDOWS_PER_CHUNK, now);
		if (!c) {
			nr_lost++;
			continue;
		}
		add_to(c, window, next - first, what);
		if (n && what & BIT(HEAT_READS))
			increase(&counts_of(c, window)[HEAT_CONTINUED], 1);
	}
	if (nr_lost)
		atomic64_add(nr_lost, &lost);
}

static __always_inline void count_locked(struct ft_inode *rec, u32 first,
					 u32 end, unsigned int what)
{
	if (unlikely(!count_in_one(rec, first, end, what)))
		count_in_any(rec, first, end, what);
}

static __always_inline void count(struct ft_inode *rec, u32 first, u32 end, unsigned int what)
{
	guard(ft_spinlock)(&rec->lock);
	count_locked(rec, first, end, what);
}

/* Count a request for each run of blocks in a range. */
static noinline void request_runs(struct ft_inode *rec, u32 first, u32 end)
{
	struct ft_extent some[EXTENTS_AT_ONCE];
	unsigned int nr = EXTENTS_AT_ONCE, i, steps;
	u32 from = first;

	for (steps = 0; nr == EXTENTS_AT_ONCE && from < end; steps++) {
		if (steps == FT_MAX_EXTENTS_AT_ONCE / EXTENTS_AT_ONCE) {
			atomic64_inc(&lost);
			break;
		}
		guard(ft_spinlock)(&rec->lock);
		nr = ft_extmap_read(&rec->map, &from, some, EXTENTS_AT_ONCE);
		for (i = 0; i < nr; i++) {
			const struct ft_extent *run = &some[i];

			if (run->lba != FT_LBA_UNWRITTEN)
				count_locked(rec, max(run->lblk, first),
					     min(ft_extent_end(run), end), A_REQUEST);
		}
	}
}

/* F2FS does not report the requests. Each run of blocks gets one; the map has them. */
static void read_directly(struct ft_inode *rec, u32 first, u32 end)
{
	spin_lock(&rec->lock);
	/* usually one request reads all of it */
	if (likely(ft_extmap_in_one(&rec->map, first, end))) {
		count_locked(rec, first, end, A_READ | A_REQUEST);
		spin_unlock(&rec->lock);
		return;
	}
	count_locked(rec, first, end, A_READ);
	spin_unlock(&rec->lock);
	request_runs(rec, first, end);
}

/* A range is read, see &struct ft_observer. */
static void count_read(struct ft_inode *rec, u32 first, u32 end, bool direct, bool known)
{
	if (direct)
		read_directly(rec, first, end);
	else
		count(rec, first, end, A_READ);
}

/*
 * A direct write is about to write to a run of addresses: those of its blocks that the map has
 * there are overwritten. Blocks from @file_end on are new: F2FS allocates before it reports
 * the write, and the map has them already.
 */
static void written_at(struct ft_inode *rec, const struct ft_extent *ext, u32 file_end)
{
	u32 from = ext->lblk, end = 0;
	struct ft_extent old;

	spin_lock(&rec->lock);
	/* blocks that are there already are one extent, as they follow each other */
	if (ft_inode_followed(rec) && ft_extmap_read(&rec->map, &from, &old, 1) &&
	    old.lblk <= ext->lblk && old.lba != FT_LBA_UNWRITTEN &&
	    old.lba - old.lblk == ext->lba - ext->lblk)
		end = min3(old.lblk + old.len, ext->lblk + ext->len, file_end);
	spin_unlock(&rec->lock);
	if (end > ext->lblk)
		count(rec, ext->lblk, end, AN_OVERWRITE);
}

/*
 * A file is cut: windows after @end lose their counts. If there are too many of them, all
 * windows of the file do; that is counted.
 */
static void truncate(struct ft_inode *rec, u32 end)
{
	u32 window = ((u64)end + BIT(window_bits) - 1) >> window_bits;
	u32 index = window / WINDOWS_PER_CHUNK;
	unsigned int n, in_chunk = window % WINDOWS_PER_CHUNK;
	struct chunk *c;

	guard(ft_spinlock)(&rec->lock);
	if (!window)
		drop_counts(rec);
	c = first_from(rec, index);
	if (in_chunk && c && c->index == index) {
		memset(c->counts[in_chunk], 0, sizeof(c->counts) - in_chunk * sizeof(c->counts[0]));
		c = chunk_of(rb_next(&c->node));
	}
	for (n = 0; c && n < FT_MAX_CHUNKS_AT_ONCE; n++) {
		struct chunk *next = chunk_of(rb_next(&c->node));

		remove_chunk(rec, c);
		c = next;
	}
	if (c) {
		drop_counts(rec);
		atomic64_inc(&nr_dropped);
	}
}

/* === Probes =============================================================== */

static __always_inline void count_event(const struct super_block *sb, unsigned long ino, u64 first,
					u64 end, unsigned int what)
{
	ft_probe_file_of(rec, sb, ino)
		count(rec, first, min_t(u64, end, FT_LBLK_END), what);
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
static void probe_submit_read(void *unused, struct super_block *sb, int type, struct bio *bio)
{
	const struct bio_vec *first = bio->bi_io_vec, *last;
	struct address_space *mapping;
	u64 from, to;

	if (type != DATA || !bio->bi_vcnt)
		return;
	mapping = page_folio(first->bv_page)->mapping;
	if (!mapping || unlikely(ft_f2fs_has_clusters(mapping->host)))
		return;
	last = &first[bio->bi_vcnt - 1];
	from = index_of(first->bv_page);
	to = last == first ? from : index_of(last->bv_page);
	count_event(sb, mapping->host->i_ino, from,
		    to + 1 + ((last->bv_offset + last->bv_len - 1) >> PAGE_SHIFT), A_REQUEST);
}

/* Is the block of a file there, by its map, which does not know this write yet? */
static noinline bool is_at(const struct super_block *sb, unsigned long ino, u32 lblk, u32 lba)
{
	bool found = false;

	ft_probe_file_of(rec, sb, ino) {
		guard(ft_spinlock)(&rec->lock);
		found = ft_extmap_lba(&rec->map, lblk) == lba;
	}
	return found;
}

/*
 * A block that was on the volume is written elsewhere, by a user. The copy for an atomic write
 * has blocks of its own: they are not the file's before the commit.
 */
static void probe_submit_write(void *unused, FT_PAGE *what, struct f2fs_io_info *fio)
{
	const struct inode *inode = what->mapping->host;

	if (fio->type == DATA && ft_on_volume(fio->old_blkaddr) &&
	    fio->io_type == FS_DATA_IO && !ft_migrates(what) &&
	    likely(!ft_f2fs_has_clusters(inode)) &&
	    (likely(!ft_f2fs_cow_inode(inode)) ||
	     is_at(inode->i_sb, fio->ino, what->index, fio->old_blkaddr)))
		count_event(inode->i_sb, fio->ino, what->index, (u64)what->index + 1, AN_OVERWRITE);
}

/* A block is written where it is. */
static void probe_submit_in_place(void *unused, FT_PAGE *what, struct f2fs_io_info *fio)
{
	const struct inode *inode = what->mapping->host;

	if (fio->type == DATA && fio->op == REQ_OP_WRITE)
		count_event(inode->i_sb, inode->i_ino, what->index,
			    (u64)what->index + 1, AN_OVERWRITE);
}

/* A direct write is about to write to blocks. */
static void probe_map_blocks(void *unused, struct inode *inode,
			     struct f2fs_map_blocks *map, int flag, int ret)
{
	const struct ft_extent ext = {
		.lblk = map->m_lblk,
		.len = map->m_len,
		.lba = map->m_pblk,
	};

	if (!map->m_may_create || ret || map->m_multidev_dio || !map->m_len ||
	    !ft_on_volume(map->m_pblk))
		return;
	ft_probe_file(rec, inode)
		written_at(rec, &ext, ft_end_block(i_size_read(inode)));
}

static void probe_truncate(void *unused, struct inode *inode, u64 from)
{
	ft_probe_file(rec, inode)
		truncate(rec, ft_end_block(from));
}

/* An atomic commit replaces a block. */
static void probe_replace(void *unused, struct inode *inode, struct inode *cow_inode, pgoff_t index,
			  block_t old_addr, block_t new_addr, bool recovery)
{
	if (ft_on_volume(old_addr) && ft_on_volume(new_addr))
		count_event(inode->i_sb, inode->i_ino, index, (u64)index + 1, AN_OVERWRITE);
}

static const struct ft_probe probes[] = {
	FT_PROBE(f2fs_submit_read_bio, probe_submit_read),
	FT_PROBE(FT_SUBMIT_WRITE, probe_submit_write),
	FT_PROBE(FT_SUBMIT_BIO, probe_submit_in_place),
	FT_PROBE(f2fs_map_blocks, probe_map_blocks),
	FT_PROBE(f2fs_truncate_blocks_enter, probe_truncate),
	FT_PROBE(f2fs_replace_atomic_write_block, probe_replace),
	{ }
};

/* === Giving way =========================================================== */

/**
 * struct choice - files whose counts may have to give way
 * @bytes: the largest size so far; then the smallest size of what gives way
 * @dropped: at least one file has lost its counts
 */
struct choice {
	u64 bytes;
	bool dropped;
};

static void find_hottest(struct ft_inode *rec, void *arg)
{
	struct choice *c = arg;

	c->bytes = max(c->bytes, bytes_of(rec));
}

/* A file may have millions of windows: they are not looked at in an RCU section. */
static void prune(struct ft_inode *rec, void *unused)
	__must_hold(RCU)
{
	if (!bytes_of(rec) || !refcount_inc_not_zero(&rec->ref))
		return;
	rcu_read_unlock();
	prune_file(rec);
	ft_inode_put(rec);
	rcu_read_lock();
}

static void drop(struct ft_inode *rec, void *arg)
{
	struct choice *c = arg;
	u64 bytes = bytes_of(rec);

	if (!bytes || bytes < c->bytes)
		return;
	spin_lock(&rec->lock);
	drop_counts(rec);
	spin_unlock(&rec->lock);
	atomic64_inc(&nr_dropped);
	c->dropped = true;
}

/* The counts of the file that has most are dropped, and those of similar files. */
static bool hottest_gives_way(void)
{
	struct choice c = { };

	ft_volume_visit_all(find_hottest, &c);
	c.bytes /= 2;
	ft_volume_visit_all(drop, &c);
	flush_work(&dropped_work);
	return c.dropped;
}

static void drop_hottest(void)
{
	ft_volume_visit_all(prune, NULL);
	while (ft_mem_uses_more_than(13) && hottest_gives_way())
		cond_resched();
}

/* === The text ============================================================= */

/* Windows copied before the lock of the file is dropped. */
#define LINES_PER_STEP	256

/* Copy the counts of a file; windows without any are left out. */
static int copy_file(struct ft_lines *copy, struct ft_inode *rec, u32 file)
{
	u32 now = this_period(), from = 0;
	unsigned int i, end;
	struct line *line;
	struct chunk *c;

	if (!bytes_of(rec))
		return 0;
	do {
		if (ft_vec_make_room(&copy->vec, LINES_PER_STEP, sizeof(*line)))
			return -ENOMEM;
		spin_lock(&rec->lock);
		c = first_from(rec, from);
		for (end = 0; c && end < LINES_PER_STEP; end += WINDOWS_PER_CHUNK) {
			age(c, now);
			for (i = 0; i < WINDOWS_PER_CHUNK; i++) {
				if (!memchr_inv(c->counts[i], 0, sizeof(c->counts[i])))
					continue;
				line = (struct line *)copy->vec.data + copy->vec.nr++;
				line->file = file;
				line->window = c->index * WINDOWS_PER_CHUNK + i;
				memcpy(line->counts, c->counts[i], sizeof(c->counts[i]));
			}
			from = c->index + 1;
			c = chunk_of(rb_next(&c->node));
		}
		spin_unlock(&rec->lock);
		ft_let_writers_go();
	} while (c);
	return 0;
}

static void show_head(struct seq_file *m, const struct ft_lines *lines)
{
	seq_printf(m, "# windows blocks=%lu period_secs=%u\n", BIT(window_bits), period_secs);
}

static void show_line(struct seq_file *m, const struct ft_lines *copy, const void *data)
{
	const struct line *line = data;
	const struct ft_snap_file *f = ft_snap_file(copy->snap, line->file);
	const struct ft_snap_volume *vol = ft_snap_volume(copy->snap, f->volume);

	seq_printf(m, "%u:%u %u %llu %u %u %u %u %u %s\n", vol->major, vol->minor, f->ino,
		   (u64)line->window * BIT(window_bits), line->counts[HEAT_READS],
		   line->counts[HEAT_BLOCKS], line->counts[HEAT_REQUESTS],
		   line->counts[HEAT_OVERWRITES], line->counts[HEAT_CONTINUED],
		   ft_snap_path(copy->snap, f->path));
}

static const struct ft_text text = {
	.name = "heat",
	.version = 2,
	.on = &on,
	.parameter = "heat",
	.columns = "# dev ino offset reads blocks requests overwrites continued path\n",
	.view = FT_VIEW_PATHS,
	.size = sizeof(struct line),
	.each = copy_file,
	.head = show_head,
	.show = show_line,
};

static void show_stats(struct seq_file *m)
{
	seq_printf(m, "heat_bytes %ld\n", ft_mem_yielding());
	seq_printf(m, "heat_lost %lld\n", atomic64_read(&lost));
	seq_printf(m, "heat_dropped %lld\n", atomic64_read(&nr_dropped));
}

/* === Life ================================================================= */

static int init(void)
{
	if (window_kb < FT_BLOCK_SIZE / SZ_1K || window_kb > 65536 || !is_power_of_2(window_kb)) {
		pr_err("heat_window_kb=%u: a power of 2 from %u to 65536 expected\n",
		       window_kb, FT_BLOCK_SIZE / SZ_1K);
		return -EINVAL;
	}
	if (!period_secs) {
		pr_err("heat_period_secs=0: 1 or more expected\n");
		return -EINVAL;
	}
	window_bits = ilog2(window_kb) + 10 - FT_BLOCK_BITS;
	period_length = (u64)period_secs * HZ;
	if (!on)
		return 0;
	cache = kmem_cache_create("fragtrace_heat", sizeof(struct chunk), 0, SLAB_NO_MERGE, NULL);
	return cache ? 0 : -ENOMEM;
}

static void exit_heat(void)
{
	flush_work(&dropped_work);
	kmem_cache_destroy(cache);
}

const struct ft_observer ft_heat = {
	.text = &text,
	.on = &on,
	.init = init,
	.exit = exit_heat,
	.probes = probes,
	.file_size = sizeof(struct chunks),
	.read = count_read,
	.drop = drop_counts,
	.give_way = drop_hottest,
	.show_stats = show_stats,
};
