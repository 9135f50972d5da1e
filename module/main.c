// SPDX-License-Identifier: GPL-2.0-only
/*
 * fragtrace: extent maps of files on F2FS, exact at every moment.
 *
 * Load and unload. Below is the map of the module: its floors, from top to bottom. A
 * file uses only what is on its own floor or below, and no files use each other in a
 * circle; selftests/host/layers.py checks that. Upper floors are reached by a work, a
 * callback of fsnotify, ft_target_hook(), or struct ft_observer.
 *
 *   observers/  what is counted besides the maps, a folder for each parameter
 *     observers.c  the list of them; each folder has one file
 *     heat/        which ranges of files are read, and overwritten
 *     cgroups/     what cgroups read, and the requests that it takes
 *     fsync/       where the time of fsyncs goes
 *     latency/     how long reads take, and what breaks add to that
 *     ledger/      what is written, by kind, process and file
 *     gc_runs/     why garbage collection runs, how it chooses, and who waits for it
 *     discards/    what is discarded, which zones are reset, and how long that takes
 *
 *   debugfs/    what a user sees and asks for
 *     debugfs.c    counters out, commands in
 *     binary.c     a copy as it is: snapshot
 *     text.c       a copy as text: table, extents, files
 *     tally.c      what the maps no longer show: healed, by_pair
 *     gc.c         what garbage collection did, with the paths of a copy
 *     lines.c      what all texts share: their lines, copied when a reader opens one
 *     copy.c       a copy for one reader, with the figures of each file
 *     order.c      the order of its lines
 *     vec.c        its arrays, and the memory budget of all copies
 *     words.c      causes in words
 *
 *   watch/      what is watched
 *     resync.c     resync and audit of all that is watched
 *     target.c     the directories that the user asked for
 *     path.c       looks up their paths, keeps no reference
 *     mount.c      attaches volumes, detaches them on umount
 *
 *   probes/     what F2FS reports
 *     attach.c     attaches the probes to F2FS, which may come and go
 *     map.c        F2FS tracepoints -> which inode, which blocks
 *     cause.c      who writes, and what garbage collection chooses
 *     mover.c      which operation moves a block, for the maps and for observers
 *     read.c       which blocks are read, for observers
 *     call.c       calls that no tracepoint describes -> which inodes
 *
 *   scan/       what asks F2FS, where events are not enough
 *     worker.c     takes the inodes that wait in turn, one step each (see step.h)
 *     sample.c     audits one file after the other, when there is nothing else to do
 *     file.c       a step of a file: read its extents by FIEMAP
 *     fiemap.c     the extents that FIEMAP reports
 *     dir.c        a step of a directory: read the names in it
 *     step.c       what each step holds, and for how long
 *     audit.c      compares maps with FIEMAP
 *
 *   maps/       what is known of each file
 *     event.c      applies an event to the map of its file
 *     note.c       keeps the events of call.c where no lock can be taken
 *     names.c      the names of the inodes, kept by fsnotify
 *     rebuild.c    replaces a map by the extents that FIEMAP reported
 *     budget.c     which file gives way when the memory budget is used up
 *     inode.c      the record of an inode: life and state (see core/record.h)
 *     trace.c      our own tracepoints
 *
 *   causes/     why a block is where it is
 *     breaks.c     why the fragments of a file begin where they do
 *     gc.c         what garbage collection has moved
 *     tally.c      counts what the maps no longer show: healed breaks, pairs
 *     writer.c     processes that write, by number
 *     logs.c       which files recently got blocks of a volume's logs
 *
 *   f2fs/       all that knows F2FS's private types, besides the probes
 *     state.c      what F2FS says of a volume, a file, a checkpoint
 *     segment.c    reads F2FS's segment tables
 *     build_id.c   checks that F2FS is the one that this was built for
 *
 *   core/       what all of that uses; it knows no F2FS
 *     queue.c      the inodes of a volume that wait for its worker, by due time
 *     record.c     the record of an inode, and what others keep with it
 *     volume.c     a mounted F2FS that is watched; it may be unmounted at any time
 *     observer.c   the list of observers, what they keep; observer.h is all that others know
 *     task.c       the cgroup of the task that is running
 *     memory.c     the memory in use, and its budget
 *     extmap.c     the extents of one file, and their causes (see extmap.h)
 *     base.c       counters, the workqueue
 *
 *   format/     what programs share with the module
 *     cause.h      the parts of a cause
 *     snapshot.h   the file `snapshot`
 *
 * Lock order, outermost first. Locks of the kernel are in brackets.
 *
 *   run_lock of resync.c    mutex; one audit at a time
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
 * Only locks of the kernel are taken inside report_lock of audit.c, the locks in
 * causes/ and observers/, volumes_lock of volume.c and freed_lock of inode.c.
 *
 * Probes run under locks of F2FS, with preemption disabled; they disable it
 * themselves if the kernel does not. They take spinlocks only, and never sleep.
 * bounds.h has the bounds of their work.
 * With PREEMPT_RT, where spinlocks sleep, probes run with preemption enabled
 * (compat.h). The probes of probes/call.c take no lock there, nor in a kernel where
 * they run inside an exception (note.c). Return probes of observers/fsync/fsync.c take a raw one.
 */

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "causes/gc.h"
#include "core/base.h"
#include "core/memory.h"
#include "core/volume.h"
#include "debugfs/debugfs.h"
#include "maps/budget.h"
#include "maps/inode.h"
#include "observers/observers.h"
#include "probes/probe.h"
#include "watch/mount.h"
#include "watch/resync.h"
#include "watch/target.h"

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

module_param_named(causes, ft_causes, bool, 0444);
MODULE_PARM_DESC(causes, "tell why each fragment begins where it does (default: on)");

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
	ft_budget_init();
	if (ft_causes) {
		static_branch_enable(&ft_causes_on);
		ft_gc_init();
	}
	err = ft_observers_init(ft_all_observers);
	if (err)
		return err;
	err = ft_inode_init();
	if (err)
		goto err_observers;
	err = -ENOMEM;
	ft_wq = alloc_workqueue("fragtrace", WQ_UNBOUND, 0);
	if (!ft_wq)
		goto err_inode;
	err = ft_mount_init();
	if (err)
		goto err_wq;
	err = ft_attach_init();
	if (err)
		goto err_volume;
	err = ft_target_init(paths, wait);
	if (err)
		goto err_attach;
	ft_resync_init();
	err = ft_debugfs_init();
	if (err)
		goto err_request;
	pr_info("%s %s\n", wait && paths ? "waiting for" : "watching", paths ?: "nothing yet");
	return 0;

err_request:
	ft_resync_exit();
	ft_target_exit();
err_attach:
	ft_attach_exit();
err_volume:
	ft_mount_exit();
	ft_mem_stop();
err_wq:
	destroy_workqueue(ft_wq);
err_inode:
	ft_inode_exit();
err_observers:
	ft_observers_exit();
	return err;
}

static void __exit fragtrace_exit(void)
{
	ft_debugfs_exit();
	ft_resync_exit();
	ft_target_exit();
	ft_attach_exit();
	ft_mount_exit();
	ft_mem_stop();
	destroy_workqueue(ft_wq);
	ft_inode_exit();
	ft_observers_exit();
	ft_mem_exit();
	pr_info("unloaded\n");
}

module_init(fragtrace_init);
module_exit(fragtrace_exit);
MODULE_DESCRIPTION("Extent maps of files on F2FS, kept exact by its tracepoints");
MODULE_VERSION("0.1");
MODULE_LICENSE("GPL");
