// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets allocations fail that fragtrace itself asks for, on kernels without failslab: a probe at each function that
 * allocates looks for the caller, and returns what the function returns without memory. Load it before fragtrace.
 *
 *	insmod fail_alloc.ko
 *	echo 7 >/sys/module/fail_alloc/parameters/nth		# the seventh from now
 *	echo 4 >/sys/module/fail_alloc/parameters/every		# about each fourth
 *	cat /sys/module/fail_alloc/parameters/count		# how many there were since nth was written
 *	cat /sys/module/fail_alloc/parameters/failed		# how many of them have failed
 */

#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/xarray.h>

static const char wanted[] = "fragtrace";

/*
 * Functions that allocate, by their names on all kernels, of which each has some; and what they return without memory.
 */
static const struct allocator {
	const char *name;
	unsigned long result;
} allocators[] = {
	{ "__kmalloc" },
	{ "__kmalloc_noprof" },
	{ "__kmalloc_cache_noprof" },
	{ "kmalloc_trace" },
	{ "kmalloc_large" },
	{ "__kmalloc_large_noprof" },
	{ "kmem_cache_alloc" },
	{ "kmem_cache_alloc_noprof" },
	{ "kvmalloc_node" },
	{ "__kvmalloc_node_noprof" },
	{ "vmalloc" },
	{ "vmalloc_noprof" },
	{ "vzalloc" },
	{ "vzalloc_noprof" },
	{ "__vmalloc" },
	{ "__vmalloc_noprof" },
	{ "kstrdup" },
	{ "kstrdup_noprof" },
	{ "kasprintf" },
	{ "kmem_cache_create" },
	{ "__kmem_cache_create_args" },
	{ "alloc_workqueue" },
	{ "alloc_workqueue_noprof" },
	{ "__seq_open_private" },
	{ "seq_open", -ENOMEM },
	{ "memdup_user_nul", -ENOMEM },
	{ "rhashtable_init", -ENOMEM },
	{ "rhashtable_init_noprof", -ENOMEM },
	{ "rhashtable_insert_slow", -ENOMEM },
	{ "tracepoint_probe_register", -ENOMEM },
	{ "register_kprobe", -ENOMEM },
	{ "register_kretprobe", -ENOMEM },
	{ "fsnotify_alloc_group", -ENOMEM },
	{ "fsnotify_add_mark", -ENOMEM },
	{ "kern_path", -ENOMEM },
	{ "debugfs_create_dir", -ENOMEM },
	{ "debugfs_create_file", -ENOMEM },
	{ "__xa_insert", -ENOMEM },
	{ "xa_store", ((unsigned long)-ENOMEM << 2) | 2 },
};

static struct kprobe probes[ARRAY_SIZE(allocators)];
static struct module *module;	/* from when its code is there until its exit has run */
static atomic_t count, failed;
static unsigned int nth;

static unsigned int every;
module_param(every, uint, 0644);
MODULE_PARM_DESC(every, "let about one of so many allocations fail; 0: none");

static int set_nth(const char *text, const struct kernel_param *param)
{
	atomic_set(&count, 0);
	atomic_set(&failed, 0);
	return param_set_uint(text, param);
}

static const struct kernel_param_ops nth_ops = { .set = set_nth, .get = param_get_uint };
module_param_cb(nth, &nth_ops, &nth, 0644);
MODULE_PARM_DESC(nth, "let the allocation with this number fail, counted from now; 0: none");

static int get_atomic(char *text, const struct kernel_param *param)
{
	return sysfs_emit(text, "%d\n", atomic_read((atomic_t *)param->arg));
}

static const struct kernel_param_ops atomic_ops = { .get = get_atomic };
module_param_cb(count, &atomic_ops, &count, 0444);
MODULE_PARM_DESC(count, "allocations since nth was written");
module_param_cb(failed, &atomic_ops, &failed, 0444);
MODULE_PARM_DESC(failed, "how many of them have failed");

static noinline unsigned long no_memory(unsigned long result)
{
	return result;
}

/* The address to which the function returns that begins here. */
static unsigned long caller(struct pt_regs *regs)
{
#ifdef CONFIG_X86
	return *(unsigned long *)kernel_stack_pointer(regs);
#else
	return procedure_link_pointer(regs);
#endif
}

static int begins(struct kprobe *kp, struct pt_regs *regs)
{
	struct module *from = READ_ONCE(module);
	unsigned int number, step = READ_ONCE(every);

	if (!from || !within_module(caller(regs), from))
		return 0;
	number = atomic_inc_return(&count);
	/* Not each one with a multiple of a number: an operation that ends where it fails would always end at the same one. */
	if (number != READ_ONCE(nth) && !(step && hash_32(number, 16) % step == 0))
		return 0;
	atomic_inc(&failed);
	/* as if no_memory() had been called in its place, with the result as its argument */
#ifdef CONFIG_X86
	regs->di = allocators[kp - probes].result;
#else
	regs->regs[0] = allocators[kp - probes].result;
#endif
	instruction_pointer_set(regs, (unsigned long)no_memory);
	return 1;
}

/* With this, a probe that ftrace places may change the instruction pointer, too. */
static void ends(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
}

static int module_changes(struct notifier_block *block, unsigned long state, void *data)
{
	struct module *changed = data;

	if (!strcmp(changed->name, wanted))
		WRITE_ONCE(module, state == MODULE_STATE_GOING ? NULL : changed);
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = module_changes };

static void remove_probes(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (probes[i].addr)
			unregister_kprobe(&probes[i]);
}

static int __init fail_alloc_init(void)
{
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		probes[i].symbol_name = allocators[i].name;
		probes[i].pre_handler = begins;
		probes[i].post_handler = ends;
		err = register_kprobe(&probes[i]);
		if (err)
			probes[i].addr = NULL;
		if (err && err != -ENOENT) {
			pr_err("no probe at %s: %d\n", allocators[i].name, err);
			remove_probes();
			return err;
		}
	}
	err = register_module_notifier(&notifier);
	if (err)
		remove_probes();
	return err;
}

static void __exit fail_alloc_exit(void)
{
	unregister_module_notifier(&notifier);
	remove_probes();
}

module_init(fail_alloc_init);
module_exit(fail_alloc_exit);
MODULE_DESCRIPTION("Lets allocations of fragtrace fail");
MODULE_LICENSE("GPL");
