// SPDX-License-Identifier: GPL-2.0-only
/*
 * fileop storm - random operations of all kinds over many files in four folders.
 *
 * In: a seed and limits. Out: a volume on which much has happened. What F2FS refuses for good reason
 * (a file in use, a range that does not fit) is not an error here.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "fileop.h"

/**
 * struct storm - one run of random operations
 * @dir: where
 * @files: over how many names
 * @max_blocks: no file grows beyond this
 * @defragment: F2FS_IOC_DEFRAGMENT may be used
 */
struct storm {
	const char *dir;
	uint64_t files;
	uint64_t max_blocks;
	bool defragment;
};

/*
 * On 6.1 the ioctl was seen to loop for ever inside the kernel, between
 * f2fs_defragment_range() and f2fs_map_blocks(), with the file locked.
 */
static bool defragment_is_safe(void)
{
	unsigned int major, minor;
	struct utsname name;

	return !uname(&name) && sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 12));
}

static void storm_name(const struct storm *s, char *out, size_t n, uint64_t file)
{
	snprintf(out, n, "%s/d%llu/f%llu", s->dir, (unsigned long long)(file % 4), (unsigned long long)file);
}

/* Errors that a random operation may meet without anything being wrong. */
static void storm_check(long rc, const char *what)
{
	if (rc < 0 && errno != EINVAL && errno != EOPNOTSUPP && errno != ENOSPC && errno != EFBIG && errno != ENOENT &&
	    errno != EEXIST && errno != EBUSY && errno != ETXTBSY)
		fail(what);
}

static void storm_fallocate(const struct storm *s, int fd, uint64_t off, uint64_t len)
{
	static const char *const words[] = { "default", "keep", "punch", "punch", "collapse", "zero", "zerokeep", "insert" };
	const char *word = words[next_random() % 8];
	struct stat st;

	if (!strcmp(word, "insert") && !fstat(fd, &st) && (uint64_t)st.st_size + len > s->max_blocks * BLOCK)
		return;
	if (!strcmp(word, "collapse") || !strcmp(word, "insert")) {
		off &= ~(uint64_t)(BLOCK - 1);
		len = (len + BLOCK - 1) & ~(uint64_t)(BLOCK - 1);
	}
	storm_check(fallocate(fd, fallocate_mode(word), off, len), word);
}

static void storm_direct(const char *path, uint64_t off, uint64_t len)
{
	int fd = open(path, O_WRONLY | O_DIRECT);

	if (fd < 0)
		return;
	write_at(fd, path, off & ~(uint64_t)(BLOCK - 1), (len + BLOCK - 1) & ~(uint64_t)(BLOCK - 1));
	close(fd);
}

static void storm_mmap(int fd, uint64_t off, uint64_t len)
{
	struct stat st;
	uint64_t i;
	char *map;

	if (fstat(fd, &st) || off + len > (uint64_t)st.st_size)
		return;
	off &= ~(uint64_t)(BLOCK - 1);
	map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, off);
	if (map == MAP_FAILED)
		return;
	for (i = 0; i < len; i += 1000)
		map[i] ^= 1;
	munmap(map, len);
}

static void storm_names(const struct storm *s, const char *path)
{
	char other[4096];

	storm_name(s, other, sizeof(other), next_random() % s->files);
	switch (next_random() % 4) {
	case 0:
		storm_check(rename(path, other), "rename");
		break;
	case 1:
		storm_check(link(path, other), "link");
		break;
	case 2:
		storm_check(renameat2(AT_FDCWD, path, AT_FDCWD, other, RENAME_EXCHANGE), "exchange");
		break;
	default:
		storm_check(unlink(path), "unlink");
		break;
	}
}

static void storm_step(const struct storm *s)
{
	uint64_t off = next_random() % (s->max_blocks * BLOCK), len = 1 + next_random() % (16 * BLOCK);
	struct f2fs_defragment all = { .start = 0, .len = s->max_blocks * BLOCK };
	char path[4096];
	int fd, op = next_random() % 20;

	storm_name(s, path, sizeof(path), next_random() % s->files);
	fd = open_file(path, O_RDWR | O_CREAT);
	if (op < 6)
		write_at(fd, path, off, len);
	else if (op < 8)
		write_at(fd, path, lseek(fd, 0, SEEK_END) % (s->max_blocks * BLOCK), len);
	else if (op < 10)
		storm_direct(path, off, len);
	else if (op < 12)
		storm_mmap(fd, off, len);
	else if (op < 14)
		storm_check(ftruncate(fd, next_random() % 3 ? off : off / 8), "ftruncate");
	else if (op < 16)
		storm_fallocate(s, fd, off, len);
	else if (op < 17)
		storm_check(fsync(fd), "fsync");
	else if (op < 18)
		storm_check(s->defragment ? ioctl(fd, F2FS_DEFRAGMENT, &all) : fsync(fd), "defragment");
	else
		storm_names(s, path);
	close_file(fd, path);
}

/**
 * op_storm() - random operations of all kinds over many files
 * @argc: number of words
 * @argv: folder, files, operations, seed, and perhaps the size no file exceeds, in blocks
 */
void op_storm(int argc, char **argv)
{
	struct storm s = {
		.dir = argv[0],
		.files = num(argv[1]),
		.max_blocks = argc > 4 ? num(argv[4]) : 256,
		.defragment = defragment_is_safe(),
	};
	uint64_t count = num(argv[2]), i;
	char path[4096];

	set_seed(num(argv[3]));
	printf("# storm: seed %s, %s operations, %s files, %llu blocks each at most\n", argv[3], argv[2], argv[1],
	       (unsigned long long)s.max_blocks);
	for (i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/d%llu", s.dir, (unsigned long long)i);
		if (mkdir(path, 0755) && errno != EEXIST)
			fail(path);
	}
	for (i = 0; i < count; i++)
		storm_step(&s);
}
