// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on the data of a file that all file systems have.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

#define CHUNK (64 * 1024)

/* The data to write: half of it is compressible, and no byte is zero. */
static const char *content(unsigned int which)
{
	static char buf[2][CHUNK] __attribute__((aligned(4096)));
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static bool filled;
	uint64_t x = 1;
	size_t i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < CHUNK && !filled; i++) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		buf[0][i] = 'a' + i % 26;
		buf[1][i] = x >> 56 | 1;
	}
	filled = true;
	pthread_mutex_unlock(&lock);
	return buf[which % 2];
}

static int write_all(int fd, unsigned int which, uint64_t off, uint64_t len)
{
	ssize_t got;

	while (len) {
		got = pwrite(fd, content(which), len < CHUNK ? len : CHUNK, off);
		if (got <= 0)
			return -1;
		off += got;
		len -= got;
	}
	return 0;
}

static int write_with(struct worker *w, const struct op *op, int flags)
{
	int fd = file_get(w, op->arg[0].s, flags), rc;

	if (fd < 0)
		return -1;
	rc = write_all(fd, op->line, op->arg[1].n, op->arg[2].n);
	file_put(w, fd);
	return rc;
}

static int op_write(struct worker *w, const struct op *op)
{
	return write_with(w, op, 0);
}

static int op_write_direct(struct worker *w, const struct op *op)
{
	return write_with(w, op, O_DIRECT);
}

static int op_write_sync(struct worker *w, const struct op *op)
{
	return write_with(w, op, O_SYNC);
}

static int op_append(struct worker *w, const struct op *op)
{
	int fd = file_get(w, op->arg[0].s, O_APPEND), rc;

	if (fd < 0)
		return -1;
	rc = write(fd, content(op->line), op->arg[1].n < CHUNK ? op->arg[1].n : CHUNK);
	file_put(w, fd);
	return rc;
}

static int op_write_mapped(struct worker *w, const struct op *op)
{
	uint64_t off = op->arg[1].n & ~(BLOCK - 1), len = op->arg[2].n, i;
	int fd = file_get(w, op->arg[0].s, 0);
	char *map;

	if (fd < 0)
		return -1;
	map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, off);
	file_put(w, fd);
	if (map == MAP_FAILED)
		return -1;
	/* beyond the end SIGBUS stops the loop and the mapping stays: such mappings are few and small */
	for (i = 0; i < len; i += 1000)
		__atomic_store_n(&map[i], 'm', __ATOMIC_RELAXED);
	return munmap(map, len);
}

static int op_read(struct worker *w, const struct op *op)
{
	uint64_t len = op->arg[2].n < CHUNK ? op->arg[2].n : CHUNK;
	int fd = file_get(w, op->arg[0].s, 0), rc;
	char *buf = malloc(CHUNK);

	if (!buf)
		die("out of memory");
	rc = fd < 0 ? -1 : pread(fd, buf, len, op->arg[1].n);
	if (fd >= 0)
		file_put(w, fd);
	free(buf);
	return rc;
}

static int op_truncate(struct worker *w, const struct op *op)
{
	int fd = file_get(w, op->arg[0].s, 0), rc;

	if (fd < 0)
		return -1;
	rc = ftruncate(fd, op->arg[1].n);
	file_put(w, fd);
	return rc;
}

static int fallocate_with(struct worker *w, const struct op *op, int mode)
{
	int fd = file_get(w, op->arg[0].s, 0), rc;

	if (fd < 0)
		return -1;
	rc = fallocate(fd, mode, op->arg[1].n, op->arg[2].n);
	file_put(w, fd);
	return rc;
}

static int op_allocate(struct worker *w, const struct op *op)
{
	return fallocate_with(w, op, 0);
}

static int op_allocate_keep(struct worker *w, const struct op *op)
{
	return fallocate_with(w, op, FALLOC_FL_KEEP_SIZE);
}

static int op_punch(struct worker *w, const struct op *op)
{
	return fallocate_with(w, op, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE);
}

static int op_collapse(struct worker *w, const struct op *op)
{
	return fallocate_with(w, op, FALLOC_FL_COLLAPSE_RANGE);
}

static int op_insert(struct worker *w, const struct op *op)
{
	return fallocate_with(w, op, FALLOC_FL_INSERT_RANGE);
}

static int op_zero(struct worker *w, const struct op *op)
{
	return fallocate_with(w, op, FALLOC_FL_ZERO_RANGE);
}

static int op_zero_keep(struct worker *w, const struct op *op)
{
	return fallocate_with(w, op, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE);
}

static int op_copy(struct worker *w, const struct op *op)
{
	int from = file_get(w, op->arg[0].s, 0), to = file_get(w, op->arg[2].s, 0);
	off_t in = op->arg[1].n, out = op->arg[3].n;
	int rc = -1;

	if (from >= 0 && to >= 0)
		rc = copy_file_range(from, &in, to, &out, op->arg[4].n, 0);
	if (from >= 0)
		file_put(w, from);
	if (to >= 0 && to != from)
		file_put(w, to);
	return rc;
}

/* Share blocks: F2FS does not support that, and must return an error. */
static int op_clone(struct worker *w, const struct op *op)
{
	int from = file_get(w, op->arg[0].s, 0), to = file_get(w, op->arg[1].s, 0);
	int rc = -1;

	if (from >= 0 && to >= 0)
		rc = ioctl(to, FICLONE, from);
	if (from >= 0)
		file_put(w, from);
	if (to >= 0 && to != from)
		file_put(w, to);
	return rc;
}

static int op_fsync(struct worker *w, const struct op *op)
{
	int fd = file_get(w, op->arg[0].s, 0), rc;

	if (fd < 0)
		return -1;
	rc = fsync(fd);
	file_put(w, fd);
	return rc;
}

static int op_fdatasync(struct worker *w, const struct op *op)
{
	int fd = file_get(w, op->arg[0].s, 0), rc;

	if (fd < 0)
		return -1;
	rc = fdatasync(fd);
	file_put(w, fd);
	return rc;
}

const struct kind data_kinds[] = {
	{ "write", "pnn", op_write },
	{ "write-direct", "pnn", op_write_direct },
	{ "write-sync", "pnn", op_write_sync },
	{ "append", "pn", op_append },
	{ "write-mapped", "pnn", op_write_mapped },
	{ "read", "pnn", op_read },
	{ "truncate", "pn", op_truncate },
	{ "allocate", "pnn", op_allocate },
	{ "allocate-keep", "pnn", op_allocate_keep },
	{ "punch", "pnn", op_punch },
	{ "collapse", "pnn", op_collapse },
	{ "insert", "pnn", op_insert },
	{ "zero", "pnn", op_zero },
	{ "zero-keep", "pnn", op_zero_keep },
	{ "copy", "pnpnn", op_copy },
	{ "clone", "pp", op_clone },
	{ "fsync", "p", op_fsync },
	{ "fdatasync", "p", op_fdatasync },
	{ NULL, NULL, NULL },
};
