// SPDX-License-Identifier: GPL-2.0-only
/*
 * Our own tracepoints.
 *
 * In: changes of maps by event.c, rebuild.c and inode.c. Out: events, for programs
 * that have enabled them. All of this runs only while an event is enabled.
 */

#include <linux/string.h>

#include "causes/breaks.h"
#include "causes/writer.h"
#include "core/base.h"
#include "core/record.h"
#include "core/volume.h"
#include "maps/rebuild.h"
#include "maps/trace.h"

#define CREATE_TRACE_POINTS
#include "maps/fragtrace_trace.h"

/* Ranges of a file that are compared while its lock is held. */
#define PIECES_AT_ONCE	64

/* === Events =============================================================== */

static void set_writer(const struct ft_inode *rec, struct ft_trace_change *c, u32 number)
{
	const struct ft_writer *w = NULL;

	if (rec->vol->writers && number >= FT_FIRST_WRITER)
		w = ft_writer_find(rec->vol, number);
	c->pid = w ? w->pid : 0;
	if (w)
		memcpy(c->comm, w->comm, sizeof(c->comm));
	else if (number == FT_SNAP_WRITER_SEVERAL)
		strscpy_pad(c->comm, "several", sizeof(c->comm));
	else
		strscpy_pad(c->comm, "unknown", sizeof(c->comm));
}

static void fire(struct ft_inode *rec, struct ft_trace_change *c, u32 writer)
{
	lockdep_assert_held(&rec->lock);
	set_writer(rec, c, writer);
	c->seq = atomic_inc_return(&rec->vol->nr_traced);
	trace_extent_change(rec, c);
}

/* === Changes ============================================================== */

/* The extent or hole of the map that begins at a block, up to @end at most. */
static void range_at(struct ft_extmap *map, u32 lblk, u32 end, struct ft_extent *range, s64 *lba)
{
	struct ft_extent ext;
	u32 stop = end;

	range->lblk = lblk;
	range->encoded = false;
	*lba = FT_TRACE_HOLE;
	if (ft_extmap_next(map, lblk, &ext)) {
		if (ext.lblk > lblk) {
			stop = min(ext.lblk, end);
		} else {
			stop = min(ft_extent_end(&ext), end);
			range->encoded = ext.encoded;
			*lba = ext.lba == FT_LBA_UNWRITTEN ?
				       FT_TRACE_UNWRITTEN : (s64)ext.lba + (lblk - ext.lblk);
		}
	}
	range->len = stop - lblk;
}

/* Count breaks in [@lblk, @end), and the one at the next written block. */
static s32 count_breaks(struct ft_inode *rec, u32 lblk, u32 end)
{
	struct ft_extent ext;
	bool has_prev;
	s32 breaks = 0;
	u32 prev, pos = lblk;
	unsigned int n;

	has_prev = ft_extmap_before(&rec->map, lblk, &prev);
	for (n = 0; n < FT_MAX_EXTENTS_AT_ONCE; n++) {
		if (!ft_extmap_next(&rec->map, pos, &ext))
			return breaks;
		pos = ft_extent_end(&ext);
		if (ext.lba == FT_LBA_UNWRITTEN)
			continue;
		/* no break if the extent begins before the range */
		if (has_prev && ext.lblk >= lblk && ext.lba != prev + 1)
			breaks++;
		if (pos > end)
			return breaks;
		has_prev = true;
		prev = ext.lba + ext.len - 1;
	}
	return FT_TRACE_NOT_COUNTED;
}

static s32 more_breaks(struct ft_inode *rec, u32 lblk, u32 end, const struct ft_traced *traced)
{
	s32 breaks;

	if (traced->breaks == FT_TRACE_NOT_COUNTED)
		return FT_TRACE_NOT_COUNTED;
	breaks = count_breaks(rec, lblk, end);
	return breaks == FT_TRACE_NOT_COUNTED ? breaks : breaks - traced->breaks;
}

/**
 * ft_trace_before_any() - read a range that is about to change
 * @rec: the file
 * @lblk: the first block
 * @end: its end, exclusive
 * @traced: filled; for the function to be called after the change
 *
 * Context: atomic, rec->lock held.
 */
void ft_trace_before_any(struct ft_inode *rec, u32 lblk, u32 end, struct ft_traced *traced)
{
	struct ft_extent ext;

	traced->on = true;
	traced->any = ft_extmap_next(&rec->map, lblk, &ext) && ext.lblk < end;
	range_at(&rec->map, lblk, end, &ext, &traced->old_lba);
	traced->breaks = count_breaks(rec, lblk, end);
}

/* The reason why the first block of a range that was just stored is where it is. */
static enum ft_why why_here(struct ft_inode *rec, const struct ft_extent *ext)
{
	u32 prev;

	if (!ft_extmap_before(&rec->map, ext->lblk, &prev) || ext->lba == prev + 1)
		return FT_WHY_NONE;
	if (!ft_causes_wanted())
		return FT_WHY_UNKNOWN;
	return ft_cause_why(ft_extmap_cause(&rec->map, ext->lblk));
}

/**
 * ft_trace_stored() - a range was allocated
 * @rec: the file
 * @ext: the range and its LBA
 * @traced: the range before the change
 * @alloc: the allocation
 *
 * Context: atomic, rec->lock held, RCU read section.
 */
void ft_trace_stored(struct ft_inode *rec, const struct ft_extent *ext,
		     const struct ft_traced *traced, const struct ft_alloc *alloc)
{
	struct ft_trace_change c = {
		.lblk = ext->lblk,
		.len = ext->len,
		.old_lba = traced->old_lba,
		.new_lba = ext->lba,
		.op = alloc->op,
		.flush = alloc->flush,
		.encoded = ext->encoded,
	};

	c.breaks = more_breaks(rec, ext->lblk, ft_extent_end(ext), traced);
	c.why = why_here(rec, ext);
	fire(rec, &c, alloc->writer);
}

/**
 * ft_trace_erased() - a range has no LBA any more
 * @rec: the file
 * @lblk: its first block
 * @end: its end, exclusive; %FT_LBLK_END if the file was truncated
 * @traced: the range before the change
 * @alloc: the operation, if it was not truncated
 *
 * Context: atomic, rec->lock held, RCU read section.
 */
void ft_trace_erased(struct ft_inode *rec, u32 lblk, u32 end, const struct ft_traced *traced,
		     const struct ft_alloc *alloc)
{
	struct ft_trace_change c = {
		.lblk = lblk,
		.len = end - lblk,
		.old_lba = traced->old_lba,
		.new_lba = FT_TRACE_HOLE,
		.op = end == FT_LBLK_END ? (u8)FT_TRACE_TRUNCATE : alloc->op,
		.flush = alloc->flush,
	};

	if (!traced->any)
		return;
	c.breaks = more_breaks(rec, lblk, end, traced);
	fire(rec, &c, alloc->writer);
}

/**
 * ft_trace_reserved() - holes in a range became unwritten extents
 * @rec: the file
 * @lblk: the first block of the range
 * @end: its end, exclusive
 * @err: if not 0, only some of them have, and it is not known which
 *
 * Context: atomic, rec->lock held.
 */
void ft_trace_reserved(struct ft_inode *rec, u32 lblk, u32 end, int err)
{
	struct ft_trace_change c = {
		.lblk = lblk,
		.len = end - lblk,
		.old_lba = FT_TRACE_HOLE,
		.new_lba = FT_TRACE_UNWRITTEN,
		.op = FT_OP_PREALLOC,
	};

	if (err)
		ft_trace_unknown(rec);
	else if (lblk < end)
		fire(rec, &c, FT_SNAP_WRITER_UNKNOWN);
}

/**
 * ft_trace_drop() - all extents are about to be dropped
 * @rec: the file
 * @op: why
 *
 * Context: atomic, rec->lock held.
 */
void ft_trace_drop(struct ft_inode *rec, enum ft_trace_op op)
{
	struct ft_trace_change c = {
		.len = FT_LBLK_END,
		.new_lba = FT_TRACE_HOLE,
		.op = op,
	};
	struct ft_extent ext;

	if (!rec->map.nr)
		return;
	range_at(&rec->map, 0, FT_LBLK_END, &ext, &c.old_lba);
	c.breaks = count_breaks(rec, 0, FT_LBLK_END);
	if (c.breaks != FT_TRACE_NOT_COUNTED)
		c.breaks = -c.breaks;
	fire(rec, &c, FT_SNAP_WRITER_UNKNOWN);
}

/**
 * ft_trace_unknown() - the map has changed, without events for the change
 * @rec: the file
 *
 * Context: atomic, rec->lock held.
 */
void ft_trace_unknown(struct ft_inode *rec)
{
	struct ft_trace_change c = {
		.len = FT_LBLK_END,
		.old_lba = FT_TRACE_COPY,
		.new_lba = FT_TRACE_COPY,
		.breaks = FT_TRACE_NOT_COUNTED,
		.op = FT_TRACE_SCAN,
	};

	fire(rec, &c, FT_SNAP_WRITER_UNKNOWN);
}

/* === Scans ================================================================ */

/* Fire the event for a range in which the scan found something else. */
static void differs(struct ft_inode *rec, u32 lblk, u32 len, s64 old_lba, s64 new_lba, bool encoded)
{
	struct ft_trace_change c = {
		.lblk = lblk,
		.len = len,
		.old_lba = old_lba,
		.new_lba = new_lba,
		.breaks = FT_TRACE_NOT_COUNTED,
		.op = rec->doubt == FT_OP_UNKNOWN ? FT_TRACE_SCAN : rec->doubt,
		.why = FT_WHY_UNKNOWN,
		.encoded = encoded,
	};

	/* FT_TRACE_UNWRITTEN keeps written blocks: report a hole first */
	if (new_lba == FT_TRACE_UNWRITTEN && old_lba != FT_TRACE_HOLE) {
		c.new_lba = FT_TRACE_HOLE;
		fire(rec, &c, FT_SNAP_WRITER_UNKNOWN);
		c.old_lba = FT_TRACE_HOLE;
		c.new_lba = FT_TRACE_UNWRITTEN;
	}
	fire(rec, &c, FT_SNAP_WRITER_UNKNOWN);
}

/**
 * ft_trace_found() - fire events for some changes of a map that a scan replaces
 * @rec: the file, whose second map is complete
 * @from: the block to go on from; moved on, to @end in the end
 * @end: the end of what was scanned
 *
 * From here on events change both maps alike. So a range that is the same in both,
 * or that was reported, need not be reported again.
 *
 * Context: process, rec->lock held.
 */
void ft_trace_found(struct ft_inode *rec, u32 *from, u32 end)
{
	struct ft_extent known, found;
	s64 old_lba, new_lba;
	unsigned int n;

	for (n = 0; n < PIECES_AT_ONCE && *from < end; n++) {
		range_at(&rec->map, *from, end, &known, &old_lba);
		range_at(ft_built_map(rec), *from, ft_extent_end(&known), &found, &new_lba);
		if (old_lba != new_lba || known.encoded != found.encoded)
			differs(rec, *from, found.len, old_lba, new_lba, found.encoded);
		*from = ft_extent_end(&found);
	}
}

/* === Files and segments =================================================== */

/**
 * ft_trace_state_any() - the state of a file has changed
 * @rec: the file, or a directory
 * @from: enum ft_state; %FT_NR_STATES: the record is new
 * @to: enum ft_state
 *
 * Context: atomic, rec->lock held, or no other task has the record.
 */
void ft_trace_state_any(struct ft_inode *rec, unsigned int from, unsigned int to)
{
	if (!rec->is_dir)
		trace_file_state(rec, from, to);
}

/**
 * ft_trace_victim_any() - F2FS has chosen segments
 * @vol: the volume
 * @victim: the segments
 *
 * Context: atomic, RCU read section.
 */
void ft_trace_victim_any(struct ft_volume *vol, const struct ft_victim *victim)
{
	trace_gc_victim(vol, victim);
}
