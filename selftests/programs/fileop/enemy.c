// SPDX-License-Identifier: GPL-2.0-only
/*
 * fileop, operations of an attacker: calls that cannot succeed, hundreds of calls at once, arguments
 * that change while they are read.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fileop.h"

#define MAX_THREADS 1024

static void must_fail(int result, int error, const char *what)
{
	if (result != -1 || errno != error) {
		fprintf(stderr, "fileop: %s: ", what);
		fail(result == -1 ? "failed otherwise" : "did not fail");
	}
}

/**
 * op_bad_calls() - F2FS_IOC_MOVE_RANGE and fallocate with arguments that F2FS refuses, for some seconds
 * @argc: number of words
 * @argv: file of at least two blocks, seconds
 */
void op_bad_calls(int argc, char **argv)
{
	int fd = open_file(argv[0], O_RDWR), reader = open_file(argv[0], O_RDONLY);
	time_t end = time(NULL) + num(argv[1]);
	uint64_t rounds;

	(void)argc;
	for (rounds = 0; time(NULL) < end; rounds++) {
		struct f2fs_move_range range = { .dst_fd = fd, .pos_out = BLOCK, .len = BLOCK };

		must_fail(ioctl(fd, F2FS_MOVE_RANGE, (void *)1), EFAULT, "a bad pointer");
		range.pos_in = 1;
		must_fail(ioctl(fd, F2FS_MOVE_RANGE, &range), EINVAL, "not at a block");
		range.pos_in = 1ULL << 40;
		must_fail(ioctl(fd, F2FS_MOVE_RANGE, &range), EINVAL, "beyond the end");
		range.dst_fd = reader;
		must_fail(ioctl(fd, F2FS_MOVE_RANGE, &range), EBADF, "to where one may not write");
		range.dst_fd = -1;
		must_fail(ioctl(fd, F2FS_MOVE_RANGE, &range), EBADF, "to nowhere");
		must_fail(fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 1, 1), EINVAL, "collapse within a block");
		must_fail(fallocate(fd, FALLOC_FL_INSERT_RANGE, 1, 1), EINVAL, "insert within a block");
	}
	printf("# %llu rounds of bad calls\n", (unsigned long long)rounds);
	close_file(fd, argv[0]);
	close_file(reader, argv[0]);
}

/* === Many calls at once =================================================== */

static struct {
	int fd;
	char *page;
	atomic_uint begun;
} crowd;

/* Holds the inode's lock until the page arrives. */
static void *stuck(void *unused)
{
	(void)unused;
	if (pwrite(crowd.fd, crowd.page, BLOCK, 0) != BLOCK)
		fail("write");
	return NULL;
}

static void *queued(void *number)
{
	struct f2fs_move_range range = { .dst_fd = crowd.fd, .pos_out = 1 << 20, .len = 16 * BLOCK };

	atomic_fetch_add(&crowd.begun, 1);
	if ((uintptr_t)number % 2) {
		if (fallocate(crowd.fd, FALLOC_FL_ZERO_RANGE, 0, 16 * BLOCK))
			fail("fallocate");
	} else if (ioctl(crowd.fd, F2FS_MOVE_RANGE, &range)) {
		fail("F2FS_IOC_MOVE_RANGE");
	}
	return NULL;
}

static void start(pthread_t *thread, void *(*run)(void *arg), uintptr_t arg)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 * 1024);
	errno = pthread_create(thread, &attr, run, (void *)arg);
	if (errno)
		fail("pthread_create");
	pthread_attr_destroy(&attr);
}

/**
 * op_crowd() - calls that all wait for the lock of one file
 * @argc: number of words
 * @argv: file, number of calls, a file to create when they wait, a file that ends the wait
 *
 * One thread writes from a page that does not arrive, and holds the lock. ENOSYS if this kernel has no userfaultfd.
 */
void op_crowd(int argc, char **argv)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_zeropage zero = { 0 };
	static pthread_t threads[MAX_THREADS + 1];
	struct pollfd poller = { .events = POLLIN };
	uint64_t count = num(argv[1]), i;

	(void)argc;
	if (count > MAX_THREADS)
		misuse("crowd: 1024 at most");
	poller.fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (poller.fd < 0 || ioctl(poller.fd, UFFDIO_API, &api))
		fail("userfaultfd");
	crowd.fd = open_file(argv[0], O_RDWR);
	crowd.page = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (crowd.page == MAP_FAILED)
		fail("mmap");
	reg.range.start = (uintptr_t)crowd.page;
	reg.range.len = BLOCK;
	if (ioctl(poller.fd, UFFDIO_REGISTER, &reg))
		fail("UFFDIO_REGISTER");
	start(&threads[count], stuck, 0);
	if (poll(&poller, 1, -1) != 1)
		fail("poll");
	for (i = 0; i < count; i++)
		start(&threads[i], queued, i);
	while (atomic_load(&crowd.begun) < count)
		usleep(10000);
	usleep(500000);
	close_file(open_file(argv[2], O_WRONLY | O_CREAT), argv[2]);
	while (access(argv[3], F_OK))
		usleep(50000);
	zero.range = reg.range;
	if (ioctl(poller.fd, UFFDIO_ZEROPAGE, &zero))
		fail("UFFDIO_ZEROPAGE");
	for (i = 0; i <= count; i++)
		pthread_join(threads[i], NULL);
	close_file(crowd.fd, argv[0]);
}

/* === Arguments that change ================================================ */

static struct {
	struct f2fs_move_range range;
	int fd[2];
	atomic_bool stop;
} flip;

static void *flipper(void *unused)
{
	unsigned int i;

	(void)unused;
	for (i = 0; !atomic_load_explicit(&flip.stop, memory_order_relaxed); i++)
		__atomic_store_n(&flip.range.dst_fd, flip.fd[i % 2], __ATOMIC_RELAXED);
	return NULL;
}

/**
 * op_flip() - move the first blocks of files while another thread changes the target descriptor
 * @argc: number of words
 * @argv: prefix of the names of files, which end in a number and in a, b or c; number of files. Blocks are
 *        moved out of those in a.
 */
void op_flip(int argc, char **argv)
{
	uint64_t count = num(argv[1]), i;
	unsigned int moved = 0;
	pthread_t thread;
	char path[4096];
	int fd[3], n;

	(void)argc;
	for (i = 0; i < count; i++) {
		for (n = 0; n < 3; n++) {
			snprintf(path, sizeof(path), "%s%llu%c", argv[0], (unsigned long long)i, 'a' + n);
			fd[n] = open_file(path, O_RDWR | O_CREAT);
			if (!lseek(fd[n], 0, SEEK_END))
				write_at(fd[n], path, 0, 16 * BLOCK);
		}
		flip.fd[0] = fd[1];
		flip.fd[1] = fd[2];
		flip.range = (struct f2fs_move_range){ .dst_fd = fd[1], .len = 16 * BLOCK };
		atomic_store(&flip.stop, false);
		start(&thread, flipper, 0);
		usleep(20000);
		moved += !ioctl(fd[0], F2FS_MOVE_RANGE, &flip.range);
		atomic_store(&flip.stop, true);
		pthread_join(thread, NULL);
		for (n = 0; n < 3; n++)
			close(fd[n]);
	}
	printf("# flip: %u of %llu ranges moved\n", moved, (unsigned long long)count);
	if (!moved)
		misuse("flip: nothing was moved");
}
