// SPDX-License-Identifier: GPL-2.0-only
/*
 * poke - write random text to fragtrace's files, from several threads, while others read all files.
 *
 * usage: poke DEBUGFS FOLDER SECONDS SEED
 *
 * FOLDER is on a volume that is watched. Each write must succeed or fail with one of the documented errors of
 * the file. Each text must be complete. Prints the seed, and the number of each error. Exit
 * status 1 if there was another error or a broken text.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "poke.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_ERRNO 200
#define WRITERS 4
#define READERS 3

/**
 * struct text - one of fragtrace's files
 * @name: its name
 * @errors: allowed errors of a write, ends with 0; none: the file is not written to
 * @seen: number of each errno; [0]: successful writes
 * @reads: number of complete reads
 */
static struct text {
	const char *name;
	int errors[16];
	atomic_ulong seen[MAX_ERRNO];
	atomic_ulong reads;
} texts[] = {
	{ .name = "targets", .errors = { EINVAL, E2BIG, ENOTDIR, EOPNOTSUPP, EEXIST, ENAMETOOLONG, ELOOP,
					 EFAULT, ESPIPE } },
	{ .name = "resync", .errors = { EINVAL, E2BIG, EFAULT, ESPIPE } },
	{ .name = "audit", .errors = { EINVAL, E2BIG, EFAULT, ESPIPE } },
	{ .name = "table" },
	{ .name = "extents" },
	{ .name = "files" },
	{ .name = "stats" },
};

static const char *debugfs, *folder;
static const char *nowhere;	/* memory that cannot be read */
static uint64_t seed;
static atomic_bool over;
static atomic_ulong bad;

static void complain(const struct text *t, const char *what, const char *line, size_t len)
{
	size_t i;

	bad++;
	flockfile(stdout);
	printf("# %s: %s: ", t->name, what);
	for (i = 0; i < len && i < 200; i++)
		printf(line[i] > ' ' && line[i] < 127 ? "%c" : "\\%03o", (unsigned char)line[i]);
	putchar('\n');
	funlockfile(stdout);
}

static int open_text(const struct text *t, int flags)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", debugfs, t->name);
	return open(path, flags);
}

/* === Writing === */

/* Write a line in one of several ways. */
static ssize_t write_somehow(struct random *r, int fd, const char *line, size_t len)
{
	struct iovec parts[2] = { { (void *)line, len / 2 }, { (void *)(line + len / 2), len - len / 2 } };

	switch (draw(r, 16)) {
	case 0:		/* at an offset other than 0 */
		return lseek(fd, 1 + draw(r, 1ull << 62), SEEK_SET) < 0 ? -1 : write(fd, line, len);
	case 1:
		return writev(fd, parts, 2);
	case 2:		/* in two calls */
		return write(fd, line, len / 2) < 0 ? -1 : write(fd, line + len / 2, len - len / 2);
	case 3:
		return pwrite(fd, line, len, draw(r, 2));
	case 4:		/* from unmapped memory */
		return write(fd, nowhere, len ? len : 1);
	default:
		return write(fd, line, len);
	}
}

static bool allowed(const struct text *t, int error)
{
	const int *e;

	for (e = t->errors; *e; e++)
		if (*e == error)
			return true;
	return false;
}

static void *writer(void *arg)
{
	struct random r = { seed * 1000 + (uintptr_t)arg + 1 };
	char *line = malloc(MAX_LINE + 64);

	while (!over) {
		struct text *t = &texts[draw(&r, 8) ? 0 : draw(&r, 3)];
		int fd = open_text(t, draw(&r, 2) ? O_WRONLY : O_RDWR), error;
		size_t len = make_line(&r, line, folder);

		if (fd < 0)
			continue;	/* a build without audits */
		error = write_somehow(&r, fd, line, len) < 0 ? errno : 0;
		close(fd);
		t->seen[error]++;
		if (error && !allowed(t, error))
			complain(t, strerrorname_np(error), line, len);
	}
	free(line);
	return NULL;
}

/* === Reading === */

static void read_text(struct random *r, struct text *t, char *buf, size_t size)
{
	int fd = open_text(t, O_RDONLY);
	size_t chunk = 1 + draw(r, draw(r, 4) ? size : 100), n = 0;
	char last = '\n';
	ssize_t got;

	if (fd < 0)
		return;
	while ((got = read(fd, buf, chunk)) > 0 && !over) {
		if (!n && buf[0] != '#')
			complain(t, "does not begin with its format", buf, got);
		n += got;
		last = buf[got - 1];
		if (!draw(r, 64)) {
			n = draw(r, n + 1);
			if (lseek(fd, n, SEEK_SET) < 0)
				complain(t, strerrorname_np(errno), "", 0);
			last = '\n';
		}
		if (!draw(r, 256))
			break;
	}
	if (got < 0)
		complain(t, strerrorname_np(errno), "", 0);
	if (!got && last != '\n')
		complain(t, "ends within a line", buf, n < size ? n : size);
	if (!got)
		t->reads++;
	/* calls that these files do not support */
	pread(fd, buf, chunk, draw(r, 1ull << 62));
	if (mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED)
		complain(t, "can be mapped", "", 0);
	close(fd);
}

static void *reader(void *arg)
{
	struct random r = { seed * 1000 + 500 + (uintptr_t)arg };
	size_t size = 65536;
	char *buf = malloc(size);

	while (!over)
		read_text(&r, &texts[draw(&r, ARRAY_LEN(texts))], buf, size);
	free(buf);
	return NULL;
}

/* === Main program === */

static void report(void)
{
	size_t i, e;

	for (i = 0; i < ARRAY_LEN(texts); i++) {
		printf("# %s: read %lu times", texts[i].name, texts[i].reads);
		for (e = 0; e < MAX_ERRNO; e++)
			if (texts[i].seen[e])
				printf(", %s %lu", e ? strerrorname_np(e) : "OK", texts[i].seen[e]);
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	pthread_t threads[WRITERS + READERS];
	size_t i;

	if (argc != 5) {
		fputs("usage: poke DEBUGFS FOLDER SECONDS SEED\n", stderr);
		return 2;
	}
	debugfs = argv[1];
	folder = argv[2];
	seed = strtoull(argv[4], NULL, 10);
	printf("# poke: seed %s, %s seconds\n", argv[4], argv[3]);
	nowhere = mmap(NULL, MAX_LINE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	make_odd_folders(folder);
	for (i = 0; i < ARRAY_LEN(threads); i++)
		if (pthread_create(&threads[i], NULL, i < WRITERS ? writer : reader, (void *)i))
			return 2;
	sleep(strtoul(argv[3], NULL, 10));
	over = true;
	for (i = 0; i < ARRAY_LEN(threads); i++)
		pthread_join(threads[i], NULL);
	report();
	return bad != 0;
}
