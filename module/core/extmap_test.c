// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test of the extent map. Random operations are repeated on plain arrays with one
 * element per block. They are compared block by block, and the rules of the tree are
 * checked. Now and then an allocation fails. This is a module of its own: insmod
 * runs the test, and fails if the map was ever wrong.
 *
 *	insmod extmap_test.ko [seed=N] [ops=N] [blocks=N] [refuse=N]
 */

#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

/* Small nodes: a few thousand entries make a tree of several levels. */
#define NODE_BYTES	128
/* Small limits: calls exceed them often. */
#define FT_MAX_LEAVES_AT_ONCE	24
#define FT_MAX_EXTENTS_AT_ONCE	128
static bool refuses_memory(void);
#define no_memory()	refuses_memory()
static unsigned int nr_steps;
#define count_steps(nr)	(nr_steps += (nr))
static unsigned int nr_lost;
#define count_lost()	(nr_lost++)

/* The code under test, with its static functions. */
#include "extmap.c"

static unsigned long seed;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "seed of the random operations (default: random)");

static unsigned int ops = 1000000;
module_param(ops, uint, 0444);
MODULE_PARM_DESC(ops, "number of operations (default: 1000000)");

static unsigned int blocks = 2048;
module_param(blocks, uint, 0444);
MODULE_PARM_DESC(blocks, "length of the tested file in blocks (default: 2048)");

static unsigned int refuse = 5;
module_param(refuse, uint, 0444);
MODULE_PARM_DESC(refuse, "refuse one in so many allocations (default: 5; 0: none)");

#define NOTHING		0
#define IS_ENCODED	BIT(31)
#define MAX_RUN		64
#define COMPARE_EVERY	1000
#define CHECK_EVERY	10

static struct ft_extmap map;
static struct ft_extmap elsewhere;	/* the map is moved here and back */
static u32 *naive;	/* LBA of each block, perhaps IS_ENCODED; NOTHING or FT_LBA_UNWRITTEN */
static u32 *causes;	/* of each block that is_written(): that of its extent */
static struct rnd_state rnd;

static unsigned int nr_refused, nr_runs, nr_runs_reserved, nr_relocated, nr_moved;
static unsigned int nr_too_much, most_steps;
static unsigned int highest;

static u32 below(u32 limit)
{
	return prandom_u32_state(&rnd) % limit;
}

static bool refuses_memory(void)
{
	bool now = refuse && !below(refuse);

	nr_refused += now;
	return now;
}

/* Does block @i continue the extent that block @i - 1 is in? */
static bool continues(u32 i)
{
	if (i == 0 || naive[i] == NOTHING || naive[i - 1] == NOTHING)
		return false;
	if (naive[i] == FT_LBA_UNWRITTEN || naive[i - 1] == FT_LBA_UNWRITTEN)
		return naive[i] == naive[i - 1];
	return naive[i] == naive[i - 1] + 1;
}

static bool is_written(u32 i)
{
	return naive[i] != NOTHING && naive[i] != FT_LBA_UNWRITTEN;
}

/* A cause that was lost is unknown, and no other one is. Then the array has to follow. */
static bool same_cause(u32 i, u32 cause)
{
	if (is_written(i) && nr_lost && cause == FT_CAUSE_UNKNOWN)
		causes[i] = cause;
	return !is_written(i) || causes[i] == cause;
}

/* A range has changed: an extent has the cause of its first block. */
static void spread_causes(u32 lblk, u32 end)
{
	u32 i;

	for (i = lblk; i < blocks && (i < end || continues(i)); i++)
		if (continues(i))
			causes[i] = causes[i - 1];
}

/* The extent at a block begins there for another reason; few, so that many are equal. */
static void set_random_cause(u32 i)
{
	u32 cause = 1 + below(3) * 0x55555555;

	ft_extmap_set_cause(&map, i, cause);
	if (!continues(i))
		causes[i] = cause;
	spread_causes(i, i + 1);
}

/* The array's value for the first block of an extent. */
static u32 first_of(const struct ft_extent *ext)
{
	return ext->lba | (ext->encoded ? IS_ENCODED : 0);
}

static int compare_block(u32 i)
{
	struct ft_extent ext;
	u32 lba = NOTHING;

	if (ft_extmap_next(&map, i, &ext) && ext.lblk <= i)
		lba = ext.lba == FT_LBA_UNWRITTEN ? ext.lba :
						    first_of(&ext) + (i - ext.lblk);
	if (lba != naive[i]) {
		pr_err("block %u: map says %u, array says %u\n", i, lba, naive[i]);
		return -EINVAL;
	}
	if (lba == NOTHING ||
	    (same_cause(i, ext.cause) && same_cause(i, ft_extmap_cause(&map, i))))
		return 0;
	pr_err("block %u: map says cause %x, array says %x\n", i, ext.cause, causes[i]);
	return -EINVAL;
}

/* Walk the map in order: it must have each extent once, and in full length. */
static int compare_extents(void)
{
	unsigned long nr = 0;
	struct ft_extent ext;
	u32 i = 0;

	while (i < blocks) {
		u32 first = i;

		if (naive[i] == NOTHING) {
			i++;
			continue;
		}
		while (++i < blocks && continues(i))
			;
		nr++;
		if (!ft_extmap_next(&map, first, &ext) || ext.lblk != first ||
		    ext.len != i - first || first_of(&ext) != naive[first]) {
			pr_err("extent at %u: length %u expected, %u found at %u\n",
			       first, i - first, ext.len, ext.lblk);
			return -EINVAL;
		}
	}
	if (map.nr == nr)
		return 0;
	pr_err("%u extents counted, %lu expected\n", map.nr, nr);
	return -EINVAL;
}

static bool same_extent(const struct ft_extent *a, const struct ft_extent *b)
{
	return a->lblk == b->lblk && a->len == b->len && a->lba == b->lba &&
	       a->cause == b->cause && a->encoded == b->encoded;
}

/* Extents that are read several at a time must be those found one by one. */
static int compare_parts(void)
{
	u32 from = below(blocks), pos = from;
	struct ft_extent some[5], ext;
	unsigned int nr, want, i;

	do {
		want = 1 + below(ARRAY_SIZE(some));
		nr = ft_extmap_read(&map, &from, some, want);
		for (i = 0; i < nr; i++) {
			if (!ft_extmap_next(&map, pos, &ext) ||
			    !same_extent(&ext, &some[i])) {
				pr_err("block %u: another extent read at %u\n",
				       pos, some[i].lblk);
				return -EINVAL;
			}
			pos = ft_extent_end(&ext);
		}
	} while (nr == want);
	if (!ft_extmap_next(&map, pos, &ext))
		return 0;
	pr_err("extent at %u: not read\n", ext.lblk);
	return -EINVAL;
}

/* === The rules of the tree ================================================ */

/**
 * struct seen - the state of a walk through the tree
 * @what: of the last entry
 * @begun: there was one
 * @extents: number of entries that were extents
 * @bytes: memory of the nodes
 */
struct seen {
	u64 what;
	bool begun;
	u32 extents;
	u64 bytes;
};

static bool leaf_is_valid(const struct ft_leaf *leaf, u32 lo, u32 hi,
			  struct seen *seen)
{
	unsigned int i;

	if (!leaf->nr || leaf->nr > leaf->room || start_of(leaf->entry[0]) != lo)
		return false;
	for (i = 0; i < leaf->nr; i++) {
		u64 entry = leaf->entry[i];
		u32 end = i + 1 < leaf->nr ? start_of(leaf->entry[i + 1]) : hi;

		if (start_of(entry) >= end)
			return false;
		if (seen->begun && seen->what == what_of(entry))
			return false;
		seen->begun = true;
		seen->what = what_of(entry);
		seen->extents += is_extent(entry);
	}
	if (leaf != few_of(&map))
		seen->bytes += leaf_bytes(leaf);
	if (leaf->causes)
		seen->bytes += causes_bytes(leaf);
	return true;
}

static bool tree_is_valid(void *node, unsigned int level, u32 lo, u32 hi,
			  struct seen *seen)
{
	struct branch *b = node;
	unsigned int i;

	if (!level)
		return leaf_is_valid(node, lo, hi, seen);
	if (b->level != level || !b->nr || b->nr > BRANCH_ROOM ||
	    b->key[0] != lo)
		return false;
	seen->bytes += NODE_BYTES;
	for (i = 0; i < b->nr; i++) {
		u32 end = i + 1 < b->nr ? b->key[i + 1] : hi;

		if (b->key[i] >= end ||
		    !tree_is_valid(b->child[i], level - 1, b->key[i], end, seen))
			return false;
	}
	return true;
}

/* If a next block is expected, the finger must point to where it will be stored. */
static int check_finger(void)
{
	const struct ft_finger *f = &map.finger;
	struct tree_path path;

	if (!f->spare)
		return 0;
	find_path(&map, f->lo, &path);
	if (path.leaf == f->leaf && path.hi == f->hi &&
	    start_of(f->leaf->entry[0]) == f->lo && f->at + 1 < f->leaf->nr &&
	    (f->leaf->entry[f->at] & KIND_MASK) == WRITTEN &&
	    f->spare == end_of(f, f->at + 1) - end_of(f, f->at) - 1)
		return 0;
	pr_err("the finger expects %u blocks where they cannot go\n", f->spare);
	return -EINVAL;
}

static int check_rules(void)
{
	struct seen seen = { };

	highest = max(highest, map.height);
	if (!tree_is_valid(map.root, map.height, 0, FT_LBLK_END, &seen)) {
		pr_err("the tree is not well\n");
		return -EINVAL;
	}
	if (seen.bytes != map.bytes || seen.extents != map.nr) {
		pr_err("%llu bytes and %u extents counted, %llu and %u expected\n",
		       map.bytes, map.nr, seen.bytes, seen.extents);
		return -EINVAL;
	}
	return check_finger();
}

/* === Bounded work ========================================================= */

/*
 * The limit of nodes and extents that one call may read. Leaves to be removed are
 * counted first, then found, freed, and removed from the branches above. In addition
 * some blocks are found, a leaf is split, and the tree is tidied.
 */
static unsigned int max_steps(void)
{
	return (2 * FT_MAX_LEAVES_AT_ONCE + 24) * (map.height + 3);
}

/* A reservation finds each extent, and stores what is in between. */
static unsigned int max_steps_to_reserve(void)
{
	return FT_MAX_EXTENTS_AT_ONCE * 12 * (map.height + 3);
}

/* Check the steps of the call that has just ended, and count from 0 again. */
static int was_short(const char *what, unsigned int max)
{
	unsigned int steps = nr_steps;

	nr_steps = 0;
	most_steps = max(most_steps, steps);
	if (steps <= max)
		return 0;
	pr_err("%s: %u steps, %u at the most expected\n", what, steps, max);
	return -EINVAL;
}

/* The number of leaves from the one of @lblk to the one of @end. */
static unsigned int leaves_between(u32 lblk, u32 end)
{
	unsigned int nr = 0;
	struct tree_path path;

	for (; lblk < end; lblk = path.hi) {
		find_path(&map, lblk, &path);
		nr++;
	}
	return nr;
}

/* A call has returned -E2BIG: check that the range was really large. */
static int was_much(u32 lblk, u32 end)
{
	nr_too_much++;
	if (leaves_between(lblk, end) >= FT_MAX_LEAVES_AT_ONCE)
		return 0;
	pr_err("%u to %u: too much, it is said\n", lblk, end);
	return -EINVAL;
}

static int erase(u32 lblk, u32 end)
{
	u32 mid = lblk + (min(end, blocks) - lblk) / 2, i;
	int err;

	nr_steps = 0;
	err = ft_extmap_erase(&map, lblk, end);
	if (was_short("erase", max_steps()))
		return -EINVAL;
	for (i = lblk; !err && i < min(end, blocks); i++)
		naive[i] = NOTHING;
	if (err != -E2BIG)
		return err;
	/* the halves are smaller */
	return was_much(lblk, end) ?: erase(mid, end) ?: erase(lblk, mid);
}

static int reserve(u32 lblk, u32 end)
{
	u32 i;
	int err;

	nr_steps = 0;
	err = ft_extmap_reserve(&map, lblk, end);
	if (was_short("reserve", max_steps_to_reserve()))
		return -EINVAL;
	nr_too_much += err == -E2BIG;
	/* it may have stopped anywhere, but it goes in order */
	while (err == -ENOMEM || err == -E2BIG) {
		u32 to = lblk + 1 + below(end - lblk);

		if (to - lblk > 16)
			to = lblk + 16;
		err = ft_extmap_reserve(&map, lblk, to);
		for (i = lblk; !err && i < to; i++)
			if (naive[i] == NOTHING)
				naive[i] = FT_LBA_UNWRITTEN;
		if (!err)
			lblk = to;
		if (!err && lblk < end)
			err = -E2BIG;
	}
	for (i = lblk; !err && i < end; i++)
		if (naive[i] == NOTHING)
			naive[i] = FT_LBA_UNWRITTEN;
	return err;
}

/* A map far above the limits of one call: every second block is a hole. */
#define MANY	65536

static int fill_many(bool written)
{
	struct ft_extent ext = { .len = 1 };
	int err = 0;

	ft_extmap_drop(&map);
	for (; ext.lblk < 2 * MANY && !err; ext.lblk += 2) {
		ext.lba = written ? 1 + 3 * ext.lblk : FT_LBA_UNWRITTEN;
		do
			err = ft_extmap_store(&map, &ext);
		while (err == -ENOMEM);
		if (ext.lblk % 4096 == 0)
			cond_resched();
	}
	return err;
}

/* No call takes longer on a large map, whatever its range is. */
static int check_bounds(void)
{
	const struct ft_extent all = { .lblk = 1, .len = 2 * MANY - 2, .lba = 7 };
	const struct ft_extent mark = {
		.lblk = 1,
		.len = FT_LBLK_END - 1,
		.lba = FT_LBA_UNWRITTEN,
	};
	struct ft_extent ext;
	int err = fill_many(true), got;

	if (err)
		return err;
	nr_steps = 0;
	got = ft_extmap_reserve(&map, 0, 2 * MANY);
	err = err ?: was_short("reserve all", max_steps_to_reserve());
	if (got != -E2BIG && got != -ENOMEM)
		err = err ?: -ERANGE;
	err = err ?: fill_many(true);
	nr_steps = 0;
	if (ft_extmap_erase(&map, 1, FT_LBLK_END) != -E2BIG)
		err = err ?: -ERANGE;
	err = err ?: was_short("erase all but one", max_steps());
	if (ft_extmap_store(&map, &all) != -E2BIG)
		err = err ?: -ERANGE;
	err = err ?: was_short("store over all", max_steps());
	if (ft_extmap_store(&map, &mark) != -E2BIG)
		err = err ?: -ERANGE;
	err = err ?: was_short("mark all", max_steps());
	if (ft_extmap_next(&map, 2 * MANY, &ext) || map.nr != MANY)
		err = err ?: -ERANGE;
	err = err ?: was_short("read past the end", max_steps());
	err = err ?: fill_many(false);
	nr_steps = 0;
	if (!ft_extmap_may_have_written(&map, 1, 2 * MANY))
		err = err ?: -ERANGE;
	err = err ?: was_short("search for written blocks", max_steps_to_reserve());
	ft_extmap_drop(&map);
	err = err ?: was_short("drop", max_steps());
	if (err)
		pr_err("the work on a large map is not bounded\n");
	return err;
}

/* There is no block after the last one. It must not be taken for the first one either. */
static int check_end(void)
{
	static const struct ft_extent some[] = {
		{ .lblk = 0, .len = 1, .lba = 3 },
		{ .lblk = FT_LBLK_END - 1, .len = 1, .lba = 7 },
	};
	const struct ft_extent none = { .lblk = FT_LBLK_END, .len = 1, .lba = 3 + FT_LBLK_END };
	struct ft_extent ext;
	int err = 0, i;

	for (i = 0; i < ARRAY_SIZE(some) && !err; i++)
		do
			err = ft_extmap_store(&map, &some[i]);
		while (err == -ENOMEM);
	if (ft_extmap_lba(&map, FT_LBLK_END - 1) != 7 ||
	    ft_extmap_lba(&map, FT_LBLK_END) != FT_LBA_UNWRITTEN ||
	    ft_extmap_relocate(&map, FT_LBLK_END, none.lba, 9, NULL) ||
	    ft_extmap_holds(&map, &none) || ft_extmap_next(&map, FT_LBLK_END, &ext) ||
	    ft_extmap_in_one(&map, FT_LBLK_END, FT_LBLK_END))
		err = -EINVAL;
	ft_extmap_drop(&map);
	if (err)
		pr_err("there is a block after the last one\n");
	return err;
}

/* The LBA of a block in the array. */
static u32 lba_of(u32 i)
{
	return is_written(i) ? naive[i] & ~IS_ENCODED : FT_LBA_UNWRITTEN;
}

/* The first written block from @i on, or @blocks; counts the ranges skipped. */
static u32 written_from(u32 i, unsigned int *skipped)
{
	for (*skipped = 0; i < blocks && !is_written(i); i++)
		*skipped += i + 1 < blocks && naive[i] != naive[i + 1];
	return i;
}

static bool compare_before(u32 i, bool got, u32 lba, const u32 *cause)
{
	unsigned int skipped = 0;
	u32 at = i;

	for (; at && !is_written(at - 1); at--)
		skipped += at > 1 && naive[at - 1] != naive[at - 2];
	return got ? at && lba_of(at - 1) == lba && (!cause || same_cause(at - 1, *cause)) :
		     !at || skipped >= FT_MAX_SKIPPED - 1;
}

/* Compare a range and its neighbours; the map may give up after many ranges. */
static int compare_around(u32 lblk, u32 end, const struct ft_around *around)
{
	unsigned int skipped;
	u32 at;

	if (around->first != lba_of(lblk) || around->last != lba_of(end - 1) ||
	    !same_cause(lblk, around->cause) ||
	    !compare_before(lblk, around->has_prev, around->prev, &around->prev_cause))
		return -EINVAL;
	at = written_from(end, &skipped);
	if (!around->has_next)
		return at < blocks && (skipped < FT_MAX_SKIPPED - 2 ||
				       around->limit > at) ? -EINVAL : 0;
	if (at != around->limit || at == blocks || lba_of(at) != around->next ||
	    !same_cause(at, around->next_cause))
		return -EINVAL;
	return 0;
}

static int check_around(u32 lblk, u32 end)
{
	struct ft_around around;
	bool got;
	u32 lba;

	got = ft_extmap_before(&map, lblk, &lba);
	if (!compare_before(lblk, got, lba, NULL))
		return -EINVAL;
	ft_extmap_around(&map, lblk, end, &around);
	return compare_around(lblk, end, &around);
}

/* Compare what is said of a range as a whole. */
static int check_range(u32 lblk, u32 end)
{
	struct ft_extent ext = { .lblk = lblk, .len = end - lblk };
	bool in_one = is_written(lblk), any = in_one;
	unsigned int nr = 1;
	u32 i;

	for (i = lblk + 1; i < end; i++) {
		any |= is_written(i);
		in_one &= continues(i);
		nr += naive[i] != naive[i - 1];
	}
	ext.lba = lba_of(lblk);
	if (ft_extmap_in_one(&map, lblk, end) != in_one ||
	    (is_written(lblk) && ft_extmap_holds(&map, &ext) != in_one))
		return -EINVAL;
	ext.lba++;
	if (is_written(lblk) && ft_extmap_holds(&map, &ext))
		return -EINVAL;
	/* it may give up after many extents */
	if (nr < FT_MAX_EXTENTS_AT_ONCE && ft_extmap_may_have_written(&map, lblk, end) != any)
		return -EINVAL;
	return 0;
}

/* Causes that are dropped some leaves at a time leave the extents, and their memory. */
static int check_drop_causes(void)
{
	struct ft_extent ext;
	u32 pos, nr = 0;
	int err = fill_many(true);

	for (pos = 0; pos < 2 * MANY && !err; pos += 2)
		ft_extmap_set_cause(&map, pos, pos);
	err = err ?: check_rules();
	nr_steps = 0;
	for (pos = 0; pos < FT_LBLK_END && !err; nr++) {
		pos = ft_extmap_drop_causes(&map, pos, 5);
		err = was_short("drop causes", 5 * (map.height + 3));
	}
	err = err ?: check_rules();
	for (pos = 0; ft_extmap_next(&map, pos, &ext) && !err; pos = ft_extent_end(&ext))
		if (ext.cause != FT_CAUSE_UNKNOWN)
			err = -EINVAL;
	if (map.nr != MANY || map.bytes % NODE_BYTES || nr < 2)
		err = err ?: -EINVAL;
	ft_extmap_drop(&map);
	if (err)
		pr_err("the causes of a large map are not dropped\n");
	return err;
}

/* === Operations =========================================================== */

static int compare_all(void)
{
	u32 i;

	for (i = 0; i < blocks; i++)
		if (compare_block(i))
			return -EINVAL;
	return compare_extents() ?: compare_parts();
}

/* Usually right after the previous block on the volume, so that extents merge. */
static u32 pick_lba(u32 lblk)
{
	if (lblk && naive[lblk - 1] != NOTHING &&
	    naive[lblk - 1] != FT_LBA_UNWRITTEN && below(4))
		return naive[lblk - 1] + 1;
	return (1 + below(16 * blocks)) | (below(4) ? 0 : IS_ENCODED);
}

/* True if ft_extmap_go_on() takes a wrong or an unexpected block. */
static bool goes_on_wrongly(u32 i, u32 old, u32 value)
{
	if (ft_extmap_go_on(&map, i, old + 1, value) ||
	    (old != FT_LBA_UNWRITTEN &&
	     ft_extmap_go_on(&map, i, FT_LBA_UNWRITTEN, value)))
		return true;
	if ((!i || naive[i - 1] != value) &&
	    ft_extmap_go_on(&map, i, old, value + 1))
		return true;
	if (below(16))
		return false;
	ft_extmap_expect_nothing(&map);
	return ft_extmap_go_on(&map, i, old, value);
}

/* Write the blocks of a run, one by one, as F2FS does. */
static int write_run(u32 lblk, u32 len, u32 value)
{
	u32 i;

	for (i = lblk; i < lblk + len; i++, value++) {
		struct ft_extent ext = { .lblk = i, .len = 1, .lba = value };
		bool known = naive[i] != NOTHING && naive[i] != FT_LBA_UNWRITTEN;
		u32 old = known ? naive[i] & ~IS_ENCODED : FT_LBA_UNWRITTEN;
		struct ft_around around;
		bool run, relocated;
		int err;

		if (goes_on_wrongly(i, old, value)) {
			pr_err("block %u went on where it must not\n", i);
			return -EINVAL;
		}
		nr_steps = 0;
		run = ft_extmap_go_on(&map, i, old, value);
		nr_runs += run;
		nr_runs_reserved += run && naive[i] == FT_LBA_UNWRITTEN;
		if (!run && (ft_extmap_lba(&map, i) != old ||
			     ft_extmap_relocate(&map, i, old + 1, value, NULL))) {
			pr_err("block %u is not where it was\n", i);
			return -EINVAL;
		}
		if (!run) {
			relocated = ft_extmap_relocate(&map, i, old, value,
						       &around);
			nr_relocated += relocated;
			if (relocated && compare_around(i, i + 1, &around))
				return -EINVAL;
			err = relocated && below(2) ? 0 :
						      ft_extmap_store(&map, &ext);
			if (err)
				return err;
			naive[i] = value;
			set_random_cause(i);
			if (below(4))
				ft_extmap_expect(&map);
		}
		if (was_short("write", max_steps()))
			return -EINVAL;
		naive[i] = value;
		spread_causes(i, i + 1);
		err = check_finger();
		if (err)
			return err;
		if (!ft_extmap_holds(&map, &ext)) {
			pr_err("block %u is not held\n", i);
			return -EINVAL;
		}
	}
	return 0;
}

/* Move the map to another struct and back; no block is expected afterwards. */
static int move(u32 lblk)
{
	u32 old = naive[lblk] == NOTHING ? FT_LBA_UNWRITTEN :
					   naive[lblk] & ~IS_ENCODED;

	ft_extmap_move(&elsewhere, &map);
	if (map.nr || map.bytes || ft_extmap_go_on(&map, lblk, old, lblk + 1)) {
		pr_err("a map that was moved away is not empty\n");
		return -EINVAL;
	}
	ft_extmap_move(&map, &elsewhere);
	nr_moved++;
	return map.finger.spare ? -EINVAL : check_rules();
}

static int one_operation(void)
{
	u32 lblk = below(blocks), op = below(16), i;
	u32 len = 1 + below(below(32) ? 4 : below(32) ? MAX_RUN : blocks / 2);
	int err;

	len = min(len, blocks - lblk);
	if (op < 2) {
		err = write_run(lblk, len, pick_lba(lblk) & ~IS_ENCODED);
	} else if (op < 11) {
		u32 value = pick_lba(lblk);
		struct ft_extent ext = {
			.lblk = lblk,
			.len = len,
			.lba = value & ~IS_ENCODED,
			.encoded = value & IS_ENCODED,
		};

		if (op == 10)
			ext.lba = FT_LBA_UNWRITTEN;
		nr_steps = 0;
		err = ft_extmap_store(&map, &ext);
		if (was_short("store", max_steps()))
			return -EINVAL;
		if (err == -E2BIG)
			err = was_much(lblk, lblk + len) ?: erase(lblk, lblk + len) ?:
			      ft_extmap_store(&map, &ext);
		for (i = 0; !err && i < len; i++)
			naive[lblk + i] = op == 10 ? FT_LBA_UNWRITTEN :
						     value + i;
		if (!err)
			set_random_cause(lblk);
		if (!err)
			spread_causes(lblk, lblk + len);
	} else if (op < 14) {
		err = erase(lblk, lblk + len);
	} else if (op < 15) {
		err = reserve(lblk, lblk + len);
	} else if (below(2)) {
		set_random_cause(lblk);
		err = 0;
	} else if (below(256) == 0) {
		/* rare: it empties the map */
		err = erase(lblk, FT_LBLK_END);
	} else if (below(256) == 0) {
		ft_extmap_drop(&map);
		memset(naive, 0, array_size(blocks, sizeof(*naive)));
		err = check_rules();
	} else {
		err = move(lblk);
	}
	/* the finger may be anywhere now */
	if (!below(4))
		ft_extmap_expect(&map);
	/* if memory was refused, nothing has changed */
	if (err == -ENOMEM)
		err = 0;
	return err ?: compare_block(lblk) ?: compare_block(lblk + len - 1) ?:
	       check_around(lblk, lblk + len) ?: check_around(lblk, lblk + 1) ?:
	       check_range(lblk, lblk + len) ?: check_range(lblk, lblk + 1 + below(len));
}

static int __init extmap_test_init(void)
{
	unsigned int i = 0;
	int err;

	if (!seed)
		seed = get_random_u32();
	if (blocks < 2)
		return -EINVAL;
	naive = vzalloc(array_size(blocks, sizeof(*naive)));
	causes = vzalloc(array_size(blocks, sizeof(*causes)));
	err = naive && causes ? ft_extmap_setup() : -ENOMEM;
	if (err)
		goto out;
	prandom_seed_state(&rnd, seed);
	ft_extmap_init(&map);
	ft_extmap_init(&elsewhere);

	for (i = 0; i < ops && !err; i++) {
		err = one_operation();
		if (!err && i % CHECK_EVERY == 0)
			err = check_rules();
		if (!err && i % COMPARE_EVERY == 0)
			err = compare_all();
		cond_resched();
	}
	err = err ?: check_rules() ?: compare_all() ?: check_bounds() ?:
	      check_end() ?: check_drop_causes();
	ft_extmap_drop(&map);
	ft_extmap_cleanup();
	if (!err && atomic_long_read(&ft_extmap_dropped)) {
		pr_err("%ld bytes of dropped maps are left\n",
		       atomic_long_read(&ft_extmap_dropped));
		err = -EINVAL;
	}
	/* 1 000 000 operations without a tree, or without a failure, prove little */
	if (!err && ops >= 100000 && blocks >= 2048 &&
	    (highest < 3 || nr_runs < 100 || nr_runs_reserved < 100 ||
	     nr_relocated < 100 || nr_moved < 100 || nr_too_much < 20 ||
	     (refuse && (nr_refused < 100 || nr_lost < 100))))
		err = -ENODATA;
out:
	vfree(causes);
	vfree(naive);
	if (err)
		pr_err("FAILED at operation %u, seed=%lu: %d\n", i, seed, err);
	else
		pr_info("passed: %u operations on %u blocks, seed=%lu, %u levels, at most %u steps, memory refused %u times, causes lost %u times, too much %u times\n",
			ops, blocks, seed, highest, most_steps, nr_refused,
			nr_lost, nr_too_much);
	return err;
}

static void __exit extmap_test_exit(void)
{
}

module_init(extmap_test_init);
module_exit(extmap_test_exit);
MODULE_DESCRIPTION("Test of the fragtrace extent map");
MODULE_LICENSE("GPL");
