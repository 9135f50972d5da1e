// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fourth step of the pipeline: open a file of the plan, unless it must be left alone.
 * The path is from a snapshot: something else may have it now. It is first opened as a path only, which
 * has no effect on what it names, and is compared with the inode of the plan.
 */
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#include "opened.h"
#include "refuse.h"

/* The bit of the xattr system.advise of files that F2FS takes for cold, by their extension mostly. */
#define ADVISE_COLD 1

/* === Why not === */

static const char *why_of_users(const struct stat *st)
{
	if (opened_as_swap(st->st_dev, st->st_ino))
		return "it is a swap file";
	if (opened_for_direct_writing(st->st_dev, st->st_ino))
		return "it is open for direct writes, which go past the page cache";
	return NULL;
}

static const char *why_of_name(const struct table *table, const struct file *file, const struct stat *st)
{
	const struct volume *v = &table->volumes[file->volume];

	if (st->st_dev != makedev(v->major, v->minor) || st->st_ino != file->ino || !S_ISREG(st->st_mode))
		return "another file has its name now";
	if (opened_with_lease(st->st_dev, st->st_ino))
		return "a process has a lease on it";
	return why_of_users(st);
}

static const char *why_of_attributes(int path)
{
	static const struct {
		uint64_t bit;
		const char *why;
	} attributes[] = {
		{ STATX_ATTR_IMMUTABLE, "it is immutable" },
		{ STATX_ATTR_APPEND, "it may only be appended to" },
		{ STATX_ATTR_VERITY, "fs-verity protects it" },
		{ STATX_ATTR_COMPRESSED, "it is compressed: its blocks are clusters, some of which may be released" },
	};
	struct statx stx;

	if (statx(path, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &stx))
		return strerror(errno);
	for (size_t i = 0; i < ARRAY_LEN(attributes); i++)
		if (stx.stx_attributes & attributes[i].bit)
			return attributes[i].why;
	return NULL;
}

/*
 * F2FS up to 6.12 checks for atomic writes before it reads the argument of its ioctl: an argument that cannot be read
 * asks for the state and does nothing. 7.3 checks when it moves blocks, and refuses then.
 */
static const char *why_of_state(int fd)
{
	ioctl(fd, F2FS_IOC_DEFRAGMENT, NULL);
	switch (errno) {
	case EFAULT: return NULL;
	case EINVAL: return "an atomic write to it is open";
	case EROFS: return "the volume is mounted read-only";
	case EPERM: return "only root may move blocks";
	case ENOSPC: return "F2FS has no space: checkpoints are disabled";
	case ENOTTY: return "F2FS does not know F2FS_IOC_DEFRAGMENT here";
	default: return strerror(errno);
	}
}

static const char *why_of_inode(int fd, enum way way)
{
	unsigned char advise = 0;
	struct statfs fs;
	/* F2FS stores an int, despite the type in the number of the ioctl */
	unsigned int flags = 0;

	if (fstatfs(fd, &fs) || fs.f_type != F2FS_SUPER_MAGIC)
		return "it is not on F2FS any more";
	/* F2FS_IOC_GET_PIN_FILE returns the number of failed moves, which may be 0 */
	if (!ioctl(fd, FS_IOC_GETFLAGS, &flags) && (flags & FS_NOCOW_FL))
		return "it is pinned";
	if (way == WAY_MAPPING && fgetxattr(fd, "system.advise", &advise, 1) == 1 && (advise & ADVISE_COLD))
		return "F2FS rewrites it in place, because its extension is that of a cold file";
	return why_of_state(fd);
}

static char *why_of_open(int err, enum way way)
{
	if (err == ETXTBSY && way == WAY_MAPPING)
		return xasprintf("it is being executed");
	if (err == EWOULDBLOCK)
		return xasprintf("a process has a lease on it");
	if (err == ENOKEY)
		return xasprintf("it is encrypted, and its key is not there");
	return xasprintf("it cannot be opened: %s", strerror(err));
}

/* === Opening === */

/* Open the inode that a descriptor of a path stands for. */
static int open_again(int path, int mode)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", path);
	return open(name, mode | O_CLOEXEC | O_NONBLOCK | O_NOATIME);
}

static int try_open(const struct table *table, const struct file *file, enum way way, int mode, int path, char **why)
{
	const char *reason;
	struct stat st;
	int fd;

	if (fstat(path, &st)) {
		*why = xasprintf("%s", strerror(errno));
		return -1;
	}
	reason = why_of_name(table, file, &st);
	if (!reason)
		reason = why_of_attributes(path);
	if (reason) {
		*why = xasprintf("%s", reason);
		return -1;
	}
	fd = open_again(path, mode);
	if (fd < 0) {
		*why = why_of_open(errno, way);
		return -1;
	}
	reason = why_of_inode(fd, way);
	if (!reason)
		return fd;
	*why = xasprintf("%s", reason);
	close(fd);
	return -1;
}

/**
 * refuse_or_open() - open a file to move its blocks
 * @table: the table
 * @file: index into @table->files
 * @way: how they are to be moved
 * @only_ask: nothing will be moved by this descriptor
 * @generation: the generation of its inode; if it is not 0, it must be this one; else it is set
 * @why: set to the reason if it must be left alone, to be freed
 *
 * Return: a descriptor, or -1.
 */
int refuse_or_open(const struct table *table, uint32_t file, enum way way, bool only_ask, unsigned int *generation,
		   char **why)
{
	const struct file *f = &table->files[file];
	unsigned int now = 0;	/* an int, as the flags */
	/* nobody can execute a file that is open for writing, so this is done only where it is needed */
	int mode = way == WAY_MAPPING && !only_ask ? O_RDWR : O_RDONLY;
	int path, fd;

	*why = NULL;
	if (f->deleted) {
		*why = xasprintf("it has no name any more");
		return -1;
	}
	path = open(f->path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
	if (path < 0) {
		*why = errno == ENOENT ? xasprintf("it is gone") : why_of_open(errno, way);
		return -1;
	}
	fd = try_open(table, f, way, mode, path, why);
	close(path);
	if (fd < 0)
		return fd;
	ioctl(fd, FS_IOC_GETVERSION, &now);
	if (*generation && *generation != now) {
		close(fd);
		*why = xasprintf("another file has its name and its inode number now");
		return -1;
	}
	*generation = now;
	return fd;
}

/**
 * refuse_step() - must an open file be left alone now?
 * @fd: as refuse_or_open() returns it
 * @st: its state
 * @way: how its blocks are to be moved
 *
 * What others can do to a file that is open already is asked before each step.
 *
 * Return: NULL, or why, a sentence without its full stop.
 */
const char *refuse_step(int fd, const struct stat *st, enum way way)
{
	const char *why;

	opened_forget();
	why = why_of_users(st);
	return why ? why : why_of_inode(fd, way);
}
