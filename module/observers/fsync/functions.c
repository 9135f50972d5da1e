// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions of F2FS that the phases of an fsync are, and the search for free node
 * IDs: how long each call takes.
 *
 * In: begin and return of these functions. Out: the time, for fsync.c.
 *
 * Handlers run with preemption disabled, where ftrace does not place the probe inside
 * an exception, and with PREEMPT_RT spinlocks sleep: so they take no lock. None of
 * these functions runs in an interrupt or inside a handler, so no probe is missed for
 * that. A function that this kernel does not have, because its compiler has inlined it
 * for example, is named in the log and in the file; nothing else stands in for it.
 * f2fs_build_free_nids() is inlined where F2FS allocates a node ID;
 * __f2fs_build_free_nids(), which it calls, is not. It begins when the lock that
 * searches wait for is held.
 */

#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/timekeeping.h>

#include "core/memory.h"
#include "core/volume.h"
#include "observers/fsync/fsync.h"

/* Calls of one function that can be followed at a time. */
#define MAX_ACTIVE	128

/**
 * struct call - a call that is under way
 * @begun: when, in nanoseconds
 * @info: F2FS's state of the volume, if the function gets it; only compared
 */
struct call {
	u64 begun;
	const void *info;
};

/* === Handlers ============================================================= */

/* A return value other than 0 means that the return of this call is not followed. */
static int begin_phase(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;

	if (!ft_fsync_phase_begin())
		return 1;
	call->begun = ktime_get_ns();
	return 0;
}

static int begin_any(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;

	call->info = (const void *)regs_get_kernel_argument(regs, 0);
	call->begun = ktime_get_ns();
	return 0;
}

static u64 took(const struct kretprobe_instance *ri)
{
	return ktime_get_ns() - ((const struct call *)ri->data)->begun;
}

static int end_data(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	ft_fsync_phase_end(FT_FSYNC_DATA, took(ri));
	return 0;
}

static int end_node(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	ft_fsync_phase_end(FT_FSYNC_NODE, took(ri));
	return 0;
}

static int end_checkpoint(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	ft_fsync_phase_end(FT_FSYNC_CHECKPOINT, took(ri));
	return 0;
}

static int end_flush(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	ft_fsync_phase_end(FT_FSYNC_FLUSH, took(ri));
	return 0;
}

/* False if the volume is not watched. */
static bool count_for_all(const struct kretprobe_instance *ri,
			  enum ft_fsync_row row, u64 ns)
{
	const struct call *call = (const struct call *)ri->data;
	struct ft_volume *vol;

	rcu_read_lock();
	vol = ft_volume_find_info(call->info);
	if (vol)
		ft_fsync_called(ft_observed(vol, fsync), row, ns);
	rcu_read_unlock();
	return vol;
}

static int end_search(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	u64 ns = took(ri);

	if (count_for_all(ri, FT_FSYNC_ALL_SEARCHES, ns))
		ft_fsync_searched(ns);
	return 0;
}

static int end_alloc_nid(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	count_for_all(ri, FT_FSYNC_ALLOC_NID, took(ri));
	return 0;
}

/* === Attaching ============================================================ */

#define ROWS_OF_SEARCH	(BIT(FT_FSYNC_SEARCH) | BIT(FT_FSYNC_ALL_SEARCHES))

/* A row of the file is known if all functions with its bit are followed. */
static const struct {
	const char *function;
	kretprobe_handler_t begin;
	kretprobe_handler_t end;
	u32 rows;
} table[] = {
	{ "file_write_and_wait_range", begin_phase, end_data,
	  BIT(FT_FSYNC_DATA) | BIT(FT_FSYNC_OTHER) },
	{ "f2fs_fsync_node_pages", begin_phase, end_node,
	  BIT(FT_FSYNC_NODE) | BIT(FT_FSYNC_OTHER) },
	{ "f2fs_wait_on_node_pages_writeback", begin_phase, end_node,
	  BIT(FT_FSYNC_NODE) | BIT(FT_FSYNC_OTHER) },
	{ "f2fs_sync_fs", begin_phase, end_checkpoint,
	  BIT(FT_FSYNC_CHECKPOINT) | BIT(FT_FSYNC_OTHER) },
	{ "f2fs_issue_flush", begin_phase, end_flush,
	  BIT(FT_FSYNC_FLUSH) | BIT(FT_FSYNC_OTHER) },
	{ "__f2fs_build_free_nids", begin_any, end_search, ROWS_OF_SEARCH },
	{ "f2fs_alloc_nid", begin_any, end_alloc_nid,
	  BIT(FT_FSYNC_ALLOC_NID) },
};

static struct kretprobe probes[ARRAY_SIZE(table)];
static bool attached[ARRAY_SIZE(table)];
static int errors[ARRAY_SIZE(table)];	/* of attaching */
static u32 unknown;	/* a bit for each row */
static DEFINE_MUTEX(attach_lock);	/* protects all of the above */

/* About what the kernel allocates for a probe. */
static size_t bytes_of_probe(void)
{
	return MAX_ACTIVE * (sizeof(struct kretprobe_instance) +
			     sizeof(struct call));
}

/**
 * ft_fsync_attach() - start to follow the functions
 *
 * Before the probe that begins an fsync is attached: so all phases are seen of each
 * fsync whose begin is seen.
 *
 * Context: process; F2FS is loaded. Pairs with ft_fsync_detach().
 */
void ft_fsync_attach(void)
{
	u32 failed = 0;
	size_t i;

	ft_fsync_forget_tasks();
	mutex_lock(&attach_lock);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		probes[i] = (struct kretprobe){
			.kp.symbol_name = table[i].function,
			.entry_handler = table[i].begin,
			.handler = table[i].end,
			.data_size = sizeof(struct call),
			.maxactive = MAX_ACTIVE,
		};
		ft_mem_add(bytes_of_probe());
		errors[i] = register_kretprobe(&probes[i]);
		attached[i] = !errors[i];
		if (errors[i]) {
			ft_mem_add(-(long)bytes_of_probe());
			failed |= table[i].rows;
			pr_warn("cannot follow %s (%d): fsync does not tell how long it takes\n",
				table[i].function, errors[i]);
		}
	}
	WRITE_ONCE(unknown, failed);
	mutex_unlock(&attach_lock);
}

/**
 * ft_fsync_detach() - stop following the functions
 *
 * Context: process. After it no handler runs.
 */
void ft_fsync_detach(void)
{
	size_t i;

	mutex_lock(&attach_lock);
	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (attached[i]) {
			unregister_kretprobe(&probes[i]);
			attached[i] = false;
			ft_mem_add(-(long)bytes_of_probe());
		}
	mutex_unlock(&attach_lock);
}

/**
 * ft_fsync_knows() - does this kernel tell what is in a row of the file?
 * @row: enum ft_fsync_row
 *
 * Return: true if so.
 */
bool ft_fsync_knows(enum ft_fsync_row row)
{
	return !(READ_ONCE(unknown) & BIT(row));
}

/**
 * ft_fsync_show_unknown() - name the functions of which calls are not known
 * @m: the file
 *
 * Context: process; may sleep.
 */
void ft_fsync_show_unknown(struct seq_file *m)
{
	unsigned long missed;
	size_t i;

	mutex_lock(&attach_lock);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (errors[i])
			seq_printf(m, "# not known: %s cannot be followed (%d)\n",
				   table[i].function, errors[i]);
		missed = attached[i] ? READ_ONCE(probes[i].nmissed) +
				       READ_ONCE(probes[i].kp.nmissed) : 0;
		if (missed)
			seq_printf(m, "# not known: %lu calls of %s were missed\n",
				   missed, table[i].function);
	}
	mutex_unlock(&attach_lock);
}
