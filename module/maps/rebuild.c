// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replace the extent map of a file by the extents that F2FS reports.
 *
 * In: extents from scan/file.c. Out: a new map. The writers go on: the new map is built
 * beside the live one while events change both. The touched map records where an
 * event changed them; there the event is right, not the scan. Each file that is
 * being scanned has a second map of its own: scans take turns, one step each.
 *
 * F2FS reports a new address just before it puts it into its extent cache, and
 * FIEMAP reads that cache. A scan that begins in between reads the old address,
 * and no later event corrects it. So a scan that finds a block elsewhere than the
 * map has it does not settle anything: either an event was missed, or the scan came
 * too early. The next scan begins after F2FS has made all changes that it had
 * reported (see scan/file.c). It either confirms what this one found, or not.
 */

#include <linux/sched.h>

#include "causes/breaks.h"
#include "core/base.h"
#include "core/memory.h"
#include "core/queue.h"
#include "core/volume.h"
#include "maps/budget.h"
#include "maps/inode.h"
#include "maps/rebuild.h"
#include "maps/trace.h"

/* Ranges that are changed before writers get the lock again. */
#define PATCHED_AT_ONCE	64

/**
 * ft_rebuild_begin() - start to build a second map
 * @rec: the file; it is not being scanned
 * @audit: only compare the map with it, do not replace it
 *
 * Context: process; the caller is the worker that has taken the file.
 * Return: 0; -ENOENT if there is nothing to scan any more; -EAGAIN if a change that
 * no event describes came so shortly ago that F2FS may not have made it; -ENOMEM.
 */
int ft_rebuild_begin(struct ft_inode *rec, bool audit)
{
	struct ft_rebuild *new = ft_mem_zalloc(sizeof(*new), GFP_KERNEL);
	int err = 0;

	if (!new)
		return -ENOMEM;
	ft_extmap_init(&new->built);
	ft_extmap_init(&new->touched);
	new->end = FT_LBLK_END;
	new->step = FT_SCAN_STEP_FIRST;
	new->last_lba = FT_LBA_UNWRITTEN;
	new->audit = audit;

	ft_inode_lock(rec);
	if (!ft_inode_followed(rec)) {
		err = -ENOENT;
	} else if (!ft_volume_epoch_settled(rec->vol, rec->epoch)) {
		err = -EAGAIN;
	} else {
		WRITE_ONCE(rec->last_write, FT_NO_WRITE);
		ft_extmap_expect_nothing(&rec->map);
		new->resync_before = rec->resync;
		new->audit_before = rec->audit;
		rec->rebuild = new;
		if (!audit) {
			ft_inode_part(rec, &new->from, &new->end);
			new->pos = (u64)new->from << FT_BLOCK_BITS;
			ft_extmap_before(&rec->map, new->from, &new->last_lba);
			ft_inode_change(rec, FT_SCAN_BEGINS);
		}
	}
	spin_unlock(&rec->lock);
	if (err)
		ft_mem_free(new, sizeof(*new));
	return err;
}

/*
 * Does the map have some of these blocks elsewhere? Also true if there are too many
 * extents to check.
 */
static bool contradicts(struct ft_inode *rec, const struct ft_extent *found)
{
	u32 pos = found->lblk, end = ft_extent_end(found);
	struct ft_extent known;
	unsigned int n;

	if (found->lba == FT_LBA_UNWRITTEN)
		return false;
	for (n = 0; n < FT_MAX_EXTENTS_AT_ONCE; n++) {
		if (!ft_extmap_next(&rec->map, pos, &known) || known.lblk >= end)
			return false;
		if (known.lba != FT_LBA_UNWRITTEN &&
		    known.lba - known.lblk != found->lba - found->lblk)
			return true;
		pos = ft_extent_end(&known);
		if (pos >= end)
			return false;
	}
	return true;
}

/* Are some of these blocks in no extent of the new map? Also true if there are too many. */
static bool lacks(struct ft_inode *rec, u32 pos, u32 end)
{
	struct ft_extent known;
	unsigned int n;

	for (n = 0; n < FT_MAX_EXTENTS_AT_ONCE && pos < end; n++) {
		if (!ft_extmap_next(ft_built_map(rec), pos, &known) || known.lblk > pos)
			return true;
		pos = ft_extent_end(&known);
	}
	return pos < end;
}

/* Why does an extent that the scan found begin where it does? */
static void note_cause(struct ft_inode *rec, struct ft_extent *part)
{
	u32 *last = &rec->rebuild->last_lba;

	if (part->lba == FT_LBA_UNWRITTEN)
		return;
	part->cause = ft_causes_wanted() && !rec->rebuild->audit ?
			      ft_breaks_found(rec, part, *last) : FT_CAUSE_UNKNOWN;
	*last = part->lba + part->len - 1;
}

static bool has_cause(const struct ft_extent *ext)
{
	return ft_causes_wanted() && ext->lba != FT_LBA_UNWRITTEN;
}

/**
 * ft_rebuild_set_cause() - set the cause of an extent in the map that a scan is building
 * @rec: the file
 * @lblk: the first block of the extent; if none begins there, nothing changes
 * @cause: the cause
 *
 * An audit compares no causes. If memory is short, the causes around it are lost.
 *
 * Context: atomic, rec->lock held.
 */
void ft_rebuild_set_cause(struct ft_inode *rec, u32 lblk, u32 cause)
{
	u64 bytes = ft_second_bytes(rec);

	if (rec->rebuild->audit)
		return;
	ft_extmap_set_cause(ft_built_map(rec), lblk, cause);
	if (likely(ft_second_bytes(rec) == bytes))
		return;
	if (!ft_mem_allows_second(ft_second_bytes(rec))) {
		ft_extmap_drop_causes(ft_built_map(rec), lblk, 1);
		ft_count(FT_CAUSES_LOST);
	}
	ft_mem_charge_second(ft_second_bytes(rec), bytes);
}

/*
 * Store in the new map what the scan found from *@pos on, up to the next block that
 * an event touched, and move *@pos to the end of that.
 */
static int merge_part(struct ft_inode *rec, const struct ft_extent *found, u32 *pos)
{
	u32 end = min(ft_extent_end(found), rec->rebuild->end);
	u32 stop = end, next = end;
	struct ft_extent part = *found, mark;
	u64 bytes = ft_second_bytes(rec);
	int err = 0;

	if (*pos >= end) {
		/* FIEMAP reports extents as a whole */
		*pos = ft_extent_end(found);
		return 0;
	}

	if (ft_extmap_next(ft_touched_map(rec), *pos, &mark) && mark.lblk < end) {
		stop = max(mark.lblk, *pos);
		next = ft_extent_end(&mark);
	}
	if (stop > *pos) {
		part.lblk = *pos;
		part.len = stop - *pos;
		if (part.lba != FT_LBA_UNWRITTEN)
			part.lba += *pos - found->lblk;
		if (contradicts(rec, &part))
			rec->rebuild->contradicted = true;
		note_cause(rec, &part);
		err = ft_extmap_store(ft_built_map(rec), &part);
		ft_mem_charge_second(ft_second_bytes(rec), bytes);
		if (!err && has_cause(&part))
			ft_rebuild_set_cause(rec, part.lblk, part.cause);
	}
	if (next != stop) {
		rec->rebuild->last_lba = FT_LBA_UNWRITTEN;
		/* the event of zeroed blocks only says that they have no address */
		if (found->lba == FT_LBA_UNWRITTEN && lacks(rec, stop, min(next, end)))
			rec->rebuild->contradicted = true;
	}
	*pos = next;
	return err;
}

/* Drop some causes of the map that is being built. False once all of it has been tried. */
static bool drop_built_causes(struct ft_inode *rec)
{
	u32 *pos = &rec->rebuild->stripped_to;
	u64 bytes = ft_second_bytes(rec);

	if (*pos == FT_LBLK_END) {
		*pos = 0;
		return false;
	}
	*pos = ft_extmap_drop_causes(ft_built_map(rec), *pos, FT_LEAVES_AT_ONCE);
	if (ft_second_bytes(rec) != bytes)
		ft_count(FT_CAUSES_LOST);
	ft_mem_charge_second(ft_second_bytes(rec), bytes);
	return true;
}

/*
 * Two maps of this file do not fit into the budget. Drop the live one, which is to
 * be replaced anyway: then the next scan may succeed. An audit can wait. -ENOSPC: the
 * file has nothing to drop, or another owner's has to give way.
 */
static int give_up_one(struct ft_inode *rec)
{
	if (rec->rebuild->audit && !ft_inode_is_stale(rec))
		return -ENOMEM;
	if (rec->map.bytes <= ft_second_bytes(rec) / 4 || ft_mem_within_share(rec->owner))
		return -ENOSPC;
	ft_inode_start_over(rec);
	return -ENOMEM;
}

/**
 * ft_rebuild_merge() - add extents that F2FS reported to the second map
 * @rec: the file, between ft_rebuild_begin() and ft_rebuild_end()
 * @ext: extents, in file order
 * @nr: how many
 *
 * Context: process, the volume's worker.
 * Return: 0, -ENOMEM also if the scan should be tried again later because memory is
 * short, or -ENOBUFS if the budget was used up and the file is now left out.
 */
int ft_rebuild_merge(struct ft_inode *rec, const struct ft_extent *ext, unsigned int nr)
{
	u32 pos = nr ? ext->lblk : 0;
	int err = 0;

	while (nr && !err) {
		/* one at a time: writers wait for the lock */
		ft_inode_lock(rec);
		if (!ft_inode_followed(rec))
			err = -ENOBUFS;
		else if (!ft_mem_allows_second(ft_second_bytes(rec)))
			err = drop_built_causes(rec) ? 0 : give_up_one(rec);
		else
			err = merge_part(rec, ext, &pos);
		spin_unlock(&rec->lock);
		if (err == -ENOSPC)
			err = ft_budget_make_way(rec) ? 0 : -ENOBUFS;
		cond_resched();
		if (pos >= ft_extent_end(ext) && --nr)
			pos = (++ext)->lblk;
	}
	return err;
}

/* Fire events for what the new map changes. False if the event is not enabled. */
static bool report_changes(struct ft_inode *rec)
{
	bool listening = ft_traces_changes();
	u32 from = rec->rebuild->from, end = rec->rebuild->end;

	while (listening && from < end) {
		/* some at a time: writers wait for the lock */
		ft_inode_lock(rec);
		if (ft_inode_followed(rec))
			ft_trace_found(rec, &from, end);
		else
			from = end;
		spin_unlock(&rec->lock);
		ft_let_writers_go();
	}
	return listening;
}

/*
 * The extent after a part that was scanned may have a break before it now. The live map
 * is still the old one: if one extent goes on beyond the end, it will be cut there.
 */
static void note_cause_after(struct ft_inode *rec)
{
	struct ft_rebuild *rebuild = rec->rebuild;
	u32 pos = rebuild->end;
	struct ft_extent ext;
	unsigned int n;

	for (n = 0; n < FT_MAX_SKIPPED && ft_extmap_next(&rec->map, pos, &ext); n++) {
		pos = ft_extent_end(&ext);
		if (ext.lba == FT_LBA_UNWRITTEN)
			continue;
		if (ext.lblk < rebuild->end) {
			ext.lba += rebuild->end - ext.lblk;
			ext.len -= rebuild->end - ext.lblk;
			ext.lblk = rebuild->end;
		}
		note_cause(rec, &ext);
		rebuild->cause_after = ext.cause;
		ft_breaks_set_cause(rec, ext.lblk, ext.cause);
		return;
	}
}

/* Make the live map agree with what the scan found, some extents from *@pos on. */
static int patch_some(struct ft_inode *rec, u32 *pos)
{
	u32 end = rec->rebuild->end, nr;
	struct ft_extent ext, next;
	bool is_cut, grown = false;
	unsigned int n;
	int err = 0;
	u64 bytes;

	if (ft_causes_wanted() && *pos == rec->rebuild->from)
		note_cause_after(rec);
	for (n = 0; n < PATCHED_AT_ONCE && *pos < end && !err; n++) {
		if (!ft_extmap_next(ft_built_map(rec), *pos, &ext) || ext.lblk >= end)
			ext = (struct ft_extent){ .lblk = end };
		is_cut = ft_extmap_next(&rec->map, end, &next) && next.lblk < end;
		nr = rec->map.nr;
		bytes = rec->map.bytes;
		if (ext.lblk > *pos) {
			err = ft_extmap_erase(&rec->map, *pos, ext.lblk);
			*pos = ext.lblk;
		} else {
			if (ext.lba != FT_LBA_UNWRITTEN)
				ext.lba += *pos - ext.lblk;
			ext.len = min(ft_extent_end(&ext), end) - *pos;
			ext.lblk = *pos;
			*pos = ft_extent_end(&ext);
			err = ft_extmap_store(&rec->map, &ext);
		}
		ft_mem_charge(&rec->map, rec->owner, nr, bytes);
		grown |= rec->map.bytes > bytes;
		if (!err && ext.lblk < *pos && has_cause(&ext))
			ft_breaks_set_cause(rec, ext.lblk, ext.cause);
		if (is_cut && ft_causes_wanted())
			ft_breaks_set_cause(rec, end, rec->rebuild->cause_after);
	}
	if (unlikely(grown))
		ft_budget_grown(rec);
	return err;
}

/*
 * Put the part that was scanned into the live map, piece by piece: from here on events
 * change both maps alike, and the file is stale until the end. If that fails, all of the
 * file has to be scanned.
 */
static int patch(struct ft_inode *rec)
{
	u32 pos = rec->rebuild->from;
	int err = 0;

	while (pos < rec->rebuild->end && !err) {
		ft_inode_lock(rec);
		err = ft_inode_followed(rec) ? patch_some(rec, &pos) : -ENOENT;
		rec->changes++;
		WRITE_ONCE(rec->last_write, FT_NO_WRITE);
		if (err && ft_inode_followed(rec))
			ft_inode_doubt(rec, FT_OP_UNKNOWN);
		spin_unlock(&rec->lock);
		ft_let_writers_go();
	}
	return err;
}

/**
 * ft_rebuild_end() - make the new map the live one
 * @rec: the file; it is not being scanned any more when this returns
 * @err: why the scan did not complete; 0 if it did
 *
 * Context: process; the caller is the worker that has taken the file.
 * Return: true if the map is exact now; false if the file has to be scanned again:
 * because of @err, because something else happened meanwhile, or because the scan
 * found blocks elsewhere than the map had them.
 */
bool ft_rebuild_end(struct ft_inode *rec, int err)
{
	struct ft_rebuild *rebuild = rec->rebuild;
	bool settled = false, reported = !err && report_changes(rec);
	bool is_part = ft_rebuild_is_part(rebuild);

	if (!err && is_part)
		err = patch(rec);
	ft_inode_lock(rec);
	if (!err && ft_inode_followed(rec)) {
		u64 bytes = rec->map.bytes, second = ft_second_bytes(rec);
		u32 nr = rec->map.nr;

		if (!is_part)
			ft_extmap_move(&rec->map, &rebuild->built);
		if (!reported)
			ft_trace_change(unknown, rec);
		ft_mem_charge_second(ft_second_bytes(rec), second);
		ft_mem_charge(&rec->map, rec->owner, nr, bytes);
		rec->changes++;
		WRITE_ONCE(rec->last_write, FT_NO_WRITE);
		/* the change that made the file stale may come after this scan */
		if (rebuild->contradicted) {
			rec->epoch = READ_ONCE(rec->vol->epoch);
			ft_inode_doubt_part(rec, rec->doubt, rebuild->from, rebuild->end);
		}
		ft_inode_change(rec, FT_SCAN_SETTLES);
		settled = rec->state == FT_EXACT;
		if (settled)
			rec->range_begun = false;
	} else {
		ft_inode_change(rec, FT_SCAN_FAILS);
	}
	ft_inode_drop_second(rec);
	rec->rebuild = NULL;
	spin_unlock(&rec->lock);
	ft_mem_free(rebuild, sizeof(*rebuild));
	return settled;
}
