// SPDX-License-Identifier: GPL-2.0-only
/*
 * fileop, random changes of names in two trees of folders.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fileop.h"

/* Folders at the top of each tree; each has one below, s. */
#define FOLDERS 4
/* Files that each folder may have, with short and with long names. */
#define FILES 400
#define LONG 200

static const char *tops[2];

/* Three of four are in the first tree. */
static void pick_folder(char *path)
{
	uint64_t r = next_random() >> 16;

	snprintf(path, PATH_MAX, "%s/%u%s", tops[r % 4 == 0], (unsigned int)(r >> 8) % FOLDERS, r >> 16 & 1 ? "/s" : "");
}

static void pick_file(char *path)
{
	uint64_t r;

	pick_folder(path);
	r = next_random() >> 16;
	path += strlen(path);
	snprintf(path, PATH_MAX / 2, "/%0*u", r & 1 ? LONG : 1, (unsigned int)(r >> 8) % FILES);
}

static int change_create(const char *a, const char *b)
{
	int fd = open(a, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	(void)b;
	if (fd < 0)
		return -1;
	if (next_random() >> 16 & 1)
		write_at(fd, a, 0, BLOCK);
	return close(fd);
}

static int change_remove(const char *a, const char *b)
{
	(void)b;
	return unlink(a);
}

static int change_rename(const char *a, const char *b)
{
	return rename(a, b);
}

static int change_exchange(const char *a, const char *b)
{
	return renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
}

static int change_link(const char *a, const char *b)
{
	return link(a, b);
}

static int change_symlink(const char *a, const char *b)
{
	(void)b;
	return symlink("nowhere", a);
}

static int change_mkdir(const char *a, const char *b)
{
	(void)b;
	return mkdir(a, 0777);
}

static int change_rmdir(const char *a, const char *b)
{
	(void)b;
	return rmdir(a);
}

static const struct change {
	const char *name;
	int (*func)(const char *a, const char *b);
	void (*pick)(char *path);
	unsigned int rarely;
} changes[] = {
	{ "create", change_create, pick_file, 1 },
	{ "remove", change_remove, pick_file, 1 },
	{ "rename", change_rename, pick_file, 1 },
	{ "exchange", change_exchange, pick_file, 1 },
	{ "link", change_link, pick_file, 2 },
	{ "symlink", change_symlink, pick_file, 16 },
	{ "mkdir", change_mkdir, pick_file, 16 },
	{ "rmdir", change_rmdir, pick_file, 16 },
	{ "move", change_rename, pick_folder, 64 },
	{ "swap", change_exchange, pick_folder, 64 },
};

static const struct change *find_change(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		if (!strcmp(changes[i].name, name))
			return &changes[i];
	misuse("names: unknown change");
}

/* Names are picked blindly: one may be there, or not, or belong to another kind, or to another user. */
static int may_fail(int err)
{
	static const int errors[] = { ENOENT, EEXIST, EISDIR, ENOTDIR, ENOTEMPTY, EINVAL, EPERM, EACCES, EXDEV, ELOOP };
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i] == err)
			return 1;
	return 0;
}

/**
 * op_names() - random changes of names
 * @argc: number of words
 * @argv: two folders, each with the folders 0/s to 3/s; changes, seed, kinds of changes
 */
void op_names(int argc, char **argv)
{
	uint64_t count = num(argv[2]), done = 0, i;
	char a[PATH_MAX], b[PATH_MAX];
	const struct change *change;

	tops[0] = argv[0];
	tops[1] = argv[1];
	umask(0);
	set_seed(num(argv[3]));
	for (i = 0; i < count; i++) {
		change = find_change(argv[4 + (next_random() >> 16) % (argc - 4)]);
		if ((next_random() >> 16) % change->rarely)
			continue;
		change->pick(a);
		change->pick(b);
		if (!change->func(a, b))
			done++;
		else if (!may_fail(errno))
			fail(change->name);
	}
	printf("# %llu changes\n", (unsigned long long)done);
}
