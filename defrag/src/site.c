// SPDX-License-Identifier: GPL-2.0-only
/*
 * Part of carrying out a plan: the volume that is worked on.
 * Is it mounted where the plan says, would its blocks move at all, is another instance at work there,
 * and has it the free segments for the next step?
 */
#include <sys/file.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include "move.h"
#include "site.h"

/* === Would blocks move? === */

/*
 * Percent of the blocks for users that are in use, rounded down, as F2FS computes it: statfs() counts metadata, and what F2FS
 * keeps for itself, as used.
 */
static uint64_t used_percent(const struct volume *volume, const struct device *device)
{
	uint64_t kept = 0, all = volume->end_blk - volume->first_blk;
	struct statvfs fs;

	if (device_f2fs(device, "ovp_segments", &kept) && kept * volume->segment_blks < all)
		all -= kept * volume->segment_blks;
	if (statvfs(volume->path, &fs) || fs.f_bfree > all)
		return 0;
	return (all - fs.f_bfree) * 100 / all;
}

/* Does F2FS rewrite in place there? Then nothing moves. */
static bool is_in_place(const struct volume *volume, const struct device *device, enum way way, uint64_t policy)
{
	uint64_t limit = 0;

	if (way == WAY_IOCTL && (policy & IPU_HONOR_OPU_WRITE))
		return false;
	if (way == WAY_MAPPING && volume->is_lfs)
		return false;
	if (policy & IPU_FORCE)
		return true;
	return (policy & IPU_UTIL) && device_f2fs(device, "min_ipu_util", &limit) && used_percent(volume, device) > limit;
}

/**
 * site_why_not() - would blocks of this volume move?
 * @volume: the volume
 * @device: its device
 * @way: how to move them; WAY_AUTO is replaced
 *
 * Return: NULL, or why not, to be freed.
 */
char *site_why_not(const struct volume *volume, const struct device *device, enum way *way)
{
	uint64_t policy = 0;
	struct statvfs fs;
	bool is_auto = *way == WAY_AUTO;

	if (statvfs(volume->path, &fs))
		return xasprintf("%s cannot be reached: %s", volume->path, strerror(errno));
	if (fs.f_flag & ST_RDONLY)
		return xasprintf("the volume is mounted read-only");
	if (is_auto)
		*way = move_default_way();
	if (!device_f2fs(device, "ipu_policy", &policy) || !is_in_place(volume, device, *way, policy))
		return NULL;
	if (is_auto && *way == WAY_IOCTL && !is_in_place(volume, device, WAY_MAPPING, policy)) {
		*way = WAY_MAPPING;
		return NULL;
	}
	return xasprintf("F2FS rewrites in place there, so that no block would move: ipu_policy in /sys/fs/f2fs/%s is %ju; "
			 "write %s there first", device->name, (uintmax_t)policy,
			 *way == WAY_IOCTL ? "0, or add 128," : "0");
}

/* === Begin and end === */

/**
 * site_open() - begin to work on a volume
 * @site: the result; to be closed with site_close() if this succeeds
 * @plan: the plan
 * @volume: index into table.volumes
 *
 * Return: NULL, or why it must be left alone, to be freed.
 */
char *site_open(struct site *site, const struct plan *plan, uint32_t volume)
{
	const struct volume *v = &plan->table->volumes[volume];
	struct stat st;
	char *why;

	*site = (struct site){ .volume = v, .plan = &plan->volumes[volume], .way = plan->volumes[volume].way, .root = -1 };
	site->root = open(v->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (site->root < 0)
		return xasprintf("%s cannot be opened: %s", v->path, strerror(errno));
	why = NULL;
	if (fstat(site->root, &st) || st.st_dev != makedev(v->major, v->minor))
		why = xasprintf("volume %u:%u is not mounted on %s any more", v->major, v->minor, v->path);
	else if (flock(site->root, LOCK_EX | LOCK_NB))
		why = errno == EWOULDBLOCK ? xasprintf("another fragtrace defrag is at work on %s", v->path) :
		      xasprintf("%s cannot be locked: %s", v->path, strerror(errno));
	if (!why)
		why = site_why_not(v, &site->plan->device, &site->way);
	if (why)
		site_close(site);
	return why;
}

/**
 * site_close() - end the work on a volume
 * @site: as left by site_open()
 */
void site_close(struct site *site)
{
	if (site->root >= 0)
		close(site->root);
	site->root = -1;
}

/* === Free segments === */

/* What F2FS keeps for itself: its collector needs these segments. */
static bool is_enough(const struct device *device, uint64_t needed, uint64_t *free_segments, uint64_t *kept)
{
	if (!device_f2fs(device, "free_segments", free_segments) || !device_f2fs(device, "ovp_segments", kept))
		return true;
	return *free_segments >= *kept + needed;
}

/**
 * site_is_tight() - has the volume too few free segments for a step?
 * @site: the volume
 * @blks: blocks to write
 *
 * A checkpoint frees the segments that earlier steps have emptied: one is made before giving up.
 *
 * Return: NULL, or why the work has to end, to be freed.
 */
char *site_is_tight(const struct site *site, uint64_t blks)
{
	const struct device *device = &site->plan->device;
	uint64_t section_blks = site->volume->segment_blks * device->section_segments;
	uint64_t needed = ((blks + section_blks - 1) / section_blks + 1) * device->section_segments;
	uint64_t free_segments, kept;

	if (is_enough(device, needed, &free_segments, &kept))
		return NULL;
	syncfs(site->root);
	if (is_enough(device, needed, &free_segments, &kept))
		return NULL;
	return xasprintf("%s is too full: %s free segments, F2FS keeps %s for itself", site->volume->path,
			 GROUPED(free_segments), GROUPED(kept));
}
