// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of the extent map alone: builds maps of a given size in one of
 * several orders, then overwrites and looks up blocks at random. In a guest
 * whose QEMU counts instructions (guest.sh -I) the figures are instructions.
 *
 *	insmod extmap_bench.ko order=N extents=N [maps=N]
 *
 * The kernel's log has one line for each figure: `extmap_bench: NAME VALUE`.
 * The maps stay until rmmod, so that their memory can be measured.
 */

#include <linux/irqflags.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/timex.h>
#include <linux/vmalloc.h>

#define count_lost()	((void)0)
/* The measured code as a whole, so that as much is inlined as in fragtrace. */
#include "../../module/core/extmap.c"

/**
 * enum order - the order in which a map is built
 * @RUN: each block continues the previous one: one extent
 * @IN_ORDER: each block begins an extent
 * @HOLES_IN_ORDER: the same, with a hole after each
 * @RANDOM: a contiguous file is overwritten at random until it is fragmented
 * @HOLES_RANDOM: blocks with a hole after each, in random order
 */
enum order {
	RUN,
	IN_ORDER,
	HOLES_IN_ORDER,
	RANDOM,
	HOLES_RANDOM,
};

static unsigned int order = IN_ORDER;
module_param(order, uint, 0444);
MODULE_PARM_DESC(order, "0 run, 1 in order, 2 with holes, 3 random, 4 random with holes");

static unsigned long extents = 1000;
module_param(extents, ulong, 0444);
MODULE_PARM_DESC(extents, "extents of each map (default: 1000)");

static unsigned int maps = 1;
module_param(maps, uint, 0444);
MODULE_PARM_DESC(maps, "number of maps (default: 1)");

#define NR_SAMPLES	20000

static DEFINE_SPINLOCK(lock);
static struct ft_extmap *map;
static struct rnd_state rnd;
static u64 empty;	/* the cost of measuring itself */

/* === Measuring ============================================================ */

static unsigned long flags;
static u64 begun;

static void begin(void)
{
	local_irq_save(flags);
	begun = get_cycles();
}

static u64 end(void)
{
	u64 cost = get_cycles() - begun;

	local_irq_restore(flags);
	return cost > empty ? cost - empty : 0;
}

static void calibrate(void)
{
	u64 least = U64_MAX;
	int i;

	for (i = 0; i < 100; i++) {
		begin();
		least = min(least, end());
	}
	empty = least;
}

static void report(const char *what, u64 sum, u64 nr)
{
	u64 tenths = div64_u64(sum * 10, nr);

	pr_info("%s %llu.%llu\n", what, tenths / 10, tenths % 10);
}

/* === Building ============================================================= */

/* An address that is not adjacent to any other one. */
static u32 apart(u32 n)
{
	return 3 * n + 1;
}

/*
 * The nth of all blocks in an order that looks random: each step is a bijection
 * of the numbers below a power of two, repeated until the result is below @size.
 */
static u32 shuffled(u32 n, u32 size)
{
	u32 bits = max(order_base_2(size), 2), mask = BIT(bits) - 1;
	int round;

	do {
		for (round = 0; round < 3; round++) {
			n = (n * 0x915f77f5u + 0x2545f491u) & mask;
			n ^= n >> (bits / 2);
		}
	} while (n >= size);
	return n;
}

static struct ft_extent nth(u32 n)
{
	struct ft_extent ext = { .lblk = n, .len = 1, .lba = apart(n) };

	switch (order) {
	case RUN:
		ext.lba = n + 1;
		break;
	case HOLES_IN_ORDER:
		ext.lblk = 2 * n;
		break;
	case HOLES_RANDOM:
		ext.lblk = 2 * shuffled(n, extents);
		break;
	case RANDOM:
		ext.lblk = shuffled(n, extents);
		break;
	default:
		break;
	}
	return ext;
}

static int build_one(struct ft_extmap *one, u64 *cost)
{
	struct ft_extent ext = { .lblk = 0, .len = extents, .lba = 1 };
	unsigned long i;
	int err = 0;

	if (order == RANDOM)
		err = ft_extmap_store(one, &ext);
	for (i = 0; i < extents && !err; i++) {
		ext = nth(i);
		spin_lock(&lock);
		begin();
		err = ft_extmap_store(one, &ext);
		*cost += end();
		spin_unlock(&lock);
		if (i % 1024 == 0)
			cond_resched();
	}
	return err;
}

static int build(void)
{
	u64 cost = 0, nr = 0;
	unsigned int i;
	int err = 0;

	for (i = 0; i < maps && !err; i++) {
		err = build_one(&map[i], &cost);
		nr += map[i].nr;
	}
	if (err)
		return err;
	report("build", cost, (u64)maps * extents);
	report("extents", nr, 1);
	return 0;
}

/* === Use ================================================================== */

static struct ft_extent any(struct ft_extmap **one)
{
	*one = &map[prandom_u32_state(&rnd) % maps];
	return nth(prandom_u32_state(&rnd) % extents);
}

static int overwrite(void)
{
	struct ft_extmap *one;
	u64 cost = 0;
	u32 i;
	int err = 0;

	for (i = 0; i < NR_SAMPLES && !err; i++) {
		struct ft_extent ext = any(&one);

		/* new addresses that no other extent has or is adjacent to */
		ext.lba = 0x80000000 + 2 * i;
		spin_lock(&lock);
		begin();
		err = ft_extmap_store(one, &ext);
		cost += end();
		spin_unlock(&lock);
	}
	if (!err)
		report("overwrite", cost, NR_SAMPLES);
	return err;
}

static void look_up(void)
{
	struct ft_extmap *one;
	u64 cost = 0;
	u32 i;

	for (i = 0; i < NR_SAMPLES; i++) {
		struct ft_extent ext = any(&one);

		spin_lock(&lock);
		begin();
		ft_extmap_lba(one, ext.lblk);
		cost += end();
		spin_unlock(&lock);
	}
	report("lookup", cost, NR_SAMPLES);
}

static void walk(void)
{
	struct ft_extent ext;
	u64 cost = 0, nr = 0;
	u32 at = 0;

	for (; nr < NR_SAMPLES; nr++) {
		bool more;

		spin_lock(&lock);
		begin();
		more = ft_extmap_next(&map[0], at, &ext);
		cost += end();
		spin_unlock(&lock);
		if (!more)
			break;
		at = ft_extent_end(&ext);
	}
	report("walk", cost, nr);
}

static void drop(void)
{
	unsigned int i;

	for (i = 0; i < maps; i++) {
		ft_extmap_drop(&map[i]);
		cond_resched();
	}
	ft_extmap_cleanup();
	vfree(map);
}

static int __init extmap_bench_init(void)
{
	unsigned int i;
	int err;

	if (!extents || !maps || order > HOLES_RANDOM)
		return -EINVAL;
	map = vzalloc(array_size(maps, sizeof(*map)));
	if (!map)
		return -ENOMEM;
	err = ft_extmap_setup();
	if (err) {
		vfree(map);
		return err;
	}
	prandom_seed_state(&rnd, 1);
	for (i = 0; i < maps; i++)
		ft_extmap_init(&map[i]);
	calibrate();
	err = build();
	if (!err) {
		look_up();
		walk();
		if (order != RUN)
			err = overwrite();
	}
	if (err)
		drop();
	return err;
}

static void __exit extmap_bench_exit(void)
{
	drop();
}

module_init(extmap_bench_init);
module_exit(extmap_bench_exit);
MODULE_DESCRIPTION("What the fragtrace extent map costs");
MODULE_LICENSE("GPL");
