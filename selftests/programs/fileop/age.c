// SPDX-License-Identifier: GPL-2.0-only
/*
 * fileop age: make a volume old, as Geriatrix does (Kadekodi, Nagarajan, Ganger, USENIX ATC 2018): create and delete files of a
 * profile of sizes and ages.
 *
 * The weights are those of Geriatrix's profile `agrawal`, which is after Agrawal, Bolosky, Douceur, Lorch, A Five-Year Study of
 * File-System Metadata (FAST 2007). A file has one of the sizes. When the volume is as full as it shall be, each new file takes
 * the place of others: one is deleted of those ages of which there are most above the profile. Ages are in operations, and their
 * scale is stretched with the run, so that the last age of the profile is that of the whole run. Of Geriatrix's three
 * profiles that of the depth of folders is left out: files go to 64 folders. Data is written back after each 16 MiB, and not
 * by the clock, so that two runs are alike on a machine whose speed varies. Then there may be idle seconds, in which F2FS's
 * thread collects.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fileop.h"

#define FOLDERS 64
#define WRITE_BACK (16 << 20)
#define LEN(array) (sizeof(array) / sizeof((array)[0]))

/**
 * struct weight - a line of a profile
 * @upto: the size in bytes, or the highest age
 * @weight: how many files have it, in relation to the others
 */
struct weight {
	double upto;
	unsigned int weight;
};

static const struct weight sizes[] = {
	{ 8, 1 }, { 32, 7 }, { 128, 16 }, { 512, 40 }, { 2048, 50 }, { 8192, 46 }, { 32768, 35 }, { 131072, 20 }, { 524288, 10 },
	{ 2097152, 4 }, { 8388608, 1 },
};

static const struct weight ages[] = {
	{ 10.74, 1 }, { 31, 2 }, { 85.98, 8 }, { 240, 20 }, { 687.87, 44 }, { 1945.59, 75 }, { 5502.98, 144 }, { 15768, 146 },
	{ 44023.9, 23 }, { 122640, 1 },
};

/**
 * struct old_file - a file that is there
 * @number: its name
 * @made: the operation that made it
 * @bytes: its size
 */
struct old_file {
	uint64_t number;
	uint64_t made;
	uint64_t bytes;
};

/**
 * struct age - the volume
 * @folder: where the files are
 * @files: those that are there, the oldest one first
 * @n: how many
 * @cap: for how many there is room
 * @ops: files made and deleted until now
 * @created: files made until now
 * @blocks: of all files that are there, one for the inode of each included
 * @written: bytes
 * @not_synced: bytes that may not be written back
 * @idle: seconds to sleep when they are
 */
struct age {
	const char *folder;
	struct old_file *files;
	size_t n, cap;
	uint64_t ops, created, blocks, written, not_synced, idle;
};

static uint64_t blocks_of(uint64_t bytes)
{
	return 1 + (bytes + BLOCK - 1) / BLOCK;
}

static unsigned int sum_of(const struct weight *profile, size_t n)
{
	unsigned int sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += profile[i].weight;
	return sum;
}

static uint64_t draw_size(void)
{
	unsigned int at = next_random() % sum_of(sizes, LEN(sizes));
	size_t i;

	for (i = 0; at >= sizes[i].weight; i++)
		at -= sizes[i].weight;
	return (uint64_t)sizes[i].upto;
}

static void path_of(const struct age *age, uint64_t number, char path[4096])
{
	snprintf(path, 4096, "%s/%llu/%llu", age->folder, (unsigned long long)(number % FOLDERS), (unsigned long long)number);
}

static void write_back(struct age *age)
{
	int fd = open_file(age->folder, O_RDONLY);

	if (syncfs(fd))
		fail(age->folder);
	close_file(fd, age->folder);
	age->not_synced = 0;
	sleep((unsigned int)age->idle);
}

static void create(struct age *age, uint64_t bytes)
{
	struct old_file *file;
	char path[4096];
	int fd;

	if (age->n == age->cap) {
		age->cap = age->cap * 2 + 1024;
		age->files = realloc(age->files, age->cap * sizeof(*age->files));
		if (!age->files)
			misuse("out of memory");
	}
	file = &age->files[age->n++];
	*file = (struct old_file){ .number = age->created++, .made = age->ops++, .bytes = bytes };
	path_of(age, file->number, path);
	fd = open_file(path, O_WRONLY | O_CREAT | O_EXCL);
	write_at(fd, path, 0, bytes);
	close_file(fd, path);
	age->blocks += blocks_of(bytes);
	age->written += bytes;
	age->not_synced += bytes;
	if (age->not_synced >= WRITE_BACK)
		write_back(age);
}

/* The first file that is not older than that: those before it are. */
static size_t first_within(const struct age *age, double oldest)
{
	size_t low = 0, high = age->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if ((double)(age->ops - age->files[mid].made) > oldest)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* How many files more than by the profile have an age of each line; where they begin and end. */
static double excess(const struct age *age, size_t line, size_t *begin, size_t *end)
{
	double scale = (double)age->ops / ages[LEN(ages) - 1].upto;

	*begin = first_within(age, ages[line].upto * scale);
	*end = line ? first_within(age, ages[line - 1].upto * scale) : age->n;
	return (double)(*end - *begin) - (double)age->n * ages[line].weight / sum_of(ages, LEN(ages));
}

static void delete(struct age *age)
{
	size_t i, begin, end, from = 0, to = age->n, gone;
	double most = 0;
	char path[4096];

	for (i = 0; i < LEN(ages); i++) {
		double more = excess(age, i, &begin, &end);

		if (more > most && begin < end) {
			most = more;
			from = begin;
			to = end;
		}
	}
	gone = from + next_random() % (to - from);
	path_of(age, age->files[gone].number, path);
	if (unlink(path))
		fail(path);
	age->blocks -= blocks_of(age->files[gone].bytes);
	memmove(&age->files[gone], &age->files[gone + 1], (--age->n - gone) * sizeof(*age->files));
	age->ops++;
}

/* The share of files whose age would have to be another one. */
static double distance(const struct age *age)
{
	size_t i, begin, end;
	double off = 0;

	for (i = 0; i < LEN(ages); i++) {
		double more = excess(age, i, &begin, &end);

		off += more > 0 ? more : 0;
	}
	return age->n ? off / (double)age->n : 0;
}

/**
 * op_age() - make a volume old
 * @argc: number of words
 * @argv: a folder that is not there, the bytes that its files take in the end, how many times as much is written, seed, seconds of
 *	idleness after each 16 MiB
 *
 * Prints how many files there are, were created and deleted, the bytes written, and how far ages are from the profile, in percent
 * of the files.
 */
void op_age(int argc, char **argv)
{
	struct age age = { .folder = argv[0], .idle = argc > 4 ? num(argv[4]) : 0 };
	uint64_t full = num(argv[1]) / BLOCK, most = num(argv[1]) * num(argv[2]);
	char path[4096];
	int i;

	if (full < blocks_of(sizes[LEN(sizes) - 1].upto))
		misuse("age: the largest file has 8 MiB: expected more");
	set_seed(num(argv[3]));
	if (mkdir(age.folder, 0755))
		fail(age.folder);
	for (i = 0; i < FOLDERS; i++) {
		snprintf(path, sizeof(path), "%s/%d", age.folder, i);
		if (mkdir(path, 0755))
			fail(path);
	}
	while (age.written < most) {
		uint64_t bytes = draw_size();

		while (age.blocks + blocks_of(bytes) > full)
			delete(&age);
		create(&age, bytes);
	}
	write_back(&age);
	printf("%zu files, %llu created, %llu deleted, %llu bytes written, %.1f %% off the ages\n", age.n, (unsigned long long)age.created,
	       (unsigned long long)(age.created - age.n), (unsigned long long)age.written, 100 * distance(&age));
	free(age.files);
}
