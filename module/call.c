// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls whose effect no tracepoint tells in full, or only when it is too late:
 * fallocate, and F2FS_IOC_MOVE_RANGE.
 *
 * In: the file operations of F2FS, by return probes; their prototypes are those
 * of the VFS. Out: where blocks are moved or freed, the files at hand are stale
 * from the begin of the call to its end, and are scanned then; where they are
 * preallocated, it is known what else happened meanwhile.
 *
 * Return probes are placed by ftrace, so that the handlers run with preemption
 * off but not inside an exception, where no lock could be taken. For a kernel that
 * cannot do that this file is left out (see Kbuild); the end of a fallocate is
 * an event as well.
 */

#include <linux/fs.h>
#include <linux/falloc.h>
#include <linux/file.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/uaccess.h>

#include <uapi/linux/f2fs.h>

#include "fragtrace.h"

/* How many calls can be under way at once before some are missed. */
#define MAX_CALLS	256

/**
 * struct call - a call from its begin to its end
 * @end: what its end means to each file
 * @sb: the super block of its files
 * @nr: how many they are
 * @ino: their inodes
 * @dst_fd: where to read the other file's descriptor again; %NULL if it is known
 *
 * Numbers, no references: the module may be gone when the call ends.
 */
struct call {
	void (*end)(struct ft_inode *rec);
	const struct super_block *sb;
	unsigned int nr;
	unsigned long ino[2];
	const u32 __user *dst_fd;
};

/* Calls whose destination could not be found out. */
static atomic_t nr_unknown = ATOMIC_INIT(0);

static void add_file(struct call *call, const struct file *file)
{
	const struct inode *inode = file_inode(file);

	if (!call->nr)
		call->sb = inode->i_sb;
	else if (call->sb != inode->i_sb || call->ino[0] == inode->i_ino)
		return;
	call->ino[call->nr++] = inode->i_ino;
}

/* Find the file that blocks are moved to. False if that cannot be read now. */
static bool add_destination(struct call *call, const u32 __user *arg)
{
	struct file *file;
	u32 fd;

	if (copy_from_user_nofault(&fd, arg, sizeof(fd)))
		return false;
	file = fget(fd);
	if (file) {
		add_file(call, file);
		fput(file);
	}
	return true;
}

static void apply(void (*func)(struct ft_inode *rec), const struct call *call)
{
	struct ft_volume *vol;
	struct ft_inode *rec;
	unsigned int i;

	rcu_read_lock();
	vol = ft_volume_find(call->sb);
	for (i = 0; vol && i < call->nr; i++) {
		rec = ft_inode_find(vol, call->ino[i]);
		if (rec && !rec->is_dir)
			func(rec);
	}
	rcu_read_unlock();
}

static void begin_hold(struct call *call)
{
	ft_count(FT_CALLS);
	call->end = ft_inode_release;
	apply(ft_inode_hold, call);
}

static void begin_reserve(struct call *call)
{
	ft_count(FT_CALLS);
	call->end = ft_inode_reserve_end;
	apply(ft_inode_reserve_begin, call);
}

/* f2fs_fallocate(file, mode, offset, len) */
static int begin_fallocate(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;

	*call = (struct call){ };
	add_file(call, (struct file *)regs_get_kernel_argument(regs, 0));
	if ((int)regs_get_kernel_argument(regs, 1) & ~FALLOC_FL_KEEP_SIZE)
		begin_hold(call);
	else
		begin_reserve(call);
	return 0;
}

/* f2fs_ioctl(file, cmd, arg), and the same for 32-bit programs */
static int begin_ioctl(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;
	unsigned int cmd = regs_get_kernel_argument(regs, 1);
	/* the first member of the argument, for those programs as well */
	const u32 __user *arg =
		(const u32 __user *)regs_get_kernel_argument(regs, 2);

	if (_IOC_TYPE(cmd) != F2FS_IOCTL_MAGIC ||
	    _IOC_NR(cmd) != _IOC_NR(F2FS_IOC_MOVE_RANGE))
		return 1;
	*call = (struct call){ };
	add_file(call, (struct file *)regs_get_kernel_argument(regs, 0));
	if (!add_destination(call, arg))
		call->dst_fd = arg;
	begin_hold(call);
	return 0;
}

static int end_call(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;

	/* by now F2FS has read it, so that it is in memory */
	if (call->dst_fd && !add_destination(call, call->dst_fd)) {
		atomic_inc(&nr_unknown);
		ft_target_kick();
	}
	apply(call->end, call);
	return 0;
}

/* === Attaching ============================================================ */

#define CALL(func, begin) {				\
	.kp.symbol_name = (func),			\
	.entry_handler = (begin),			\
	.handler = end_call,				\
	.data_size = sizeof(struct call),		\
	.maxactive = MAX_CALLS,				\
}

/* Those that probes missed which have gone since. */
static atomic_t nr_gone = ATOMIC_INIT(0);

static struct kretprobe calls[3];
static bool attached[ARRAY_SIZE(calls)];
static bool followed;

/**
 * ft_call_attach() - begin to follow the calls
 *
 * Context: process; F2FS is loaded. Pairs with ft_call_detach().
 */
void ft_call_attach(void)
{
	static const struct kretprobe fresh[] = {
		CALL("f2fs_fallocate", begin_fallocate),
		CALL("f2fs_ioctl", begin_ioctl),
#ifdef CONFIG_COMPAT
		CALL("f2fs_compat_ioctl", begin_ioctl),
#endif
	};
	size_t i;
	int err;

	followed = true;
	for (i = 0; i < ARRAY_SIZE(fresh); i++) {
		calls[i] = fresh[i];
		err = register_kretprobe(&calls[i]);
		attached[i] = !err;
		if (err) {
			followed = false;
			pr_warn("cannot follow calls of %s (%d): after F2FS_IOC_MOVE_RANGE write 1 to resync\n",
				fresh[i].kp.symbol_name, err);
		}
	}
}

/**
 * ft_call_detach() - follow no calls any more
 *
 * Context: process. When it returns no handler is running and none will.
 */
void ft_call_detach(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (attached[i]) {
			unregister_kretprobe(&calls[i]);
			atomic_add(calls[i].nmissed + calls[i].kp.nmissed,
				   &nr_gone);
			attached[i] = false;
		}
	followed = false;
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

/**
 * ft_call_nr_missed() - calls of which it is not known what they did to which file
 *
 * There were too many at once, or an argument could not be read.
 *
 * Return: their number.
 */
unsigned long ft_call_nr_missed(void)
{
	unsigned long nr = atomic_read(&nr_unknown) + atomic_read(&nr_gone);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (READ_ONCE(attached[i]))
			nr += READ_ONCE(calls[i].nmissed) +
			      READ_ONCE(calls[i].kp.nmissed);
	return nr;
}
