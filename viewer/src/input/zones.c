// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the zones of the devices of a volume, as the block layer reports them.
 *
 * The devices are those of the superblock. On the running system, the first one is where the volume is mounted from, and
 * the others have the paths that mkfs.f2fs was given, as for F2FS itself. A folder has zones.N, what blkzone(8) reports of
 * the Nth device, counted from 0, with max_open_zones.N and max_active_zones.N of its queue; a device without it has no zones.
 * In a recording, a line ends with the word changed if the zone was another one when F2FS's state began to be copied.
 */
#include <linux/blkzoned.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#include "input/f2fs_lines.h"
#include "input/f2fs_state.h"
#include "input/sysfs.h"
#include "input/zones.h"

/* Zones of one report. */
#define MAX_REPORTED 4096U

/* === A device === */

static struct zone *add_zone(struct zone_device *d, size_t *cap, const struct blk_zone *z)
{
	uint64_t lba = d->lba + z->start / d->blk_sectors;
	struct zone *zone;

	d->zones = grow(d->zones, cap, d->n + d->n_outside, sizeof(*d->zones));
	zone = &d->zones[d->n + d->n_outside];
	if (lba < d->end)
		d->n++;
	else
		d->n_outside++;
	*zone = (struct zone){
		.lba = lba, .blks = z->len / d->blk_sectors, .capacity = z->capacity / d->blk_sectors,
		.pointer = d->lba + z->wp / d->blk_sectors,
		.condition = z->type == BLK_ZONE_TYPE_CONVENTIONAL ? ZONE_CONVENTIONAL : z->cond,
	};
	/* a full zone has no write pointer of its own */
	if (zone->condition == ZONE_FULL)
		zone->pointer = zone->lba + zone->capacity;
	return zone;
}

/* A device without zones is one that is written anywhere. */
static void add_whole(struct zone_device *d)
{
	size_t cap = 0;

	add_zone(d, &cap, &(struct blk_zone){
		.len = (d->end - d->lba) * d->blk_sectors, .capacity = (d->end - d->lba) * d->blk_sectors,
		.type = BLK_ZONE_TYPE_CONVENTIONAL,
	});
}

static uint64_t read_limit(FILE *limit)
{
	AUTO_FCLOSE FILE *file = limit;
	uint64_t n;

	return file && fscanf(file, "%" SCNu64, &n) == 1 ? n : UINT64_MAX;
}

/* === The running system === */

/* This and all below return why it cannot be read, to be freed, or NULL. */
static char *ask_zones(struct zone_device *d, int fd)
{
	AUTO_FREE struct blk_zone_report *report = xcalloc(1, sizeof(*report) + MAX_REPORTED * sizeof(*report->zones));
	uint64_t sector = 0, asked;
	char *trouble = NULL;
	size_t cap = 0;

	do {
		asked = sector;
		*report = (struct blk_zone_report){ .sector = sector, .nr_zones = MAX_REPORTED };
		if (ioctl(fd, BLKREPORTZONE, report)) {
			trouble = xasprintf("%s: cannot report zones: %s", d->name, strerror(errno));
			break;
		}
		for (size_t i = 0; i < report->nr_zones; i++) {
			struct blk_zone *z = &report->zones[i];

			if (!(report->flags & BLK_ZONE_REP_CAPACITY))
				z->capacity = z->len;
			add_zone(d, &cap, z);
			sector = z->start + z->len;
		}
	} while (report->nr_zones && sector > asked);
	return trouble;
}

static char *ask_device(struct zone_device *d)
{
	AUTO_CLOSE int fd = open(d->name, O_RDONLY | O_CLOEXEC);
	char *trouble = NULL;
	uint32_t sectors = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return xasprintf("%s: %s; it is a device of the volume (are you root?)", d->name, strerror(errno));
	/* kernels without zoned devices do not know the call */
	d->is_zoned = !ioctl(fd, BLKGETZONESZ, &sectors) && sectors;
	d->max_open = sysfs_queue(major(st.st_rdev), minor(st.st_rdev), "max_open_zones");
	d->max_active = sysfs_queue(major(st.st_rdev), minor(st.st_rdev), "max_active_zones");
	if (d->is_zoned)
		trouble = ask_zones(d, fd);
	else
		add_whole(d);
	return trouble;
}

/* === A folder === */

static uint64_t copied_limit(const struct table *table, const struct volume *v, const char *dir, const char *name, size_t i)
{
	AUTO_FREE char *numbered = xasprintf("%s.%zu", name, i);

	return read_limit(f2fs_state_open(table, v, dir, numbered));
}

static void parse_zones(struct zone_device *d, struct f2fs_lines *lines)
{
	uint64_t end = 0, pointer;
	size_t cap = 0;

	while (f2fs_lines_next(lines)) {
		const char *rest = strrchr(lines->text, ']');
		struct blk_zone z;

		if (sscanf(lines->text, " start: %" SCNx64 ", len %" SCNx64 ", cap %" SCNx64 ", wptr %" SCNx64
			   " reset:%*u non-seq:%*u, zcond:%" SCNu8 "(%*[^)]) [type: %" SCNu8, (uint64_t *)&z.start,
			   (uint64_t *)&z.len, (uint64_t *)&z.capacity, &pointer, &z.cond, &z.type) != 6 || z.len < d->blk_sectors)
			f2fs_lines_refuse(lines, "expected a zone as blkzone report writes it, copy its output again");
		else if (z.start != end)
			f2fs_lines_refuse(lines, "expected the zone that begins where the last one ends, copy the output of blkzone report again");
		if (lines->trouble)
			break;
		end = z.start + z.len;
		z.wp = z.start + pointer;
		add_zone(d, &cap, &z)->has_changed = rest && !strcmp(rest, "] changed");
	}
}

static char *parse_device(struct zone_device *d, const struct table *table, const struct volume *v, const char *dir, size_t i)
{
	AUTO_FREE char *name = xasprintf("zones.%zu", i), *path = xasprintf("%s/%s", dir, name);
	struct f2fs_lines lines = { .name = path, .file = f2fs_state_open(table, v, dir, name) };

	d->max_open = copied_limit(table, v, dir, "max_open_zones", i);
	d->max_active = copied_limit(table, v, dir, "max_active_zones", i);
	d->is_zoned = lines.file;
	if (lines.file) {
		parse_zones(d, &lines);
		fclose(lines.file);
	} else {
		add_whole(d);
	}
	return lines.trouble;
}

/* === Volumes === */

static char *read_super(struct f2fs_super *super, const struct table *table, const struct volume *v, const char *dir, const char *device)
{
	AUTO_FCLOSE FILE *file = dir ? f2fs_state_open(table, v, dir, "superblock") : fopen(device, "re");
	AUTO_FREE char *name = dir ? xasprintf("%s/superblock", dir) : xasprintf("%s", device);

	return file ? f2fs_super_read(super, file, name, v->blk_bytes) :
	       xasprintf("%s: %s; it has the devices of the volume", name, strerror(errno));
}

/**
 * zones_read_volume() - read the zones of the devices of a volume
 * @zones: the result; to be released with zones_clear(), also if it is refused
 * @table: the table with the volume
 * @v: the volume
 * @dir: folder with copies; NULL: the running system
 *
 * Return: NULL, or why it cannot be read; to be freed.
 */
char *zones_read_volume(struct zones *zones, const struct table *table, const struct volume *v, const char *dir)
{
	AUTO_FREE char *kernels = dir ? NULL : f2fs_device_name(v), *first = xasprintf("/dev/%s", kernels ? kernels : "?");
	char *trouble;
	struct f2fs_super super = { 0 };
	bool is_zoned = false;
	uint64_t lba = 0;

	*zones = (struct zones){ 0 };
	trouble = read_super(&super, table, v, dir, first);
	if (!trouble)
		zones->n = super.n_devices ? super.n_devices : 1;
	for (size_t i = 0; i < zones->n && !trouble; i++) {
		struct zone_device *d = &zones->devices[i];

		d->name = xasprintf("%s", i || (dir && super.n_devices) ? super.devices[i].path : dir ? "the device" : first);
		d->blk_sectors = v->blk_bytes / 512;
		d->lba = lba;
		lba += (uint64_t)super.devices[i].segments * F2FS_SEGMENT_BLKS + (i ? 0 : super.segment0_blkaddr);
		d->end = super.n_devices ? lba : v->end_blk;
		trouble = dir ? parse_device(d, table, v, dir, i) : ask_device(d);
		if (!trouble && !d->n)
			trouble = xasprintf("%s: has no zone that is part of the volume %u:%u; is it the device that F2FS has?", d->name, v->major,
					    v->minor);
		is_zoned |= d->is_zoned;
	}
	if (dir && super.is_zoned && !is_zoned && !trouble)
		trouble = xasprintf("%s: has no file zones.0, but F2FS is on a zoned device; copy what blkzone report writes, for device N to zones.N; "
				    "a recording has it, if the devices could be asked", dir);
	return trouble;
}

/**
 * zones_any() - has any device of a volume zones?
 * @zones: its devices
 *
 * Return: true if so.
 */
bool zones_any(const struct zones *zones)
{
	for (size_t i = 0; i < zones->n; i++)
		if (zones->devices[i].is_zoned)
			return true;
	return false;
}

/**
 * zones_read() - read the zones of the devices of all volumes
 * @table: the table with the volumes
 * @dir: folder with copies; NULL: the running system
 * @all_or_none: end the program if a device or a copy cannot be read; otherwise such a volume has no devices
 *
 * Return: by volume; to be freed with zones_free().
 */
struct zones *zones_read(const struct table *table, const char *dir, bool all_or_none)
{
	struct zones *all = xcalloc(table->n_volumes, sizeof(*all));

	for (size_t i = 0; i < table->n_volumes; i++) {
		AUTO_FREE char *trouble = zones_read_volume(&all[i], table, &table->volumes[i], dir);

		if (trouble && all_or_none)
			die("%s", trouble);
		if (trouble)
			zones_clear(&all[i]);
	}
	return all;
}

/**
 * zones_compare() - mark the zones that have changed
 * @zones: by volume
 * @earlier: the same, read before
 * @n: number of volumes
 */
void zones_compare(struct zones *zones, const struct zones *earlier, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < zones[i].n; k++) {
			struct zone_device *d = &zones[i].devices[k];
			const struct zone_device *was = &earlier[i].devices[k];

			for (size_t j = 0; j < d->n && j < was->n; j++)
				d->zones[j].has_changed = d->zones[j].pointer != was->zones[j].pointer ||
							  d->zones[j].condition != was->zones[j].condition;
		}
	}
}
