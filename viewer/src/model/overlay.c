// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the files below an overlay, which has inodes of its own.
 * A container sees its files through overlayfs. The data is in a file of a layer, and the layers are options of the mount.
 */
#include <mntent.h>

#include "model/overlay.h"
#include "names.h"
#include "util.h"

/* Options and mount point have a page each; each byte may be escaped by four. More is cut off. */
#define LINE_MAX_BYTES (3 * 4096 * 4)

/* Return: what follows the mount point in a path, or NULL if the path is not below it. */
static const char *below(const char *path, const char *dir)
{
	size_t n = strcmp(dir, "/") ? strlen(dir) : 0;

	return !strncmp(path, dir, n) && (path[n] == '/' || !path[n]) ? path + n : NULL;
}

/* Return: the options of the overlay that a path is in, to be freed, and the rest of the path; NULL if it is in none. */
static char *options_of(const char *path, const char **rest)
{
	AUTO_FREE char *line = xcalloc(LINE_MAX_BYTES, 1);
	char *options = NULL;
	AUTO_FCLOSE FILE *mounts = setmntent("/proc/self/mounts", "r");
	struct mntent mount;

	*rest = NULL;
	while (mounts && getmntent_r(mounts, &mount, line, LINE_MAX_BYTES)) {
		const char *mine = below(path, mount.mnt_dir);

		/* the longest mount point; of several the last one, which covers the others */
		if (!mine || (*rest && mine < *rest))
			continue;
		*rest = mine;
		free(options);
		options = strcmp(mount.mnt_type, "overlay") ? NULL : xasprintf("%s", mount.mnt_opts);
	}
	return options;
}

/* Relative layers are relative to where mount was called. */
static int stat_in(const char *layer, const char *end, const char *rest, struct stat *st)
{
	AUTO_FREE char *dir = xreallocarray(NULL, (size_t)(end - layer) + 1, 1), *path = NULL;

	if (*layer != '/' || path_unescape(dir, layer, end))
		return -1;
	path = xasprintf("%s%s", dir, rest);
	return stat(path, st);
}

/**
 * overlay_stat() - stat() for the file of a layer whose data an overlay shows
 * @path: a path of this system
 * @st: set
 *
 * Return: 0, or -1 if the path is in no overlay, or its layers cannot be seen from here.
 */
int overlay_stat(const char *path, struct stat *st)
{
	static const char *const names[] = { "upperdir=", "lowerdir=", "lowerdir+=" };
	AUTO_FREE char *real = realpath(path, NULL), *options = NULL;
	const char *rest = "", *at, *end;
	int result = -1;

	if (real)
		options = options_of(real, &rest);
	/* the upper one goes before those below it */
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		for (at = options; at && result; at = *end ? end + 1 : NULL) {
			end = at + strcspn(at, ",");
			if (strncmp(at, names[i], strlen(names[i])))
				continue;
			for (at += strlen(names[i]); at < end && result; at += strcspn(at, ":,") + 1)
				result = stat_in(at, at + strcspn(at, ":,"), rest, st);
		}
	return result;
}
