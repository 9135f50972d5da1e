// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on fragtrace itself, while files are written.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

#define DEBUGFS "/sys/kernel/debug/fragtrace/"

static int op_cat(struct worker *w, const struct op *op)
{
	char path[128], buf[65536];
	ssize_t got;
	int fd, err;

	(void)w;
	snprintf(path, sizeof(path), DEBUGFS "%.20s", op->arg[0].s);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	do
		got = read(fd, buf, sizeof(buf));
	while (got > 0);
	err = errno;
	close(fd);
	errno = err;
	return got;
}

static int op_resync(struct worker *w, const struct op *op)
{
	(void)w;
	(void)op;
	return put_text(DEBUGFS "resync", "1");
}

static int target(struct worker *w, const char *word, const char *folder)
{
	char text[512];

	snprintf(text, sizeof(text), "%s %s/%s", word, w->run->dir, folder);
	return put_text(DEBUGFS "targets", text);
}

static int op_watch(struct worker *w, const struct op *op)
{
	return target(w, "add", op->arg[0].s);
}

static int op_unwatch(struct worker *w, const struct op *op)
{
	return target(w, "del", op->arg[0].s);
}

const struct kind fragtrace_kinds[] = {
	{ "cat", "w", op_cat },
	{ "resync", "", op_resync },
	{ "watch", "p", op_watch },
	{ "unwatch", "p", op_unwatch },
	{ NULL, NULL, NULL },
};
