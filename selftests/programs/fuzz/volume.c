// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on the whole volume. Those that change how it works exclude each other.
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
 * put_text() - write a text into a file that is there, in one call
 * @path: which
 * @text: what
 *
 * Return: how many bytes; -1 with errno if it could not be
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

/* Mount options as they are now; a new one goes behind them. */
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

/* Those that mount(2) wants as flags are left out: they are the defaults. */
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

/* Is an option that begins so in force? */
static bool mounted_with(const struct run *run, const char *begin)
{
	char *options = options_of(run->dir), *rest = options, *word;
	bool found = false;

	while ((word = strsep(&rest, ",")))
		found |= !strncmp(word, begin, strlen(begin));
	free(options);
	return found;
}

/* A swap file as F2FS wants it: pinned, reserved, with the header of one. */
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
 * F2FS moves the file into whole sections first, again and again until it is there; in the modes that
 * scatter on purpose it never is (seen on 6.1 and 6.12, in f2fs_swap_activate).
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
 * Stop all writers between two calls of theirs, with everything written back, and compare: a map that
 * is called exact now must be exact, although nobody waited for it.
 *
 * Not with gc_merge: a writer that needs room waits there for the collector's thread, which does not work
 * while the volume is being frozen, which waits for the writer. F2FS hangs by itself.
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
