// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the zones of the devices of a volume, as the block layer reports them.
 *
 * The devices are those of the superblock. On the running system, the first one is where the volume is mounted from, and
 * the others have the paths that mkfs.f2fs was given, as for F2FS itself. A folder has zones.N, what blkzone(8) reports of
 * the Nth device, counted from 0, with max_open_zones.N and max_active_zones.N of its queue; a device without it has no zones.
 * In a recording, a line ends with the word changed if the zone was another one when F2FS's state began to be copied.
 */
#include "input/f2fs_lines.h"
#include "input/f2fs_state.h"
#include "input/zones.h"

/* === A device === */

/**
 * zones_add() - add a zone to those of a device
 * @d: the device
 * @zone: the zone, in sectors of the device
 */
void zones_add(struct zone_device *d, const struct zone *zone)
{
	uint64_t lba = d->lba + zone->lba / d->blk_sectors;
	struct zone *added;

	d->zones = grow(d->zones, &d->cap, d->n + d->n_outside, sizeof(*d->zones));
	added = &d->zones[d->n + d->n_outside];
	if (lba < d->end)
		d->n++;
	else
		d->n_outside++;
	*added = *zone;
	added->lba = lba;
	added->blks /= d->blk_sectors;
	added->capacity /= d->blk_sectors;
	/* a full zone has no write pointer of its own */
	added->pointer = zone->condition == ZONE_FULL ? lba + added->capacity : d->lba + zone->pointer / d->blk_sectors;
}

/* A device without zones is one that is written anywhere. */
static void add_whole(struct zone_device *d)
{
	uint64_t sectors = (d->end - d->lba) * d->blk_sectors;

	zones_add(d, &(struct zone){ .blks = sectors, .capacity = sectors, .condition = ZONE_CONVENTIONAL });
}

static uint64_t read_limit(FILE *limit)
{
	AUTO_FCLOSE FILE *file = limit;
	uint64_t n;

	return file && fscanf(file, "%" SCNu64, &n) == 1 ? n : UINT64_MAX;
}

/* === A folder === */

static uint64_t copied_limit(const struct table *table, const struct volume *v, const char *dir, const char *name, size_t i)
{
	AUTO_FREE char *numbered = xasprintf("%s.%zu", name, i);

	return read_limit(f2fs_state_open(table, v, dir, numbered));
}

static void parse_zones(struct zone_device *d, struct f2fs_lines *lines)
{
	uint64_t end = 0, pointer = 0;
	uint8_t condition = 0, type = 0;

	while (f2fs_lines_next(lines)) {
		const char *rest = strrchr(lines->text, ']');
		struct zone z = { .has_changed = rest && !strcmp(rest, "] changed") };

		if (sscanf(lines->text, " start: %" SCNx64 ", len %" SCNx64 ", cap %" SCNx64 ", wptr %" SCNx64
			   " reset:%*u non-seq:%*u, zcond:%" SCNu8 "(%*[^)]) [type: %" SCNu8, &z.lba, &z.blks, &z.capacity, &pointer, &condition,
			   &type) != 6 || z.blks < d->blk_sectors)
			f2fs_lines_refuse(lines, "expected a zone as blkzone report writes it, copy its output again");
		else if (z.lba != end)
			f2fs_lines_refuse(lines, "expected the zone that begins where the last one ends, copy the output of blkzone report again");
		if (lines->trouble)
			break;
		end = z.lba + z.blks;
		z.pointer = z.lba + pointer;
		z.condition = zone_condition(type, condition);
		zones_add(d, &z);
	}
}

/* Returns why it cannot be read, to be freed, or NULL. */
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
		trouble = dir ? parse_device(d, table, v, dir, i) : zones_ask(d);
		if (!trouble && !d->is_zoned)
			add_whole(d);
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
