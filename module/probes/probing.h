/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the probes on F2FS's tracepoints share: how one begins and ends, how it reads
 * its arguments, and how a list of them is made. For files with probes alone: it needs
 * types that are private to F2FS.
 */
#ifndef FT_PROBING_H
#define FT_PROBING_H

#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/tracepoint.h>

#include "core/base.h"
#include "core/compat.h"
#include "core/extmap.h"
#include "core/volume.h"
#include "f2fs/private.h"
#include "maps/inode.h"
#include "maps/note.h"
#include "probes/probe.h"

#include <linux/f2fs_fs.h>
#include <trace/events/f2fs.h>

/* === Lists of probes ====================================================== */

/*
 * An entry of a table, which ends with an empty one. The build fails if the arguments of a
 * probe differ from those of its event.
 */
#define FT_PROBE(event, probe)	__FT_PROBE(event, probe)
#define __FT_PROBE(event, probe) {					\
	.name = #event,							\
	.func = (void *)(probe) +					\
		0 * sizeof((check_trace_callback_type_##event(probe), 0)), \
}

extern const struct ft_probe ft_cause_probes[];
extern const struct ft_probe ft_read_probes[];

/* === Begin and end ======================================================== */

/*
 * A record that is found between ft_probe_enter() and ft_probe_leave() stays until
 * the end.
 */

#ifdef CONFIG_PREEMPT_RT

/*
 * False if the event of this inode cannot be handled: its file becomes stale instead.
 * That does not happen, see core/compat.h; if it does, "lost" counts it.
 */
static inline bool ft_probe_enter(const struct super_block *sb, unsigned long ino)
{
	struct ft_inode *rec;

	if (likely(ft_sleeping_locks_begin()))
		return true;
	rec = ft_inode_find_file(sb, ino);
	if (rec) {
		ft_count(FT_LOST);
		ft_note_stale(rec, 0, FT_LBLK_END);
	}
	ft_sleeping_locks_end(false);
	return false;
}

static inline void ft_probe_leave(void)
{
	ft_sleeping_locks_end(true);
}

#else

/*
 * With preemption disabled this is an RCU read section, too, and that is the cheapest
 * one. In some kernels the tracepoint has disabled it already.
 */
static inline bool ft_probe_enter(const struct super_block *sb, unsigned long ino)
{
	if (FT_PROBES_KEEP_CPU)
		lockdep_assert_preemption_disabled();
	else
		preempt_disable();
	return true;
}

static inline void ft_probe_leave(void)
{
	if (!FT_PROBES_KEEP_CPU)
		preempt_enable();
}

#endif

/* Begin, and find the record of a file. %NULL if it is not followed; then it has ended. */
static __always_inline struct ft_inode *ft_probe_begin(const struct super_block *sb,
						       unsigned long ino)
{
	struct ft_inode *rec;

	if (!ft_probe_enter(sb, ino))
		return NULL;
	rec = ft_inode_find_file(sb, ino);
	if (!rec)
		ft_probe_leave();
	return rec;
}

/* The same for a volume. */
static __always_inline struct ft_volume *ft_probe_begin_volume(const struct super_block *sb,
							       unsigned long ino)
{
	struct ft_volume *vol;

	if (!ft_probe_enter(sb, ino))
		return NULL;
	vol = ft_volume_find(sb);
	if (!vol)
		ft_probe_leave();
	return vol;
}

/* The statement after it handles the event of a file, if that is followed; it must not return. */
#define ft_probe_file_of(rec, sb, ino) \
	for (struct ft_inode *rec = ft_probe_begin(sb, ino); rec; rec = NULL, ft_probe_leave())
#define ft_probe_file(rec, inode) ft_probe_file_of(rec, (inode)->i_sb, (inode)->i_ino)

/* The same for an event of a volume, if that is watched. @ino: the inode, or 0. */
#define ft_probe_volume(vol, sb, ino) \
	for (struct ft_volume *vol = ft_probe_begin_volume(sb, ino); \
	     vol; vol = NULL, ft_probe_leave())

/* === Arguments ============================================================ */

static inline u32 ft_first_block(u64 bytes)
{
	return min_t(u64, bytes >> FT_BLOCK_BITS, FT_LBLK_END);
}

static inline u32 ft_end_block(u64 bytes)
{
	return min_t(u64, (bytes + FT_BLOCK_SIZE - 1) >> FT_BLOCK_BITS, FT_LBLK_END);
}

static inline bool ft_on_volume(block_t addr)
{
	return addr != NULL_ADDR && addr != NEW_ADDR && addr != COMPRESS_ADDR;
}

/* Does F2FS move this block? Garbage collection and defragment mark the page. */
static __always_inline bool ft_migrates(const FT_PAGE *page)
{
	const unsigned long both = BIT(0) | BIT(FT_F2FS_PAGE_MIGRATES);

	return ((unsigned long)page->private & both) == both;
}

#endif
