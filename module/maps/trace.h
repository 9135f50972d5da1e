/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Our own tracepoints (fragtrace_trace.h). Code that fires an event costs a no-op
 * while the event is not enabled.
 *
 * A program that applies all extent_change events, in their order, to an earlier
 * copy of the maps gets a later copy. So each change of a live map is followed by an
 * event that describes it, with rec->lock held: the events of a file are in order.
 */
#ifndef FT_TRACE_H
#define FT_TRACE_H

#include <linux/limits.h>
#include <linux/sched.h>
#include <linux/tracepoint-defs.h>
#include <linux/types.h>

#include "core/extmap.h"
#include "format/cause.h"

struct ft_alloc;
struct ft_inode;
struct ft_victim;
struct ft_volume;

DECLARE_TRACEPOINT(extent_change);
DECLARE_TRACEPOINT(file_state);
DECLARE_TRACEPOINT(gc_victim);

/* Values for blocks without an address in an event. */
#define FT_TRACE_HOLE		-1
#define FT_TRACE_UNWRITTEN	-2	/* new: holes become so, written blocks stay */
#define FT_TRACE_COPY		-3	/* new: take this file from a later copy */

/* Too many extents changed at once: the breaks were not counted. */
#define FT_TRACE_NOT_COUNTED	S32_MIN

/**
 * enum ft_trace_op - further values after enum ft_op, which allocate nothing
 * @FT_TRACE_TRUNCATE: the file was truncated or deleted
 * @FT_TRACE_SCAN: a scan found something else than the map had, for an unknown
 *	reason
 * @FT_TRACE_DROP: the map was dropped: the file is not followed any more, or there
 *	is no memory
 */
enum ft_trace_op {
	FT_TRACE_TRUNCATE = FT_NR_OPS,
	FT_TRACE_SCAN,
	FT_TRACE_DROP,
};

/**
 * struct ft_trace_change - an event extent_change
 * @seq: its number, counted per volume: a gap shows that events were lost
 * @lblk: the first block
 * @len: how many
 * @old_lba: where the first one was, or one of FT_TRACE_*
 * @new_lba: where the first one is; the others follow it
 * @breaks: how many more the file has now
 * @op: enum ft_op or enum ft_trace_op
 * @flush: enum ft_flush
 * @why: enum ft_why
 * @encoded: they hold a compressed cluster
 * @pid: the process that wrote the data; 0 if it is not known, or several
 * @comm: likewise
 */
struct ft_trace_change {
	u32 seq;
	u32 lblk;
	u32 len;
	s64 old_lba;
	s64 new_lba;
	s32 breaks;
	u8 op;
	u8 flush;
	u8 why;
	bool encoded;
	u32 pid;
	char comm[TASK_COMM_LEN];
};

/**
 * struct ft_traced - a range of a file before it changes, if events are enabled
 * @on: they are; otherwise the rest is not set
 * @any: there is an extent in it
 * @old_lba: as in struct ft_trace_change
 * @breaks: in the range, and at the next written block
 */
struct ft_traced {
	bool on;
	bool any;
	s64 old_lba;
	s32 breaks;
};

void ft_trace_before_any(struct ft_inode *rec, u32 lblk, u32 end, struct ft_traced *traced);
void ft_trace_stored(struct ft_inode *rec, const struct ft_extent *ext,
		     const struct ft_traced *traced, const struct ft_alloc *alloc);
void ft_trace_erased(struct ft_inode *rec, u32 lblk, u32 end, const struct ft_traced *traced,
		     const struct ft_alloc *alloc);
void ft_trace_reserved(struct ft_inode *rec, u32 lblk, u32 end, int err);
void ft_trace_drop(struct ft_inode *rec, enum ft_trace_op op);
void ft_trace_unknown(struct ft_inode *rec);
void ft_trace_found(struct ft_inode *rec, u32 *from, u32 end);
void ft_trace_state_any(struct ft_inode *rec, unsigned int from, unsigned int to);
void ft_trace_victim_any(struct ft_volume *vol, const struct ft_victim *victim);

/* Is the event for changes of maps enabled? */
static __always_inline bool ft_traces_changes(void)
{
	return tracepoint_enabled(extent_change);
}

/* Read a range before it changes. With rec->lock held, as all of these. */
static __always_inline void ft_trace_before(struct ft_inode *rec, u32 lblk,
					    u32 end, struct ft_traced *traced)
{
	traced->on = false;
	if (ft_traces_changes())
		ft_trace_before_any(rec, lblk, end, traced);
}

/* Report a change that has happened, or is about to: ft_trace_reserved(rec, ...) and others. */
#define ft_trace_change(what, ...)					\
do {									\
	if (ft_traces_changes())					\
		ft_trace_##what(__VA_ARGS__);				\
} while (0)

/* The state of a file has changed. */
static inline void ft_trace_state(struct ft_inode *rec, unsigned int from, unsigned int to)
{
	if (tracepoint_enabled(file_state))
		ft_trace_state_any(rec, from, to);
}

/* F2FS has chosen segments; no lock is held. */
static inline void ft_trace_victim(struct ft_volume *vol, const struct ft_victim *victim)
{
	if (tracepoint_enabled(gc_victim))
		ft_trace_victim_any(vol, victim);
}

#endif
