/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The map of the module, in layers. A file uses only files listed below it, and
 * those of its own layer; selftests/host/layers.py checks that. Upper layers are
 * reached by a work, a callback of fsnotify, or ft_target_hook().
 *
 *   main.c      load and unload
 *
 * What a user sees and asks for:
 *   debugfs.c   counters out, commands in
 *   binary.c    a copy as it is: snapshot
 *   view.c      a copy as text: table, extents, files
 *   victims.c   which files garbage collection would change
 *   heat_view.c which ranges are read, with the paths of a copy
 *   fsync_view.c where the time of fsyncs went
 *   gcview.c    what garbage collection did, with the paths of a copy
 *   sums.c      a copy summed up: causes, by_process, by_pair
 *   cgroup_view.c what cgroups read: by_cgroup
 *   owner.c     which file owns a block
 *   ask.c       what users write: questions to owner and victims, reset
 *   survey.c    counts breaks, finds the owner of a block, without a copy
 *   snapshot.c  a copy for one reader, with the figures of each file
 *   order.c     the order of its lines
 *   vec.c       its arrays, and the memory budget of all copies
 *   cause.c     causes in words
 *   request.c   resync and audit of all that is watched
 *
 * What is watched:
 *   target.c    the directories that the user asked for
 *   path.c      looks up their paths, keeps no reference
 *   mount.c     attaches volumes, detaches them on umount
 *
 * What asks F2FS, where events are not enough:
 *   worker.c    takes the inodes that wait in turn, one step each (see worker.h)
 *   sample.c    audits one file after the other, when there is nothing else to do
 *   scan.c      a step of a file: read its extents by FIEMAP
 *   walk.c      a step of a directory: read the names in it
 *   step.c      what each step holds, and for how long
 *   audit.c     compares maps with FIEMAP
 *   rebuild.c   replaces a map by the extents that FIEMAP reported
 *
 * What F2FS reports:
 *   attach.c    attaches the probes to F2FS, which may come and go
 *   build_id.c  checks that F2FS is the one that the probes were built for
 *   probe.c     F2FS tracepoints -> which inode, which blocks
 *   probe_cause.c  who writes, and what garbage collection chooses
 *   probe_read.c which blocks are read, or written in place
 *   answer.c    the extents that FIEMAP reports
 *   call.c      calls that no tracepoint describes -> which inodes
 *   fsync_call.c the functions that an fsync calls -> how long they take
 *   note.c      keeps their reports where no lock can be taken
 *   event.c     applies an event to the map of its file
 *
 * What is known:
 *   budget.c    which file gives way when the memory budget is used up
 *   names.c     the names of the inodes, kept by fsnotify
 *   inode.c     the record of an inode: life and state (see inode.h)
 *   breaks.c    why its fragments begin where they do
 *   heat.c      which ranges of a file are read
 *   trace.c     our own tracepoints
 *   queue.c     the inodes of a volume that wait for its worker, by due time
 *
 * What all of that uses:
 *   volume.c    a mounted F2FS that is watched; it may be unmounted at any time
 *   log.c       which files recently got blocks of a volume's logs
 *   gc.c        what garbage collection has moved
 *   writer.c    processes that write, by number
 *   tally.c     counts what the maps no longer show: healed breaks, pairs
 *   cgroup.c    which cgroups read, and the requests that it takes
 *   fsync.c     where the time of fsyncs goes
 *   segment.c   reads F2FS's segment tables
 *   memory.c    the memory in use, and the budget
 *   extmap.c    the extents of one file (see extmap.h)
 *   base.c      counters, the workqueue
 *
 * Units: a block is 4096 bytes; lblk is a block of a file, lba a block of the
 * volume. "end" is exclusive, "last" inclusive.
 *
 * Lock order, outermost first. Locks of the kernel are in brackets.
 *
 *   run_lock of request.c   mutex; one audit at a time
 *   ft_volume.resync_lock   mutex; one resync at a time
 *   [sb->s_umount]          shared, after ft_path_find() has found a directory
 *   ft_targets_lock         mutex; targets, and attaching volumes to them
 *   [module notifiers]      held by the kernel when F2FS comes or goes
 *   probes_lock of attach.c mutex; whether the probes are attached
 *   ft_volume.sb_lock       mutex; whether the super block is still there
 *   [sb->s_umount]          shared, by trylock only. Umount holds it exclusively
 *                           when it takes sb_lock, and holds no lock above
 *   [i_rwsem of directory]  held by the VFS around each fsnotify event
 *   ft_volume.ns_lock       mutex; names: links between inodes
 *   ft_volume.inodes        the xarray's own spinlock
 *   ft_inode.lock           spinlock; the extent map and its state
 *   ft_volume.queue_lock    spinlock; what the worker has to do
 *   ft_worker.lock          spinlock; the step that a worker is in
 *
 * Only locks of the kernel are taken inside last_lock of ask.c, report_lock of
 * audit.c, attach_lock of fsync_call.c, the locks of log.c, gc.c, writer.c, tally.c,
 * cgroup.c and fsync.c, volumes_lock of volume.c and freed_lock of inode.c.
 *
 * Probes run under locks of F2FS, with preemption disabled; they disable it
 * themselves if the kernel does not. They take spinlocks only, and never sleep.
 * bounds.h has the bounds of their work.
 * With PREEMPT_RT, where spinlocks sleep, probes run with preemption enabled
 * (compat.h). The probes of call.c take no lock there, nor in a kernel where they
 * run inside an exception (note.c). Those of fsync_call.c never take one.
 */
#ifndef FRAGTRACE_H
#define FRAGTRACE_H

#include <linux/atomic.h>
#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#define FT_BLOCK_BITS	12
#define FT_BLOCK_SIZE	(1U << FT_BLOCK_BITS)

/* These are written as octal numbers in paths: they would end a field or line. */
#define FT_ESCAPED	" \t\n\v\f\r\033\\"

DECLARE_STATIC_KEY_FALSE(ft_causes_on);

/* Are causes of breaks kept (parameter causes)? This does not change. */
static __always_inline bool ft_causes_wanted(void)
{
	return static_branch_unlikely(&ft_causes_on);
}

extern struct workqueue_struct *ft_wq;
extern wait_queue_head_t ft_settled;

extern atomic_t ft_nr_waiting;

void ft_target_hook(void (*func)(void));
void ft_target_kick(void);

/* === Counters ============================================================= */

/**
 * enum ft_counter - what is counted since the module was loaded
 * @FT_EVENTS_WRITE: blocks written out of place
 * @FT_EVENTS_UPDATE: changes of addresses, most of them reported before
 * @FT_EVENTS_MAP: ranges allocated by direct I/O and preallocation
 * @FT_EVENTS_TRUNCATE: truncations
 * @FT_EVENTS_FALLOCATE: fallocate calls
 * @FT_EVENTS_ATOMIC: blocks committed by an atomic write
 * @FT_EVENTS_COMPRESS: clusters compressed
 * @FT_CALLS: steps of calls, noticed just before they began: blocks are about to
 *	be moved, zeroed, punched out or preallocated
 * @FT_MISMATCHES: events that contradicted the map; each made it stale
 * @FT_LOST: events that a map could not take, because memory was refused, the budget
 *	was used up or no lock may be taken; each made it stale
 * @FT_RESCANS: files that were scanned
 * @FT_STEPS_LATE: steps of a worker that F2FS kept waiting for so long that
 *	another worker took over the rest of the queue
 * @FT_AUDITS: files whose map was compared with what F2FS reports
 * @FT_AUDIT_DIFFERENCES: audited files whose map differed
 * @FT_SAMPLED: files of the sample whose map was compared (sample.c)
 * @FT_REFUSED: files and names left out because the memory budget was used up
 * @FT_CAUSES_LOST: files whose causes were dropped because memory was short
 * @FT_HEAT_LOST: windows of reads, requests and overwrites that were not counted,
 *	because memory was refused, the budget does not allow more, or a read was too
 *	long
 * @FT_HEAT_DROPPED: files that lost all their counts of reads, because memory was
 *	short, or because too much was truncated at once
 * @FT_NR_COUNTERS: how many there are
 */
enum ft_counter {
	FT_EVENTS_WRITE,
	FT_EVENTS_UPDATE,
	FT_EVENTS_MAP,
	FT_EVENTS_TRUNCATE,
	FT_EVENTS_FALLOCATE,
	FT_EVENTS_ATOMIC,
	FT_EVENTS_COMPRESS,
	FT_CALLS,
	FT_MISMATCHES,
	FT_LOST,
	FT_RESCANS,
	FT_STEPS_LATE,
	FT_AUDITS,
	FT_AUDIT_DIFFERENCES,
	FT_SAMPLED,
	FT_REFUSED,
	FT_CAUSES_LOST,
	FT_HEAT_LOST,
	FT_HEAT_DROPPED,
	FT_NR_COUNTERS
};

DECLARE_PER_CPU(u64[FT_NR_COUNTERS], ft_counters);

static inline void ft_count(enum ft_counter which)
{
	this_cpu_inc(ft_counters[which]);
}

#endif
