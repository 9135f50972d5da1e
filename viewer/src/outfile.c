// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: a file that is written as a whole or not at all.
 * It has no name while it is written, so that nothing is left of it however the program ends. Where the file system has
 * no such files, it has a temporary name in the same directory. One file at a time. A symbolic link stays: the file
 * that it points to is replaced.
 */
#include <sys/sysmacros.h>

#include "outfile.h"

/* The temporary name of a file that is not renamed yet. The signal handler reads this. */
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

/* === Names === */

#define MAX_LINKS 40

/* The target of a symbolic link, as a path; NULL if the path is no link. To be freed. */
static char *link_target(const char *path)
{
	const char *slash = strrchr(path, '/');
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n < 0)
		return NULL;
	target[n] = '\0';
	if (*target == '/' || !slash)
		return xasprintf("%s", target);
	return xasprintf("%.*s%s", (int)(slash + 1 - path), path, target);
}

/* Follow symbolic links, also those whose target does not exist. To be freed. */
static char *follow_links(const char *path)
{
	char *name = xasprintf("%s", path), *target;

	for (int i = 0; i < MAX_LINKS && (target = link_target(name)); i++) {
		free(name);
		name = target;
	}
	return name;
}

/* To be freed. */
static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? xasprintf("%.*s", (int)(slash + 1 - path), path) : xasprintf(".");
}

/* The path of a file, which may not exist, without links and dots; NULL if it has no directory. To be freed. */
static char *absolute(const char *path)
{
	AUTO_FREE char *name = follow_links(path), *parent = directory_of(name), *dir = realpath(parent, NULL);
	char *slash = strrchr(name, '/');

	return dir ? xasprintf("%s/%s", dir, slash ? slash + 1 : name) : NULL;
}

static bool stat_name(const char *name, int fd, struct stat *st)
{
	return !(strcmp(name, "-") ? stat(name, st) : fstat(fd, st));
}

/* What is written to these devices is lost in any case. */
static bool is_sink(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && major(st->st_rdev) == 1;
}

/**
 * outfile_same() - are two outputs the same file?
 * @a: name of a file, which may not exist; "-" is standard output
 * @b: another name
 *
 * Return: true if one would overwrite the other. Devices such as /dev/null are never the same.
 */
bool outfile_same(const char *a, const char *b)
{
	bool has_a, has_b;
	struct stat x, y;

	if (!strcmp(a, "-") && !strcmp(b, "-"))
		return true;
	has_a = stat_name(a, STDOUT_FILENO, &x);
	has_b = stat_name(b, STDOUT_FILENO, &y);
	if (has_a && has_b)
		return x.st_dev == y.st_dev && x.st_ino == y.st_ino && !is_sink(&x);
	if (has_a != has_b)
		return false;
	AUTO_FREE char *p = absolute(a), *q = absolute(b);
	return p && q && !strcmp(p, q);
}

/**
 * outfile_is_input() - is an output the same file as an input?
 * @path: name of the output; "-" is standard output
 * @input: name of the input; "-" is standard input
 *
 * Return: true if both are the same regular file.
 */
bool outfile_is_input(const char *path, const char *input)
{
	struct stat x, y;

	return stat_name(path, STDOUT_FILENO, &x) && stat_name(input, STDIN_FILENO, &y) && S_ISREG(x.st_mode) &&
	       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* === Writing === */

/* Room for the path of an open file below /proc. */
#define PROC_PATH_MAX 32

/* So many temporary names are tried. */
#define MAX_NAMES 1000

static void block_signals(sigset_t *old)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, old);
}

static void name_open_file(char path[PROC_PATH_MAX], int fd)
{
	snprintf(path, PROC_PATH_MAX, "/proc/self/fd/%d", fd);
}

/* A hidden name beside a path. To be freed. */
static char *name_beside(const char *path, const char *end)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	/* leave room for the dots and letters that are added to a name of the maximum length */
	return xasprintf("%.*s.%.200s.%s", (int)(base - path), path, base, end);
}

/* Return: a file without a name, or -1 if there is none that can be given one. */
static int open_nameless(const struct outfile *out)
{
	AUTO_FREE char *dir = directory_of(out->final);
	int fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	char path[PROC_PATH_MAX];

	if (fd < 0)
		return -1;
	/* without /proc, as in some containers, there is no path to link */
	name_open_file(path, fd);
	if (!access(path, F_OK))
		return fd;
	close(fd);
	return -1;
}

/* Signals are blocked while the file exists and its name is not stored, or the other way round. */
static int open_named(const struct outfile *out)
{
	char *name = name_beside(out->final, "XXXXXX");
	sigset_t old;
	int fd, err;

	block_signals(&old);
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

/* Give the file a temporary name: a link cannot replace what is there. Return: false with errno. */
static bool link_beside(const struct outfile *out, const char *nameless)
{
	for (unsigned int i = 0; i < MAX_NAMES; i++) {
		char end[16], *name;

		snprintf(end, sizeof(end), "%06x", ((unsigned int)getpid() + i) & 0xffffff);
		name = name_beside(out->final, end);
		if (!linkat(AT_FDCWD, nameless, AT_FDCWD, name, AT_SYMLINK_FOLLOW)) {
			unfinished = name;
			return true;
		}
		free(name);
		if (errno != EEXIST)
			return false;
	}
	return false;
}

/* Return: false with errno. */
static bool name_nameless(const struct outfile *out)
{
	char path[PROC_PATH_MAX];

	name_open_file(path, out->nameless);
	if (!linkat(AT_FDCWD, path, AT_FDCWD, out->final, AT_SYMLINK_FOLLOW))
		return true;
	return errno == EEXIST && link_beside(out, path);
}

/* Signals are blocked while the file has a temporary name that is not stored, or no longer has it. */
static void put_in_place(const struct outfile *out)
{
	sigset_t old;
	char *name;

	block_signals(&old);
	if ((out->nameless >= 0 && !name_nameless(out)) || (unfinished && rename(unfinished, out->final)))
		die("%s: cannot put the %s in its place: %s", out->path, out->what,
		    strerror(errno));
	name = unfinished;
	unfinished = NULL;
	sigprocmask(SIG_SETMASK, &old, NULL);
	free(name);
	if (out->nameless >= 0)
		close(out->nameless);
	free(out->final);
}

/* A file without a name stays open, to be named, when its stream is closed, which may fail. */
static void open_regular(struct outfile *out)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	out->nameless = open_nameless(out);
	fd = out->nameless >= 0 ? dup(out->nameless) : open_named(out);
	if (fd >= 0 && !fchmod(fd, 0666 & ~mask))
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

	*out = (struct outfile){ .path = path, .what = what, .nameless = -1 };
	if (!strcmp(path, "-")) {
		out->path = "<stdout>";
		out->file = stdout;
	} else if (stat(path, &st) && errno == ELOOP) {
		outfile_failed(out);
	} else if (stat(path, &st) || S_ISREG(st.st_mode)) {
		out->final = follow_links(path);
		open_regular(out);
	} else if (S_ISDIR(st.st_mode)) {
		die("%s: is a directory; expected the name of a %s", path, what);
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
