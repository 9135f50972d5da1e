// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test helper, for LD_PRELOAD: files of any file system look as if they were on F2FS, and moving their blocks changes a
 * map that the test has written. All of it is in the folder $FAKE, by inode number:
 *	map/INO		the extents: offset, blocks, LBA, flags of FIEMAP, one in a line
 *	log		where the log writes next; after how many blocks another block is there, 0: never
 *	main		where the first segment begins, if that is not block 0
 *	flags/INO	FS_IOC_GETFLAGS; advise/INO: the attribute system.advise; attributes/INO: of statx()
 *	generations/INO	of the inode, the first one for the first question, and so on; the last one stays
 *	open/INO	errno of opening the file for its blocks
 *	state/INO	errno of F2FS_IOC_DEFRAGMENT without an argument; error/INO: of one with it, or of writing pages
 *	busy/INO	a lease is not to be had
 *	not_f2fs	another magic number; statvfs: blocks that are free, and flags; release: of the kernel
 *	next		the snapshot from the first move on; if it is empty, there is none any more
 *	calls		written here: "ioctl INO FIRST END" or "pages INO FIRST END" for each move
 * Below sys/ and proc/ are files that are read instead of those of the machine.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define BLK 4096
#define MAX_PIECES 4096
#define SEGMENT 512
#define F2FS_DEFRAGMENT _IOWR(0xf5, 8, uint64_t[2])
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

struct piece {
	uint64_t blk, blks, lba, flags;
};

static struct piece pieces[MAX_PIECES];
static size_t n_pieces;

static const char *in_fake(const char *name)
{
	static char paths[4][600];
	static unsigned int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", getenv("FAKE"), name);
	return path;
}

static const char *of_inode(const char *what, int fd)
{
	char name[64];
	struct stat st;

	fstat(fd, &st);
	snprintf(name, sizeof(name), "%s/%ju", what, (uintmax_t)st.st_ino);
	return in_fake(name);
}

/* The first number in a file. */
static bool number(const char *path, long *value)
{
	FILE *file = REAL(fopen)(path, "re");
	bool good = file && fscanf(file, "%ld", value) == 1;

	if (file)
		fclose(file);
	return good;
}

static const char *instead(const char *path)
{
	const char *fake = in_fake(path + (*path == '/'));

	return !strncmp(path, "/sys/", 5) || !strncmp(path, "/dev/fake", 9) || !strcmp(path, "/proc/swaps") ||
	       !strcmp(path, "/proc/locks") || !strcmp(path, "/proc/self/mounts") ? fake : path;
}

/* === Paths === */

int open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;
	long err;

	if (!strncmp(path, "/proc/self/fd/", 14) && number(of_inode("open", atoi(path + 14)), &err)) {
		errno = (int)err;
		return -1;
	}
	va_start(ap, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return REAL(open)(instead(path), flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	return REAL(fopen)(instead(path), mode);
}

FILE *setmntent(const char *path, const char *mode)
{
	return REAL(setmntent)(instead(path), mode);
}

ssize_t readlink(const char *path, char *to, size_t size)
{
	return REAL(readlink)(instead(path), to, size);
}

char *realpath(const char *path, char *to)
{
	return REAL(realpath)(instead(path), to);
}

int glob(const char *pattern, int flags, int (*failed)(const char *, int), glob_t *found)
{
	return REAL(glob)(instead(pattern), flags, failed, found);
}

/* === State === */

int fstatfs(int fd, struct statfs *fs)
{
	int rc = REAL(fstatfs)(fd, fs);

	fs->f_type = access(in_fake("not_f2fs"), F_OK) ? F2FS_SUPER_MAGIC : EXT4_SUPER_MAGIC;
	return rc;
}

int statvfs(const char *path, struct statvfs *fs)
{
	int rc = REAL(statvfs)(path, fs);
	FILE *file = REAL(fopen)(in_fake("statvfs"), "re");
	uintmax_t n_free, flags;

	if (file && fscanf(file, "%ju %ju", &n_free, &flags) == 2) {
		fs->f_bfree = n_free;
		fs->f_flag = flags;
	}
	if (file)
		fclose(file);
	return rc;
}

int statx(int fd, const char *path, int flags, unsigned int mask, struct statx *stx)
{
	int rc = REAL(statx)(fd, path, flags, mask, stx);
	long bits;

	if (!*path && number(of_inode("attributes", fd), &bits))
		stx->stx_attributes |= (uint64_t)bits;
	return rc;
}

ssize_t fgetxattr(int fd, const char *name, void *value, size_t size)
{
	long bits;

	if (strcmp(name, "system.advise") || !number(of_inode("advise", fd), &bits))
		return REAL(fgetxattr)(fd, name, value, size);
	*(unsigned char *)value = (unsigned char)bits;
	return 1;
}

int uname(struct utsname *name)
{
	FILE *file = REAL(fopen)(in_fake("release"), "re");
	int rc = REAL(uname)(name);

	if (file && fscanf(file, "%64s", name->release) != 1)
		rc = -1;
	if (file)
		fclose(file);
	return rc;
}

int fcntl(int fd, int command, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, command);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (command != F_SETLEASE)
		return REAL(fcntl)(fd, command, arg);
	if (access(of_inode("busy", fd), F_OK))
		return 0;
	errno = EAGAIN;
	return -1;
}

/* === Maps === */

static void load(int fd)
{
	FILE *file = REAL(fopen)(of_inode("map", fd), "re");
	struct piece *p = pieces;

	while (file && p < pieces + MAX_PIECES && fscanf(file, "%ju %ju %ju %ju", &p->blk, &p->blks, &p->lba, &p->flags) == 4)
		p++;
	n_pieces = (size_t)(p - pieces);
	if (file)
		fclose(file);
}

static int fiemap(int fd, struct fiemap *fm)
{
	uint64_t first = fm->fm_start / BLK, end = (fm->fm_start + fm->fm_length) / BLK;
	size_t i, n = 0;

	load(fd);
	for (i = 0; i < n_pieces && n < fm->fm_extent_count; i++) {
		const struct piece *p = &pieces[i];

		if (p->blk + p->blks <= first || p->blk >= end)
			continue;
		fm->fm_extents[n++] = (struct fiemap_extent){
			.fe_logical = p->blk * BLK, .fe_physical = p->lba * BLK, .fe_length = p->blks * BLK,
			.fe_flags = (uint32_t)p->flags | (i + 1 == n_pieces ? FIEMAP_EXTENT_LAST : 0),
		};
	}
	fm->fm_mapped_extents = (uint32_t)n;
	return 0;
}

static void first_move(void)
{
	const char *next = in_fake("next"), *snapshot = in_fake("sys/kernel/debug/fragtrace/snapshot");
	struct stat st;

	if (stat(next, &st))
		return;
	if (st.st_size)
		rename(next, snapshot);
	else
		unlink(snapshot);
}

static void written(uint64_t blks)
{
	const char *path = in_fake("sys/fs/f2fs/fake0/lifetime_write_kbytes");
	long kb = 0;
	FILE *file;

	if (!number(path, &kb))
		return;
	file = REAL(fopen)(path, "we");
	fprintf(file, "%ld\n", kb + (long)blks * 4);
	fclose(file);
}

static int failed(int fd, const char *what, int fallback)
{
	long err = fallback;

	if (!number(of_inode(what, fd), &err))
		err = fallback;
	errno = (int)err;
	return err ? -1 : 0;
}

static int move(int fd, const char *how, uint64_t first, uint64_t end)
{
	FILE *file = REAL(fopen)(in_fake("log"), "re"), *map, *calls = REAL(fopen)(in_fake("calls"), "ae");
	uint64_t log = 0, every = 0, n = 0, k;
	struct stat st;
	long main_blk;
	size_t i;

	if (!number(in_fake("main"), &main_blk))
		main_blk = 0;
	fstat(fd, &st);
	fprintf(calls, "%s %ju %ju %ju\n", how, (uintmax_t)st.st_ino, (uintmax_t)first, (uintmax_t)end);
	fclose(calls);
	if (failed(fd, "error", 0))
		return -1;
	if (!file || fscanf(file, "%ju %ju", &log, &every) != 2)
		abort();
	fclose(file);
	load(fd);
	map = REAL(fopen)(of_inode("map", fd), "we");
	for (i = 0; i < n_pieces; i++) {
		for (k = 0; k < pieces[i].blks; k++) {
			uint64_t blk = pieces[i].blk + k, lba = pieces[i].lba + k;

			if (blk >= first && blk < end && !pieces[i].flags) {
				/* the log goes on in another segment after the end of one */
				if ((log - (uint64_t)main_blk) % SEGMENT == 0)
					log += SEGMENT;
				lba = log++;
				if (every && !(++n % every))
					log++;
				written(1);
			}
			fprintf(map, "%ju 1 %ju %ju\n", (uintmax_t)blk, (uintmax_t)lba, (uintmax_t)pieces[i].flags);
		}
	}
	fclose(map);
	file = REAL(fopen)(in_fake("log"), "we");
	fprintf(file, "%ju %ju\n", (uintmax_t)log, (uintmax_t)every);
	fclose(file);
	first_move();
	return 0;
}

int sync_file_range(int fd, off_t offset, off_t len, unsigned int flags)
{
	if (flags & SYNC_FILE_RANGE_WRITE)
		return move(fd, "pages", (uint64_t)offset / BLK, (uint64_t)(offset + len) / BLK);
	return 0;
}

static int generation(int fd, unsigned int *value)
{
	static unsigned int asked;
	FILE *file = REAL(fopen)(of_inode("generations", fd), "re");
	unsigned int i = 0;

	*value = 7;
	for (asked++; file && i < asked && fscanf(file, "%u", value) == 1; i++)
		;
	if (file)
		fclose(file);
	return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	const uint64_t *range;
	va_list ap;
	void *arg;
	long value;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	range = arg;
	switch (request) {
	case FS_IOC_FIEMAP:
		return fiemap(fd, arg);
	case FS_IOC_GETFLAGS:
		*(int *)arg = number(of_inode("flags", fd), &value) ? (int)value : 0;
		return 0;
	case FS_IOC_GETVERSION:
		return generation(fd, arg);
	case F2FS_DEFRAGMENT:
		return arg ? move(fd, "ioctl", range[0] / BLK, (range[0] + range[1]) / BLK) : failed(fd, "state", EFAULT);
	default:
		return REAL(ioctl)(fd, request, arg);
	}
}
