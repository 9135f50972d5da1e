// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a function of fragtrace begin or end late, so that events on another
 * CPU can happen in between. If nothing can happen in between, a probe is
 * called again with the arguments of its first event when this module is
 * removed, as if that event had come only then. Or a function that returns nothing is not
 * run at all, as if it had not been called.
 *
 *	insmod late.ko function=probe_fallocate before_ms=20
 *	insmod late.ko function=f2fs_fiemap before_ms=10000 until_locked=500
 *	insmod late.ko function=probe_replace_atomic again=1
 *	insmod late.ko function=probe_truncate_enter again=1 atomic=1
 *	insmod late.ko function=fsync_node_block skip=1
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/processor.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "../../../module/core/compat.h"

static char *function = "";
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "which one");

static unsigned int before_ms;
module_param(before_ms, uint, 0444);
MODULE_PARM_DESC(before_ms, "how long to wait before it begins, in milliseconds");

static unsigned int until_locked;
module_param(until_locked, uint, 0444);
MODULE_PARM_DESC(until_locked, "begin earlier, once the inode that is its first argument has been locked for so many milliseconds; the kernel's log says when the first one waits");

static unsigned int after_ms;
module_param(after_ms, uint, 0444);
MODULE_PARM_DESC(after_ms, "how long to wait before it returns");

static bool again;
module_param(again, bool, 0444);
MODULE_PARM_DESC(again, "call it once more in the end; its second argument is an inode");

static bool atomic;
module_param(atomic, bool, 0444);
MODULE_PARM_DESC(atomic, "with preemption off, not only as tracepoints have it");

static bool skip;
module_param(skip, bool, 0444);
MODULE_PARM_DESC(skip, "do nothing in its place; it must return nothing");

static bool leaving;	/* this module is being removed: nothing waits any more */

#define NR_ARGS	6

/* The register arguments of the first call; the module has a reference to their inode. */
static unsigned long args[NR_ARGS];
static DEFINE_RAW_SPINLOCK(args_lock);	/* protects args */

static void remember(struct pt_regs *regs)
{
	int i;

	raw_spin_lock(&args_lock);
	if (!args[1]) {
		for (i = 0; i < NR_ARGS; i++)
			args[i] = regs_get_kernel_argument(regs, i);
		/* the caller has a reference, so ihold() is sufficient; sleeping locks are not allowed */
		ihold((struct inode *)args[1]);
	}
	raw_spin_unlock(&args_lock);
}

/*
 * @addr: where the probe was, after the ENDBR if there is one. The type of the function is not
 * that of the pointer, which kCFI would take for an attack.
 */
static void __nocfi repeat(const void *addr)
{
	void (*func)(unsigned long a, unsigned long b, unsigned long c,
		     unsigned long d, unsigned long e, unsigned long f,
		     unsigned long g);

	if (!args[1])
		return;
	if (*(const u32 *)(addr - 4) == 0xfa1e0ff3)
		addr -= 4;
	func = (void *)addr;
	if (FT_PROBES_KEEP_CPU)
		preempt_disable();
	if (atomic)
		preempt_disable();
	func(args[0], args[1], args[2], args[3], args[4], args[5], 0);
	if (atomic)
		preempt_enable();
	if (FT_PROBES_KEEP_CPU)
		preempt_enable();
	iput((struct inode *)args[1]);
}

/*
 * Wait for the next tick, as an idle CPU does, where interrupts are on and it comes before @left ns are over: an emulated CPU
 * that runs is a busy one of the host.
 */
static void relax(u64 left)
{
#ifdef CONFIG_X86
	if (left > 2 * TICK_NSEC && in_task() && !irqs_disabled()) {
		asm volatile("hlt" ::: "memory");
		return;
	}
#endif
	cpu_relax();
}

/*
 * Wait by the clock, at most until @inode has been locked for @until_locked ms, if there is one. mdelay() adds up
 * delays of 1 ms; on arm64 each may be a WFIT, which an emulator under load ends late, while the exception of the
 * probe keeps interrupts off.
 */
static void wait_ms(unsigned int ms, struct inode *inode)
{
	u64 now = ktime_get_ns(), end = now + (u64)ms * NSEC_PER_MSEC, unlocked = now;

	while (now < end && !READ_ONCE(leaving)) {
		if (!inode || !inode_is_locked(inode))
			unlocked = now;
		else if (now - unlocked >= (u64)until_locked * NSEC_PER_MSEC)
			break;
		relax(end - now);
		now = ktime_get_ns();
	}
}

static int before(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (again)
		remember(regs);
	if (until_locked)
		pr_info_once("%s waits\n", function);
	wait_ms(before_ms, until_locked ? (struct inode *)regs_get_kernel_argument(regs, 0) : NULL);
	return 0;
}

static int after(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	wait_ms(after_ms, NULL);
	return 0;
}

static struct kretprobe probe = {
	.entry_handler = before,
	.handler = after,
	.maxactive = 256,
};

static noinline void nothing(void)
{
	barrier();
}

static int run_nothing(struct kprobe *kp, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)nothing);
	return 1;
}

/* With this, a probe that ftrace places may change the instruction pointer, too. */
static void after_nothing(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe skipper = {
	.pre_handler = run_nothing,
	.post_handler = after_nothing,
};

static int __init late_init(void)
{
	if (skip) {
		skipper.symbol_name = function;
		return register_kprobe(&skipper);
	}
	probe.kp.symbol_name = function;
	return register_kretprobe(&probe);
}

static void __exit late_exit(void)
{
	const void *addr = probe.kp.addr;

	WRITE_ONCE(leaving, true);
	if (skip) {
		unregister_kprobe(&skipper);
		return;
	}
	unregister_kretprobe(&probe);
	if (again)
		repeat(addr);
}

module_init(late_init);
module_exit(late_exit);
MODULE_DESCRIPTION("Delays a function");
MODULE_LICENSE("GPL");
