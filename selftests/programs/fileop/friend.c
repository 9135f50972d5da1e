// SPDX-License-Identifier: GPL-2.0-only
/*
 * fileop, a normal user: writes, syncs, renames, deletes and reads its own files, and measures the
 * waiting times.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "fileop.h"

#define FILES 24
#define MAX_BLOCKS 256

enum kind { CREATE, WRITE, FSYNC, RENAME, UNLINK, READ, KINDS };

static const char *const kind_names[KINDS] = { "create", "write", "fsync", "rename", "unlink", "read" };

static struct {
	unsigned long long count;
	unsigned long long longest;
} waits[KINDS];

static void waited(enum kind kind, uint64_t begin)
{
	uint64_t spent = now_ms() - begin;

	waits[kind].count++;
	if (spent > waits[kind].longest)
		waits[kind].longest = spent;
}

static void work_on(const char *path, const char *other)
{
	static char buf[16 * MAX_BLOCK];
	uint64_t off = next_random() % MAX_BLOCKS * BLOCK, begin = now_ms();
	int fd = open_file(path, O_RDWR | O_CREAT);

	waited(CREATE, begin);
	begin = now_ms();
	write_at(fd, path, off, (1 + next_random() % 16) * BLOCK);
	waited(WRITE, begin);
	if (next_random() % 4 == 0) {
		begin = now_ms();
		if (fsync(fd))
			fail("fsync");
		waited(FSYNC, begin);
	}
	begin = now_ms();
	if (pread(fd, buf, sizeof(buf), next_random() % MAX_BLOCKS * BLOCK) < 0)
		fail("read");
	waited(READ, begin);
	close_file(fd, path);
	if (next_random() % 8 == 0) {
		begin = now_ms();
		if (rename(path, other))
			fail("rename");
		waited(RENAME, begin);
	}
	if (next_random() % 16 == 0) {
		begin = now_ms();
		if (unlink(other) && errno != ENOENT)
			fail("unlink");
		waited(UNLINK, begin);
	}
}

/**
 * op_friend() - work on files, then sync each; print the number of each operation and the longest times in ms
 * @argc: number of words
 * @argv: folder, seconds, seed
 */
void op_friend(int argc, char **argv)
{
	uint64_t end = now_ms() + num(argv[1]) * 1000;
	char path[4096], other[4096];
	int i, fd;

	(void)argc;
	set_seed(num(argv[2]));
	while (now_ms() < end) {
		snprintf(path, sizeof(path), "%s/f%d", argv[0], (int)(next_random() % FILES));
		snprintf(other, sizeof(other), "%s/f%d", argv[0], (int)(next_random() % FILES));
		work_on(path, other);
		usleep(next_random() % 4000);
	}
	for (i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s/f%d", argv[0], i);
		fd = open(path, O_RDWR);
		if (fd < 0)
			continue;
		if (fsync(fd))
			fail("fsync");
		close_file(fd, path);
	}
	for (i = 0; i < KINDS; i++)
		printf("%s %llu %llu\n", kind_names[i], waits[i].count, waits[i].longest);
}

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000ULL + now.tv_nsec / 1000;
}

/**
 * op_creates() - create and remove a file until a certain file exists; print how often, and the longest create in us
 * @argc: number of words
 * @argv: folder, the file that ends it
 */
void op_creates(int argc, char **argv)
{
	uint64_t count = 0, longest = 0, begin, spent;
	char path[4096];
	int fd;

	(void)argc;
	for (; access(argv[1], F_OK); count++) {
		snprintf(path, sizeof(path), "%s/created%llu", argv[0], (unsigned long long)count);
		begin = now_us();
		fd = open_file(path, O_WRONLY | O_CREAT | O_EXCL);
		spent = now_us() - begin;
		if (spent > longest)
			longest = spent;
		close_file(fd, path);
		if (unlink(path))
			fail(path);
		usleep(500);
	}
	printf("%llu %llu\n", (unsigned long long)count, (unsigned long long)longest);
}
