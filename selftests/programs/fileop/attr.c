// SPDX-License-Identifier: GPL-2.0-only
/*
 * fileop, properties of a file beside its data: extended attributes, project, encryption, verity.
 */
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/fsverity.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "fileop.h"

/**
 * op_xattr() - set an extended attribute, or remove it if the length is 0
 * @argc: number of words
 * @argv: file, name, length in bytes
 */
void op_xattr(int argc, char **argv)
{
	uint64_t len = num(argv[2]);
	char value[65536];

	(void)argc;
	if (len > sizeof(value))
		misuse("xattr: 64K at most");
	memset(value, 'x', sizeof(value));
	if (len ? setxattr(argv[0], argv[1], value, len, 0) : removexattr(argv[0], argv[1]))
		fail(argv[1]);
}

/**
 * op_project() - put a directory, and new files in it, into a project
 * @argc: number of words
 * @argv: directory, number of the project
 */
void op_project(int argc, char **argv)
{
	struct fsxattr attr = { 0 };
	int fd = open_file(argv[0], O_RDONLY);

	(void)argc;
	if (ioctl(fd, FS_IOC_FSGETXATTR, &attr))
		fail("FS_IOC_FSGETXATTR");
	attr.fsx_projid = num(argv[1]);
	attr.fsx_xflags |= FS_XFLAG_PROJINHERIT;
	if (ioctl(fd, FS_IOC_FSSETXATTR, &attr))
		fail("FS_IOC_FSSETXATTR");
	close_file(fd, argv[0]);
}

/**
 * op_encrypt() - give a volume our key; with a directory, encrypt new files in it
 * @argc: number of words
 * @argv: a directory of the volume, optionally the empty directory to encrypt
 *
 * The key is always the same: it opens the same directories after an unmount.
 */
void op_encrypt(int argc, char **argv)
{
	struct {
		struct fscrypt_add_key_arg arg;
		unsigned char raw[64];
	} key = { .arg.raw_size = 64, .arg.key_spec.type = FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER };
	struct fscrypt_policy_v2 policy = {
		.version = FSCRYPT_POLICY_V2,
		.contents_encryption_mode = FSCRYPT_MODE_AES_256_XTS,
		.filenames_encryption_mode = FSCRYPT_MODE_AES_256_CTS,
		.flags = FSCRYPT_POLICY_FLAGS_PAD_32,
	};
	int fd = open_file(argv[0], O_RDONLY);
	size_t i;

	for (i = 0; i < sizeof(key.raw); i++)
		key.raw[i] = 7 * i;
	if (ioctl(fd, FS_IOC_ADD_ENCRYPTION_KEY, &key))
		fail("FS_IOC_ADD_ENCRYPTION_KEY");
	close_file(fd, argv[0]);
	if (argc < 2)
		return;
	memcpy(policy.master_key_identifier, key.arg.key_spec.u.identifier, FSCRYPT_KEY_IDENTIFIER_SIZE);
	fd = open_file(argv[1], O_RDONLY);
	if (ioctl(fd, FS_IOC_SET_ENCRYPTION_POLICY, &policy))
		fail("FS_IOC_SET_ENCRYPTION_POLICY");
	close_file(fd, argv[1]);
}

/**
 * op_verity() - enable fs-verity for a file (f2fs_io of f2fs-tools 1.15 uses a wrong ioctl number)
 * @argc: number of words
 * @argv: file
 */
void op_verity(int argc, char **argv)
{
	struct fsverity_enable_arg arg = {
		.version = 1,
		.hash_algorithm = FS_VERITY_HASH_ALG_SHA256,
		.block_size = BLOCK,
	};
	int fd = open_file(argv[0], O_RDONLY);

	(void)argc;
	if (ioctl(fd, FS_IOC_ENABLE_VERITY, &arg))
		fail("FS_IOC_ENABLE_VERITY");
	close_file(fd, argv[0]);
}
