// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes on F2FS tracepoints: who writes to a file, and what garbage collection does
 * (parameter causes).
 *
 * In: tracepoint arguments. Out: the writers of a file for causes/breaks.c, and the segments
 * that F2FS chose for causes/logs.c, causes/gc.c and maps/trace.c.
 */

#include <linux/fs.h>

#include "causes/breaks.h"
#include "causes/gc.h"
#include "causes/logs.h"
#include "causes/writer.h"
#include "core/base.h"
#include "core/volume.h"
#include "maps/trace.h"
#include "probes/probing.h"

/* === Writing processes ==================================================== */

/* The current task writes to a file; @own pages are dirty by this write alone. */
static void writes(struct ft_inode *rec, const struct inode *inode, int own)
{
	u32 writer = ft_writer_current(rec->vol);

	if (READ_ONCE(rec->writer) == writer)
		return;
	guard(ft_record)(rec);
	ft_breaks_written_by(rec, writer, ft_f2fs_dirty_pages(inode) > own);
}

/* A system call is about to write to a page of a file. */
static void probe_write_begin(void *unused, struct inode *inode, loff_t pos, unsigned int len)
{
	ft_probe_file(rec, inode) {
		writes(rec, inode, 0);
		if (!READ_ONCE(rec->awaited))
			continue;
		guard(ft_record)(rec);
		ft_breaks_written(rec, ft_first_block(pos), ft_end_block(pos + len),
				  !ft_f2fs_dirty_pages(inode));
	}
}

/* A page of a mapping has just become writable, unless that failed. */
static void probe_mkwrite(void *unused, FT_MKWRITE_ARGS)
{
	struct inode *host = FT_MKWRITE_INODE;

	if (FT_MKWRITE_FAILED)
		return;
	ft_probe_file(rec, host) {
		writes(rec, host, 1);
		guard(ft_record)(rec);
		if (ft_inode_followed(rec))
			ft_breaks_mapped(rec, FT_MKWRITE_INDEX);
	}
}

/* === Garbage collection =================================================== */

static void collects(struct super_block *sb, int type, bool begins)
{
	ft_probe_volume(vol, sb, 0) {
		if (begins)
			WRITE_ONCE(vol->gc_writer, ft_writer_current(vol));
		WRITE_ONCE(vol->gc_foreground, type == FT_F2FS_FG_GC);
	}
}

static void probe_gc_begin(void *unused, struct super_block *sb, int gc_type, bool no_bg_gc,
			   unsigned int nr_free_secs, long long dirty_nodes, long long dirty_dents,
			   long long dirty_imeta, unsigned int free_sec, unsigned int free_seg,
			   int reserved_seg, unsigned int prefree_seg)
{
	collects(sb, gc_type, true);
}

static enum ft_victim_policy policy_of(unsigned int gc_mode)
{
	static const u8 policies[] = {
		[FT_F2FS_GC_GREEDY] = FT_POLICY_GREEDY,
		[FT_F2FS_GC_CB] = FT_POLICY_COST_BENEFIT,
		[FT_F2FS_GC_AT] = FT_POLICY_AGE,
	};

	return gc_mode < ARRAY_SIZE(policies) ? policies[gc_mode] : FT_POLICY_UNKNOWN;
}

/* @log: the log that fills the segment's holes, for FT_VICTIM_SSR */
static void chose(struct super_block *sb, const struct victim_sel_policy *p,
		  enum ft_victim_kind kind, int log)
{
	struct ft_victim victim = { .kind = kind };
	int gc_mode;

	ft_probe_volume(vol, sb, 0) {
		victim.segment = ft_f2fs_victim(p, &victim.segments, &gc_mode);
		/* F2FS may have found it by a segment within its section */
		if (victim.segments > 1)
			victim.segment = rounddown(victim.segment, victim.segments);
		victim.policy = policy_of(gc_mode);
		if (kind == FT_VICTIM_SSR)
			ft_log_fills(vol, log, victim.segment);
		ft_gc_chose(vol, &victim);
		ft_trace_victim(vol, &victim);
	}
}

/* A collection that begins in the background may become a foreground one. */
static void probe_get_victim(void *unused, struct super_block *sb, int type, int gc_type,
			     struct victim_sel_policy *p, unsigned int pre_victim,
			     unsigned int prefree, unsigned int free)
{
	if (type != FT_F2FS_NO_CHECK_TYPE) {
		chose(sb, p, FT_VICTIM_SSR, type);
		return;
	}
	collects(sb, gc_type, false);
	chose(sb, p, gc_type == FT_F2FS_FG_GC ? FT_VICTIM_FG : FT_VICTIM_BG, -1);
}

/* The probes of this file. */
const struct ft_probe ft_cause_probes[] = {
	FT_PROBE(f2fs_write_begin, probe_write_begin),
	FT_PROBE(f2fs_vm_page_mkwrite, probe_mkwrite),
	FT_PROBE(f2fs_gc_begin, probe_gc_begin),
	FT_PROBE(f2fs_get_victim, probe_get_victim),
	{ }
};
