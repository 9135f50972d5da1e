// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls that no tracepoint describes in full, or only too late: fallocate, and
 * F2FS_IOC_MOVE_RANGE.
 *
 * In: functions that F2FS calls on the way to such a change. Out: the files
 * concerned are stale; for preallocation, it is known whether blocks were freed
 * before its event came.
 *
 * F2FS calls these functions after all checks, with the inode's lock (i_rwsem) held
 * for writing, before it changes the first address. FIEMAP takes that lock as well:
 * a scan that begins after the file became stale sees the whole change. So this
 * file need not notice the end of a call, and keeps nothing of a call under way. A
 * call that fails a check goes unnoticed. And the inodes are those that F2FS works
 * on, even if the arguments in user space change.
 *
 * If ftrace places the probes, the handlers run with preemption disabled, but not
 * inside an exception. Otherwise, on arm64 for example, they run inside one, and
 * with PREEMPT_RT spinlocks sleep. In both cases they take no lock, and leave a
 * note (maps/note.c). None of these functions runs in an interrupt or inside a handler,
 * so no probe is missed. For a kernel without kprobes this file is left out (see
 * Kbuild); then the event at the end of a fallocate makes the file stale.
 *
 * A probe that is registered may still not fire: root can switch off ftrace or all
 * kprobes at any time, before and after this module is loaded, and nothing reports
 * that. So an event is trusted only if the probe before it has left a mark in the
 * record (map.c), and this file makes a call of its own from time to time, and at
 * each mark that is missing. If the probe does not see it, F2FS_IOC_MOVE_RANGE, which
 * has no event, goes unnoticed. Then, and when the probes fire again, all is scanned.
 */

#include <linux/fs.h>
#include <linux/falloc.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>

#include "core/base.h"
#include "core/volume.h"
#include "maps/event.h"
#include "maps/inode.h"
#include "maps/note.h"
#include "probes/probe.h"

/* How often it is checked that the probes fire; a missing mark is a reason, too. */
#define CHECK_PERIOD	(10 * HZ)

static void check_probes(struct work_struct *work);
static DECLARE_DELAYED_WORK(check_work, check_probes);

/*
 * Did the probe see our own call? Written by its task only. This is no bool: with
 * CONFIG_UBSAN_BOOL, GCC 12 reads those as if they were not volatile.
 */
static u8 seen;

/* Blocks [@from, @end) of a file are about to change. */
static void begin_range(const struct inode *inode, u64 from, u64 end)
{
	struct ft_inode *rec;

	guard(ft_rcu)();
	rec = ft_inode_find_file(inode->i_sb, inode->i_ino);
	if (rec) {
		ft_count(FT_CALLS);
		/* with 32 bits an argument of 64 takes two registers */
		if (IS_ENABLED(CONFIG_64BIT) && from < end && end <= FT_LBLK_END)
			ft_note_stale(rec, from, end);
		else
			ft_note_stale(rec, 0, FT_LBLK_END);
	}
}

/*
 * f2fs_fallocate(file, mode, offset, len), or vfs_fallocate(): plain preallocation only, not
 * locked
 */
static int before_fallocate(struct kprobe *probe, struct pt_regs *regs)
{
	const struct file *file = (const struct file *)regs_get_kernel_argument(regs, 0);
	const struct inode *inode = file_inode(file);
	struct ft_inode *rec;

	/* vfs_fallocate() has not checked yet whether the file may be written */
	if ((int)regs_get_kernel_argument(regs, 1) & ~FALLOC_FL_KEEP_SIZE ||
	    !(file->f_mode & FMODE_WRITE))
		return 0;
	guard(ft_rcu)();
	rec = ft_inode_find_file(inode->i_sb, inode->i_ino);
	if (rec) {
		ft_count(FT_CALLS);
		ft_note_reserve_begin(rec);
	}
	return 0;
}

/*
 * truncate_pagecache_range(inode, begin, last): these bytes, whole blocks, are about to
 * be punched out or zeroed
 */
static int before_zero(struct kprobe *probe, struct pt_regs *regs)
{
	begin_range((const struct inode *)regs_get_kernel_argument(regs, 0),
		    regs_get_kernel_argument(regs, 1) >> FT_BLOCK_BITS,
		    (regs_get_kernel_argument(regs, 2) >> FT_BLOCK_BITS) + 1);
	return 0;
}

/*
 * __exchange_data_block(from, to, at, to_at, len, ...): blocks are about to be moved to
 * another file or, by collapse and insert, within one
 */
static int before_exchange(struct kprobe *probe, struct pt_regs *regs)
{
	u64 at = regs_get_kernel_argument(regs, 2);
	u64 to_at = regs_get_kernel_argument(regs, 3);
	u64 len = regs_get_kernel_argument(regs, 4);
	const struct inode *from, *to;

	from = (const struct inode *)regs_get_kernel_argument(regs, 0);
	to = (const struct inode *)regs_get_kernel_argument(regs, 1);
	if (from == to) {
		begin_range(to, min(at, to_at), max(at, to_at) + len);
	} else {
		begin_range(from, at, at + len);
		begin_range(to, to_at, to_at + len);
	}
	return 0;
}

/* Our own call. */
static noinline void ft_call_test(void)
{
	barrier();
}

static int before_test(struct kprobe *probe, struct pt_regs *regs)
{
	WRITE_ONCE(seen, 1);
	return 0;
}

/* === Attaching ============================================================ */

/*
 * Link-time optimization may rename a static function, as f2fs_fallocate.llvm.123, and kprobes
 * take whole names. Then its caller is probed, which is exported and has the same arguments.
 */
static const struct {
	const char *function;
	kprobe_pre_handler_t handler;
	const char *caller;
} table[] = {
	{ "ft_call_test", before_test },
	{ "f2fs_fallocate", before_fallocate, "vfs_fallocate" },
	{ "truncate_pagecache_range", before_zero },
	{ "__exchange_data_block", before_exchange },
};

static struct kprobe probes[ARRAY_SIZE(table)];
static bool attached[ARRAY_SIZE(table)];
static bool followed;	/* all are registered */
static bool firing;	/* and they fire, as far as is known */

static void check_probes(struct work_struct *work)
{
	bool fire;

	WRITE_ONCE(seen, 0);
	ft_call_test();
	fire = READ_ONCE(seen) != 0;
	if (fire != firing) {
		WRITE_ONCE(firing, fire);
		if (fire)
			pr_info("kprobes fire again: all files are scanned\n");
		else
			pr_warn("kprobes do not fire (kernel.ftrace_enabled, or kprobes/enabled in debugfs): all files are scanned; after F2FS_IOC_MOVE_RANGE write 1 to resync\n");
		/* a call may have gone unnoticed, in any file */
		ft_volume_visit_all(ft_inode_request_scan, NULL);
	}
	queue_delayed_work(ft_wq, &check_work, round_jiffies_relative(CHECK_PERIOD));
}

/**
 * ft_call_missed() - an event came without the mark that a probe leaves before it
 *
 * There are harmless reasons for that. So it is checked whether the probes fire.
 *
 * Context: any.
 */
void ft_call_missed(void)
{
	if (READ_ONCE(followed) && READ_ONCE(firing))
		mod_delayed_work(ft_wq, &check_work, 0);
}

/**
 * ft_call_attach() - start to follow the calls
 *
 * Context: process; F2FS is loaded. Pairs with ft_call_detach().
 */
void ft_call_attach(void)
{
	bool all = true;
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		probes[i] = (struct kprobe){
			.symbol_name = table[i].function,
			.pre_handler = table[i].handler,
		};
		err = register_kprobe(&probes[i]);
		if (err == -ENOENT && table[i].caller) {
			probes[i].symbol_name = table[i].caller;
			err = register_kprobe(&probes[i]);
		}
		attached[i] = !err;
		if (err) {
			all = false;
			pr_warn("cannot follow calls of %s (%d): after F2FS_IOC_MOVE_RANGE write 1 to resync\n",
				table[i].function, err);
		}
	}
	WRITE_ONCE(followed, all);
	if (!all)
		return;
	WRITE_ONCE(firing, true);
	queue_delayed_work(ft_wq, &check_work, 0);
}

/**
 * ft_call_detach() - stop following the calls
 *
 * Context: process. After it no handler runs.
 */
void ft_call_detach(void)
{
	size_t i;

	WRITE_ONCE(followed, false);
	cancel_delayed_work_sync(&check_work);
	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (attached[i]) {
			unregister_kprobe(&probes[i]);
			attached[i] = false;
		}
}

/**
 * ft_call_attached() - are all of the calls followed?
 *
 * Return: true if so, as far as is known.
 */
bool ft_call_attached(void)
{
	return READ_ONCE(followed) && READ_ONCE(firing);
}
