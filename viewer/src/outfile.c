// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: a file that is written as a whole or not at all.
 * It is written under a temporary name in the same directory, then renamed. One file at a time.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outfile.h"
#include "util.h"

/* The temporary file that is not renamed yet. The signal handler reads this. */
static char *volatile unfinished;

/**
 * outfile_abandon() - remove an unfinished file
 *
 * Context: any, also signal handlers and exit(). Does nothing if there is no such file.
 */
void outfile_abandon(void)
{
	if (unfinished)
		unlink(unfinished);
}

/**
 * outfile_failed() - end the program because a file cannot be written
 * @out: the file
 *
 * The message has the text of errno.
 */
noreturn void outfile_failed(const struct outfile *out)
{
	die("%s: cannot write the %s: %s", out->path, out->what, strerror(errno ? errno : EIO));
}

static char *template_for(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	/* leave room for the dots and letters that are added to a name of the maximum length */
	return xasprintf("%.*s.%.200s.XXXXXX", (int)(base - path), path, base);
}

/* Signals are blocked while the file exists and its name is not stored, or the other way round. */
static int open_unfinished(const struct outfile *out)
{
	char *name = template_for(out->final);
	sigset_t all, old;
	int fd, err;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	fd = mkstemp(name);
	err = errno;
	if (fd >= 0)
		unfinished = name;
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = err;
	if (fd < 0)
		outfile_failed(out);
	return fd;
}

static void put_in_place(const struct outfile *out)
{
	sigset_t all, old;
	char *name;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	if (rename(unfinished, out->final))
		die("%s: cannot put the %s in its place: %s", out->path, out->what,
		    strerror(errno));
	name = unfinished;
	unfinished = NULL;
	sigprocmask(SIG_SETMASK, &old, NULL);
	free(name);
}

static void open_regular(struct outfile *out)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	fd = open_unfinished(out);
	if (!fchmod(fd, 0666 & ~mask))
		out->file = fdopen(fd, "wb");
	if (!out->file)
		outfile_failed(out);
}

/**
 * outfile_open() - begin to write a file
 * @out: the file; to be finished with outfile_close()
 * @path: its name; "-" is standard output
 * @what: kind of content, for messages
 *
 * outfile_close() replaces a regular file atomically. Devices and pipes are written directly. Ends the
 * program if that is not possible.
 */
void outfile_open(struct outfile *out, const char *path, const char *what)
{
	struct stat st;

	*out = (struct outfile){ .path = path, .what = what };
	if (!strcmp(path, "-")) {
		out->path = "<stdout>";
		out->file = stdout;
	} else if (stat(path, &st) || S_ISREG(st.st_mode)) {
		out->final = path;
		open_regular(out);
	} else if (S_ISDIR(st.st_mode)) {
		die("%s: is a directory, expected the name of a %s", path, what);
	} else {
		out->file = fopen(path, "wb");
		if (!out->file)
			outfile_failed(out);
	}
	/* errno is 0 or the last error of stdio from here on */
	errno = 0;
}

/**
 * outfile_close() - finish a file
 * @out: as left by outfile_open()
 *
 * Ends the program if the file could not be written. The previous file, if any, stays then.
 */
void outfile_close(struct outfile *out)
{
	if (fflush(out->file) || ferror(out->file))
		outfile_failed(out);
	if (out->file != stdout && fclose(out->file))
		outfile_failed(out);
	if (out->final)
		put_in_place(out);
}
