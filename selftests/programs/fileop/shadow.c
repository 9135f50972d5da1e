// SPDX-License-Identifier: GPL-2.0-only
/*
 * A file that is changed at random in every way, beside a naive copy of it in memory; what is read must be equal.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fileop.h"

/* The file grows up to this size; a change has at most so many bytes. */
#define MAX_SIZE ((uint64_t)1024 * BLOCK)
#define MAX_CHANGE ((uint64_t)32 * BLOCK)
/* The whole file is compared with the copy after so many changes. */
#define CHANGES_PER_READ 64

enum change { WRITE, DIRECT, MAPPED, TRUNCATE, PUNCH, ZERO, COLLAPSE, INSERT, PREALLOCATE, SYNC, CHANGES };

/* What is checked: the file, and what has to be in it. */
struct shadow {
	const char *path;
	int fd;
	int direct;
	char *copy;
	uint64_t size;
	unsigned long long changes;
	unsigned long long reads;
};

/* Random bytes at @off, first in the copy. Beyond the old end the copy has zeros. */
static void fill(struct shadow *s, uint64_t off, uint64_t len)
{
	uint64_t i;

	for (i = off; i < off + len; i++)
		s->copy[i] = (char)(next_random() >> 24);
	if (off + len > s->size)
		s->size = off + len;
}

static void write_out(struct shadow *s, int fd, uint64_t off, uint64_t len)
{
	if (pwrite(fd, s->copy + off, len, (off_t)off) != (ssize_t)len)
		fail(s->path);
}

static void write_mapped(struct shadow *s, uint64_t off, uint64_t len)
{
	char *map;

	map = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (map == MAP_FAILED)
		fail("mmap");
	memcpy(map + off, s->copy + off, len);
	if (munmap(map, s->size))
		fail("munmap");
}

static void resize(struct shadow *s, uint64_t size)
{
	if (ftruncate(s->fd, (off_t)size))
		fail("ftruncate");
	if (size < s->size)
		memset(s->copy + size, 0, s->size - size);
	s->size = size;
}

/* A mode of fallocate(2) that does not move what follows. F2FS may have no space for it: then nothing changes. */
static void allocate(struct shadow *s, const char *mode, uint64_t off, uint64_t len)
{
	int zero = strcmp(mode, "default");

	if (fallocate(s->fd, fallocate_mode(mode), (off_t)off, (off_t)len)) {
		if (errno != ENOSPC)
			fail(mode);
		return;
	}
	if (zero)
		memset(s->copy + off, 0, len);
	if (strcmp(mode, "punch") && off + len > s->size)
		s->size = off + len;
}

/* Remove or insert whole blocks within the file. */
static void shift(struct shadow *s, int insert, uint64_t off, uint64_t len)
{
	if (off + len >= s->size || (insert && s->size + len > MAX_SIZE))
		return;
	if (fallocate(s->fd, fallocate_mode(insert ? "insert" : "collapse"), (off_t)off, (off_t)len)) {
		if (errno != ENOSPC)
			fail(insert ? "insert" : "collapse");
		return;
	}
	if (insert) {
		memmove(s->copy + off + len, s->copy + off, s->size - off);
		memset(s->copy + off, 0, len);
		s->size += len;
	} else {
		memmove(s->copy + off, s->copy + off + len, s->size - off - len);
		memset(s->copy + s->size - len, 0, len);
		s->size -= len;
	}
}

static void change(struct shadow *s)
{
	uint64_t off = next_random() % (MAX_SIZE - MAX_CHANGE), len = 1 + next_random() % (MAX_CHANGE - 1);
	uint64_t first = off / BLOCK * BLOCK, whole = (len + BLOCK - 1) / BLOCK * BLOCK;

	switch ((enum change)(next_random() % CHANGES)) {
	case WRITE:
		fill(s, off, len);
		write_out(s, s->fd, off, len);
		break;
	case DIRECT:
		fill(s, first, whole);
		write_out(s, s->direct, first, whole);
		break;
	case MAPPED:
		if (off >= s->size)
			break;
		if (len > s->size - off)
			len = s->size - off;
		fill(s, off, len);
		write_mapped(s, off, len);
		break;
	case TRUNCATE:
		/* rarely: each of these takes the rest of the file */
		if (next_random() % 8 == 0)
			resize(s, off);
		break;
	case PUNCH:
		allocate(s, "punch", off, len);
		break;
	case ZERO:
		allocate(s, "zero", off, len);
		break;
	case COLLAPSE:
		shift(s, 0, first, whole);
		break;
	case INSERT:
		shift(s, 1, first, whole);
		break;
	case PREALLOCATE:
		/* zeros beyond the end; within it nothing changes */
		if (off >= s->size)
			allocate(s, "default", off, len);
		break;
	case SYNC:
	default:
		if (fdatasync(s->fd))
			fail("fdatasync");
		break;
	}
	s->changes++;
}

/* Read the file and compare; each second time from the disk. */
static void compare(struct shadow *s)
{
	static char buf[1024 * MAX_BLOCK];
	struct stat st;
	uint64_t at;

	if (s->reads++ % 2) {
		if (fdatasync(s->fd) || posix_fadvise(s->fd, 0, 0, POSIX_FADV_DONTNEED))
			fail("fdatasync");
	}
	if (fstat(s->fd, &st))
		fail("fstat");
	if ((uint64_t)st.st_size != s->size) {
		printf("%s: %lld bytes, expected %llu, after %llu changes\n", s->path, (long long)st.st_size,
		       (unsigned long long)s->size, s->changes);
		exit(1);
	}
	if (pread(s->fd, buf, s->size, 0) != (ssize_t)s->size)
		fail("read");
	if (!memcmp(buf, s->copy, s->size))
		return;
	for (at = 0; buf[at] == s->copy[at]; at++)
		;
	printf("%s: byte %llu differs after %llu changes\n", s->path, (unsigned long long)at, s->changes);
	exit(1);
}

/**
 * op_shadow() - shadow FILE SECONDS SEED: change a file at random, and compare it with a copy in memory
 * @argc: number of arguments
 * @argv: arguments
 *
 * Writes, direct and mapped ones too, truncate, all modes of fallocate(2) and fdatasync(2). Prints how much was
 * compared, or what differs, with status 1.
 */
void op_shadow(int argc, char **argv)
{
	struct shadow s = { .path = argv[0] };
	uint64_t end = now_ms() + num(argv[1]) * 1000;
	int i;

	(void)argc;
	set_seed(num(argv[2]));
	s.fd = open_file(s.path, O_RDWR | O_CREAT | O_TRUNC);
	s.direct = open_file(s.path, O_RDWR | O_DIRECT);
	/* direct writes need an aligned buffer, and begin at whole blocks of the copy */
	if (posix_memalign((void **)&s.copy, BLOCK, MAX_SIZE))
		fail("memory");
	memset(s.copy, 0, MAX_SIZE);
	while (now_ms() < end) {
		for (i = 0; i < CHANGES_PER_READ; i++)
			change(&s);
		compare(&s);
	}
	compare(&s);
	close_file(s.direct, s.path);
	close_file(s.fd, s.path);
	printf("%llu changes, read and compared %llu times\n", s.changes, s.reads);
}
