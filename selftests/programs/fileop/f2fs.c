// SPDX-License-Identifier: GPL-2.0-only
/*
 * fileop, the ioctls of F2FS.
 *
 * In: the words of the command line. Out: a file or volume changed by an ioctl. Compression, verity
 * and shutdown are not here: f2fs_io has them.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "fileop.h"

/**
 * op_defrag() - rewrite a range to contiguous blocks
 * @argc: number of words
 * @argv: file, offset, length
 */
void op_defrag(int argc, char **argv)
{
	int fd = open_file(argv[0], O_RDWR);
	struct f2fs_defragment range = { .start = num(argv[1]), .len = num(argv[2]) };

	(void)argc;
	if (ioctl(fd, F2FS_DEFRAGMENT, &range))
		fail("F2FS_IOC_DEFRAGMENT");
	close_file(fd, argv[0]);
}

/**
 * op_gc() - collect up to a number of victims, print how many and how long all calls took; a lack of victims is not an error
 * @argc: number of words
 * @argv: a file of the volume, 1 to wait for the collector or 0, number of victims
 */
void op_gc(int argc, char **argv)
{
	int fd = open_file(argv[0], O_RDONLY);
	uint64_t count = num(argv[2]), i;
	uint32_t sync = num(argv[1]);
	struct timespec begin, end;

	(void)argc;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (i = 0; i < count; i++) {
		if (!ioctl(fd, F2FS_GC, &sync))
			continue;
		if (errno == EAGAIN || errno == ENODATA)
			break;
		fail("F2FS_IOC_GARBAGE_COLLECT");
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("# gc: %llu victims, %lld us\n", (unsigned long long)i,
	       (end.tv_sec - begin.tv_sec) * 1000000LL + (end.tv_nsec - begin.tv_nsec) / 1000);
	close_file(fd, argv[0]);
}

/**
 * op_gc_range() - collect the segments of a range of the volume
 * @argc: number of words
 * @argv: a file of the volume, first block, number of blocks
 */
void op_gc_range(int argc, char **argv)
{
	struct f2fs_gc_range range = { .sync = 1, .start = num(argv[1]), .len = num(argv[2]) };
	int fd = open_file(argv[0], O_RDONLY);

	(void)argc;
	if (ioctl(fd, F2FS_GC_RANGE, &range) && errno != EAGAIN && errno != ENODATA)
		fail("F2FS_IOC_GARBAGE_COLLECT_RANGE");
	close_file(fd, argv[0]);
}

/**
 * op_resize() - change the size of a mounted volume
 * @argc: number of words
 * @argv: a file of the volume, number of blocks
 */
void op_resize(int argc, char **argv)
{
	int fd = open_file(argv[0], O_RDONLY);
	uint64_t blocks = num(argv[1]);

	(void)argc;
	if (ioctl(fd, F2FS_RESIZE_FS, &blocks))
		fail("F2FS_IOC_RESIZE_FS");
	close_file(fd, argv[0]);
}

/**
 * op_pin() - pin a file, or unpin it
 * @argc: number of words
 * @argv: file, 1 or 0
 */
void op_pin(int argc, char **argv)
{
	int fd = open_file(argv[0], O_RDWR | O_CREAT);
	uint32_t on = num(argv[1]);

	(void)argc;
	if (ioctl(fd, F2FS_SET_PIN_FILE, &on))
		fail("F2FS_IOC_SET_PIN_FILE");
	close_file(fd, argv[0]);
}

/**
 * op_casefold() - make an empty directory case-insensitive
 * @argc: number of words
 * @argv: directory
 */
void op_casefold(int argc, char **argv)
{
	int fd = open(argv[0], O_RDONLY | O_DIRECTORY), flags = FS_CASEFOLD_FL;

	(void)argc;
	if (fd < 0 || ioctl(fd, FS_IOC_SETFLAGS, &flags))
		fail("FS_CASEFOLD_FL");
	close(fd);
}

static void set_flag(char **argv, int flag, const char *what)
{
	int fd = open_file(argv[0], O_RDONLY), flags;

	if (ioctl(fd, FS_IOC_GETFLAGS, &flags))
		fail("FS_IOC_GETFLAGS");
	flags = num(argv[1]) ? flags | flag : flags & ~flag;
	if (ioctl(fd, FS_IOC_SETFLAGS, &flags))
		fail(what);
	close_file(fd, argv[0]);
}

/**
 * op_immutable() - make a file immutable, or mutable again
 * @argc: number of words
 * @argv: file, 1 or 0
 */
void op_immutable(int argc, char **argv)
{
	(void)argc;
	set_flag(argv, FS_IMMUTABLE_FL, "FS_IMMUTABLE_FL");
}

/**
 * op_append_only() - set or clear the append-only flag of a file
 * @argc: number of words
 * @argv: file, 1 or 0
 */
void op_append_only(int argc, char **argv)
{
	(void)argc;
	set_flag(argv, FS_APPEND_FL, "FS_APPEND_FL");
}

/* === Atomic writes ======================================================== */

static void control(int fd, unsigned long request, const char *what)
{
	if (ioctl(fd, request))
		fail(what);
}

/**
 * op_atomic() - atomic writes and other operations through one descriptor
 * @argc: number of words
 * @argv: file, then any of: begin, replace, write OFFSET LENGTH, truncate SIZE, fsync, sync, commit, abort
 *
 * `sync` is sync(2) and a pause: uncommitted data gets to the disk.
 */
void op_atomic(int argc, char **argv)
{
	int fd = open_file(argv[0], O_RDWR | O_CREAT), i;

	for (i = 1; i < argc; i++) {
		const char *word = argv[i];

		if (!strcmp(word, "begin")) {
			control(fd, F2FS_START_ATOMIC, "F2FS_IOC_START_ATOMIC_WRITE");
		} else if (!strcmp(word, "replace")) {
			control(fd, F2FS_START_ATOMIC_REPLACE, "F2FS_IOC_START_ATOMIC_REPLACE");
		} else if (!strcmp(word, "commit")) {
			control(fd, F2FS_COMMIT_ATOMIC, "F2FS_IOC_COMMIT_ATOMIC_WRITE");
		} else if (!strcmp(word, "abort")) {
			control(fd, F2FS_ABORT_ATOMIC, "F2FS_IOC_ABORT_ATOMIC_WRITE");
		} else if (!strcmp(word, "write") && i + 2 < argc) {
			write_at(fd, argv[0], num(argv[i + 1]), num(argv[i + 2]));
			i += 2;
		} else if (!strcmp(word, "truncate") && i + 1 < argc) {
			if (ftruncate(fd, num(argv[++i])))
				fail("ftruncate");
		} else if (!strcmp(word, "fsync")) {
			if (fsync(fd))
				fail("fsync");
		} else if (!strcmp(word, "sync")) {
			sync();
			usleep(100000);
		} else {
			misuse("atomic: expected begin, replace, write, truncate, fsync, sync, commit or abort");
		}
	}
	close_file(fd, argv[0]);
}

/* === Moved ranges ========================================================= */

/* Returns the result of the ioctl: F2FS refuses some pairs for good reason. */
static int move(int in, uint64_t pos_in, int out, uint64_t pos_out, uint64_t len)
{
	struct f2fs_move_range range = { .dst_fd = out, .pos_in = pos_in, .pos_out = pos_out, .len = len };

	return ioctl(in, F2FS_MOVE_RANGE, &range);
}

/**
 * op_move() - move a range from one file to another
 * @argc: number of words
 * @argv: file, offset, file, offset, length
 */
void op_move(int argc, char **argv)
{
	int in = open_file(argv[0], O_RDWR), out = open_file(argv[2], O_RDWR | O_CREAT);

	(void)argc;
	if (move(in, num(argv[1]), out, num(argv[3]), num(argv[4])))
		fail("F2FS_IOC_MOVE_RANGE");
	close_file(in, argv[0]);
	close_file(out, argv[2]);
}

/**
 * op_moves() - move random ranges between two files, in both directions
 * @argc: number of words
 * @argv: file, file, size in blocks, number of moves, seed; one more word if garbage is collected meanwhile
 */
void op_moves(int argc, char **argv)
{
	int fd[2] = { open_file(argv[0], O_RDWR), open_file(argv[1], O_RDWR) };
	uint64_t blocks = num(argv[2]), count = num(argv[3]), i, from, to, len;
	int src, dst;

	set_seed(num(argv[4]));
	printf("# moves: seed %s, %s ranges in %s blocks\n", argv[4], argv[3], argv[2]);
	for (i = 0; i < count; i++) {
		src = next_random() % 2;
		dst = next_random() % 4 ? !src : src;
		len = 1 + next_random() % 64;
		from = next_random() % (blocks - len);
		to = next_random() % (blocks - len);
		/* write the moved range again, so that there always are blocks to move */
		write_at(fd[src], argv[src], from * BLOCK, (1 + next_random() % len) * BLOCK);
		/* EINVAL: the ranges overlap, or the file has become shorter; EBUSY: the collector may be at one of them */
		if (move(fd[src], from * BLOCK, fd[dst], to * BLOCK, len * BLOCK) && errno != EINVAL &&
		    (errno != EBUSY || argc < 6))
			fail("F2FS_IOC_MOVE_RANGE");
		if (i % 4 == 3 && fsync(fd[dst]))
			fail("fsync");
	}
	close_file(fd[0], argv[0]);
	close_file(fd[1], argv[1]);
}

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/**
 * op_busy() - move blocks again and again, and count the calls that F2FS refuses
 * @argc: number of words
 * @argv: file, file, size in blocks, milliseconds, file for the result: calls, calls that got EBUSY, writes without
 *	waiting that got EAGAIN, and the microseconds of the longest write
 */
void op_busy(int argc, char **argv)
{
	int fd[2] = { open_file(argv[0], O_RDWR | O_DIRECT), open_file(argv[1], O_RDWR | O_DIRECT) };
	uint64_t blocks = num(argv[2]), calls = 0, busy = 0, again = 0, longest = 0, begin, end, took, at;
	static char block[MAX_BLOCK] __attribute__((aligned(MAX_BLOCK)));
	struct iovec vec = { .iov_base = block, .iov_len = BLOCK };
	FILE *out;

	(void)argc;
	set_seed(1);
	end = now_us() + num(argv[3]) * 1000;
	while ((begin = now_us()) < end) {
		at = next_random() % blocks * BLOCK;
		if (move(fd[calls % 2], at, fd[!(calls % 2)], at, BLOCK)) {
			if (errno != EBUSY)
				fail("F2FS_IOC_MOVE_RANGE");
			busy++;
		}
		if (calls++ % 16)
			continue;
		if (pwritev2(fd[0], &vec, 1, at, RWF_NOWAIT) < 0 && errno == EAGAIN)
			again++;
		begin = now_us();
		write_at(fd[1], argv[1], at, BLOCK);
		took = now_us() - begin;
		if (took > longest)
			longest = took;
	}
	out = fopen(argv[4], "w");
	if (!out || fprintf(out, "%llu %llu %llu %llu\n", (unsigned long long)calls, (unsigned long long)busy,
			    (unsigned long long)again, (unsigned long long)longest) < 0 || fclose(out))
		fail(argv[4]);
	close_file(fd[0], argv[0]);
	close_file(fd[1], argv[1]);
}

/**
 * op_numbers() - ask for inodes by their numbers, as a file server does; F2FS caches where the node of each would be
 * @argc: number of words
 * @argv: a file of the volume, first number, how many; most of them have no inode
 */
void op_numbers(int argc, char **argv)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} name = { .handle.handle_bytes = MAX_HANDLE_SZ };
	/* inode number and generation; 0 for any */
	uint32_t wanted[2] = { num(argv[1]), 0 }, end = wanted[0] + num(argv[2]);
	int fd = open_file(argv[0], O_RDONLY), other, mount_id;

	(void)argc;
	if (name_to_handle_at(AT_FDCWD, argv[0], &name.handle, &mount_id, 0))
		fail("name_to_handle_at");
	for (; wanted[0] < end; wanted[0]++) {
		memcpy(name.handle.f_handle, wanted, sizeof(wanted));
		other = open_by_handle_at(fd, &name.handle, O_PATH);
		if (other >= 0)
			close(other);
		else if (errno != ESTALE)
			fail("open_by_handle_at");
	}
	close_file(fd, argv[0]);
}

/**
 * op_misplace() - exchange the addresses of two blocks on the device, without F2FS
 * @argc: number of words
 * @argv: device, the file's inode number, its first LBA, first block of the search, number of blocks
 *
 * Searches there for nodes of the file that have that LBA and the next one side by side, and swaps them in
 * each node. An outdated copy of the node, even of an earlier file system, may come before the valid one; a
 * change of it has no effect.
 */
void op_misplace(int argc, char **argv)
{
	/* The footer of a node has six words; the second one is the inode number. */
	const size_t words = BLOCK / sizeof(uint32_t);
	static uint32_t nodes[256 * 4096 / sizeof(uint32_t)], *node;
	int fd = open_file(argv[0], O_RDWR);
	uint32_t ino = num(argv[1]), lba = num(argv[2]);
	uint64_t block = num(argv[3]), end = block + num(argv[4]);
	unsigned int found = 0;
	ssize_t got, n;
	size_t i;

	(void)argc;
	for (; block < end && (got = pread(fd, nodes, sizeof(nodes), block * BLOCK)) >= BLOCK; block += got / BLOCK)
		for (n = 0, node = nodes; n < got / BLOCK; n++, node += words)
			for (i = 0; i + 1 < words && node[words - 5] == ino; i++)
				if (node[i] == lba && node[i + 1] == lba + 1) {
					node[i] = lba + 1;
					node[i + 1] = lba;
					if (pwrite(fd, node, BLOCK, (block + n) * BLOCK) != BLOCK)
						fail(argv[0]);
					printf("# misplaced: two addresses in block %llu\n", (unsigned long long)(block + n));
					found++;
				}
	if (!found) {
		errno = ENOENT;
		fail(argv[0]);
	}
	if (fsync(fd))
		fail(argv[0]);
	close_file(fd, argv[0]);
}
