// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on the whole volume. Those that change its settings exclude each other.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/f2fs.h>
#include <linux/fs.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/swap.h>
#include <unistd.h>

#include "fuzz.h"

/**
 * put_text() - write a text into an existing file, in one call
 * @path: its name
 * @text: the text
 *
 * Return: number of bytes; -1 with errno on an error
 */
int put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), rc, err;

	if (fd < 0)
		return -1;
	rc = write(fd, text, strlen(text));
	err = errno;
	close(fd);
	errno = err;
	return rc;
}

static int op_sync(struct worker *w, const struct op *op)
{
	(void)op;
	return syncfs(w->run->dirfd);
}

static int op_checkpoint(struct worker *w, const struct op *op)
{
	(void)op;
	return ioctl(w->run->dirfd, F2FS_IOC_WRITE_CHECKPOINT);
}

static int op_gc(struct worker *w, const struct op *op)
{
	uint32_t sync = op->arg[0].n;

	return ioctl(w->run->dirfd, F2FS_IOC_GARBAGE_COLLECT, &sync);
}

static int op_gc_range(struct worker *w, const struct op *op)
{
	struct f2fs_gc_range range = { .sync = op->arg[0].n, .start = op->arg[1].n, .len = op->arg[2].n };

	return ioctl(w->run->dirfd, F2FS_IOC_GARBAGE_COLLECT_RANGE, &range);
}

static int op_trim(struct worker *w, const struct op *op)
{
	struct fstrim_range range = { .start = op->arg[0].n, .len = op->arg[1].n, .minlen = 4096 };

	return ioctl(w->run->dirfd, FITRIM, &range);
}

static int op_set(struct worker *w, const struct op *op)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/fs/f2fs/%s/%.40s", w->run->device, op->arg[0].s);
	return put_text(path, op->arg[1].s);
}

/* Current mount options; a new one is appended. */
static char *options_of(const char *dir)
{
	FILE *in = setmntent("/proc/self/mounts", "r");
	char *options = NULL;
	struct mntent *m;

	while (in && (m = getmntent(in)))
		if (!strcmp(m->mnt_dir, dir)) {
			free(options);
			options = strdup(m->mnt_opts);
		}
	if (in)
		endmntent(in);
	return options;
}

/* Options that mount(2) takes as flags are left out: they have their defaults. */
static int op_remount(struct worker *w, const struct op *op)
{
	char *options = options_of(w->run->dir), *rest = options, *word, *data;
	size_t n = 0, size = options ? strlen(options) + strlen(op->arg[0].s) + 2 : 1;
	int rc;

	data = malloc(size);
	if (!options || !data)
		die("%s: cannot find how it is mounted", w->run->dir);
	while ((word = strsep(&rest, ",")))
		if (strcmp(word, "rw") && strcmp(word, "relatime") && strncmp(word, "checkpoint=disable", 18) &&
		    strcmp(word, "lazytime"))
			n += snprintf(data + n, size - n, "%s,", word);
	snprintf(data + n, size - n, "%s", op->arg[0].s);
	pthread_mutex_lock(&w->run->whole);
	rc = mount(NULL, w->run->dir, NULL, MS_REMOUNT, data);
	pthread_mutex_unlock(&w->run->whole);
	free(options);
	free(data);
	return rc;
}

static int op_drop_caches(struct worker *w, const struct op *op)
{
	(void)w;
	return put_text("/proc/sys/vm/drop_caches", op->arg[0].s);
}

/* Is an option with this beginning in force? */
static bool mounted_with(const struct run *run, const char *begin)
{
	char *options = options_of(run->dir), *rest = options, *word;
	bool found = false;

	while ((word = strsep(&rest, ",")))
		found |= !strncmp(word, begin, strlen(begin));
	free(options);
	return found;
}

/* A swap file as F2FS requires it: pinned, reserved, with a swap header. */
static int make_swap(struct worker *w, const struct op *op)
{
	uint32_t on = 1, header[3] = { 1, op->arg[1].n / BLOCK - 1, 0 };
	int fd = file_get(w, op->arg[0].s, 0), rc = -1;

	if (fd < 0)
		return -1;
	if (!ioctl(fd, F2FS_IOC_SET_PIN_FILE, &on) && !fallocate(fd, 0, 0, op->arg[1].n) &&
	    pwrite(fd, header, sizeof(header), 1024) > 0 && pwrite(fd, "SWAPSPACE2", 10, BLOCK - 10) > 0)
		rc = fsync(fd);
	file_put(w, fd);
	return rc;
}

/*
 * F2FS moves the file into whole sections first, and repeats that until it succeeds. In the modes that
 * scatter blocks on purpose it never succeeds (seen on 6.1 and 6.12, in f2fs_swap_activate).
 */
static int op_swapon(struct worker *w, const struct op *op)
{
	char path[512];
	int rc, err = EOPNOTSUPP;

	snprintf(path, sizeof(path), "%s/%s", w->run->dir, op->arg[0].s);
	pthread_mutex_lock(&w->run->whole);
	rc = mounted_with(w->run, "mode=fragment") ? -1 : 0;
	if (!rc) {
		rc = make_swap(w, op) ?: swapon(path, 0);
		err = errno;
	}
	pthread_mutex_unlock(&w->run->whole);
	errno = err;
	return rc;
}

static int op_swapoff(struct worker *w, const struct op *op)
{
	char path[512];
	int rc, err;

	snprintf(path, sizeof(path), "%s/%s", w->run->dir, op->arg[0].s);
	pthread_mutex_lock(&w->run->whole);
	rc = swapoff(path);
	err = errno;
	pthread_mutex_unlock(&w->run->whole);
	errno = err;
	return rc;
}

/*
 * Stop all writers between two calls, with all data written back, and compare: an exact map must be
 * correct now, although nothing was waited for.
 *
 * Not with gc_merge, because F2FS itself hangs then: a writer that needs space waits for the thread of the
 * collector, which does not run during a freeze, which waits for the writer.
 */
static int op_freeze(struct worker *w, const struct op *op)
{
	int rc, err = EOPNOTSUPP;

	(void)op;
	pthread_mutex_lock(&w->run->whole);
	rc = mounted_with(w->run, "gc_merge") ? -1 : 0;
	if (!rc) {
		rc = ioctl(w->run->dirfd, FIFREEZE, 0);
		err = errno;
	}
	if (!rc) {
		rc = run_check(w->run, "frozen");
		err = errno;
		if (ioctl(w->run->dirfd, FITHAW, 0))
			die("cannot thaw: %s", strerror(errno));
	}
	pthread_mutex_unlock(&w->run->whole);
	errno = err;
	return rc;
}

static int op_pause(struct worker *w, const struct op *op)
{
	(void)w;
	return usleep(op->arg[0].n);
}

const struct kind volume_kinds[] = {
	{ "sync", "", op_sync },
	{ "checkpoint", "", op_checkpoint },
	{ "gc", "n", op_gc },
	{ "gc-range", "nnn", op_gc_range },
	{ "trim", "nn", op_trim },
	{ "set", "ww", op_set },
	{ "remount", "w", op_remount },
	{ "drop-caches", "w", op_drop_caches },
	{ "swapon", "pn", op_swapon },
	{ "swapoff", "p", op_swapoff },
	{ "freeze", "", op_freeze },
	{ "pause", "n", op_pause },
	{ NULL, NULL, NULL },
};
