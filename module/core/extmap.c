// SPDX-License-Identifier: GPL-2.0-only
/*
 * The extent map of one file, a B+-tree made for it.
 *
 * In: ranges stored, reserved and erased by maps/event.c and maps/rebuild.c, and the causes
 * of breaks from there and causes/breaks.c. Out: extents, looked up by file block or walked
 * in order.
 *
 * The map divides all file blocks into ranges, holes included. An entry has the
 * first block of a range, and what it is; the range ends where the next one begins.
 * For a written range the entry has no LBA, but the distance from file block to LBA
 * (mod 2^32), which is the same for each block of the extent:
 *
 *	blocks 10..19 at LBA 110..119	-> entry 10: distance 100
 *	blocks 20..24 at LBA 120..124	-> distance 100 too, the same entry
 *	blocks 25..29 at LBA 300..304	-> entry 25: distance 275
 *	nothing from block 30 on	-> entry 30: a hole
 *
 * So an overwrite in the middle of an extent changes nothing in the two remaining
 * parts; the next block of a run only moves the beginning of the next entry; and two
 * neighbours are one extent exactly if they are the same.
 *
 * An entry takes 8 bytes. A file with a handful of them has one leaf that grows;
 * a larger one has a tree of nodes of NODE_BYTES. The tree keeps these rules:
 *
 *   - a leaf begins with an entry of the block that its key names
 *   - neighbouring entries differ, also across leaves
 *   - a full leaf first gives entries to a neighbour that has room, so that
 *     leaves are well filled in any order of writes; a leaf that is
 *     appended to stays full when it is split
 *   - nodes are allocated before anything is changed
 *
 * The cause of an extent stands beside its entry, and goes where the entry goes. A leaf has
 * an array for causes only if its extents do not all have the same one. If there is no
 * memory for the array, the causes of this leaf are lost, and no extent.
 *
 * The caller makes sure that nothing else uses the map meanwhile. Memory is
 * allocated without sleeping.
 */

#include <linux/build_bug.h>
#include <linux/gfp.h>
#include <linux/llist.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "core/compat.h"
#include "core/extmap.h"
#include "format/cause.h"

/* === Nodes ================================================================ */

#define FIRST_BYTES	64		/* of the first leaf outside the struct */
#ifndef NODE_BYTES		/* extmap_test.c has small ones, for high trees */
#define NODE_BYTES	512
#endif
#ifndef no_memory		/* it also refuses memory */
#define no_memory()	false
#endif
#ifndef count_lost		/* it counts the leaves that lose their causes itself */
#include "core/base.h"
#define count_lost()	ft_count(FT_CAUSES_LOST)
#endif
#ifndef count_steps		/* and counts the nodes and extents that are read */
#define count_steps(nr)	((void)(nr))
#endif

#define LEAF_ROOM	((NODE_BYTES - sizeof(struct ft_leaf)) / sizeof(u64))
#define BRANCH_ROOM	((NODE_BYTES - 8) / (sizeof(u32) + sizeof(void *)))

/**
 * struct branch - an inner node
 * @nr: number of children, at least 1
 * @level: 1 if they are leaves, otherwise one more than their level
 * @key: first file block of each child
 * @dropped: in the list of trees to be freed
 * @child: leaves or branches
 */
struct branch {
	u16 nr;
	u16 level;
	union {
		u32 key[BRANCH_ROOM];
		struct llist_node dropped;
	};
	void *child[BRANCH_ROOM];
};

/* the only leaf grows from FIRST_BYTES to NODE_BYTES by doubling */
static_assert(NODE_BYTES % (2 * FIRST_BYTES) == 0);
static_assert(sizeof(struct branch) <= NODE_BYTES);
/* also where pointers have 32 bits: then a leaf is as large as its memory */
static_assert(sizeof(struct ft_leaf) == 2 * sizeof(u64));

/* Far more than the sparsest tree of 2^30 blocks needs. */
#define MAX_HEIGHT	16

static struct kmem_cache *cache;

static void *alloc_node(struct ft_extmap *map, size_t bytes)
{
	const gfp_t gfp = GFP_NOWAIT | __GFP_NOWARN;
	void *node = NULL;

	if (!no_memory())
		node = bytes == NODE_BYTES ? kmem_cache_alloc(cache, gfp) : kmalloc(bytes, gfp);
	if (node)
		map->bytes += bytes;
	return node;
}

static void free_node(struct ft_extmap *map, void *node, size_t bytes)
{
	count_steps(1);
	if (bytes == NODE_BYTES)
		kmem_cache_free(cache, node);
	else
		kfree(node);
	map->bytes -= bytes;
}

static size_t leaf_bytes(const struct ft_leaf *leaf)
{
	return struct_size(leaf, entry, leaf->room);
}

static struct ft_leaf *few_of(struct ft_extmap *map)
{
	return (struct ft_leaf *)map->few;
}

static void init_leaf(struct ft_leaf *leaf, size_t bytes, u32 cause)
{
	leaf->nr = 0;
	leaf->room = (bytes - sizeof(*leaf)) / sizeof(u64);
	leaf->cause = cause;
	leaf->causes = NULL;
}

/* === Entries ============================================================== */

#define START_SHIFT	FT_START_SHIFT
#define WHAT_MASK	FT_WHAT_MASK

#define HOLE		0
#define WRITTEN		FT_WRITTEN
#define UNWRITTEN	FT_UNWRITTEN
#define ENCODED		(WRITTEN | UNWRITTEN)	/* a third kind, written as well */
#define KIND_MASK	(WRITTEN | UNWRITTEN)
#define HAS_LBA		WRITTEN

static u64 make_entry(u32 start, u64 what)
{
	return (u64)start << START_SHIFT | what;
}

static u32 start_of(u64 entry)
{
	return entry >> START_SHIFT;
}

static u64 what_of(u64 entry)
{
	return entry & WHAT_MASK;
}

static bool is_extent(u64 entry)
{
	return what_of(entry) != HOLE;
}

static u64 encode(const struct ft_extent *ext)
{
	if (ext->lba == FT_LBA_UNWRITTEN)
		return UNWRITTEN;
	return (ext->encoded ? ENCODED : WRITTEN) | (u32)(ext->lba - ext->lblk);
}

static u32 count_extents(const u64 *entry, unsigned int nr)
{
	u32 count = 0;

	while (nr--)
		count += is_extent(*entry++);
	return count;
}

/* === Causes =============================================================== */

/* Holes have causes, too, which mean nothing. */
static u32 cause_of(const struct ft_leaf *leaf, unsigned int i)
{
	return leaf->causes ? leaf->causes[i] : leaf->cause;
}

/* A cause takes half of what an entry takes. */
static size_t causes_bytes(const struct ft_leaf *leaf)
{
	return leaf_bytes(leaf) / 2;
}

static void free_causes(struct ft_extmap *map, struct ft_leaf *leaf)
{
	if (leaf->causes)
		free_node(map, leaf->causes, causes_bytes(leaf));
	leaf->causes = NULL;
}

static void free_leaf(struct ft_extmap *map, struct ft_leaf *leaf)
{
	free_causes(map, leaf);
	if (leaf != few_of(map))
		free_node(map, leaf, leaf_bytes(leaf));
}

/* False if there is no memory: all causes of the leaf are lost. */
static bool make_array(struct ft_extmap *map, struct ft_leaf *leaf)
{
	if (leaf->causes)
		return true;
	leaf->causes = alloc_node(map, causes_bytes(leaf));
	if (leaf->causes) {
		memset32(leaf->causes, leaf->cause, leaf->room);
		return true;
	}
	leaf->cause = FT_CAUSE_UNKNOWN;
	count_lost();
	return false;
}

/* The cause of the extent at an entry, or, if that is a hole, of the one beside it. */
static u32 cause_near(const struct ft_leaf *leaf, unsigned int i)
{
	if (!is_extent(leaf->entry[i]))
		i = i ? i - 1 : leaf->nr > 1;
	return cause_of(leaf, i);
}

/* Move all entries from @from on to @to, in the same leaf. */
static __always_inline void move_entries(struct ft_leaf *leaf, unsigned int to, unsigned int from)
{
	unsigned int nr = leaf->nr - from;

	memmove(&leaf->entry[to], &leaf->entry[from], nr * sizeof(u64));
	if (leaf->causes)
		memmove(&leaf->causes[to], &leaf->causes[from], nr * sizeof(u32));
	leaf->nr = to + nr;
}

/* Copy entries to another leaf, which has room for them. */
static void copy_entries(struct ft_extmap *map, struct ft_leaf *to, unsigned int at,
			 const struct ft_leaf *from, unsigned int first, unsigned int nr)
{
	bool differ = to->causes;
	unsigned int i;

	memcpy(&to->entry[at], &from->entry[first], nr * sizeof(u64));
	for (i = first; i < first + nr && !differ; i++)
		differ = is_extent(from->entry[i]) && cause_of(from, i) != to->cause;
	if (!differ || !make_array(map, to))
		return;
	for (i = 0; i < nr; i++)
		to->causes[at + i] = cause_of(from, first + i);
}

/* === Finding ============================================================== */

/*
 * The index of the entry that holds a block; the block is in the leaf. The search
 * begins with the first or the last 2^n entries, which may overlap. So each step
 * halves the rest without counting it.
 */
static __always_inline unsigned int find_entry(const struct ft_leaf *leaf, u32 lblk)
{
	unsigned int half = rounddown_pow_of_two(leaf->nr);
	unsigned int first = leaf->nr - half;
	u64 key = make_entry(lblk, WHAT_MASK);

	if (leaf->entry[first] > key)
		first = 0;
	while (half >>= 1)
		if (leaf->entry[first + half] <= key)
			first += half;
	return first;
}

static __always_inline unsigned int find_child(const struct branch *b, u32 lblk)
{
	unsigned int half = rounddown_pow_of_two(b->nr);
	unsigned int first = b->nr - half;

	if (b->key[first] > lblk)
		first = 0;
	while (half >>= 1)
		if (b->key[first + half] <= lblk)
			first += half;
	return first;
}

/**
 * struct tree_path - the path from the root to a leaf
 * @node: the branch of each level, from 1 to the tree's height
 * @at: the index of the child in it
 * @leaf: the leaf
 * @hi: its end, exclusive
 */
struct tree_path {
	struct branch *node[MAX_HEIGHT + 1];
	unsigned int at[MAX_HEIGHT + 1];
	struct ft_leaf *leaf;
	u32 hi;
};

static void find_path(struct ft_extmap *map, u32 lblk, struct tree_path *path)
{
	void *node = map->root;
	unsigned int level, i;

	count_steps(1 + map->height);
	path->hi = FT_LBLK_END;
	for (level = map->height; level; level--) {
		struct branch *b = node;

		i = find_child(b, lblk);
		path->node[level] = b;
		path->at[level] = i;
		if (i + 1 < b->nr)
			path->hi = b->key[i + 1];
		node = b->child[i];
	}
	path->leaf = node;
}

static void descend(struct ft_extmap *map, struct ft_finger *f, u32 lblk)
{
	unsigned int level, i;
	void *node = map->root;

	count_steps(1 + map->height);
	f->lo = 0;
	f->hi = FT_LBLK_END;
	for (level = map->height; level; level--) {
		struct branch *b = node;

		i = find_child(b, lblk);
		f->lo = b->key[i];
		if (i + 1 < b->nr)
			f->hi = b->key[i + 1];
		node = b->child[i];
	}
	f->leaf = node;
	f->at = find_entry(f->leaf, lblk);
	f->spare = 0;
}

/* To be called when the tree above or around the finger's leaf has changed. */
static void lift_finger(struct ft_extmap *map)
{
	map->finger.lo = 0;
	map->finger.hi = 0;
	map->finger.spare = 0;
}

static u32 end_of(const struct ft_finger *f, unsigned int i)
{
	return i + 1 < f->leaf->nr ? start_of(f->leaf->entry[i + 1]) : f->hi;
}

/* The extent at a finger. */
static void decode(const struct ft_finger *f, struct ft_extent *ext)
{
	u64 entry = f->leaf->entry[f->at], kind = entry & KIND_MASK;

	ext->lblk = start_of(entry);
	ext->len = end_of(f, f->at) - ext->lblk;
	ext->lba = kind == UNWRITTEN ? FT_LBA_UNWRITTEN : (u32)entry + ext->lblk;
	ext->cause = cause_of(f->leaf, f->at);
	ext->encoded = kind == ENCODED;
}

static void seek_in_leaf(struct ft_finger *f, u32 lblk)
{
	unsigned int at = f->at;

	f->spare = 0;
	if (lblk >= start_of(f->leaf->entry[at])) {
		if (lblk < end_of(f, at + 1)) {
			f->at = at + 1;
			return;
		}
	} else if (lblk >= start_of(f->leaf->entry[at - 1])) {
		f->at = at - 1;
		return;
	}
	f->at = find_entry(f->leaf, lblk);
}

/* Move the finger to the entry of a block: usually the same or the next one. */
static inline void seek(struct ft_extmap *map, struct ft_finger *f, u32 lblk)
{
	if (lblk - f->lo >= f->hi - f->lo)
		descend(map, f, lblk);
	else if (lblk < start_of(f->leaf->entry[f->at]) || lblk >= end_of(f, f->at))
		seek_in_leaf(f, lblk);
}

/* === Making room ========================================================== */

/* Move the only leaf to a larger node. */
static int grow_leaf(struct ft_extmap *map)
{
	struct ft_leaf *old = map->root, *leaf;
	size_t bytes = old == few_of(map) ? FIRST_BYTES : 2 * leaf_bytes(old);

	leaf = alloc_node(map, bytes);
	if (!leaf)
		return -ENOMEM;
	init_leaf(leaf, bytes, old->cause);
	copy_entries(map, leaf, 0, old, 0, old->nr);
	leaf->nr = old->nr;
	free_leaf(map, old);
	map->root = leaf;
	lift_finger(map);
	return 0;
}

/* How many entries to move to a neighbour; 0 if it has too little room for that. */
static unsigned int spare_room(const struct ft_leaf *leaf)
{
	unsigned int spare = LEAF_ROOM - leaf->nr;

	return spare >= LEAF_ROOM / 8 + 3 ? spare / 2 : 0;
}

/* Give entries of a full leaf to a neighbour below the same branch. */
static bool share(struct ft_extmap *map, struct tree_path *path)
{
	struct branch *b = path->node[1];
	unsigned int at = path->at[1], nr;
	struct ft_leaf *leaf = path->leaf, *to;

	if (at + 1 < b->nr) {
		to = b->child[at + 1];
		nr = spare_room(to);
		if (nr) {
			move_entries(to, nr, 0);
			leaf->nr -= nr;
			copy_entries(map, to, 0, leaf, leaf->nr, nr);
			b->key[at + 1] = start_of(to->entry[0]);
			return true;
		}
	}
	if (at > 0) {
		to = b->child[at - 1];
		nr = spare_room(to);
		if (nr) {
			copy_entries(map, to, to->nr, leaf, 0, nr);
			to->nr += nr;
			move_entries(leaf, 0, nr);
			b->key[at] = start_of(leaf->entry[0]);
			return true;
		}
	}
	return false;
}

static void insert_child(struct branch *b, unsigned int at, u32 key, void *child)
{
	memmove(&b->key[at + 1], &b->key[at], (b->nr - at) * sizeof(b->key[0]));
	memmove(&b->child[at + 1], &b->child[at], (b->nr - at) * sizeof(b->child[0]));
	b->key[at] = key;
	b->child[at] = child;
	b->nr++;
}

static void remove_child(struct branch *b, unsigned int at)
{
	b->nr--;
	memmove(&b->key[at], &b->key[at + 1], (b->nr - at) * sizeof(b->key[0]));
	memmove(&b->child[at], &b->child[at + 1], (b->nr - at) * sizeof(b->child[0]));
}

/* How many nodes a split of this leaf takes. */
static unsigned int nodes_to_split(struct ft_extmap *map, struct tree_path *path)
{
	unsigned int level, nr = 2;	/* a leaf, and a root */

	for (level = 1; level <= map->height; level++) {
		if (path->node[level]->nr < BRANCH_ROOM)
			return nr - 1;
		nr++;
	}
	return nr;
}

/* Add a new child after the path; split the branches that are full. */
static void add_child(struct ft_extmap *map, struct tree_path *path, u32 key,
		      void *child, void **spare)
{
	struct branch *b, *right;
	unsigned int level, at, keep;

	for (level = 1; level <= map->height; level++) {
		b = path->node[level];
		at = path->at[level] + 1;
		if (b->nr < BRANCH_ROOM) {
			insert_child(b, at, key, child);
			return;
		}
		/* appending leaves full nodes */
		keep = at == b->nr ? at - 1 : b->nr / 2;
		right = *spare++;
		right->nr = b->nr - keep;
		right->level = level;
		memcpy(right->key, &b->key[keep], right->nr * sizeof(b->key[0]));
		memcpy(right->child, &b->child[keep], right->nr * sizeof(b->child[0]));
		b->nr = keep;
		if (at <= keep)
			insert_child(b, at, key, child);
		else
			insert_child(right, at - keep, key, child);
		key = right->key[0];
		child = right;
	}
	b = *spare;
	b->nr = 2;
	b->level = ++map->height;
	b->key[0] = 0;
	b->child[0] = map->root;
	b->key[1] = key;
	b->child[1] = child;
	map->root = b;
}

static int split(struct ft_extmap *map, struct tree_path *path, u32 lblk)
{
	unsigned int nr = nodes_to_split(map, path), i, keep;
	struct ft_leaf *leaf = path->leaf, *right;
	void *spare[MAX_HEIGHT + 2];

	if (nr > map->height + 1 && map->height == MAX_HEIGHT)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		spare[i] = alloc_node(map, NODE_BYTES);
		if (!spare[i]) {
			while (i--)
				free_node(map, spare[i], NODE_BYTES);
			return -ENOMEM;
		}
	}
	/* appending leaves full nodes */
	keep = leaf->nr - 1;
	if (find_entry(leaf, lblk) < keep)
		keep = leaf->nr / 2;
	right = spare[0];
	init_leaf(right, NODE_BYTES, cause_near(leaf, keep));
	copy_entries(map, right, 0, leaf, keep, leaf->nr - keep);
	right->nr = leaf->nr - keep;
	leaf->nr = keep;
	add_child(map, path, start_of(right->entry[0]), right, spare + 1);
	return 0;
}

/* Make room in the leaf that holds a block, which is full. */
static int make_room(struct ft_extmap *map, u32 lblk)
{
	struct tree_path path;
	int err = 0;

	if (!map->height && ((struct ft_leaf *)map->root)->room < LEAF_ROOM)
		return grow_leaf(map);
	find_path(map, lblk, &path);
	if (!map->height || !share(map, &path))
		err = split(map, &path, lblk);
	if (!err)
		lift_finger(map);
	return err;
}

/* === Giving memory back =================================================== */

/* Merge two neighbours if some room is left then. */
static bool merge(struct ft_extmap *map, struct branch *b, unsigned int at)
{
	struct branch *to, *from;
	struct ft_leaf *left, *right;

	if (b->level == 1) {
		left = b->child[at];
		right = b->child[at + 1];
		if (left->nr + right->nr > LEAF_ROOM * 3 / 4)
			return false;
		copy_entries(map, left, left->nr, right, 0, right->nr);
		left->nr += right->nr;
		free_causes(map, right);
	} else {
		to = b->child[at];
		from = b->child[at + 1];
		if (to->nr + from->nr > BRANCH_ROOM * 3 / 4)
			return false;
		memcpy(&to->key[to->nr], from->key, from->nr * sizeof(from->key[0]));
		memcpy(&to->child[to->nr], from->child, from->nr * sizeof(from->child[0]));
		to->nr += from->nr;
	}
	free_node(map, b->child[at + 1], NODE_BYTES);
	remove_child(b, at + 1);
	return true;
}

/* After entries were removed: merge nodes on the path to a block if possible. */
static void tidy(struct ft_extmap *map, u32 lblk)
{
	struct ft_leaf *leaf;
	struct tree_path path;
	unsigned int level;

	find_path(map, lblk, &path);
	for (level = 1; level <= map->height; level++) {
		struct branch *b = path.node[level];
		unsigned int at = path.at[level];

		if (at + 1 == b->nr || !merge(map, b, at))
			if (at > 0)
				merge(map, b, at - 1);
	}
	while (map->height && ((struct branch *)map->root)->nr == 1) {
		struct branch *b = map->root;

		map->root = b->child[0];
		free_node(map, b, NODE_BYTES);
		map->height--;
	}
	leaf = map->root;
	if (!map->height && leaf != few_of(map) && leaf->nr <= FT_FEW_ENTRIES) {
		init_leaf(few_of(map), sizeof(map->few), cause_near(leaf, 0));
		copy_entries(map, few_of(map), 0, leaf, 0, leaf->nr);
		few_of(map)->nr = leaf->nr;
		map->root = few_of(map);
		free_leaf(map, leaf);
	}
	lift_finger(map);
}

/* A child has a new first block: set its key, and those of branches it begins. */
static void set_key(struct ft_extmap *map, struct tree_path *path, unsigned int level, u32 key)
{
	for (; level <= map->height; level++) {
		path->node[level]->key[path->at[level]] = key;
		if (path->at[level])
			break;
	}
}

/* Remove a leaf, which is not the first one, and each branch that is empty then. */
static void remove_leaf(struct ft_extmap *map, struct tree_path *path)
{
	unsigned int level = 1;

	map->nr -= count_extents(path->leaf->entry, path->leaf->nr);
	free_leaf(map, path->leaf);
	remove_child(path->node[1], path->at[1]);
	while (!path->node[level]->nr) {
		free_node(map, path->node[level], NODE_BYTES);
		level++;
		remove_child(path->node[level], path->at[level]);
	}
	if (!path->at[level])
		set_key(map, path, level + 1, path->node[level]->key[0]);
}

/* Remove whole leaves from @begin on, and the beginning of the leaf of @end. */
static void remove_leaves(struct ft_extmap *map, u32 begin, u32 end)
{
	struct tree_path path;
	unsigned int nr;

	while (begin < end) {
		struct ft_leaf *leaf;

		find_path(map, begin, &path);
		leaf = path.leaf;
		begin = path.hi;
		if (path.hi <= end) {
			remove_leaf(map, &path);
			continue;
		}
		nr = find_entry(leaf, end);
		map->nr -= count_extents(leaf->entry, nr);
		move_entries(leaf, 0, nr);
		leaf->entry[0] = make_entry(end, what_of(leaf->entry[0]));
		set_key(map, &path, 1, end);
	}
}

/* Are there too many leaves from @begin, where one begins, to @end to remove? */
static bool too_many_leaves(struct ft_extmap *map, u32 begin, u32 end)
{
	struct tree_path path;
	unsigned int nr;

	for (nr = 0; begin < end; nr++) {
		if (nr == FT_MAX_LEAVES_AT_ONCE)
			return true;
		find_path(map, begin, &path);
		begin = path.hi;
	}
	return false;
}

/* === Changing ranges ====================================================== */

/* Store the next block of a run: only the next entry changes, it begins later. */
static bool continue_run(struct ft_extmap *map, u32 start, u32 end, u64 what)
{
	struct ft_finger *f = &map->finger;
	u64 *entry = &f->leaf->entry[f->at];

	if (!f->at || what_of(entry[-1]) != what ||
	    start_of(*entry) != start || end >= end_of(f, f->at))
		return false;
	*entry += make_entry(end - start, 0);
	f->at--;
	return true;
}

/* The entry of the block before a range; the finger is where the range begins. */
static u64 entry_before(struct ft_extmap *map, u32 start)
{
	struct ft_finger *f = &map->finger;
	u64 entry = f->leaf->entry[f->at];

	if (start_of(entry) < start)
		return entry;
	if (f->at)
		return f->leaf->entry[f->at - 1];
	seek(map, f, start - 1);
	entry = f->leaf->entry[f->at];
	seek(map, f, start);
	return entry;
}

/* Extend a range, where the finger is, over equal neighbours. */
static void widen(struct ft_extmap *map, u32 *start, u32 *end, u64 what)
{
	struct ft_finger *f = &map->finger;
	u32 hi = end_of(f, f->at);
	u64 before;

	if (*start) {
		before = entry_before(map, *start);
		if (what_of(before) == what)
			*start = start_of(before);
	}
	/* store_range() has made sure that an entry beyond the range differs */
	if (*end < hi || *end == FT_LBLK_END)
		return;
	if (*end > hi || f->at + 1 == f->leaf->nr) {
		seek(map, f, *end);
		if (what_of(f->leaf->entry[f->at]) == what)
			*end = end_of(f, f->at);
	} else if (what_of(f->leaf->entry[f->at + 1]) == what) {
		*end = end_of(f, f->at + 1);
	}
}

/*
 * Replace entries within a leaf, from @from (inclusive) to @to (exclusive).
 * If the last one extends beyond @end, its tail stays, and keeps its cause.
 */
static void replace(struct ft_extmap *map, unsigned int from, unsigned int to,
		    u32 start, u32 end, u64 what)
{
	struct ft_leaf *leaf = map->finger.leaf;
	u64 tail = make_entry(end, what_of(leaf->entry[to - 1]));
	u32 cause = cause_of(leaf, to - 1);
	bool has_tail = end < end_of(&map->finger, to - 1);
	unsigned int nr = 1 + has_tail;

	if (to > from)
		map->nr -= count_extents(&leaf->entry[from], to - from);
	if (from + nr != to)
		move_entries(leaf, from + nr, to);
	leaf->entry[from] = make_entry(start, what);
	map->nr += is_extent(what);
	if (has_tail) {
		leaf->entry[from + 1] = tail;
		map->nr += is_extent(tail);
		if (leaf->causes)
			leaf->causes[from + 1] = cause;
	}
	map->finger.at = from;
}

/* Replace all entries from @from to the end of the leaf, and all before @end. */
static void replace_beyond(struct ft_extmap *map, unsigned int from, u32 start, u32 end, u64 what)
{
	struct ft_leaf *leaf = map->finger.leaf;
	u32 hi = map->finger.hi;

	map->nr -= count_extents(&leaf->entry[from], leaf->nr - from);
	leaf->entry[from] = make_entry(start, what);
	leaf->nr = from + 1;
	map->nr += is_extent(what);
	remove_leaves(map, hi, end);
	lift_finger(map);
}

/*
 * Change all or a part of the entry that the finger points to, if no neighbour
 * becomes equal: the usual case of a random write.
 */
static bool replace_in_one(struct ft_extmap *map, u32 start, u32 end, u64 what)
{
	struct ft_finger *f = &map->finger;
	struct ft_leaf *leaf = f->leaf;
	u64 *entry = &leaf->entry[f->at], old = *entry;
	u32 hi = end_of(f, f->at);
	bool head = start_of(old) < start, tail = end < hi;
	unsigned int more = head + tail, after = leaf->nr - f->at - 1;

	if (end > hi || leaf->nr + more > leaf->room)
		return false;
	if (!head && (!f->at || what_of(entry[-1]) == what))
		return false;
	if (!tail && (!after || what_of(entry[1]) == what))
		return false;
	if (more)
		move_entries(leaf, f->at + 1 + more, f->at + 1);
	entry[head] = make_entry(start, what);
	if (tail) {
		entry[head + 1] = make_entry(end, what_of(old));
		if (leaf->causes)
			leaf->causes[f->at + head + 1] = leaf->causes[f->at];
	}
	map->nr += is_extent(what);
	if (is_extent(old))
		map->nr += more - 1;
	f->at += head;
	return true;
}

static int store_range(struct ft_extmap *map, u32 start, u32 end, u64 what)
{
	struct ft_finger *f = &map->finger;
	struct ft_leaf *leaf;
	unsigned int from, to, nr;
	bool beyond, shrinks;
	int err;

	seek(map, f, start);
	f->spare = 0;
	if (continue_run(map, start, end, what))
		return 0;
	if (what_of(f->leaf->entry[f->at]) == what && end <= end_of(f, f->at))
		return 0;
	if (replace_in_one(map, start, end, what))
		return 0;
	widen(map, &start, &end, what);
	seek(map, f, start);
	if (end > f->hi && too_many_leaves(map, f->hi, end))
		return -E2BIG;

	for (;;) {
		seek(map, f, start);
		leaf = f->leaf;
		from = f->at + (start_of(leaf->entry[f->at]) < start);
		beyond = end > f->hi;
		for (to = f->at + 1; to < leaf->nr; to++)
			if (start_of(leaf->entry[to]) >= end)
				break;
		nr = leaf->nr - (to - from) + 1;
		if (!beyond && end < end_of(f, to - 1))
			nr++;
		if (nr <= leaf->room)
			break;
		err = make_room(map, start);
		if (err)
			return err;
	}
	shrinks = nr < leaf->nr;
	if (beyond)
		replace_beyond(map, from, start, end, what);
	else
		replace(map, from, to, start, end, what);
	if (beyond || (shrinks && nr <= leaf->room / 4)) {
		tidy(map, start);
		if (beyond && end < FT_LBLK_END)
			tidy(map, end);
	}
	return 0;
}

/**
 * ft_extmap_store() - store an extent in the map, over what was there
 * @map: the map
 * @ext: the extent, written or unwritten
 *
 * If an extent begins with it afterwards, ft_extmap_set_cause() has to say why. All
 * others keep their causes, and so do their tails.
 *
 * Context: atomic, nothing else uses the map.
 * Return: 0, or with the map unchanged -ENOMEM, -E2BIG if too many leaves would have
 * to be removed, or -EFBIG if no file can have such blocks.
 */
int ft_extmap_store(struct ft_extmap *map, const struct ft_extent *ext)
{
	if (unlikely(ext->lblk >= FT_LBLK_END || ext->len > FT_LBLK_END - ext->lblk))
		return -EFBIG;
	return store_range(map, ext->lblk, ft_extent_end(ext), encode(ext));
}

/**
 * ft_extmap_expect() - prepare for ft_extmap_go_on()
 * @map: the map, in which a block was just stored
 *
 * Context: atomic, nothing else uses the map.
 */
void ft_extmap_expect(struct ft_extmap *map)
{
	struct ft_finger *f = &map->finger;

	f->spare = 0;
	if (f->lo < f->hi && f->at + 1 < f->leaf->nr &&
	    (f->leaf->entry[f->at] & KIND_MASK) == WRITTEN)
		f->spare = end_of(f, f->at + 1) - end_of(f, f->at) - 1;
}

/**
 * ft_extmap_expect_nothing() - make ft_extmap_go_on() return false
 * @map: the map
 *
 * Context: atomic, nothing else uses the map.
 */
void ft_extmap_expect_nothing(struct ft_extmap *map)
{
	map->finger.spare = 0;
}

/*
 * ft_extmap_around() for the most frequent case: all entries to be read are in the
 * finger's leaf, and no two holes or unwritten extents follow one another. Entries are
 * read in any case, and only then checked.
 */
static __always_inline bool around_in_leaf(const struct ft_finger *f, u32 lblk,
					   u32 end, struct ft_around *around)
{
	const u64 *first = f->leaf->entry, *entry = first + f->at;
	const u64 *prev = entry, *next = entry;

	if (f->at < 2 || f->at + 2 >= f->leaf->nr || end > start_of(entry[1]))
		return false;
	around->first = *entry & HAS_LBA ? (u32)*entry + lblk : FT_LBA_UNWRITTEN;
	around->last = *entry & HAS_LBA ? (u32)*entry + end - 1 : FT_LBA_UNWRITTEN;
	around->cause = cause_of(f->leaf, f->at);

	prev -= start_of(*entry) == lblk;
	around->prev = lblk - 1;
	if (!(*prev & HAS_LBA)) {
		around->prev = start_of(*prev) - 1;
		prev--;
	}
	around->prev += (u32)*prev;
	around->prev_cause = cause_of(f->leaf, prev - first);

	next += start_of(entry[1]) == end;
	around->limit = end;
	if (!(*next & HAS_LBA)) {
		next++;
		around->limit = start_of(*next);
	}
	around->next = (u32)*next + around->limit;
	around->next_cause = cause_of(f->leaf, next - first);
	around->has_prev = true;
	around->has_next = true;
	return *prev & *next & HAS_LBA;
}

/**
 * ft_extmap_relocate() - move a block that is an extent of its own
 * @map: the map
 * @lblk: the file block
 * @old_lba: where the map should have it now
 * @lba: where it is now
 * @around: filled with the block, before it is moved, and its neighbours; or %NULL
 *
 * For the second most frequent case: a block of a fragmented file is
 * overwritten, and remains an extent of its own.
 *
 * Context: atomic, nothing else uses the map.
 * Return: true if the block was moved. False in any other case, also if the block
 * was not at @old_lba; nothing has changed then.
 */
bool ft_extmap_relocate(struct ft_extmap *map, u32 lblk, u32 old_lba, u32 lba,
			struct ft_around *around)
{
	u64 old = make_entry(lblk, WRITTEN | (u32)(old_lba - lblk));
	u64 what = WRITTEN | (u32)(lba - lblk), *entry;
	struct ft_finger *f = &map->finger;

	if (unlikely(lblk >= FT_LBLK_END))
		return false;
	seek(map, f, lblk);
	entry = &f->leaf->entry[f->at];
	/* neighbours in other leaves are not checked: left to ft_extmap_store() */
	if (*entry != old || !f->at || f->at + 1 >= f->leaf->nr ||
	    start_of(entry[1]) != lblk + 1 || what_of(entry[-1]) == what ||
	    what_of(entry[1]) == what)
		return false;
	if (around && unlikely(!around_in_leaf(f, lblk, lblk + 1, around)))
		ft_extmap_around(map, lblk, lblk + 1, around);
	*entry = make_entry(lblk, what);
	return true;
}

/**
 * ft_extmap_reserve() - make the holes in a range unwritten extents
 * @map: the map
 * @lblk: first file block of the range
 * @end: its end, exclusive
 *
 * Context: atomic, nothing else uses the map.
 * Return: 0, -E2BIG if there were too many extents and holes, or -ENOMEM; in
 * both cases some holes may have been filled.
 */
int ft_extmap_reserve(struct ft_extmap *map, u32 lblk, u32 end)
{
	unsigned int nr;

	for (nr = 0; lblk < end; nr++) {
		struct ft_extent next, gap = {
			.lblk = lblk,
			.lba = FT_LBA_UNWRITTEN,
		};
		bool found;
		int err;

		if (nr == FT_MAX_EXTENTS_AT_ONCE)
			return -E2BIG;
		found = ft_extmap_next(map, lblk, &next);
		gap.len = (found ? min(next.lblk, end) : end) - lblk;
		if (found && next.lblk <= lblk) {
			lblk = ft_extent_end(&next);
			continue;
		}
		err = ft_extmap_store(map, &gap);
		if (err)
			return err;
		lblk += gap.len;
	}
	return 0;
}

/**
 * ft_extmap_erase() - make a range a hole
 * @map: the map
 * @lblk: first file block of the range
 * @end: its end, exclusive; %FT_LBLK_END for all that follows
 *
 * Context: atomic, nothing else uses the map.
 * Return: 0, or with the map unchanged -ENOMEM, or -E2BIG if too many leaves would
 * have to be removed.
 */
int ft_extmap_erase(struct ft_extmap *map, u32 lblk, u32 end)
{
	if (lblk >= end)
		return 0;
	return store_range(map, lblk, end, HOLE);
}

/* === Reading ============================================================== */

/**
 * ft_extmap_lba() - find the LBA of a file block
 * @map: the map
 * @lblk: the file block
 *
 * Context: atomic, nothing else uses the map.
 * Return: its LBA; %FT_LBA_UNWRITTEN if it has none.
 */
u32 ft_extmap_lba(struct ft_extmap *map, u32 lblk)
{
	struct ft_finger *f = &map->finger;
	u64 entry;

	if (unlikely(lblk >= FT_LBLK_END))
		return FT_LBA_UNWRITTEN;
	seek(map, f, lblk);
	entry = f->leaf->entry[f->at];
	return entry & HAS_LBA ? (u32)entry + lblk : FT_LBA_UNWRITTEN;
}

/**
 * ft_extmap_holds() - does the map have these blocks at this LBA?
 * @map: the map
 * @ext: written blocks
 *
 * Context: atomic, nothing else uses the map.
 * Return: true if the map has all of them there.
 */
bool ft_extmap_holds(struct ft_extmap *map, const struct ft_extent *ext)
{
	struct ft_finger *f = &map->finger;
	u64 entry;

	if (unlikely(ext->lblk >= FT_LBLK_END))
		return false;
	seek(map, f, ext->lblk);
	entry = f->leaf->entry[f->at];
	return entry & HAS_LBA && (u32)entry == ext->lba - ext->lblk &&
	       ext->len <= end_of(f, f->at) - ext->lblk;
}

/**
 * ft_extmap_in_one() - does one written extent hold these blocks?
 * @map: the map
 * @lblk: the first one
 * @end: the block after the last one
 *
 * The finger does not leave a run that is being written.
 *
 * Context: atomic, nothing else uses the map.
 * Return: true if so.
 */
bool ft_extmap_in_one(struct ft_extmap *map, u32 lblk, u32 end)
{
	struct ft_finger *f = &map->finger, other;

	if (unlikely(lblk >= FT_LBLK_END))
		return false;
	if (f->spare) {
		other = *f;
		f = &other;
	}
	seek(map, f, lblk);
	return f->leaf->entry[f->at] & HAS_LBA && end <= end_of(f, f->at);
}

/**
 * ft_extmap_next() - find the first extent that ends after a file block
 * @map: the map
 * @from: the file block
 * @ext: on success, the whole extent; it may begin before @from
 *
 * Context: atomic, nothing else uses the map.
 * Return: false if there is none.
 */
bool ft_extmap_next(struct ft_extmap *map, u32 from, struct ft_extent *ext)
{
	struct ft_finger *f = &map->finger;
	u64 entry;

	/* a hole is followed by an extent, or by nothing */
	for (;;) {
		count_steps(1);
		if (from >= FT_LBLK_END)
			return false;
		seek(map, f, from);
		entry = f->leaf->entry[f->at];
		if (is_extent(entry))
			break;
		from = end_of(f, f->at);
	}
	decode(f, ext);
	return true;
}

/**
 * ft_extmap_may_have_written() - are there written blocks in a range?
 * @map: the map
 * @lblk: first file block of the range
 * @end: its end, exclusive
 *
 * Context: atomic, nothing else uses the map.
 * Return: false if there are none; true if there are, or if there are too many
 * extents to check.
 */
bool ft_extmap_may_have_written(struct ft_extmap *map, u32 lblk, u32 end)
{
	struct ft_extent ext;
	unsigned int nr;

	for (nr = 0; nr < FT_MAX_EXTENTS_AT_ONCE; nr++) {
		if (!ft_extmap_next(map, lblk, &ext) || ext.lblk >= end)
			return false;
		if (ext.lba != FT_LBA_UNWRITTEN)
			return true;
		lblk = ft_extent_end(&ext);
	}
	return true;
}

/**
 * ft_extmap_read() - find all extents that end after a file block
 * @map: the map
 * @from: the file block; set to the end of the last extent that was found
 * @ext: the extents, in order; the first may begin before @from
 * @max: the largest number to find
 *
 * The writers' finger does not move.
 *
 * Context: atomic, nothing else uses the map.
 * Return: the number found; fewer than @max only if there are no more.
 */
unsigned int ft_extmap_read(struct ft_extmap *map, u32 *from,
			    struct ft_extent *ext, unsigned int max)
{
	unsigned int nr = 0;
	struct ft_finger f;

	while (*from < FT_LBLK_END) {
		descend(map, &f, *from);
		for (; f.at < f.leaf->nr; f.at++) {
			if (nr == max)
				return nr;
			*from = end_of(&f, f.at);
			if (is_extent(f.leaf->entry[f.at]))
				decode(&f, &ext[nr++]);
		}
	}
	return nr;
}

/**
 * ft_extmap_before() - find the last written block before a file block
 * @map: the map
 * @lblk: the file block
 * @lba: on success, the LBA of that block
 *
 * Context: atomic, nothing else uses the map.
 * Return: false if there is none, or too many holes and unwritten extents are in
 * between.
 */
bool ft_extmap_before(struct ft_extmap *map, u32 lblk, u32 *lba)
{
	struct ft_finger *f = &map->finger;
	unsigned int nr;
	u64 entry;

	for (nr = 0; lblk && nr < FT_MAX_SKIPPED; nr++) {
		count_steps(1);
		seek(map, f, lblk - 1);
		entry = f->leaf->entry[f->at];
		if (entry & HAS_LBA) {
			*lba = (u32)entry + lblk - 1;
			return true;
		}
		lblk = start_of(entry);
	}
	return false;
}

/*
 * A local finger that moves from entry to entry stays in registers: its address is
 * not passed to descend().
 */
static struct ft_finger finger_at(struct ft_extmap *map, u32 lblk)
{
	struct ft_finger f;

	descend(map, &f, lblk);
	return f;
}

/* Move to the next entry. False if there is none. */
static __always_inline bool step(struct ft_extmap *map, struct ft_finger *f)
{
	if (likely(f->at + 1 < f->leaf->nr)) {
		f->at++;
		return true;
	}
	if (f->hi == FT_LBLK_END)
		return false;
	*f = finger_at(map, f->hi);
	return true;
}

/* Move to the previous entry. False if there is none. */
static __always_inline bool step_back(struct ft_extmap *map, struct ft_finger *f)
{
	if (likely(f->at)) {
		f->at--;
		return true;
	}
	if (!f->lo)
		return false;
	*f = finger_at(map, f->lo - 1);
	return true;
}

/*
 * Step to the first entry with an LBA that ends after *@pos. Then no block between
 * the old *@pos and the new one is written. False if there is none, or too far away.
 */
static __always_inline bool step_to_written(struct ft_extmap *map, struct ft_finger *f, u32 *pos)
{
	unsigned int nr;
	u32 end;

	for (nr = 0; nr < FT_MAX_SKIPPED; nr++) {
		end = end_of(f, f->at);
		if (end > *pos) {
			if (f->leaf->entry[f->at] & HAS_LBA)
				return true;
			*pos = end;
		}
		if (!step(map, f))
			break;
	}
	return false;
}

/* The same backwards: then no block is written between the new *@pos and the old. */
static __always_inline bool step_back_to_written(struct ft_extmap *map,
						 struct ft_finger *f, u32 *pos)
{
	unsigned int nr;
	u32 start;

	for (nr = 0; nr < FT_MAX_SKIPPED; nr++) {
		start = start_of(f->leaf->entry[f->at]);
		if (start < *pos) {
			if (f->leaf->entry[f->at] & HAS_LBA)
				return true;
			*pos = start;
		}
		if (!step_back(map, f))
			break;
	}
	return false;
}

/**
 * ft_extmap_around() - read what is in a range and around it
 * @map: the map
 * @lblk: first file block of the range
 * @end: its end, exclusive
 * @around: filled
 *
 * Afterwards the finger points to where the range begins.
 *
 * Context: atomic, nothing else uses the map.
 */
void ft_extmap_around(struct ft_extmap *map, u32 lblk, u32 end, struct ft_around *around)
{
	struct ft_finger f;
	u32 pos = lblk;
	u64 entry;

	count_steps(1);
	seek(map, &map->finger, lblk);
	if (around_in_leaf(&map->finger, lblk, end, around))
		return;
	f = map->finger;
	entry = f.leaf->entry[f.at];
	around->first = entry & HAS_LBA ? (u32)entry + lblk : FT_LBA_UNWRITTEN;
	around->cause = cause_of(f.leaf, f.at);
	around->has_prev = step_back_to_written(map, &f, &pos);
	around->prev = (u32)f.leaf->entry[f.at] + pos - 1;
	around->prev_cause = cause_of(f.leaf, f.at);

	f = map->finger;
	if (end > end_of(&f, f.at))
		f = finger_at(map, end - 1);
	entry = f.leaf->entry[f.at];
	around->last = entry & HAS_LBA ? (u32)entry + end - 1 : FT_LBA_UNWRITTEN;
	pos = end;
	around->has_next = step_to_written(map, &f, &pos);
	around->limit = pos;
	around->next = (u32)f.leaf->entry[f.at] + pos;
	around->next_cause = cause_of(f.leaf, f.at);
}

/* === Causes of extents ==================================================== */

/* The extents of the leaf had the same cause so far. */
static noinline void set_first_cause(struct ft_extmap *map, struct ft_leaf *leaf,
				     unsigned int at, u32 cause)
{
	if (!is_extent(leaf->entry[at]))
		return;
	if (cause == leaf->cause || map->nr == 1)
		leaf->cause = cause;
	else if (make_array(map, leaf))
		leaf->causes[at] = cause;
}

static __always_inline void set_cause(struct ft_extmap *map, struct ft_leaf *leaf,
				      unsigned int at, u32 cause)
{
	if (likely(leaf->causes))
		leaf->causes[at] = cause;
	else
		set_first_cause(map, leaf, at, cause);
}

/* Away from the finger, or no extent begins there. */
static noinline void set_far_cause(struct ft_extmap *map, u32 lblk, u32 cause)
{
	struct ft_finger f = map->finger;

	seek(map, &f, lblk);
	if (start_of(f.leaf->entry[f.at]) == lblk)
		set_cause(map, f.leaf, f.at, cause);
}

/**
 * ft_extmap_set_cause() - set the cause of an extent
 * @map: the map
 * @lblk: its first block; if no extent begins there, nothing changes
 * @cause: the cause
 *
 * If there is no memory for it, the causes of some extents around it are lost.
 *
 * Context: atomic, nothing else uses the map.
 */
void ft_extmap_set_cause(struct ft_extmap *map, u32 lblk, u32 cause)
{
	const struct ft_finger *f = &map->finger;
	struct ft_leaf *leaf = f->leaf;
	unsigned int at = f->at;

	/* usually the finger is there, or at the entry before */
	if (likely(lblk - f->lo < f->hi - f->lo)) {
		at += start_of(leaf->entry[at]) != lblk && at + 1 < leaf->nr;
		if (likely(start_of(leaf->entry[at]) == lblk)) {
			set_cause(map, leaf, at, cause);
			return;
		}
	}
	set_far_cause(map, lblk, cause);
}

/**
 * ft_extmap_cause() - get the cause of the extent that holds a block
 * @map: the map
 * @lblk: the block
 *
 * The writers' finger does not move.
 *
 * Context: atomic, nothing else uses the map.
 * Return: the cause.
 */
u32 ft_extmap_cause(struct ft_extmap *map, u32 lblk)
{
	struct ft_finger f = map->finger;

	seek(map, &f, lblk);
	return cause_of(f.leaf, f.at);
}

/**
 * ft_extmap_drop_causes() - drop the causes of extents that take memory
 * @map: the map
 * @from: the block to begin with
 * @max: the largest number of leaves to look at
 *
 * Context: atomic, nothing else uses the map.
 * Return: the block to go on from; %FT_LBLK_END at the end.
 */
u32 ft_extmap_drop_causes(struct ft_extmap *map, u32 from, unsigned int max)
{
	struct ft_finger f;

	for (; max && from < FT_LBLK_END; max--, from = f.hi) {
		descend(map, &f, from);
		if (f.leaf->causes)
			f.leaf->cause = FT_CAUSE_UNKNOWN;
		free_causes(map, f.leaf);
	}
	return from;
}

/* === Life ================================================================= */

/**
 * ft_extmap_init() - make an empty map
 * @map: the map; it must not be copied, only moved by ft_extmap_move()
 */
void ft_extmap_init(struct ft_extmap *map)
{
	struct ft_leaf *leaf = few_of(map);

	init_leaf(leaf, sizeof(map->few), FT_CAUSE_UNKNOWN);
	leaf->nr = 1;
	leaf->entry[0] = make_entry(0, HOLE);
	map->root = leaf;
	map->height = 0;
	map->bytes = 0;
	map->nr = 0;
	map->finger.at = 0;
	lift_finger(map);
}

/* Trees that are in no map any more, and their memory until they are freed. */
static LLIST_HEAD(dropped);
atomic_long_t ft_extmap_dropped = ATOMIC_LONG_INIT(0);

static void free_tree(struct branch *b)
{
	long bytes = NODE_BYTES;
	unsigned int i;

	for (i = 0; i < b->nr; i++) {
		struct ft_leaf *leaf = b->child[i];

		if (b->level > 1) {
			free_tree(b->child[i]);
			continue;
		}
		bytes += NODE_BYTES + (leaf->causes ? causes_bytes(leaf) : 0);
		kfree(leaf->causes);
		kmem_cache_free(cache, leaf);
	}
	kmem_cache_free(cache, b);
	atomic_long_sub(bytes, &ft_extmap_dropped);
	cond_resched();
}

static void free_dropped(struct work_struct *work)
{
	struct branch *b, *next;

	llist_for_each_entry_safe(b, next, llist_del_all(&dropped), dropped)
		free_tree(b);
}

static DECLARE_WORK(dropped_work, free_dropped);

/**
 * ft_extmap_drop() - make a map empty, in bounded time
 * @map: the map
 *
 * A worker frees the nodes; until then ft_extmap_dropped counts their bytes.
 *
 * Context: any, nothing else uses the map.
 */
void ft_extmap_drop(struct ft_extmap *map)
{
	struct branch *b = map->root;

	if (map->height) {
		atomic_long_add(map->bytes, &ft_extmap_dropped);
		if (llist_add(&b->dropped, &dropped))
			schedule_work(&dropped_work);
	} else {
		free_leaf(map, map->root);
	}
	ft_extmap_init(map);
}

/**
 * ft_extmap_flush() - wait until the trees that were dropped have been freed
 *
 * Context: process; may sleep.
 */
void ft_extmap_flush(void)
{
	flush_work(&dropped_work);
}

/**
 * ft_extmap_move() - replace a map by another one
 * @to: the map; what it held is dropped
 * @from: the other one; empty afterwards
 *
 * Context: any, nothing else uses the maps.
 */
void ft_extmap_move(struct ft_extmap *to, struct ft_extmap *from)
{
	ft_extmap_drop(to);
	*to = *from;
	if (from->root == few_of(from))
		to->root = few_of(to);
	lift_finger(to);
	ft_extmap_init(from);
}

/**
 * ft_extmap_setup() - prepare for maps
 *
 * Return: 0 or -ENOMEM.
 */
int ft_extmap_setup(void)
{
	cache = kmem_cache_create("fragtrace_node", NODE_BYTES, 0, SLAB_NO_MERGE, NULL);
	return cache ? 0 : -ENOMEM;
}

/**
 * ft_extmap_cleanup() - undo ft_extmap_setup()
 *
 * Context: process; all maps have been dropped.
 */
void ft_extmap_cleanup(void)
{
	ft_extmap_flush();
	kmem_cache_destroy(cache);
}
