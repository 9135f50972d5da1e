// SPDX-License-Identifier: GPL-2.0-only
/*
 * What garbage collection has done to a volume.
 *
 * In: segments that F2FS has chosen, and blocks that it moves, also of files that
 * are not watched. Out: sums, and the recent victims, each with the blocks moved out
 * of it. In the background F2FS only dirties pages, which are written later: the
 * count of a victim may grow for some time.
 */

#include <linux/ktime.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "causes/gc.h"
#include "core/base.h"
#include "core/memory.h"
#include "core/record.h"
#include "core/volume.h"
#include "f2fs/segment.h"

/* In each record: how many blocks were moved, by enum ft_victim_kind. */
static u32 moved_at;

/**
 * ft_gc_init() - count what is moved of each file, too
 *
 * Context: process; before the first record.
 */
void ft_gc_init(void)
{
	moved_at = ft_record_reserve(FT_GC_KINDS * sizeof(u32));
}

/**
 * ft_gc_new() - begin to count for a volume
 *
 * Context: process.
 * Return: the counts, for ft_mem_free(); NULL if memory is short.
 */
struct ft_gc *ft_gc_new(void)
{
	struct ft_gc *gc = ft_mem_zalloc(sizeof(*gc), GFP_KERNEL);

	if (!gc)
		return NULL;
	spin_lock_init(&gc->lock);
	memset(gc->chain, 0xff, sizeof(gc->chain));
	return gc;
}

/* Does the segment hold nodes? F2FS numbers their logs 3 to 5. */
static bool holds_nodes(struct ft_volume *vol, u32 segment)
{
	int log = ft_segment_log(vol, vol->main_blkaddr + segment * vol->segment_blocks);

	return log >= 3 && log <= 5;
}

/* The hash chain of a segment's victim. */
static u16 *chain_of(struct ft_gc *gc, u32 segment)
{
	return &gc->chain[segment / gc->segments % FT_GC_CHAINS];
}

/* Remove the oldest victim from the end of its chain. */
static void forget(struct ft_gc *gc, u16 oldest)
{
	u16 *link = chain_of(gc, gc->victim[oldest].segment);
	unsigned int n;

	for (n = 0; *link != oldest; n++)
		link = &gc->victim[*link].next;
	*link = FT_GC_NONE;
	ft_check_steps(n, FT_GC_VICTIMS);
}

/* F2FS chooses whole sections, all of one size. If it changes, forget victims. */
static void set_segments(struct ft_gc *gc, u32 segments)
{
	if (gc->segments == segments)
		return;
	gc->segments = segments;
	gc->nr = 0;
	memset(gc->chain, 0xff, sizeof(gc->chain));
}

static void remember(struct ft_gc *gc, const struct ft_gc_victim *victim)
{
	u16 *chain;

	set_segments(gc, max(victim->segments, 1U));
	gc->newest = (gc->newest + 1) % FT_GC_VICTIMS;
	if (gc->nr == FT_GC_VICTIMS)
		forget(gc, gc->newest);
	else
		gc->nr++;
	chain = chain_of(gc, victim->segment);
	gc->victim[gc->newest] = *victim;
	gc->victim[gc->newest].next = *chain;
	*chain = gc->newest;
}

/**
 * ft_gc_chose() - F2FS has chosen segments
 * @vol: the volume
 * @chosen: the segments; the number of blocks in use is filled in
 *
 * Context: a probe.
 */
void ft_gc_chose(struct ft_volume *vol, struct ft_victim *chosen)
{
	struct ft_gc_victim victim = {
		.when = ktime_get_real_seconds(),
		.segment = chosen->segment,
		.segments = chosen->segments,
		.valid = ft_segments_valid(vol, chosen->segment, chosen->segments, NULL),
		.kind = chosen->kind,
		.policy = chosen->policy,
		.node = holds_nodes(vol, chosen->segment),
	};
	struct ft_gc *gc = vol->gc;

	chosen->valid = victim.valid;
	guard(ft_spinlock)(&gc->lock);
	gc->sums.victims[victim.kind]++;
	if (victim.kind < FT_GC_KINDS) {
		victim.number = gc->chosen++;
		remember(gc, &victim);
		/* the segment may have been a victim before */
		gc->last = gc->newest;
	}
}

/* Was a segment among those that were chosen together? */
static bool is_of(const struct ft_gc_victim *victim, u32 segment)
{
	return segment - victim->segment < victim->segments;
}

/* The latest victim that holds a segment. Most blocks come from the last one. */
static struct ft_gc_victim *find(struct ft_gc *gc, u32 segment)
{
	unsigned int n = 0;
	u16 i;

	if (!gc->nr)
		return NULL;
	if (is_of(&gc->victim[gc->last], segment))
		return &gc->victim[gc->last];
	for (i = *chain_of(gc, segment); i != FT_GC_NONE; i = gc->victim[i].next) {
		ft_check_steps(++n, FT_GC_VICTIMS);
		if (is_of(&gc->victim[i], segment)) {
			gc->last = i;
			return &gc->victim[i];
		}
	}
	return NULL;
}

/**
 * ft_gc_chosen() - was the segment of a block chosen to be cleaned?
 * @vol: the volume
 * @lba: the block
 *
 * Context: a probe.
 * Return: true if so, and the victim is still known.
 */
bool ft_gc_chosen(struct ft_volume *vol, u32 lba)
{
	guard(ft_spinlock)(&vol->gc->lock);
	return find(vol->gc, ft_segment_of(vol, lba));
}

/* A block of a file has been moved out of a victim. */
static void count_share(struct ft_gc *gc, const struct ft_gc_victim *victim, u32 ino)
{
	struct ft_gc_share *share;
	u32 n;

	for (n = 0; n < min_t(u32, gc->nr_shares, FT_GC_SEARCHED); n++) {
		share = &gc->share[(gc->newest_share - n) % FT_GC_SHARES];
		if (share->victim == victim->number && share->ino == ino) {
			share->blocks++;
			return;
		}
	}
	gc->newest_share = (gc->newest_share + 1) % FT_GC_SHARES;
	gc->nr_shares = min_t(u32, gc->nr_shares + 1, FT_GC_SHARES);
	gc->share[gc->newest_share] = (struct ft_gc_share){
		.victim = victim->number,
		.segment = victim->segment,
		.ino = ino,
		.blocks = 1,
	};
}

/**
 * ft_gc_moved() - garbage collection has moved a block of data
 * @vol: the volume
 * @rec: the file; NULL if it is not watched
 * @lba: where the block was
 *
 * Context: a probe.
 */
void ft_gc_moved(struct ft_volume *vol, struct ft_inode *rec, u32 lba)
{
	enum ft_victim_kind kind = READ_ONCE(vol->gc_foreground) ? FT_VICTIM_FG : FT_VICTIM_BG;
	struct ft_gc *gc = vol->gc;
	struct ft_gc_victim *victim;
	u32 *moved;

	guard(ft_spinlock)(&gc->lock);
	victim = find(gc, ft_segment_of(vol, lba));
	if (victim) {
		kind = victim->kind;
		victim->moved++;
		victim->watched += !!rec;
		if (rec)
			count_share(gc, victim, rec->ino);
	} else {
		gc->sums.unknown++;
	}
	gc->sums.moved[kind]++;
	gc->sums.watched[kind] += !!rec;
	if (rec) {
		moved = ft_gc_moved_of(rec);
		WRITE_ONCE(moved[kind], moved[kind] + 1);
	}
}

/**
 * ft_gc_moved_of() - how many blocks of a file garbage collection has moved
 * @rec: the file
 *
 * Context: any; lock of &struct ft_gc to change them.
 * Return: %FT_GC_KINDS numbers, by enum ft_victim_kind.
 */
u32 *ft_gc_moved_of(const struct ft_inode *rec)
{
	return ft_record_at(rec, moved_at);
}
