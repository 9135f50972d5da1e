// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench-work - a fixed amount of work, and its cost.
 *
 * In: words on the command line. Out: the advance of the time stamp counter during the work, one number.
 * In a guest whose QEMU counts instructions (guest.sh -I) these are instructions; `spin` verifies it.
 * Data is all zeroes, so that a compressing RAM disk (zram) can store files of any size.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/f2fs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define BLOCK 4096
#define CHUNK_BLOCKS 256

static char data[CHUNK_BLOCKS * BLOCK] __attribute__((aligned(BLOCK)));

static void fail(const char *what)
{
	fprintf(stderr, "bench-work: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t num(const char *word)
{
	char *end;
	uint64_t n = strtoull(word, &end, 0);

	if (end == word || *end) {
		fprintf(stderr, "bench-work: '%s': expected a number\n", word);
		exit(2);
	}
	return n;
}

static int open_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0644);

	if (fd < 0)
		fail(path);
	return fd;
}

static void write_blocks(int fd, uint64_t block, uint64_t count)
{
	if (pwrite(fd, data, count * BLOCK, block * BLOCK) != (ssize_t)(count * BLOCK))
		fail("write");
}

static void sync_file(int fd)
{
	if (fsync(fd))
		fail("fsync");
}

/* The same numbers in each run. */
static uint64_t next_random(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* === Work ================================================================= */

/* spin COUNT: a loop of two instructions, to find out what the counter counts. */
static uint64_t do_spin(char **argv)
{
	uint64_t count = num(argv[0]), start = __rdtsc();

	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(count));
	return __rdtsc() - start;
}

/* nanoseconds COUNT: a loop that computes, loads, stores and jumps, by the clock: the speed of this machine. */
static uint64_t do_nanoseconds(char **argv)
{
	static uint32_t table[16384];
	uint64_t count = num(argv[0]), i, n;
	struct timespec from, to;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (i = 0; i < count; i++) {
		n = next_random() % 16384;
		if (table[n] & 1)
			table[n] += 3;
		else
			table[n ^ 1] -= 1;
		/* the compiler must not merge the iterations */
		__asm__ volatile("" : : : "memory");
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	return (to.tv_sec - from.tv_sec) * 1000000000ULL + to.tv_nsec - from.tv_nsec;
}

/* seq FILE BLOCKS CHUNK: write a file from its begin to its end, CHUNK blocks at a time; one fsync. */
static uint64_t do_seq(char **argv)
{
	uint64_t blocks = num(argv[1]), chunk = num(argv[2]), i, start;
	int fd = open_file(argv[0]);

	start = __rdtsc();
	for (i = 0; i < blocks; i += chunk)
		write_blocks(fd, i, chunk);
	sync_file(fd);
	return __rdtsc() - start;
}

/* holes FILE EXTENTS: write every second block, so that no block has a neighbour. */
static uint64_t do_holes(char **argv)
{
	uint64_t extents = num(argv[1]), i, start;
	int fd = open_file(argv[0]);

	start = __rdtsc();
	for (i = 0; i < extents; i++) {
		write_blocks(fd, 2 * i, 1);
		if (i % 8192 == 8191 || i == extents - 1) {
			sync_file(fd);
			posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		}
	}
	return __rdtsc() - start;
}

/* over FILE EXTENTS COUNT EVERY: overwrite COUNT of these blocks at random, with an fsync after EVERY. */
static uint64_t do_over(char **argv)
{
	uint64_t extents = num(argv[1]), count = num(argv[2]), every = num(argv[3]), i, start;
	int fd = open_file(argv[0]);

	start = __rdtsc();
	for (i = 1; i <= count; i++) {
		write_blocks(fd, 2 * (next_random() % extents), 1);
		if (i % every == 0)
			sync_file(fd);
	}
	sync_file(fd);
	return __rdtsc() - start;
}

/* many DIRECTORY FILES ROUNDS: append a block to each of FILES files, in turn, ROUNDS times. */
static uint64_t do_many(char **argv)
{
	uint64_t files = num(argv[1]), rounds = num(argv[2]), i, round, start;
	int *fds = calloc(files, sizeof(*fds));
	char path[4096];

	if (!fds)
		fail("memory");
	for (i = 0; i < files; i++) {
		snprintf(path, sizeof(path), "%s/%llu", argv[0], (unsigned long long)i);
		fds[i] = open_file(path);
	}
	start = __rdtsc();
	for (round = 0; round < rounds; round++)
		for (i = 0; i < files; i++)
			write_blocks(fds[i], round, 1);
	if (syncfs(fds[0]))
		fail("syncfs");
	return __rdtsc() - start;
}

/* read FILE BLOCKS CHUNK buffered|random|direct: read a file, CHUNK blocks at a time; random: without readahead, at random. */
static uint64_t do_read(char **argv)
{
	uint64_t blocks = num(argv[1]), chunk = num(argv[2]), i, at, start;
	int is_random = !strcmp(argv[3], "random");
	int fd = open(argv[0], strcmp(argv[3], "direct") ? O_RDONLY : O_RDONLY | O_DIRECT);

	if (fd < 0)
		fail(argv[0]);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (is_random)
		posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	start = __rdtsc();
	for (i = 0; i < blocks; i += chunk) {
		at = is_random ? next_random() % (blocks / chunk) * chunk : i;
		if (pread(fd, data, chunk * BLOCK, at * BLOCK) != (ssize_t)(chunk * BLOCK))
			fail("read");
	}
	return __rdtsc() - start;
}

/* direct FILE BLOCKS LOOPS: write a file with direct I/O and empty it, LOOPS times; it is full at the end. */
static uint64_t do_direct(char **argv)
{
	uint64_t blocks = num(argv[1]), loops = num(argv[2]), i, start;
	int fd = open(argv[0], O_RDWR | O_CREAT | O_DIRECT, 0644);

	if (fd < 0)
		fail(argv[0]);
	start = __rdtsc();
	while (loops--) {
		if (ftruncate(fd, 0))
			fail("ftruncate");
		for (i = 0; i < blocks; i += CHUNK_BLOCKS)
			write_blocks(fd, i, CHUNK_BLOCKS);
	}
	return __rdtsc() - start;
}

/*
 * pinned FILE BLOCKS LOOPS: allocate blocks of a pinned file and empty it, LOOPS times; it is full at the end. F2FS
 * assigns addresses to such blocks at once, and no data is copied.
 */
static uint64_t do_pinned(char **argv)
{
	uint64_t blocks = num(argv[1]), loops = num(argv[2]), start;
	int fd = open_file(argv[0]);
	__u32 pin = 1;

	if (ftruncate(fd, 0))
		fail("ftruncate");
	if (ioctl(fd, F2FS_IOC_SET_PIN_FILE, &pin) < 0)
		fail("F2FS_IOC_SET_PIN_FILE");
	start = __rdtsc();
	while (loops--) {
		if (ftruncate(fd, 0))
			fail("ftruncate");
		if (fallocate(fd, 0, 0, blocks * BLOCK))
			fail("fallocate");
	}
	return __rdtsc() - start;
}

/* Run work in several processes at once, each with its own path in a directory. */
static void in_processes(const char *dir, uint64_t count, void (*work)(const char *path, uint64_t amount), uint64_t amount)
{
	char path[4000];
	int status, bad = 0;
	uint64_t i;

	for (i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid < 0)
			fail("fork");
		if (pid)
			continue;
		snprintf(path, sizeof(path), "%s/%llu", dir, (unsigned long long)i);
		work(path, amount);
		_exit(0);
	}
	while (wait(&status) > 0)
		bad |= status;
	if (bad) {
		fprintf(stderr, "bench-work: a process failed\n");
		exit(1);
	}
}

static void write_and_sync(const char *path, uint64_t blocks)
{
	int fd = open_file(path);
	uint64_t i;

	for (i = 0; i < blocks; i++) {
		write_blocks(fd, i, 1);
		if (i % 1024 == 1023)
			sync_file(fd);
	}
}

/* parallel DIRECTORY WRITERS BLOCKS: WRITERS writers at once; each writes its own file and syncs it. */
static uint64_t do_parallel(char **argv)
{
	uint64_t start = __rdtsc();

	in_processes(argv[0], num(argv[1]), write_and_sync, num(argv[2]));
	return __rdtsc() - start;
}

/* Create, rename and unlink a file in a new directory, repeatedly. */
static void churn_names(const char *dir, uint64_t rounds)
{
	char from[4096], to[4096];
	uint64_t i;

	if (mkdir(dir, 0755))
		fail(dir);
	for (i = 0; i < rounds; i++) {
		snprintf(from, sizeof(from), "%s/%llu", dir, (unsigned long long)i);
		snprintf(to, sizeof(to), "%s/renamed-%llu", dir, (unsigned long long)i);
		close(open_file(from));
		if (rename(from, to))
			fail(from);
		if (unlink(to))
			fail(to);
	}
}

/* churn DIRECTORY PROCESSES ROUNDS: PROCESSES processes create, rename and unlink, each in its own folder. */
static uint64_t do_churn(char **argv)
{
	uint64_t start = __rdtsc();

	in_processes(argv[0], num(argv[1]), churn_names, num(argv[2]));
	return __rdtsc() - start;
}

/* The idle time of the first CPU in nanoseconds: one for each instruction that was not executed. */
static uint64_t idle_ns(void)
{
	FILE *f = fopen("/proc/timer_list", "r");
	unsigned long long ns, sum = 0;
	char line[256];
	int found = 0;

	if (!f)
		fail("/proc/timer_list");
	/* two lines: without and with a process that waits for a device */
	while (found < 2 && fgets(line, sizeof(line), f))
		if (sscanf(line, " .idle_sleeptime : %llu nsecs", &ns) == 1 ||
		    sscanf(line, " .iowait_sleeptime: %llu nsecs", &ns) == 1) {
			sum += ns;
			found++;
		}
	fclose(f);
	if (found < 2) {
		fprintf(stderr, "bench-work: /proc/timer_list does not say how long the CPU was idle: the kernel needs NO_HZ\n");
		exit(1);
	}
	return sum;
}

/* run COMMAND [ARGUMENT...]: run a program to its end; it must succeed. */
static uint64_t do_run(char **argv)
{
	uint64_t idle = idle_ns(), start = __rdtsc();
	pid_t pid = fork();
	int status;

	if (pid < 0)
		fail("fork");
	if (!pid) {
		/* the result goes to standard output, the output of the program does not */
		dup2(2, 1);
		execvp(argv[0], argv);
		fail(argv[0]);
	}
	if (waitpid(pid, &status, 0) != pid)
		fail("wait");
	start = __rdtsc() - start;
	if (status) {
		fprintf(stderr, "bench-work: %s failed\n", argv[0]);
		exit(1);
	}
	return start - (idle_ns() - idle);
}

static const struct {
	const char *name;
	uint64_t (*work)(char **argv);
	int words;
} table[] = {
	{ "spin", do_spin, 1 },
	{ "nanoseconds", do_nanoseconds, 1 },
	{ "seq", do_seq, 3 },
	{ "holes", do_holes, 2 },
	{ "over", do_over, 4 },
	{ "many", do_many, 3 },
	{ "read", do_read, 4 },
	{ "direct", do_direct, 3 },
	{ "pinned", do_pinned, 3 },
	{ "parallel", do_parallel, 3 },
	{ "churn", do_churn, 3 },
	{ "run", do_run, 1 },
};

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc > 1 && i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(argv[1], table[i].name) && argc - 2 >= table[i].words) {
			printf("%llu\n", (unsigned long long)table[i].work(argv + 2));
			return 0;
		}
	fprintf(stderr, "usage: bench-work spin COUNT | nanoseconds COUNT | seq FILE BLOCKS CHUNK | holes FILE EXTENTS |\n"
			"       over FILE EXTENTS COUNT EVERY | many DIRECTORY FILES ROUNDS |\n"
			"       direct FILE BLOCKS LOOPS | pinned FILE BLOCKS LOOPS | parallel DIRECTORY WRITERS BLOCKS |\n"
			"       churn DIRECTORY PROCESSES ROUNDS | run COMMAND...\n");
	return 2;
}
