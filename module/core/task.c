// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cgroup of the task that is running.
 */

#include <linux/cgroup.h>
#include <linux/kernfs.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "core/base.h"
#include "core/task.h"

#ifdef CONFIG_CGROUPS
/*
 * The begin of the path, as much as there is room for: each step adds two bytes or
 * more. kernfs_path_from_node() would take steps by the square of the depth, which a
 * user chooses, with interrupts disabled. No cgroup of version 2 is ever renamed.
 */
static void begin_of_path(struct cgroup *cgroup, char *path, size_t size)
{
	struct cgroup *at;
	size_t len = 0;
	int level;

	for (level = 1; len + 1 < size; level++) {
		at = cgroup_ancestor(cgroup, level);
		if (!at)
			break;
		len += scnprintf(path + len, size - len, "/%s", rcu_dereference_raw(at->kn->name));
	}
	if (!len)
		strscpy(path, "/", size);
}
#endif

/**
 * ft_task_cgroup() - the cgroup of the task that is running
 * @path: room for its path, or NULL
 * @size: how much room; a longer path is cut off
 *
 * It is the cgroup of version 2. With a kernel without cgroups the path is empty.
 *
 * Context: any.
 * Return: its ID.
 */
u64 ft_task_cgroup(char *path, size_t size)
{
#ifdef CONFIG_CGROUPS
	struct cgroup *cgroup;

	guard(ft_rcu)();
	cgroup = task_dfl_cgroup(current);
	if (path)
		begin_of_path(cgroup, path, size);
	return cgroup_id(cgroup);
#else
	if (path)
		path[0] = '\0';
	return 0;
#endif
}
