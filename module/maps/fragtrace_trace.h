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

#define OPS \
	EM(FT_OP_UNKNOWN, "unknown") \
	EM(FT_OP_APPEND, "append") \
	EM(FT_OP_OVERWRITE, "overwrite") \
	EM(FT_OP_TAIL, "tail") \
	EM(FT_OP_DIRECT, "direct") \
	EM(FT_OP_PREALLOC, "prealloc") \
	EM(FT_OP_RANGE, "range") \
	EM(FT_OP_MMAP, "mmap") \
	EM(FT_OP_INLINE, "inline") \
	EM(FT_OP_GC_BG, "gc_bg") \
	EM(FT_OP_GC_FG, "gc_fg") \
	EM(FT_OP_DEFRAG, "defrag") \
	EM(FT_OP_ATOMIC, "atomic") \
	EM(FT_OP_COMPRESS, "compress") \
	EM(FT_TRACE_TRUNCATE, "truncate") \
	EM(FT_TRACE_SCAN, "scan") \
	EMe(FT_TRACE_DROP, "drop")

#define FLUSHES \
	EM(FT_FLUSH_NONE, "none") \
	EM(FT_FLUSH_SYNC, "sync") \
	EM(FT_FLUSH_WRITEBACK, "writeback") \
	EMe(FT_FLUSH_CHECKPOINT, "checkpoint")

#define WHYS \
	EM(FT_WHY_NONE, "none") \
	EM(FT_WHY_UNKNOWN, "unknown") \
	EM(FT_WHY_INTERLEAVED, "interleaved") \
	EM(FT_WHY_OTHER_LOG, "other_log") \
	EM(FT_WHY_SSR, "ssr") \
	EM(FT_WHY_NEW_SEGMENT, "new_segment") \
	EMe(FT_WHY_MOVED, "moved")

#define STATES \
	EM(FT_EXACT, "exact") \
	EM(FT_RESERVED, "reserved") \
	EM(FT_STALE, "stale") \
	EM(FT_RESERVED_SCAN, "reserved_scan") \
	EM(FT_STALE_SCAN, "stale_scan") \
	EM(FT_OMITTED, "left_out") \
	EM(FT_DEAD, "dead") \
	EM(FT_GONE, "gone") \
	EMe(FT_NR_STATES, "new")

#define VICTIM_POLICIES \
	EM(FT_POLICY_GREEDY, "greedy") \
	EM(FT_POLICY_COST_BENEFIT, "cost_benefit") \
	EM(FT_POLICY_AGE, "age") \
	EMe(FT_POLICY_UNKNOWN, "unknown")

#define VICTIM_KINDS \
	EM(FT_VICTIM_BG, "background") \
	EM(FT_VICTIM_FG, "foreground") \
	EMe(FT_VICTIM_SSR, "ssr")

/* Programs that read the ring buffer need the numbers of these names. */
#undef EM
#undef EMe
#define EM(number, name)	TRACE_DEFINE_ENUM(number);
#define EMe(number, name)	TRACE_DEFINE_ENUM(number);

OPS
FLUSHES
WHYS
STATES
VICTIM_POLICIES
VICTIM_KINDS

/* And for __print_symbolic(). */
#undef EM
#undef EMe
#define EM(number, name)	{ number, name },
#define EMe(number, name)	{ number, name }

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
		  __print_symbolic(__entry->op, OPS),
		  __print_symbolic(__entry->flush, FLUSHES),
		  __print_symbolic(__entry->why_here, WHYS),
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
		  __print_symbolic(__entry->from, STATES),
		  __print_symbolic(__entry->to, STATES))
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
		  __print_symbolic(__entry->kind, VICTIM_KINDS),
		  __print_symbolic(__entry->policy, VICTIM_POLICIES),
		  __entry->valid)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE fragtrace_trace
#include <trace/define_trace.h>
