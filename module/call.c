// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls whose effect no tracepoint tells in full, or only when it is too late:
 * fallocate, and F2FS_IOC_MOVE_RANGE.
 *
 * In: functions that F2FS calls on the way to such a change. Out: the files at
 * hand are stale; of preallocation it is known whether blocks were freed before
 * its event came.
 *
 * The functions are those that F2FS calls after all checks, with the inode's lock
 * (i_rwsem) held for writing, before it changes the first address. FIEMAP takes
 * that lock as well: a scan that begins after the file became stale sees what the
 * change has made of it. So nothing has to be known of the end of a call, and
 * nothing is kept of one that is under way; one that fails a check goes unnoticed;
 * and the inodes are those that F2FS works on, whatever becomes of the arguments
 * in user space.
 *
 * Where ftrace places the probes, the handlers run with preemption off but not
 * inside an exception. Elsewhere, on arm64 for example, they are in one, and with
 * PREEMPT_RT spinlocks sleep: then they take no lock, and leave a note (note.c).
 * None of these functions runs in an interrupt or inside a handler, so that no
 * probe is missed. For a kernel without kprobes this file is left out (see Kbuild);
 * the end of a fallocate is an event as well.
 */

#include <linux/fs.h>
#include <linux/falloc.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>

#include "event.h"
#include "fragtrace.h"
#include "inode.h"
#include "note.h"
#include "probe.h"

static void apply(void (*func)(struct ft_inode *rec), const struct inode *inode)
{
	struct ft_inode *rec;

	rcu_read_lock();
	rec = ft_inode_find_file(inode->i_sb, inode->i_ino);
	if (rec) {
		ft_count(FT_CALLS);
		func(rec);
	}
	rcu_read_unlock();
}

/* f2fs_fallocate(file, mode, offset, len): only of preallocation, without the lock */
static int before_fallocate(struct kprobe *probe, struct pt_regs *regs)
{
	const struct file *file =
		(const struct file *)regs_get_kernel_argument(regs, 0);

	if (!((int)regs_get_kernel_argument(regs, 1) & ~FALLOC_FL_KEEP_SIZE))
		apply(ft_note_reserve_begin, file_inode(file));
	return 0;
}

/*
 * truncate_pagecache_range(inode, begin, end): whole blocks are about to be
 * punched out or zeroed
 */
static int before_zero(struct kprobe *probe, struct pt_regs *regs)
{
	apply(ft_note_stale,
	      (const struct inode *)regs_get_kernel_argument(regs, 0));
	return 0;
}

/*
 * __exchange_data_block(from, to, ...): blocks are about to be moved to another
 * file or, by collapse and insert, within one
 */
static int before_exchange(struct kprobe *probe, struct pt_regs *regs)
{
	const struct inode *from, *to;

	from = (const struct inode *)regs_get_kernel_argument(regs, 0);
	to = (const struct inode *)regs_get_kernel_argument(regs, 1);
	apply(ft_note_stale, from);
	if (to != from)
		apply(ft_note_stale, to);
	return 0;
}

/* === Attaching ============================================================ */

static const struct {
	const char *function;
	kprobe_pre_handler_t handler;
} table[] = {
	{ "f2fs_fallocate", before_fallocate },
	{ "truncate_pagecache_range", before_zero },
	{ "__exchange_data_block", before_exchange },
};

static struct kprobe probes[ARRAY_SIZE(table)];
static bool attached[ARRAY_SIZE(table)];
static bool followed;

/**
 * ft_call_attach() - begin to follow the calls
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
		attached[i] = !err;
		if (err) {
			all = false;
			pr_warn("cannot follow calls of %s (%d): after F2FS_IOC_MOVE_RANGE write 1 to resync\n",
				table[i].function, err);
		}
	}
	WRITE_ONCE(followed, all);
}

/**
 * ft_call_detach() - follow no calls any more
 *
 * Context: process. When it returns no handler is running and none will.
 */
void ft_call_detach(void)
{
	size_t i;

	WRITE_ONCE(followed, false);
	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (attached[i]) {
			unregister_kprobe(&probes[i]);
			attached[i] = false;
		}
}

/**
 * ft_call_attached() - are all of the calls followed?
 *
 * Return: true if so.
 */
bool ft_call_attached(void)
{
	return READ_ONCE(followed);
}
