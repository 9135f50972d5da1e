// SPDX-License-Identifier: GPL-2.0-only
/*
 * fileop, a FUSE file system of a user, with one file that never returns its data.
 *
 * A process maps that file and writes from the mapping to another file. It then holds the lock of the
 * other file as long as the user likes. The file system is mounted in the same way as by fusermount:
 * only its user can enter it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fileop.h"

#define FILE_NODE 2
#define FILE_SIZE (1 << 20)
#define FOREVER 3600

static unsigned char request[FUSE_MIN_READ_BUFFER + MAX_BLOCK];

static void answer(int fd, uint64_t unique, int error, const void *body, size_t len)
{
	struct fuse_out_header head = { .len = sizeof(head) + len, .error = -error, .unique = unique };
	struct iovec parts[] = { { &head, sizeof(head) }, { (void *)body, len } };

	/* the process that made the request may have been killed since */
	if (writev(fd, parts, len ? 2 : 1) < 0 && errno != ENOENT)
		fail("answer");
}

static struct fuse_attr attributes(uint64_t node, uid_t uid)
{
	struct fuse_attr attr = { .ino = node, .nlink = 1, .uid = uid, .gid = uid, .blksize = BLOCK };

	attr.mode = node == FUSE_ROOT_ID ? S_IFDIR | 0700 : S_IFREG | 0600;
	attr.size = node == FUSE_ROOT_ID ? 0 : FILE_SIZE;
	return attr;
}

static void serve(int fd, uid_t uid)
{
	const struct fuse_in_header *in = (const void *)request;
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = BLOCK };
	struct fuse_entry_out entry = { .nodeid = FILE_NODE, .entry_valid = FOREVER, .attr_valid = FOREVER };
	struct fuse_attr_out attr = { .attr_valid = FOREVER };
	struct fuse_open_out opened = { 0 };

	switch (in->opcode) {
	case FUSE_INIT:
		answer(fd, in->unique, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		entry.attr = attributes(FILE_NODE, uid);
		answer(fd, in->unique, 0, &entry, sizeof(entry));
		break;
	case FUSE_GETATTR:
		attr.attr = attributes(in->nodeid, uid);
		answer(fd, in->unique, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		answer(fd, in->unique, 0, &opened, sizeof(opened));
		break;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		answer(fd, in->unique, 0, NULL, 0);
		break;
	case FUSE_READ:
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		answer(fd, in->unique, EOPNOTSUPP, NULL, 0);
	}
}

/**
 * op_fuse() - mount a FUSE file system as root, then serve it as its user, until it is unmounted
 * @argc: number of words
 * @argv: folder to mount it in, number of the user, a file to create when it is mounted
 */
void op_fuse(int argc, char **argv)
{
	int fd = open_file("/dev/fuse", O_RDWR);
	uid_t uid = num(argv[1]);
	char options[128];
	ssize_t got;

	(void)argc;
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%u,group_id=%u", fd, uid, uid);
	if (mount("fileop", argv[0], "fuse", MS_NOSUID | MS_NODEV, options))
		fail("mount");
	close_file(open_file(argv[2], O_WRONLY | O_CREAT), argv[2]);
	become(uid);
	for (;;) {
		got = read(fd, request, sizeof(request));
		if (got >= (ssize_t)sizeof(struct fuse_in_header))
			serve(fd, uid);
		else if (got < 0 && errno == ENODEV)
			return;
		else if (got < 0 && errno != ENOENT && errno != EINTR)
			fail("/dev/fuse");
	}
}
