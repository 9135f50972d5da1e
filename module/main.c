// SPDX-License-Identifier: GPL-2.0-only
/*
 * fragtrace: extent maps of files on F2FS, exact at every moment.
 *
 * Load and unload. fragtrace.h is the map of the module.
 */

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "budget.h"
#include "cgroup.h"
#include "debugfs.h"
#include "base.h"
#include "fsync.h"
#include "heat.h"
#include "inode.h"
#include "memory.h"
#include "probe.h"
#include "request.h"
#include "target.h"
#include "volume.h"

/*
 * A charp parameter is limited to 1024 bytes, a list of paths may be longer. The
 * list is checked in ft_target_init(), which logs what is wrong with it.
 */
static char *paths;

static int set_paths(const char *val, const struct kernel_param *kp)
{
	if (paths) {
		pr_err("path: given twice; one list, separated by commas, is expected\n");
		return -EINVAL;
	}
	paths = kstrdup(val, GFP_KERNEL);
	return paths ? 0 : -ENOMEM;
}

static int get_paths(char *buf, const struct kernel_param *kp)
{
	return scnprintf(buf, PAGE_SIZE, "%s\n", paths ?: "");
}

static void free_paths(void *arg)
{
	kfree(paths);
}

static const struct kernel_param_ops path_ops = {
	.set = set_paths,
	.get = get_paths,
	.free = free_paths,
};

module_param_cb(path, &path_ops, NULL, 0444);
MODULE_PARM_DESC(path, "directories to watch, separated by commas (default: none)");

static bool wait;
module_param(wait, bool, 0444);
MODULE_PARM_DESC(wait, "load although a directory of path is not there yet, and watch it when it is (default: off)");

static unsigned long max_mem_mb;
module_param(max_mem_mb, ulong, 0444);
MODULE_PARM_DESC(max_mem_mb, "memory for files, names and extent maps in MiB (default: 1/8 of memory)");

static bool causes = true;
module_param(causes, bool, 0444);
MODULE_PARM_DESC(causes, "tell why each fragment begins where it does (default: on)");

static bool heat;
module_param(heat, bool, 0444);
MODULE_PARM_DESC(heat, "count which ranges of files are read (default: off)");

static unsigned int heat_window_kb = 128;
module_param(heat_window_kb, uint, 0444);
MODULE_PARM_DESC(heat_window_kb, "length of such a range in KiB (default: 128)");

static unsigned int heat_period_secs = 3600;
module_param(heat_period_secs, uint, 0444);
MODULE_PARM_DESC(heat_period_secs, "seconds in which these counts lose half of their value (default: 3600)");

static bool cgroups;
module_param(cgroups, bool, 0444);
MODULE_PARM_DESC(cgroups, "count reads and the requests they take by cgroup (default: off)");

static bool fsync;
module_param(fsync, bool, 0444);
MODULE_PARM_DESC(fsync, "measure where the time of an fsync goes (default: off)");

static int set_budget(void)
{
	unsigned long total_mb = totalram_pages() >> (20 - PAGE_SHIFT);

	if (!max_mem_mb)
		max_mem_mb = max(total_mb / 8, 1UL);
	if (max_mem_mb > total_mb) {
		pr_err("max_mem_mb=%lu: more than the %lu MiB of this machine\n",
		       max_mem_mb, total_mb);
		return -EINVAL;
	}
	ft_mem_set_budget(max_mem_mb << 20);
	return 0;
}

static int __init fragtrace_init(void)
{
	int err;

	err = set_budget();
	if (err)
		return err;
	if (causes)
		static_branch_enable(&ft_causes_on);
	if (cgroups)
		static_branch_enable(&ft_cgroups_on);
	ft_budget_init();
	err = ft_heat_init(heat, heat_window_kb, heat_period_secs);
	if (err)
		return err;
	err = ft_fsync_init(fsync);
	if (err)
		goto err_heat;
	err = ft_inode_init();
	if (err)
		goto err_fsync;
	err = -ENOMEM;
	ft_wq = alloc_workqueue("fragtrace", WQ_UNBOUND, 0);
	if (!ft_wq)
		goto err_inode;
	err = ft_volume_init();
	if (err)
		goto err_wq;
	err = ft_attach_init();
	if (err)
		goto err_volume;
	err = ft_target_init(paths, wait);
	if (err)
		goto err_attach;
	ft_request_init();
	err = ft_debugfs_init();
	if (err)
		goto err_request;
	pr_info("%s %s\n", wait && paths ? "waiting for" : "watching",
		paths ?: "nothing yet");
	return 0;

err_request:
	ft_request_exit();
	ft_target_exit();
err_attach:
	ft_attach_exit();
err_volume:
	ft_volume_exit();
	ft_mem_stop();
err_wq:
	destroy_workqueue(ft_wq);
err_inode:
	ft_inode_exit();
err_fsync:
	ft_fsync_exit();
err_heat:
	ft_heat_exit();
	return err;
}

static void __exit fragtrace_exit(void)
{
	ft_debugfs_exit();
	ft_request_exit();
	ft_target_exit();
	ft_attach_exit();
	ft_volume_exit();
	ft_mem_stop();
	destroy_workqueue(ft_wq);
	ft_inode_exit();
	ft_fsync_exit();
	ft_heat_exit();
	pr_info("unloaded\n");
}

module_init(fragtrace_init);
module_exit(fragtrace_exit);
MODULE_DESCRIPTION("Extent maps of files on F2FS, kept exact by its tracepoints");
MODULE_VERSION("0.1");
MODULE_LICENSE("GPL");
