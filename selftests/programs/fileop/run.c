// SPDX-License-Identifier: GPL-2.0-only
/*
 * fileop, runs commands: as another user, as the root of a container, or with a time limit that also holds for a
 * process that cannot be killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fileop.h"

/* The limit that systemd sets for each user. */
#define MAX_FILES 524288

/**
 * become() - become an ordinary user, and end when the parent process ends
 * @uid: user ID; the group ID is the same
 */
void become(unsigned int uid)
{
	struct rlimit limit = { MAX_FILES, MAX_FILES };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		fail("RLIMIT_NOFILE");
	if (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		fail("setresuid");
	/* the change of the user has reset this */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/**
 * now_ms() - read the clock
 *
 * Return: milliseconds since a moment in the past
 */
uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

/**
 * op_as() - run a command as an ordinary user
 * @argc: number of words
 * @argv: user ID, nice value, command
 */
void op_as(int argc, char **argv)
{
	(void)argc;
	if (setpriority(PRIO_PROCESS, 0, num(argv[1])))
		fail("setpriority");
	become(num(argv[0]));
	execvp(argv[2], argv + 2);
	fail(argv[2]);
}

/**
 * op_confined() - run a command as the root of a container: without CAP_SYS_ADMIN
 * @argc: number of words
 * @argv: command
 */
void op_confined(int argc, char **argv)
{
	(void)argc;
	if (prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN))
		fail("PR_CAPBSET_DROP");
	execvp(argv[0], argv);
	fail(argv[0]);
}

/**
 * op_timed() - run a command, and append its duration in milliseconds to a file
 * @argc: number of words
 * @argv: the file, the limit in seconds, command
 *
 * Ends with the status of the command; with 124 if it has not ended within the limit. It is killed then, but not
 * waited for, because it may be unkillable.
 */
void op_timed(int argc, char **argv)
{
	uint64_t limit = num(argv[1]) * 1000, begin = now_ms(), spent;
	int status, fd;
	pid_t child;

	(void)argc;
	child = fork();
	if (child < 0)
		fail("fork");
	if (!child) {
		execvp(argv[2], argv + 2);
		fail(argv[2]);
	}
	while (!waitpid(child, &status, WNOHANG)) {
		if (now_ms() - begin > limit) {
			kill(child, SIGKILL);
			status = 124 << 8;
			break;
		}
		usleep(1000);
	}
	spent = now_ms() - begin;
	fd = open_file(argv[0], O_WRONLY | O_CREAT | O_APPEND);
	dprintf(fd, "%llu\n", (unsigned long long)spent);
	close_file(fd, argv[0]);
	exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}
