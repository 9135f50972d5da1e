// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on names, folders, and open files without names.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

static int op_hold(struct worker *w, const struct op *op)
{
	return file_hold(w, op->arg[0].s);
}

static int op_release(struct worker *w, const struct op *op)
{
	return file_release(w, op->arg[0].s);
}

static int op_rename(struct worker *w, const struct op *op)
{
	return renameat(w->run->dirfd, op->arg[0].s, w->run->dirfd, op->arg[1].s);
}

static int op_exchange(struct worker *w, const struct op *op)
{
	return renameat2(w->run->dirfd, op->arg[0].s, w->run->dirfd, op->arg[1].s, RENAME_EXCHANGE);
}

static int op_link(struct worker *w, const struct op *op)
{
	return linkat(w->run->dirfd, op->arg[0].s, w->run->dirfd, op->arg[1].s, 0);
}

static int op_unlink(struct worker *w, const struct op *op)
{
	return unlinkat(w->run->dirfd, op->arg[0].s, 0);
}

static int op_mkdir(struct worker *w, const struct op *op)
{
	return mkdirat(w->run->dirfd, op->arg[0].s, 0755);
}

static int op_rmdir(struct worker *w, const struct op *op)
{
	return unlinkat(w->run->dirfd, op->arg[0].s, AT_REMOVEDIR);
}

/* Make a file that has blocks before it has a name. */
static int op_tmpfile(struct worker *w, const struct op *op)
{
	int fd = openat(w->run->dirfd, op->arg[0].s, O_TMPFILE | O_RDWR | O_CLOEXEC, 0644), rc, err;
	char self[32];

	if (fd < 0)
		return -1;
	rc = ftruncate(fd, op->arg[2].n);
	if (!rc)
		rc = pwrite(fd, "0123456789", 10, op->arg[2].n) < 0 || (op->line % 2 && fsync(fd)) ? -1 : 0;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (!rc)
		rc = linkat(AT_FDCWD, self, w->run->dirfd, op->arg[1].s, AT_SYMLINK_FOLLOW);
	err = errno;
	close(fd);
	errno = err;
	return rc;
}

static int op_casefold(struct worker *w, const struct op *op)
{
	int fd = openat(w->run->dirfd, op->arg[0].s, O_RDONLY | O_DIRECTORY | O_CLOEXEC), flags = FS_CASEFOLD_FL, rc, err;

	if (fd < 0)
		return -1;
	rc = ioctl(fd, FS_IOC_SETFLAGS, &flags);
	err = errno;
	close(fd);
	errno = err;
	return rc;
}

/* New files in the folder belong to the project. */
static int op_project_folder(struct worker *w, const struct op *op)
{
	int fd = openat(w->run->dirfd, op->arg[0].s, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc, err;
	struct fsxattr attr;

	if (fd < 0)
		return -1;
	rc = ioctl(fd, FS_IOC_FSGETXATTR, &attr);
	attr.fsx_projid = op->arg[1].n;
	attr.fsx_xflags |= FS_XFLAG_PROJINHERIT;
	if (!rc)
		rc = ioctl(fd, FS_IOC_FSSETXATTR, &attr);
	err = errno;
	close(fd);
	errno = err;
	return rc;
}

const struct kind name_kinds[] = {
	{ "hold", "p", op_hold },
	{ "release", "p", op_release },
	{ "rename", "pp", op_rename },
	{ "exchange", "pp", op_exchange },
	{ "link", "pp", op_link },
	{ "unlink", "p", op_unlink },
	{ "mkdir", "p", op_mkdir },
	{ "rmdir", "p", op_rmdir },
	{ "tmpfile", "ppn", op_tmpfile },
	{ "casefold", "p", op_casefold },
	{ "project-folder", "pn", op_project_folder },
	{ NULL, NULL, NULL },
};
