// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: asks a device of the running system for its zones. */
#include <linux/blkzoned.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#include "input/sysfs.h"
#include "input/zones.h"

/* Zones of one report. */
#define MAX_REPORTED 4096U

static char *ask_zones(struct zone_device *d, int fd)
{
	AUTO_FREE struct blk_zone_report *report = xcalloc(1, sizeof(*report) + MAX_REPORTED * sizeof(*report->zones));
	uint64_t sector = 0, asked;

	do {
		asked = sector;
		*report = (struct blk_zone_report){ .sector = sector, .nr_zones = MAX_REPORTED };
		if (ioctl(fd, BLKREPORTZONE, report))
			return xasprintf("%s: cannot report zones: %s", d->name, strerror(errno));
		for (size_t i = 0; i < report->nr_zones; i++) {
			const struct blk_zone *z = &report->zones[i];

			zones_add(d, &(struct zone){
				.lba = z->start, .blks = z->len, .pointer = z->wp, .condition = zone_condition(z->type, z->cond),
				.capacity = report->flags & BLK_ZONE_REP_CAPACITY ? z->capacity : z->len,
			});
			sector = z->start + z->len;
		}
	} while (report->nr_zones && sector > asked);
	return NULL;
}

/**
 * zones_ask() - ask a device of the running system for its zones
 * @d: the device, with its name and its blocks
 *
 * Return: NULL, or why it cannot be asked; to be freed.
 */
char *zones_ask(struct zone_device *d)
{
	AUTO_CLOSE int fd = open(d->name, O_RDONLY | O_CLOEXEC);
	uint32_t sectors = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return xasprintf("%s: %s; it is a device of the volume (are you root?)", d->name, strerror(errno));
	/* kernels without zoned devices do not know the call */
	d->is_zoned = !ioctl(fd, BLKGETZONESZ, &sectors) && sectors;
	d->max_open = sysfs_queue(major(st.st_rdev), minor(st.st_rdev), "max_open_zones");
	d->max_active = sysfs_queue(major(st.st_rdev), minor(st.st_rdev), "max_active_zones");
	return d->is_zoned ? ask_zones(d, fd) : NULL;
}
