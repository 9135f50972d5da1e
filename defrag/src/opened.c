// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: who uses a file in a way that a move must not meet.
 * A direct write goes past the page cache, which a move fills and writes: the old content could win. Such
 * writers are found in /proc, and below loop devices. While a plan is made, one search serves for a second.
 */
#include <ctype.h>
#include <glob.h>
#include <sys/sysmacros.h>

#include "names.h"
#include "opened.h"
#include "util.h"

struct identity {
	dev_t dev;
	ino_t ino;
};

static struct identity *direct;
static size_t n_direct, cap_direct;
static int64_t direct_found_ns;

static bool is_file(const char *path, dev_t dev, ino_t ino)
{
	struct stat st;

	return !stat(path, &st) && st.st_dev == dev && st.st_ino == ino;
}

/* === Swap and leases === */

/**
 * opened_as_swap() - is a file a swap file?
 * @dev: its device
 * @ino: its inode number
 *
 * Return: true if the kernel swaps to it.
 */
bool opened_as_swap(dev_t dev, ino_t ino)
{
	AUTO_FCLOSE FILE *file = fopen("/proc/swaps", "re");
	bool found = false;
	AUTO_FREE char *line = NULL;
	size_t size = 0;

	while (file && !found && getline(&line, &size, file) > 0) {
		size_t n = strcspn(line, " \t\n");
		AUTO_FREE char *path = xreallocarray(NULL, n + 1, 1);

		found = !path_unescape(path, line, line + n) && *path == '/' && is_file(path, dev, ino);
	}
	return found;
}

/**
 * opened_with_lease() - has a process a lease on a file?
 * @dev: its device
 * @ino: its inode number
 *
 * Opening a file breaks a lease, so this has to be asked before.
 *
 * Return: true if it has.
 */
bool opened_with_lease(dev_t dev, ino_t ino)
{
	AUTO_FCLOSE FILE *file = fopen("/proc/locks", "re");
	unsigned int major, minor;
	bool found = false;
	char line[256];
	uintmax_t inode;

	while (file && !found && fgets(line, sizeof(line), file))
		found = (strstr(line, " LEASE ") || strstr(line, " DELEG ")) &&
			sscanf(line, "%*s %*s %*s %*s %*s %x:%x:%ju", &major, &minor, &inode) == 3 &&
			makedev(major, minor) == dev && inode == ino;
	return found;
}

/* === Direct writers === */

static void add_direct(const struct stat *st)
{
	*APPEND(direct, n_direct, cap_direct) = (struct identity){ st->st_dev, st->st_ino };
}

/* The flags of an open file, as fcntl() would return them; -1 if it was closed meanwhile. */
static long flags_of(const char *pid, const char *fd)
{
	char path[300], line[128];
	long flags = -1;
	AUTO_FCLOSE FILE *file = NULL;

	snprintf(path, sizeof(path), "/proc/%s/fdinfo/%s", pid, fd);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "flags: %lo", (unsigned long *)&flags) == 1)
			break;
	return flags;
}

/* @pid: of a process, or PID/task/TID. Return: has it open files? */
static bool find_of_task(const char *pid)
{
	char path[600];
	struct dirent *entry;
	bool found = false;
	struct stat st;
	AUTO_CLOSEDIR DIR *dir = NULL;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		long flags;

		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		found = true;
		flags = flags_of(pid, entry->d_name);
		if (flags < 0 || !(flags & O_DIRECT) || (flags & O_ACCMODE) == O_RDONLY)
			continue;
		snprintf(path, sizeof(path), "/proc/%s/fd/%s", pid, entry->d_name);
		if (!stat(path, &st) && S_ISREG(st.st_mode))
			add_direct(&st);
	}
	return found;
}

/* A process whose first thread has ended shows no open files, but its other threads do. */
static void find_of_process(const char *pid)
{
	char path[600];
	struct dirent *entry;
	bool found = false;
	AUTO_CLOSEDIR DIR *dir = NULL;

	if (find_of_task(pid))
		return;
	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	dir = opendir(path);
	while (!found && dir && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		snprintf(path, sizeof(path), "%s/task/%s", pid, entry->d_name);
		found = find_of_task(path);
	}
}

/* The backing file of a loop device belongs to no process. */
static void find_of_loops(void)
{
	glob_t found;

	if (glob("/sys/block/loop*/loop/dio", 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		AUTO_FREE char *path = xasprintf("%.*s/backing_file", (int)strlen(found.gl_pathv[i]) - 4, found.gl_pathv[i]);
		AUTO_FCLOSE FILE *dio = fopen(found.gl_pathv[i], "re");
		AUTO_FCLOSE FILE *backing = fopen(path, "re");
		char name[4096];
		struct stat st;

		if (dio && backing && fgetc(dio) == '1' && fgets(name, sizeof(name), backing)) {
			name[strcspn(name, "\n")] = '\0';
			if (!stat(name, &st))
				add_direct(&st);
		}
	}
	globfree(&found);
}

static void find_direct(void)
{
	struct dirent *entry;
	AUTO_CLOSEDIR DIR *proc = NULL;

	if (direct_found_ns && monotonic_ns() - direct_found_ns < NSEC_PER_SEC)
		return;
	n_direct = 0;
	proc = opendir("/proc");
	while (proc && (entry = readdir(proc)))
		if (isdigit((unsigned char)*entry->d_name))
			find_of_process(entry->d_name);
	find_of_loops();
	direct_found_ns = monotonic_ns();
}

/**
 * opened_for_direct_writing() - is a file open for writing with O_DIRECT, or below a loop device that writes so?
 * @dev: its device
 * @ino: its inode number
 *
 * Return: true if it is, or was a second ago.
 */
bool opened_for_direct_writing(dev_t dev, ino_t ino)
{
	find_direct();
	for (size_t i = 0; i < n_direct; i++)
		if (direct[i].dev == dev && direct[i].ino == ino)
			return true;
	return false;
}

/**
 * opened_forget() - search for direct writers anew when one is asked for
 *
 * Before a step, an answer that is a second old is too old: the writer may have begun since.
 */
void opened_forget(void)
{
	direct_found_ns = 0;
}
