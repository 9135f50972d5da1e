// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: copy what F2FS knows about the volumes of a table, as f2fs_state.c reads it, and what zoned devices
 * report of their zones, as zones.c reads it. The copies are packed with zstd. The folder gets its name when it is complete.
 */
#include <mntent.h>
#include <zstd.h>

#include "input/f2fs_state.h"
#include "input/source.h"
#include "input/zones.h"

/* Of the device: F2FS's superblock is in it. */
#define SUPERBLOCK_BYTES 4096

static void write_packed(const char *path, const void *data, size_t size)
{
	size_t room = ZSTD_compressBound(size), n;
	AUTO_FREE char *buf = xreallocarray(NULL, room, 1);
	FILE *file;

	n = ZSTD_compress(buf, room, data, size, ZSTD_CLEVEL_DEFAULT);
	file = ZSTD_isError(n) ? NULL : fopen(path, "wbe");
	if (file && (fwrite(buf, 1, n, file) != n) | fclose(file))
		unlink(path);
}

/* What cannot be read is left out. @most limits what is read of a device. */
static void copy_file(const char *dir, const char *name, const char *from, size_t most)
{
	AUTO_CLOSE int fd = open(from, O_RDONLY | O_CLOEXEC);
	char first[SUPERBLOCK_BYTES];
	AUTO(text_free) struct text text = { 0 };

	if (fd < 0)
		return;
	AUTO_FREE char *to = xasprintf("%s/%s.zst", dir, name);
	if (most && pread(fd, first, most, 0) == (ssize_t)most)
		write_packed(to, first, most);
	if (!most && !slurp(&text, fd))
		write_packed(to, text.buf, text.len);
}

/* === Zones === */

static void write_limit(const char *dir, const char *name, size_t i, uint64_t limit)
{
	AUTO_FREE char *path = xasprintf("%s/%s.%zu.zst", dir, name, i), *text = xasprintf("%ju\n", (uintmax_t)limit);

	if (limit != UINT64_MAX)
		write_packed(path, text, strlen(text));
}

/* As blkzone(8) reports them, and whether they have changed. */
static void write_zones(const char *dir, size_t i, const struct zone_device *d, uint64_t blk_sectors)
{
	static const char *const conditions[N_ZONE_CONDITIONS] = { "nw", "em", "oi", "oe", "cl", [ZONE_READ_ONLY] = "ro", "fu", "of" };
	AUTO_FREE char *path = xasprintf("%s/zones.%zu.zst", dir, i), *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		die("no memory to copy what zoned devices report");
	for (size_t k = 0; k < d->n + d->n_outside; k++) {
		const struct zone *z = &d->zones[k];

		fprintf(out, "  start: 0x%09jx, len 0x%06jx, cap 0x%06jx, wptr 0x%06jx reset:0 non-seq:0, zcond:%2u(%s) [type: %s]%s\n",
			(uintmax_t)((z->lba - d->lba) * blk_sectors), (uintmax_t)(z->blks * blk_sectors), (uintmax_t)(z->capacity * blk_sectors),
			(uintmax_t)(zone_has_pointer(z) ? (z->pointer - z->lba) * blk_sectors : 0), z->condition,
			z->condition < N_ZONE_CONDITIONS && conditions[z->condition] ? conditions[z->condition] : "x",
			z->condition == ZONE_CONVENTIONAL ? "1(CONVENTIONAL)" : "2(SEQ_WRITE_REQUIRED)", z->has_changed ? " changed" : "");
	}
	if (!fclose(out))
		write_packed(path, text, len);
	write_limit(dir, "max_open_zones", i, d->max_open);
	write_limit(dir, "max_active_zones", i, d->max_active);
}

/* Said once. */
static void say_missing(const struct volume *v, const char *what, const char *why)
{
	static bool was_said;

	if (!was_said)
		warn("the %s of %s is not recorded: %s", what, v->path, why);
	was_said = true;
}

/* === Volumes === */

static size_t n_segments(const struct volume *v)
{
	return (v->end_blk - v->first_blk) / F2FS_SEGMENT_BLKS;
}

static void copy_of_device(const char *dir, const char *folder, const char *dev, const char *name)
{
	AUTO_FREE char *from = xasprintf("%s/%s/%s", folder, dev, name);

	copy_file(dir, name, from, 0);
}

/* Only its own lines: others do not belong into a recording that is passed on. */
static void copy_mounts(const char *dir, const struct volume *v)
{
	AUTO_FREE char *path = xasprintf("%s/mounts.zst", dir), *text = NULL;
	AUTO_FCLOSE FILE *from = fopen("/proc/self/mounts", "re");
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);
	struct mntent *mount;

	while (from && to && (mount = getmntent(from)))
		if (!strcmp(mount->mnt_dir, v->path))
			addmntent(to, mount);
	if (to && !fclose(to) && len)
		write_packed(path, text, len);
}

static void copy_files(const char *dir, const char *dev, const struct volume *v)
{
	copy_mounts(dir, v);
	/* the bits of a large volume would be too many */
	copy_of_device(dir, "/proc/fs/f2fs", dev, n_segments(v) <= F2FS_MAX_UNASKED_SEGMENTS ? "segment_bits" : "segment_info");
	copy_of_device(dir, "/proc/fs/f2fs", dev, "victim_bits");
	copy_of_device(dir, "/sys/fs/f2fs", dev, "free_segments");
	copy_of_device(dir, "/sys/fs/f2fs", dev, "unusable_blocks_per_sec");
	copy_file(dir, "status", DEBUGFS "/f2fs/status", 0);
}

/* Zoned devices report before and after F2FS's state is copied: what has changed meanwhile is marked. */
static void copy_volume(const char *dir, const char *dev, const struct table *table, const struct volume *v)
{
	AUTO_FREE char *device = xasprintf("/dev/%s", dev), *trouble = NULL;
	struct zones before = { 0 }, zones = { 0 };
	bool has_zones = f2fs_super_of(device, v->blk_bytes).is_zoned;

	if (has_zones)
		trouble = zones_read_volume(&before, table, v, NULL);
	copy_files(dir, dev, v);
	copy_file(dir, "superblock", device, SUPERBLOCK_BYTES);
	if (has_zones && !trouble)
		trouble = zones_read_volume(&zones, table, v, NULL);
	if (trouble) {
		say_missing(v, "state of the zones", trouble);
	} else {
		zones_compare(&zones, &before, 1);
		for (size_t i = 0; i < zones.n; i++)
			if (zones.devices[i].is_zoned)
				write_zones(dir, i, &zones.devices[i], v->blk_bytes / 512);
	}
	zones_clear(&before);
	zones_clear(&zones);
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
	AUTO_FREE char *temporary = xasprintf("%s.tmp", dir);

	mkdir(temporary, 0777);
	for (size_t i = 0; i < table->n_volumes; i++) {
		const struct volume *v = &table->volumes[i];
		AUTO_FREE char *dev = f2fs_device_name(v), *sub = xasprintf("%s/%u:%u", temporary, v->major, v->minor);

		if (n_segments(v) > F2FS_MAX_COPIED_SEGMENTS)
			say_missing(v, "state of F2FS", "F2FS takes long to describe more than 2 TiB");
		else if (dev && (!mkdir(sub, 0777) || errno == EEXIST))
			copy_volume(sub, dev, table, v);
	}
	if (rename(temporary, dir))
		warn("%s: cannot keep F2FS's state: %s", dir, strerror(errno));
}
