// SPDX-License-Identifier: GPL-2.0-only
/*
 * fileop, replays: the system calls of databases, as recorded by strace, without the databases.
 *
 * The content of the files does not matter to F2FS. Sizes, offsets and the order of the calls do.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fileop.h"

/* === RocksDB ============================================================== */

/* The sizes that a compaction of db_bench writes with target_file_size_base=2097152. */
#define SST_RESERVED 2306867
#define SST_WRITE 1046538
#define SST_REST 15829

/* Write one more file as a compaction does; the text LOG is appended to in between. */
static void write_sst(const char *folder, unsigned int number, int log, uint64_t *log_size)
{
	char path[4096];
	uint64_t size;
	int fd;

	snprintf(path, sizeof(path), "%s/%06u.sst", folder, number);
	fd = open_file(path, O_WRONLY | O_CREAT | O_TRUNC);
	/* RocksDB checks once whether the file system supports it */
	if (sync_file_range(fd, 0, 0, 0))
		fail("sync_file_range");
	write_at(log, "LOG", *log_size, 1665);
	*log_size += 1665;
	if (fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, SST_RESERVED))
		fail("fallocate");
	write_at(fd, path, 0, SST_WRITE);
	write_at(fd, path, SST_WRITE, SST_WRITE);
	size = 2 * SST_WRITE + SST_REST + number % 7 * 131;
	write_at(fd, path, 2 * SST_WRITE, size - 2 * SST_WRITE);
	if (fdatasync(fd))
		fail("fdatasync");
	if (ftruncate(fd, size))
		fail("ftruncate");
	close_file(fd, path);
}

/**
 * op_rocksdb() - a compaction of RocksDB: its files, its text LOG, and the MANIFEST that lists them
 * @argc: number of words
 * @argv: the folder, number of .sst files
 */
void op_rocksdb(int argc, char **argv)
{
	uint64_t count = num(argv[1]), log_size = 0, manifest_size = 0, i;
	char path[4096];
	int log, manifest;

	(void)argc;
	snprintf(path, sizeof(path), "%s/LOG", argv[0]);
	log = open_file(path, O_WRONLY | O_CREAT | O_TRUNC);
	snprintf(path, sizeof(path), "%s/MANIFEST-000005", argv[0]);
	manifest = open_file(path, O_WRONLY | O_CREAT | O_TRUNC);
	for (i = 0; i < count; i++) {
		write_sst(argv[0], 11 + i, log, &log_size);
		write_at(manifest, path, manifest_size, 120);
		manifest_size += 120;
		if (fdatasync(manifest))
			fail("fdatasync");
	}
	close_file(manifest, path);
	close_file(log, "LOG");
}

/* === VoltDB =============================================================== */

#define VPT_HEADER 475
#define VPT_CHUNK 496731
#define SYNC_WAIT (SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER)

/* The state of a table: how much was written, and for how much of that a sync was started: whole pages only. */
struct vpt {
	char path[4096];
	int fd;
	uint64_t size;
	uint64_t synced;
};

static void vpt_begin(struct vpt *vpt)
{
	close_file(open_file(vpt->path, O_WRONLY | O_CREAT), vpt->path);
	if (unlink(vpt->path))
		fail(vpt->path);
	vpt->fd = open_file(vpt->path, O_RDWR | O_CREAT | O_TRUNC);
	write_at(vpt->fd, vpt->path, 0, VPT_HEADER);
	vpt->size = VPT_HEADER;
}

static void vpt_write(struct vpt *vpt, uint64_t length)
{
	write_at(vpt->fd, vpt->path, vpt->size, length);
	vpt->size += length;
}

/* VoltDB does this every half second. */
static void vpt_sync(struct vpt *vpt)
{
	uint64_t end = vpt->size & ~(uint64_t)(BLOCK - 1);

	if (sync_file_range(vpt->fd, vpt->synced, end - vpt->synced, SYNC_WAIT))
		fail("sync_file_range");
	vpt->synced = end;
}

/* Write the rest, and then the flag in the header that marks the table as complete. */
static void vpt_end(struct vpt *vpt)
{
	vpt_write(vpt, 4498);
	vpt_write(vpt, 304 * 1024);
	if (fdatasync(vpt->fd))
		fail("fdatasync");
	write_at(vpt->fd, vpt->path, 8, 1);
	if (fdatasync(vpt->fd))
		fail("fdatasync");
	close_file(vpt->fd, vpt->path);
}

static void write_small(const char *folder, const char *name, uint64_t length, uint64_t piece, int sync)
{
	char path[4096];
	uint64_t at;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open_file(path, O_WRONLY | O_CREAT | O_TRUNC);
	for (at = 0; at < length; at += piece)
		write_at(fd, path, at, piece);
	if (sync && fsync(fd))
		fail("fsync");
	close_file(fd, path);
}

/**
 * op_voltdb() - a snapshot of VoltDB: one file for each of two sites, and the small files beside them
 * @argc: number of words
 * @argv: the folder, number of large writes of each site
 */
void op_voltdb(int argc, char **argv)
{
	uint64_t count = num(argv[1]), i;
	struct vpt vpt[2] = { 0 };
	unsigned int site;

	(void)argc;
	for (site = 0; site < 2; site++) {
		snprintf(vpt[site].path, sizeof(vpt[site].path), "%s/auto-USERTABLE-host_0-%u.vpt", argv[0], site);
		vpt_begin(&vpt[site]);
	}
	write_small(argv[0], "auto-host_0.hash", 1451, 1451, 1);
	write_small(argv[0], "auto.jar", 17000, 1, 0);
	for (i = 0; i < count; i++)
		for (site = 0; site < 2; site++) {
			vpt_write(&vpt[site], VPT_CHUNK);
			if (i % 2)
				vpt_sync(&vpt[site]);
		}
	for (site = 0; site < 2; site++)
		vpt_end(&vpt[site]);
	write_small(argv[0], "auto.digest", 617, 617, 1);
	write_small(argv[0], "auto.finished", 0, 1, 0);
}
