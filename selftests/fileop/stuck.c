// SPDX-License-Identifier: GPL-2.0-only
/*
 * A write that F2FS cannot finish: its data is on a page that does not come. Meanwhile the writer holds the
 * lock of the inode, as one does whose data is on a slow or hostile FUSE file.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
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

/**
 * op_stuck() - begin to write the first block of a file, and not come to an end until killed
 * @argc: 2
 * @argv: the file; a file that is made just before the write begins
 */
void op_stuck(int argc, char **argv)
{
	int uffd, fd = open_file(argv[0], O_WRONLY), ready;
	void *page = missing_page(&uffd);

	(void)argc;
	ready = open(argv[1], O_CREAT | O_WRONLY, 0600);
	if (ready < 0)
		fail(argv[1]);
	close(ready);
	if (pwrite(fd, page, BLOCK, 0) < 0)
		fail("pwrite");
}
