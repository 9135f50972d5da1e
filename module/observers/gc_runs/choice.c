// SPDX-License-Identifier: GPL-2.0-only
/*
 * How good a victim is: what F2FS's formulas say of it, and of the best section there was.
 *
 * In: the event in which F2FS has chosen a victim, and its tables at that moment. F2FS holds the
 * lock of its dirty segments meanwhile; what else changes makes a number inexact, and nothing more.
 */

#include <linux/array_size.h>
#include <linux/bitmap.h>
#include <linux/fs.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "core/bounds.h"
#include "core/volume.h"
#include "f2fs/private.h"
#include "f2fs/segment.h"
#include "observers/gc_runs/runs.h"

/* F2FS's logs, those in memory included. */
#define LOGS	8

/**
 * struct search - how F2FS has searched, and in what
 * @f2fs: its own numbers; the span of times grows as the search goes on, as in F2FS
 * @vol: the volume
 * @unit: segments of a section
 * @blocks: of a section
 * @logs: the sections in which logs are
 */
struct search {
	struct ft_f2fs_search f2fs;
	const struct ft_volume *vol;
	u32 unit;
	u32 blocks;
	u32 logs[LOGS];
};

/* get_cb_cost() of F2FS, with its rounding: 10000 is the best. */
static u32 gain_by_cost(struct search *s, u32 valid, u64 mtime)
{
	struct ft_f2fs_search *f = &s->f2fs;
	u32 used = valid / s->unit * 100 / s->vol->segment_blocks, age = 0;

	f->min_mtime = min(f->min_mtime, mtime);
	f->max_mtime = max(f->max_mtime, mtime);
	if (f->max_mtime != f->min_mtime)
		age = 100 - div64_u64(100 * (mtime - f->min_mtime), f->max_mtime - f->min_mtime);
	return 100 * (100 - used) * age / (100 + used);
}

/* atgc_lookup_victim() of F2FS: 1000000 is the best; 0: too young, or changed since. */
static u32 gain_by_age(struct search *s, u32 valid, u64 mtime)
{
	const struct ft_f2fs_search *f = &s->f2fs;
	u64 age;

	if (mtime < f->dirty_min_mtime || mtime > f->dirty_max_mtime ||
	    f->dirty_max_mtime - mtime < f->age_threshold)
		return 0;
	age = div64_u64(10000 * (f->dirty_max_mtime + 1 - mtime),
			f->dirty_max_mtime + 1 - f->dirty_min_mtime);
	return age * f->age_weight +
	       10000ULL * (s->blocks - valid) / s->blocks * (100 - f->age_weight);
}

/* Compare a section with the best one so far; of equal ones the one with fewer blocks is better. */
static void compare(struct search *s, u32 section, struct ft_gc_choice *choice, bool is_victim)
{
	u32 valid, gain[FT_NR_GC_POLICIES] = { }, i;
	u64 mtime;

	valid = ft_segments_valid(s->vol, section * s->unit, s->unit, &mtime);
	if (!is_victim && (!valid || valid >= s->blocks))
		return;
	gain[FT_GC_COST_BENEFIT] = gain_by_cost(s, valid, mtime);
	if (choice[FT_GC_AGE].victims)
		gain[FT_GC_AGE] = gain_by_age(s, valid, mtime);
	for (i = 0; i < FT_NR_GC_POLICIES; i++, choice++) {
		if (is_victim) {
			choice->blocks = valid;
			choice->gain = gain[i];
		} else if (gain[i] < choice->best_gain ||
			   (gain[i] == choice->best_gain && valid >= choice->best_blocks)) {
			continue;
		}
		choice->best_blocks = valid;
		choice->best_gain = gain[i];
	}
}

/* May F2FS choose this section? */
static bool is_candidate(const struct search *s, u32 section, bool background)
{
	unsigned int i;

	for (i = 0; i < LOGS; i++)
		if (s->logs[i] == section)
			return false;
	if (background)
		return !test_bit(section, s->f2fs.chosen);
	return !s->f2fs.pinned || !test_bit(section, s->f2fs.pinned);
}

/**
 * ft_gc_compare() - compare a victim with the other sections that F2FS could have chosen
 * @vol: the volume
 * @sb: its super block
 * @p: what F2FS has chosen, in the event
 * @background: in the background
 * @choice: set to the numbers of this victim
 *
 * It looks at the dirty sections from the victim on, and on from the first one, at no more than
 * %FT_GC_COMPARED segments.
 *
 * Context: F2FS's event.
 */
void ft_gc_compare(const struct ft_volume *vol, const struct super_block *sb,
		   const struct victim_sel_policy *p, bool background,
		   struct ft_gc_choice choice[FT_NR_GC_POLICIES])
{
	static const enum ft_gc_policy policies[] = {
		[FT_F2FS_GC_GREEDY] = FT_GC_GREEDY,
		[FT_F2FS_GC_CB] = FT_GC_COST_BENEFIT,
		[FT_F2FS_GC_AT] = FT_GC_AGE,
	};
	u32 victim, section, segment, looked = 1, i;
	struct search s = { .vol = vol };
	int mode;
	u8 type;

	ft_f2fs_read_search(&s.f2fs, sb, p);
	victim = ft_f2fs_victim(p, &s.unit, &mode);
	s.unit = max(s.unit, 1U);
	s.blocks = s.unit * vol->segment_blocks;
	victim /= s.unit;
	for (i = 0; i < LOGS; i++)
		s.logs[i] = ft_f2fs_log(sb, i, &segment, &type) ? segment / s.unit : U32_MAX;
	memset(choice, 0, FT_NR_GC_POLICIES * sizeof(*choice));
	choice[FT_GC_AGE].victims = mode == FT_F2FS_GC_AT;
	compare(&s, victim, choice, true);
	for_each_set_bit_wrap(section, s.f2fs.dirty, s.f2fs.segments / s.unit, victim) {
		if (section == victim)
			continue;
		if ((looked + 1) * s.unit > FT_GC_COMPARED)
			break;
		looked++;
		if (is_candidate(&s, section, background))
			compare(&s, section, choice, false);
	}
	ft_check_steps(looked * s.unit, max(FT_GC_COMPARED, s.unit));
	for (i = 0; i < FT_NR_GC_POLICIES; i++) {
		choice[i].victims = i != FT_GC_AGE || mode == FT_F2FS_GC_AT;
		choice[i].limit = s.f2fs.limit;
		choice[i].looked = looked;
	}
	/* what was given to F2FS, or taken from its list, has no cost of its own */
	if (mode >= 0 && mode < ARRAY_SIZE(policies) &&
	    s.f2fs.min_cost <= (mode == FT_F2FS_GC_GREEDY ? s.blocks : U32_MAX - 1))
		choice[policies[mode]].found = 1;
}

/**
 * ft_gc_add_choice() - add a victim to sums
 * @sums: by policy
 * @choice: of the victim
 */
void ft_gc_add_choice(struct ft_gc_choice sums[FT_NR_GC_POLICIES],
		      const struct ft_gc_choice choice[FT_NR_GC_POLICIES])
{
	const struct ft_gc_choice *c = choice;

	for (; c < choice + FT_NR_GC_POLICIES; c++, sums++) {
		if (!c->victims)
			continue;
		sums->victims++;
		sums->found += c->found;
		sums->limit += c->limit;
		sums->looked += c->looked;
		sums->blocks += c->blocks;
		sums->best_blocks += c->best_blocks;
		sums->gain += c->gain;
		sums->best_gain += c->best_gain;
	}
}
