// SPDX-License-Identifier: GPL-2.0-only
/*
 * Why the fragments of a file begin where they do.
 *
 * In: changes of the map of a file by maps/event.c and maps/rebuild.c. Out: a cause for each
 * extent that is not right after its predecessor, kept in the map. When a range changes,
 * only two breaks can appear: before its first block, and before the next written block.
 * In both cases the allocation just made is the later one of the two.
 *
 * No extent depends on any of this. If memory is short, causes are dropped before maps.
 */

#include "causes/breaks.h"
#include "causes/tally.h"
#include "causes/writer.h"
#include "core/base.h"
#include "core/compat.h"
#include "core/memory.h"
#include "f2fs/segment.h"

/* === What outlives an extent ============================================== */

/* What is expected to be written to a file; NULL if memory is short. */
static struct ft_awaited *awaited_of(struct ft_inode *rec)
{
	if (!rec->awaited && ft_mem_allows_causes(0))
		WRITE_ONCE(rec->awaited, ft_mem_zalloc(sizeof(*rec->awaited),
						       GFP_NOWAIT | __GFP_NOWARN));
	return rec->awaited;
}

static void forget_awaited(struct ft_inode *rec)
{
	struct ft_awaited *a = rec->awaited;

	if (!a)
		return;
	WRITE_ONCE(rec->awaited, NULL);
	ft_mem_free(a, sizeof(*a));
}

/* Free it if nothing is expected any more. */
static void check_awaited(struct ft_inode *rec)
{
	if (!rec->awaited->cut && !rec->awaited->mapped_end)
		forget_awaited(rec);
}

/**
 * ft_breaks_drop() - all extents of a file are dropped
 * @rec: the file
 *
 * Context: atomic, rec->lock held, or no other task has the record.
 */
void ft_breaks_drop(struct ft_inode *rec)
{
	rec->replaced_at = 0;
	forget_awaited(rec);
}

/**
 * ft_breaks_replaced() - a break that replaced an older one has gone
 * @rec: the file, which has such a break; the older one counts as healed
 *
 * Context: atomic, rec->lock held.
 */
void ft_breaks_replaced(struct ft_inode *rec)
{
	ft_tally_healed(rec->vol, rec->extension, rec->replaced);
	rec->replaced_at = 0;
}

/* The map has grown because of a cause, the one at @lblk. All CPUs share the account. */
static noinline void charge(struct ft_inode *rec, u32 lblk, u64 old_bytes)
{
	struct ft_extmap *map = &rec->map;

	ft_mem_charge(map, rec->owner, map->nr, old_bytes);
	/* a third of a map are causes */
	if (ft_mem_allows_causes(map->bytes / 3))
		return;
	old_bytes = map->bytes;
	ft_extmap_drop_causes(map, lblk, 1);
	ft_mem_charge(map, rec->owner, map->nr, old_bytes);
	ft_count(FT_CAUSES_LOST);
}

/**
 * ft_breaks_set_cause() - set the cause of an extent in the map of a file
 * @rec: the file
 * @lblk: the first block of the extent; if none begins there, nothing changes
 * @cause: the cause
 *
 * If memory is short, the causes around it are lost.
 *
 * Context: atomic, rec->lock held.
 */
void ft_breaks_set_cause(struct ft_inode *rec, u32 lblk, u32 cause)
{
	u64 bytes = rec->map.bytes;

	ft_extmap_set_cause(&rec->map, lblk, cause);
	if (unlikely(rec->map.bytes != bytes))
		charge(rec, lblk, bytes);
}

/* === Why here ============================================================= */

/* File @ino, written by @by, got the block that would have followed @rec's last one. */
static noinline void blame(struct ft_inode *rec, const struct ft_alloc *alloc, u32 ino, u32 by)
{
	const struct ft_inode *culprit = xa_load(&rec->vol->inodes, ino);
	const struct ft_pair pair = {
		.victim = ft_writer_first(rec->vol, alloc->writer),
		.victim_ext = rec->extension,
		.culprit = ft_writer_first(rec->vol, by),
		.culprit_ext = culprit && !culprit->is_dir ?
				       culprit->extension : FT_EXTENSION_UNWATCHED,
	};

	ft_tally_pair(rec->vol, &pair);
}

/*
 * The reason why a block that has just been allocated at @lba, and was at @old_lba
 * before, does not follow @prev.
 */
static __always_inline enum ft_why why_not_after(struct ft_inode *rec, u32 prev, u32 lba,
						 u32 old_lba, const struct ft_alloc *alloc)
{
	struct ft_volume *vol = rec->vol;
	struct ft_run run;
	int log;

	if (old_lba == prev + 1)
		return FT_WHY_MOVED;
	log = ft_segment_compare(vol, prev, lba);
	if (log < 0)
		return FT_WHY_UNKNOWN;
	if (log & FT_OTHER_LOG)
		return FT_WHY_OTHER_LOG;
	if (log & FT_FILLS_HOLES ||
	    ft_log_filled(&vol->logs->log[ft_log_nr(log)], ft_segment_of(vol, lba)))
		return FT_WHY_SSR;
	if (!ft_segment_offset(vol, prev + 1))
		return FT_WHY_NEW_SEGMENT;
	run = ft_log_who_took(vol, log, prev + 1);
	if (run.lba) {
		if (run.ino != rec->ino)
			blame(rec, alloc, run.ino, run.writer);
		else if (old_lba != FT_LBA_UNWRITTEN || !ft_segment_is_valid(vol, prev + 1))
			/* blocks of this file are written in another order */
			return FT_WHY_MOVED;
		return FT_WHY_INTERLEAVED;
	}
	if (old_lba != FT_LBA_UNWRITTEN)
		return FT_WHY_MOVED;
	return ft_segment_is_valid(vol, prev + 1) ? FT_WHY_INTERLEAVED : FT_WHY_UNKNOWN;
}

/*
 * The reason why @next, which is older, does not follow the previous block, which has
 * just been allocated at @lba, and was at @old_lba before.
 */
static enum ft_why why_not_before(struct ft_inode *rec, u32 lba, u32 old_lba, u32 next)
{
	if (old_lba != FT_LBA_UNWRITTEN)
		return FT_WHY_MOVED;
	if (ft_segment_log(rec->vol, lba) != ft_segment_log(rec->vol, next))
		return FT_WHY_OTHER_LOG;
	/* blocks of this file got the blocks of a log in another order */
	return FT_WHY_INTERLEAVED;
}

/* === Events =============================================================== */

static u32 cause_of(const struct ft_alloc *alloc, enum ft_why why)
{
	return ft_cause(alloc->op, alloc->flush, why, alloc->writer);
}

/*
 * The break at a block has gone. An operation that moves block after block makes a
 * break after each block, and the next block heals it. Such a break does not count.
 * If it had replaced an older break, the older one has been healed now.
 */
static void healed(struct ft_inode *rec, u32 lblk, u32 cause, const struct ft_alloc *alloc)
{
	if ((cause & ~FT_CAUSE_WHY_MASK) != cause_of(alloc, FT_WHY_NONE))
		ft_tally_healed(rec->vol, rec->extension, cause);
	else if (rec->replaced_at == lblk + 1)
		ft_breaks_replaced(rec);
}

/* Count breaks before and after a range that have gone with this change. */
static void count_healed(struct ft_inode *rec, const struct ft_extent *ext,
			 const struct ft_around *before, const struct ft_alloc *alloc)
{
	u32 prev;

	if (before->has_prev && before->first != FT_LBA_UNWRITTEN &&
	    before->first != before->prev + 1 && ext->lba == before->prev + 1)
		healed(rec, ext->lblk, before->cause, alloc);
	if (!before->has_next || ext->lba + ext->len != before->next)
		return;
	if (before->last != FT_LBA_UNWRITTEN)
		prev = before->last;
	else if (before->has_prev && ext->len == 1)
		prev = before->prev;
	else
		return;
	if (before->next != prev + 1)
		healed(rec, before->limit, before->next_cause, alloc);
}

/* The cause of a break before a range that was just allocated, if there is one. */
static u32 cause_before(struct ft_inode *rec, const struct ft_extent *ext,
			const struct ft_around *before, const struct ft_alloc *alloc)
{
	u32 cause;

	if (!before->has_prev)
		return cause_of(alloc, FT_WHY_NONE);
	if (ext->lba == before->prev + 1)
		return before->prev_cause;
	cause = cause_of(alloc, why_not_after(rec, before->prev, ext->lba, before->first, alloc));
	/*
	 * F2FS made the previous block of inline data. It writes that at once, to the
	 * log of hot data, so no next block can follow it.
	 */
	if (alloc->op == FT_OP_APPEND && ext->lblk == 1 &&
	    ft_cause_op(before->prev_cause) == FT_OP_INLINE)
		cause += FT_OP_INLINE - FT_OP_APPEND;
	return cause;
}

/* The cause of the break after a range; there is one. */
static u32 cause_after(struct ft_inode *rec, const struct ft_extent *ext,
		       const struct ft_around *before, const struct ft_alloc *alloc)
{
	/* its predecessor was erased before, and is now written elsewhere */
	if (before->last == FT_LBA_UNWRITTEN && ft_cause_why(before->next_cause) == FT_WHY_MOVED)
		return cause_of(alloc, FT_WHY_MOVED);
	return cause_of(alloc, why_not_before(rec, ext->lba + ext->len - 1,
					      before->last, before->next));
}

/**
 * ft_breaks_stored() - a range was allocated
 * @rec: the file; the map has been changed already
 * @ext: the range and its LBA
 * @before: the range and its neighbours before the change
 * @alloc: the allocation
 *
 * Context: atomic, rec->lock held, RCU read section.
 */
void ft_breaks_stored(struct ft_inode *rec, const struct ft_extent *ext,
		      const struct ft_around *before, const struct ft_alloc *alloc)
{
	count_healed(rec, ext, before, alloc);
	ft_breaks_set_cause(rec, ext->lblk, cause_before(rec, ext, before, alloc));
	if (!before->has_next || before->next == ext->lba + ext->len)
		return;
	ft_breaks_set_cause(rec, before->limit, cause_after(rec, ext, before, alloc));
	if (before->last != FT_LBA_UNWRITTEN && before->next != before->last + 1) {
		rec->replaced = before->next_cause;
		rec->replaced_at = before->limit + 1;
	}
}

/**
 * ft_breaks_erased() - a range has no LBA any more
 * @rec: the file; the map has been changed already
 * @lblk: its first block
 * @end: its end, exclusive
 * @before: the range and its neighbours before the change
 * @alloc: the operation
 *
 * Context: atomic, rec->lock held.
 */
void ft_breaks_erased(struct ft_inode *rec, u32 lblk, u32 end, const struct ft_around *before,
		      const struct ft_alloc *alloc)
{
	if (before->has_next && before->has_prev && before->next != before->prev + 1)
		ft_breaks_set_cause(rec, before->limit, cause_of(alloc, FT_WHY_MOVED));
	if (rec->replaced_at > lblk && rec->replaced_at <= end)
		rec->replaced_at = 0;
}

/*
 * No probe runs here that has the super block in use. While this lock is held the
 * super block stays, unless it is gone already.
 */
static enum ft_why why_found(struct ft_inode *rec, u32 prev, u32 lba, const struct ft_alloc *alloc)
{
	guard(ft_spinlock)(&rec->vol->queue_lock);
	return why_not_after(rec, prev, lba, FT_LBA_UNWRITTEN, alloc);
}

/* Does the live map have a break before its extent @known, with a cause? */
static bool was_broken(struct ft_inode *rec, const struct ft_extent *known)
{
	u32 prev;

	return ft_extmap_before(&rec->map, known->lblk, &prev) &&
	       known->lba != prev + 1 && ft_cause_why(known->cause) != FT_WHY_NONE;
}

/**
 * ft_breaks_found() - why an extent that a scan found begins where it does
 * @rec: the file, whose map is still the old one
 * @ext: the extent, written
 * @prev: where the scan found the written block before it, %FT_LBA_UNWRITTEN if
 *	there is none
 *
 * An extent keeps its cause if neither it nor the block before it has moved.
 *
 * Context: atomic, rec->lock held, RCU read section.
 * Return: the cause.
 */
u32 ft_breaks_found(struct ft_inode *rec, const struct ft_extent *ext, u32 prev)
{
	const struct ft_alloc alloc = {
		.op = rec->doubt,
		.writer = rec->doubt ? rec->writer : FT_SNAP_WRITER_UNKNOWN,
	};
	bool broken = prev != FT_LBA_UNWRITTEN && ext->lba != prev + 1;
	enum ft_why why = FT_WHY_NONE;
	struct ft_extent known;
	bool stayed;

	stayed = ft_extmap_next(&rec->map, ext->lblk, &known) &&
		 known.lba != FT_LBA_UNWRITTEN && known.lblk <= ext->lblk &&
		 known.lba - known.lblk == ext->lba - ext->lblk;
	if (stayed && (!broken || (known.lblk == ext->lblk && was_broken(rec, &known))))
		return known.cause;
	if (!broken && alloc.op == FT_OP_UNKNOWN)
		return FT_CAUSE_UNKNOWN;
	if (broken && alloc.op == FT_OP_UNKNOWN)
		why = FT_WHY_UNKNOWN;
	else if (broken && (stayed || alloc.op == FT_OP_RANGE))
		why = FT_WHY_MOVED;
	else if (broken)
		why = why_found(rec, prev, ext->lba, &alloc);
	return cause_of(&alloc, why);
}

/* === Before the blocks are allocated ====================================== */

/**
 * ft_breaks_cut() - a file is truncated
 * @rec: the file
 * @lblk: the first block that is freed
 * @within: the block before it is cut, and will be rewritten
 *
 * Context: atomic, rec->lock held.
 */
void ft_breaks_cut(struct ft_inode *rec, u32 lblk, bool within)
{
	struct ft_awaited *a = rec->awaited;

	if (within && lblk)
		a = awaited_of(rec);
	if (!a)
		return;
	a->cut = within ? lblk : 0;
	check_awaited(rec);
}

/**
 * ft_breaks_written_by() - another process than before writes to a file
 * @rec: the file
 * @writer: its number
 * @dirty: data of earlier writers may not have been flushed yet
 *
 * Context: atomic, rec->lock held, RCU read section.
 */
void ft_breaks_written_by(struct ft_inode *rec, u32 writer, bool dirty)
{
	if (dirty && rec->writer != FT_SNAP_WRITER_UNKNOWN &&
	    ft_writer_first(rec->vol, rec->writer) != ft_writer_first(rec->vol, writer))
		writer = FT_SNAP_WRITER_SEVERAL;
	WRITE_ONCE(rec->writer, writer);
}

/**
 * ft_breaks_written() - blocks are about to be written by a system call
 * @rec: the file
 * @lblk: the first one
 * @end: end of the range, exclusive
 * @clean: all earlier data has been flushed
 *
 * Context: atomic, rec->lock held.
 */
void ft_breaks_written(struct ft_inode *rec, u32 lblk, u32 end, bool clean)
{
	struct ft_awaited *a = rec->awaited;

	if (!a)
		return;
	if (clean)
		a->mapped_end = 0;
	if (a->cut > lblk && a->cut <= end)
		a->cut = 0;
	if (a->mapped_end && lblk <= a->mapped)
		a->mapped = max(a->mapped, end);
	if (end >= a->mapped_end)
		a->mapped_end = min(a->mapped_end, lblk);
	if (a->mapped >= a->mapped_end)
		a->mapped_end = 0;
	check_awaited(rec);
}

/**
 * ft_breaks_mapped() - a block is about to be written through a mapping
 * @rec: the file
 * @lblk: the block
 *
 * Context: atomic, rec->lock held.
 */
void ft_breaks_mapped(struct ft_inode *rec, u32 lblk)
{
	struct ft_awaited *a = awaited_of(rec);

	if (!a)
		return;
	a->mapped = a->mapped_end ? min(a->mapped, lblk) : lblk;
	a->mapped_end = max(a->mapped_end, lblk + 1);
}

/**
 * ft_breaks_op() - the operation because of which F2FS writes a block
 * @rec: the file
 * @lblk: the block
 * @rewritten: it had another LBA before
 *
 * Context: atomic, rec->lock held.
 * Return: the operation.
 */
enum ft_op ft_breaks_op(struct ft_inode *rec, u32 lblk, bool rewritten)
{
	struct ft_awaited *a = rec->awaited;

	if (a && rewritten && a->cut == lblk + 1) {
		a->cut = 0;
		check_awaited(rec);
		return FT_OP_TAIL;
	}
	if (a && lblk >= a->mapped && lblk < a->mapped_end)
		return FT_OP_MMAP;
	return rewritten ? FT_OP_OVERWRITE : FT_OP_APPEND;
}
