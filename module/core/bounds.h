/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bounds of the work of a probe, all of them.
 *
 * A probe runs inside F2FS, with a spinlock held, most of them with preemption off.
 * So an event costs no more than this, whatever files, volumes and users have done
 * before. What does not fit is left to a worker, or is not known. An event changes
 * one map once, or two while its file is scanned, and what is known of its causes:
 * it goes through each of the lists below once or twice.
 *
 * Builds with FT_DEBUG (see Kbuild) count steps and warn beyond the bound, which
 * fails the test that runs. extmap_test.c counts those of maps, with smaller bounds.
 */
#ifndef FT_BOUNDS_H
#define FT_BOUNDS_H

#include <linux/bug.h>

#ifndef FT_DEBUG
#define FT_DEBUG	0
#endif

/*
 * Maps (extmap.c): besides finding a block in the tree a few times, no call removes
 * more leaves or reads more extents than this. A call that would returns -E2BIG, and
 * its caller leaves the rest to a scan. maps/trace.c reads no more extents to count the
 * breaks among them, nor do observers/heat/ and observers/cgroups/ for one read.
 */
#ifndef FT_MAX_LEAVES_AT_ONCE
#define FT_MAX_LEAVES_AT_ONCE	128
#define FT_MAX_EXTENTS_AT_ONCE	1024
#endif

/* How many holes and unwritten extents are skipped to find a written neighbour. */
#define FT_MAX_SKIPPED		16

/* Devices of a volume: as many as F2FS takes. */
#define FT_MAX_DEVICES		8

/* Runs kept of each log, and searched for the file that got a block (causes/logs.c). */
#define FT_RUNS_PER_LOG		64

/*
 * Processes of a chain that are searched (causes/writer.c), pairs of a chain (causes/tally.c), and
 * cgroups of a chain (observers/cgroups/). A process farther back gets a new number, a pair or a
 * cgroup is counted with all others.
 */
#define FT_MAX_SEARCHED		64

/*
 * Victims that are kept (causes/gc.c); in the worst case all of them are in one chain. Builds
 * for tests keep fewer, so that tests make more than that.
 */
#define FT_GC_VICTIMS		(FT_DEBUG ? 64 : 1024)
/* The segments of a victim whose blocks are counted. */
#define FT_GC_SEGMENTS		1024
/* Shares searched: files that are written in turn are few. */
#define FT_GC_SEARCHED		8

/*
 * Heat (observers/heat/): windows that a read counts for, and chunks of windows that a
 * truncation frees. What is beyond is not counted, or all of the file is dropped.
 */
#define FT_MAX_WINDOWS_AT_ONCE	1024U
#define FT_MAX_CHUNKS_AT_ONCE	256

/* Fsyncs under way that are searched for that of a task (observers/fsync/). */
#define FT_MAX_FSYNCS_SEARCHED	16

/*
 * Collections (observers/gc_runs/): tasks whose waits are measured at a time, for the lock, and for
 * F2FS's thread; processes and recent runs that are kept, and searched; segments that are compared
 * with a victim: F2FS reads as many as 4096 in the background, and all that are dirty in the
 * foreground.
 */
#define FT_GC_WAITING		256
#define FT_GC_ASLEEP		64
#define FT_GC_PROCESSES		64
#define FT_GC_RUNS		96
#define FT_GC_COMPARED		1024U

/* Tables of reads and bios (observers/latency/): places that are searched. */
#define FT_MAX_LATENCY_SEARCHED	4

/*
 * Discards (observers/discards/): threads by name, the last ones of the kernel alone, and places
 * of bios, that are searched.
 */
#define FT_DISCARD_TASKS	16
#define FT_DISCARD_KTHREADS	4
#define FT_MAX_DISCARDS_SEARCHED	4

/* Check that a loop ended within its bound, in builds with FT_DEBUG. */
static inline void ft_check_steps(unsigned int steps, unsigned int bound)
{
	WARN_ONCE(FT_DEBUG && steps > bound, "%u steps, bound %u\n", steps, bound);
}

#endif
