// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on one file that only F2FS has, or that change how F2FS stores the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/f2fs.h>
#include <linux/fs.h>
#include <linux/fsverity.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "fuzz.h"

/* Not in the headers of some hosts. */
#ifndef F2FS_IOC_START_ATOMIC_REPLACE
#define F2FS_IOC_START_ATOMIC_REPLACE _IO(F2FS_IOCTL_MAGIC, 25)
#endif

static int ioctl_on(struct worker *w, const char *path, unsigned long command, void *arg)
{
	int fd = file_get(w, path, 0), rc;

	if (fd < 0)
		return -1;
	rc = ioctl(fd, command, arg);
	file_put(w, fd);
	return rc;
}

static int op_move(struct worker *w, const struct op *op)
{
	int from = file_get(w, op->arg[0].s, 0), to = file_get(w, op->arg[2].s, 0);
	struct f2fs_move_range range = {
		.dst_fd = to, .pos_in = op->arg[1].n, .pos_out = op->arg[3].n, .len = op->arg[4].n,
	};
	int rc = -1;

	if (from >= 0 && to >= 0)
		rc = ioctl(from, F2FS_IOC_MOVE_RANGE, &range);
	if (from >= 0)
		file_put(w, from);
	if (to >= 0 && to != from)
		file_put(w, to);
	return rc;
}

/* The file stays open from here to the end of the atomic write: closing it would abort the write. */
static int atomic_begin(struct worker *w, const struct op *op, unsigned long command)
{
	int fd = file_hold(w, op->arg[0].s);

	return fd < 0 ? -1 : ioctl(fd, command);
}

static int op_atomic(struct worker *w, const struct op *op)
{
	return atomic_begin(w, op, F2FS_IOC_START_ATOMIC_WRITE);
}

static int op_atomic_replace(struct worker *w, const struct op *op)
{
	return atomic_begin(w, op, F2FS_IOC_START_ATOMIC_REPLACE);
}

static int atomic_end(struct worker *w, const struct op *op, unsigned long command)
{
	int rc = ioctl_on(w, op->arg[0].s, command, NULL), err = errno;

	file_release(w, op->arg[0].s);
	errno = err;
	return rc;
}

static int op_commit(struct worker *w, const struct op *op)
{
	return atomic_end(w, op, F2FS_IOC_COMMIT_ATOMIC_WRITE);
}

static int op_abort(struct worker *w, const struct op *op)
{
	return atomic_end(w, op, F2FS_IOC_ABORT_ATOMIC_WRITE);
}

static int set_flag(struct worker *w, const char *path, int flag, bool on)
{
	int fd = file_get(w, path, 0), flags, rc;

	if (fd < 0)
		return -1;
	rc = ioctl(fd, FS_IOC_GETFLAGS, &flags);
	flags = on ? flags | flag : flags & ~flag;
	if (!rc)
		rc = ioctl(fd, FS_IOC_SETFLAGS, &flags);
	file_put(w, fd);
	return rc;
}

static int op_compressed(struct worker *w, const struct op *op)
{
	return set_flag(w, op->arg[0].s, FS_COMPR_FL, true);
}

static int op_not_compressed(struct worker *w, const struct op *op)
{
	return set_flag(w, op->arg[0].s, FS_COMPR_FL, false);
}

/* F2FS takes an algorithm that the kernel does not have, and does not open the file any more: then it gets LZ4. */
static int op_compress_option(struct worker *w, const struct op *op)
{
	struct f2fs_comp_option option = { .algorithm = op->arg[1].n, .log_cluster_size = op->arg[2].n };
	int fd = file_get(w, op->arg[0].s, 0), again, rc;

	if (fd < 0)
		return -1;
	rc = ioctl(fd, F2FS_IOC_SET_COMPRESS_OPTION, &option);
	again = rc ? -1 : file_get(w, op->arg[0].s, O_CLOEXEC);
	if (!rc && again < 0 && errno == EOPNOTSUPP) {
		option.algorithm = 1;
		rc = ioctl(fd, F2FS_IOC_SET_COMPRESS_OPTION, &option);
	}
	if (again >= 0)
		file_put(w, again);
	file_put(w, fd);
	return rc;
}

static int op_compress(struct worker *w, const struct op *op)
{
	return ioctl_on(w, op->arg[0].s, F2FS_IOC_COMPRESS_FILE, NULL);
}

static int op_decompress(struct worker *w, const struct op *op)
{
	return ioctl_on(w, op->arg[0].s, F2FS_IOC_DECOMPRESS_FILE, NULL);
}

static int op_release_blocks(struct worker *w, const struct op *op)
{
	uint64_t blocks;

	return ioctl_on(w, op->arg[0].s, F2FS_IOC_RELEASE_COMPRESS_BLOCKS, &blocks);
}

/* The ioctl needs a file that is open for writing. That open may fail if blocks of the file were released. */
static int op_reserve_blocks(struct worker *w, const struct op *op)
{
	uint64_t blocks;

	return ioctl_on(w, op->arg[0].s, F2FS_IOC_RESERVE_COMPRESS_BLOCKS, &blocks);
}

static int op_pin(struct worker *w, const struct op *op)
{
	uint32_t on = 1;

	return ioctl_on(w, op->arg[0].s, F2FS_IOC_SET_PIN_FILE, &on);
}

static int op_unpin(struct worker *w, const struct op *op)
{
	uint32_t on = 0;

	return ioctl_on(w, op->arg[0].s, F2FS_IOC_SET_PIN_FILE, &on);
}

/*
 * On 6.1 the ioctl loops for ever inside the kernel in some cases, between
 * f2fs_defragment_range() and f2fs_map_blocks(), with the file locked.
 */
static bool defragment_is_safe(void)
{
	unsigned int major, minor;
	struct utsname name;

	return !uname(&name) && sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 12));
}

static int op_defragment(struct worker *w, const struct op *op)
{
	struct f2fs_defragment range = { .start = op->arg[1].n, .len = op->arg[2].n };

	if (!defragment_is_safe()) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return ioctl_on(w, op->arg[0].s, F2FS_IOC_DEFRAGMENT, &range);
}

static int op_erase(struct worker *w, const struct op *op)
{
	struct f2fs_sectrim_range range = { .start = op->arg[1].n, .len = op->arg[2].n, .flags = op->arg[3].n };

	return ioctl_on(w, op->arg[0].s, F2FS_IOC_SEC_TRIM_FILE, &range);
}

static int op_precache(struct worker *w, const struct op *op)
{
	return ioctl_on(w, op->arg[0].s, F2FS_IOC_PRECACHE_EXTENTS, NULL);
}

/* No process may have the file open for writing during this call. */
static int op_verity(struct worker *w, const struct op *op)
{
	struct fsverity_enable_arg arg = { .version = 1, .hash_algorithm = FS_VERITY_HASH_ALG_SHA256, .block_size = 4096 };
	int fd = openat(w->run->dirfd, op->arg[0].s, O_RDONLY | O_CLOEXEC), rc, err;

	if (fd < 0)
		return -1;
	rc = ioctl(fd, FS_IOC_ENABLE_VERITY, &arg);
	err = errno;
	close(fd);
	errno = err;
	return rc;
}

static int op_project(struct worker *w, const struct op *op)
{
	struct fsxattr attr;
	int fd = file_get(w, op->arg[0].s, 0), rc;

	if (fd < 0)
		return -1;
	rc = ioctl(fd, FS_IOC_FSGETXATTR, &attr);
	attr.fsx_projid = op->arg[1].n;
	if (!rc)
		rc = ioctl(fd, FS_IOC_FSSETXATTR, &attr);
	file_put(w, fd);
	return rc;
}

/* Set an extended attribute. A long one takes the space of inline data, or a separate node. */
static int op_xattr(struct worker *w, const struct op *op)
{
	static const char value[4096];
	int fd = file_get(w, op->arg[0].s, 0), rc;
	uint64_t len = op->arg[2].n;
	char name[64];

	if (fd < 0)
		return -1;
	snprintf(name, sizeof(name), "user.%.40s", op->arg[1].s);
	rc = len ? fsetxattr(fd, name, value, len < sizeof(value) ? len : sizeof(value), 0) : fremovexattr(fd, name);
	file_put(w, fd);
	return rc;
}

const struct kind f2fs_kinds[] = {
	{ "move", "pnpnn", op_move },
	{ "atomic", "p", op_atomic },
	{ "atomic-replace", "p", op_atomic_replace },
	{ "commit", "p", op_commit },
	{ "abort", "p", op_abort },
	{ "compressed", "p", op_compressed },
	{ "not-compressed", "p", op_not_compressed },
	{ "compress-option", "pnn", op_compress_option },
	{ "compress", "p", op_compress },
	{ "decompress", "p", op_decompress },
	{ "release-blocks", "p", op_release_blocks },
	{ "reserve-blocks", "p", op_reserve_blocks },
	{ "pin", "p", op_pin },
	{ "unpin", "p", op_unpin },
	{ "defragment", "pnn", op_defragment },
	{ "erase", "pnnn", op_erase },
	{ "precache", "p", op_precache },
	{ "verity", "p", op_verity },
	{ "project", "pn", op_project },
	{ "xattr", "pwn", op_xattr },
	{ NULL, NULL, NULL },
};
