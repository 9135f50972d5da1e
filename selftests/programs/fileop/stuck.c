// SPDX-License-Identifier: GPL-2.0-only
/*
 * A call that F2FS cannot finish: its data is on a page that does not come. Meanwhile it holds the lock of the
 * inode, as one does whose data is on a slow or hostile FUSE file.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fileop.h"

/* A page that nobody brings; *@uffd is where it could be brought from. */
static void *missing_page(int *uffd)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	void *page = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		fail("mmap");
	*uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (*uffd < 0 || ioctl(*uffd, UFFDIO_API, &api))
		fail("userfaultfd");
	reg.range.start = (uintptr_t)page;
	reg.range.len = BLOCK;
	if (ioctl(*uffd, UFFDIO_REGISTER, &reg))
		fail("UFFDIO_REGISTER");
	return page;
}

/* A page of a file that does not give its data, see fuse.c. */
static void *withheld_page(const char *path)
{
	void *page = mmap(NULL, BLOCK, PROT_READ, MAP_PRIVATE, open_file(path, O_RDONLY), 0);

	if (page == MAP_FAILED)
		fail("mmap");
	return page;
}

static void tell(const char *path)
{
	close_file(open_file(path, O_CREAT | O_WRONLY), path);
}

/**
 * op_stuck() - begin to write the first block of a file, and not come to an end until killed
 * @argc: number of words
 * @argv: the file; a file that is made just before the write begins; perhaps a file of fuse.c to write from
 */
void op_stuck(int argc, char **argv)
{
	int uffd, fd = open_file(argv[0], O_WRONLY | O_CREAT);
	void *page = argc > 2 ? withheld_page(argv[2]) : missing_page(&uffd);

	tell(argv[1]);
	if (pwrite(fd, page, BLOCK, 0) < 0)
		fail("pwrite");
}

/**
 * op_stuck_dir() - begin to read a directory, and not come to an end until killed
 * @argc: 2
 * @argv: the directory; a file that is made just before
 *
 * The reader shares the lock of the directory; behind a second process that wants it for itself nobody else gets it.
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
		/* when the reader has the lock */
		usleep(500000);
		tell(path);
		pause();
	}
	tell(argv[1]);
	if (syscall(SYS_getdents64, fd, page, BLOCK) < 0)
		fail("getdents64");
}
