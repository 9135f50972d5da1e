// SPDX-License-Identifier: GPL-2.0-only
/*
 * A call that F2FS cannot finish: its data is on a page that does not arrive. It holds the lock of the inode, like a
 * call whose data is on a slow or hostile FUSE file.
 */
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fileop.h"

/* A page that is never filled, after one that is; *@uffd is the userfaultfd for it. */
static void *missing_page(int *uffd)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	char *page = mmap(NULL, 2 * BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		fail("mmap");
	*uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (*uffd < 0 || ioctl(*uffd, UFFDIO_API, &api))
		fail("userfaultfd");
	page += BLOCK;
	reg.range.start = (uintptr_t)page;
	reg.range.len = BLOCK;
	if (ioctl(*uffd, UFFDIO_REGISTER, &reg))
		fail("UFFDIO_REGISTER");
	return page;
}

/* A page of a file that does not return its data, see fuse.c. */
static void *withheld_page(const char *path)
{
	void *page = mmap(NULL, BLOCK, PROT_READ, MAP_PRIVATE, open_file(path, O_RDONLY), 0);

	if (page == MAP_FAILED)
		fail("mmap");
	return page;
}

static void report_ready(const char *path)
{
	close_file(open_file(path, O_CREAT | O_WRONLY), path);
}

/**
 * op_stuck() - begin to write the first block of a file, and hang until killed
 * @argc: number of words
 * @argv: the file; a file to create just before the write; optionally a file of fuse.c to write from
 */
void op_stuck(int argc, char **argv)
{
	int uffd, fd = open_file(argv[0], O_WRONLY | O_CREAT);
	void *page = argc > 2 ? withheld_page(argv[2]) : missing_page(&uffd);

	report_ready(argv[1]);
	if (pwrite(fd, page, BLOCK, 0) < 0)
		fail("pwrite");
}

/**
 * op_stuck_many() - the same with many files, by a process for each
 * @argc: 3
 * @argv: prefix of the files, their number, a file to create when all writers have begun
 */
void op_stuck_many(int argc, char **argv)
{
	uint64_t count = num(argv[1]), i;
	int uffd, fd, begun[2];
	char path[4096], byte;
	void *page;

	(void)argc;
	if (pipe(begun))
		fail("pipe");
	for (i = 0; i < count; i++) {
		switch (fork()) {
		case -1:
			fail("fork");
		case 0:
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			snprintf(path, sizeof(path), "%s%llu", argv[0], (unsigned long long)i);
			fd = open_file(path, O_WRONLY | O_CREAT);
			page = missing_page(&uffd);
			close_file(begun[0], "pipe");
			if (write(begun[1], "", 1) != 1)
				fail("pipe");
			if (pwrite(fd, page, BLOCK, 0) < 0)
				fail("pwrite");
		}
	}
	close_file(begun[1], "pipe");
	for (i = 0; i < count; i++) {
		if (read(begun[0], &byte, 1) != 1)
			fail("a writer");
	}
	report_ready(argv[2]);
	pause();
}

/**
 * op_stuck_fiemap() - begin to read the extents of a file, and hang until killed
 * @argc: 2
 * @argv: the file; a file to create just before
 *
 * FIEMAP has the lock of the inode, exclusive or shared. Unlike a writer it does not keep the volume from being frozen.
 */
void op_stuck_fiemap(int argc, char **argv)
{
	int uffd, fd = open_file(argv[0], O_RDONLY);
	struct fiemap *map = (struct fiemap *)((char *)missing_page(&uffd) - sizeof(*map));

	(void)argc;
	memset(map, 0, sizeof(*map));
	map->fm_length = FIEMAP_MAX_OFFSET;
	map->fm_extent_count = 1;
	report_ready(argv[1]);
	if (ioctl(fd, FS_IOC_FIEMAP, map))
		fail("FIEMAP");
}

/**
 * op_stuck_dir() - begin to read a directory, and hang until killed
 * @argc: 2
 * @argv: the directory; a file to create just before
 *
 * The reader has the shared lock of the directory. A second process waits for the exclusive lock. All other
 * processes then wait for the second one.
 */
void op_stuck_dir(int argc, char **argv)
{
	int uffd, fd = open_file(argv[0], O_RDONLY | O_DIRECTORY);
	void *page = missing_page(&uffd);
	char path[4096];
	pid_t child;

	(void)argc;
	snprintf(path, sizeof(path), "%s/new", argv[0]);
	child = fork();
	if (child < 0)
		fail("fork");
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* runs after the reader has got the lock */
		usleep(500000);
		report_ready(path);
		pause();
	}
	report_ready(argv[1]);
	if (syscall(SYS_getdents64, fd, page, BLOCK) < 0)
		fail("getdents64");
}
