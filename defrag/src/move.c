// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fifth step of the pipeline: let F2FS write the blocks of a range anew, next to each other.
 * No data passes through this program. Either F2FS makes the pages dirty itself, under the locks of the
 * file, or they are made dirty through a shared mapping by an atomic OR of 0, which changes no byte and
 * loses no store of another process. The old blocks stay valid until the next checkpoint.
 *
 * A direct write goes past the page cache. If it meets a page that was read before it and is written after it,
 * the old content wins. So nobody else may have the file open while its pages are made dirty through a mapping,
 * and who opens it then waits: that is what a write lease does. The ioctl also works on open files: it holds the
 * lock of the inode, and so meets only direct writes by AIO that began before (opened.c looks for such writers).
 *
 * F2FS reads block after block under that lock, each time waiting for the disk, and with a mapping others wait for the
 * end of the lease. In the idle I/O class such a read waits as long as others keep the disk busy. So all blocks are
 * read before that, many at a time, in the idle class; what is done while others may wait is not in that class.
 */
#include <linux/ioprio.h>
#include <setjmp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "model.h"
#include "move.h"
#include "refuse.h"

/* === Alone === */

/* How often a lease is asked for, and how long is waited in between: others open a file for a moment. */
#define LEASE_TRIES 50
#define LEASE_WAIT_NS 20000000

/*
 * Return: true if nobody else has the file open, nor gets it opened until let_others(), or for
 * the time in /proc/sys/fs/lease-break-time: 45 s, far longer than a step.
 */
static bool is_alone(int fd, int tries)
{
	static const struct timespec wait = { .tv_nsec = LEASE_WAIT_NS };

	/* the kernel sends this signal when somebody opens the file; the open waits for the end of the step */
	signal(SIGIO, SIG_IGN);
	while (fcntl(fd, F_SETLEASE, F_WRLCK)) {
		if (!--tries)
			return false;
		nanosleep(&wait, NULL);
	}
	return true;
}

static void let_others(int fd)
{
	fcntl(fd, F_SETLEASE, F_UNLCK);
}

/* === Before the step === */

/* The lowest level of the class that all programs are in by default. */
#define LOWEST_LEVEL 7
/*
 * A disk that others keep busy may serve a few idle reads a second. After so long for each block the other blocks of the step
 * are read in the usual class: of a disk that takes 100 us for a block this leaves more than 99 % to others.
 */
#define IDLE_NS_PER_BLK 16000000
/* Extents that are read at the same time. */
#define READ_AT_ONCE 8

/* Return: false if it is not allowed; errno is set. */
static bool set_io_class(int io_class, int level)
{
	return !syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(io_class, level));
}

/**
 * move_be_idle() - let readers and writers of the disk come first
 */
void move_be_idle(void)
{
	if (!set_io_class(IOPRIO_CLASS_IDLE, 0))
		warn("cannot set the I/O priority: %s; going on with the usual one", strerror(errno));
}

/*
 * Read blocks into the page cache, and wait for them; @mem is a mapping of the file from @first_blk on. What cannot be
 * read here F2FS reads itself.
 */
static void read_extents(int fd, uint8_t *mem, uint64_t first_blk, uint64_t blk_bytes, const struct file_extent *extents, size_t n)
{
	const struct file_extent *e;

	for (e = extents; e < extents + n; e++)
		posix_fadvise(fd, (off_t)(e->offset * blk_bytes), (off_t)(e->blks * blk_bytes), POSIX_FADV_WILLNEED);
	for (e = extents; e < extents + n; e++)
		madvise(mem + (e->offset - first_blk) * blk_bytes, (size_t)(e->blks * blk_bytes), MADV_POPULATE_READ);
}

/* Read the blocks of a step, then change to the usual class, or before if that takes too long. Return: when that was. */
static int64_t read_ahead(int fd, const struct fiemap_pieces *map, uint64_t first_blk, uint64_t end_blk)
{
	size_t len = (size_t)((end_blk - first_blk) * map->blk_bytes), i;
	int64_t idle_until = monotonic_ns() + (int64_t)(end_blk - first_blk) * IDLE_NS_PER_BLK;
	uint8_t *mem = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, (off_t)(first_blk * map->blk_bytes));
	int64_t usual_since = 0;

	for (i = 0; mem != MAP_FAILED && i < map->n; i += READ_AT_ONCE) {
		if (!usual_since && monotonic_ns() > idle_until) {
			set_io_class(IOPRIO_CLASS_BE, LOWEST_LEVEL);
			usual_since = monotonic_ns();
		}
		read_extents(fd, mem, first_blk, map->blk_bytes, &map->extents[i], map->n - i < READ_AT_ONCE ? map->n - i : READ_AT_ONCE);
	}
	if (mem != MAP_FAILED)
		munmap(mem, len);
	if (usual_since)
		return usual_since;
	set_io_class(IOPRIO_CLASS_BE, LOWEST_LEVEL);
	return monotonic_ns();
}

/* === By the ioctl === */

static int move_by_ioctl(int fd, uint64_t blk_bytes, uint64_t first_blk, uint64_t end_blk)
{
	struct f2fs_range range = { .start = first_blk * blk_bytes, .len = (end_blk - first_blk) * blk_bytes };

	return ioctl(fd, F2FS_IOC_DEFRAGMENT, &range) ? errno : 0;
}

/* === Through a mapping === */

static sigjmp_buf page_gone;

static void on_sigbus(int sig)
{
	siglongjmp(page_gone, 1);
}

/* A store that leaves the byte as it is, whatever others store there; a compiler may drop others. */
static void touch(volatile uint8_t *byte)
{
#ifdef __x86_64__
	__asm__ volatile("lock orb $0, %0" : "+m"(*byte) : : "memory", "cc");
#else
	static volatile uint8_t zero;

	__atomic_fetch_or(byte, zero, __ATOMIC_SEQ_CST);
#endif
}

/*
 * Only pages whose blocks hold data: a store to a hole would fill it. A file that is cut meanwhile, or a
 * volume without space, sends SIGBUS.
 */
static int touch_pieces(volatile uint8_t *mem, const struct fiemap_pieces *map, uint64_t first_blk)
{
	struct sigaction action = { .sa_handler = on_sigbus }, old;
	volatile int err = 0;
	size_t i;

	sigaction(SIGBUS, &action, &old);
	if (sigsetjmp(page_gone, 1)) {
		err = EPAGEGONE;
	} else {
		for (i = 0; i < map->n; i++) {
			const struct file_extent *p = &map->extents[i];
			uint64_t k;

			for (k = 0; k < p->blks; k++)
				touch(mem + (p->offset - first_blk + k) * map->blk_bytes);
		}
	}
	sigaction(SIGBUS, &old, NULL);
	return err;
}

static int move_by_mapping(int fd, const struct fiemap_pieces *map, uint64_t first_blk, uint64_t end_blk)
{
	off_t offset = (off_t)(first_blk * map->blk_bytes), len = (off_t)((end_blk - first_blk) * map->blk_bytes);
	void *mem = mmap(NULL, (size_t)len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	int err;

	if (mem == MAP_FAILED)
		return errno;
	err = touch_pieces(mem, map, first_blk);
	munmap(mem, (size_t)len);
	/* not fsync: it would let F2FS write a few pages in place, and nothing has to last that was not there */
	if (sync_file_range(fd, offset, len, SYNC_FILE_RANGE_WRITE_AND_WAIT) && !err)
		err = errno;
	return err;
}

/* === Both === */

/**
 * move_default_way() - the way that is safe on this kernel
 *
 * Return: the mapping before Linux 6.12, where the ioctl may hang; else the ioctl.
 */
enum way move_default_way(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;

	if (uname(&name) || sscanf(name.release, "%u.%u", &major, &minor) != 2)
		return WAY_MAPPING;
	return major > 6 || (major == 6 && minor >= 12) ? WAY_IOCTL : WAY_MAPPING;
}

/**
 * move_range() - move the blocks of a range, and wait until they are written
 * @fd: the file, open for reading; for writing, too, if @way is WAY_MAPPING
 * @way: not WAY_AUTO
 * @map: the blocks of the range that hold data
 * @first_blk: the range (inclusive)
 * @end_blk: its end (exclusive)
 * @usual_ns: set to how long this was not in the idle I/O class
 *
 * Who opens the file meanwhile waits, if nobody had it open before.
 *
 * Return: 0, an errno, EBUSY if somebody else has it open, for WAY_MAPPING, or EPAGEGONE.
 */
int move_range(int fd, enum way way, const struct fiemap_pieces *map, uint64_t first_blk, uint64_t end_blk,
	       int64_t *usual_ns)
{
	int64_t usual_since, asked_ns;
	bool alone;
	int err;

	usual_since = read_ahead(fd, map, first_blk, end_blk);
	asked_ns = monotonic_ns();
	alone = is_alone(fd, way == WAY_MAPPING ? LEASE_TRIES : 1);
	/* waiting for the lease is no work */
	usual_since += monotonic_ns() - asked_ns;
	if (way == WAY_MAPPING) {
		err = alone ? move_by_mapping(fd, map, first_blk, end_blk) : EBUSY;
	} else {
		err = move_by_ioctl(fd, map->blk_bytes, first_blk, end_blk);
		if (!err && sync_file_range(fd, (off_t)(first_blk * map->blk_bytes), (off_t)((end_blk - first_blk) * map->blk_bytes),
					    SYNC_FILE_RANGE_WAIT_BEFORE))
			err = errno;
	}
	if (alone)
		let_others(fd);
	set_io_class(IOPRIO_CLASS_IDLE, 0);
	*usual_ns = monotonic_ns() - usual_since;
	return err;
}
