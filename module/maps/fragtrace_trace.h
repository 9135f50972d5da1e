/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Our own tracepoints, for perf, trace-cmd and the like. module/FORMATS.md describes
 * the events; trace.h has the functions that fire them.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM fragtrace

#if !defined(FT_FRAGTRACE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define FT_FRAGTRACE_TRACE_H

#include <linux/kdev_t.h>
#include <linux/tracepoint.h>

#include "causes/gc.h"
#include "core/volume.h"
#include "format/cause.h"
#include "maps/inode.h"
#include "maps/trace.h"

/* Programs that read the ring buffer need the numbers of these names. */
TRACE_DEFINE_ENUM(FT_OP_UNKNOWN);
TRACE_DEFINE_ENUM(FT_OP_APPEND);
TRACE_DEFINE_ENUM(FT_OP_OVERWRITE);
TRACE_DEFINE_ENUM(FT_OP_TAIL);
TRACE_DEFINE_ENUM(FT_OP_DIRECT);
TRACE_DEFINE_ENUM(FT_OP_PREALLOC);
TRACE_DEFINE_ENUM(FT_OP_RANGE);
TRACE_DEFINE_ENUM(FT_OP_MMAP);
TRACE_DEFINE_ENUM(FT_OP_INLINE);
TRACE_DEFINE_ENUM(FT_OP_GC_BG);
TRACE_DEFINE_ENUM(FT_OP_GC_FG);
TRACE_DEFINE_ENUM(FT_OP_DEFRAG);
TRACE_DEFINE_ENUM(FT_OP_ATOMIC);
TRACE_DEFINE_ENUM(FT_OP_COMPRESS);
TRACE_DEFINE_ENUM(FT_TRACE_TRUNCATE);
TRACE_DEFINE_ENUM(FT_TRACE_SCAN);
TRACE_DEFINE_ENUM(FT_TRACE_DROP);
TRACE_DEFINE_ENUM(FT_FLUSH_NONE);
TRACE_DEFINE_ENUM(FT_FLUSH_SYNC);
TRACE_DEFINE_ENUM(FT_FLUSH_WRITEBACK);
TRACE_DEFINE_ENUM(FT_FLUSH_CHECKPOINT);
TRACE_DEFINE_ENUM(FT_WHY_NONE);
TRACE_DEFINE_ENUM(FT_WHY_UNKNOWN);
TRACE_DEFINE_ENUM(FT_WHY_INTERLEAVED);
TRACE_DEFINE_ENUM(FT_WHY_OTHER_LOG);
TRACE_DEFINE_ENUM(FT_WHY_SSR);
TRACE_DEFINE_ENUM(FT_WHY_NEW_SEGMENT);
TRACE_DEFINE_ENUM(FT_WHY_MOVED);
TRACE_DEFINE_ENUM(FT_EXACT);
TRACE_DEFINE_ENUM(FT_RESERVED);
TRACE_DEFINE_ENUM(FT_STALE);
TRACE_DEFINE_ENUM(FT_RESERVED_SCAN);
TRACE_DEFINE_ENUM(FT_STALE_SCAN);
TRACE_DEFINE_ENUM(FT_OMITTED);
TRACE_DEFINE_ENUM(FT_DEAD);
TRACE_DEFINE_ENUM(FT_GONE);
TRACE_DEFINE_ENUM(FT_NR_STATES);
TRACE_DEFINE_ENUM(FT_VICTIM_BG);
TRACE_DEFINE_ENUM(FT_VICTIM_FG);
TRACE_DEFINE_ENUM(FT_VICTIM_SSR);
TRACE_DEFINE_ENUM(FT_POLICY_UNKNOWN);
TRACE_DEFINE_ENUM(FT_POLICY_GREEDY);
TRACE_DEFINE_ENUM(FT_POLICY_COST_BENEFIT);
TRACE_DEFINE_ENUM(FT_POLICY_AGE);

#define show_op(value) __print_symbolic(value, \
	{ FT_OP_UNKNOWN, "unknown" }, \
	{ FT_OP_APPEND, "append" }, \
	{ FT_OP_OVERWRITE, "overwrite" }, \
	{ FT_OP_TAIL, "tail" }, \
	{ FT_OP_DIRECT, "direct" }, \
	{ FT_OP_PREALLOC, "prealloc" }, \
	{ FT_OP_RANGE, "range" }, \
	{ FT_OP_MMAP, "mmap" }, \
	{ FT_OP_INLINE, "inline" }, \
	{ FT_OP_GC_BG, "gc_bg" }, \
	{ FT_OP_GC_FG, "gc_fg" }, \
	{ FT_OP_DEFRAG, "defrag" }, \
	{ FT_OP_ATOMIC, "atomic" }, \
	{ FT_OP_COMPRESS, "compress" }, \
	{ FT_TRACE_TRUNCATE, "truncate" }, \
	{ FT_TRACE_SCAN, "scan" }, \
	{ FT_TRACE_DROP, "drop" })

#define show_flush(value) __print_symbolic(value, \
	{ FT_FLUSH_NONE, "none" }, \
	{ FT_FLUSH_SYNC, "sync" }, \
	{ FT_FLUSH_WRITEBACK, "writeback" }, \
	{ FT_FLUSH_CHECKPOINT, "checkpoint" })

#define show_why(value) __print_symbolic(value, \
	{ FT_WHY_NONE, "none" }, \
	{ FT_WHY_UNKNOWN, "unknown" }, \
	{ FT_WHY_INTERLEAVED, "interleaved" }, \
	{ FT_WHY_OTHER_LOG, "other_log" }, \
	{ FT_WHY_SSR, "ssr" }, \
	{ FT_WHY_NEW_SEGMENT, "new_segment" }, \
	{ FT_WHY_MOVED, "moved" })

#define show_state(value) __print_symbolic(value, \
	{ FT_EXACT, "exact" }, \
	{ FT_RESERVED, "reserved" }, \
	{ FT_STALE, "stale" }, \
	{ FT_RESERVED_SCAN, "reserved_scan" }, \
	{ FT_STALE_SCAN, "stale_scan" }, \
	{ FT_OMITTED, "left_out" }, \
	{ FT_DEAD, "dead" }, \
	{ FT_GONE, "gone" }, \
	{ FT_NR_STATES, "new" })

#define show_victim_policy(value) __print_symbolic(value, \
	{ FT_POLICY_GREEDY, "greedy" }, \
	{ FT_POLICY_COST_BENEFIT, "cost_benefit" }, \
	{ FT_POLICY_AGE, "age" }, \
	{ FT_POLICY_UNKNOWN, "unknown" })

#define show_victim_kind(value) __print_symbolic(value, \
	{ FT_VICTIM_BG, "background" }, \
	{ FT_VICTIM_FG, "foreground" }, \
	{ FT_VICTIM_SSR, "ssr" })

/* Blocks of a file were allocated or freed. */
TRACE_EVENT(extent_change,

	TP_PROTO(const struct ft_inode *rec, const struct ft_trace_change *c),

	TP_ARGS(rec, c),

	TP_STRUCT__entry(
		__field(dev_t,	dev)
		__field(u32,	ino)
		__field(u32,	seq)
		__field(u32,	offset)
		__field(u32,	length)
		__field(s64,	old_lba)
		__field(s64,	new_lba)
		__field(s32,	breaks)
		__field(u32,	pid)
		__field(u8,	op)
		__field(u8,	flush)
		__field(u8,	why_here)
		__field(u8,	encoded)
		__array(char,	comm, TASK_COMM_LEN)
	),

	TP_fast_assign(
		__entry->dev		= rec->vol->dev;
		__entry->ino		= rec->ino;
		__entry->seq		= c->seq;
		__entry->offset		= c->lblk;
		__entry->length		= c->len;
		__entry->old_lba	= c->old_lba;
		__entry->new_lba	= c->new_lba;
		__entry->breaks		= c->breaks;
		__entry->pid		= c->pid;
		__entry->op		= c->op;
		__entry->flush		= c->flush;
		__entry->why_here	= c->why;
		__entry->encoded	= c->encoded;
		memcpy(__entry->comm, c->comm, TASK_COMM_LEN);
	),

	TP_printk("dev=%u:%u ino=%u seq=%u offset=%u length=%u old=%lld new=%lld encoded=%u breaks=%d op=%s flush=%s why_here=%s pid=%u comm=%s",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->ino,
		  __entry->seq, __entry->offset, __entry->length,
		  __entry->old_lba, __entry->new_lba, __entry->encoded,
		  __entry->breaks,
		  show_op(__entry->op),
		  show_flush(__entry->flush),
		  show_why(__entry->why_here),
		  __entry->pid, __entry->comm)
);

/* The state of a file has changed. */
TRACE_EVENT(file_state,

	TP_PROTO(const struct ft_inode *rec, unsigned int from, unsigned int to),

	TP_ARGS(rec, from, to),

	TP_STRUCT__entry(
		__field(dev_t,	dev)
		__field(u32,	ino)
		__field(u8,	from)
		__field(u8,	to)
	),

	TP_fast_assign(
		__entry->dev	= rec->vol->dev;
		__entry->ino	= rec->ino;
		__entry->from	= from;
		__entry->to	= to;
	),

	TP_printk("dev=%u:%u ino=%u from=%s to=%s",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->ino,
		  show_state(__entry->from),
		  show_state(__entry->to))
);

/* F2FS has chosen segments: to clean them, or to fill their holes. */
TRACE_EVENT(gc_victim,

	TP_PROTO(const struct ft_volume *vol, const struct ft_victim *victim),

	TP_ARGS(vol, victim),

	TP_STRUCT__entry(
		__field(dev_t,	dev)
		__field(u32,	segment)
		__field(u32,	segments)
		__field(u32,	valid)
		__field(u8,	kind)
		__field(u8,	policy)
	),

	TP_fast_assign(
		__entry->dev		= vol->dev;
		__entry->segment	= victim->segment;
		__entry->segments	= victim->segments;
		__entry->valid		= victim->valid;
		__entry->kind		= victim->kind;
		__entry->policy		= victim->policy;
	),

	TP_printk("dev=%u:%u segment=%u segments=%u kind=%s policy=%s valid=%u",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->segment,
		  __entry->segments,
		  show_victim_kind(__entry->kind),
		  show_victim_policy(__entry->policy),
		  __entry->valid)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE fragtrace_trace
#include <trace/define_trace.h>
