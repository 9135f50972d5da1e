// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a function of fragtrace begin or end late, so that what may happen
 * meanwhile on another CPU does happen.
 *
 *	insmod late.ko function=probe_fallocate before_ms=20
 */

#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>

static char *function = "";
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "which one");

static unsigned int before_ms;
module_param(before_ms, uint, 0444);
MODULE_PARM_DESC(before_ms, "how long to wait before it begins, in milliseconds");

static unsigned int after_ms;
module_param(after_ms, uint, 0444);
MODULE_PARM_DESC(after_ms, "how long to wait before it returns");

static int before(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	mdelay(before_ms);
	return 0;
}

static int after(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	mdelay(after_ms);
	return 0;
}

static struct kretprobe probe = {
	.entry_handler = before,
	.handler = after,
	.maxactive = 256,
};

static int __init late_init(void)
{
	probe.kp.symbol_name = function;
	return register_kretprobe(&probe);
}

static void __exit late_exit(void)
{
	unregister_kretprobe(&probe);
}

module_init(late_init);
module_exit(late_exit);
MODULE_DESCRIPTION("Delays a function");
MODULE_LICENSE("GPL");
