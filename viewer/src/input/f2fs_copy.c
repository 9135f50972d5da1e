// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: copy what F2FS knows about the volumes of a table, as f2fs_state.c reads it.
 * The copies are packed with zstd. The folder gets its name when it is complete.
 */
#include <zstd.h>

#include "input/f2fs_state.h"
#include "input/source.h"
#include "util.h"

/* Of the device: F2FS's superblock is in it. */
#define SUPERBLOCK_BYTES 4096

static void write_packed(const char *path, const void *data, size_t size)
{
	size_t room = ZSTD_compressBound(size), n;
	char *buf = xreallocarray(NULL, room, 1);
	FILE *file;

	n = ZSTD_compress(buf, room, data, size, ZSTD_CLEVEL_DEFAULT);
	file = ZSTD_isError(n) ? NULL : fopen(path, "wbe");
	if (file && (fwrite(buf, 1, n, file) != n) | fclose(file))
		unlink(path);
	free(buf);
}

/* What cannot be read is left out. @most limits what is read of a device. */
static void copy_file(const char *dir, const char *name, const char *from, size_t most)
{
	int fd = open(from, O_RDONLY | O_CLOEXEC);
	char first[SUPERBLOCK_BYTES];
	struct text text = { 0 };
	char *to;

	if (fd < 0)
		return;
	to = xasprintf("%s/%s.zst", dir, name);
	if (most) {
		if (pread(fd, first, most, 0) == (ssize_t)most)
			write_packed(to, first, most);
	} else if (!slurp(&text, fd)) {
		write_packed(to, text.buf, text.len);
		text_free(&text);
	}
	free(to);
	close(fd);
}

static void copy_volume(const char *dir, const char *dev)
{
	static const struct {
		const char *name, *from;
	} files[] = {
		{ "segment_bits", "/proc/fs/f2fs/%s/segment_bits" },
		{ "victim_bits", "/proc/fs/f2fs/%s/victim_bits" },
		{ "free_segments", "/sys/fs/f2fs/%s/free_segments" },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(files); i++) {
		const char *rest = strchr(files[i].from, '%') + 2;
		char *from = xasprintf("%.*s%s%s", (int)(rest - 2 - files[i].from), files[i].from, dev, rest);

		copy_file(dir, files[i].name, from, 0);
		free(from);
	}
	copy_file(dir, "status", DEBUGFS "/f2fs/status", 0);
}

/**
 * f2fs_states_copy() - copy what F2FS knows about the volumes of a table
 * @table: the table of the running module
 * @dir: the folder to make; f2fs_states_read() reads it
 *
 * What is not readable is left out, and so are volumes that F2FS takes long to describe.
 */
void f2fs_states_copy(const struct table *table, const char *dir)
{
	char *temporary = xasprintf("%s.tmp", dir);
	size_t i;

	mkdir(temporary, 0777);
	for (i = 0; i < table->n_volumes; i++) {
		const struct volume *v = &table->volumes[i];
		char *dev = f2fs_device_name(v), *sub = xasprintf("%s/%u:%u", temporary, v->major, v->minor);

		if (dev && (v->end_blk - v->first_blk) / F2FS_SEGMENT_BLKS <= F2FS_MAX_UNASKED_SEGMENTS &&
		    (!mkdir(sub, 0777) || errno == EEXIST)) {
			char *device = xasprintf("/dev/%s", dev);

			copy_volume(sub, dev);
			copy_file(sub, "superblock", device, SUPERBLOCK_BYTES);
			free(device);
		}
		free(dev);
		free(sub);
	}
	if (rename(temporary, dir))
		warn("%s: cannot keep F2FS's state: %s", dir, strerror(errno));
	free(temporary);
}
