// SPDX-License-Identifier: GPL-2.0-only
/*
 * fileop, allowed operations in excessive numbers: processes, renames of trees, files that change all the
 * time, leases, files of the maximum size.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fileop.h"

#define MANY_LEASES 1024
#define MANY_GIANTS 64
/* FIEMAP of F2FS walks through a thousand blocks around each of these. */
#define PLACES 32

static uint64_t end_of(const char *seconds)
{
	return now_ms() + num(seconds) * 1000;
}

/* Create, write, rename and delete a file. */
static void live_short(const char *folder)
{
	char path[4096], other[4100];
	int fd;

	snprintf(path, sizeof(path), "%s/p%d", folder, getpid());
	snprintf(other, sizeof(other), "%s.new", path);
	fd = open_file(path, O_WRONLY | O_CREAT);
	write_at(fd, path, 0, BLOCK);
	close_file(fd, path);
	if (rename(path, other) || unlink(other))
		fail(other);
}

/**
 * op_forks() - start and end many processes, each with its own file
 * @argc: number of words
 * @argv: folder, number of processes at a time, seconds
 */
void op_forks(int argc, char **argv)
{
	uint64_t end = end_of(argv[2]), most = num(argv[1]), running = 0, all = 0;
	pid_t child;

	(void)argc;
	while (now_ms() < end || running) {
		if (running < most && now_ms() < end) {
			child = fork();
			if (child < 0)
				fail("fork");
			if (!child) {
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				live_short(argv[0]);
				exit(0);
			}
			running++;
			all++;
			continue;
		}
		if (wait(NULL) > 0)
			running--;
	}
	printf("# %llu processes\n", (unsigned long long)all);
}

static void make_tree(const char *top, uint64_t files)
{
	char path[4096];
	uint64_t i;

	if (mkdir(top, 0755))
		fail(top);
	for (i = 0; i < files; i++) {
		snprintf(path, sizeof(path), "%s/%llu", top, (unsigned long long)i / 1000);
		if (i % 1000 == 0 && mkdir(path, 0755))
			fail(path);
		snprintf(path, sizeof(path), "%s/%llu/%llu", top, (unsigned long long)i / 1000, (unsigned long long)i);
		close_file(open_file(path, O_WRONLY | O_CREAT), path);
	}
}

/**
 * op_trees() - rename a tree of many files back and forth
 * @argc: number of words
 * @argv: its name, its other name, files, seconds
 */
void op_trees(int argc, char **argv)
{
	uint64_t end, i;

	(void)argc;
	set_seed(num(argv[2]));
	make_tree(argv[0], num(argv[2]));
	end = end_of(argv[3]);
	for (i = 0; now_ms() < end; i++) {
		if (rename(argv[i % 2], argv[!(i % 2)]))
			fail("rename");
		usleep(next_random() % 50000);
	}
	printf("# a tree was renamed %llu times\n", (unsigned long long)i);
}

/**
 * op_restless() - change many files all the time in ways that no event describes
 * @argc: number of words
 * @argv: folder, files, seconds, seed
 */
void op_restless(int argc, char **argv)
{
	static const int modes[] = { FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, FALLOC_FL_ZERO_RANGE,
				     FALLOC_FL_COLLAPSE_RANGE, FALLOC_FL_INSERT_RANGE };
	uint64_t files = num(argv[1]), end = end_of(argv[2]), calls;
	char path[4096];
	int fd;

	(void)argc;
	set_seed(num(argv[3]));
	for (calls = 0; now_ms() < end; calls++) {
		snprintf(path, sizeof(path), "%s/r%llu", argv[0], (unsigned long long)(next_random() % files));
		fd = open_file(path, O_RDWR | O_CREAT);
		write_at(fd, path, next_random() % 16 * BLOCK, 8 * BLOCK);
		/* offsets beyond the end are refused */
		if (fallocate(fd, modes[next_random() % 4], next_random() % 8 * BLOCK, 2 * BLOCK) && errno != EINVAL)
			fail("fallocate");
		close_file(fd, path);
	}
	printf("# %llu changes of %llu files\n", (unsigned long long)calls, (unsigned long long)files);
}

/**
 * op_leases() - take and release leases on many files repeatedly
 * @argc: number of words
 * @argv: folder, files, seconds
 *
 * These files are not open elsewhere: no lease is refused.
 */
void op_leases(int argc, char **argv)
{
	uint64_t files = num(argv[1]), end = end_of(argv[2]), taken = 0, i;
	static int fds[MANY_LEASES];
	char path[4096];

	(void)argc;
	if (files > MANY_LEASES)
		misuse("leases: 1024 at most");
	set_seed(files);
	signal(SIGIO, SIG_IGN);
	for (i = 0; i < files; i++) {
		snprintf(path, sizeof(path), "%s/l%llu", argv[0], (unsigned long long)i);
		fds[i] = open_file(path, O_RDWR | O_CREAT);
		write_at(fds[i], path, 0, 2 * BLOCK);
	}
	while (now_ms() < end) {
		for (i = 0; i < files; i++, taken++) {
			if (fcntl(fds[i], F_SETLEASE, F_WRLCK))
				fail("F_SETLEASE");
			write_at(fds[i], "lease", next_random() % 16 * BLOCK, BLOCK);
			if (next_random() % 4 == 0 && fcntl(fds[i], F_SETLEASE, F_UNLCK))
				fail("F_UNLCK");
		}
	}
	printf("# %llu leases\n", (unsigned long long)taken);
}

/* The maximum file size of the file system. */
static uint64_t largest(int fd)
{
	uint64_t low = 0, high = 1ULL << 44, middle;

	while (high - low > (uint64_t)BLOCK) {
		middle = (low + high) / 2 & ~(uint64_t)(BLOCK - 1);
		if (ftruncate(fd, middle))
			high = middle;
		else
			low = middle;
	}
	if (ftruncate(fd, low))
		fail("ftruncate");
	return low;
}

/**
 * op_giants() - change files of the maximum size that have few blocks
 * @argc: number of words
 * @argv: folder, files, seconds, seed
 */
void op_giants(int argc, char **argv)
{
	uint64_t files = num(argv[1]), end = end_of(argv[2]), size = 0, off, calls, i;
	int fds[MANY_GIANTS], fd;
	char path[4096];

	(void)argc;
	if (files > MANY_GIANTS)
		misuse("giants: 64 at most");
	set_seed(num(argv[3]));
	for (i = 0; i < files; i++) {
		snprintf(path, sizeof(path), "%s/g%llu", argv[0], (unsigned long long)i);
		fds[i] = open_file(path, O_RDWR | O_CREAT);
		size = largest(fds[i]);
	}
	for (calls = 0; now_ms() < end; calls++) {
		fd = fds[next_random() % files];
		off = (next_random() % PLACES * (size / BLOCK / PLACES) + next_random() % 512) * BLOCK;
		write_at(fd, "giant", off, BLOCK);
		if (next_random() % 4 == 0)
			fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off, 256 * BLOCK);
		/* some of them do not change, so that they get scanned */
		usleep(next_random() % 20000);
	}
	printf("# %llu files of %llu GiB, changed %llu times\n", (unsigned long long)files,
	       (unsigned long long)(size >> 30), (unsigned long long)calls);
}
