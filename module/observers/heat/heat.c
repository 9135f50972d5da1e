// SPDX-License-Identifier: GPL-2.0-only
/*
 * Heat: which ranges of a file are read from the volume, and overwritten.
 *
 * In: reads from probes/read.c, and what probe.c translates. Out: counts for each window,
 * a range of a file, for text.c.
 *
 * F2FS does not see what the page cache answers. A read here is what the page cache
 * asks F2FS for after that: a batch of readahead, which is one range, or a single
 * page. Or it is a direct read, which does not use the page cache. F2FS makes one
 * request or more of each: that is what fragmentation costs.
 *
 * Counts lose half of their value in each period. That is done when a window is next
 * used, or read by a user. Counts take part of the memory budget only, and give way
 * before anything else does (room.c).
 */

#include <linux/jiffies.h>
#include <linux/llist.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/base.h"
#include "core/bounds.h"
#include "core/compat.h"
#include "core/extmap.h"
#include "core/memory.h"
#include "observers/heat/heat.h"

bool ft_heat_on;
module_param_named(heat, ft_heat_on, bool, 0444);
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
 * struct chunk - the counts of neighbouring windows
 * @node: in rec->heat, by @index
 * @index: number of its first window, divided by %WINDOWS_PER_CHUNK
 * @period: the period up to which @counts are aged
 * @dropped: of the root of a tree that is in no file any more: in the list of those
 * @counts: by window and enum ft_heat_count. They stay at their maximum, if they get
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
	u32 counts[WINDOWS_PER_CHUNK][FT_NR_HEAT_COUNTS];
};

/*
 * Windows of reads, requests and overwrites that were not counted, because memory was
 * refused, the budget does not allow more, or a read was too long.
 */
static DEFINE_PER_CPU(u64, lost);

/* Files that lost all their counts: memory was short, or too much was cut off at once. */
static atomic64_t nr_dropped = ATOMIC64_INIT(0);

static struct kmem_cache *cache;
static unsigned int window_bits;	/* of blocks */
static u64 period_length;		/* in jiffies */
static u32 last_asked;	/* the period in which room was asked for last */

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
		for (j = 0; j < FT_NR_HEAT_COUNTS; j++)
			c->counts[i][j] = halvings < 32 ?
					  c->counts[i][j] >> halvings : 0;
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

/* The chunk with this index, or NULL. */
static inline struct chunk *find_chunk(const struct ft_inode *rec, u32 index)
{
	struct rb_node *node = rec->heat.rb_node;

	while (node) {
		struct chunk *c = chunk_of(node);

		if (index == c->index)
			return c;
		node = index < c->index ? node->rb_left : node->rb_right;
	}
	return NULL;
}

/* The chunk with this index, a new one if there is none; NULL without memory. */
static struct chunk *get_chunk(struct ft_inode *rec, u32 index, u32 now)
{
	struct rb_node **link = &rec->heat.rb_node, *parent = NULL;
	struct chunk *c;

	while (*link) {
		parent = *link;
		c = chunk_of(parent);
		if (index == c->index) {
			age(c, now);
			return c;
		}
		link = index < c->index ? &parent->rb_left : &parent->rb_right;
	}
	c = new_chunk(index, now);
	if (c) {
		rb_link_node(&c->node, parent, link);
		rb_insert_color(&c->node, &rec->heat);
		WRITE_ONCE(rec->heat_chunks, rec->heat_chunks + 1);
	}
	return c;
}

/* The first chunk from this index on, or NULL. */
static struct chunk *first_from(const struct ft_inode *rec, u32 index)
{
	struct rb_node *node = rec->heat.rb_node;
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
	rb_erase(&c->node, &rec->heat);
	WRITE_ONCE(rec->heat_chunks, rec->heat_chunks - 1);
	free_chunk(c);
}

/* === Dropping ============================================================= */

static LLIST_HEAD(dropped);

static void free_dropped(struct work_struct *work)
{
	struct chunk *root, *next_root, *c, *next;
	struct rb_root tree;

	llist_for_each_entry_safe(root, next_root, llist_del_all(&dropped),
				  dropped) {
		tree.rb_node = &root->node;
		rbtree_postorder_for_each_entry_safe(c, next, &tree, node) {
			free_chunk(c);
			cond_resched();
		}
	}
}

static DECLARE_WORK(dropped_work, free_dropped);

/**
 * ft_heat_drop() - drop the counts of a file, in bounded time
 * @rec: the file; a worker frees the memory
 *
 * Context: atomic, rec->lock held.
 */
void ft_heat_drop(struct ft_inode *rec)
{
	struct chunk *root = chunk_of(rec->heat.rb_node);

	if (!root)
		return;
	rec->heat = RB_ROOT;
	WRITE_ONCE(rec->heat_chunks, 0);
	if (llist_add(&root->dropped, &dropped))
		schedule_work(&dropped_work);
}

/**
 * ft_heat_count_dropped() - count a file that has lost all its counts
 *
 * Context: any.
 */
void ft_heat_count_dropped(void)
{
	atomic64_inc(&nr_dropped);
}

/**
 * ft_heat_flush() - wait until the counts that were dropped have been freed
 *
 * Context: process; may sleep.
 */
void ft_heat_flush(void)
{
	flush_work(&dropped_work);
}

/**
 * ft_heat_bytes() - the memory of the counts of a file
 * @rec: the file
 *
 * Context: any.
 * Return: bytes.
 */
u64 ft_heat_bytes(const struct ft_inode *rec)
{
	return (u64)READ_ONCE(rec->heat_chunks) * sizeof(struct chunk);
}

/**
 * ft_heat_prune() - free the memory of windows that were not used for long
 * @rec: the file
 *
 * Context: process, without locks; the caller holds a reference.
 */
void ft_heat_prune(struct ft_inode *rec)
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

#define HEAT_READ	(BIT(FT_HEAT_READS) | BIT(FT_HEAT_BLOCKS))
#define HEAT_REQUEST	BIT(FT_HEAT_REQUESTS)
#define HEAT_OVERWRITE	BIT(FT_HEAT_OVERWRITES)

static __always_inline u32 *counts_of(struct chunk *c, u32 window)
{
	return c->counts[window % WINDOWS_PER_CHUNK];
}

static __always_inline void increase(u32 *count, u32 by)
{
	u32 sum = *count + by;

	*count = sum < by ? U32_MAX : sum;
}

/* @what has a bit for each of enum ft_heat_count; @blocks are in the window. */
static __always_inline void add_to(struct chunk *c, u32 window, u32 blocks,
				   unsigned int what)
{
	u32 *counts = counts_of(c, window);

	if (what & BIT(FT_HEAT_READS))
		increase(&counts[FT_HEAT_READS], 1);
	if (what & BIT(FT_HEAT_BLOCKS))
		increase(&counts[FT_HEAT_BLOCKS], blocks);
	if (what & BIT(FT_HEAT_REQUESTS))
		increase(&counts[FT_HEAT_REQUESTS], 1);
	if (what & BIT(FT_HEAT_OVERWRITES))
		increase(&counts[FT_HEAT_OVERWRITES], blocks);
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
static noinline void count_in_any(struct ft_inode *rec, u32 first, u32 end,
				  unsigned int what)
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
		if (n && what & BIT(FT_HEAT_READS))
			increase(&counts_of(c, window)[FT_HEAT_CONTINUED], 1);
	}
	this_cpu_add(lost, nr_lost);
}

static __always_inline void count_locked(struct ft_inode *rec, u32 first,
					 u32 end, unsigned int what)
{
	if (unlikely(!count_in_one(rec, first, end, what)))
		count_in_any(rec, first, end, what);
}

static __always_inline void count(struct ft_inode *rec, u32 first, u32 end,
				  unsigned int what)
{
	spin_lock(&rec->lock);
	count_locked(rec, first, end, what);
	spin_unlock(&rec->lock);
}

/**
 * ft_heat_request() - a request for a range goes to the device
 * @rec: the file
 * @first: its first block
 * @end: the block after its last one
 *
 * Context: atomic; RCU read section.
 */
void ft_heat_request(struct ft_inode *rec, u32 first, u32 end)
{
	count(rec, first, end, HEAT_REQUEST);
}

/* Count a request for each run of blocks in a range. */
static noinline void request_runs(struct ft_inode *rec, u32 first, u32 end)
{
	struct ft_extent some[EXTENTS_AT_ONCE];
	unsigned int nr = EXTENTS_AT_ONCE, i, steps;
	u32 from = first;

	for (steps = 0; nr == EXTENTS_AT_ONCE && from < end; steps++) {
		if (steps == FT_MAX_EXTENTS_AT_ONCE / EXTENTS_AT_ONCE) {
			this_cpu_inc(lost);
			break;
		}
		spin_lock(&rec->lock);
		nr = ft_extmap_read(&rec->map, &from, some, EXTENTS_AT_ONCE);
		for (i = 0; i < nr; i++) {
			const struct ft_extent *run = &some[i];

			if (run->lba != FT_LBA_UNWRITTEN)
				count_locked(rec, max(run->lblk, first),
					     min(ft_extent_end(run), end),
					     HEAT_REQUEST);
		}
		spin_unlock(&rec->lock);
	}
}

/* F2FS does not report the requests. Each run of blocks gets one; the map has them. */
static void read_directly(struct ft_inode *rec, u32 first, u32 end)
{
	spin_lock(&rec->lock);
	/* usually one request reads all of it */
	if (likely(ft_extmap_in_one(&rec->map, first, end))) {
		count_locked(rec, first, end, HEAT_READ | HEAT_REQUEST);
		spin_unlock(&rec->lock);
		return;
	}
	count_locked(rec, first, end, HEAT_READ);
	spin_unlock(&rec->lock);
	request_runs(rec, first, end);
}

/**
 * ft_heat_read() - a range is read
 * @rec: the file
 * @first: its first block
 * @end: the block after its last one
 * @direct: directly, not for the page cache
 * @known: unused
 *
 * Context: atomic; RCU read section.
 */
void ft_heat_read(struct ft_inode *rec, u32 first, u32 end, bool direct,
		  bool known)
{
	if (direct)
		read_directly(rec, first, end);
	else
		count(rec, first, end, HEAT_READ);
}

/**
 * ft_heat_overwrite() - blocks are written that were on the volume before
 * @rec: the file
 * @first: the first one
 * @end: the block after the last one
 *
 * Context: atomic; RCU read section.
 */
void ft_heat_overwrite(struct ft_inode *rec, u32 first, u32 end)
{
	count(rec, first, end, HEAT_OVERWRITE);
}

/**
 * ft_heat_written_at() - a direct write is about to write to a run of addresses
 * @rec: the file
 * @ext: the run; those of its blocks that the map has there are overwritten
 * @file_end: the block after the file's last one. Blocks from there on are new: F2FS
 *	allocates before it reports the write, and the map has them already.
 *
 * Context: atomic; RCU read section.
 */
void ft_heat_written_at(struct ft_inode *rec, const struct ft_extent *ext,
			u32 file_end)
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
		ft_heat_overwrite(rec, ext->lblk, end);
}

/**
 * ft_heat_truncate() - a file is cut
 * @rec: the file
 * @end: the block after its last one; windows after it lose their counts
 *
 * If there are too many of them, all windows of the file do; that is counted.
 *
 * Context: atomic; RCU read section.
 */
void ft_heat_truncate(struct ft_inode *rec, u32 end)
{
	u32 window = ((u64)end + BIT(window_bits) - 1) >> window_bits;
	u32 index = window / WINDOWS_PER_CHUNK;
	unsigned int n, in_chunk = window % WINDOWS_PER_CHUNK;
	struct chunk *c;

	spin_lock(&rec->lock);
	if (!window)
		ft_heat_drop(rec);
	c = first_from(rec, index);
	if (in_chunk && c && c->index == index) {
		memset(c->counts[in_chunk], 0, sizeof(c->counts) -
					       in_chunk * sizeof(c->counts[0]));
		c = chunk_of(rb_next(&c->node));
	}
	for (n = 0; c && n < FT_MAX_CHUNKS_AT_ONCE; n++) {
		struct chunk *next = chunk_of(rb_next(&c->node));

		remove_chunk(rec, c);
		c = next;
	}
	if (c) {
		ft_heat_drop(rec);
		ft_heat_count_dropped();
	}
	spin_unlock(&rec->lock);
}

/* === Readers ============================================================== */

/**
 * ft_heat_copy() - copy the counts of some windows of a file
 * @rec: the file
 * @from: number of the first window; that of the next one when this returns
 * @lines: where to
 * @max: how many fit, eight at least
 * @nr: how many were copied; windows without counts are left out
 *
 * Context: process; the caller holds a reference or is in an RCU section.
 * Return: true if there are no more.
 */
bool ft_heat_copy(struct ft_inode *rec, u32 *from, struct ft_heat_line *lines,
		  unsigned int max, unsigned int *nr)
{
	unsigned int n = 0, i, steps = 0;
	u32 now = this_period();
	struct chunk *c;

	spin_lock(&rec->lock);
	c = first_from(rec, *from / WINDOWS_PER_CHUNK);
	while (c && steps++ < CHUNKS_PER_STEP && n + WINDOWS_PER_CHUNK <= max) {
		age(c, now);
		for (i = 0; i < WINDOWS_PER_CHUNK; i++) {
			if (!memchr_inv(c->counts[i], 0, sizeof(c->counts[i])))
				continue;
			lines[n].window = c->index * WINDOWS_PER_CHUNK + i;
			memcpy(lines[n++].counts, c->counts[i],
			       sizeof(c->counts[i]));
		}
		*from = (c->index + 1) * WINDOWS_PER_CHUNK;
		c = chunk_of(rb_next(&c->node));
	}
	spin_unlock(&rec->lock);
	*nr = n;
	return !c;
}

/**
 * ft_heat_window_blocks() - the length of a window
 *
 * Return: in blocks.
 */
u32 ft_heat_window_blocks(void)
{
	return BIT(window_bits);
}

/**
 * ft_heat_period() - after what time counts have lost half of their value
 *
 * Return: in seconds.
 */
u32 ft_heat_period(void)
{
	return div_u64(period_length, HZ);
}

/**
 * ft_heat_show_stats() - print the lines of heat in `stats`
 * @m: the file
 */
void ft_heat_show_stats(struct seq_file *m)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(lost, cpu));
	seq_printf(m, "heat_bytes %ld\n", ft_mem_yielding());
	seq_printf(m, "heat_lost %llu\n", sum);
	seq_printf(m, "heat_dropped %lld\n", atomic64_read(&nr_dropped));
}

/* === Life ================================================================= */

/**
 * ft_heat_init() - check the parameters, prepare to count
 *
 * Return: 0, -EINVAL if a parameter makes no sense, or -ENOMEM.
 */
int ft_heat_init(void)
{
	if (window_kb < 4 || window_kb > 65536 || !is_power_of_2(window_kb)) {
		pr_err("heat_window_kb=%u: a power of 2 from 4 to 65536 expected\n",
		       window_kb);
		return -EINVAL;
	}
	if (!period_secs) {
		pr_err("heat_period_secs=0: 1 or more expected\n");
		return -EINVAL;
	}
	window_bits = ilog2(window_kb) + 10 - FT_BLOCK_BITS;
	period_length = (u64)period_secs * HZ;
	if (!ft_heat_on)
		return 0;
	cache = kmem_cache_create("fragtrace_heat", sizeof(struct chunk), 0,
				  SLAB_NO_MERGE, NULL);
	return cache ? 0 : -ENOMEM;
}

/**
 * ft_heat_exit() - undo ft_heat_init()
 *
 * Context: process; all records are gone.
 */
void ft_heat_exit(void)
{
	flush_work(&dropped_work);
	kmem_cache_destroy(cache);
}
