// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test of the extent map: random operations, each repeated on a plain array
 * with one element per block, the two compared block by block. A module of its
 * own: insmod runs the test and fails if the map was ever wrong.
 *
 *	insmod extmap_test.ko [seed=N] [ops=N] [blocks=N]
 */

#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

/* The code under test, whole: statics too. */
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

#define HOLE		0
#define ENCODED		BIT(31)
#define MAX_RUN		64
#define COMPARE_EVERY	1000

static DEFINE_SPINLOCK(lock);
static struct ft_extmap map;
static u32 *naive;	/* LBA of each block, perhaps ENCODED; HOLE or FT_LBA_UNWRITTEN */
static struct rnd_state rnd;

static u32 below(u32 limit)
{
	return prandom_u32_state(&rnd) % limit;
}

/* Does block @i continue the extent that block @i - 1 is in? */
static bool continues(u32 i)
{
	if (i == 0 || naive[i] == HOLE || naive[i - 1] == HOLE)
		return false;
	if (naive[i] == FT_LBA_UNWRITTEN || naive[i - 1] == FT_LBA_UNWRITTEN)
		return naive[i] == naive[i - 1];
	return naive[i] == naive[i - 1] + 1;
}

/* What the array has for the first block of an extent. */
static u32 first_of(const struct ft_extent *ext)
{
	return ext->lba | (ext->encoded ? ENCODED : 0);
}

static int compare_block(u32 i)
{
	struct ft_extent ext;
	u32 lba = HOLE;

	if (ft_extmap_lookup(&map, i, &ext))
		lba = ext.lba == FT_LBA_UNWRITTEN ? ext.lba :
						    first_of(&ext) + (i - ext.lblk);
	if (lba == naive[i])
		return 0;
	pr_err("block %u: map says %u, array says %u\n", i, lba, naive[i]);
	return -EINVAL;
}

/* Walk the map in order: it must name each extent once, as long as it can be. */
static int compare_extents(void)
{
	unsigned long nr = 0;
	struct ft_extent ext;
	u32 i = 0;

	while (i < blocks) {
		u32 first = i;

		if (naive[i] == HOLE) {
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
	pr_err("%lu extents counted, %lu expected\n", map.nr, nr);
	return -EINVAL;
}

static int compare_all(void)
{
	u32 i;

	for (i = 0; i < blocks; i++)
		if (compare_block(i))
			return -EINVAL;
	return compare_extents();
}

/* Mostly near the block before it on the volume, so that extents merge. */
static u32 pick_lba(u32 lblk)
{
	if (lblk && naive[lblk - 1] != HOLE &&
	    naive[lblk - 1] != FT_LBA_UNWRITTEN && below(4))
		return naive[lblk - 1] + 1;
	return (1 + below(16 * blocks)) | (below(4) ? 0 : ENCODED);
}

static int one_operation(void)
{
	u32 lblk = below(blocks), op = below(16), i;
	u32 len = 1 + below(below(4) ? 4 : MAX_RUN);
	int err;

	len = min(len, blocks - lblk);
	if (op < 11) {
		u32 value = pick_lba(lblk);
		struct ft_extent ext = {
			.lblk = lblk,
			.len = len,
			.lba = value & ~ENCODED,
			.encoded = value & ENCODED,
		};

		if (op == 10)
			ext.lba = FT_LBA_UNWRITTEN;
		err = ft_extmap_store(&map, &ext);
		for (i = 0; !err && i < len; i++)
			naive[lblk + i] = op == 10 ? FT_LBA_UNWRITTEN :
						     value + i;
	} else if (op < 14) {
		err = ft_extmap_erase(&map, lblk, lblk + len);
		for (i = 0; !err && i < len; i++)
			naive[lblk + i] = HOLE;
	} else if (op < 15) {
		err = ft_extmap_reserve(&map, lblk, lblk + len, MAX_RUN);
		for (i = 0; !err && i < len; i++)
			if (naive[lblk + i] == HOLE)
				naive[lblk + i] = FT_LBA_UNWRITTEN;
	} else if (below(64) == 0) {
		/* rare: it empties the map */
		err = ft_extmap_erase(&map, lblk, FT_LBLK_END);
		for (i = lblk; !err && i < blocks; i++)
			naive[i] = HOLE;
	} else {
		return 0;
	}
	return err ?: compare_block(lblk) ?: compare_block(lblk + len - 1);
}

static int __init extmap_test_init(void)
{
	unsigned int i;
	int err = 0;

	if (!seed)
		seed = get_random_u32();
	if (blocks < 2)
		return -EINVAL;
	naive = vzalloc(array_size(blocks, sizeof(*naive)));
	if (!naive)
		return -ENOMEM;
	prandom_seed_state(&rnd, seed);
	ft_extmap_init(&map, &lock);

	for (i = 0; i < ops && !err; i++) {
		spin_lock(&lock);
		err = one_operation();
		if (!err && i % COMPARE_EVERY == 0)
			err = compare_all();
		spin_unlock(&lock);
		cond_resched();
	}
	spin_lock(&lock);
	err = err ?: compare_all();
	ft_extmap_destroy(&map);
	spin_unlock(&lock);

	vfree(naive);
	if (err)
		pr_err("FAILED at operation %u, seed=%lu: %d\n", i, seed, err);
	else
		pr_info("passed: %u operations on %u blocks, seed=%lu\n", ops,
			blocks, seed);
	return err;
}

static void __exit extmap_test_exit(void)
{
}

module_init(extmap_test_init);
module_exit(extmap_test_exit);
MODULE_DESCRIPTION("Test of the fragtrace extent map");
MODULE_LICENSE("GPL");
