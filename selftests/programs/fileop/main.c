// SPDX-License-Identifier: GPL-2.0-only
/*
 * fileop - do one operation on a file that the shell cannot do.
 *
 * The tests use it for operations that busybox and f2fs_io lack: all kinds of writes at any offset,
 * all modes of fallocate, ioctls of F2FS, open files without a name, and errors by name. In: words on
 * the command line. Out: the changed file; on failure a line `fileop: WHAT: ENAME` and status 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fileop.h"

#define CHUNK (64 * 1024)

/**
 * fail() - end the program because of errno
 * @what: name of the call that failed
 */
void fail(const char *what)
{
	const char *name = strerrorname_np(errno);

	fprintf(stderr, "fileop: %s: %s\n", what, name ? name : "unknown error");
	exit(1);
}

/**
 * misuse() - end the program because its arguments are invalid
 * @what: what was expected
 */
void misuse(const char *what)
{
	fprintf(stderr, "fileop: %s\n", what);
	exit(2);
}

/**
 * num() - parse a number, optionally followed by K or M
 * @s: the word
 *
 * Return: the number; does not return if the word is invalid
 */
uint64_t num(const char *s)
{
	char *end;
	uint64_t n = strtoull(s, &end, 0);

	switch (*end) {
	case 'k':
	case 'K':
		n <<= 10;
		end++;
		break;
	case 'm':
	case 'M':
		n <<= 20;
		end++;
		break;
	}
	if (end == s || *end)
		misuse("expected a number, with an optional K or M");
	return n;
}

/**
 * open_file() - open or create a file, or fail
 * @path: its name
 * @flags: for open()
 *
 * Return: its descriptor
 */
int open_file(const char *path, int flags)
{
	int fd = open(path, flags, 0644);

	if (fd < 0)
		fail(path);
	return fd;
}

/**
 * close_file() - close a file, or fail
 * @fd: its descriptor
 * @path: its name
 */
void close_file(int fd, const char *path)
{
	if (close(fd))
		fail(path);
}

/* Aligned memory with a pattern that is not zero in any block. */
static char *pattern(size_t n)
{
	void *p;
	size_t i;

	if (posix_memalign(&p, BLOCK, n))
		misuse("out of memory");
	for (i = 0; i < n; i++)
		((char *)p)[i] = 'a' + i % 26;
	return p;
}

/**
 * write_at() - write a pattern, or fail
 * @fd: descriptor; may be open for direct I/O
 * @path: its name
 * @off: offset in bytes
 * @len: length in bytes
 */
void write_at(int fd, const char *path, uint64_t off, uint64_t len)
{
	static char *buf;
	ssize_t got;

	if (!buf)
		buf = pattern(CHUNK);
	while (len) {
		got = pwrite(fd, buf, len < CHUNK ? len : CHUNK, off);
		if (got < 0)
			fail(path);
		off += got;
		len -= got;
	}
}

static uint64_t random_state;

/**
 * next_random() - draw a number
 *
 * The generator is not that of libc, so that a seed gives the same run everywhere.
 *
 * Return: the number
 */
uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/**
 * set_seed() - seed the random numbers
 * @seed: the seed
 */
void set_seed(uint64_t seed)
{
	random_state = seed * 0x9e3779b97f4a7c15ULL + 1;
	next_random();
}

/* many PREFIX COUNT BASE STEP [CYCLE]: file number i gets BASE + i % CYCLE * STEP bytes. */
static void op_many(int argc, char **argv)
{
	uint64_t count = num(argv[1]), base = num(argv[2]), step = num(argv[3]), i;
	uint64_t cycle = argc > 4 ? num(argv[4]) : count;
	char path[4096];
	int fd;

	for (i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s%llu", argv[0], (unsigned long long)i);
		fd = open_file(path, O_WRONLY | O_CREAT);
		write_at(fd, path, 0, base + i % cycle * step);
		close_file(fd, path);
	}
}

/* few PREFIX COUNT EVERY: create COUNT times EVERY empty files one after the other, and keep the last one of each EVERY. */
static void op_few(int argc, char **argv)
{
	uint64_t count = num(argv[1]) * num(argv[2]), every = num(argv[2]), i;
	char path[4096];

	(void)argc;
	for (i = 1; i <= count; i++) {
		snprintf(path, sizeof(path), "%s%llu", argv[0], (unsigned long long)i);
		close_file(open_file(path, O_WRONLY | O_CREAT), path);
		if (i % every && unlink(path))
			fail(path);
	}
}

/* lengthen PREFIX COUNT BYTES: add BYTES bytes to the name of each file that `many` has made. */
static void op_lengthen(int argc, char **argv)
{
	uint64_t count = num(argv[1]), i;
	char from[4096], to[4096];

	(void)argc;
	for (i = 0; i < count; i++) {
		snprintf(from, sizeof(from), "%s%llu", argv[0], (unsigned long long)i);
		snprintf(to, sizeof(to), "%s%llu%0*d", argv[0], (unsigned long long)i, (int)num(argv[2]), 0);
		if (rename(from, to))
			fail(from);
	}
}

/* links FILE PREFIX COUNT: give a file COUNT more names. */
static void op_links(int argc, char **argv)
{
	uint64_t count = num(argv[2]), i;
	char path[4096];

	(void)argc;
	for (i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s%llu", argv[1], (unsigned long long)i);
		if (link(argv[0], path))
			fail(path);
	}
}

static int flag_of(const char *word)
{
	if (!strcmp(word, "direct"))
		return O_DIRECT;
	if (!strcmp(word, "sync"))
		return O_SYNC;
	if (!strcmp(word, "dsync"))
		return O_DSYNC;
	if (!strcmp(word, "trunc"))
		return O_TRUNC;
	misuse("expected direct, sync, dsync or trunc");
}

static void op_write(int argc, char **argv)
{
	int flags = O_WRONLY | O_CREAT, i, fd;

	for (i = 3; i < argc; i++)
		flags |= flag_of(argv[i]);
	fd = open_file(argv[0], flags);
	write_at(fd, argv[0], num(argv[1]), num(argv[2]));
	close_file(fd, argv[0]);
}

/* refused FILE OFFSET LENGTH: direct write from an unmapped page; the effects before the error stay. */
static void op_refused(int argc, char **argv)
{
	int fd = open_file(argv[0], O_WRONLY | O_DIRECT);
	uint64_t len = num(argv[2]);
	char *nothing = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)argc;
	if (nothing == MAP_FAILED)
		fail("mmap");
	if (pwrite(fd, nothing, len, num(argv[1])) >= 0)
		misuse("refused: it was not");
	if (errno != EFAULT)
		fail("write");
	munmap(nothing, len);
	close_file(fd, argv[0]);
}

static void op_mmap(int argc, char **argv)
{
	uint64_t off = num(argv[1]), len = num(argv[2]), i;
	int fd = open_file(argv[0], O_RDWR | O_CREAT);
	uint64_t start = off & ~(uint64_t)(BLOCK - 1);
	struct stat st;
	char *map;

	(void)argc;
	if (fstat(fd, &st))
		fail(argv[0]);
	if ((uint64_t)st.st_size < off + len && ftruncate(fd, off + len))
		fail(argv[0]);
	map = mmap(NULL, off - start + len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, start);
	if (map == MAP_FAILED)
		fail("mmap");
	for (i = 0; i < len; i++)
		map[off - start + i] = 'A' + i % 26;
	if (argc < 4 && msync(map, off - start + len, MS_SYNC))
		fail("msync");
	munmap(map, off - start + len);
	close_file(fd, argv[0]);
}

static void op_append(int argc, char **argv)
{
	uint64_t chunk = num(argv[1]), count = num(argv[2]), i;
	int fd = open_file(argv[0], O_WRONLY | O_CREAT | O_APPEND);
	char *buf = pattern(chunk);

	for (i = 0; i < count; i++) {
		if (write(fd, buf, chunk) != (ssize_t)chunk)
			fail(argv[0]);
		if (argc > 3 && fdatasync(fd))
			fail("fdatasync");
	}
	close_file(fd, argv[0]);
}

/* random FILE BLOCKS COUNT SEED [direct] [every N]: overwrite COUNT blocks among the first BLOCKS. */
static void op_random(int argc, char **argv)
{
	uint64_t blocks = num(argv[1]), count = num(argv[2]), every = 0, i;
	int flags = O_WRONLY | O_CREAT, fd, a;

	for (a = 4; a < argc; a++) {
		if (!strcmp(argv[a], "every") && a + 1 < argc)
			every = num(argv[++a]);
		else
			flags |= flag_of(argv[a]);
	}
	set_seed(num(argv[3]));
	printf("# random: seed %s, %s of %s blocks\n", argv[3], argv[2], argv[1]);
	fd = open_file(argv[0], flags);
	for (i = 1; i <= count; i++) {
		write_at(fd, argv[0], next_random() % blocks * BLOCK, BLOCK);
		if (every && i % every == 0 && fsync(fd))
			fail("fsync");
	}
	close_file(fd, argv[0]);
}

/**
 * fallocate_mode() - find the mode of fallocate by its word
 * @word: default, keep, punch, collapse, zero, zerokeep or insert
 *
 * Return: the mode
 */
int fallocate_mode(const char *word)
{
	static const struct {
		const char *word;
		int mode;
	} modes[] = {
		{ "default", 0 },
		{ "keep", FALLOC_FL_KEEP_SIZE },
		{ "punch", FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE },
		{ "collapse", FALLOC_FL_COLLAPSE_RANGE },
		{ "zero", FALLOC_FL_ZERO_RANGE },
		{ "zerokeep", FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE },
		{ "insert", FALLOC_FL_INSERT_RANGE },
	};
	size_t i;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(modes[i].word, word))
			return modes[i].mode;
	misuse("fallocate: expected default, keep, punch, collapse, zero, zerokeep or insert");
}

static void op_fallocate(int argc, char **argv)
{
	int fd = open_file(argv[0], O_RDWR | O_CREAT), mode = fallocate_mode(argv[1]);
	uint64_t times = argc > 4 ? num(argv[4]) : 1;

	while (times--)
		if (fallocate(fd, mode, num(argv[2]), num(argv[3])))
			fail("fallocate");
	close_file(fd, argv[0]);
}

/*
 * ranges FILE MODE BLOCKS COUNT SEED [aligned]: fallocate random ranges, write in between; skip ranges that do not
 * fit.
 */
static void op_ranges(int argc, char **argv)
{
	uint64_t size = num(argv[2]) * BLOCK, count = num(argv[3]), mask = 0, off, len, i;
	int fd = open_file(argv[0], O_RDWR | O_CREAT), mode = fallocate_mode(argv[1]);

	/* These two modes take whole blocks only. */
	if (mode == FALLOC_FL_COLLAPSE_RANGE || mode == FALLOC_FL_INSERT_RANGE || argc > 5)
		mask = BLOCK - 1;
	set_seed(num(argv[4]));
	printf("# ranges: seed %s, %s times %s\n", argv[4], argv[3], argv[1]);
	for (i = 0; i < count; i++) {
		off = next_random() % size & ~mask;
		len = (1 + next_random() % (20 * BLOCK) + mask) & ~mask;
		if (fallocate(fd, mode, off, len) && errno != EINVAL)
			fail(argv[1]);
		off = next_random() % size;
		write_at(fd, argv[0], off, 1 + next_random() % (10 * BLOCK));
		if (i % 8 == 7 && fsync(fd))
			fail("fsync");
	}
	close_file(fd, argv[0]);
}

static void op_truncate(int argc, char **argv)
{
	(void)argc;
	if (truncate(argv[0], num(argv[1])))
		fail(argv[0]);
}

/*
 * hold FILE LENGTH READY GO: write, unlink, create READY; when GO appears, write again, sync, create READY.2; end when
 * GO is removed.
 */
static void op_hold(int argc, char **argv)
{
	int fd = open_file(argv[0], O_RDWR | O_CREAT), i;
	char second[4096];

	(void)argc;
	write_at(fd, argv[0], 0, num(argv[1]));
	if (fsync(fd) || unlink(argv[0]))
		fail(argv[0]);
	close_file(open_file(argv[2], O_WRONLY | O_CREAT), argv[2]);
	for (i = 0; access(argv[3], F_OK) && i < 600; i++)
		usleep(50000);
	write_at(fd, argv[0], num(argv[1]), num(argv[1]));
	if (fsync(fd))
		fail("fsync");
	snprintf(second, sizeof(second), "%s.2", argv[2]);
	close_file(open_file(second, O_WRONLY | O_CREAT), second);
	for (i = 0; !access(argv[3], F_OK) && i < 600; i++)
		usleep(50000);
	close_file(fd, argv[0]);
}

/*
 * nameless FOLDER COUNT BYTES READY GO: hold COUNT open files without a name. They are made by O_TMPFILE if
 * BYTES is 0, otherwise they are deleted files whose names had BYTES bytes. Create READY; end when GO appears.
 */
static void op_nameless(int argc, char **argv)
{
	uint64_t count = num(argv[1]), bytes = num(argv[2]), i;
	struct rlimit limit = { count + 64, count + 64 };
	char path[4096];

	(void)argc;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		fail("RLIMIT_NOFILE");
	for (i = 0; i < count; i++) {
		if (!bytes) {
			open_file(argv[0], O_RDWR | O_TMPFILE);
			continue;
		}
		snprintf(path, sizeof(path), "%s/%0*llu", argv[0], (int)bytes, (unsigned long long)i);
		open_file(path, O_RDWR | O_CREAT);
		if (unlink(path))
			fail(path);
	}
	close_file(open_file(argv[3], O_WRONLY | O_CREAT), argv[3]);
	for (i = 0; access(argv[4], F_OK) && i < 72000; i++)
		usleep(50000);
}

/* copy FROM OFFSET TO OFFSET LENGTH: copy_file_range(). */
static void op_copy(int argc, char **argv)
{
	int in = open_file(argv[0], O_RDONLY), out = open_file(argv[2], O_WRONLY | O_CREAT);
	off_t from = num(argv[1]), to = num(argv[3]);
	uint64_t left = num(argv[4]);
	ssize_t got;

	(void)argc;
	while (left) {
		got = copy_file_range(in, &from, out, &to, left, 0);
		if (got < 0)
			fail("copy_file_range");
		if (!got)
			break;
		left -= got;
	}
	close_file(in, argv[0]);
	close_file(out, argv[2]);
}

/* tmpfile FOLDER LENGTH NAME: write a file without a name, sync it, then give it a name. */
static void op_tmpfile(int argc, char **argv)
{
	int fd = open_file(argv[0], O_RDWR | O_TMPFILE);
	char self[64];

	(void)argc;
	write_at(fd, argv[0], 0, num(argv[1]));
	if (fsync(fd))
		fail("fsync");
	write_at(fd, argv[0], num(argv[1]), num(argv[1]));
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (linkat(AT_FDCWD, self, AT_FDCWD, argv[2], AT_SYMLINK_FOLLOW))
		fail(argv[2]);
	close_file(fd, argv[2]);
}

static void op_exchange(int argc, char **argv)
{
	(void)argc;
	if (renameat2(AT_FDCWD, argv[0], AT_FDCWD, argv[1], RENAME_EXCHANGE))
		fail("RENAME_EXCHANGE");
}

/*
 * rename FROM TO [time]: rename(2). Unlike mv, it also replaces folders, and does not change the spelling of
 * names. With `time` it prints the duration of the call in microseconds.
 */
static void op_rename(int argc, char **argv)
{
	struct timespec begin, end;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	if (rename(argv[0], argv[1]))
		fail("rename");
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (argc > 2)
		printf("%lld\n", (end.tv_sec - begin.tv_sec) * 1000000LL + (end.tv_nsec - begin.tv_nsec) / 1000);
}

/* put FILE BYTES KIND: write BYTES in one call: text, zero, binary, or (BYTES 0) nothing. Prints OK or the error. */
static void op_put(int argc, char **argv)
{
	uint64_t n = num(argv[1]), i;
	int fd = open_file(argv[0], O_WRONLY);
	char *buf = pattern(n + 1);
	ssize_t got;

	(void)argc;
	set_seed(7);
	for (i = 0; i < n && strcmp(argv[2], "text"); i++)
		buf[i] = !strcmp(argv[2], "zero") ? 0 : (char)(next_random() >> 24);
	got = write(fd, buf, n);
	puts(got < 0 ? strerrorname_np(errno) : "OK");
	close(fd);
}

/* say FILE TEXT: write the text in one call. Prints OK or the error. */
static void op_say(int argc, char **argv)
{
	int fd = open(argv[0], O_WRONLY);
	ssize_t got = fd < 0 ? -1 : write(fd, argv[1], strlen(argv[1]));

	(void)argc;
	puts(got < 0 ? strerrorname_np(errno) : "OK");
	if (fd >= 0)
		close(fd);
}

/*
 * deep FOLDER LEVELS BYTES COMMAND...: run a command in the innermost of LEVELS nested folders whose names have
 * BYTES bytes. Missing folders are created. The folder is entered step by step, because its path is too long.
 */
static void op_deep(int argc, char **argv)
{
	uint64_t levels = num(argv[1]), bytes = num(argv[2]);
	char name[256];

	if (argc < 4 || !bytes || bytes >= sizeof(name))
		misuse("deep: expected names of 1 to 255 bytes, and a command");
	memset(name, 'd', bytes);
	name[bytes] = '\0';
	if (chdir(argv[0]))
		fail(argv[0]);
	for (; levels; levels--)
		if ((mkdir(name, 0755) && errno != EEXIST) || chdir(name))
			fail(name);
	execvp(argv[3], argv + 3);
	fail(argv[3]);
}

/* slurp FILE: read it to its end. Prints OK or the error. */
static void op_slurp(int argc, char **argv)
{
	int fd = open(argv[0], O_RDONLY);
	char buf[CHUNK];
	ssize_t got;

	(void)argc;
	do
		got = fd < 0 ? -1 : read(fd, buf, sizeof(buf));
	while (got > 0);
	puts(got ? strerrorname_np(errno) : "OK");
}

/* ahead FILE OFFSET LENGTH: have the kernel read a range that is not cached, and sleep for a second. */
static void op_ahead(int argc, char **argv)
{
	int fd = open_file(argv[0], O_RDONLY);
	off_t offset = (off_t)num(argv[1]);
	size_t len = num(argv[2]);

	(void)argc;
	if (posix_fadvise(fd, offset, (off_t)len, POSIX_FADV_DONTNEED) || readahead(fd, offset, len))
		fail(argv[0]);
	sleep(1);
	close_file(fd, argv[0]);
}

/* read FILE LENGTH: read LENGTH in one call. Prints how much it was, or the error. */
static void op_read(int argc, char **argv)
{
	int fd = open_file(argv[0], O_RDONLY);
	uint64_t n = num(argv[1]);
	ssize_t got;

	(void)argc;
	got = read(fd, pattern(n + 1), n);
	if (got < 0)
		puts(strerrorname_np(errno));
	else
		printf("%zd\n", got);
	close(fd);
}

/* try FILE r|w: open it. Prints OK or the error. */
static void op_try(int argc, char **argv)
{
	int fd = open(argv[0], argv[1][0] == 'w' ? O_WRONLY : O_RDONLY);

	(void)argc;
	puts(fd < 0 ? strerrorname_np(errno) : "OK");
}

/* The number of the allocation of this thread that fails, counted from 1; 0: none. */
static unsigned int swap_fail_nth(unsigned int n)
{
	static const char path[] = "/proc/thread-self/fail-nth";
	int fd = open_file(path, O_RDWR);
	char text[16] = "";
	ssize_t len;

	len = pread(fd, text, sizeof(text) - 1, 0);
	if (len < 0 || dprintf(fd, "%u", n) < 0)
		fail(path);
	close_file(fd, path);
	return strtoul(text, NULL, 10);
}

/*
 * insmod FILE [PARAMETERS [N]]: load a module. Prints OK or the error. With N the Nth allocation fails, if the
 * kernel supports that; `after N` is added to the output if there were N allocations.
 */
static void op_insmod(int argc, char **argv)
{
	int fd = open_file(argv[0], O_RDONLY), error;
	unsigned int nth = argc > 2 ? num(argv[2]) : 0;
	long rc;

	if (nth)
		swap_fail_nth(nth);
	rc = syscall(SYS_finit_module, fd, argc > 1 ? argv[1] : "", 0);
	error = errno;
	fputs(rc ? strerrorname_np(error) : "OK", stdout);
	if (nth && !swap_fail_nth(0))
		printf(" after %u", nth);
	putchar('\n');
}

static const struct {
	const char *name;
	int args;
	void (*run)(int argc, char **argv);
	const char *usage;
} ops[] = {
	{ "write", 3, op_write, "FILE OFFSET LENGTH [direct|sync|dsync|trunc]..." },
	{ "many", 4, op_many, "PREFIX COUNT BASE STEP [CYCLE]" },
	{ "few", 3, op_few, "PREFIX COUNT EVERY" },
	{ "lengthen", 3, op_lengthen, "PREFIX COUNT BYTES" },
	{ "links", 3, op_links, "FILE PREFIX COUNT" },
	{ "refused", 3, op_refused, "FILE OFFSET LENGTH" },
	{ "mmap", 3, op_mmap, "FILE OFFSET LENGTH [nosync]" },
	{ "append", 3, op_append, "FILE CHUNK COUNT [fdatasync]" },
	{ "random", 4, op_random, "FILE BLOCKS COUNT SEED [direct] [every N]" },
	{ "fallocate", 4, op_fallocate, "FILE default|keep|punch|collapse|zero|zerokeep|insert OFFSET LENGTH [TIMES]" },
	{ "ranges", 5, op_ranges, "FILE MODE BLOCKS COUNT SEED [aligned]" },
	{ "truncate", 2, op_truncate, "FILE SIZE" },
	{ "hold", 4, op_hold, "FILE LENGTH READY GO" },
	{ "keep", 3, op_keep, "FILE open|direct|lease|atomic READY" },
	{ "defrag", 3, op_defrag, "FILE OFFSET LENGTH" },
	{ "gc", 3, op_gc, "FILE SYNC COUNT" },
	{ "pin", 2, op_pin, "FILE 0|1" },
	{ "gc_range", 3, op_gc_range, "FILE FIRST_BLOCK BLOCKS" },
	{ "resize", 2, op_resize, "FILE BLOCKS" },
	{ "atomic", 2, op_atomic, "FILE begin|replace|write OFFSET LENGTH|truncate SIZE|fsync|sync|commit|abort..." },
	{ "move", 5, op_move, "FILE OFFSET FILE OFFSET LENGTH" },
	{ "moves", 5, op_moves, "FILE FILE BLOCKS COUNT SEED [busy]" },
	{ "busy", 5, op_busy, "FILE FILE BLOCKS MILLISECONDS RESULT" },
	{ "bad_calls", 2, op_bad_calls, "FILE SECONDS" },
	{ "crowd", 4, op_crowd, "FILE CALLS READY GO" },
	{ "flip", 2, op_flip, "PREFIX COUNT" },
	{ "xattr", 3, op_xattr, "FILE NAME LENGTH" },
	{ "project", 2, op_project, "DIRECTORY NUMBER" },
	{ "encrypt", 1, op_encrypt, "DIRECTORY [EMPTY_DIRECTORY]" },
	{ "verity", 1, op_verity, "FILE" },
	{ "nameless", 5, op_nameless, "FOLDER COUNT BYTES READY GO" },
	{ "copy", 5, op_copy, "FILE OFFSET FILE OFFSET LENGTH" },
	{ "tmpfile", 3, op_tmpfile, "FOLDER LENGTH NAME" },
	{ "misplace", 5, op_misplace, "DEVICE INO LBA BLOCK BLOCKS" },
	{ "numbers", 3, op_numbers, "FILE FIRST COUNT" },
	{ "exchange", 2, op_exchange, "FILE FILE" },
	{ "names", 5, op_names, "FOLDER FOLDER COUNT SEED create|remove|rename|exchange|link|symlink|mkdir|rmdir|move|swap..." },
	{ "rename", 2, op_rename, "FROM TO [time]" },
	{ "casefold", 1, op_casefold, "DIRECTORY" },
	{ "immutable", 2, op_immutable, "FILE 0|1" },
	{ "append_only", 2, op_append_only, "FILE 0|1" },
	{ "put", 3, op_put, "FILE BYTES text|zero|binary" },
	{ "say", 2, op_say, "FILE TEXT" },
	{ "deep", 4, op_deep, "FOLDER LEVELS BYTES COMMAND..." },
	{ "slurp", 1, op_slurp, "FILE" },
	{ "ahead", 3, op_ahead, "FILE OFFSET LENGTH" },
	{ "read", 2, op_read, "FILE LENGTH" },
	{ "reads", 5, op_reads, "FILE OFFSET LENGTH SIZE STEP [mmap|aio|uring] [direct] [random] [cached]" },
	{ "shadow", 3, op_shadow, "FILE SECONDS SEED" },
	{ "try", 2, op_try, "FILE r|w" },
	{ "stuck", 2, op_stuck, "FILE READY [FILE_OF_FUSE]" },
	{ "stuck_dir", 2, op_stuck_dir, "FOLDER READY" },
	{ "stuck_fiemap", 2, op_stuck_fiemap, "FILE READY" },
	{ "stuck_many", 3, op_stuck_many, "PREFIX COUNT READY" },
	{ "fuse", 3, op_fuse, "FOLDER USER READY" },
	{ "forks", 3, op_forks, "FOLDER PROCESSES SECONDS" },
	{ "trees", 4, op_trees, "FOLDER FOLDER FILES SECONDS" },
	{ "restless", 4, op_restless, "FOLDER FILES SECONDS SEED" },
	{ "leases", 3, op_leases, "FOLDER FILES SECONDS" },
	{ "giants", 4, op_giants, "FOLDER FILES SECONDS SEED" },
	{ "friend", 3, op_friend, "FOLDER SECONDS SEED" },
	{ "creates", 2, op_creates, "FOLDER FILE" },
	{ "as", 3, op_as, "USER NICE COMMAND..." },
	{ "confined", 1, op_confined, "COMMAND..." },
	{ "timed", 3, op_timed, "FILE SECONDS COMMAND..." },
	{ "rocksdb", 2, op_rocksdb, "FOLDER FILES" },
	{ "voltdb", 2, op_voltdb, "FOLDER WRITES" },
	{ "varmail", 6, op_varmail, "NEW_FOLDER FILES THREADS SECONDS EVERY SEED [ROUNDS]" },
	{ "age", 4, op_age, "NEW_FOLDER BYTES TIMES SEED [IDLE]" },
	{ "insmod", 1, op_insmod, "FILE [PARAMETERS [N]]" },
};

/* The shell of a test may be kept to one CPU, see in_guest/run_tests.sh. */
static void use_all_cpus(void)
{
	cpu_set_t all;

	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
}

int main(int argc, char **argv)
{
	size_t i;

	use_all_cpus();
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]) && argc > 1; i++) {
		if (strcmp(ops[i].name, argv[1]))
			continue;
		if (argc - 2 < ops[i].args)
			break;
		ops[i].run(argc - 2, argv + 2);
		return 0;
	}
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		fprintf(stderr, "usage: fileop %s %s\n", ops[i].name, ops[i].usage);
	return 2;
}
