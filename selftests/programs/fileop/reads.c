// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads of every kind: system calls, mappings, AIO and io_uring, buffered and direct. The last two by their system
 * calls, so that no library is needed in a guest.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fileop.h"

/* What a way of reading keeps from one read to the next. */
static struct {
	const char *map;
	aio_context_t aio;
	struct {
		int fd;
		char *sq;
		char *cq;
		struct io_uring_sqe *sqes;
		struct io_uring_params params;
	} ring;
} state;

static ssize_t read_plain(int fd, void *buf, size_t len, uint64_t off)
{
	return pread(fd, buf, len, (off_t)off);
}

static ssize_t read_mapped(int fd, void *buf, size_t len, uint64_t off)
{
	(void)fd;
	memcpy(buf, state.map + off, len);
	return (ssize_t)len;
}

static ssize_t read_aio(int fd, void *buf, size_t len, uint64_t off)
{
	struct iocb cb = {
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_fildes = (uint32_t)fd,
		.aio_buf = (uintptr_t)buf,
		.aio_nbytes = len,
		.aio_offset = (int64_t)off,
	};
	struct iocb *cbs[] = { &cb };
	struct io_event event;

	if (!state.aio && syscall(SYS_io_setup, 1, &state.aio))
		fail("io_setup");
	if (syscall(SYS_io_submit, state.aio, 1L, cbs) != 1)
		fail("io_submit");
	if (syscall(SYS_io_getevents, state.aio, 1L, 1L, &event, NULL) != 1)
		fail("io_getevents");
	errno = event.res < 0 ? (int)-event.res : 0;
	return event.res < 0 ? -1 : (ssize_t)event.res;
}

static void *map_ring(size_t len, uint64_t what)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, state.ring.fd, (off_t)what);

	if (p == MAP_FAILED)
		fail("io_uring");
	return p;
}

static void set_up_ring(void)
{
	struct io_uring_params *p = &state.ring.params;

	state.ring.fd = (int)syscall(SYS_io_uring_setup, 1, p);
	if (state.ring.fd < 0)
		fail("io_uring_setup");
	state.ring.sq = map_ring(p->sq_off.array + p->sq_entries * sizeof(uint32_t), IORING_OFF_SQ_RING);
	state.ring.cq = map_ring(p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);
	state.ring.sqes = map_ring(p->sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
}

static uint32_t *word_at(char *ring, uint32_t offset)
{
	return (uint32_t *)(void *)(ring + offset);
}

/* One request at a time: its entry is always the first one. */
static ssize_t read_uring(int fd, void *buf, size_t len, uint64_t off)
{
	const struct io_uring_params *p = &state.ring.params;
	const struct io_uring_cqe *cqe;
	uint32_t *head;

	if (!state.ring.sq)
		set_up_ring();
	state.ring.sqes[0] = (struct io_uring_sqe){
		.opcode = IORING_OP_READ,
		.fd = fd,
		.off = off,
		.addr = (uintptr_t)buf,
		.len = (uint32_t)len,
	};
	__atomic_add_fetch(word_at(state.ring.sq, p->sq_off.tail), 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, state.ring.fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		fail("io_uring_enter");
	head = word_at(state.ring.cq, p->cq_off.head);
	cqe = (const struct io_uring_cqe *)(const void *)(state.ring.cq + p->cq_off.cqes);
	cqe += *head & *word_at(state.ring.cq, p->cq_off.ring_mask);
	__atomic_add_fetch(head, 1, __ATOMIC_RELEASE);
	errno = cqe->res < 0 ? -cqe->res : 0;
	return cqe->res < 0 ? -1 : cqe->res;
}

/**
 * op_reads() - read a range of a file, call by call
 * @argc: number of words
 * @argv: the file; where to begin, how much to read, how much at once, and how far apart, in bytes; then how: `mmap`,
 *	`aio` or `uring`, `direct`, `random` for no readahead, `cached` if what the page cache has may be used
 */
void op_reads(int argc, char **argv)
{
	ssize_t (*get)(int fd, void *buf, size_t len, uint64_t off) = read_plain;
	uint64_t begin = num(argv[1]), end = begin + num(argv[2]), size = num(argv[3]), step = num(argv[4]), off;
	int fd, i, flags = O_RDONLY, random = 0, cached = 0;
	void *buf;

	for (i = 5; i < argc; i++)
		if (!strcmp(argv[i], "mmap"))
			get = read_mapped;
		else if (!strcmp(argv[i], "aio"))
			get = read_aio;
		else if (!strcmp(argv[i], "uring"))
			get = read_uring;
		else if (!strcmp(argv[i], "direct"))
			flags |= O_DIRECT;
		else if (!strcmp(argv[i], "random"))
			random = 1;
		else if (!strcmp(argv[i], "cached"))
			cached = 1;
		else
			misuse(argv[i]);
	fd = open_file(argv[0], flags);
	if (posix_memalign(&buf, BLOCK, size))
		fail("posix_memalign");
	if ((!cached && posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED)) ||
	    (random && posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM)))
		fail(argv[0]);
	if (get == read_mapped) {
		state.map = mmap(NULL, end, PROT_READ, MAP_SHARED, fd, 0);
		if (state.map == MAP_FAILED || (random && madvise((void *)(uintptr_t)state.map, end, MADV_RANDOM)))
			fail("mmap");
	}
	for (off = begin; off < end; off += step)
		if (get(fd, buf, size, off) != (ssize_t)size)
			fail(argv[0]);
	free(buf);
	close_file(fd, argv[0]);
}
