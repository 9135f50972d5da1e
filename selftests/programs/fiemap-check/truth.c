// SPDX-License-Identifier: GPL-2.0-only
/*
 * The true extents of the files below a folder, from FIEMAP of F2FS.
 *
 * In: a folder (or, for tests of this program, a text). Out: struct files with the field `truth`
 * filled. Nothing here depends on fragtrace.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/f2fs.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "fiemap-check.h"

/* Flags of extents that have no block of their own, or no known one. */
#define NO_BLOCKS (FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_DATA_INLINE)

/*
 * Ask F2FS for up to n extents. The answer is valid until the next call. FIEMAP_FLAG_SYNC is not
 * set: the caller has synced, and a sync here would hide a missing one.
 */
static const struct fiemap *ask(const struct file *f, int fd, uint64_t from, uint64_t len, unsigned int n)
{
	static struct fiemap *map;
	static unsigned int room;

	if (!map || n > room) {
		map = realloc(map, sizeof(*map) + n * sizeof(map->fm_extents[0]));
		room = n;
	}
	if (!map)
		die("out of memory");
	memset(map, 0, sizeof(*map));
	map->fm_start = from;
	map->fm_length = len;
	map->fm_extent_count = n;
	if (ioctl(fd, FS_IOC_FIEMAP, map))
		die("%s: FIEMAP: %s", f->path, strerror(errno));
	return map;
}

/*
 * Is this extent a compressed cluster? The flag alone is not sufficient: FIEMAP sets it for encrypted
 * blocks as well. But the first block of a compressed cluster has no address, and FIEMAP reports that
 * of the second one for it.
 */
static bool is_compressed(const struct file *f, int fd, const struct fiemap_extent *e)
{
	const struct fiemap *second;

	if (!(e->fe_flags & FIEMAP_EXTENT_ENCODED))
		return false;
	if (!(e->fe_flags & FIEMAP_EXTENT_DATA_ENCRYPTED))
		return true;
	second = ask(f, fd, e->fe_logical + BLOCK_BYTES, BLOCK_BYTES, 1);
	return second->fm_mapped_extents && second->fm_extents[0].fe_logical == e->fe_logical + BLOCK_BYTES &&
	       second->fm_extents[0].fe_physical == e->fe_physical;
}

/*
 * Add the blocks of a compressed cluster. FIEMAP reports the place of the first one only. A request
 * for the inside of the cluster reports the blocks whose addresses F2FS keeps there.
 */
static void take_cluster(struct file *f, int fd, uint64_t lblk)
{
	struct f2fs_comp_option option;
	const struct fiemap *map;
	uint64_t end, at, len;
	unsigned int i;

	if (ioctl(fd, F2FS_IOC_GET_COMPRESS_OPTION, &option))
		die("%s: F2FS_IOC_GET_COMPRESS_OPTION: %s", f->path, strerror(errno));
	end = lblk + (1ULL << option.log_cluster_size);
	/* a later piece of the cluster: it was added with the first piece */
	if (lblk % (end - lblk))
		return;
	map = ask(f, fd, (lblk + 1) * BLOCK_BYTES, (end - lblk - 1) * BLOCK_BYTES, end - lblk);
	for (i = 0; i < map->fm_mapped_extents; i++) {
		at = map->fm_extents[i].fe_logical / BLOCK_BYTES;
		len = map->fm_extents[i].fe_length / BLOCK_BYTES;
		if (at >= end || (map->fm_extents[i].fe_flags & (FIEMAP_EXTENT_UNWRITTEN | NO_BLOCKS)))
			continue;
		add_run(&f->truth, (struct run){ .lblk = at, .pblk = map->fm_extents[i].fe_physical / BLOCK_BYTES,
						 .len = at + len > end ? end - at : len, .encoded = true });
	}
}

static void take_extent(struct file *f, int fd, const struct fiemap_extent *e)
{
	bool unwritten = e->fe_flags & FIEMAP_EXTENT_UNWRITTEN;
	uint64_t lblk = e->fe_logical / BLOCK_BYTES;

	if (!unwritten && (e->fe_flags & NO_BLOCKS))
		return;
	if (!unwritten && is_compressed(f, fd, e)) {
		take_cluster(f, fd, lblk);
		return;
	}
	add_run(&f->truth, (struct run){ .lblk = lblk, .pblk = unwritten ? 0 : e->fe_physical / BLOCK_BYTES,
					 .len = (e->fe_length + BLOCK_BYTES - 1) / BLOCK_BYTES, .unwritten = unwritten });
}

/*
 * Ask for all extents at once: an answer that begins inside a compressed cluster would report its
 * blocks as ordinary ones.
 */
static void ask_fiemap(struct file *f, int fd)
{
	struct fiemap_extent *extents;
	const struct fiemap *map;
	unsigned int room = 4096, n, i;

	do {
		room *= 2;
		map = ask(f, fd, 0, ~0ULL, room);
	} while (map->fm_mapped_extents == room);
	n = map->fm_mapped_extents;
	extents = malloc(n * sizeof(*extents) + 1);
	if (!extents)
		die("out of memory");
	memcpy(extents, map->fm_extents, n * sizeof(*extents));
	for (i = 0; i < n; i++)
		take_extent(f, fd, &extents[i]);
	free(extents);
}

static struct file *new_file(struct files *files)
{
	files->v = grow(files->v, files->n, &files->cap, sizeof(*files->v));
	memset(&files->v[files->n], 0, sizeof(*files->v));
	return &files->v[files->n++];
}

static void take_file(struct files *files, int dir, const char *name, const char *path, const struct stat *st)
{
	struct file *f = new_file(files);
	int fd;

	f->major = major(st->st_dev);
	f->minor = minor(st->st_dev);
	f->ino = st->st_ino;
	f->path = strdup(path);
	if (!f->path)
		die("out of memory");
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW);
	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	ask_fiemap(f, fd);
	close(fd);
}

/* Is this another name of a known file? */
static bool seen_before(const struct stat *st)
{
	struct seen {
		dev_t dev;
		ino_t ino;
	};
	static struct seen *seen;
	static size_t n, cap;
	size_t i;

	if (st->st_nlink < 2)
		return false;
	for (i = 0; i < n; i++)
		if (seen[i].dev == st->st_dev && seen[i].ino == st->st_ino)
			return true;
	seen = grow(seen, n, &cap, sizeof(*seen));
	seen[n++] = (struct seen){ st->st_dev, st->st_ino };
	return false;
}

/* Enter folder after folder: a path may be longer than PATH_MAX. */
static void walk(struct files *files, int fd, const char *dir, dev_t dev)
{
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *de;
	struct stat st;
	char *path;

	if (!d)
		die("%s: %s", dir, strerror(errno));
	while ((de = readdir(d))) {
		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, ".."))
			continue;
		if (asprintf(&path, "%s/%s", dir, de->d_name) < 0)
			die("out of memory");
		if (fstatat(fd, de->d_name, &st, AT_SYMLINK_NOFOLLOW))
			die("%s: %s", path, strerror(errno));
		if (S_ISDIR(st.st_mode) && st.st_dev == dev)
			walk(files, openat(fd, de->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path, dev);
		else if (S_ISREG(st.st_mode) && st.st_dev == dev && !seen_before(&st))
			take_file(files, fd, de->d_name, path, &st);
		free(path);
	}
	closedir(d);
}

/**
 * truth_walk() - add all regular files below a folder, on the folder's own volume
 * @files: the list to add them to
 * @dir: the folder
 */
void truth_walk(struct files *files, const char *dir)
{
	struct stat st;

	if (stat(dir, &st))
		die("%s: %s", dir, strerror(errno));
	walk(files, open(dir, O_RDONLY | O_DIRECTORY), dir, st.st_dev);
}

/**
 * truth_load() - add files from a text instead of a real volume
 * @files: the list to add them to
 * @path: lines of `MAJOR:MINOR INO LBLK PBLK LEN PATH`, grouped by file; PBLK is - for an
 *        unwritten run, LEN is 0 for a file without blocks
 */
void truth_load(struct files *files, const char *path)
{
	unsigned int maj, min;
	uint64_t ino, lblk, len;
	char pblk[32], name[4096];
	struct file *f = NULL;
	FILE *in = fopen(path, "r");

	if (!in)
		die("%s: %s", path, strerror(errno));
	while (fscanf(in, "%u:%u %" SCNu64 " %" SCNu64 " %31s %" SCNu64 " %4095s", &maj, &min, &ino, &lblk, pblk,
		      &len, name) == 7) {
		if (!f || f->ino != ino) {
			f = new_file(files);
			f->major = maj;
			f->minor = min;
			f->ino = ino;
			f->path = strdup(name);
		}
		if (len)
			add_run(&f->truth, (struct run){ .lblk = lblk, .pblk = strtoull(pblk, NULL, 10), .len = len,
							 .unwritten = pblk[0] == '-' });
	}
	if (!feof(in))
		die("%s: cannot be read to its end", path);
	fclose(in);
}

static int compare(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	if (x->major != y->major)
		return x->major < y->major ? -1 : 1;
	if (x->minor != y->minor)
		return x->minor < y->minor ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

/**
 * truth_sort() - sort the files, drop further names of an inode
 * @files: the files
 */
void truth_sort(struct files *files)
{
	size_t i, n = 0;

	if (files->n)
		qsort(files->v, files->n, sizeof(*files->v), compare);
	for (i = 0; i < files->n; i++) {
		if (n && !compare(&files->v[n - 1], &files->v[i]))
			continue;
		files->v[n++] = files->v[i];
	}
	files->n = n;
}

/**
 * truth_find() - find a file by device and inode number
 * @files: the files, sorted
 * @maj: device
 * @min: device
 * @ino: inode number
 *
 * Return: the file, or NULL
 */
struct file *truth_find(struct files *files, unsigned int maj, unsigned int min, uint64_t ino)
{
	struct file key = { .major = maj, .minor = min, .ino = ino };

	if (!files->n)
		return NULL;
	return bsearch(&key, files->v, files->n, sizeof(*files->v), compare);
}
