// SPDX-License-Identifier: GPL-2.0-only
/*
 * fileop, files that are kept open in a special way.
 *
 * In: the words of the command line. Out: a file that is open until the program is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "fileop.h"

/**
 * op_keep() - keep a file open until a signal comes
 * @argc: number of words
 * @argv: file; open, direct (for direct writes), lease, or atomic (an atomic write that does not end); a file to
 *	create when it is done
 */
void op_keep(int argc, char **argv)
{
	bool direct = !strcmp(argv[1], "direct");
	int fd = open_file(argv[0], O_RDWR | (direct ? O_DIRECT : 0));

	(void)argc;
	if (!strcmp(argv[1], "lease")) {
		if (fcntl(fd, F_SETLEASE, F_WRLCK))
			fail("F_SETLEASE");
	} else if (!strcmp(argv[1], "atomic")) {
		if (ioctl(fd, F2FS_START_ATOMIC))
			fail("F2FS_IOC_START_ATOMIC_WRITE");
	} else if (!direct && strcmp(argv[1], "open")) {
		misuse("keep: expected open, direct, lease or atomic");
	}
	close_file(open_file(argv[2], O_WRONLY | O_CREAT), argv[2]);
	for (;;)
		pause();
}
